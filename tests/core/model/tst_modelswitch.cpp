// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "collect.h"
#include "history.h"
#include "model/anthropicclient.h"
#include "model/chatclient.h"
#include "model/responsesclient.h"
#include "net/networkaccess.h"
#include "support/modelserver.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

struct Service {
    ModelServer server;
    std::unique_ptr<ModelClient> client;

    Service(NetworkAccess *network, ModelProtocol protocol, const QString &provider)
        : server(protocol)
    {
        ModelEndpoint endpoint;
        endpoint.provider = provider;
        endpoint.baseUrl = server.baseUrl();
        endpoint.key = Secret("sk-test-0123456789");
        switch (protocol) {
        case ModelProtocol::Anthropic:
            client = std::make_unique<AnthropicClient>(network, endpoint);
            break;
        case ModelProtocol::Responses:
            client = std::make_unique<ResponsesClient>(network, endpoint);
            break;
        case ModelProtocol::Chat:
            client = std::make_unique<ChatClient>(network, endpoint);
            break;
        }
    }
};

} // namespace

/// One conversation that goes from service to service; each service checks every request as its vendor would.
class TestModelSwitch : public Tests::Test {
    Q_OBJECT
private:
    NetworkAccess m_network;
    QList<HistoryItem> m_history;

    // One step: an answer with thinking, text and two calls, and the results of the calls.
    void step(Service &service, const QString &model, const QString &mark)
    {
        // Each service gives ids that only it would take.
        const QStringList ids = service.client->protocol() == "openai-chat"_L1
            ? QStringList{u"AbCd1234"_s, u"zYxW9876"_s}
            : service.client->protocol() == "openai-responses"_L1
            ? QStringList{u"call:"_s, QString(63, u'r')}
            : QStringList{u"toolu-"_s, QString(99, u'a')};
        service.server.enqueue(ModelReply()
                                   .thinking(u"think-"_s + mark, u"SIG-"_s + mark)
                                   .text(u"text-"_s + mark)
                                   .call(ids[0] + mark, u"bash"_s, "{\"n\":1}")
                                   .call(ids[1] + mark, u"bash"_s, "{\"n\":2}"));
        ModelRequest request;
        request.model = model;
        request.instructions = u"Be brief."_s;
        request.tools = {{u"bash"_s, u"Run."_s, "{\"type\":\"object\",\"properties\":{}}"}};
        request.history = m_history;
        QObject parent;
        Collector got(service.client->start(request, &parent));
        QTRY_VERIFY(got.isOver());
        QVERIFY2(service.server.complaints().isEmpty(), qPrintable(service.server.complaints().join(u';')));
        QCOMPARE(got.events.last().reason, StopReason::ToolUse);
        m_history.append(answerItem(service.client->protocol(), service.client->provider(), model,
                                    got.events.last().replay));
        QList<ToolOutcome> outcomes;
        for (const StreamEvent &call : got.ofType(Type::ToolCall))
            outcomes.append({call.id, call.name, u"result-"_s + mark, outcomes.isEmpty()});
        QCOMPARE(outcomes.size(), 2);
        m_history.append(resultsItem(outcomes));
    }

private Q_SLOTS:
    void init() { m_history = {userItem(u"Begin."_s)}; }

    void throughAllProtocols()
    {
        Service anthropic(&m_network, ModelProtocol::Anthropic, u"anthropic"_s);
        Service responses(&m_network, ModelProtocol::Responses, u"openai"_s);
        Service chat(&m_network, ModelProtocol::Chat, u"mistral"_s);
        step(chat, u"magistral"_s, u"a"_s);
        m_history.removeLast(); // What was not answered is answered by the history.
        step(anthropic, u"claude"_s, u"b"_s);
        step(responses, u"gpt"_s, u"c"_s);
        step(responses, u"gpt"_s, u"d"_s);
        step(responses, u"gpt-other"_s, u"e"_s);
        m_history.append(userItem(u"Go on."_s));
        step(chat, u"magistral"_s, u"f"_s);
        step(anthropic, u"claude"_s, u"g"_s);
        step(anthropic, u"claude-other"_s, u"h"_s);
        step(chat, u"other"_s, u"i"_s);
        step(responses, u"gpt"_s, u"j"_s);

        // Nothing is lost but thinking, and that only where it is void.
        const QByteArray toAnthropic = anthropic.server.bodies()[1];
        for (const char mark : QByteArray("abcdef"))
            QVERIFY(toAnthropic.contains(QByteArray("text-").append(mark)));
        for (const char mark : QByteArray("bcdef"))
            QCOMPARE(toAnthropic.count(QByteArray("result-").append(mark)), 2);
        QCOMPARE(toAnthropic.count("not run"), 2);
        QVERIFY(toAnthropic.contains("think-b") && toAnthropic.contains("SIG-b"));
        for (const char mark : QByteArray("acdef"))
            QVERIFY(!toAnthropic.contains(QByteArray("think-").append(mark)));
        QVERIFY(!anthropic.server.bodies()[2].contains("think-"));

        const QByteArray toResponses = responses.server.bodies()[1];
        QVERIFY(toResponses.contains("SIG-c") && !toResponses.contains("SIG-b"));
        QVERIFY(!responses.server.bodies()[2].contains("SIG-"));
        QVERIFY(responses.server.bodies()[3].contains("SIG-d")
                && !responses.server.bodies()[3].contains("SIG-e"));

        const QByteArray toChat = chat.server.bodies()[1];
        QVERIFY(toChat.contains("think-a") && !toChat.contains("think-b"));
        QVERIFY(!chat.server.bodies()[2].contains("think-"));
    }
};

QTEST_GUILESS_MAIN(TestModelSwitch)
#include "tst_modelswitch.moc"
