// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/recovery.h"

#include <QHash>

#include <array>
#include <map>
#include <optional>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Call {
    QString callId;
    QString toolName;
    qint64 step = 0;
    bool hasStarted = false;
    bool hasEnded = false;
    qint64 stdoutBytes = 0;
    qint64 stderrBytes = 0;
};

constexpr std::array<QStringView, 5> Figures = {u"input", u"output", u"cacheRead", u"cacheWrite",
                                                u"reasoning"};

// What a step used, from its model-message until step-finish says it again.
struct StepFigures {
    Json usage;
    std::optional<qint64> costNanos;
};

struct Turn {
    qint64 number = 0;
    bool isOpen = false;
    qint64 steps = 0;
    qint64 attempt = 0;
    QString text; // Of the last step's last attempt.
    QList<Call> calls;
    QStringList steering; ///< Messages for it that it has not got.
    QHash<QString, qsizetype> callIndex;
    std::map<qint64, StepFigures> figures;

    Call *call(const Json &payload)
    {
        const auto it = callIndex.constFind(payload[u"callId"].toString());
        return it == callIndex.constEnd() ? nullptr : &calls[*it];
    }
};

void take(Turn &turn, const Event &event)
{
    const Json payload = event.json();
    if (event.kind == EventKind::TurnStart) {
        turn = {};
        turn.number = payload[u"turn"].toInteger(0);
        turn.isOpen = true;
        return;
    }
    if (!turn.isOpen)
        return;
    const qint64 step = payload[u"step"].toInteger(0);
    Call *call = turn.call(payload);
    switch (event.kind) {
    case EventKind::TurnFinish:
        turn.isOpen = false;
        break;
    case EventKind::StepStart:
        turn.steps = qMax(turn.steps, step);
        turn.attempt = payload[u"attempt"].toInteger(0);
        turn.text.clear();
        break;
    case EventKind::StepAbandoned:
        turn.text.clear();
        break;
    case EventKind::TextDelta:
        if (step == turn.steps && payload[u"attempt"].toInteger(0) == turn.attempt)
            turn.text += payload[u"text"].toString();
        break;
    case EventKind::ToolCall:
        if (!call) {
            turn.callIndex.insert(payload[u"callId"].toString(), turn.calls.size());
            turn.calls.append({payload[u"callId"].toString(), payload[u"toolName"].toString(), step});
        }
        break;
    case EventKind::ToolStart:
        if (call)
            call->hasStarted = true;
        break;
    case EventKind::UserMessage:
        if (payload[u"delivery"].toString() == "after-step"_L1)
            turn.steering.append(payload[u"messageId"].toString());
        break;
    case EventKind::QueueChanged:
        turn.steering.removeAll(payload[u"messageId"].toString());
        break;
    case EventKind::ToolOutput:
        if (call) {
            qint64 end = 0;
            if (!qAddOverflow(payload[u"offset"].toInteger(0), payload[u"length"].toInteger(0), &end))
                (payload[u"channel"].toString() == "stderr"_L1 ? call->stderrBytes : call->stdoutBytes) = end;
        }
        break;
    case EventKind::ToolResult:
    case EventKind::ToolError:
        if (call)
            call->hasEnded = true;
        break;
    case EventKind::ModelMessage:
    case EventKind::StepFinish:
        turn.figures[step] = {payload[u"usage"], payload[u"costNanos"].toInteger()};
        break;
    case EventKind::ConversationCreated:
    case EventKind::ConversationRenamed:
    case EventKind::ConversationArchived:
    case EventKind::ConversationDeleted:
    case EventKind::ConversationSettings:
    case EventKind::TurnStart:
    case EventKind::ReasoningDelta:
    case EventKind::ToolApproval:
    case EventKind::SandboxState:
    case EventKind::HeadSet:
    case EventKind::LimitHit:
    case EventKind::Retry:
    case EventKind::Note:
    case EventKind::Error:
        break;
    }
}

PendingEvent endOf(const Turn &turn, const Call &call)
{
    JsonBuilder payload;
    payload.add("turn"_L1, turn.number)
        .add("step"_L1, call.step)
        .add("callId"_L1, call.callId)
        .add("toolName"_L1, call.toolName);
    if (!call.hasStarted) {
        payload.add("error"_L1, u"The call was not run: the program ended before it could start."_s)
            .add("reason"_L1, "not-run"_L1);
        return {EventKind::ToolError, payload.take()};
    }
    payload
        .add("result"_L1,
             u"The outcome of this call is unknown: the program ended while it ran. It may have had its "
             u"effect, wholly or "
             "in part. Look at the state before calling it again."_s)
        .addNull("exitCode"_L1)
        .addNull("durationMs"_L1)
        .add("truncated"_L1, false)
        .add("outcome"_L1, "unknown"_L1)
        .add("stdoutBytes"_L1, call.stdoutBytes)
        .add("stderrBytes"_L1, call.stderrBytes);
    return {EventKind::ToolResult, payload.take()};
}

// The sum over steps, null where no step says anything; a step without figures (cut off) adds nothing.
std::optional<qint64> sum(std::optional<qint64> total, const std::optional<qint64> &figure)
{
    qint64 result = 0;
    if (!figure || *figure < 0 || qAddOverflow(total.value_or(0), *figure, &result))
        return total;
    return result;
}

PendingEvent finish(const Turn &turn)
{
    Json usage = Json::object();
    std::optional<qint64> cost;
    for (const QStringView name : Figures) {
        std::optional<qint64> total;
        for (const auto &[step, figures] : turn.figures)
            total = sum(total, figures.usage[name].toInteger());
        usage.set(name.toString(), total ? Json::number(*total) : Json());
    }
    for (const auto &[step, figures] : turn.figures)
        cost = sum(cost, figures.costNanos);
    return {EventKind::TurnFinish,
            JsonBuilder()
                .add("turn"_L1, turn.number)
                .add("reason"_L1, "interrupted"_L1)
                .add("text"_L1, turn.text)
                .add("steps"_L1, turn.steps)
                .add("usage"_L1, usage)
                .addOptional("costNanos"_L1, cost)
                .take()};
}

} // namespace

QList<PendingEvent> closingEvents(const QList<EventPtr> &turnEvents)
{
    Turn turn;
    for (const EventPtr &event : turnEvents)
        take(turn, *event);
    QList<PendingEvent> out;
    if (!turn.isOpen)
        return out;
    for (const Call &call : std::as_const(turn.calls)) {
        if (!call.hasEnded)
            out.append(endOf(turn, call));
    }
    out.append(finish(turn));
    for (const QString &messageId : std::as_const(turn.steering))
        out.append({EventKind::QueueChanged,
                    JsonBuilder().add("messageId"_L1, messageId).add("state"_L1, "returned"_L1).take()});
    return out;
}

} // namespace Pilothouse
