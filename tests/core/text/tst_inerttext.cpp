// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/inerttext.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestInertText : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void showsWhatWouldBeObeyed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::newRow("plain") << u"a\tb\nc é 😀"_s << u"a\tb\nc é 😀"_s;
        QTest::newRow("escape") << u"\x1b[2J"_s << u"\\u{1b}[2J"_s;
        QTest::newRow("carriage return") << u"a\rb"_s << u"a\\u{d}b"_s;
        QTest::newRow("override") << u"a\u202Eb"_s << u"a\\u{202e}b"_s;
        QTest::newRow("isolate") << u"\u2066x\u2069"_s << u"\\u{2066}x\\u{2069}"_s;
        QTest::newRow("C1") << QString(QChar(0x9b)) << u"\\u{9b}"_s;
        QTest::newRow("NUL") << QString(QChar(0)) << u"\\u{0}"_s;
        QTest::newRow("lone half") << QString(QChar(0xD83D)) << u"\\u{d83d}"_s;
        QTest::newRow("tag characters") << u"\U000E0041"_s << u"\\u{e0041}"_s;
    }
    void showsWhatWouldBeObeyed()
    {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        QCOMPARE(inertText(text), shown);
    }

    void oneLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("line");
        QTest::newRow("first with something") << u"\n  \n  fix  the\tbug  \nnow"_s << u"fix the bug"_s;
        QTest::newRow("fits exactly") << u"0123456789ab"_s << u"0123456789ab"_s;
        QTest::newRow("cut") << u"0123456789abc"_s << u"0123456789a…"_s;
        QTest::newRow("pair is not cut in two") << u"0123456789😀x"_s << u"0123456789…"_s;
        QTest::newRow("controls dropped") << u"a\x1b[31mb\u202E"_s << u"a[31mb"_s;
        QTest::newRow("empty") << QString() << QString();
    }
    void oneLine()
    {
        QFETCH(QString, text);
        QFETCH(QString, line);
        QCOMPARE(inertLine(text, 12), line);
    }
};

QTEST_GUILESS_MAIN(TestInertText)
#include "tst_inerttext.moc"
