// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "markdownoracle.h"

#include "support/testmain.h"
#include "text/markdownblocks.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Kind = MarkdownBlock::Kind;
using Tests::MarkdownOracle;

namespace {

std::vector<MarkdownBlock> scan(const QString &text, bool finished = true)
{
    MarkdownBlocks blocks;
    blocks.update(text, finished);
    return blocks.blocks();
}

QString lineText(const QString &source, const MarkdownBlock &block, size_t line)
{
    const MarkdownBlock::Line &part = block.lines.at(line);
    return QString(part.pad, u' ') + source.mid(part.begin, part.end - part.begin);
}

QString tableText()
{
    QString text = u"Measured:\n\n| id | name | what | when | who | note |\n|---|:--|--:|:-:|---|---|\n"_s;
    for (int row = 1; row <= 60; ++row)
        text += u"| %1 | a\\|b | %2 | `x` | **y** | %3 |\n"_s.arg(row).arg(row * 7).arg(
            row == 30 ? QString(300, u'w') : u"fine"_s);
    return text + u"\nThat is all.\n"_s;
}

// Lines that may follow each other in any order.
const QStringList &pieces()
{
    static const QStringList list{
        u"words here"_s,
        u"more words"_s,
        u""_s,
        u""_s,
        u"# Head"_s,
        u"## Head two ##"_s,
        u"- item"_s,
        u"* star"_s,
        u"1. one"_s,
        u"2. two"_s,
        u"  - nested"_s,
        u"   continued"_s,
        u"> quoted"_s,
        u"> > twice"_s,
        u"> - inside"_s,
        u">"_s,
        u"```py"_s,
        u"```"_s,
        u"~~~"_s,
        u"    indented"_s,
        u"---"_s,
        u"***"_s,
        u"==="_s,
        u"- [x] did"_s,
        u"\tafter tab"_s,
        u"10) ten"_s,
        u"+ plus"_s,
        u"      deep"_s,
        u"-"_s,
        u"1986. A year"_s,
    };
    return list;
}

QString randomText(QRandomGenerator &random, int lines)
{
    QString text;
    for (int i = 0; i < lines; ++i) {
        const int kind = random.bounded(static_cast<int>(pieces().size()) + 2);
        if (kind < pieces().size())
            text += pieces().at(kind) + u'\n';
        else
            text += u"\n| a | b |\n|---|---|\n| c | d |\n\n"_s;
    }
    return text;
}

} // namespace

class TestMarkdownBlocks : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void kinds()
    {
        const QString text =
            u"# Title\n\nA *word*\nand more.\n\n> quote\n\n1. one\n2. two\n   - in two\n\n```c++ x\n"
            u"int a;\n\n```\n***\n| a | b |\n|---|--:|\n| 1 | 2 |\n"_s;
        const auto blocks = scan(text);
        const QStringList expected{u"h1 Title"_s, u"p Awordandmore"_s, u">p quote"_s, u"-p one"_s,
                                   u"-p two"_s,   u"--p intwo"_s,      u"c inta"_s,   u"r "_s,
                                   u"t2 ab12"_s};
        QCOMPARE(MarkdownOracle::ours(blocks, text), expected);
        QCOMPARE(MarkdownOracle::blocks(text), expected);
        QCOMPARE(blocks[3].number, 1);
        QCOMPARE(blocks[4].number, 2);
        QVERIFY(blocks[5].bullet);
        QCOMPARE(blocks[6].language, u"c++"_s);
        QCOMPARE(blocks[6].lines.size(), 2U);
        QVERIFY(blocks[8].columns.at(1) == MarkdownBlock::Align::Right);
    }

    void cases_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("lazy quote") << u"> a\nb\n\nc\n"_s;
        QTest::newRow("quote ends") << u"> a\n\nb\n"_s;
        QTest::newRow("list with a gap") << u"- a\n\n  b\n\nc\n"_s;
        QTest::newRow("code in a list") << u"- a\n\n  ```\n  x\n  ```\n- b\n"_s;
        QTest::newRow("code in a list that ends") << u"- ```\nx\n"_s;
        QTest::newRow("indented code with a gap") << u"    a\n\n    b\nc\n"_s;
        QTest::newRow("indented is not code in a paragraph") << u"a\n    b\n"_s;
        QTest::newRow("tabs") << u"-\ta\n\n\tb\n\n\t\tc\n"_s;
        QTest::newRow("underlined heads") << u"a\nb\n===\nc\n---\n"_s;
        QTest::newRow("rule or list") << u"- - -\n* * *\n- a\n***\n"_s;
        QTest::newRow("a year is no list") << u"It was\n1986. A year.\n"_s;
        QTest::newRow("numbers interrupt only from one") << u"a\n1. b\n"_s;
        QTest::newRow("empty items") << u"-\n- a\n-\n\n  b\n"_s;
        QTest::newRow("fence longer than its end") << u"````\n```\n````\na\n"_s;
        QTest::newRow("fence never closed") << u"a\n```\nb\n\n# c\n"_s;
        QTest::newRow("backticks in a line are no fence") << u"``` a ``` b\n"_s;
        QTest::newRow("nested quotes") << u"> > a\n> b\n\n> c\n"_s;
        QTest::newRow("list in a quote") << u"> 1. a\n> 2. b\n>\n>    c\n"_s;
        QTest::newRow("carriage returns") << u"# a\r\n\r\nb\r\n```\r\nc\r\n```\r\n"_s;
        QTest::newRow("table ends at an empty line") << u"| a | b |\n|---|---|\n| c |\n\n| d |\n"_s;
        QTest::newRow("table in a list") << u"- x\n\n  | a | b |\n  |---|---|\n  | c | d |\n"_s;
        QTest::newRow("marks without text") << u"#\n>\n-\n"_s;
        QTest::newRow("deep") << QString(QString(10, u'>') + u" a\n"_s);
    }
    void cases()
    {
        QFETCH(QString, text);
        QCOMPARE(MarkdownOracle::ours(scan(text), text), MarkdownOracle::blocks(text));
    }

    void agreesWithTheOracle()
    {
        QRandomGenerator random(7);
        int compared = 0;
        for (int i = 0; i < 3000; ++i) {
            QString text = randomText(random, 1 + random.bounded(9));
            // What is indented after an empty item and an empty line is code; the oracle takes it for words.
            text.replace(u"-\n\n\t"_s, u"-\n\n"_s).replace(u"-\n\n "_s, u"-\n\nx "_s);
            const QStringList theirs = MarkdownOracle::blocks(text);
            const QStringList mine = MarkdownOracle::ours(scan(text), text);
            if (mine != theirs)
                qInfo().noquote() << "differs for\n" << text << "\nmine  " << mine << "\ntheirs" << theirs;
            compared += mine == theirs ? 1 : 0;
        }
        QCOMPARE(compared, 3000);
    }

    // However the text comes: the same blocks as of the whole, and closed ones never change.
    void growsWithoutChangingWhatIsClosed()
    {
        QRandomGenerator random(11);
        for (int i = 0; i < 300; ++i) {
            const QString text = randomText(random, 12);
            MarkdownBlocks live;
            std::vector<MarkdownBlock> before;
            for (qsizetype at = 0; at < text.size();) {
                at = std::min<qsizetype>(text.size(), at + (i % 3 == 0 ? 1 : random.bounded(1, 30)));
                live.update(QStringView(text).left(at), false);
                const auto &now = live.blocks();
                QVERIFY(live.firstChanged() <= now.size());
                for (size_t block = 0; block < std::min(live.firstChanged(), before.size()); ++block)
                    QVERIFY(block < now.size() && now[block] == before[block]);
                before = now;
                QVERIFY(now == scan(text.left(at), false));
            }
            live.update(text, true);
            QVERIFY(live.blocks() == scan(text));
        }
    }

    // Marks that are still being written are not shown as text.
    void undecidedMarksWait_data()
    {
        QTest::addColumn<QString>("text");
        for (const QString &mark :
             {u"#"_s, u"##"_s, u"-"_s, u"- "_s, u"1"_s, u"12."_s, u"``"_s, u"```"_s, u"**"_s, u">"_s, u"|"_s})
            QTest::newRow(qPrintable(mark)) << mark;
    }
    void undecidedMarksWait()
    {
        QFETCH(QString, text);
        QVERIFY(scan(text, false).empty());
        QCOMPARE(scan(u"a\n"_s + text, false).size(), 1U);
        QCOMPARE(scan(u"a\n"_s + text, false).front().lines.size(), 1U);
    }

    void aTableIsATableInEveryFrame()
    {
        const QString text = tableText();
        const qsizetype separator = text.indexOf(u"|---"_s);
        MarkdownBlocks live;
        size_t rows = 0;
        for (qsizetype at = 1; at <= text.size(); ++at) {
            live.update(QStringView(text).left(at), false);
            if (at < separator + 2)
                continue;
            int tables = 0;
            for (const MarkdownBlock &block : live.blocks())
                tables += block.kind == Kind::Table ? 1 : 0;
            QCOMPARE(tables, 1);
            QVERIFY(live.blocks().size() <= 3);
            QVERIFY(live.blocks().at(1).kind == Kind::Table);
            QCOMPARE(live.blocks().at(1).columns.size(), 6U);
            QVERIFY(live.blocks().at(1).lines.size() >= rows);
            rows = live.blocks().at(1).lines.size();
        }
        QCOMPARE(rows, 61U);
        live.update(text, true);
        QVERIFY(live.blocks() == scan(text));
    }

    void cellsSplitAtPipesThatAreNotEscaped()
    {
        const QString line = u"|  a | b\\|c |  | `d` "_s;
        QStringList cells;
        for (const auto &[begin, end] : markdownCells(line))
            cells.append(line.mid(begin, end - begin));
        QCOMPARE(cells, (QStringList{u"a"_s, u"b\\|c"_s, QString(), u"`d`"_s}));
    }

    void aTableMayFollowItsSentence()
    {
        const QString text = u"The sums:\n| a | b |\n|---|---|\n| c | d |\n"_s;
        const auto blocks = scan(text);
        QCOMPARE(blocks.size(), 2U);
        QVERIFY(blocks[0].kind == Kind::Paragraph && blocks[1].kind == Kind::Table);
        QCOMPARE(blocks[0].end, blocks[1].begin);
        QCOMPARE(lineText(text, blocks[1], 1), u"| c | d |"_s);
    }

    void plainKnowsOnlyFences()
    {
        MarkdownBlocks blocks(MarkdownBlocks::Dialect::Plain);
        const QString text = u"# not a head\n- not a list\n    nor code\n\n```\ncode\n```\n"_s;
        blocks.update(text, true);
        QCOMPARE(blocks.blocks().size(), 2U);
        QCOMPARE(blocks.blocks()[0].lines.size(), 3U);
        QVERIFY(blocks.blocks()[1].kind == Kind::Code);
    }

    // Nothing a model sends makes it slow: each of these has half a million characters.
    void hostileTextIsLinear_data()
    {
        QTest::addColumn<QString>("text");
        constexpr int Size = 500'000;
        QTest::newRow("quotes") << QString(Size, u'>');
        QTest::newRow("quotes in lines") << QString(u"> a\n"_s).repeated(Size / 4);
        QTest::newRow("items in one line") << QString(u"- "_s).repeated(Size / 2);
        QTest::newRow("pipes") << QString(u"|"_s).repeated(Size);
        QTest::newRow("backticks") << QString(Size, u'`');
        QTest::newRow("empty lines") << QString(Size, u'\n');
        QTest::newRow("tabs") << QString(Size, u'\t');
        QTest::newRow("nested items") << QString(u"- a\n  - b\n    - c\n"_s).repeated(Size / 18);
        QTest::newRow("open fence") << QString(u"```\n"_s + QString(u"x = 1\n"_s).repeated(Size / 6));
    }
    void hostileTextIsLinear()
    {
        QFETCH(QString, text);
        QElapsedTimer timer;
        timer.start();
        MarkdownBlocks blocks;
        for (qsizetype at = 0; at < text.size(); at += 10'000)
            blocks.update(QStringView(text).left(std::min(text.size(), at + 10'000)), false);
        blocks.update(text, true);
        qInfo("%lld ms, %zu blocks", timer.elapsed(), blocks.blocks().size());
        QVERIFY(timer.elapsed() < 3000);
    }
};

QTEST_MAIN(TestMarkdownBlocks)
#include "tst_markdownblocks.moc"
