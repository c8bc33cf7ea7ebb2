// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "fixture.h"
#include "model/anthropicreader.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

constexpr int AnthropicFixtures = 19; // A lost file must not look like a pass.

const char MessageStart[] = "data: "
                            "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"usage\":"
                            "{\"input_tokens\":1}}}\n\n";
const char MessageStop[] = "data: {\"type\":\"message_stop\"}\n\n";

QList<StreamEvent> read(const AnswerHead &head, const QList<QByteArray> &packets)
{
    AnthropicReader reader;
    return Tests::read(reader, head, packets);
}

QList<StreamEvent> readStream(const QByteArray &body)
{
    AnswerHead head;
    head.contentType = "text/event-stream";
    return read(head, {body});
}

QByteArray data(const QByteArray &json) { return "data: " + json + "\n\n"; }

// A whole answer with one call whose argument text is `text`, stopped by `reason`.
QByteArray answerWithCall(const QString &text, const QByteArray &reason = "tool_use")
{
    const QByteArray piece =
        JsonBuilder().add("type"_L1, "input_json_delta"_L1).add("partial_json"_L1, text).take();
    return QByteArray(MessageStart)
        + data("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
               "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{},\"later\":true}}")
        + data("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":" + piece + "}")
        + data("{\"type\":\"content_block_stop\",\"index\":0}")
        + data("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" + reason + "\"}}") + MessageStop;
}

StreamEvent first(const QList<StreamEvent> &events, Type type)
{
    for (const StreamEvent &event : events) {
        if (event.type == type)
            return event;
    }
    return {};
}

} // namespace

class TestAnthropicReader : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void fixtures_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList names = fixtureNames(u"anthropic-"_s);
        QCOMPARE(names.size(), AnthropicFixtures);
        for (const QString &name : names)
            QTest::newRow(qPrintable(name)) << name;
    }
    void fixtures()
    {
        QFETCH(QString, name);
        const QString wrong = fixtureComplaint(name, [] { return std::make_unique<AnthropicReader>(); });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void replayKeepsOrderNumbersAndUnknownFields()
    {
        const auto events = readStream(answerWithCall(u"{\"z\": 1.0,\n \"a\":[1e3 ,\"\\u00e9\"]}"_s));
        const QByteArray args = "{\"z\": 1.0,\n \"a\":[1e3 ,\"\\u00e9\"]}";
        QCOMPARE(first(events, Type::ToolCall).args, args);
        QCOMPARE(events.last().replay,
                 "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\","
                 "\"input\":"
                     + args + ",\"later\":true}]}");
        QCOMPARE(events.last().reason, StopReason::ToolUse);
        QVERIFY(events.last().replayWithoutCalls.isEmpty());
    }

    void argumentText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("args"); // empty: unusable
        QTest::addColumn<QByteArray>("input");
        const auto row = [](const char *name, const QString &text, const QByteArray &args,
                            const QByteArray &input) { QTest::newRow(name) << text << args << input; };
        row("blank", u" \n"_s, "{}", "{}");
        row("spaces around", u" {} "_s, "{}", "{}");
        row("raw controls are written anew", u"{\"a\": \"x\ny\"}"_s, "{\"a\":\"x\\ny\"}",
            "{\"a\":\"x\\ny\"}");
        row("array", u"[1]"_s, "", "{\"INVALID_JSON\":\"[1]\"}");
        row("string", u"\"x\""_s, "", "{\"INVALID_JSON\":\"\\\"x\\\"\"}");
        row("bad escape", u"{\"p\":\"\\d+\"}"_s, "", "{\"INVALID_JSON\":\"{\\\"p\\\":\\\"\\\\d+\\\"}\"}");
        row("twice the same member", u"{\"a\":1,\"a\":2}"_s, "",
            "{\"INVALID_JSON\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}");
        row("cut", u"{\"a\":\"rm -rf /home/me/pro"_s, "",
            "{\"INVALID_JSON\":\"{\\\"a\\\":\\\"rm -rf /home/me/pro\"}");
        row("two values", u"{}{}"_s, "", "{\"INVALID_JSON\":\"{}{}\"}");
    }
    void argumentText()
    {
        QFETCH(QString, text);
        QFETCH(QByteArray, args);
        QFETCH(QByteArray, input);
        const auto events = readStream(answerWithCall(text));
        const StreamEvent call = first(events, Type::ToolCall);
        QCOMPARE(call.args, args);
        QCOMPARE(call.raw, args.isEmpty() ? text : QString());
        QCOMPARE(call.problem.isEmpty(), !args.isEmpty());
        QVERIFY2(events.last().replay.contains(QByteArray("\"input\":" + input + ",\"later\"")),
                 events.last().replay.constData());
        QVERIFY(parseJson(events.last().replay));
        // After max_tokens a broken call was cut, and is dropped; a whole one stays only in the full replay.
        const auto cutEvents = readStream(answerWithCall(text, "max_tokens"));
        QCOMPARE(cutEvents.last().reason, StopReason::MaxTokens);
        QCOMPARE(cutEvents.last().replay.isEmpty(), args.isEmpty());
        QVERIFY(cutEvents.last().replayWithoutCalls.isEmpty());
    }

    void callsWinOverNormalEnds_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QString>("reason");
        QTest::newRow("end_turn") << QByteArray("end_turn") << u"tool_use"_s;
        QTest::newRow("a new word") << QByteArray("nap") << u"tool_use"_s;
        QTest::newRow("max_tokens") << QByteArray("max_tokens") << u"max_tokens"_s;
        QTest::newRow("refusal") << QByteArray("refusal") << u"refusal"_s;
    }
    void callsWinOverNormalEnds()
    {
        QFETCH(QByteArray, word);
        QFETCH(QString, reason);
        const StreamEvent stop = readStream(answerWithCall(u"{}"_s, word)).last();
        QCOMPARE(stopReasonName(stop.reason), reason);
        QCOMPARE(stop.rawReason, QString::fromLatin1(word));
    }

    void withoutCallsThinkingDoesNotStayAlone()
    {
        const QByteArray head = QByteArray(MessageStart)
            + data("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                   "{\"type\":\"redacted_thinking\",\"data\":\"D\"}}")
            + data("{\"type\":\"content_block_stop\",\"index\":0}");
        const QByteArray text = data("{\"type\":\"content_block_start\",\"index\":1,\"content_block\":"
                                     "{\"type\":\"text\",\"text\":\"hi\"}}")
            + data("{\"type\":\"content_block_stop\",\"index\":1}");
        const QByteArray call =
            data("{\"type\":\"content_block_start\",\"index\":2,\"content_block\":"
                 "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\":1}}}")
            + data("{\"type\":\"content_block_stop\",\"index\":2}");
        const QByteArray end =
            data("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}") + MessageStop;
        QVERIFY(readStream(head + call + end).last().replayWithoutCalls.isEmpty());
        const StreamEvent both = readStream(head + text + call + end).last();
        QCOMPARE(
            both.replayWithoutCalls,
            QByteArray("{\"role\":\"assistant\",\"content\":[{\"type\":\"redacted_thinking\",\"data\":\"D\"},"
                       "{\"type\":\"text\",\"text\":\"hi\"}]}"));
        QVERIFY(both.replay.contains("\"input\":{\"a\":1}"));
    }

    void aCallLeftOpenIsNoCall()
    {
        const QByteArray body = QByteArray(MessageStart)
            + data("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                   "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}")
            + data("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}") + MessageStop;
        const auto events = readStream(body);
        QCOMPARE(first(events, Type::ToolCall).id, QString());
        QCOMPARE(events.last().reason, StopReason::EndTurn);
        QVERIFY(events.last().replay.isEmpty());
    }

    void stopReasonIsEnoughWhenTheConnectionCloses()
    {
        const QByteArray text = QByteArray(MessageStart)
            + data("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                   "{\"type\":\"text\",\"text\":\"hi\"}}")
            + data("{\"type\":\"content_block_stop\",\"index\":0}");
        QCOMPARE(readStream(text).last().error.category, ApiError::Category::Truncated);
        const QByteArray end = data("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}");
        QCOMPARE(readStream(text + end).last().type, Type::Stop);
        QCOMPARE(readStream(text + end.chopped(3)).last().error.category, ApiError::Category::Truncated);
    }

    void nothingAfterTheEndCounts()
    {
        const auto events = readStream(answerWithCall(u"{}"_s) + data("{\"type\":\"error\",\"error\":{}}"));
        QCOMPARE(events.last().type, Type::Stop);
    }

    void wholeMessageInsteadOfAStream()
    {
        AnswerHead head;
        head.contentType = "application/json";
        const QByteArray body =
            "{\"id\":\"m\",\"model\":\"x\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
            "\"hi\"},"
            "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"b\":1,\"a\":2}}],"
            "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}";
        const auto events = read(head, cutEvery(body, 5));
        QCOMPARE(first(events, Type::TextDelta).text, u"hi"_s);
        QCOMPARE(first(events, Type::ToolCall).args, QByteArray("{\"b\":1,\"a\":2}"));
        QCOMPARE(first(events, Type::Usage).usage.output, 4);
        QCOMPARE(events.last().reason, StopReason::ToolUse);
    }

    void failures_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("contentType");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("category");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, int status, const QByteArray &type, const QByteArray &body,
                            const char *category, const QString &words) {
            QTest::newRow(name) << status << type << body << QString::fromLatin1(category) << words;
        };
        const auto envelope = [](const QByteArray &type, const QByteArray &message) {
            return QByteArray("{\"type\":\"error\",\"error\":{\"type\":\"" + type + "\",\"message\":\""
                              + message + "\"}}");
        };
        const QByteArray json = "application/json";
        const QByteArray sse = "text/event-stream";
        row("400", 400, json, envelope("invalid_request_error", "max_tokens: required"), "invalid_request",
            u"max_tokens"_s);
        row("prompt too long", 400, json, envelope("invalid_request_error", "prompt is too long: 9 > 8"),
            "context_window", u"too long"_s);
        row("401", 401, json, envelope("authentication_error", "invalid x-api-key"), "auth", u"x-api-key"_s);
        row("402 is billing whatever the code", 402, json, envelope("invalid_request_error", "pay"),
            "billing", u"pay"_s);
        row("403", 403, json, envelope("permission_error", "no"), "permission", u"no"_s);
        row("404", 404, json, envelope("not_found_error", "model: x"), "not_found", u"model"_s);
        row("413 from the edge", 413, "text/html", "<html><head><title>Too large</title></head></html>",
            "too_large", u"Too large"_s);
        row("unknown code, known status", 503, json, envelope("nap", "asleep"), "overloaded", u"asleep"_s);
        row("500 without body", 500, "", "", "server", u"500"_s);
        row("502 page", 502, "text/html", "<h1>Bad gateway</h1>\nfoo", "server", u"Bad gateway"_s);
        row("504", 504, "text/plain", "upstream", "timeout", u"upstream"_s);
        row("redirect", 307, "", "", "redirect", u"base URL"_s);
        row("error is a string", 400, json, "{\"error\":\"model not loaded\"}", "invalid_request",
            u"not loaded"_s);
        row("page with 200", 200, "text/html; charset=utf-8", "<title>Sign in</title>", "protocol",
            u"Sign in"_s);
        row("other JSON with 200", 200, json, "{\"ok\":true}", "protocol", u"no message"_s);
        row("error JSON with 200", 200, json, envelope("overloaded_error", "busy"), "overloaded", u"busy"_s);
        row("event that is not JSON", 200, sse, "data: {oops}\n\n", "protocol", u"not JSON"_s);
        row("fault without a code", 200, sse, "data: {\"type\":\"error\",\"error\":{\"message\":\"hm\"}}\n\n",
            "server", u"hm"_s);
        row("fault with an unknown code", 200, sse, data(envelope("strange", "hm")), "invalid_request",
            u"hm"_s);
        row("fault with a number", 200, sse, "data: {\"error\":{\"code\":503,\"message\":\"hm\"}}\n\n",
            "overloaded", u"hm"_s);
        row("fault in an error field", 200, sse, "error: " + envelope("api_error", "hm") + "\n\n", "server",
            u"hm"_s);
        row("nothing at all", 200, sse, "", "truncated", u"before"_s);
        row("only another protocol's marker", 200, sse, "data: [DONE]\n\n", "truncated", u"before"_s);
    }
    void failures()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, contentType);
        QFETCH(QByteArray, body);
        QFETCH(QString, category);
        QFETCH(QString, words);
        AnswerHead head;
        head.status = status;
        head.contentType = contentType;
        for (const QList<QByteArray> &packets : {QList<QByteArray>{body}, cutEvery(body, 1)}) {
            const auto events = read(head, packets);
            QCOMPARE(events.size(), 1);
            QCOMPARE(events[0].type, Type::Error);
            const ApiError &error = events[0].error;
            QCOMPARE(categoryName(error.category), category);
            QVERIFY2(error.message.contains(words), qPrintable(error.message));
            QVERIFY(!error.message.contains(u'<'));
            QCOMPARE(error.status, status == 200 ? 0 : status);
            QVERIFY(!error.partial);
        }
    }

    void retryHeaders()
    {
        AnswerHead head;
        head.status = 429;
        head.nowUtcMs = 1'795'953'600'000; // 2026-11-29 12:00:00 UTC
        head.retryAfter = "Sun, 29 Nov 2026 12:00:07 GMT";
        head.requestId = "req_1";
        QCOMPARE(read(head, {"{}"}).last().error.retryAfterMs, 7000);
        QCOMPARE(read(head, {"{}"}).last().error.requestId, u"req_1"_s);
        head.retryAfterMs = "1500";
        QCOMPARE(read(head, {"{}"}).last().error.retryAfterMs, 1500);
        head.shouldRetry = "false";
        QVERIFY(!read(head, {"{}"}).last().error.retryable);
        QVERIFY(!read(head, {"{}"}).last().error.retryAfterMs);
        head.shouldRetry = "true";
        head.status = 409;
        QVERIFY(read(head, {"{}"}).last().error.retryable);
    }

    void messageIsBounded()
    {
        AnswerHead head;
        head.status = 500;
        const QByteArray body = "{\"error\":{\"type\":\"api_error\",\"message\":\"a\\u001b[31m\\n"
            + QByteArray(9000, 'x') + "\"}}";
        const QString message = read(head, {body}).last().error.message;
        QVERIFY(message.size() <= 2000);
        QVERIFY(!message.contains(u'\x1b') && !message.contains(u'\n'));
    }

    void tooManyBlocks()
    {
        QByteArray body = MessageStart;
        for (qsizetype i = 0; i <= AnthropicFold::MostParts; ++i)
            body += data("{\"type\":\"content_block_start\",\"index\":" + QByteArray::number(i)
                         + ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}");
        QCOMPARE(readStream(body + MessageStop).last().error.category, ApiError::Category::Protocol);
    }

    void tooMuchText()
    {
        AnthropicReader reader;
        reader.begin({});
        QList<StreamEvent> events = reader.feed(MessageStart);
        events += reader.feed(
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\"}}\n\n");
        const QByteArray piece = data(
            "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
            + QByteArray(3 * 1024 * 1024, 'x') + "\"}}");
        int fed = 0;
        while (!reader.isFinished() && fed < 40) {
            events = reader.feed(piece);
            ++fed;
        }
        QCOMPARE(fed, 3);
        QCOMPARE(events.last().error.category, ApiError::Category::Protocol);
        QVERIFY(events.last().error.partial);
        QVERIFY(events.last().error.message.contains(u"longer than any real one"_s));
    }

    /// What is only kept to be sent back takes memory too.
    void tooMuchThatNobodySees()
    {
        AnthropicReader reader;
        reader.begin({});
        QList<StreamEvent> events = reader.feed(MessageStart);
        int fed = 0;
        while (!reader.isFinished() && fed < 40) {
            events = reader.feed(data("{\"type\":\"content_block_start\",\"index\":" + QByteArray::number(fed)
                                      + ",\"content_block\":{\"type\":\"of_tomorrow\",\"data\":\""
                                      + QByteArray(3 * 1024 * 1024, 'x') + "\"}}"));
            ++fed;
        }
        QCOMPARE(fed, 3);
        QCOMPARE(events.last().error.category, ApiError::Category::Protocol);
    }

    void hostileShapes()
    {
        // Every field of another type than promised; nothing may crash, and the end still counts.
        QByteArray body;
        for (const char *event :
             {"{\"type\":\"message_start\",\"message\":7}", "{\"type\":\"message_start\"}",
              "{\"type\":\"content_block_start\",\"index\":\"x\",\"content_block\":[]}",
              "{\"type\":\"content_block_start\",\"index\":1e300,\"content_block\":{\"type\":5}}",
              "{\"type\":\"content_block_start\",\"index\":-5,\"content_block\":{\"type\":\"text\",\"text\":{"
              "},\"citations\":3}}",
              "{\"type\":\"content_block_delta\",\"index\":-5,\"delta\":{\"type\":\"citations_delta\","
              "\"citation\":1}}",
              "{\"type\":\"content_block_delta\",\"index\":99,\"delta\":{\"type\":\"text_delta\",\"text\":"
              "\"x\"}}",
              "{\"type\":\"content_block_delta\",\"index\":-5,\"delta\":null}",
              "{\"type\":\"content_block_stop\"}",
              "{\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":\"web_search_tool_"
              "result\"}}",
              "{\"type\":\"content_block_start\",\"index\":5,\"content_block\":{\"type\":\"tool_use\",\"id\":"
              "1,\"name\":[],\"input\":[]}}",
              "{\"type\":\"content_block_stop\",\"index\":5}",
              "{\"type\":\"message_delta\",\"delta\":[],\"usage\":{\"output_tokens\":-4,\"input_tokens\":"
              "1e99}}",
              "[]", "3", "{\"type\":\"message_stop\"}"})
            body += data(event);
        const auto events = readStream(body);
        QCOMPARE(events.last().type, Type::Stop);
        QCOMPARE(events.last().reason, StopReason::ToolUse);
        QCOMPARE(first(events, Type::Usage).usage, Usage());
        QVERIFY(parseJson(events.last().replay));
    }

    void surrogateHalvesInTwoPieces()
    {
        const QByteArray body = QByteArray(MessageStart)
            + data("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
                   "\"text\":\"\"}}")
            + data("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
                   "\"text\":\"a\\ud83d\"}}")
            + data("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
                   "\"text\":\"\\ude00\"}}")
            + data("{\"type\":\"content_block_stop\",\"index\":0}")
            + data("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}") + MessageStop;
        QVERIFY(readStream(body).last().replay.contains("\"text\":\"a\xF0\x9F\x98\x80\""));
    }
};

QTEST_GUILESS_MAIN(TestAnthropicReader)
#include "tst_anthropicreader.moc"
