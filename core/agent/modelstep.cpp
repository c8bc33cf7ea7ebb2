// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/modelstep.h"

#include "net/backoff.h"
#include "util/clock.h"
#include "util/ids.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// A model that proposes more calls in one answer is broken; each would become a card, a process and a log
// entry.
constexpr qsizetype MostCallsPerStep = 64;
// Arguments larger than this would bloat the log and every later request.
constexpr qsizetype LargestArgs = 8 * 1024 * 1024;
// A longer wait is the person's to decide on: the turn ends and says when to come back, instead of holding a
// machine and looking as if it hung.
constexpr qint64 LongestWaitMs = 60'000;
// A service that refuses more than this of a request is not one that only lacks a parameter.
constexpr int MostParameterRepeats = 3;

} // namespace

ModelStep::ModelStep(ModelClient *client, Journal *journal, int turn, int step, bool retries, QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_journal(journal)
    , m_turn(turn)
    , m_step(step)
    , m_retries(retries)
{
    m_wait.setSingleShot(true);
    connect(&m_wait, &QTimer::timeout, this, &ModelStep::attempt);
}

void ModelStep::start(const ModelRequest &request)
{
    m_request = request;
    attempt();
}

void ModelStep::abort()
{
    m_done = true;
    m_wait.stop();
    if (m_stream) {
        m_stream->disconnect(this);
        m_stream->abort();
        m_stream->deleteLater();
    }
}

void ModelStep::resetAttempt()
{
    m_end = ModelStepEnd();
    m_end.attempt = m_attempt;
    m_anyOutput = false;
}

void ModelStep::attempt()
{
    ++m_attempt;
    resetAttempt();
    m_startedMs = SystemClock().monotonicMs();
    m_journal->append(
        EventKind::StepStart,
        JsonBuilder().add("turn"_L1, m_turn).add("step"_L1, m_step).add("attempt"_L1, m_attempt).take());
    m_stream = m_client->start(m_request, this);
    connect(m_stream, &ModelStream::eventReceived, this, &ModelStep::onEvent);
}

void ModelStep::onEvent(const StreamEvent &event)
{
    if (m_done)
        return;
    switch (event.type) {
    case StreamEvent::Type::TextDelta:
    case StreamEvent::Type::Refusal:
        m_anyOutput = true;
        m_end.text += event.text;
        m_journal->appendDelta(EventKind::TextDelta, m_turn, m_step, m_attempt, event.part, event.text);
        break;
    case StreamEvent::Type::ThinkingDelta:
        m_anyOutput = true;
        m_journal->appendDelta(EventKind::ReasoningDelta, m_turn, m_step, m_attempt, event.part, event.text);
        break;
    case StreamEvent::Type::ToolCall: {
        m_anyOutput = true;
        if (m_end.calls.size() >= MostCallsPerStep)
            break;
        ProposedCall call;
        call.callId = newId();
        call.providerCallId = event.id;
        call.toolName = event.name;
        call.args = event.args;
        call.raw = event.raw;
        call.problem = event.problem;
        if (call.args.size() > LargestArgs || call.raw.size() > LargestArgs) {
            call.args.clear();
            call.raw = u"(over 8 MiB)"_s;
            call.problem = u"the arguments are larger than 8 MiB"_s;
        }
        call.scriptedAsk = event.json[u"ask"].toBool();
        JsonBuilder payload;
        payload.add("turn"_L1, m_turn).add("step"_L1, m_step).add("attempt"_L1, m_attempt);
        payload.add("callId"_L1, call.callId)
            .add("providerCallId"_L1, call.providerCallId)
            .add("toolName"_L1, call.toolName);
        if (call.args.isEmpty()) {
            payload.addNull("args"_L1).add("raw"_L1, call.raw);
        } else {
            // Written anew and compact: the raw text may hold white space, and the exact form stands in
            // model-message.
            const auto parsed = parseJson(call.args);
            payload.add("args"_L1, parsed ? *parsed : Json::object());
        }
        m_journal->append(EventKind::ToolCall, payload.take());
        m_end.calls.append(call);
        break;
    }
    case StreamEvent::Type::Usage:
        m_end.usage = event.usage;
        break;
    case StreamEvent::Type::Stop:
        m_done = true;
        m_end.reason = event.reason;
        m_end.rawReason = event.rawReason;
        m_end.explanation = event.json[u"explanation"].toString();
        m_end.replay = event.replay;
        m_end.replayWithoutCalls = event.replayWithoutCalls;
        m_end.modelMs = SystemClock().monotonicMs() - m_startedMs;
        m_stream->deleteLater();
        Q_EMIT finished(m_end);
        break;
    case StreamEvent::Type::Error:
        onError(event.error, event.name);
        break;
    case StreamEvent::Type::Start:
    case StreamEvent::Type::ThinkingEnd:
    case StreamEvent::Type::ToolCallBegin:
    case StreamEvent::Type::ToolArgsDelta:
    case StreamEvent::Type::ServerTool:
    case StreamEvent::Type::Citation:
    case StreamEvent::Type::UnknownPart:
        break;
    }
}

void ModelStep::onError(const ApiError &error, const QString &refusedParameter)
{
    m_stream->disconnect(this);
    m_stream->deleteLater();
    const bool isAdapted =
        m_retries && !refusedParameter.isEmpty() && !m_anyOutput && m_parameterRepeats < MostParameterRepeats;
    const int failures = m_attempt - m_parameterRepeats;
    const qint64 wait = isAdapted ? 0 : Backoff::waitMs(error, failures);
    const bool isWorthIt = error.retryable && failures < Backoff::attemptsFor(error) && wait <= LongestWaitMs
        && (!m_anyOutput || m_partialRepeats == 0);
    const bool mayRepeat = isAdapted || (m_retries && isWorthIt);
    if (m_anyOutput || !m_end.calls.isEmpty()) {
        // Calls that were proposed before the break never run; each still needs its end.
        for (const ProposedCall &call : std::as_const(m_end.calls)) {
            m_journal->append(
                EventKind::ToolError,
                JsonBuilder()
                    .add("turn"_L1, m_turn)
                    .add("step"_L1, m_step)
                    .add("callId"_L1, call.callId)
                    .add("toolName"_L1, call.toolName)
                    .add("error"_L1, u"Not run: the model's answer broke off before it was complete."_s)
                    .add("reason"_L1, "not-run"_L1)
                    .take());
        }
        if (mayRepeat) {
            ++m_partialRepeats;
            m_journal->append(EventKind::StepAbandoned,
                              JsonBuilder()
                                  .add("turn"_L1, m_turn)
                                  .add("step"_L1, m_step)
                                  .add("attempt"_L1, m_attempt)
                                  .add("reason"_L1, error.message)
                                  .take());
        }
    }
    if (!mayRepeat) {
        m_done = true;
        m_end.failed = true;
        m_end.error = error;
        m_end.calls.clear();
        m_end.modelMs = SystemClock().monotonicMs() - m_startedMs;
        Q_EMIT finished(m_end);
        return;
    }
    JsonBuilder retry;
    retry.add("turn"_L1, m_turn)
        .add("step"_L1, m_step)
        .add("what"_L1, "model"_L1)
        .add("attempt"_L1, m_attempt + 1)
        .add("waitMs"_L1, wait);
    if (isAdapted) {
        ++m_parameterRepeats;
        retry
            .add("reason"_L1,
                 QString(u"without "_s + refusedParameter + u", which the service refused: "_s
                         + error.message))
            .add("without"_L1, refusedParameter);
    } else {
        retry.add("reason"_L1, error.message);
    }
    retry.add("category"_L1, categoryName(error.category));
    m_journal->append(EventKind::Retry, retry.take());
    m_wait.start(std::chrono::milliseconds(wait / m_waitDivisor));
}

} // namespace Pilothouse
