// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "turnrig.h"

#include "model/anthropicclient.h"
#include "model/chatclient.h"
#include "model/refusedparameters.h"
#include "model/responsesclient.h"

#include <QHash>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

const QByteArray TurnRig::Key = "sk-test-KEYKEYKEY-0123456789";

namespace {

class CountedRun final : public ToolRun {
public:
    explicit CountedRun(QObject *parent)
        : ToolRun(parent)
    {
        QMetaObject::invokeMethod(
            this,
            [this] {
                ToolEnd end;
                end.result = "\"" + QByteArray(CountingTool::Result) + "\"";
                Q_EMIT finished(end);
            },
            Qt::QueuedConnection);
    }
    void stop(const QString &) override { }
};

/// Passes requests on with a limit of tokens, which the loop itself never sets.
class LimitedClient final : public ModelClient {
public:
    LimitedClient(std::shared_ptr<ModelClient> client, int maxTokens)
        : m_client(std::move(client))
        , m_maxTokens(maxTokens)
    { }
    QString provider() const override { return m_client->provider(); }
    QString protocol() const override { return m_client->protocol(); }
    ModelStream *start(const ModelRequest &request, QObject *parent) override
    {
        ModelRequest limited = request;
        limited.maxTokens = m_maxTokens;
        return m_client->start(limited, parent);
    }

private:
    std::shared_ptr<ModelClient> m_client;
    int m_maxTokens;
};

} // namespace

void MemoryJournal::append(EventKind kind, const QByteArray &payload)
{
    Event event;
    event.seq = events.size() + 1;
    event.kind = kind;
    event.payload = payload;
    events.append(event);
    history.apply(event);
}

void MemoryJournal::appendDelta(EventKind kind, int turn, int step, int attempt, int part,
                                const QString &text)
{
    append(kind,
           JsonBuilder()
               .add("turn"_L1, turn)
               .add("step"_L1, step)
               .add("attempt"_L1, attempt)
               .add("part"_L1, part)
               .add("text"_L1, text)
               .take());
}

bool MemoryJournal::appendOutput(int, int, const QString &, OutputChannel, const QByteArray &)
{
    return true;
}

void MemoryJournal::whenDurable(QObject *context, std::function<void()> then)
{
    QMetaObject::invokeMethod(context, std::move(then), Qt::QueuedConnection);
}

QList<Json> MemoryJournal::payloads(EventKind kind) const
{
    QList<Json> all;
    for (const Event &event : events) {
        if (event.kind == kind)
            all.append(event.json());
    }
    return all;
}

QByteArray CountingTool::inputSchema() const
{
    return "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"}},\"required\":["
           "\"command\"]}";
}

ToolRun *CountingTool::start(const Json &args, const ToolContext &, QObject *parent) const
{
    runs.append(args.toJson());
    return new CountedRun(parent);
}

TurnRig::TurnRig(ModelProtocol wire, const QString &provider)
    : protocol(wire)
{
    machine.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
        connection->respond(201,
                            "{\"id\":\"sb-1\",\"status\":\"active\",\"created_at\":\"2026-01-01T00:00:00Z\","
                            "\"access_token\":\"t\"}");
    });
    SandboxEndpoint place;
    place.control = machine.url("");
    place.apiKey = Secret("bench-key");
    m_sandbox = std::make_unique<SandboxClient>(&network, place);
    endpoint.provider = provider;
    if (provider.isEmpty())
        endpoint.provider = protocol == ModelProtocol::Anthropic ? u"anthropic"_s : u"openai"_s;
    endpoint.baseUrl = model.url("");
    endpoint.key = Secret(Key);
    endpoint.refused = std::make_shared<RefusedParameters>();
}

TurnRig::~TurnRig() = default;

std::shared_ptr<ModelClient> TurnRig::makeClient()
{
    std::shared_ptr<ModelClient> client;
    switch (protocol) {
    case ModelProtocol::Anthropic:
        client = std::make_shared<AnthropicClient>(&network, endpoint);
        break;
    case ModelProtocol::Responses:
        client = std::make_shared<ResponsesClient>(&network, endpoint);
        break;
    case ModelProtocol::Chat:
        client = std::make_shared<ChatClient>(&network, endpoint);
        break;
    }
    return maxTokens > 0 ? std::make_shared<LimitedClient>(client, maxTokens) : client;
}

void TurnRig::run(const QString &prompt)
{
    m_isOver = false;
    m_loop.reset();
    const QString id = u"m%1"_s.arg(++m_turn);
    journal.append(
        EventKind::UserMessage,
        JsonBuilder().add("messageId"_L1, id).add("text"_L1, prompt).add("delivery"_L1, "now"_L1).take());
    Json ids = Json::array();
    ids.append(Json::string(id));
    JsonBuilder begin;
    begin.add("turn"_L1, m_turn);
    if (m_turn > 1)
        begin.add("parent"_L1, m_turn - 1);
    journal.append(EventKind::TurnStart, begin.add("messageIds"_L1, ids).take());

    TurnSetup setup;
    setup.turn = m_turn;
    setup.conversation = u"c"_s;
    setup.model = {endpoint.provider, u"model-x"_s};
    setup.keyHint = u"The key of this service"_s;
    setup.instructions = u"Work."_s;
    setup.tools = ToolSet({tool});
    setup.history = [this] { return journal.history.history(); };
    setup.afterTurn = AfterTurn::Keep;
    setup.policy = Policy(ApprovalMode::Allow);
    setup.waitDivisor = 1000;
    setup.machine.backend = u"local"_s;
    setup.machine.name = u"rig"_s;
    setup.sandboxClient = [this](QObject *, auto reply) { reply(m_sandbox.get()); };
    setup.modelClient = [client = makeClient()]() -> Result<std::shared_ptr<ModelClient>, Error> {
        return client;
    };
    m_loop = std::make_unique<AgentLoop>(std::move(setup), &journal, nullptr);
    connect(m_loop.get(), &AgentLoop::finished, this, [this] { m_isOver = true; });
    m_loop->start();
}

ModelReply TurnRig::callingReply()
{
    return ModelReply()
        .thinking(u"Which way"_s, u"SIGNATURE"_s)
        .text(u"Building."_s)
        .call(u"call1"_s, u"bash"_s, Arguments);
}

ModelReply TurnRig::closingReply() { return ModelReply().text(u"Built."_s); }

QList<QByteArray> TurnRig::goodEvents(const LoopbackRequest &request) const
{
    const ModelReply reply = request.body.contains(CountingTool::Result) ? closingReply() : callingReply();
    return reply.events(u"model-x"_s, 1, protocol);
}

void TurnRig::sendGood(const LoopbackRequest &request, LoopbackConnection *connection) const
{
    connection->sendHead(200, {{"Content-Type", "text/event-stream"}});
    connection->sendChunk(goodEvents(request).join());
    connection->endChunks();
}

void TurnRig::scan(const QByteArray &log) const
{
    for (const Event &event : journal.events)
        QVERIFY2(!event.payload.contains(Key), event.payload.constData());
    for (const LoopbackRequest &request : model.requests()) {
        for (const auto &[name, value] : request.headers) {
            if (value.contains(Key))
                QVERIFY2(name.toLower()
                             == (protocol == ModelProtocol::Anthropic ? "x-api-key" : "authorization"),
                         name.constData());
        }
        QVERIFY(!request.target.contains(Key) && !request.body.contains(Key));
    }
    for (const QString &text : {error().message, error().kept, error().todo})
        QVERIFY2(!text.contains(QString::fromLatin1(Key)), qPrintable(text));
    QVERIFY2(!log.contains(Key), log.constData());
}

void TurnRig::checkCallsEnded() const
{
    QHash<QString, int> ends;
    for (const EventKind kind : {EventKind::ToolResult, EventKind::ToolError}) {
        for (const Json &payload : journal.payloads(kind))
            ++ends[payload[u"callId"].toString()];
    }
    const QList<Json> calls = journal.payloads(EventKind::ToolCall);
    for (const Json &call : calls)
        QCOMPARE(ends.value(call[u"callId"].toString()), 1);
    QCOMPARE(ends.size(), calls.size());
}

} // namespace Pilothouse::Tests
