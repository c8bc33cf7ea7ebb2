// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/markdownoracle.h"
#include "support/testmain.h"
#include "text/markdownwriter.h"

#include <QElapsedTimer>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

// What a viewer with all extensions would make of a text.
struct Seen {
    QStringList links;
    QStringList headings; ///< "level depth words"
    QString text;
    int images = 0;
    int html = 0;
    int codeBlocks = 0;
    int depth = 0; ///< Of quotes and items.
    int heading = 0;
    QString words;

    static Seen of(const QString &markdown)
    {
        Seen seen;
        MD_PARSER parser = {};
        parser.flags = MD_DIALECT_GITHUB;
        parser.enter_block = [](MD_BLOCKTYPE type, void *detail, void *self) {
            auto *me = static_cast<Seen *>(self);
            me->html += type == MD_BLOCK_HTML ? 1 : 0;
            me->codeBlocks += type == MD_BLOCK_CODE ? 1 : 0;
            me->depth += type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI ? 1 : 0;
            if (type == MD_BLOCK_H) {
                me->heading = int(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
                me->words.clear();
            }
            return 0;
        };
        parser.leave_block = [](MD_BLOCKTYPE type, void *, void *self) {
            auto *me = static_cast<Seen *>(self);
            me->depth -= type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI ? 1 : 0;
            if (type == MD_BLOCK_H)
                me->headings.append(u"%1 %2 %3"_s.arg(me->heading).arg(me->depth).arg(me->words));
            me->text += u'\n';
            return 0;
        };
        parser.enter_span = [](MD_SPANTYPE type, void *detail, void *self) {
            auto *me = static_cast<Seen *>(self);
            me->images += type == MD_SPAN_IMG ? 1 : 0;
            if (type == MD_SPAN_A) {
                const MD_ATTRIBUTE &href = static_cast<MD_SPAN_A_DETAIL *>(detail)->href;
                me->links.append(QString::fromUtf8(href.text, static_cast<qsizetype>(href.size)));
            }
            return 0;
        };
        parser.leave_span = [](MD_SPANTYPE, void *, void *) { return 0; };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *self) {
            auto *me = static_cast<Seen *>(self);
            me->html += type == MD_TEXT_HTML ? 1 : 0;
            const bool isBreak = type == MD_TEXT_BR || type == MD_TEXT_SOFTBR;
            const QString words = isBreak ? u"\n"_s : QString::fromUtf8(text, static_cast<qsizetype>(size));
            me->text += words;
            me->words += words;
            return 0;
        };
        const QByteArray utf8 = markdown.toUtf8();
        md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, &seen);
        return seen;
    }
};

constexpr auto Markdown = MarkdownBlocks::Dialect::Markdown;
constexpr auto Plain = MarkdownBlocks::Dialect::Plain;

} // namespace

class TestMarkdownWriter : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void isWrittenPlainly_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        const auto add = [](const char *name, const QString &source, const QString &expected) {
            QTest::newRow(name) << source << expected;
        };
        add("words", u"Use snake_case, 3 < 4, and a/b.\n"_s, u"Use snake_case, 3 \\< 4, and a/b.\n"_s);
        add("styles", u"**b** *i* ~~s~~ `c*` ***x***"_s, u"**b** *i* ~~s~~ `c*` ***x***\n"_s);
        add("heading", u"# One\ntext\n"_s, u"### One\n\ntext\n"_s);
        add("deep heading", u"###### Six"_s, u"###### Six\n"_s);
        add("underlined heading", u"One\n===\n"_s, u"### One\n"_s);
        add("list", u"- a\n- b\n  - c\n\n1. x\n2. y\n"_s, u"- a\n- b\n  - c\n\n1. x\n2. y\n"_s);
        add("tasks", u"- [x] a\n- [ ] b\n"_s, u"- [x] a\n- [ ] b\n"_s);
        add("quote", u"> a\n>\n> b\n\nc\n"_s, u"> a\n>\n> b\n\nc\n"_s);
        add("code", u"```c++\nint *a;\n```\n"_s, u"```c++\nint *a;\n```\n"_s);
        add("open fence", u"````\n```\nx"_s, u"````\n```\nx\n````\n"_s);
        add("code in a list", u"- a\n\n  ```\n  x\n  ```\n"_s, u"- a\n\n  ```\n  x\n  ```\n"_s);
        add("table", u"| a | b |\n|:--|--:|\n| `x\\|y` | **z** |\n"_s,
            u"| a | b |\n| :-- | --: |\n| `x\\|y` | **z** |\n"_s);
        add("rule", u"a\n\n---\n"_s, u"a\n\n***\n"_s);
        add("link", u"[a](https://x.example/y?a=1&b=2) and https://z.example."_s,
            u"[a](<https://x.example/y?a=1&amp;b=2>) and <https://z.example>.\n"_s);
        add("image", u"![chart](https://x.example/c.png)"_s,
            u"[chart](<https://x.example/c.png>) (picture)\n"_s);
    }
    void isWrittenPlainly()
    {
        QFETCH(QString, source);
        QTEST(writeMarkdown(source, Markdown, 2), "expected");
    }

    void personsWordsAreNoMarkdown()
    {
        QCOMPARE(writeMarkdown(u"Fix *this*\n# now\n```\ncode\n```\n"_s, Plain, 2),
                 u"Fix \\*this\\*\\\n\\# now\n\n```\ncode\n```\n"_s);
        QCOMPARE(writeMarkdown(u""_s, Plain, 2), QString());
    }

    // Other programs find the same blocks in it.
    void blocksAreTheSame_data()
    {
        QTest::addColumn<QString>("source");
        const QStringList sources{
            u"# A\n\npara *x* one\ntwo\n\n- a\n- b\n\n  more of b\n  1. x\n  2. y\n- c\n\nend\n"_s,
            u"> quote\n> - item\n>   more\n>\n> ```\n> code # no\n> ```\n\nafter\n"_s,
            u"1. a\n\n   > q\n   > r\n\n   | a | b |\n   |---|---|\n   | c | d |\n2. b\n"_s,
            u"text\n***\n## B\n```py\nx = 1\n\n\ny = 2\n```\ntext again\n\n    indented\n\nend"_s,
            u"5) five\n6) six\n\n* a\n\n  b\n* c\n"_s,
            u"- a\n  - b\n    - c\n\n      d\n- e\n"_s,
        };
        for (qsizetype i = 0; i < sources.size(); ++i)
            QTest::addRow("%d", int(i)) << sources[i];
    }
    void blocksAreTheSame()
    {
        QFETCH(QString, source);
        const QString written = writeMarkdown(source, Markdown, 0);
        MarkdownBlocks blocks;
        blocks.update(source, true);
        QCOMPARE(Tests::MarkdownOracle::blocks(written),
                 Tests::MarkdownOracle::ours(blocks.blocks(), source));
        QCOMPARE(writeMarkdown(written, Markdown, 0), written); // Nothing grows when it is written again.
    }

    // Whatever stands in a text stays in its section and is obeyed by no viewer.
    void hostileTexts_data()
    {
        QTest::addColumn<QString>("source");
        const QStringList sources{
            u"<script>alert(1)</script>\n<img src=http://evil.example/x>\n"_s,
            u"<!-- open comment\n\n<div>\n<pre>\n"_s,
            u"![x](http://evil.example/x.png) ![y](file:///etc/passwd) ![z](data:image/png;base64,AAAA)"_s,
            u"[a](javascript:alert(1)) [b](data:text/html,x) <javascript:alert(1)> [c](vbscript:x)"_s,
            u"[a]: http://evil.example/a\n\n[tail]: http://evil.example/b 'x'\n"_s,
            u"- [tail]: http://evil.example/c\n> [tail]: http://evil.example/c\n"_s,
            u"```\nopen\n## Forged\n"_s,
            u"~~~~\nopen\n## Forged\n"_s,
            u"> ```\n> open\n## Forged\n"_s,
            u"- ```\n  open\n\n## Forged\n"_s,
            u"## You\n\nForged\n===\n\nForged\n---\n# x\n"_s,
            u"text\\\n## Forged\ntext  \n# Forged\n"_s,
            u"`a\n\n`` ``` ` <b>`\n` <b> ``<i>`` `\n"_s,
            u"*a **b <u> [c](http://x.example/\\) _d* e_ <http://x.example/>\n"_s,
            u"&lt;script&gt; &#60;b&#62; &amp;lt;i&amp;gt;\n"_s,
            u"| a | <b> |\n|---|---|\n| ![x](http://evil.example) | `|` \\| <i> |\n\n## Forged\n"_s,
            u"1. a\n   ***\n   # Forged\n      <b>\n"_s,
            u"a\u2028# Forged\u2028<b>\u2029## Forged\n"_s,
            u"\t# x\n \t<b>\n\u00a0# y\n"_s,
            u"[^1]: note\n[x][tail] ![y][tail] [tail] ![tail]\n"_s,
            u"[a](<http://x.example/>) <b>) [c](http://x.example/`<b>`)\n"_s,
            u"![a ](http://evil.example/[b](http://x.example))\n"_s,
            u"a\r## Forged\r\n<b>\r"_s,
            u"\u202e\u0007\u001b[0m<b>\n"_s,
            u"-\n-\n  #\n+\n1.\n>\n>>\n"_s,
            QString(QString(300, u'>') + u"# x\n" + QString(300, u'*') + u"a" + QString(300, u'_') + u"\n"),
        };
        for (qsizetype i = 0; i < sources.size(); ++i)
            QTest::addRow("%d", int(i)) << sources[i];
    }
    void hostileTexts()
    {
        QFETCH(QString, source);
        for (const auto dialect : {Markdown, Plain}) {
            const QString written = writeMarkdown(source, dialect, 2);
            const QString document =
                QString(u"## Before\n\n" + written + u"\n## After\n\nSee [tail] and ![tail]\n");
            const Seen seen = Seen::of(document);
            QVERIFY2(seen.html == 0, qPrintable(written));
            QVERIFY2(seen.images == 0, qPrintable(written));
            for (const QString &link : seen.links) {
                QVERIFY2(link.startsWith(u"http://x.example"_s) || link.startsWith(u"http://evil.example"_s),
                         qPrintable(link));
            }
            QVERIFY2(seen.headings.first() == u"2 0 Before"_s, qPrintable(written));
            QVERIFY2(seen.headings.last() == u"2 0 After"_s, qPrintable(written));
            for (const QString &heading : seen.headings.mid(1, seen.headings.size() - 2))
                QVERIFY2(heading.at(0) >= u'3', qPrintable(written));
            QVERIFY2(seen.text.endsWith(u"See [tail] and ![tail]\n\n"_s)
                         || seen.text.endsWith(u"See [tail] and ![tail]\n"_s),
                     qPrintable(written));
            for (const QChar c : written)
                QVERIFY(c == u'\n' || c >= u' ');
        }
    }

    // Random soups of marks.
    void anyMarks()
    {
        const QStringList parts{u"#"_s,
                                u" "_s,
                                u"\n"_s,
                                u"\n\n"_s,
                                u"- "_s,
                                u"> "_s,
                                u"```"_s,
                                u"~~~"_s,
                                u"`"_s,
                                u"*"_s,
                                u"**"_s,
                                u"_"_s,
                                u"["_s,
                                u"]"_s,
                                u"("_s,
                                u")"_s,
                                u"!["_s,
                                u"<b>"_s,
                                u"<"_s,
                                u">"_s,
                                u"|"_s,
                                u"---"_s,
                                u"\\"_s,
                                u"&lt;"_s,
                                u"1. "_s,
                                u"    "_s,
                                u"x"_s,
                                u"y z"_s,
                                u"](http://x.example)"_s,
                                u"](javascript:x)"_s,
                                u"[t]: http://x.example"_s,
                                u"===\n"_s,
                                u"~~"_s,
                                u"|--|--|\n"_s,
                                u"\t"_s,
                                u"<!--"_s,
                                u":"_s,
                                u"+ "_s};
        quint32 state = 7;
        for (int round = 0; round < 3000; ++round) {
            QString source;
            for (int i = 0; i < 14; ++i) {
                state = state * 1'664'525 + 1'013'904'223;
                source += parts[static_cast<qsizetype>((state >> 16) % static_cast<quint32>(parts.size()))];
            }
            const QString written = writeMarkdown(source, Markdown, 2);
            const Seen seen = Seen::of(QString(u"## Before\n\n" + written + u"\n## After\n\n[t]\n"));
            const QByteArray told = QString(source + u"\n=>\n" + written).toUtf8();
            QVERIFY2(seen.html == 0 && seen.images == 0, told.constData());
            QVERIFY2(seen.headings.last() == u"2 0 After"_s, told.constData());
            QVERIFY2(seen.text.trimmed().endsWith(u"[t]"_s), told.constData());
            for (const QString &link : seen.links)
                QVERIFY2(link.startsWith(u"http://x.example"_s), told.constData());
            for (const QString &heading : seen.headings.mid(1, seen.headings.size() - 2))
                QVERIFY2(heading.at(0) >= u'3', told.constData());
        }
    }

    void hugeTextsTakeNoLongTime()
    {
        QElapsedTimer timer;
        timer.start();
        const QString stars = writeMarkdown(QString(1'000'000, u'*'), Markdown, 2);
        QVERIFY(stars.startsWith(u"```"_s) || stars.startsWith(u"***"_s));
        QVERIFY(
            !writeMarkdown(QString(u"[a](http://x.example) *b* "_s).repeated(2000), Markdown, 2).isEmpty());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_GUILESS_MAIN(TestMarkdownWriter)
#include "tst_markdownwriter.moc"
