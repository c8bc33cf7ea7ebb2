// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/conversation.h"

#include "engine/backends.h"
#include "engine/eventpipe.h"
#include "engine/keyring.h"
#include "engine/messagecheck.h"
#include "model/modelcatalog.h"
#include "util/ids.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int DefaultMaxSteps = 5;

std::optional<qint64> limitOf(const std::optional<qint64> &chosen, const std::optional<qint64> &own)
{
    if (!chosen)
        return own;
    return *chosen < 0 ? std::nullopt : chosen;
}

} // namespace

QString deliveryName(Delivery delivery)
{
    switch (delivery) {
    case Delivery::Now:
        return u"now"_s;
    case Delivery::AfterStep:
        return u"after-step"_s;
    case Delivery::AfterTurn:
        return u"after-turn"_s;
    }
    return u"now"_s;
}

Conversation::Conversation(std::unique_ptr<ConversationLog> log, const Services &services, QObject *parent)
    : QObject(parent)
    , m_log(std::move(log))
    , m_services(services)
{
    m_log->setOverrun([this](const QString &callId, ConversationLog::Overrun why) {
        const bool isFull = why == ConversationLog::Overrun::DiskFull;
        const QString text = isFull
            ? u"The disk is nearly full: what this call prints from here on is not kept, and the call is "
              u"being "
              u"stopped."_s
            : u"Output came faster than it could be written; the call is being stopped."_s;
        m_log->append(
            EventKind::Note,
            JsonBuilder().add("about"_L1, "output"_L1).add("text"_L1, text).add("callId"_L1, callId).take());
        if (m_loop)
            m_loop->stopCall(
                callId,
                isFull ? u"Stopped: the user's disk is nearly full, so its output could not be kept."_s
                       : u"Stopped: it printed faster than its output could be kept."_s);
    });
}

Conversation::~Conversation()
{
    delete m_loop; // Before the log it writes to.
}

std::optional<Error> Conversation::submit(const QString &text, Delivery delivery)
{
    if (m_log->state().deleted)
        return Error{ErrorKind::NotFound, u"This conversation was deleted."_s, {}, u"Start a new one."_s};
    if (std::optional<Error> problem = messageProblem(text))
        return problem;
    const ConversationSettings &settings = m_log->state().settings;
    if (std::optional<Error> problem =
            scriptProblem(m_services.options->demoScript, settings.provider, settings.model))
        return problem;
    if (m_loop && delivery == Delivery::Now)
        return Error{ErrorKind::Busy, u"A turn is already running."_s,
                     u"The running turn was not touched; nothing was sent."_s,
                     u"Wait for its end, steer it, or stop it."_s};
    m_services.pipe->retryStore();
    const QString messageId = newId();
    const Delivery effective = m_loop ? delivery : Delivery::Now;
    m_log->append(EventKind::UserMessage,
                  JsonBuilder()
                      .add("messageId"_L1, messageId)
                      .add("text"_L1, text)
                      .add("delivery"_L1, deliveryName(effective))
                      .take());
    if (!m_loop)
        startTurn({messageId});
    else if (delivery == Delivery::AfterStep)
        m_loop->steer(messageId, text);
    return {};
}

void Conversation::startTurn(const QStringList &messageIds)
{
    const ConversationState &state = m_log->state();
    const ConversationSettings &settings = state.settings;
    const HistoryBuilder &history = m_log->history();
    TurnSetup setup;
    setup.turn = history.lastTurn() + 1;
    setup.conversation = m_log->conversation();
    setup.model = {settings.provider, settings.model};
    if (const ProviderInfo *provider = m_services.catalog->provider(settings.provider)) {
        setup.providerName = provider->name;
        if (!provider->keyVariables.isEmpty())
            setup.keyHint =
                u"The key of %1 (%2)"_s.arg(provider->name, provider->keyVariables.join(u" or "_s));
    }
    setup.instructions = settings.instructions;
    setup.tools = ToolSet::builtIn(settings.tools);
    setup.history = [this] { return m_log->history().history(); };
    setup.maxSteps = settings.maxSteps > 0 ? settings.maxSteps : DefaultMaxSteps;
    if (settings.maxSteps <= 0) {
        // Nobody chose a limit: a scripted scenario's own one applies.
        if (const auto client = m_services.catalog->client(setup.model))
            setup.maxSteps = (*client)->ownMaxSteps().value_or(setup.maxSteps);
    }
    setup.afterTurn = afterTurnFromName(settings.afterTurn, AfterTurn::Pause);
    const bool cannotAsk = settings.approval == "ask-and-end"_L1 || m_services.options->endWhenAsked;
    setup.policy =
        Policy(approvalModeFromName(settings.approval, ApprovalMode::Ask), m_services.options->askAsScripted);
    setup.endWhenAsked = cannotAsk;
    setup.retries = m_services.options->retries;
    setup.pauseWhileWaiting = m_services.options->pauseWhileWaiting;
    setup.machine.turn = setup.turn;
    setup.machine.backend = settings.backend;
    setup.machine.name = settings.sandboxName;
    setup.machine.installId = m_services.installId;
    setup.machine.conversation = m_log->conversation();
    setup.machine.sandboxId = state.sandboxId;
    setup.machine.openAttempt = state.openAttempt;
    setup.machine.madeWith = state.sandboxBackend;
    setup.machine.origin = state.sandboxOrigin;
    setup.machine.createdAt = state.sandboxCreatedAt;
    setup.machine.isAfterDelete = state.sandboxState == "deleted"_L1;
    setup.machine.isAfterRelease = state.sandboxState == "released"_L1;
    setup.machine.timeoutSeconds =
        limitOf(settings.sandboxTimeoutSeconds, m_services.options->sandboxTimeoutSeconds);
    setup.machine.autoDeleteSeconds =
        limitOf(settings.sandboxAutoDeleteSeconds, m_services.options->sandboxAutoDeleteSeconds);
    setup.machine.fromTemplate = settings.sandboxTemplate;
    setup.machine.network = settings.network;
    setup.sandboxClient = [this, backend = settings.backend](QObject *context, Backends::ClientReply reply) {
        m_services.backends->client(backend, context, std::move(reply));
    };
    setup.isSandboxLost = [this](const SandboxClient *client) { return m_services.backends->isLost(client); };
    const ModelName name = setup.model;
    setup.modelClient = [this, name] {
        auto client = m_services.catalog->client(name);
        if (!client && client.error().kind == ErrorKind::KeyMissing) {
            // There is one, and the keychain did not give it: that is what can be mended.
            const ProviderInfo *provider = m_services.catalog->provider(name.provider);
            for (const QString &variable : provider ? provider->keyVariables : QStringList()) {
                if (const std::optional<Error> problem = m_services.keys->problemOf(variable))
                    return Result<std::shared_ptr<ModelClient>, Error>(fail(*problem));
            }
        }
        return client;
    };
    if (!settings.tools.isEmpty()) {
        setup.modelProblem = [this, name](QObject *context, auto reply) {
            m_services.catalog->checkTools(name, context, std::move(reply));
        };
    }
    setup.costNanos = [this, name](const Usage &usage) { return m_services.catalog->costNanos(name, usage); };

    Json ids = Json::array();
    for (const QString &id : messageIds)
        ids.append(Json::string(id));
    JsonBuilder payload;
    payload.add("turn"_L1, setup.turn);
    if (history.headTurn() > 0)
        payload.add("parent"_L1, history.headTurn());
    else
        payload.addNull("parent"_L1);
    payload.add("messageIds"_L1, ids).add("provider"_L1, settings.provider).add("model"_L1, settings.model);
    payload.add("maxSteps"_L1, setup.maxSteps).add("afterTurn"_L1, settings.afterTurn);
    m_log->append(EventKind::TurnStart, payload.take());

    m_loop = new AgentLoop(std::move(setup), m_log.get(), this);
    connect(m_loop, &AgentLoop::finished, this, &Conversation::onTurnFinished);
    m_loop->start();
}

void Conversation::onTurnFinished()
{
    const TurnEnd end = m_loop->end();
    m_loop->disconnect(this);
    m_loop->deleteLater();
    m_loop = nullptr;
    m_services.pipe->flush();
    if (m_afterTurn) {
        Q_EMIT turnEnded(m_log->conversation(), end);
        std::exchange(m_afterTurn, {})();
        return;
    }
    const QStringList next = messagesAfter(end);
    Q_EMIT turnEnded(m_log->conversation(), end);
    if (!next.isEmpty() && !m_loop)
        startTurn(next);
}

// What was queued goes on by itself only after an end that the person did not ask for and that was no
// failure. What was to steer a turn that ended otherwise was about that turn alone, so it must not begin one
// later on.
QStringList Conversation::messagesAfter(TurnEnd end)
{
    const bool goesOn = end == TurnEnd::Finished || end == TurnEnd::StepLimit;
    const int turn = m_log->history().lastTurn();
    QStringList steering;
    QStringList later;
    const QList<HistoryBuilder::Queued> all = m_log->history().queued();
    for (const HistoryBuilder::Queued &queued : all) {
        if (queued.delivery != deliveryName(Delivery::AfterStep))
            later.append(queued.messageId);
        else if (goesOn && queued.turn == turn)
            steering.append(queued.messageId);
        else
            m_log->append(
                EventKind::QueueChanged,
                JsonBuilder().add("messageId"_L1, queued.messageId).add("state"_L1, "returned"_L1).take());
    }
    if (!goesOn)
        return {};
    return steering.isEmpty() ? later.mid(0, 1) : steering;
}

void Conversation::stop(StopCause cause)
{
    if (m_loop)
        m_loop->stop(cause);
}

void Conversation::stopCall(const QString &callId)
{
    if (m_loop)
        m_loop->stopCall(callId);
}

QString Conversation::decide(const QString &callId, const ApprovalDecision &decision)
{
    return m_loop ? m_loop->decide(callId, decision) : u"No turn is running, so no call waits."_s;
}

void Conversation::changeSettings(const QByteArray &members)
{
    m_log->append(EventKind::ConversationSettings, members);
}

void Conversation::rename(const QString &title)
{
    m_log->append(EventKind::ConversationRenamed,
                  JsonBuilder().add("title"_L1, title).add("by"_L1, "user"_L1).take());
}

void Conversation::archive(bool archived)
{
    m_log->append(EventKind::ConversationArchived, JsonBuilder().add("archived"_L1, archived).take());
}

void Conversation::remove(bool withSandbox, QObject *context,
                          std::function<void(const Result<Done, Error> &)> reply)
{
    const QPointer<QObject> guard(context);
    if (m_loop) {
        m_afterTurn = [this, withSandbox, guard, reply] { removeSandbox(withSandbox, guard, reply); };
        m_loop->stop();
    } else {
        removeSandbox(withSandbox, guard, std::move(reply));
    }
}

void Conversation::removeSandbox(bool withSandbox, QPointer<QObject> context,
                                 std::function<void(const Result<Done, Error> &)> reply)
{
    const QString sandboxId = m_log->state().sandboxId;
    if (sandboxId.isEmpty() || m_log->state().sandboxState == "gone"_L1) {
        writeDeleted(u"none"_s, context, reply);
        return;
    }
    if (!withSandbox) {
        writeDeleted(u"kept"_s, context, reply);
        return;
    }
    m_services.backends->client(
        m_log->state().settings.backend, this, [this, sandboxId, context, reply](const auto &client) {
            const auto refuse = [context, reply](const QString &why) {
                if (context)
                    reply(fail(Error{ErrorKind::Sandbox, u"The sandbox could not be deleted: "_s + why,
                                     u"The conversation and its sandbox are kept."_s,
                                     u"Try again, or delete the conversation and keep the sandbox."_s}));
            };
            if (!client) {
                refuse(client.error().message);
                return;
            }
            if (const std::optional<Error> problem = bindingProblem(*client)) {
                refuse(problem->message);
                return;
            }
            (*client)->remove(sandboxId, this,
                              [this, context, reply, refuse](const Result<Done, ApiError> &done) {
                                  if (done)
                                      writeDeleted(u"deleted"_s, context, reply);
                                  else
                                      refuse(done.error().message);
                              });
        });
}

void Conversation::writeDeleted(const QString &sandbox, QPointer<QObject> context,
                                std::function<void(const Result<Done, Error> &)> reply)
{
    m_log->append(EventKind::ConversationDeleted, JsonBuilder().add("sandbox"_L1, sandbox).take());
    m_log->whenDurable(this, [this, context, reply] {
        if (context)
            reply(Done());
        Q_EMIT removed(m_log->conversation());
    });
}

void Conversation::storageFailed(const Error &error)
{
    if (m_loop)
        m_loop->storageFailed(error);
}

} // namespace Pilothouse
