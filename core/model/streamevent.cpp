// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/streamevent.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString stopReasonName(StopReason reason)
{
    switch (reason) {
    case StopReason::EndTurn:
        return u"end_turn"_s;
    case StopReason::ToolUse:
        return u"tool_use"_s;
    case StopReason::MaxTokens:
        return u"max_tokens"_s;
    case StopReason::StopSequence:
        return u"stop_sequence"_s;
    case StopReason::Pause:
        return u"pause"_s;
    case StopReason::Refusal:
        return u"refusal"_s;
    case StopReason::ContentFilter:
        return u"content_filter"_s;
    case StopReason::ContextWindow:
        return u"context_window"_s;
    case StopReason::Compaction:
        return u"compaction"_s;
    case StopReason::MalformedToolCall:
        return u"malformed_tool_call"_s;
    case StopReason::Continuation:
        return u"continuation"_s;
    case StopReason::Unknown:
        return u"unknown"_s;
    }
    return u"unknown"_s;
}

StreamEvent makeStreamEvent(StreamEvent::Type type, int part)
{
    StreamEvent event;
    event.type = type;
    event.part = part;
    return event;
}

StreamEvent makeStreamDelta(StreamEvent::Type type, int part, const QString &text)
{
    StreamEvent event = makeStreamEvent(type, part);
    event.text = text;
    return event;
}

} // namespace Pilothouse
