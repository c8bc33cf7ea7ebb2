// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "fixture.h"
#include "model/responsesreader.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Category = ApiError::Category;
using Type = StreamEvent::Type;

namespace {

constexpr int ResponsesFixtures = 17; // A lost file must not look like a pass.

const QByteArray Created =
    "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"model\":\"m\"}}\n\n";

QByteArray data(const QByteArray &json) { return "data: " + json + "\n\n"; }

QByteArray added(int index, const QByteArray &item)
{
    return data("{\"type\":\"response.output_item.added\",\"output_index\":" + QByteArray::number(index)
                + ",\"item\":" + item + "}");
}

QByteArray done(int index, const QByteArray &item)
{
    return data("{\"type\":\"response.output_item.done\",\"output_index\":" + QByteArray::number(index)
                + ",\"item\":" + item + "}");
}

QByteArray closed(const QByteArray &members = "\"status\":\"completed\",\"output\":[]")
{
    return data("{\"type\":\"response.completed\",\"response\":{" + members + "}}");
}

QByteArray delta(const QByteArray &kind, const QByteArray &members)
{
    return data("{\"type\":\"response." + kind + ".delta\"," + members + "}");
}

QByteArray reasoning(const QByteArray &id)
{
    return "{\"type\":\"reasoning\",\"id\":\"" + id + "\",\"summary\":[],\"encrypted_content\":\"E\"}";
}

QByteArray call(const QByteArray &id, const QByteArray &arguments = "\"{}\"")
{
    return "{\"type\":\"function_call\",\"id\":\"fc_" + id + "\",\"call_id\":\"" + id
        + "\",\"name\":\"f\",\"arguments\":" + arguments + "}";
}

QByteArray message(const QByteArray &text)
{
    return "{\"type\":\"message\",\"id\":\"msg\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_"
           "text\",\"text\":\""
        + text + "\"}]}";
}

QList<StreamEvent> readStream(const QByteArray &body)
{
    AnswerHead head;
    head.contentType = "text/event-stream";
    ResponsesReader reader;
    return Tests::read(reader, head, {body});
}

QList<StreamEvent> ofType(const QList<StreamEvent> &events, Type type)
{
    QList<StreamEvent> found;
    for (const StreamEvent &event : events) {
        if (event.type == type)
            found.append(event);
    }
    return found;
}

QString textOf(const QList<StreamEvent> &events, Type type)
{
    QString text;
    for (const StreamEvent &event : ofType(events, type))
        text += event.text;
    return text;
}

} // namespace

class TestResponsesReader : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void fixtures_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList names = fixtureNames(u"responses-"_s);
        QCOMPARE(names.size(), ResponsesFixtures);
        for (const QString &name : names)
            QTest::newRow(qPrintable(name)) << name;
    }
    void fixtures()
    {
        QFETCH(QString, name);
        const QString wrong = fixtureComplaint(name, [] { return std::make_unique<ResponsesReader>(); });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void itemsGoBackAsTheyCame()
    {
        const QByteArray item = "{\"later\":[1.0,1e3],\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":"
                                "\"c\",\"name\":\"f\",\"arguments\":\"{\\\"z\\\": 1.0, \\\"a\\\":2}\"}";
        const auto events = readStream(Created + done(0, item) + closed());
        QCOMPARE(events.last().replay, QByteArray('[' + item + ']'));
        QCOMPARE(ofType(events, Type::ToolCall).value(0).args, QByteArray("{\"z\": 1.0, \"a\":2}"));
        QVERIFY(events.last().replayWithoutCalls.isEmpty());
    }

    void onlyTheClosingResponseHasTheItems()
    {
        const auto events = readStream(
            Created + closed("\"output\":[" + reasoning("rs") + "," + message("Hi") + "," + call("c") + "]"));
        QCOMPARE(textOf(events, Type::TextDelta), u"Hi"_s);
        QCOMPARE(ofType(events, Type::ToolCall).size(), 1);
        QCOMPARE(events.last().reason, StopReason::ToolUse);
        QCOMPARE(parseJson(events.last().replay)->size(), 3);
    }

    void doneFillsWhatThePiecesLeftOut()
    {
        const auto events =
            readStream(Created + added(0, "{\"type\":\"message\",\"content\":[]}")
                       + delta("output_text", "\"output_index\":0,\"content_index\":0,\"delta\":\"He\"")
                       + done(0, message("Hello")) + closed("\"output\":[" + message("Hello") + "]"));
        QCOMPARE(textOf(events, Type::TextDelta), u"Hello"_s);
    }

    void textWithoutItsDone()
    {
        const auto events = readStream(Created + delta("output_text", "\"output_index\":0,\"delta\":\"Hel\"")
                                       + delta("output_text", "\"delta\":\"lo\"")
                                       + added(1, call("c")) // never closed: not asked for
                                       + closed());
        QCOMPARE(textOf(events, Type::TextDelta), u"Hello"_s);
        QVERIFY(ofType(events, Type::ToolCall).isEmpty());
        QCOMPARE(events.last().reason, StopReason::EndTurn);
        QCOMPARE(events.last().replay,
                 QByteArray("[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_"
                            "text\",\"text\":\"Hello\"}]}]"));
    }

    void reasoningIsAllOrNothing()
    {
        const QByteArray text = message("Hi");
        const QByteArray bare = QByteArray(text).replace("\"id\":\"msg\",", "");
        const auto incomplete = [](const QByteArray &items) {
            return readStream(
                       Created
                       + data("{\"type\":\"response.incomplete\",\"response\":{\"status\":"
                              "\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}"
                              ",\"output\":["
                              + items + "]}}"))
                .last();
        };
        StreamEvent end = incomplete(reasoning("a") + "," + text + "," + reasoning("b") + "," + call("c"));
        QCOMPARE(end.reason, StopReason::MaxTokens);
        QCOMPARE(parseJson(end.replay)->size(), 4);
        QCOMPARE(end.replayWithoutCalls, QByteArray('[' + bare + ']'));
        end = incomplete(reasoning("a") + "," + text + "," + reasoning("b"));
        QCOMPARE(end.replay, QByteArray('[' + bare + ']'));
        end = incomplete(reasoning("a"));
        QVERIFY(end.replay.isEmpty() && end.replayWithoutCalls.isEmpty());
        end = incomplete(reasoning("a") + "," + text);
        QCOMPARE(end.replayWithoutCalls, QByteArray('[' + reasoning("a") + "," + text + ']'));
    }

    void arguments_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QByteArray>("args"); // empty: unusable
        QTest::addColumn<QString>("sent");
        QTest::newRow("blank") << QByteArray("\"\"") << QByteArray("{}") << u"{}"_s;
        QTest::newRow("an object") << QByteArray("{\"b\":1,\"a\":2}") << QByteArray("{\"b\":1,\"a\":2}")
                                   << u"{\"b\":1,\"a\":2}"_s;
        QTest::newRow("raw control") << QByteArray("\"{\\\"a\\\": \\\"\\n\\\"}\"")
                                     << QByteArray("{\"a\":\"\\n\"}") << u"{\"a\":\"\\n\"}"_s;
        QTest::newRow("an array") << QByteArray("\"[1]\"") << QByteArray() << u"{\"INVALID_JSON\":\"[1]\"}"_s;
    }
    void arguments()
    {
        QFETCH(QByteArray, arguments);
        QFETCH(QByteArray, args);
        QFETCH(QString, sent);
        const auto events = readStream(Created + done(0, call("c", arguments)) + closed());
        const StreamEvent event = ofType(events, Type::ToolCall).value(0);
        QCOMPARE(event.args, args);
        QCOMPARE(event.raw.isEmpty(), !args.isEmpty());
        QCOMPARE(parseJson(events.last().replay)->at(0)[u"arguments"].toString(), sent);
    }

    void rawReasoningAndParts()
    {
        const QByteArray raw = "{\"type\":\"reasoning\",\"id\":\"rs\",\"content\":[{\"type\":\"reasoning_"
                               "text\",\"text\":\"ab\"}]}";
        auto events = readStream(
            Created + added(0, raw) + delta("reasoning_text", "\"output_index\":0,\"delta\":\"a\"")
            + delta("reasoning_text", "\"output_index\":0,\"delta\":\"b\"") + done(0, raw) + closed());
        QCOMPARE(textOf(events, Type::ThinkingDelta), u"ab"_s);
        QCOMPARE(ofType(events, Type::ThinkingEnd).size(), 1);
        events = readStream(
            Created
            + delta("reasoning_summary_text", "\"output_index\":0,\"summary_index\":0,\"delta\":\"a\"")
            + delta("reasoning_summary_text", "\"output_index\":0,\"summary_index\":1,\"delta\":\"b\"")
            + closed());
        QCOMPARE(textOf(events, Type::ThinkingDelta), u"a\n\nb"_s);
    }

    void wholeAnswers()
    {
        AnswerHead head;
        head.contentType = "application/json";
        const auto readWhole = [&](const QByteArray &body) {
            ResponsesReader reader;
            return Tests::read(reader, head, {body});
        };
        const QByteArray whole = "{\"id\":\"r\",\"model\":\"m\",\"error\":null,\"status\":\"completed\","
                                 "\"output\":["
            + message("Hi") + "],\"usage\":{\"input_tokens\":3}}";
        auto events = readWhole(whole);
        QCOMPARE(events.first().id, u"r"_s);
        QCOMPARE(textOf(events, Type::TextDelta), u"Hi"_s);
        QCOMPARE(events.last().reason, StopReason::EndTurn);
        events = readWhole("{\"status\":\"failed\",\"output\":[],\"error\":{\"code\":\"server_error\","
                           "\"message\":\"no\"}}");
        QCOMPARE(events.last().error.category, Category::Server);
        QVERIFY(events.last().error.message.contains(u"no"_s));
        for (const QByteArray &bad : {QByteArray("{}"), QByteArray("[]"), QByteArray("x")})
            QCOMPARE(readWhole(bad).last().error.category, Category::Protocol);
    }

    void bounds()
    {
        const QByteArray piece(1024 * 1024, 'x');
        QByteArray body = Created;
        for (int i = 0; i < 9; ++i)
            body += delta("output_text", "\"output_index\":0,\"delta\":\"" + piece + "\"");
        auto events = readStream(body + closed());
        QCOMPARE(events.last().type, Type::Error);
        QCOMPARE(events.last().error.category, Category::Protocol);
        body = Created;
        for (qsizetype i = 0; i <= AnswerFold::MostParts; ++i)
            body += added(static_cast<int>(i), "{\"type\":\"x\"}");
        events = readStream(body + closed());
        QCOMPARE(events.last().error.category, Category::Protocol);
        // What `done` repeats is not counted twice.
        body = Created + delta("output_text", "\"output_index\":0,\"delta\":\"" + piece.repeated(5) + "\"")
            + done(0, message(piece.repeated(5)));
        QCOMPARE(readStream(body + closed()).last().reason, StopReason::EndTurn);
    }

    void oddEventsAreIgnored()
    {
        const auto events = readStream(
            Created
            + data("{\"type\":\"response.output_item.added\",\"output_index\":-1,\"item\":{\"type\":\"x\"}}")
            + data("{\"type\":\"response.output_item.done\",\"output_index\":\"a\",\"item\":5}")
            + data("{\"type\":\"response.output_text.annotation.added\",\"output_index\":7}") + data("[]")
            + data("{\"type\":\"response.brand_new\",\"response\":3}") + "data: [DONE]\n\n" + closed());
        QCOMPARE(events.last().reason, StopReason::EndTurn);
    }
};

QTEST_GUILESS_MAIN(TestResponsesReader)
#include "tst_responsesreader.moc"
