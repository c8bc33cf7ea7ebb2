// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatfold.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

// The first choice; others were not asked for.
const Json &firstChoice(const Json &choices)
{
    static const Json none;
    for (const Json &choice : choices.elements()) {
        if (choice[u"index"].toInteger(0) == 0)
            return choice;
    }
    return none;
}

void overlayFirst(std::optional<qint64> &counter, const Json &first, const Json &second)
{
    overlayCounter(counter, first.isNumber() ? first : second);
}

} // namespace

void ChatFold::addChunk(const Json &chunk, bool isWhole, QList<StreamEvent> &out)
{
    if (m_id.isEmpty())
        m_id = chunk[u"id"].toString();
    if (m_model.isEmpty())
        m_model = chunk[u"model"].toString();
    addUsage(chunk[u"usage"]);
    addUsage(chunk[u"x_groq"][u"usage"]);

    const Json &choice = firstChoice(chunk[u"choices"]);
    QList<StreamEvent> content;
    addDelta(choice[isWhole ? u"message" : u"delta"], content);
    if (const QString word = choice[u"finish_reason"].toString(); !word.isEmpty())
        m_finishWord = word;
    // Id and model may come later than the first chunk, but not after content.
    if (!content.isEmpty() || (!m_id.isEmpty() && !m_model.isEmpty()))
        giveStart(out);
    out += content;
}

void ChatFold::giveStart(QList<StreamEvent> &out)
{
    if (m_isStarted)
        return;
    m_isStarted = true;
    StreamEvent event = makeStreamEvent(Type::Start);
    event.id = m_id;
    event.name = m_model;
    if (!m_id.isEmpty() || !m_model.isEmpty())
        out.append(event);
}

void ChatFold::addDelta(const Json &delta, QList<StreamEvent> &out)
{
    addReasoning(delta, out);
    addContent(delta[u"content"], out);
    if (const QString text = delta[u"refusal"].toString(); !text.isEmpty() && countText(text.size())) {
        m_refusal += text;
        give(Type::Refusal, m_refusalPart, text, out);
    }
    for (const Json &entry : delta[u"tool_calls"].elements()) {
        const Json &arguments = entry[u"function"][u"arguments"];
        const Json &extra = entry[u"extra_content"];
        const qsizetype size = arguments.isObject() ? arguments.toJson().size() : arguments.toString().size();
        if (!countText(size + (extra.isNull() ? 0 : extra.toJson().size())))
            return;
        const qsizetype before = m_calls.size();
        m_calls.add(entry, m_nextPart, out);
        if (m_calls.size() > before && !countPart())
            return;
    }
}

void ChatFold::addReasoning(const Json &delta, QList<StreamEvent> &out)
{
    for (const Json &detail : delta[u"reasoning_details"].elements())
        addReasoningDetail(detail);
    QString field = u"reasoning_content"_s;
    QString text = delta[field].toString();
    if (text.isEmpty()) {
        field = u"reasoning"_s;
        text = delta[field].toString();
    }
    if (text.isEmpty() || !countText(text.size()))
        return;
    if (m_reasoningField.isEmpty())
        m_reasoningField = field;
    m_reasoning += text;
    give(Type::ThinkingDelta, m_thinkingPart, text, out);
}

// Details come in pieces; neighbours of the same kind and index are one.
void ChatFold::addReasoningDetail(const Json &detail)
{
    if (!detail.isObject() || !countText(detail.toJson().size()))
        return;
    const QString type = detail[u"type"].toString();
    const QString member = type == "reasoning.text"_L1 ? u"text"_s
        : type == "reasoning.summary"_L1               ? u"summary"_s
                                                       : QString();
    const bool isPiece = !member.isEmpty() && !m_reasoningDetails.empty()
        && m_reasoningDetails.back()[u"type"].toString() == type
        && m_reasoningDetails.back()[u"index"] == detail[u"index"];
    if (!isPiece) {
        if (countPart())
            m_reasoningDetails.push_back(detail);
        return;
    }
    Json &last = m_reasoningDetails.back();
    for (const Json::Member &found : detail.members()) {
        if (found.value.isNull())
            continue;
        Json *known = last.find(found.key);
        if (known && found.key == member)
            *known = Json::string(known->toString() + found.value.toString());
        else
            last.set(found.key, found.value);
    }
}

void ChatFold::addContent(const Json &content, QList<StreamEvent> &out)
{
    if (content.isString()) {
        addText(content.toString(), out);
        return;
    }
    m_hasArray = m_hasArray || content.isArray();
    for (const Json &part : content.elements()) {
        const QString type = part[u"type"].toString();
        if (type == "text"_L1) {
            addText(part[u"text"].toString(), out);
        } else if (type == "thinking"_L1) {
            for (const Json &piece : part[u"thinking"].elements())
                addThinking(piece[u"text"].toString(), out);
        } else if (countPart() && countText(part.toJson().size())) {
            m_segments.append({Segment::Kind::Other, {}, part});
            StreamEvent event = makeStreamEvent(Type::UnknownPart, m_nextPart++);
            event.name = type;
            out.append(event);
        }
    }
}

void ChatFold::addSegment(Segment::Kind kind, const QString &text)
{
    if (m_segments.isEmpty() || m_segments.last().kind != kind) {
        if (!countPart())
            return;
        m_segments.append({kind, {}, {}});
    }
    m_segments.last().text += text;
}

void ChatFold::addText(const QString &text, QList<StreamEvent> &out)
{
    if (text.isEmpty() || !countText(text.size()))
        return;
    addSegment(Segment::Kind::Text, text);
    const ThinkTags::Piece piece = m_tags.feed(text);
    give(Type::ThinkingDelta, m_thinkingPart, piece.thinking, out);
    give(Type::TextDelta, m_textPart, piece.text, out);
}

void ChatFold::addThinking(const QString &text, QList<StreamEvent> &out)
{
    if (text.isEmpty() || !countText(text.size()))
        return;
    addSegment(Segment::Kind::Thinking, text);
    give(Type::ThinkingDelta, m_thinkingPart, text, out);
}

void ChatFold::give(Type type, int &part, const QString &text, QList<StreamEvent> &out)
{
    if (text.isEmpty())
        return;
    if (part < 0)
        part = m_nextPart++;
    out.append(makeStreamDelta(type, part, text));
}

void ChatFold::addUsage(const Json &usage)
{
    if (!usage.isObject())
        return;
    const Json &prompt = usage[u"prompt_tokens_details"];
    overlayCounter(m_usage.input, usage[u"prompt_tokens"]);
    overlayCounter(m_usage.output, usage[u"completion_tokens"]);
    overlayFirst(m_usage.cacheRead, prompt[u"cached_tokens"], usage[u"prompt_cache_hit_tokens"]);
    overlayCounter(m_usage.cacheWrite, prompt[u"cache_write_tokens"]);
    overlayCounter(m_usage.reasoning, usage[u"completion_tokens_details"][u"reasoning_tokens"]);
}

void ChatFold::finishContent(bool isFailed, QList<StreamEvent> &out)
{
    giveStart(out);
    const ThinkTags::Piece held = m_tags.finish();
    give(Type::ThinkingDelta, m_thinkingPart, held.thinking, out);
    give(Type::TextDelta, m_textPart, held.text, out);
    if (!isFailed)
        m_calls.close(out);
    if (!isFailed && m_thinkingPart >= 0)
        out.append(makeStreamEvent(Type::ThinkingEnd, m_thinkingPart));
    if (!isFailed || m_usage != Usage()) {
        StreamEvent event = makeStreamEvent(Type::Usage);
        event.usage = m_usage;
        out.append(event);
    }
}

StopReason ChatFold::stopReason() const
{
    if (m_finishWord == "length"_L1)
        return StopReason::MaxTokens;
    if (m_finishWord == "content_filter"_L1)
        return StopReason::ContentFilter;
    if (m_calls.hasCalls())
        return StopReason::ToolUse;
    if (!m_refusal.isEmpty())
        return StopReason::Refusal;
    const bool isPlain = m_finishWord.isEmpty() || m_finishWord == "stop"_L1
        || m_finishWord == "tool_calls"_L1 || m_finishWord == "function_call"_L1;
    return isPlain ? StopReason::EndTurn : StopReason::Unknown;
}

void ChatFold::appendStop(QList<StreamEvent> &out) const
{
    StreamEvent event = makeStreamEvent(Type::Stop);
    event.reason = stopReason();
    event.rawReason = m_finishWord;
    if (event.reason != StopReason::ContentFilter) {
        event.replay = replay(true);
        event.replayWithoutCalls = replay(false);
    }
    out.append(event);
}

Json ChatFold::replayContent() const
{
    if (!m_hasArray) {
        QString text;
        for (const Segment &segment : m_segments)
            text += segment.text;
        return text.isEmpty() ? Json() : Json::string(text);
    }
    Json parts = Json::array();
    for (const Segment &segment : m_segments) {
        Json text;
        text.set(u"type"_s, Json::string(u"text"_s));
        text.set(u"text"_s, Json::string(segment.text));
        switch (segment.kind) {
        case Segment::Kind::Text:
            parts.append(text);
            break;
        case Segment::Kind::Thinking: {
            Json thinking;
            thinking.set(u"type"_s, Json::string(u"thinking"_s));
            thinking.set(u"thinking"_s, Json::array({text}));
            parts.append(thinking);
            break;
        }
        case Segment::Kind::Other:
            parts.append(segment.json);
            break;
        }
    }
    return parts.size() == 0 ? Json() : parts;
}

QByteArray ChatFold::replay(bool withCalls) const
{
    const Json content = replayContent();
    const Json calls = withCalls ? m_calls.replay() : Json();
    if (!withCalls && content.isNull() && m_refusal.isEmpty())
        return {}; // Thinking alone is no message.
    Json message;
    message.set(u"role"_s, Json::string(u"assistant"_s));
    message.set(u"content"_s, content);
    if (!calls.isNull())
        message.set(u"tool_calls"_s, calls);
    if (!m_reasoning.isEmpty())
        message.set(m_reasoningField, Json::string(m_reasoning));
    if (!m_reasoningDetails.empty())
        message.set(u"reasoning_details"_s, Json::array(m_reasoningDetails));
    if (!m_refusal.isEmpty())
        message.set(u"refusal"_s, Json::string(m_refusal));
    return message.toJson();
}

} // namespace Pilothouse
