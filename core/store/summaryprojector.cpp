// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/summaryprojector.h"

#include "store/calltext.h"
#include "store/waittext.h"
#include "text/inerttext.h"
#include "text/markdownplain.h"

#include <algorithm>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxTitle = 60; // What a list shows without eliding.
constexpr qsizetype MaxGivenTitle = 200; // A person may want more.
constexpr qsizetype MaxDetail = 200;
constexpr qsizetype MaxIdWord = 200; // Ids and names of models, from outside.
constexpr qsizetype MaxOpenCalls = 256; // Bounds the row; a step asks for far fewer.

void setState(ConversationSummary &summary, const Event &event, const QString &state, const QString &detail)
{
    if (summary.state != state)
        summary.stateSinceMs = event.atMs;
    summary.state = state;
    summary.stateDetail = inertLine(detail, MaxDetail);
}

void takeWord(QString &field, const Json &value)
{
    if (value.isString())
        field = inertLine(value.toString(), MaxIdWord);
}

int smallInteger(const Json &value)
{
    return static_cast<int>(qBound(qint64(0), value.toInteger(0), qint64(std::numeric_limits<int>::max())));
}

void addFigure(std::optional<qint64> &sum, const Json &value)
{
    const std::optional<qint64> figure = value.toInteger();
    qint64 total = 0;
    if (figure && *figure >= 0 && !qAddOverflow(sum.value_or(0), *figure, &total))
        sum = total;
}

void takeSettings(ConversationSummary &summary, const Json &payload)
{
    takeWord(summary.provider, payload[u"provider"]);
    takeWord(summary.model, payload[u"model"]);
    takeWord(summary.backend, payload[u"backend"]);
    takeWord(summary.afterTurn, payload[u"afterTurn"]);
    if (payload[u"maxSteps"].isNumber())
        summary.maxSteps = smallInteger(payload[u"maxSteps"]);
    if (payload[u"title"].isString() && !payload[u"title"].toString().isEmpty())
        summary.title = inertLine(payload[u"title"].toString(), MaxGivenTitle);
}

void finishTurn(SummaryState &state, const Event &event, const Json &payload)
{
    ConversationSummary &summary = state.summary;
    const QString reason = payload[u"reason"].toString();
    summary.openTurnSeq = 0;
    if (reason == "waiting"_L1) {
        setState(summary, event, u"waiting"_s, summary.stateDetail);
        return;
    }
    state.openCalls.clear();
    if (reason == "finished"_L1)
        setState(summary, event, u"finished"_s, firstPlainLine(payload[u"text"].toString(), MaxDetail));
    else if (reason == "step-limit"_L1 || reason == "limit"_L1)
        setState(summary, event, u"waiting"_s, reason);
    else if (reason == "model-error"_L1 || reason == "sandbox-error"_L1)
        setState(summary, event, u"failed"_s, summary.state == "failed"_L1 ? summary.stateDetail : reason);
    else if (reason == "interrupted"_L1)
        setState(summary, event, u"interrupted"_s, summary.stateDetail);
    else // Of a stop: "stopped" by a person, or "closed" with the program.
        setState(summary, event, u"idle"_s,
                 payload[u"cause"].isString() ? payload[u"cause"].toString() : reason);
}

SummaryCall *callOf(SummaryState &state, const Json &payload)
{
    const QString id = payload[u"callId"].toString().left(MaxIdWord);
    const auto at = std::find_if(state.openCalls.begin(), state.openCalls.end(),
                                 [&](const SummaryCall &call) { return call.id == id; });
    return at == state.openCalls.end() ? nullptr : &*at;
}

// A call that is in the log without its tool-call event counts all the same.
SummaryCall *callMade(SummaryState &state, const Json &payload)
{
    if (SummaryCall *call = callOf(state, payload))
        return call;
    if (state.openCalls.size() >= MaxOpenCalls)
        return nullptr;
    SummaryCall call;
    call.id = payload[u"callId"].toString().left(MaxIdWord);
    call.line = callLine(payload[u"toolName"].toString(), payload[u"args"]);
    state.openCalls.append(call);
    return &state.openCalls.last();
}

const SummaryCall *firstIn(const SummaryState &state, SummaryCall::Phase phase)
{
    const auto at = std::find_if(state.openCalls.cbegin(), state.openCalls.cend(),
                                 [&](const SummaryCall &call) { return call.phase == phase; });
    return at == state.openCalls.cend() ? nullptr : &*at;
}

// What the open calls say of the conversation; nothing if none of them waits or runs.
void tellCalls(SummaryState &state, const Event &event)
{
    if (const SummaryCall *waiting = firstIn(state, SummaryCall::Phase::Waiting))
        setState(state.summary, event, u"waiting"_s, waiting->line);
    else if (const SummaryCall *running = firstIn(state, SummaryCall::Phase::Running))
        setState(state.summary, event, u"calling"_s, running->line);
}

void applyApproval(SummaryState &state, const Event &event, const Json &payload)
{
    const QString approval = payload[u"state"].toString();
    SummaryCall *call = approval == "asked"_L1 ? callMade(state, payload) : callOf(state, payload);
    // A policy's own answer was never waited for and changes nothing.
    if (!call || (approval != "asked"_L1 && call->phase != SummaryCall::Phase::Waiting))
        return;
    if (approval == "asked"_L1) {
        call->phase = SummaryCall::Phase::Waiting;
    } else {
        // An edited call runs as the person wrote it, which its start tells.
        setState(state.summary, event, u"calling"_s, call->line);
        call->phase = SummaryCall::Phase::Proposed;
    }
    tellCalls(state, event);
}

void endCall(SummaryState &state, const Event &event, const Json &payload)
{
    SummaryCall *call = callOf(state, payload);
    if (!call)
        return;
    state.openCalls.removeAt(call - state.openCalls.data());
    tellCalls(state, event);
}

} // namespace

void applyToSummary(SummaryState &state, const Event &event, const Json &payload)
{
    ConversationSummary &summary = state.summary;
    summary.lastSeq = event.seq;
    summary.updatedMs = qMax(summary.updatedMs, event.atMs);
    if (event.seq == 1) {
        summary.id = event.conversation;
        summary.createdMs = event.atMs;
        setState(summary, event, u"idle"_s, {});
    }
    switch (event.kind) {
    case EventKind::ConversationCreated:
    case EventKind::ConversationSettings:
        takeSettings(summary, payload);
        break;
    case EventKind::ConversationRenamed:
        summary.title = inertLine(payload[u"title"].toString(), MaxGivenTitle);
        break;
    case EventKind::ConversationArchived:
        summary.archived = payload[u"archived"].toBool(true);
        break;
    case EventKind::ConversationDeleted:
        summary.deleted = true;
        break;
    case EventKind::UserMessage:
        if (summary.title.isEmpty())
            summary.title = inertLine(payload[u"text"].toString(), MaxTitle);
        break;
    case EventKind::TurnStart:
        summary.turns = smallInteger(payload[u"turn"]);
        summary.steps = 0;
        summary.openTurnSeq = event.seq;
        state.openCalls.clear();
        takeWord(summary.provider, payload[u"provider"]);
        takeWord(summary.model, payload[u"model"]);
        if (payload[u"maxSteps"].isNumber())
            summary.maxSteps = smallInteger(payload[u"maxSteps"]);
        setState(summary, event, u"connecting"_s, {});
        break;
    case EventKind::StepStart:
        state.openCalls.clear(); // All calls of a step have ended before the next one begins.
        summary.steps = smallInteger(payload[u"step"]);
        setState(summary, event, u"thinking"_s, {});
        break;
    case EventKind::TextDelta:
        if (summary.state == "retrying"_L1 || summary.state == "thinking"_L1)
            setState(summary, event, u"writing"_s, {});
        break;
    case EventKind::ReasoningDelta:
        if (summary.state == "retrying"_L1 || summary.state == "writing"_L1)
            setState(summary, event, u"thinking"_s, {});
        break;
    case EventKind::ToolCall:
        // Shown when it waits or runs; until then the model is still at it.
        callMade(state, payload);
        break;
    case EventKind::ToolApproval:
        applyApproval(state, event, payload);
        break;
    case EventKind::ToolStart:
        if (SummaryCall *call = callMade(state, payload)) {
            call->line = callLine(payload[u"toolName"].toString(), payload[u"args"]);
            call->phase = SummaryCall::Phase::Running;
        }
        tellCalls(state, event);
        break;
    case EventKind::ToolResult:
    case EventKind::ToolError:
        endCall(state, event, payload);
        break;
    case EventKind::StepFinish:
        addFigure(summary.inputTokens, payload[u"usage"][u"input"]);
        addFigure(summary.outputTokens, payload[u"usage"][u"output"]);
        addFigure(summary.costNanos, payload[u"costNanos"]);
        break;
    case EventKind::Retry: {
        // The wait first: where there is little room the end of a line is what is left out.
        const QString wait = waitText(payload[u"waitMs"].toInteger(0));
        const QString reason = payload[u"reason"].toString();
        setState(summary, event, u"retrying"_s, wait.isEmpty() ? reason : QString(wait + u", "_s + reason));
        break;
    }
    case EventKind::SandboxState:
        takeWord(summary.sandboxState, payload[u"state"]);
        takeWord(summary.sandboxId, payload[u"sandboxId"]);
        if (summary.openTurnSeq > 0 && summary.state == "retrying"_L1)
            setState(summary, event, u"connecting"_s, {});
        break;
    case EventKind::LimitHit:
        summary.stateDetail = inertLine(payload[u"limit"].toString(), MaxDetail);
        break;
    case EventKind::Error:
        if (summary.openTurnSeq > 0)
            setState(summary, event, u"failed"_s, payload[u"message"].toString());
        break;
    case EventKind::TurnFinish:
        finishTurn(state, event, payload);
        break;
    case EventKind::StepAbandoned:
        state.openCalls.removeIf(
            [](const SummaryCall &call) { return call.phase == SummaryCall::Phase::Proposed; });
        break;
    case EventKind::QueueChanged:
    case EventKind::ToolOutput:
    case EventKind::ModelMessage:
    case EventKind::HeadSet:
    case EventKind::Note:
        break;
    }
}

} // namespace Pilothouse
