// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QByteArray>
#include <QList>
#include <QMetaType>
#include <QString>

#include <memory>
#include <optional>

namespace Pilothouse {

/// Kinds of events. Their words (eventKindName) are stable: log, NDJSON and exports use them.
/// docs/event-log.md lists the members of each payload.
enum class EventKind {
    ConversationCreated = 1,
    ConversationRenamed,
    ConversationArchived,
    ConversationDeleted,
    ConversationSettings,
    UserMessage,
    QueueChanged,
    TurnStart,
    StepStart,
    StepAbandoned,
    StepFinish,
    TurnFinish,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolApproval,
    ToolStart,
    ToolOutput,
    ToolResult,
    ToolError,
    ModelMessage,
    SandboxState,
    HeadSet,
    LimitHit,
    Retry,
    Note,
    Error,
};

[[nodiscard]] QLatin1StringView eventKindName(EventKind kind);
[[nodiscard]] std::optional<EventKind> eventKindFromName(QStringView name);

/// One thing that happened in a conversation. Immutable once handed out; shared between threads by EventPtr.
/// The event log is the only truth: every other state is derived from events.
struct Event {
    QString conversation; ///< UUID.
    qint64 seq =
        0; ///< From 1, rising by 1 within the conversation; assigned by the engine; orders everything.
    qint64 atMs = 0; ///< UTC milliseconds, for show only.
    EventKind kind = EventKind::Note;
    int version = 1; ///< Of the payload's form.
    QByteArray payload; ///< One JSON object, compact, members in the order they were written.

    [[nodiscard]] Json json() const; ///< The payload parsed; an empty object if it does not parse.
};

using EventPtr = std::shared_ptr<const Event>;

/// An event on its way to subscribers and the store. `bytes` holds what a tool-output event points at,
/// exactly; the event itself has only {callId, channel, offset, length}. Shared, not copied.
struct EventDelivery {
    EventPtr event;
    QByteArray bytes;
};

using EventBatch = QList<EventDelivery>;

/// The NDJSON line of an event, without the line end. For tool-output `bytes` become the members `text`
/// (UTF-8, invalid bytes replaced) and `bytes` (their number).
[[nodiscard]] QByteArray eventToNdjson(const Event &event, const QByteArray &bytes = {});

} // namespace Pilothouse

Q_DECLARE_METATYPE(Pilothouse::EventDelivery)
