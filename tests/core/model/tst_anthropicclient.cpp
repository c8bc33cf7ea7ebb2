// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "collect.h"
#include "fixture.h"
#include "model/anthropicclient.h"
#include "net/networkaccess.h"
#include "support/modelserver.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Category = ApiError::Category;
using Type = StreamEvent::Type;

namespace {

const QByteArray Key = "sk-test-0123456789";

ModelRequest greeting()
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::User;
    item.text = u"Hi"_s;
    ModelRequest request;
    request.model = u"claude-sonnet-5-5"_s;
    request.history = {item};
    return request;
}

} // namespace

class TestAnthropicClient : public Tests::Test {
    Q_OBJECT
private:
    NetworkAccess m_network;

    std::unique_ptr<AnthropicClient> makeClient(const QUrl &base)
    {
        AnthropicClient::Endpoint endpoint;
        endpoint.provider = u"anthropic"_s;
        endpoint.baseUrl = base;
        endpoint.key = Secret(Key);
        return std::make_unique<AnthropicClient>(&m_network, endpoint);
    }

private Q_SLOTS:
    void oneRequest()
    {
        AnthropicModelServer server;
        server.enqueue(ModelReply()
                           .thinking(u"hm"_s, u"SIG"_s)
                           .text(u"Hello 😀"_s)
                           .call(u"t1"_s, u"bash"_s, "{\"z\":1, \"a\":2}")
                           .usage(50, 7, 30, 10));
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QVERIFY(got.events.isEmpty());
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.first().type, Type::Start);
        QCOMPARE(got.text(), u"Hello 😀"_s);
        QCOMPARE(got.ofType(Type::ToolCall).value(0).args, QByteArray("{\"z\":1, \"a\":2}"));
        const Usage usage = got.ofType(Type::Usage).value(0).usage;
        QCOMPARE(usage.input, 50);
        QCOMPARE(usage.cacheRead, 30);
        QCOMPARE(usage.cacheWrite, 10);
        QCOMPARE(got.events.last().reason, StopReason::ToolUse);
        QCOMPARE(
            got.events.last().replay,
            QByteArray(
                "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","
                "\"signature\":\"SIG\"},"
                "{\"type\":\"text\",\"text\":\"Hello \xF0\x9F\x98\x80\"},"
                "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"bash\",\"input\":{\"z\":1, \"a\":2}}]}"));
        QVERIFY2(server.complaints().isEmpty(), qPrintable(server.complaints().join(u';')));

        const LoopbackRequest &request = server.loopback()->requests().first();
        QCOMPARE(request.target, QByteArray("/v1/messages"));
        QCOMPARE(request.header("x-api-key"), Key);
        QCOMPARE(request.header("anthropic-version"), QByteArray("2023-06-01"));
        QCOMPARE(request.header("content-type"), QByteArray("application/json"));
        QCOMPARE(request.header("accept"), QByteArray("text/event-stream"));
        QCOMPARE(request.header("accept-encoding"), QByteArray("identity"));
        QVERIFY(!request.hasHeader("authorization"));
        QVERIFY(!request.body.contains("cache_control")); // a loopback service is not the vendor
        QVERIFY(!request.body.contains(Key));
    }

    void aLoopExtendsItsRequest()
    {
        AnthropicModelServer server;
        server.enqueue(ModelReply().thinking(u"hm"_s, u"SIG"_s).call(u"t1"_s, u"bash"_s, "{}"));
        server.enqueue(ModelReply().text(u"Done."_s));
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        ModelRequest request = greeting();
        Collector first(client->start(request, &parent));
        QTRY_VERIFY(first.isOver());
        HistoryItem answer;
        answer.kind = HistoryItem::Kind::Assistant;
        answer.protocol = client->protocol();
        answer.provider = client->provider();
        answer.model = request.model;
        answer.raw = first.events.last().replay;
        HistoryItem result;
        result.kind = HistoryItem::Kind::ToolResults;
        result.outcomes = {{u"t1"_s, u"bash"_s, u"ok"_s, false}};
        request.history += {answer, result};
        Collector second(client->start(request, &parent));
        QTRY_VERIFY(second.isOver());
        QCOMPARE(second.events.last().reason, StopReason::EndTurn);
        QVERIFY(server.complaints().isEmpty());
        const QByteArray before = server.bodies()[0];
        const qsizetype end = before.indexOf("],\"stream\""); // where the list of messages ends
        QVERIFY(end > 0);
        QCOMPARE(server.bodies()[1].left(end), before.left(end));
    }

    void fixturesOverTheWire_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : fixtureNames(u"anthropic-"_s))
            QTest::newRow(qPrintable(name)) << name;
    }
    void fixturesOverTheWire()
    {
        QFETCH(QString, name);
        const Fixture fixture = loadFixture(name);
        for (const bool isChunked : {true, false}) {
            LoopbackServer server;
            server.enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
                LoopbackHeaders headers{{"Content-Type", fixture.head.contentType}};
                if (!fixture.head.retryAfter.isEmpty())
                    headers.append({"Retry-After", fixture.head.retryAfter});
                if (!fixture.head.shouldRetry.isEmpty())
                    headers.append({"x-should-retry", fixture.head.shouldRetry});
                if (!isChunked)
                    headers.append(qMakePair(QByteArray("Connection"), QByteArray("close")));
                connection->sendHead(fixture.head.status, headers);
                for (const QByteArray &packet : cut(fixture.body, fixture.splits))
                    isChunked ? connection->sendChunk(packet) : connection->send(packet);
                if (isChunked)
                    connection->endChunks();
                connection->close();
            });
            const auto client = makeClient(server.url(""));
            QObject parent;
            Collector got(client->start(greeting(), &parent));
            QTRY_VERIFY(got.isOver());
            const QString wrong = difference(joined(got.events), fixture.events);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            QCOMPARE(got.events.last().replay.isEmpty(), fixture.replay.isNull());
        }
    }

    void cuts_data()
    {
        QTest::addColumn<int>("events");
        QTest::addColumn<bool>("isComplete");
        QTest::newRow("nothing") << 0 << false;
        QTest::newRow("after the start") << 1 << false;
        QTest::newRow("in the text") << 3 << false;
        QTest::newRow("after the block") << 5 << false;
        QTest::newRow("after the stop reason") << 6 << true;
        QTest::newRow("after the end marker") << 7 << true;
    }
    void cuts()
    {
        QFETCH(int, events);
        QFETCH(bool, isComplete);
        AnthropicModelServer server;
        server.enqueue(ModelReply().text(u"Hello"_s).cutAfter(events));
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().type, isComplete ? Type::Stop : Type::Error);
        if (!isComplete) {
            const ApiError &error = got.events.last().error;
            QCOMPARE(error.category, Category::Truncated);
            QVERIFY(error.retryable);
            QCOMPARE(error.partial, events > 1);
            QVERIFY(!error.outcomeUnknown);
            QVERIFY(!error.message.isEmpty());
        }
        QCOMPARE(got.ends, 1);
    }

    void theConnectionIsClosedAfterTheEndMarker()
    {
        AnthropicModelServer server;
        server.enqueue(ModelReply().text(u"Hello"_s).holdBefore(99)); // the body is never ended
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().type, Type::Stop);
        QTRY_COMPARE(server.loopback()->openConnections(), 0);
    }

    void aServerThatClosesWithoutAnAnswerIsAskedOnce()
    {
        LoopbackServer server;
        server.setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->close(); });
        const auto client = makeClient(server.url(""));
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().error.category, Category::Truncated);
        QVERIFY(got.events.last().error.retryable);
        QCOMPARE(server.requests().size(), 1);
    }

    void aResetInMidStream()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200, {{"Content-Type", "text/event-stream"}});
            connection->sendChunk("data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n");
            connection->reset();
        });
        const auto client = makeClient(server.url(""));
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().error.category, Category::Truncated);
    }

    void aRedirectIsReportedAndNotFollowed()
    {
        LoopbackServer other;
        LoopbackServer server;
        server.setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->redirect(307, other.url("/v1/messages").toEncoded());
        });
        const auto client = makeClient(server.url(""));
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().error.category, Category::Redirect);
        QVERIFY(got.events.last().error.message.contains(u"base URL"_s));
        QVERIFY(!got.events.last().error.retryable);
        QVERIFY(other.requests().isEmpty());
    }

    void noServer()
    {
        LoopbackServer server;
        const QUrl url = server.url("");
        server.stopListening();
        const auto client = makeClient(url);
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.size(), 1);
        QCOMPARE(got.events.last().error.category, Category::Network);
        QVERIFY(
            !got.events.last().error.retryable); // a local service that is not there does not come by waiting
    }

    void theKeyIsInNoErrorText_data()
    {
        QTest::addColumn<bool>("isInStream");
        QTest::newRow("error body") << false;
        QTest::newRow("in the stream") << true;
    }
    void theKeyIsInNoErrorText()
    {
        QFETCH(bool, isInStream);
        AnthropicModelServer server;
        if (isInStream)
            server.enqueue(ModelReply::raw(
                "data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"bad " + Key
                + "\"}}\n\n"));
        else
            server.enqueue(ModelReply::failure(401, "authentication_error", "invalid x-api-key " + Key));
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        const ApiError &error = got.events.last().error;
        QVERIFY(error.message.contains(u"[redacted]"_s));
        QVERIFY(!error.message.contains(QString::fromLatin1(Key)));
        QCOMPARE(error.requestId, u"req_1"_s);
        QCOMPARE(error.category, isInStream ? Category::Server : Category::Auth);
    }

    void anUnusableRequestEndsInAnErrorLater()
    {
        AnthropicModelServer server;
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        ModelRequest request;
        request.model = u"x"_s;
        Collector got(client->start(request, &parent));
        QVERIFY(got.events.isEmpty());
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().error.category, Category::Local);
        QVERIFY(server.requests().isEmpty());
    }

    void abortClosesTheConnectionQuietly_data()
    {
        QTest::addColumn<int>("how");
        QTest::newRow("abort") << 0;
        QTest::newRow("delete") << 1;
        QTest::newRow("abort inside an event") << 2;
        QTest::newRow("delete inside an event") << 3;
    }
    void abortClosesTheConnectionQuietly()
    {
        QFETCH(int, how);
        AnthropicModelServer server;
        server.enqueue(ModelReply().text(u"Hello"_s).holdBefore(3));
        const auto client = makeClient(server.baseUrl());
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        if (how >= 2) {
            connect(got.stream, &ModelStream::eventReceived, this,
                    [&] { how == 2 ? got.stream->abort() : delete got.stream.data(); });
            QTRY_COMPARE(got.events.size(), 1);
        } else {
            QTRY_COMPARE(got.events.size(), 2);
            how == 0 ? got.stream->abort() : delete got.stream.data();
        }
        const qsizetype count = got.events.size();
        QTRY_COMPARE(server.loopback()->openConnections(), 0);
        QCOMPARE(got.events.size(), count);
        QCOMPARE(got.ends, 0);
    }

    void plainHttpToAnotherHostIsRefused()
    {
        const auto client = makeClient(QUrl(u"http://192.0.2.1/"_s));
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().error.category, Category::Local);
    }
};

QTEST_GUILESS_MAIN(TestAnthropicClient)
#include "tst_anthropicclient.moc"
