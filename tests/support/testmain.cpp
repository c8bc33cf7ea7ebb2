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

void Test::init()
{
    // The offscreen platform says this for every window with a size hint; it concerns no code of ours.
    QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support propagateSizeHints).?"_s));
}

QByteArray testData(const QString &name)
{
    QFile file(qEnvironmentVariable("PH_TEST_DATA_DIR", QStringLiteral(PH_TEST_DATA_ROOT)) + u'/' + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read test data %s", qPrintable(file.fileName()));
    return file.readAll();
}

} // namespace Pilothouse::Tests
