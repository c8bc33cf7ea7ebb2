// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/usage.h"
#include "net/apierror.h"

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Why a model stopped, over all protocols.
enum class StopReason {
    EndTurn = 1,
    ToolUse,
    MaxTokens,
    StopSequence,
    Pause, ///< The server's own loop paused: append and send again.
    Refusal,
    ContentFilter,
    ContextWindow,
    Compaction,
    MalformedToolCall,
    Continuation,
    Unknown,
};

/// Words of the fixtures and of the log: "end_turn", "tool_use", …
[[nodiscard]] QString stopReasonName(StopReason reason);

/// One normalized event of a model's answer. A plain value; which members are set depends on `type`.
/// A stream gives Start at most once and first, then content, then exactly one Stop or Error.
struct StreamEvent {
    enum class Type {
        Start = 1, ///< id, name = model
        TextDelta, ///< part, text
        ThinkingDelta, ///< part, text
        ThinkingEnd, ///< part, opaque, redacted: the block is complete
        ToolCallBegin, ///< part, id, name: a call is being written; only for show
        ToolArgsDelta, ///< part, text: piece of its argument text; only for show
        ToolCall, ///< part, id, name, args, or raw and problem when the text does not parse
        ServerTool, ///< id, name, json = {input, result}: ran at the provider, never run here
        Citation, ///< part, json = {title, url, quote}
        Refusal, ///< text
        UnknownPart, ///< name = kind; kept for replay only
        Usage, ///< usage
        Stop, ///< reason, rawReason, json = detail, replay, replayWithoutCalls
        /// error; name = an optional parameter that the service refused: the next request goes without it.
        Error,
    };

    Type type = Type::Start;
    int part = 0; ///< Number of the block within the answer, from 0.
    QString id;
    QString name;
    QString text;
    QString opaque;
    bool redacted = false;
    QByteArray args; ///< ToolCall: JSON object text that passed the strict reader, as the model wrote it.
    QString raw; ///< ToolCall: text that is no JSON object; args is empty then and the call must not run.
    QString problem; ///< ToolCall with raw: what the reader said.
    bool custom = false; ///< ToolCall: of a free-text tool; raw is its input. No such tool is ever offered.
    Json json;
    Usage usage;
    StopReason reason = StopReason::Unknown;
    QString rawReason;
    /// What goes back to the provider for this answer, exactly (Anthropic and Chat: one assistant message;
    /// Responses: an array of items). Empty: append nothing.
    QByteArray replay;
    QByteArray
        replayWithoutCalls; ///< The same without calls, for answers cut by max_tokens. Empty: append nothing.
    ApiError error;
};

[[nodiscard]] StreamEvent makeStreamEvent(StreamEvent::Type type, int part = 0);
[[nodiscard]] StreamEvent makeStreamDelta(StreamEvent::Type type, int part, const QString &text);

} // namespace Pilothouse
