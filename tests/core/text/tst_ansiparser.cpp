// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/ansiline.h"
#include "text/ansiparser.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

// What the bytes show, a line each, given in pieces of `piece` bytes. Styles as <fg,bg,flags> where they
// change.
QString shown(const QByteArray &bytes, qsizetype piece = 1 << 20, bool withStyles = false)
{
    AnsiParser parser;
    AnsiLine line;
    QString out;
    const auto flush = [&] {
        AnsiStyle last;
        for (const AnsiSpan &span : line.spans()) {
            if (withStyles && span.style != last)
                out += u"<%1,%2,%3>"_s.arg(span.style.foreground)
                           .arg(span.style.background)
                           .arg(span.style.flags);
            last = span.style;
            out += span.text;
        }
        line.clear();
    };
    for (qsizetype at = 0; at < bytes.size(); at += piece) {
        QByteArrayView rest = QByteArrayView(bytes).sliced(at, std::min(piece, bytes.size() - at));
        for (;;) {
            const AnsiParser::Token token = parser.next(rest);
            if (token.kind == AnsiParser::Token::Kind::End)
                break;
            if (token.kind == AnsiParser::Token::Kind::LineFeed) {
                flush();
                out += u'\n';
            } else {
                line.put(token, parser.style());
            }
        }
    }
    line.put(parser.finish(), parser.style());
    flush();
    return out;
}

AnsiStyle styleAfter(const QByteArray &bytes)
{
    AnsiParser parser;
    QByteArrayView rest = bytes;
    while (parser.next(rest).kind != AnsiParser::Token::Kind::End) { }
    return parser.style();
}

} // namespace

class TestAnsiParser : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void lines_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, const QByteArray &bytes, const QString &text) {
            QTest::newRow(name) << bytes << text;
        };
        row("plain", "one\ntwo", u"one\ntwo"_s);
        row("windows line ends", "one\r\ntwo\r\n", u"one\ntwo\n"_s);
        row("carriage return writes over", "aaaaaa\rbb", u"bbaaaa"_s);
        row("progress", "10%\r 50%\r100%\n", u"100%\n"_s);
        row("erase to the end", "loading 12\rdone\x1b[K\n", u"done\n"_s);
        row("erase all", "abc\x1b[2Kd", u"   d"_s);
        row("erase to the begin", "abcd\b\b\x1b[1K", u"   d"_s);
        row("backspace", "ab\b\bX", u"Xb"_s);
        row("backspace stops", "\b\b\bx", u"x"_s);
        row("column", "abc\x1b[1GX\x1b[5Gy", u"Xbc y"_s);
        row("forward and back", "a\x1b[2Cb\x1b[3D-", u"a- b"_s);
        row("a far column is bounded", QByteArray("x\x1b[65535C") + "y", u"x"_s);
        row("tab", "a\tb", u"a       b"_s);
        row("title is dropped", "a\x1b]0;evil\x07z", u"az"_s);
        row("string ended by ST", "a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\z", u"alinkz"_s);
        row("device string", "a\x1bP1$r0m\x1b\\z", u"az"_s);
        row("application command", "a\x1b_Gf=32;AAAA\x1b\\z", u"az"_s);
        row("a line feed ends a string", "a\x1b]0;evil\nz", u"a\nz"_s);
        row("an endless string is given up",
            QByteArray("a\x1b]") + QByteArray(AnsiParser::LongestString + 1, 'x') + "END", u"aEND"_s);
        row("an endless sequence is given up",
            QByteArray("a\x1b[") + QByteArray(AnsiParser::LongestSequence, ';') + "z", u"az"_s);
        row("cursor and screen are not obeyed",
            "a\x1b[2J\x1b[10;10H\x1b[?1049h\x1b"
            "cb",
            u"ab"_s);
        row("charset", "a\x1b(0q\x1b)Bz", u"aqz"_s);
        row("escape inside a sequence", "a\x1b[3\x1b[31mz", u"az"_s);
        row("control inside a sequence", "a\x1b[3\rz", u"z"_s);
        row("bell and nul", QByteArray("a\x07\0b", 4), u"a\u2407\u2400b"_s);
        row("delete", "a\x7f", u"a\u2421"_s);
        row("direction override", "a\u202eb", u"a\\u{202e}b"_s);
        row("8-bit sequence is not obeyed", "a\u009b31mb", u"a\\u{9b}31mb"_s);
        row("invalid bytes shift nothing",
            "a\xff\xfe"
            "b\xc3\xa9",
            u"a\\xff\\xfeb\u00e9"_s);
        row("cut character", "a\xe2\x82", u"a\\xe2\\x82"_s);
        row("cut character before text",
            "\xe2\x82"
            "b",
            u"\\xe2\\x82"
            "b"_s);
        row("cut character before another", "\xe2\x82\xc3\xa9", u"\\xe2\\x82\u00e9"_s);
        row("overlong", "\xc0\xaf", u"\\xc0\\xaf"_s);
        row("surrogate", "\xed\xa0\x80", u"\\xed\\xa0\\x80"_s);
        row("too large", "\xf4\x90\x80\x80", u"\\xf4\\x90\\x80\\x80"_s);
        row("four bytes", "\xf0\x9f\x98\x80!", u"\U0001F600!"_s);
        row("wide characters keep the grid", "\u6f22\u5b57\rx", u"x \u5b57"_s);
        row("marks stay with their character", "e\u0301x", u"e\u0301x"_s);
        row("a mark goes with what it sat on", "e\u0301\rx", u"x"_s);
    }
    void lines()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        for (const qsizetype piece : {1 << 20, 1, 2, 3, 7})
            QCOMPARE(shown(bytes, piece), text);
    }

    void styles_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("foreground");
        QTest::addColumn<int>("background");
        QTest::addColumn<int>("flags");
        const auto row = [](const char *name, const QByteArray &codes, int fg, int bg, int flags = 0) {
            QTest::newRow(name) << QByteArray("\x1b[" + codes + "m") << fg << bg << flags;
        };
        constexpr int None = AnsiStyle::Default;
        row("nothing", "", None, None);
        row("basic", "31;42", 1, 2);
        row("bright", "97;100", 15, 8);
        row("flags", "1;2;3;4;5;7;8;9", None, None, 255);
        row("flags off", "1;2;3;4;5;7;8;9;22;23;24;25;27;28;29", None, None);
        row("colours off", "31;42;39;49", None, None);
        row("palette", "38;5;208;48;5;17", 208, 17);
        row("palette with colons", "38:5:208;48:5:17", 208, 17);
        row("true colour", "38;2;1;2;3", AnsiStyle::TrueColor | 0x010203, None);
        row("true colour with colons", "38:2:1:2:3", AnsiStyle::TrueColor | 0x010203, None);
        row("true colour with a colour space", "48:2::255:128:0", None, AnsiStyle::TrueColor | 0xFF8000);
        row("out of range", "38;5;256;48;2;1;2;300;1", None, None, AnsiStyle::Bold);
        row("cut short", "38;5", None, None);
        row("underline colour is skipped", "4;58;5;9;31", 1, None, AnsiStyle::Underline);
        row("curly underline", "4:3", None, None, AnsiStyle::Underline);
        row("no underline", "4;4:0", None, None);
        row("a huge number", "99999999999999999999;31", 1, None);
        row("many numbers", QByteArray("1;").repeated(31) + "32", 2, None, AnsiStyle::Bold);
        row("too many numbers", QByteArray("1;").repeated(40) + "32", None, None);
        row("private", "?31", None, None);
        row("empty is 0", "31;;", None, None);
    }
    void styles()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, foreground);
        QFETCH(int, background);
        QFETCH(int, flags);
        const AnsiStyle style = styleAfter(bytes);
        QCOMPARE(style.foreground, foreground);
        QCOMPARE(style.background, background);
        QCOMPARE(int(style.flags), flags);
    }

    void theStyleGoesWithTheText()
    {
        const QByteArray bytes = "a\x1b[31mb\x1b[0mc\rX\n\x1b[1md\ne\x1b[m\xff";
        const QString text = u"Xb"_s;
        for (const qsizetype piece : {1 << 20, 1, 2}) {
            const QString out = shown(bytes, piece, true);
            QCOMPARE(out, u"X<1,-1,0>b<-1,-1,0>c\n<-1,-1,1>d\n<-1,-1,1>e<-1,-1,256>\\xff"_s);
            QVERIFY(!out.contains(text));
        }
    }

    // Whoever wants styles only must come to the same ones.
    void skippingAgreesWithReading()
    {
        const QByteArray bytes =
            "a\x1b[3\x1b[31mb\x1b]0;x\nc\x1b[1;38:5:7m\x1b(B\x1b[4\rz\x1bP\x1b\\\x1b[9mend";
        AnsiParser parser;
        for (qsizetype at = 0; at < bytes.size();) {
            if (!parser.isGround()) {
                at += parser.skipSequence(
                    QByteArrayView(bytes).sliced(at, std::min<qsizetype>(2, bytes.size() - at)));
                continue;
            }
            if (bytes[at++] == '\x1b')
                parser.beginSequence();
        }
        QCOMPARE(parser.style(), styleAfter(bytes));
        QCOMPARE(parser.style().foreground, 7);
        QVERIFY(parser.style().flags & AnsiStyle::Strike);
    }

    void everyByteAfterEveryOtherEnds()
    {
        // Nothing hangs or crashes, and what follows a line feed is read again as it stands.
        for (int first = 0; first < 256; ++first) {
            for (int second = 0; second < 256; ++second) {
                QByteArray bytes = "\x1b[";
                bytes.append(char(first)).append(char(second)).append("\x1b").append(char(first));
                bytes.append("\nend");
                QVERIFY(shown(bytes, 1).endsWith("\nend"_L1));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestAnsiParser)
#include "tst_ansiparser.moc"
