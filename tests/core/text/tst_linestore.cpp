// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/linestore.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Channel = LineStore::Channel;

namespace {

// A store with the bytes it must not keep.
struct Fixture {
    LineStore store;
    QByteArray bytes[2];

    void append(Channel channel, const QByteArray &piece)
    {
        store.append(channel, piece);
        bytes[int(channel)] += piece;
    }
    void out(const QByteArray &piece) { append(Channel::Stdout, piece); }
    void err(const QByteArray &piece) { append(Channel::Stderr, piece); }

    [[nodiscard]] LineStore::Row row(qint64 row) const
    {
        const LineStore::Block block = store.blockOf(row);
        if (row < block.firstRow || row >= block.firstRow + block.rows)
            qFatal("row %lld is not in its block", static_cast<long long>(row));
        const std::vector<LineStore::Row> rows = LineStore::decode(
            block, QByteArrayView(bytes[int(block.channel)]).sliced(block.offset, block.length));
        if (qint64(rows.size()) != block.rows)
            qFatal("a block of %lld rows gave %d", static_cast<long long>(block.rows), int(rows.size()));
        return rows[size_t(row - block.firstRow)];
    }
    [[nodiscard]] QString text(qint64 at) const
    {
        QString out;
        for (const AnsiSpan &span : row(at).spans)
            out += span.text;
        return out;
    }
    [[nodiscard]] QStringList all() const
    {
        QStringList out;
        for (qint64 i = 0; i < store.rowCount(); ++i) {
            const LineStore::Row line = row(i);
            const QString mark = line.channel == Channel::Stderr ? u"!"_s : QString();
            out.append(line.kind == LineStore::Block::Kind::Gap
                           ? QString(u"["_s + QString::number(line.hiddenBytes) + u']')
                           : QString(mark + text(i)));
        }
        return out;
    }
};

} // namespace

class TestLineStore : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void linesInOrder()
    {
        Fixture f;
        QCOMPARE(f.store.rowCount(), 0);
        f.out("one\ntw");
        QCOMPARE(f.store.rowCount(), 2);
        QCOMPARE(f.store.firstOpenRow(), 1);
        f.out("o\n\nthree");
        QCOMPARE(f.all(), (QStringList{u"one"_s, u"two"_s, QString(), u"three"_s}));
        QCOMPARE(f.row(3).line, 4);
        f.out("\n");
        QCOMPARE(f.store.rowCount(), 4);
        QCOMPARE(f.store.firstOpenRow(), 4);
        QCOMPARE(f.store.byteCount(), 15);
    }

    void theTwoStreamsKeepTheirOrder()
    {
        Fixture f;
        f.out("collected 3\n1 failed, 2 pas");
        f.err("warning\n");
        f.out("sed\nmore\n");
        f.err("a");
        f.err("b\n");
        QCOMPARE(f.all(),
                 (QStringList{u"collected 3"_s, u"1 failed, 2 pas"_s, u"!warning"_s, u"sed"_s, u"more"_s,
                              u"!ab"_s}));
        const auto order = f.store.arrivalOrder();
        QCOMPARE(order.size(), size_t(4));
        QCOMPARE(order[2].offset, 27);
        QCOMPARE(order[2].length, 9);
        QByteArray joined;
        for (const LineStore::Range &range : order)
            joined += f.bytes[int(range.channel)].mid(range.offset, range.length);
        QCOMPARE(joined,
                 QByteArray("collected 3\n1 failed, 2 passed\nmore\n").insert(27, "warning\n") + "ab\n");
    }

    // Each stream has its own colours, and a character that is cut by the other stream is whole afterwards.
    void eachStreamHasItsOwnState()
    {
        Fixture f;
        f.out("\x1b[31mred \xe2\x82");
        f.err("plain\n");
        f.out("\xac\x1b[3");
        f.err("still\n");
        f.out("2mgreen\n");
        QCOMPARE(f.all(), (QStringList{u"red "_s, u"!plain"_s, u"\u20ac"_s, u"!still"_s, u"green"_s}));
        QCOMPARE(f.row(0).spans.front().style.foreground, 1);
        QCOMPARE(f.row(1).spans.front().style.foreground, AnsiStyle::Default);
        QCOMPARE(f.row(2).spans.front().style.foreground, 1);
        QCOMPARE(f.row(4).spans.front().style.foreground, 2);
    }

    void aCutCharacterAtTheEndIsShownWhenNothingMoreComes()
    {
        Fixture f;
        f.out("ab\xe2\x82");
        QCOMPARE(f.text(0), u"ab"_s);
        f.store.finish();
        QCOMPARE(f.text(0), u"ab\\xe2\\x82"_s);
    }

    void piecesMakeNoDifference()
    {
        QRandomGenerator random(7);
        QByteArray bytes;
        const QList<QByteArray> parts = {"\x1b[31m", "\x1b[0m", "\n",   "\r",
                                         "text ",    "\u6f22",  "\xff", "\x1b]0;t\x07",
                                         "e\u0301",  "\t",      "\b",   QByteArray(300, 'x')};
        while (bytes.size() < 60'000)
            bytes += parts[random.bounded(int(parts.size()))];
        Fixture whole;
        whole.out(bytes);
        Fixture pieces;
        for (qsizetype at = 0; at < bytes.size();) {
            const qsizetype size = std::min<qsizetype>(1 + random.bounded(200), bytes.size() - at);
            pieces.out(bytes.mid(at, size));
            at += size;
        }
        QCOMPARE(pieces.store.rowCount(), bytes.count('\n') + 1);
        QCOMPARE(pieces.all(), whole.all());
    }

    void anEndlessLineShowsHeadAndTail()
    {
        Fixture f;
        f.out("first\n");
        QByteArray line = "HEAD ";
        while (line.size() < 200'000)
            line += "\u6f22\xf0\x9f\x98\x80zz";
        line += " TAIL";
        for (qsizetype at = 0; at < line.size(); at += 7777)
            f.out(line.mid(at, 7777));
        QCOMPARE(f.store.rowCount(), 4);
        QCOMPARE(f.store.lineCount(), 2);
        QCOMPARE(f.store.firstOpenRow(), 1);
        f.out("\nlast\n");
        QCOMPARE(f.store.rowCount(), 5);
        QCOMPARE(f.store.lineCount(), 3);
        QVERIFY(f.text(1).startsWith("HEAD "_L1));
        QVERIFY(f.text(3).endsWith(" TAIL"_L1));
        QVERIFY(!f.text(1).contains(u"\\x"_s));
        QVERIFY(!f.text(3).contains(u"\\x"_s));
        QCOMPARE(f.row(2).kind, LineStore::Block::Kind::Gap);
        // What is shown and what is hidden is all there is.
        const qint64 shown = f.text(1).toUtf8().size() + f.text(3).toUtf8().size();
        QCOMPARE(f.row(2).hiddenBytes + shown, line.size());
        QCOMPARE(f.store.hiddenBytes(), f.row(2).hiddenBytes);
        QVERIFY(shown < 3 * LineStore::LongestWhole);
        QCOMPARE(f.text(4), u"last"_s);
        QCOMPARE(f.row(3).line, 2);
        QCOMPARE(f.row(4).line, 3);
    }

    void coloursGoOnBehindTheGap()
    {
        Fixture f;
        f.out("\x1b[31m" + QByteArray(100'000, 'a') + "\x1b[32m" + QByteArray(100'000, 'b') + "\nc\n");
        QCOMPARE(f.row(0).spans.front().style.foreground, 1);
        QCOMPARE(f.row(2).spans.front().style.foreground, 2);
        QCOMPARE(f.row(3).spans.front().style.foreground, 2);
    }

    void progressWrittenOverAndOverIsOneRow()
    {
        Fixture f;
        QByteArray bytes;
        for (int i = 0; i <= 20'000; ++i)
            bytes += "\r\x1b[32m" + QByteArray::number(i).rightJustified(5) + "\x1b[0m of 20000";
        for (qsizetype at = 0; at < bytes.size(); at += 10'000)
            f.out(bytes.mid(at, 10'000));
        QCOMPARE(f.store.rowCount(), 1);
        QCOMPARE(f.text(0), u"20000 of 20000"_s);
        QCOMPARE(f.store.hiddenBytes(), 0);
        f.out("\ndone\n");
        QCOMPARE(f.all(), (QStringList{u"20000 of 20000"_s, u"done"_s}));
        QVERIFY(f.store.blockOf(0).length < 3 * LineStore::LongestWhole);
    }

    // Also where nothing shows: only colours change, for megabytes.
    void blocksAreBounded_data()
    {
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("colours") << QByteArray("\x1b[31m");
        QTest::newRow("strings") << QByteArray("\x1b]0;title\x07");
        QTest::newRow("returns") << QByteArray("\r");
        QTest::newRow("line feeds") << QByteArray("\n");
        QTest::newRow("text") << QByteArray("abc");
        QTest::newRow("short lines") << QByteArray("ab\x1b[1mc\n");
        QTest::newRow("long lines") << QByteArray(QByteArray(30'000, 'x') + '\n');
        QTest::newRow("invalid") << QByteArray("\x80");
        QTest::newRow("cut") << QByteArray("\xf0\x9f");
    }
    void blocksAreBounded()
    {
        QFETCH(QByteArray, part);
        Fixture f;
        const QByteArray bytes = part.repeated(3'000'000 / part.size());
        for (qsizetype at = 0; at < bytes.size(); at += 65'537)
            f.out(bytes.mid(at, 65'537));
        QVERIFY(f.store.memoryBytes() < 4'000'000);
        QRandomGenerator random(3);
        for (int i = 0; i < 50; ++i) {
            const qint64 row = random.bounded(f.store.rowCount());
            QVERIFY(f.store.blockOf(row).length < 128 * 1024);
            QCOMPARE(f.row(row).channel, Channel::Stdout);
        }
        QCOMPARE(f.row(f.store.rowCount() - 1).channel, Channel::Stdout);
    }

    void millionsOfLinesNeedLittle()
    {
        LineStore store;
        QByteArray chunk;
        for (int i = 0; i < 50'000; ++i)
            chunk += "a line of output, number " + QByteArray::number(i) + "\n";
        QElapsedTimer timer;
        timer.start();
        qint64 slowest = 0;
        for (int i = 0; i < 60; ++i) { // Three million lines.
            const qint64 before = timer.nsecsElapsed();
            store.append(Channel::Stdout, chunk);
            slowest = std::max(slowest, timer.nsecsElapsed() - before);
        }
        qInfo("%.0f MB in %lld ms, slowest %.1f ms, index %.1f MB", double(store.byteCount()) / 1e6,
              static_cast<long long>(timer.elapsed()), double(slowest) / 1e6,
              double(store.memoryBytes()) / 1e6);
        QCOMPARE(store.rowCount(), 3'000'000);
        QVERIFY(store.memoryBytes() < 8'000'000);
        const LineStore::Block block = store.blockOf(1'234'567);
        QVERIFY(block.length < 128 * 1024);
        const QByteArray at = chunk.repeated(2).mid(block.offset % chunk.size(), block.length);
        const auto rows = LineStore::decode(block, at);
        QCOMPARE(rows[size_t(1'234'567 - block.firstRow)].spans.front().text,
                 u"a line of output, number 34567"_s);
        QCOMPARE(rows[size_t(1'234'567 - block.firstRow)].line, 1'234'568);
    }

    void alternatingStreamsAreBounded()
    {
        Fixture f;
        const int times = int(LineStore::MostRuns) * 2;
        QByteArray arrived;
        for (int i = 0; i < times; ++i) {
            f.append(i % 2 == 0 ? Channel::Stdout : Channel::Stderr, "x\n");
        }
        f.store.finish();
        QCOMPARE(f.store.byteCount(), 2 * times);
        QCOMPARE(f.store.rowCount(), times);
        QVERIFY(f.store.memoryBytes() < 24'000'000);
        QCOMPARE(f.text(times - 1), u"x"_s);
        qint64 sum = 0;
        for (const LineStore::Range &range : f.store.arrivalOrder())
            sum += range.length;
        QCOMPARE(sum, 2 * times);
    }

    void whatIsNotThereYetIsLeftOut()
    {
        Fixture f;
        f.out("one\ntwo\nthree\n");
        const LineStore::Block block = f.store.blockOf(0);
        QCOMPARE(LineStore::decode(block, QByteArrayView("one\ntw")).size(), size_t(2));
        QVERIFY(LineStore::decode(block, {}).empty());
    }
};

QTEST_GUILESS_MAIN(TestLineStore)
#include "tst_linestore.moc"
