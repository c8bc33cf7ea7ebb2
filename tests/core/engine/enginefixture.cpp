// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"

#include <QRegularExpression>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

EngineFixture::EngineFixture(ModelProtocol wire)
    : protocol(wire)
    , model(wire)
{
    environment = {{u"SUPERSERVE_API_KEY"_s, QString()},
                   {keyVariableOf(protocol), u"sk-ant-test-0123456789"_s}};
    options.program = u"test"_s;
    options.dataDir = folder.path();
    options.retries = false;
    options.environment = [this](const QString &name) { return environment.value(name); };
    connect(&model, &ModelServer::requested, this, [this] { log.append(u"model"_s); });
}

EngineFixture::~EngineFixture() = default;

void EngineFixture::startServices()
{
    QVERIFY2(sandboxd.start(), sandboxd.errorText().constData());
    proxy = std::make_unique<RecordingProxy>(sandboxd.base());
    connect(proxy.get(), &RecordingProxy::recorded, this, [this](const ProxiedCall &call) {
        static const QRegularExpression id(u"[0-9a-f]{8}-[0-9a-f-]{27}"_s);
        const QString target = QString::fromLatin1(call.target).replace(id, u"ID"_s);
        log.append(call.method == "START" ? u"START"_s : QString::fromLatin1(call.method) + u' ' + target);
    });
    environment[u"SUPERSERVE_API_KEY"_s] = QString::fromLatin1(sandboxd.key());
    environment[u"SUPERSERVE_BASE_URL"_s] = proxy->url().toString();
    environment[urlVariableOf(protocol)] = model.baseUrl().toString();
}

void EngineFixture::openEngine()
{
    auto opened = Engine::open(options);
    QVERIFY2(opened, opened ? "" : qPrintable(opened.error().toText()));
    engine = std::move(*opened);
    connect(engine.get(), &Engine::eventsReady, this, [this](const EventBatch &batch) { events += batch; });
    connect(engine.get(), &Engine::turnEnded, this,
            [this](const QString &, const QString &reason) { ends.append(reason); });
}

void EngineFixture::closeEngine() { engine.reset(); }

QString EngineFixture::begin(const ConversationSettings &settings, const QString &prompt)
{
    lastConversation = engine->createConversation(settings);
    submit(lastConversation, prompt);
    return lastConversation;
}

void EngineFixture::submit(const QString &conversation, const QString &prompt, MessageDelivery delivery)
{
    engine->submit(conversation, prompt, delivery, this, [this](const Result<Done, Error> &taken) {
        if (!taken)
            refusals.append(taken.error().message);
    });
}

QString EngineFixture::waitForEnd()
{
    const qsizetype before = ends.size();
    if (!QTest::qWaitFor([&] { return ends.size() > before; }, 20000))
        return u"did not end"_s;
    return ends.last();
}

QString EngineFixture::providerOf(ModelProtocol protocol)
{
    switch (protocol) {
    case ModelProtocol::Anthropic:
        return u"anthropic"_s;
    case ModelProtocol::Responses:
        return u"openai"_s;
    case ModelProtocol::Chat:
        return u"deepseek"_s;
    }
    return {};
}

QString EngineFixture::modelOf(ModelProtocol protocol)
{
    switch (protocol) {
    case ModelProtocol::Anthropic:
        return u"claude-sonnet-5-5"_s;
    case ModelProtocol::Responses:
        return u"gpt-5.5"_s;
    case ModelProtocol::Chat:
        return u"deepseek-chat"_s;
    }
    return {};
}

QString EngineFixture::keyVariableOf(ModelProtocol protocol)
{
    return providerOf(protocol).toUpper() + u"_API_KEY"_s;
}

QString EngineFixture::urlVariableOf(ModelProtocol protocol)
{
    return providerOf(protocol).toUpper() + u"_BASE_URL"_s;
}

ConversationSettings EngineFixture::onWire(ConversationSettings settings) const
{
    settings.provider = providerOf(protocol);
    settings.model = modelOf(protocol);
    return settings;
}

ConversationSettings EngineFixture::settings(const QString &sandboxName, const QString &instructions,
                                             const QStringList &tools, const QString &afterTurn, int maxSteps)
{
    ConversationSettings settings;
    settings.provider = u"anthropic"_s;
    settings.model = u"claude-sonnet-5-5"_s;
    settings.backend = u"superserve"_s;
    settings.sandboxName = sandboxName;
    settings.instructions = instructions;
    settings.tools = tools;
    settings.afterTurn = afterTurn;
    settings.maxSteps = maxSteps;
    settings.approval = u"allow"_s;
    return settings;
}

QStringList EngineFixture::calls() const { return log; }

QList<Json> EngineFixture::payloads(EventKind kind) const
{
    QList<Json> all;
    for (const EventDelivery &delivery : events) {
        if (delivery.event->kind == kind)
            all.append(delivery.event->json());
    }
    return all;
}

QStringList EngineFixture::kinds() const
{
    QStringList all;
    for (const EventDelivery &delivery : events)
        all.append(eventKindName(delivery.event->kind));
    return all;
}

QByteArray EngineFixture::output(const QString &callId, const QString &channel) const
{
    QByteArray bytes;
    for (const EventDelivery &delivery : events) {
        if (delivery.event->kind != EventKind::ToolOutput)
            continue;
        const Json payload = delivery.event->json();
        if (payload[u"callId"].toString() == callId && payload[u"channel"].toString() == channel)
            bytes += delivery.bytes;
    }
    return bytes;
}

QByteArray EngineFixture::body(const QByteArray &method, int index) const
{
    for (const ProxiedCall &call : proxy->calls()) {
        if (call.method == method && index-- == 0)
            return call.body;
    }
    return {};
}

} // namespace Pilothouse::Tests
