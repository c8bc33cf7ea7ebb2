// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "fixture.h"
#include "model/chatreader.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Category = ApiError::Category;
using Type = StreamEvent::Type;

namespace {

constexpr int LeastFixtures = 33; // A lost file must not look like a pass.

QByteArray data(const QByteArray &json) { return "data: " + json + "\n\n"; }

QByteArray chunk(const QByteArray &delta, const QByteArray &finish = "null")
{
    return data("{\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{" + delta
                + "},\"finish_reason\":" + finish + "}]}");
}

QByteArray calls(const QByteArray &entries) { return chunk("\"tool_calls\":[" + entries + "]"); }

QByteArray entry(const QByteArray &head, const QByteArray &name, const QByteArray &arguments)
{
    return "{" + head + "\"function\":{"
        + (name.isEmpty() ? QByteArray() : QByteArray("\"name\":\"" + name + "\",")) + "\"arguments\":\""
        + arguments + "\"}}";
}

const QByteArray DoneMarker = "data: [DONE]\n\n";

QList<StreamEvent> readStream(const QByteArray &body)
{
    AnswerHead head;
    head.contentType = "text/event-stream";
    ChatReader reader;
    return Tests::read(reader, head, {body});
}

QString textOf(const QList<StreamEvent> &events, Type type)
{
    QString text;
    for (const StreamEvent &event : events) {
        if (event.type == type)
            text += event.text;
    }
    return text;
}

// "name(args) name(args)" of all calls.
QString callsOf(const QList<StreamEvent> &events)
{
    QStringList found;
    for (const StreamEvent &event : events) {
        if (event.type == Type::ToolCall)
            found.append(u"%1(%2)"_s.arg(event.name, QString::fromUtf8(event.args)));
    }
    return found.join(u' ');
}

} // namespace

class TestChatReader : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void fixtures_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList names = fixtureNames(u"chat-"_s);
        QVERIFY(names.size() >= LeastFixtures);
        for (const QString &name : names)
            QTest::newRow(qPrintable(name)) << name;
    }
    void fixtures()
    {
        QFETCH(QString, name);
        const QString wrong = fixtureComplaint(name, [] { return std::make_unique<ChatReader>(); });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void madeUpIdsAreTheSameInTheReplay()
    {
        const auto events =
            readStream(calls(entry("", "f", "{}") + "," + entry("", "g", "{}")) + chunk("", "\"stop\""));
        QStringList ids;
        for (const StreamEvent &event : events) {
            if (event.type == Type::ToolCall)
                ids.append(event.id);
        }
        QCOMPARE(ids.size(), 2);
        QVERIFY(ids[0] != ids[1]);
        const Json sent = parseJson(events.last().replay).value()[u"tool_calls"];
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(ids[i].size(), 9);
            QCOMPARE(sent.at(i)[u"id"].toString(), ids[i]);
        }
    }

    void assembling_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("calls");
        const auto row = [](const char *name, const QByteArray &body, const QString &expected) {
            QTest::newRow(name) << body << expected;
        };
        const QByteArray a = "\"index\":0,\"id\":\"a\",";
        const QByteArray b = "\"index\":0,\"id\":\"b\",";
        row("pieces by index",
            calls(entry(a, "f", "")) + calls(entry("\"index\":0,", "", "{\\\"x\\\""))
                + calls(entry("\"index\":0,", "", ":1}")),
            u"f({\"x\":1})"_s);
        row("the id comes late",
            calls(entry("\"index\":3,", "f", "{")) + calls(entry("\"index\":3,\"id\":\"z\",", "", "}")),
            u"f({})"_s);
        row("ids take turns at one index",
            calls(entry(a, "f", "{")) + calls(entry(b, "g", "{")) + calls(entry(a, "", "}"))
                + calls(entry(b, "", "}")),
            u"f({}) g({})"_s);
        row("the same index, a name and no id",
            calls(entry("\"index\":0,", "f", "{}")) + calls(entry("\"index\":0,", "g", "{}")),
            u"f({}) g({})"_s);
        row("the name on every piece",
            calls(entry("\"index\":0,", "f", "{\\\"x\\\":\\\"}\\\""))
                + calls(entry("\"index\":0,", "f", "}")),
            u"f({\"x\":\"}\"})"_s);
        row("only ids", calls(entry("\"id\":\"a\",", "f", "{")) + calls(entry("\"id\":\"a\",", "", "}")),
            u"f({})"_s);
        row("neither, the same name twice", calls(entry("", "f", "{}")) + calls(entry("", "f", "{}")),
            u"f({}) f({})"_s);
        row("neither, another name", calls(entry("", "f", "")) + calls(entry("", "g", "{}")),
            u"f({}) g({})"_s);
        row("a call without a name", calls(entry(a, "", "{}")), {});
        row("null everywhere", calls("{\"index\":null,\"id\":null,\"function\":null}"), {});
    }
    void assembling()
    {
        QFETCH(QByteArray, body);
        QFETCH(QString, calls);
        QCOMPARE(callsOf(readStream(body + chunk("", "\"tool_calls\"") + DoneMarker)), calls);
        // Neither an end nor a finish reason: none is given out.
        QCOMPARE(callsOf(readStream(body)), QString());
    }

    void twoCallsWithOneId()
    {
        const auto events = readStream(calls(entry("\"index\":0,\"id\":\"a\",", "f", "{}") + ","
                                             + entry("\"index\":1,\"id\":\"a\",", "g", "{}"))
                                       + DoneMarker);
        const Json sent = parseJson(events.last().replay).value()[u"tool_calls"];
        QCOMPARE(sent.at(0)[u"id"].toString(), u"a"_s);
        QVERIFY(sent.at(1)[u"id"].toString() != u"a"_s);
    }

    void ends_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("end");
        const auto row = [](const char *name, const QByteArray &body, const QString &end) {
            QTest::newRow(name) << body << end;
        };
        const QByteArray text = chunk("\"content\":\"a\"");
        row("done without a reason", text + DoneMarker, u"end_turn"_s);
        row("a reason without done", text + chunk("", "\"stop\""), u"end_turn"_s);
        row("neither", text, u"truncated"_s);
        row("a new word", text + chunk("", "\"eos\"") + DoneMarker, u"unknown"_s);
        row("a tool word without calls", text + chunk("", "\"tool_calls\"") + DoneMarker, u"end_turn"_s);
        row("a new word with calls", calls(entry("", "f", "")) + chunk("", "\"eos\""), u"tool_use"_s);
        row("an error word", text + chunk("", "\"error\""), u"server"_s);
        row("an error as text", text + data("{\"error\":\"it broke\"}"), u"server"_s);
        row("an error object", data("{\"object\":\"error\",\"code\":503,\"message\":\"loading\"}"),
            u"overloaded"_s);
        row("quota", data("{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"m\"}}"), u"billing"_s);
        row("no JSON", text + "data: {\n\n", u"protocol"_s);
    }
    void ends()
    {
        QFETCH(QByteArray, body);
        QFETCH(QString, end);
        const StreamEvent last = readStream(body).last();
        QCOMPARE(last.type == Type::Stop ? stopReasonName(last.reason) : categoryName(last.error.category),
                 end);
    }

    void aCutAnswerWithoutItsCalls()
    {
        const auto events =
            readStream(chunk("\"reasoning\":\"hm\"") + chunk("\"content\":\"a\"")
                       + calls(entry("\"id\":\"x\",", "f", "{}")) + chunk("", "\"length\"") + DoneMarker);
        QCOMPARE(events.last().reason, StopReason::MaxTokens);
        QVERIFY(events.last().replay.contains("tool_calls"));
        QCOMPARE(events.last().replayWithoutCalls,
                 QByteArray("{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"hm\"}"));
        QVERIFY(readStream(chunk("\"reasoning\":\"hm\"") + chunk("", "\"length\""))
                    .last()
                    .replayWithoutCalls.isEmpty());
    }

    void reasoningDetailsAreJoined()
    {
        const auto detail = [](const QByteArray &members) {
            return chunk("\"reasoning_details\":[{" + members + "}]");
        };
        const auto events =
            readStream(detail("\"type\":\"reasoning.text\",\"index\":0,\"text\":\"a\",\"signature\":null")
                       + detail("\"type\":\"reasoning.text\",\"index\":0,\"text\":\"b\",\"signature\":\"S\"")
                       + detail("\"type\":\"reasoning.encrypted\",\"index\":1,\"data\":\"D\"")
                       + chunk("\"content\":\"x\"", "\"stop\""));
        QCOMPARE(parseJson(events.last().replay).value()[u"reasoning_details"].toJson(),
                 QByteArray("[{\"type\":\"reasoning.text\",\"index\":0,\"text\":\"ab\",\"signature\":\"S\"},{"
                            "\"type\":\"reasoning.encrypted\",\"index\":1,\"data\":\"D\"}]"));
    }

    void thinkTags_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("thinking");
        QTest::addColumn<QString>("answer");
        QTest::newRow("a block") << u"<think>hm</think>\n\nyes"_s << u"hm"_s << u"yes"_s;
        QTest::newRow("space before") << u"\n <think>hm</think>yes"_s << u"hm"_s << u"yes"_s;
        QTest::newRow("not closed") << u"<think>hm</thin"_s << u"hm</thin"_s << u""_s;
        QTest::newRow("not at the start") << u"a <think>hm</think>"_s << u""_s << u"a <think>hm</think>"_s;
        QTest::newRow("another tag") << u"<thing>"_s << u""_s << u"<thing>"_s;
        QTest::newRow("cut") << u"<thi"_s << u""_s << u"<thi"_s;
        QTest::newRow("twice") << u"<think>a</think>b<think>c"_s << u"a"_s << u"b<think>c"_s;
    }
    void thinkTags()
    {
        QFETCH(QString, text);
        QFETCH(QString, thinking);
        QFETCH(QString, answer);
        for (const qsizetype size : {qsizetype(1), qsizetype(3), text.size()}) {
            QByteArray body;
            for (qsizetype from = 0; from < text.size(); from += size) {
                QByteArray piece;
                appendJsonString(piece, text.mid(from, size));
                body += chunk("\"content\":" + piece);
            }
            const auto events = readStream(body + DoneMarker);
            QCOMPARE(textOf(events, Type::ThinkingDelta), thinking);
            QCOMPARE(textOf(events, Type::TextDelta), answer);
            QCOMPARE(parseJson(events.last().replay).value()[u"content"].toString(), text);
        }
    }

    void whatIsOpenAfterTheReason()
    {
        AnswerHead head;
        head.contentType = "text/event-stream";
        ChatReader reader;
        reader.begin(head);
        (void)reader.feed(chunk("\"content\":\"a\""));
        QVERIFY(!reader.mayFinish());
        (void)reader.feed(chunk("", "\"stop\""));
        QVERIFY(reader.mayFinish() && !reader.isFinished());
        (void)reader.feed(DoneMarker);
        QVERIFY(!reader.mayFinish() && reader.isFinished());
    }

    void bounds()
    {
        const QByteArray piece(1024 * 1024, 'x');
        QByteArray body;
        for (int i = 0; i < 9; ++i)
            body += chunk("\"content\":\"" + piece + "\"");
        QCOMPARE(readStream(body + DoneMarker).last().error.category, Category::Protocol);
        body.clear();
        for (qsizetype i = 0; i <= AnswerFold::MostParts; ++i)
            body += calls(entry("\"id\":\"" + QByteArray::number(i) + "\",", "f", ""));
        QCOMPARE(readStream(body + DoneMarker).last().error.category, Category::Protocol);
    }
};

QTEST_GUILESS_MAIN(TestChatReader)
#include "tst_chatreader.moc"
