// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "collect.h"
#include "fixture.h"
#include "history.h"
#include "model/chatclient.h"
#include "model/httpmodelstream.h"
#include "model/responsesclient.h"
#include "net/networkaccess.h"
#include "support/modelserver.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Category = ApiError::Category;
using Type = StreamEvent::Type;

Q_DECLARE_METATYPE(ModelProtocol)

namespace {

const QByteArray Key = "sk-test-0123456789";

ModelRequest greeting()
{
    ModelRequest request;
    request.model = u"m"_s;
    request.history = {userItem(u"Hi"_s)};
    return request;
}

QByteArray pathOf(ModelProtocol protocol)
{
    return protocol == ModelProtocol::Responses ? "/v1/responses" : "/v1/chat/completions";
}

} // namespace

/// What both clients of OpenAI's protocols do on the wire.
class TestOpenAiClients : public Tests::Test {
    Q_OBJECT
private:
    NetworkAccess m_network;

    std::unique_ptr<ModelClient> makeClient(ModelProtocol protocol, const QUrl &base,
                                            const QByteArray &key = Key)
    {
        ModelEndpoint endpoint;
        endpoint.provider = u"openai"_s;
        endpoint.baseUrl = base;
        endpoint.key = key.isEmpty() ? Secret() : Secret(key);
        if (protocol == ModelProtocol::Responses)
            return std::make_unique<ResponsesClient>(&m_network, endpoint);
        return std::make_unique<ChatClient>(&m_network, endpoint);
    }

    static void protocols()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        QTest::newRow("responses") << ModelProtocol::Responses;
        QTest::newRow("chat") << ModelProtocol::Chat;
    }

private Q_SLOTS:
    void aLoop_data() { protocols(); }
    void aLoop()
    {
        QFETCH(ModelProtocol, protocol);
        ModelServer server(protocol);
        server.enqueue(ModelReply()
                           .thinking(u"hm"_s, u"SIG"_s)
                           .text(u"Hello 😀"_s)
                           .call(u"t1"_s, u"bash"_s, "{\"z\":1, \"a\":2}")
                           .usage(50, 7, 30, 10));
        server.enqueue(ModelReply().text(u"Done."_s));
        const auto client = makeClient(protocol, server.baseUrl());
        QObject parent;
        ModelRequest request = greeting();
        Collector got(client->start(request, &parent));
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

        const LoopbackRequest first = server.loopback()->requests().first();
        QCOMPARE(first.target, pathOf(protocol));
        QCOMPARE(first.header("authorization"), QByteArray("Bearer " + Key));
        QCOMPARE(first.header("content-type"), QByteArray("application/json"));
        QCOMPARE(first.header("accept"), QByteArray("text/event-stream"));
        QVERIFY(!first.hasHeader("x-api-key"));
        QVERIFY(!first.body.contains(Key));

        request.history +=
            {answerItem(client->protocol(), client->provider(), request.model, got.events.last().replay),
             resultsItem({{u"t1"_s, u"bash"_s, u"ok"_s, false}})};
        Collector second(client->start(request, &parent));
        QTRY_VERIFY(second.isOver());
        QCOMPARE(second.events.last().reason, StopReason::EndTurn);
        QVERIFY2(server.complaints().isEmpty(), qPrintable(server.complaints().join(u';')));
        // The second request goes on where the first one's list ended.
        const QByteArray before = server.bodies()[0];
        const qsizetype end = before.indexOf("}],", before.indexOf("\"Hi\""));
        QVERIFY(end > 0);
        QCOMPARE(server.bodies()[1].left(end + 1), before.left(end + 1));
    }

    void fixturesOverTheWire_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : fixtureNames(u"responses-"_s) + fixtureNames(u"chat-"_s))
            QTest::newRow(qPrintable(name)) << name;
    }
    void fixturesOverTheWire()
    {
        QFETCH(QString, name);
        const Fixture fixture = loadFixture(name);
        const auto protocol = name.startsWith("chat-"_L1) ? ModelProtocol::Chat : ModelProtocol::Responses;
        LoopbackServer server;
        server.enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            LoopbackHeaders headers{{"Content-Type", fixture.head.contentType}};
            if (!fixture.head.retryAfter.isEmpty())
                headers.append(qMakePair(QByteArray("Retry-After"), fixture.head.retryAfter));
            connection->sendHead(fixture.head.status, headers);
            for (const QByteArray &packet : cut(fixture.body, fixture.splits))
                connection->sendChunk(packet);
            connection->endChunks();
            connection->close();
        });
        const auto client = makeClient(protocol, server.url(""));
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        const QString wrong = difference(joined(got.events), fixture.events);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QCOMPARE(got.events.last().replay.isEmpty(), fixture.replay.isNull());
    }

    void cuts_data() { protocols(); }
    void cuts()
    {
        QFETCH(ModelProtocol, protocol);
        const ModelReply whole = ModelReply().text(u"Hello"_s).call(u"t1"_s, u"bash"_s, "{}");
        const auto count = static_cast<int>(whole.events({}, 1, protocol).size());
        // Chat is complete with the finish reason, before counters and [DONE].
        const int complete = protocol == ModelProtocol::Chat ? count - 2 : count;
        for (int events = 0; events <= count; ++events) {
            ModelServer server(protocol);
            server.enqueue(ModelReply(whole).cutAfter(events));
            const auto client = makeClient(protocol, server.baseUrl());
            QObject parent;
            Collector got(client->start(greeting(), &parent));
            QTRY_VERIFY(got.isOver());
            const StreamEvent last = got.events.last();
            QCOMPARE(last.type, events >= complete ? Type::Stop : Type::Error);
            if (last.type == Type::Error) {
                QCOMPARE(last.error.category, Category::Truncated);
                QVERIFY(last.error.retryable && last.replay.isEmpty());
            }
        }
    }

    void askedOnceAndNotRedirected_data() { protocols(); }
    void askedOnceAndNotRedirected()
    {
        QFETCH(ModelProtocol, protocol);
        for (const bool isRedirect : {false, true}) {
            LoopbackServer other;
            LoopbackServer server;
            server.setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
                if (isRedirect)
                    connection->redirect(307, other.url("/v1").toEncoded());
                else
                    connection->close();
            });
            const auto client = makeClient(protocol, server.url(""));
            QObject parent;
            Collector got(client->start(greeting(), &parent));
            QTRY_VERIFY(got.isOver());
            const ApiError error = got.events.last().error;
            QCOMPARE(error.category, isRedirect ? Category::Redirect : Category::Truncated);
            QCOMPARE(server.requests().size(), 1);
            QVERIFY(other.requests().isEmpty());
        }
    }

    void theKeyIsInNoErrorText_data() { protocols(); }
    void theKeyIsInNoErrorText()
    {
        QFETCH(ModelProtocol, protocol);
        LoopbackServer server;
        server.enqueue([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(
                401, "{\"error\":{\"message\":\"Incorrect key " + Key + "\",\"code\":\"invalid_api_key\"}}",
                {{"x-request-id", "req_9"}});
        });
        const auto client = makeClient(protocol, server.url(""));
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        const ApiError error = got.events.last().error;
        QCOMPARE(error.category, Category::Auth);
        QVERIFY(error.message.contains(u"Incorrect key"_s) && !error.message.contains(u"sk-test"_s));
        QCOMPARE(error.requestId, u"req_9"_s);
    }

    void withoutAKey()
    {
        ModelServer server(ModelProtocol::Chat);
        server.setKeyNeeded(false);
        server.enqueue(ModelReply().text(u"Hi"_s));
        const auto client = makeClient(ModelProtocol::Chat, server.baseUrl(), {});
        QObject parent;
        Collector got(client->start(greeting(), &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.text(), u"Hi"_s);
        QVERIFY(!server.loopback()->requests().first().hasHeader("authorization"));
    }

    void aServerThatDoesNotClose()
    {
        const ModelReply reply = ModelReply().text(u"Hi"_s);
        const auto count = static_cast<int>(reply.events({}, 1, ModelProtocol::Chat).size());
        ModelServer server(ModelProtocol::Chat);
        server.enqueue(ModelReply(reply).holdBefore(count - 1)); // all but [DONE]
        const auto client = makeClient(ModelProtocol::Chat, server.baseUrl());
        QObject parent;
        auto *stream = qobject_cast<HttpModelStream *>(client->start(greeting(), &parent));
        QVERIFY(stream);
        stream->setLinger(std::chrono::milliseconds(50));
        Collector got(stream);
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().reason, StopReason::EndTurn);
        QCOMPARE(got.ofType(Type::Usage).size(), 1);
        QCOMPARE(got.ends, 1);
    }
};

QTEST_GUILESS_MAIN(TestOpenAiClients)
#include "tst_openaiclients.moc"
