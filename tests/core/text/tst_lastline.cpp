// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/lastline.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestLastLine : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void lines_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("line");
        QTest::newRow("nothing") << QByteArray() << QString();
        QTest::newRow("one") << QByteArray("hello") << u"hello"_s;
        QTest::newRow("blank lines do not count") << QByteArray("a\nb\n\n  \n") << u"b"_s;
        QTest::newRow("carriage return and line feed") << QByteArray("a\r\nb\r\n") << u"b"_s;
        QTest::newRow("progress bar") << QByteArray("10%\r20%\r30%") << u"30%"_s;
        QTest::newRow("erased line") << QByteArray("downloading\r\x1b[Kdone") << u"done"_s;
        QTest::newRow("colours") << QByteArray("\x1b[1;31mFAILED\x1b[0m test\n") << u"FAILED test"_s;
        QTest::newRow("title sequence") << QByteArray("\x1b]0;owned\x07real\n") << u"real"_s;
        QTest::newRow("string ended by ST") << QByteArray("\x1bPabc\x1b\\x\n") << u"x"_s;
        QTest::newRow("character set") << QByteArray("\x1b(Bx\n") << u"x"_s;
        QTest::newRow("backspace") << QByteArray("abd\bc") << u"abc"_s;
        QTest::newRow("tab") << QByteArray("a\tb") << u"a b"_s;
        QTest::newRow("direction override") << QByteArray("a\xE2\x80\xAE"
                                                          "b")
                                            << u"ab"_s;
        QTest::newRow("not UTF-8") << QByteArray("a\xff\n") << u"a\uFFFD"_s;
        QTest::newRow("pair") << QByteArray("ok 😀\n") << u"ok 😀"_s;
        QTest::newRow("endless string sequence")
            << QByteArray("\x1b]" + QByteArray(5000, 'x') + "\nafter\n") << u"after"_s;
        QTest::newRow("endless parameters")
            << QByteArray("\x1b[" + QByteArray(200, '1') + "\nafter\n") << u"after"_s;
    }
    void lines()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, line);
        LastLine whole;
        whole.feed(bytes);
        QCOMPARE(whole.text(), line);
        LastLine split;
        for (const char byte : bytes)
            split.feed(QByteArrayView(&byte, 1));
        QCOMPARE(split.text(), line);
    }

    void isBounded()
    {
        LastLine line;
        for (int i = 0; i < 100; ++i)
            line.feed(QByteArray(100'000, 'a'));
        QCOMPARE(line.text().size(), LastLine::MaxLength);
        line.reset();
        QCOMPARE(line.text(), QString());
        for (int i = 0; i < 201; ++i)
            line.feed("\xF0\x9F\x98\x80");
        QVERIFY(line.text().isValidUtf16());
    }
};

QTEST_GUILESS_MAIN(TestLastLine)
#include "tst_lastline.moc"
