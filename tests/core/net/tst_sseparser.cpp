// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/sseparser.h"
#include "support/testmain.h"

#include <QTest>

#include <ctime>
#include <limits>

using namespace Pilothouse;

namespace {

// Events as one text: name|data, an exclamation mark before faults.
QByteArray shown(const QList<SseEvent> &events)
{
    QByteArray text;
    for (const SseEvent &event : events) {
        text += event.isErrorField ? "!" : "";
        text += event.name;
        text += '|';
        text += event.data;
        text += ";";
    }
    return text;
}

QByteArray parsed(const QByteArray &stream, qsizetype firstCut, qsizetype packet)
{
    SseParser parser;
    QList<SseEvent> events = parser.feed(QByteArrayView(stream).first(firstCut));
    for (qsizetype at = firstCut; at < stream.size(); at += packet)
        events += parser.feed(QByteArrayView(stream).sliced(at, qMin(packet, stream.size() - at)));
    events += parser.finish();
    return shown(events);
}

} // namespace

class TestSseParser : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void grammar_data()
    {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QByteArray>("events");
        const auto row = [](const char *name, const QByteArray &stream, const QByteArray &events) {
            QTest::newRow(name) << stream << events;
        };
        row("LF", "event: a\ndata: 1\n\ndata: 2\n\n", "a|1;|2;");
        row("CRLF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", "a|1;|2;");
        row("CR", "event: a\rdata: 1\r\rdata: 2\r\r", "a|1;|2;");
        row("mixed ends", "event: a\rdata: 1\n\r\ndata: 2\r\n\rdata: 3\n\n", "a|1;|2;|3;");
        row("LF CR is two ends", "data: 1\n\rdata: 2\r\n\n", "|1;|2;");
        row("byte order mark",
            "\xEF\xBB\xBF"
            "data: 1\n\n",
            "|1;");
        row("only one mark is skipped",
            "\xEF\xBB\xBF\xEF\xBB\xBF"
            "data: 1\n\ndata: 2\n\n",
            "|2;");
        row("half a mark is data of a field nobody knows",
            "\xEF\xBB"
            "data: 1\n\ndata: 2\n\n",
            "|2;");
        row("several data lines", "data: {\ndata:  \"a\"\ndata: }\n\n", "|{\n \"a\"\n};");
        row("no space", "event:b\ndata:{}\n\n", "b|{};");
        row("two spaces", "data:  x\n\n", "| x;");
        row("comments and strange fields", ": hi\n:\nid: 7\nretry: 3\nfoo: bar\nwhatever\ndata: 1\n\n",
            "|1;");
        row("data without a colon is an empty line", "data\ndata\n\n", "|\n;");
        row("empty data is an event", "data:\n\n", "|;");
        row("a name without data is no event, and is forgotten", "event: a\n\ndata: 1\n\n", "|1;");
        row("blank lines", "\n\n\ndata: 1\n\n\n\n", "|1;");
        row("the last name counts", "event: a\nevent: b\ndata: 1\n\n", "b|1;");
        row("not UTF-8", "data: a\xFFz\n\n", "|a\xEF\xBF\xBDz;");
        row("a character of four bytes", "data: \xF0\x9F\x9A\x80\n\n", "|\xF0\x9F\x9A\x80;");
        row("separators that are no line ends", "data: a\xE2\x80\xA8\xC2\x85z\n\n",
            "|a\xE2\x80\xA8\xC2\x85z;");
        row("zero bytes", QByteArray("data: a\0z\n\n", 11), QByteArray("|a\0z;", 5));
        row("end without blank line", "data: {\"a\":1}\n", "|{\"a\":1};");
        row("end without line end", "event: x\ndata: {\"a\":1}", "x|{\"a\":1};");
        row("end in CR", "data: [DONE]\r", "|[DONE];");
        row("cut JSON is dropped", "data: 1\n\ndata: {\"a\":1", "|1;");
        row("a cut number is dropped", "data: 12", "");
        row("error field", "data: 1\n\nerror: {\"code\":5}\n\ndata: 2\n\n", "|1;!|{\"code\":5};|2;");
        row("error field that is no JSON", "error: oops\n\ndata: 1\n\n", "|1;");
        row("bare fault", "data: 1\n\n{\n \"error\": {\"code\": 3}\n}\n\n",
            "|1;!|{\n \"error\": {\"code\": 3}\n}\n;");
        row("bare fault at the end", "[{\"error\":{}}]", "!|[{\"error\":{}}]\n;");
        row("bare JSON that is no fault", "{\"a\":1}\n\ndata: 1\n\n", "|1;");
        row("nothing", "", "");
    }
    void grammar()
    {
        QFETCH(QByteArray, stream);
        QFETCH(QByteArray, events);
        QCOMPARE(parsed(stream, stream.size(), 1), events);
        for (qsizetype cut = 0; cut <= stream.size(); ++cut) {
            QCOMPARE(parsed(stream, cut, stream.size()), events); // every split in two
            QCOMPARE(parsed(stream, cut, 1), events);
            QCOMPARE(parsed(stream, cut, 3), events);
        }
    }

    void anEventComesWithItsBlankLine()
    {
        SseParser parser;
        QVERIFY(parser.feed("data: 1\r").isEmpty());
        QCOMPARE(shown(parser.feed("\r")), QByteArray("|1;"));
        QVERIFY(parser.feed("\ndata: 2\n").isEmpty());
        QCOMPARE(shown(parser.feed("\n")), QByteArray("|2;"));
    }

    void largeEventInSmallPacketsIsLinear()
    {
        static constexpr qsizetype Packet = 1460;
        const auto cost = [](qsizetype size) {
            const QByteArray stream = "data: \"" + QByteArray(size, 'x') + "\"\n\n";
            std::clock_t best = std::numeric_limits<std::clock_t>::max();
            for (int round = 0; round < 5; ++round) {
                const std::clock_t start = std::clock();
                SseParser parser;
                qsizetype got = 0;
                for (qsizetype at = 0; at < stream.size(); at += Packet) {
                    for (const SseEvent &event :
                         parser.feed(QByteArrayView(stream).sliced(at, qMin(Packet, stream.size() - at))))
                        got += event.data.size();
                }
                if (got != size + 2)
                    qFatal("event lost");
                best = qMin(best, std::clock() - start);
            }
            return best;
        };
        const std::clock_t small = cost(512 * 1024);
        const std::clock_t large = cost(5 * 1024 * 1024);
        // Time of this process only. Quadratic cost would be a hundred times; forty leaves room for caches
        // and memory.
        QVERIFY2(large < qMax<std::clock_t>(small, 100) * 40,
                 qPrintable(QString::number(large) + u'/' + QString::number(small)));
    }

    void manyLinesInOnePacketAreLinear()
    {
        // Without a single CR, a search for one from every line would be quadratic.
        const auto cost = [](int lines) {
            const QByteArray stream = QByteArray("data: 1\n\n").repeated(lines);
            std::clock_t best = std::numeric_limits<std::clock_t>::max();
            for (int round = 0; round < 5; ++round) {
                const std::clock_t start = std::clock();
                SseParser parser;
                if (parser.feed(stream).size() != lines)
                    qFatal("events lost");
                best = qMin(best, std::clock() - start);
            }
            return best;
        };
        const std::clock_t small = cost(10'000);
        const std::clock_t large = cost(100'000);
        QVERIFY2(large < qMax<std::clock_t>(small, 100) * 40,
                 qPrintable(QString::number(large) + u'/' + QString::number(small)));
    }

    void overflow()
    {
        SseParser parser;
        const QByteArray piece(8 * 1024 * 1024, 'x');
        QVERIFY(parser.feed("data: ").isEmpty());
        for (qsizetype sent = 0; sent <= SseParser::LargestEvent; sent += piece.size())
            QVERIFY(parser.feed(piece).isEmpty());
        QVERIFY(parser.overflowed());
        QVERIFY(parser.feed("\n\ndata: 1\n\n").isEmpty());
        QVERIFY(parser.finish().isEmpty());
    }

    void overflowByManyLines()
    {
        SseParser parser;
        const QByteArray line = "data: " + QByteArray(1024 * 1024, 'x') + "\n";
        for (int i = 0; i < 70; ++i)
            QVERIFY(parser.feed(line).isEmpty());
        QVERIFY(parser.overflowed());
    }
};

QTEST_GUILESS_MAIN(TestSseParser)
#include "tst_sseparser.moc"
