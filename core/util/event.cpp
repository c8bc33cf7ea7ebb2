// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/event.h"

#include <array>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct KindName {
    EventKind kind;
    QLatin1StringView name;
};

constexpr std::array<KindName, 27> KindNames = {{
    {EventKind::ConversationCreated, "conversation-created"_L1},
    {EventKind::ConversationRenamed, "conversation-renamed"_L1},
    {EventKind::ConversationArchived, "conversation-archived"_L1},
    {EventKind::ConversationDeleted, "conversation-deleted"_L1},
    {EventKind::ConversationSettings, "conversation-settings"_L1},
    {EventKind::UserMessage, "user-message"_L1},
    {EventKind::QueueChanged, "queue-changed"_L1},
    {EventKind::TurnStart, "turn-start"_L1},
    {EventKind::StepStart, "step-start"_L1},
    {EventKind::StepAbandoned, "step-abandoned"_L1},
    {EventKind::StepFinish, "step-finish"_L1},
    {EventKind::TurnFinish, "turn-finish"_L1},
    {EventKind::ReasoningDelta, "reasoning-delta"_L1},
    {EventKind::TextDelta, "text-delta"_L1},
    {EventKind::ToolCall, "tool-call"_L1},
    {EventKind::ToolApproval, "tool-approval"_L1},
    {EventKind::ToolStart, "tool-start"_L1},
    {EventKind::ToolOutput, "tool-output"_L1},
    {EventKind::ToolResult, "tool-result"_L1},
    {EventKind::ToolError, "tool-error"_L1},
    {EventKind::ModelMessage, "model-message"_L1},
    {EventKind::SandboxState, "sandbox-state"_L1},
    {EventKind::HeadSet, "head-set"_L1},
    {EventKind::LimitHit, "limit-hit"_L1},
    {EventKind::Retry, "retry"_L1},
    {EventKind::Note, "note"_L1},
    {EventKind::Error, "error"_L1},
}};

} // namespace

QLatin1StringView eventKindName(EventKind kind)
{
    for (const KindName &entry : KindNames) {
        if (entry.kind == kind)
            return entry.name;
    }
    return "note"_L1;
}

std::optional<EventKind> eventKindFromName(QStringView name)
{
    for (const KindName &entry : KindNames) {
        if (entry.name == name)
            return entry.kind;
    }
    return {};
}

Json Event::json() const { return parseJson(payload).value_or(Json::object()); }

QByteArray eventToNdjson(const Event &event, const QByteArray &bytes)
{
    QByteArray payload = event.payload;
    if (event.kind == EventKind::ToolOutput && payload.endsWith('}')) {
        const bool empty = payload.size() <= 2;
        payload.chop(1);
        payload += empty ? "\"text\":" : ",\"text\":";
        appendJsonString(payload, QString::fromUtf8(bytes));
        payload += ",\"bytes\":" + QByteArray::number(bytes.size()) + '}';
    }
    return JsonBuilder()
        .add("seq"_L1, event.seq)
        .add("at_ms"_L1, event.atMs)
        .add("conversation"_L1, event.conversation)
        .add("kind"_L1, eventKindName(event.kind))
        .raw("payload"_L1, payload)
        .take();
}

} // namespace Pilothouse
