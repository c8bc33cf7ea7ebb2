// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/agentloop.h"

#include "util/clock.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// The server's own tool loop may pause again and again; each round costs a request.
constexpr int MostPauses = 5;
// A sandbox service that ends again and again does so because of what runs in it.
constexpr int MostRestarts = 1;
// A word of a protocol, not a text.
constexpr qsizetype QuotedReason = 40;

// "A little" is true of less.
constexpr qint64 LongestUntoldWaitMs = 60'000;

QString waitText(qint64 ms)
{
    constexpr qint64 Minute = 60'000;
    constexpr qint64 MostMinutes = 120;
    constexpr qint64 Day = 24 * 60 * Minute;
    if (ms >= Day)
        return u"a day or longer"_s; // More is not kept.
    const qint64 minutes = (ms + Minute - 1) / Minute;
    return minutes <= MostMinutes ? u"%1 minutes"_s.arg(minutes)
                                  : u"%1 hours"_s.arg((minutes + Minute / 1000 - 1) / (Minute / 1000));
}

qint64 nowMs() { return SystemClock().monotonicMs(); }

Json dollars(const std::optional<qint64> &nanos)
{
    return nanos ? Json::number(static_cast<double>(*nanos) / 1e9) : Json();
}

QString modelErrorTodo(const ApiError &error)
{
    switch (error.category) {
    case ApiError::Category::Auth:
        return u"Check the key of this provider and send the message again."_s;
    case ApiError::Category::Billing:
        return u"Money or quota at the provider is used up; add some, or choose another model."_s;
    case ApiError::Category::ContextWindow:
        return u"The conversation is too long for this model; start a new one from a summary."_s;
    case ApiError::Category::NotFound:
        return u"Check the model's name and the base URL."_s;
    case ApiError::Category::RateLimit:
    case ApiError::Category::Overloaded:
        return u"Wait a little and send the message again."_s;
    case ApiError::Category::Redirect:
    case ApiError::Category::Protocol:
        return u"Check the base URL of this provider."_s;
    case ApiError::Category::Network:
        return u"Check the network, or that the local server runs, and send the message again."_s;
    case ApiError::Category::Permission:
        return u"Check what the key of this provider may be used for, or choose another model."_s;
    case ApiError::Category::Gone:
        return u"The provider no longer has what was asked for; choose another model, or check the base URL."_s;
    case ApiError::Category::TooLarge:
        return u"Send a shorter message, or start a new conversation from a summary."_s;
    case ApiError::Category::Tls:
        return u"Check the base URL of this provider and this computer's certificates."_s;
    case ApiError::Category::InvalidRequest:
    case ApiError::Category::Conflict:
    case ApiError::Category::Server:
    case ApiError::Category::Timeout:
    case ApiError::Category::Truncated:
    case ApiError::Category::Cancelled:
    case ApiError::Category::Local:
        break;
    }
    return u"Send the message again, or choose another model."_s;
}

// How the protocols call an end that is followed by tools.
bool saysCalls(const QString &rawReason)
{
    return rawReason == "tool_use"_L1 || rawReason == "tool_calls"_L1 || rawReason == "function_call"_L1;
}

} // namespace

QString turnEndName(TurnEnd end)
{
    switch (end) {
    case TurnEnd::Finished:
        return u"finished"_s;
    case TurnEnd::StepLimit:
        return u"step-limit"_s;
    case TurnEnd::Limit:
        return u"limit"_s;
    case TurnEnd::ModelError:
        return u"model-error"_s;
    case TurnEnd::SandboxError:
        return u"sandbox-error"_s;
    case TurnEnd::Stopped:
        return u"stopped"_s;
    case TurnEnd::Waiting:
        return u"waiting"_s;
    case TurnEnd::Interrupted:
        return u"interrupted"_s;
    }
    return u"interrupted"_s;
}

AgentLoop::AgentLoop(TurnSetup setup, Journal *journal, QObject *parent)
    : QObject(parent)
    , m_setup(std::move(setup))
    , m_journal(journal)
{
    m_waitingTimer.setSingleShot(true);
    connect(&m_waitingTimer, &QTimer::timeout, this, [this] {
        if (m_state == State::Waiting && m_setup.afterTurn == AfterTurn::Pause) {
            m_machinePaused = true;
            m_machine->freeze(u"Paused while a call waits for an answer."_s);
        }
    });
}

void AgentLoop::setState(State state)
{
    if (m_state == state)
        return;
    m_state = state;
    Q_EMIT stateChanged(state);
}

void AgentLoop::start()
{
    setState(State::Recording);
    m_journal->whenDurable(this, [this] { checkModel(); });
}

void AgentLoop::checkModel()
{
    if (m_stopRequested) {
        endTurn(TurnEnd::Stopped);
        return;
    }
    setState(State::Connecting);
    // A model that cannot be asked at all (unknown provider, broken script) must not cost a sandbox first. A
    // missing key is told after it: keys may come while the machine starts.
    if (auto model = m_setup.modelClient()) {
        m_model = *model;
    } else if (model.error().kind != ErrorKind::KeyMissing) {
        fail(TurnEnd::ModelError, model.error());
        return;
    }
    if (!m_setup.modelProblem || !m_model) {
        connectMachine();
        return;
    }
    m_setup.modelProblem(this, [this](const std::optional<Error> &problem) {
        if (m_state != State::Connecting)
            return;
        if (problem && !m_stopRequested)
            fail(TurnEnd::ModelError, *problem);
        else
            connectMachine();
    });
}

void AgentLoop::connectMachine()
{
    if (m_stopRequested) {
        endTurn(TurnEnd::Stopped);
        return;
    }
    m_setup.sandboxClient(this, [this](const Result<SandboxClient *, Error> &client) {
        if (m_state == State::Settling || m_state == State::Finished)
            return;
        if (m_stopRequested) {
            endTurn(TurnEnd::Stopped);
            return;
        }
        if (!client) {
            fail(TurnEnd::SandboxError, client.error());
            return;
        }
        m_client = *client;
        m_machine = new TurnMachine(m_client, m_journal, m_setup.machine, this);
        connect(m_machine, &TurnMachine::ready, this, &AgentLoop::onMachineReady);
        connect(m_machine, &TurnMachine::failed, this, &AgentLoop::onMachineFailed);
        connect(m_machine, &TurnMachine::settled, this, &AgentLoop::writeTurnFinish);
        connect(m_machine, &TurnMachine::looked, this, &AgentLoop::onMachineLooked);
        connect(m_machine, &TurnMachine::frozen, this, [this](bool ok, const QString &problem) {
            if (m_state != State::Freezing)
                return;
            m_keepMachine = true;
            note(u"stop"_s,
                 ok ? u"The sandbox was paused: what did not end is frozen and can be looked at."_s
                    : u"The sandbox could not be paused (%1): whether the command still runs is unknown."_s
                          .arg(problem),
                 ok ? u"frozen"_s : u"unknown"_s);
            endTurn(TurnEnd::Stopped);
        });
        m_machine->connectSandbox();
    });
}

void AgentLoop::onMachineReady()
{
    m_connected = true;
    m_machinePaused = false;
    if (m_stopRequested) {
        endTurn(TurnEnd::Stopped);
    } else if (m_state == State::Waking) {
        setState(State::Calling);
        for (const ApprovedCall &call : std::exchange(m_onWaking, {}))
            m_runner->add(call);
        checkCalls();
    } else {
        think();
    }
}

void AgentLoop::onMachineFailed(const Error &error)
{
    if (m_state == State::Waking) {
        for (const ApprovedCall &call : std::exchange(m_onWaking, {}) + std::exchange(m_waiting, {}))
            refuse(call.proposed, call.proposed.toolName, u"Not run: the sandbox could not be started."_s,
                   u"not-run"_s);
    }
    fail(TurnEnd::SandboxError, error);
}

bool AgentLoop::isServiceLost() const
{
    return m_client && m_setup.isSandboxLost && m_setup.isSandboxLost(m_client);
}

void AgentLoop::withService(std::function<void(const std::optional<Error> &)> then)
{
    if (!isServiceLost()) {
        then({});
        return;
    }
    m_setup.sandboxClient(this, [this, then = std::move(then)](const Result<SandboxClient *, Error> &client) {
        if (m_state == State::Finished)
            return;
        if (!client) {
            then(client.error());
            return;
        }
        m_client = *client;
        m_machine->setClient(m_client);
        if (m_runner)
            m_runner->setClient(m_client);
        note(u"sandbox"_s, u"The local sandbox service had ended and was started again. Files are kept."_s);
        then({});
    });
}

void AgentLoop::wake()
{
    setState(State::Waking);
    withService([this](const std::optional<Error> &problem) {
        if (problem)
            onMachineFailed(*problem);
        else
            m_machine->connectSandbox();
    });
}

void AgentLoop::runCalls(const QList<ApprovedCall> &calls)
{
    if (!calls.isEmpty() && m_runner->isIdle() && m_machinePaused) {
        m_onWaking += calls;
        wake();
        return;
    }
    if (!calls.isEmpty() && m_runner->isIdle() && m_restarts < MostRestarts && isServiceLost()) {
        ++m_restarts;
        m_onWaking += calls;
        wake();
        return;
    }
    setState(State::Calling);
    for (const ApprovedCall &call : calls)
        m_runner->add(call);
    checkCalls();
}

void AgentLoop::think()
{
    if (m_stopRequested) {
        endTurn(TurnEnd::Stopped);
        return;
    }
    if (!m_model) {
        auto client = m_setup.modelClient();
        if (!client) {
            fail(TurnEnd::ModelError, client.error());
            return;
        }
        m_model = *client;
    }
    ++m_step;
    for (const auto &[messageId, text] : std::exchange(m_steering, {})) {
        m_journal->append(EventKind::QueueChanged,
                          JsonBuilder()
                              .add("messageId"_L1, messageId)
                              .add("state"_L1, "delivered"_L1)
                              .add("turn"_L1, m_setup.turn)
                              .add("step"_L1, m_step)
                              .take());
    }
    setState(State::Thinking);
    ModelRequest request;
    request.model = m_setup.model.model;
    request.instructions = m_setup.instructions;
    request.tools = m_setup.tools.specs();
    request.history = m_setup.history();
    request.conversation = m_setup.conversation;
    m_modelStep = new ModelStep(m_model.get(), m_journal, m_setup.turn, m_step, m_setup.retries, this);
    connect(m_modelStep, &ModelStep::finished, this, &AgentLoop::onAnswer);
    m_modelStep->setWaitDivisor(m_setup.waitDivisor);
    m_modelStep->start(request);
}

void AgentLoop::onAnswer(const ModelStepEnd &answer)
{
    m_modelStep->deleteLater();
    m_modelStep = nullptr;
    m_answer = answer;
    m_text = answer.text;
    if (answer.failed) {
        ModelStepEnd end = answer;
        if (end.error.category == ApiError::Category::Auth && !m_setup.keyHint.isEmpty())
            end.error.message = QString(m_setup.keyHint + u" was refused: "_s + end.error.message);
        onModelError(end);
        return;
    }
    m_usages.append(answer.usage);
    const std::optional<qint64> cost = m_setup.costNanos ? m_setup.costNanos(answer.usage) : std::nullopt;
    m_costNanos = m_costNanos && cost ? std::optional(*m_costNanos + *cost) : std::nullopt;

    const bool cut = answer.reason == StopReason::MaxTokens;
    const bool runs = answer.reason == StopReason::ToolUse;
    const QByteArray replay = runs || answer.calls.isEmpty() ? answer.replay : answer.replayWithoutCalls;
    JsonBuilder message;
    message.add("turn"_L1, m_setup.turn).add("step"_L1, m_step).add("attempt"_L1, answer.attempt);
    message.add("protocol"_L1, m_model->protocol())
        .add("provider"_L1, m_setup.model.provider)
        .add("model"_L1, m_setup.model.model);
    if (!replay.isEmpty())
        message.add("raw"_L1, QString::fromUtf8(replay));
    Json calls = Json::array();
    if (runs) {
        for (const ProposedCall &call : answer.calls) {
            Json entry = Json::object();
            entry.set(u"callId"_s, Json::string(call.callId));
            entry.set(u"providerCallId"_s, Json::string(call.providerCallId));
            entry.set(u"toolName"_s, Json::string(call.toolName));
            calls.append(std::move(entry));
        }
    }
    message.add("calls"_L1, calls)
        .add("finishReason"_L1, stopReasonName(answer.reason))
        .add("rawReason"_L1, answer.rawReason);
    message.add("usage"_L1, answer.usage.toJson())
        .addOptional("costNanos"_L1, cost)
        .add("modelMs"_L1, answer.modelMs);
    m_journal->append(EventKind::ModelMessage, message.take());

    m_callsStartedMs = nowMs();
    if (runs) {
        judge();
        return;
    }
    for (const ProposedCall &call : answer.calls)
        refuse(call, call.toolName,
               cut ? u"Not run: the answer was cut at the output limit, so the call may be incomplete."_s
                   : u"Not run: the model's answer did not end in a way that runs calls."_s,
               u"not-run"_s);
    finishStep();
    switch (answer.reason) {
    case StopReason::EndTurn:
    case StopReason::StopSequence:
    case StopReason::ToolUse:
        if (answer.calls.isEmpty() && answer.text.isEmpty() && saysCalls(answer.rawReason)) {
            fail(TurnEnd::ModelError,
                 {ErrorKind::Model,
                  u"The model's answer ended as one that calls a tool, but no whole call came."_s,
                  u"Nothing was run; your message is kept."_s, u"Send a message to go on."_s});
            return;
        }
        if (answer.text.isEmpty())
            note(u"model"_s,
                 u"The model ended its turn with an empty answer. It is not asked again by itself."_s);
        drain();
        return;
    case StopReason::Unknown:
        // It may be the end or the middle of an answer: nobody here can say, so nothing goes on by itself.
        fail(
            TurnEnd::ModelError,
            {ErrorKind::Model,
             answer.rawReason.isEmpty()
                 ? u"The model's answer ended without saying why; it may be incomplete."_s
                 : u"The model's answer ended for a reason that is not known here (\"%1\"); it may be incomplete."_s
                       .arg(answer.rawReason.left(QuotedReason)),
             answer.text.isEmpty() ? u"Your message is kept; there was no text in the answer."_s
                                   : u"What it wrote is kept, and the model sees it in the next turn."_s,
             u"Read what is there, then send a message to go on."_s});
        return;
    case StopReason::Pause:
    case StopReason::Compaction:
        if (++m_pauses <= MostPauses && m_step < m_setup.maxSteps) {
            think();
            return;
        }
        note(u"model"_s, u"The provider paused its own tool loop again and again; the turn ends here."_s);
        endTurn(TurnEnd::Limit);
        return;
    case StopReason::MaxTokens:
    case StopReason::ContextWindow:
        m_journal->append(EventKind::LimitHit,
                          JsonBuilder()
                              .add("turn"_L1, m_setup.turn)
                              .add("step"_L1, m_step)
                              .add("limit"_L1, cut ? "tokens"_L1 : "context"_L1)
                              .addOptional("value"_L1, answer.usage.output)
                              .take());
        endTurn(TurnEnd::Limit);
        return;
    case StopReason::Refusal:
    case StopReason::ContentFilter:
    case StopReason::MalformedToolCall:
    case StopReason::Continuation: {
        const bool refused =
            answer.reason == StopReason::Refusal || answer.reason == StopReason::ContentFilter;
        QString what = refused
            ? u"The provider refused to answer this (%1)."_s.arg(stopReasonName(answer.reason))
            : u"The model's answer could not be used (%1)."_s.arg(stopReasonName(answer.reason));
        if (!answer.explanation.isEmpty())
            what += u' ' + answer.explanation;
        fail(TurnEnd::ModelError,
             {ErrorKind::Model, what,
              answer.text.isEmpty() ? u"Your message is kept."_s
                                    : u"What it had written stays visible and is not sent again."_s,
              refused ? u"Word the request differently, or choose another model."_s
                      : u"Send the message again."_s});
        return;
    }
    }
}

void AgentLoop::onModelError(const ModelStepEnd &answer)
{
    QString kept = u"Your message is kept."_s;
    if (!answer.text.isEmpty())
        kept += u" What the model had written stays visible and is not sent again."_s;
    QString todo = modelErrorTodo(answer.error);
    if (answer.error.retryAfterMs.value_or(0) > LongestUntoldWaitMs)
        todo = u"The provider asks to wait %1. Send the message again after that, or choose another model."_s
                   .arg(waitText(*answer.error.retryAfterMs));
    QString message = answer.error.message;
    const QString status = QString::number(answer.error.status);
    if (answer.error.status >= 400
        && !message.contains(status)) // Words of a service, which say little alone.
        message = u"%1 answered with status %2: %3"_s.arg(
            m_setup.providerName.isEmpty() ? m_setup.model.provider : m_setup.providerName, status, message);
    fail(TurnEnd::ModelError, {ErrorKind::Model, message, kept, todo});
}

void AgentLoop::finishStep()
{
    const std::optional<qint64> cost = m_setup.costNanos ? m_setup.costNanos(m_answer.usage) : std::nullopt;
    m_journal->append(EventKind::StepFinish,
                      JsonBuilder()
                          .add("turn"_L1, m_setup.turn)
                          .add("step"_L1, m_step)
                          .add("attempt"_L1, m_answer.attempt)
                          .add("finishReason"_L1, stopReasonName(m_answer.reason))
                          .add("rawReason"_L1, m_answer.rawReason)
                          .add("usage"_L1, m_answer.usage.toJson())
                          .addOptional("costNanos"_L1, cost)
                          .add("cost"_L1, dollars(cost))
                          .add("modelMs"_L1, m_answer.modelMs)
                          .add("toolMs"_L1, nowMs() - m_callsStartedMs)
                          .take());
}

void AgentLoop::drain()
{
    if (m_stopRequested) {
        endTurn(TurnEnd::Stopped);
        return;
    }
    setState(State::Draining);
    if (m_runner) {
        m_runner->deleteLater();
        m_runner = nullptr;
    }
    const bool wantsMore = m_answer.reason == StopReason::ToolUse || !m_steering.isEmpty();
    if (!wantsMore) {
        endTurn(TurnEnd::Finished);
        return;
    }
    if (m_step >= m_setup.maxSteps) {
        m_journal->append(EventKind::LimitHit,
                          JsonBuilder()
                              .add("turn"_L1, m_setup.turn)
                              .add("step"_L1, m_step)
                              .add("limit"_L1, "steps"_L1)
                              .add("value"_L1, m_setup.maxSteps)
                              .take());
        endTurn(TurnEnd::StepLimit);
        return;
    }
    think();
}

void AgentLoop::steer(const QString &messageId, const QString &text) { m_steering.append({messageId, text}); }

QStringList AgentLoop::undeliveredMessages() const
{
    QStringList ids;
    for (const auto &entry : m_steering)
        ids.append(entry.first);
    return ids;
}

void AgentLoop::note(const QString &about, const QString &text, const QString &rung)
{
    JsonBuilder payload;
    payload.add("turn"_L1, m_setup.turn).add("about"_L1, about).add("text"_L1, text);
    if (!rung.isEmpty())
        payload.add("rung"_L1, rung);
    m_journal->append(EventKind::Note, payload.take());
}

void AgentLoop::fail(TurnEnd end, const Error &error)
{
    m_error = error;
    m_journal->append(EventKind::Error,
                      JsonBuilder()
                          .add("turn"_L1, m_setup.turn)
                          .add("kind"_L1, errorKindName(error.kind))
                          .add("message"_L1, error.message)
                          .add("kept"_L1, error.kept)
                          .add("todo"_L1, error.todo)
                          .take());
    endTurn(end);
}

void AgentLoop::endTurn(TurnEnd end)
{
    if (m_state == State::Settling || m_state == State::Finished)
        return;
    m_end = end;
    setState(State::Settling);
    // A machine that was never reached has nothing to settle; one that was frozen to stop a command stays to
    // be looked at.
    const bool isPaused = m_machinePaused && m_setup.afterTurn != AfterTurn::Delete;
    if (!m_connected || m_keepMachine || isPaused)
        writeTurnFinish();
    else if (m_setup.afterTurn == AfterTurn::Keep)
        m_machine->settle(m_setup.afterTurn);
    else // Without its service nobody could say how the sandbox stands.
        withService([this](const std::optional<Error> &) { m_machine->settle(m_setup.afterTurn); });
}

void AgentLoop::writeTurnFinish()
{
    if (m_state != State::Settling)
        return;
    setState(State::Finished);
    JsonBuilder payload;
    payload.add("turn"_L1, m_setup.turn).add("reason"_L1, turnEndName(m_end));
    if (m_end == TurnEnd::Stopped && m_stopCause == StopCause::ProgramClosed)
        payload.add("cause"_L1, "closed"_L1);
    payload.add("text"_L1, m_text)
        .add("steps"_L1, m_step)
        .add("usage"_L1, Usage::sum(m_usages).toJson())
        .addOptional("costNanos"_L1, m_costNanos)
        .add("cost"_L1, dollars(m_costNanos));
    m_journal->append(EventKind::TurnFinish, payload.take());
    if (m_end == TurnEnd::Interrupted)
        Q_EMIT finished(); // The store does not confirm anything now.
    else
        m_journal->whenDurable(this, [this] { Q_EMIT finished(); });
}

} // namespace Pilothouse
