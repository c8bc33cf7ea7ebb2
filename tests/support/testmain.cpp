// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QStringList>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

QtMessageHandler s_next = nullptr;

// The offscreen platform says these for every window with a size hint and for every menu; they concern no
// code of ours and would bury what does.
void dropPlatformRemark(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    static const QStringList remarks{u"This plugin does not support propagateSizeHints()"_s,
                                     u"This plugin does not support raise()"_s,
                                     u"This plugin does not support grabbing the keyboard"_s};
    if (s_next && !remarks.contains(text))
        s_next(type, context, text);
}

} // namespace

void Test::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    s_next = qInstallMessageHandler(dropPlatformRemark);
}

void Test::cleanupTestCase()
{
    if (s_next)
        qInstallMessageHandler(std::exchange(s_next, nullptr));
}

void Test::init() { QTest::failOnWarning(QRegularExpression(u".?"_s)); }

QByteArray testData(const QString &name)
{
    QFile file(qEnvironmentVariable("PH_TEST_DATA_DIR", QStringLiteral(PH_TEST_DATA_ROOT)) + u'/' + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read test data %s", qPrintable(file.fileName()));
    return file.readAll();
}

} // namespace Pilothouse::Tests
