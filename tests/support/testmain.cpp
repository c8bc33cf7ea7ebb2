// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

void Test::initTestCase() { QStandardPaths::setTestModeEnabled(true); }

void Test::init() { QTest::failOnWarning(QRegularExpression(u".?"_s)); }

QByteArray testData(const QString &name)
{
    QFile file(qEnvironmentVariable("PH_TEST_DATA_DIR", QStringLiteral(PH_TEST_DATA_ROOT)) + u'/' + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read test data %s", qPrintable(file.fileName()));
    return file.readAll();
}

} // namespace Pilothouse::Tests
