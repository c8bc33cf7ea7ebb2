// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/responsesfold.h"

#include "model/toolarguments.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

QString joinedText(const Json &parts)
{
    QStringList texts;
    for (const Json &part : parts.elements()) {
        if (const QString text = part[u"text"].toString(); !text.isEmpty())
            texts.append(text);
    }
    return texts.join(u"\n\n"_s);
}

// The first of these members that is there.
const Json &firstOf(const Json &item, std::initializer_list<QLatin1StringView> names)
{
    static const Json none;
    for (const QLatin1StringView name : names) {
        if (const Json &value = item[QString(name)]; !value.isNull())
            return value;
    }
    return none;
}

} // namespace

ResponsesFold::Item::Kind ResponsesFold::kindOf(const QString &type)
{
    using Kind = Item::Kind;
    if (type == "message"_L1)
        return Kind::Message;
    if (type == "reasoning"_L1)
        return Kind::Reasoning;
    if (type == "function_call"_L1)
        return Kind::Call;
    if (type == "custom_tool_call"_L1)
        return Kind::CustomCall;
    return type.endsWith("_call"_L1) ? Kind::ServerCall : Kind::Other;
}

bool ResponsesFold::count(Item &item, qsizetype more)
{
    item.counted += more;
    return countText(more);
}

void ResponsesFold::startResponse(const Json &response, QList<StreamEvent> &out)
{
    if (m_isStarted || !m_items.isEmpty())
        return;
    StreamEvent event = makeStreamEvent(Type::Start);
    event.id = response[u"id"].toString();
    event.name = response[u"model"].toString();
    m_isStarted = !event.id.isEmpty() || !event.name.isEmpty();
    if (m_isStarted)
        out.append(event);
}

// Servers that imitate the protocol may leave the index out.
std::optional<qint64> ResponsesFold::indexOf(const Json &event, const QString &id) const
{
    if (const auto index = event[u"output_index"].toInteger(); index && *index >= 0)
        return index;
    if (!id.isEmpty()) {
        for (auto it = m_items.constBegin(); it != m_items.constEnd(); ++it) {
            if (it->json[u"id"].toString() == id)
                return it.key();
        }
    }
    return m_items.isEmpty() ? std::nullopt : std::optional(m_items.lastKey());
}

ResponsesFold::Item *ResponsesFold::itemFor(const Json &event, Item::Kind kind)
{
    const qint64 index = indexOf(event, event[u"item_id"].toString()).value_or(0);
    auto found = m_items.find(index);
    if (found == m_items.end()) { // Never announced.
        if (!countPart())
            return nullptr;
        found = m_items.insert(index, Item());
        found->kind = kind;
    }
    return found->kind == kind && !found->isDone ? &found.value() : nullptr;
}

void ResponsesFold::take(const QString &type, const Json &event, qsizetype size, QList<StreamEvent> &out)
{
    using Kind = Item::Kind;
    const Json &delta = event[u"delta"];
    if (type == "response.output_text.delta"_L1 || type == "response.refusal.delta"_L1) {
        if (Item *item = itemFor(event, Kind::Message))
            addText(*item, event[u"content_index"].toInteger(0), delta.toString(),
                    type == "response.refusal.delta"_L1, out);
    } else if (type == "response.function_call_arguments.delta"_L1
               || type == "response.custom_tool_call_input.delta"_L1) {
        const Kind kind = type == "response.function_call_arguments.delta"_L1 ? Kind::Call : Kind::CustomCall;
        const QString text = delta.toString();
        Item *item = text.isEmpty() ? nullptr : itemFor(event, kind);
        if (item && count(*item, text.size())) {
            item->text += text;
            if (item->part >= 0)
                out.append(makeStreamDelta(Type::ToolArgsDelta, item->part, text));
        }
    } else if (type == "response.reasoning_summary_text.delta"_L1) {
        if (Item *item = itemFor(event, Kind::Reasoning))
            addReasoning(*item, Item::Source::Summary, event[u"summary_index"].toInteger(0), delta.toString(),
                         out);
    } else if (type == "response.reasoning_text.delta"_L1) {
        if (Item *item = itemFor(event, Kind::Reasoning))
            addReasoning(*item, Item::Source::Raw, event[u"content_index"].toInteger(0), delta.toString(),
                         out);
    } else if (type == "response.output_text.annotation.added"_L1) {
        if (Item *item = itemFor(event, Kind::Message))
            addCitation(*item, event[u"content_index"].toInteger(0), event[u"annotation"], out);
    } else if (type == "response.output_item.added"_L1) {
        const auto index = event[u"output_index"].toInteger();
        addItem(index && *index >= 0 ? *index : m_items.size(), event[u"item"], out);
    } else if (type == "response.output_item.done"_L1) {
        const Json &item = event[u"item"];
        finishItem(indexOf(event, item[u"id"].toString()).value_or(0), item, size, out);
    }
}

void ResponsesFold::addItem(qint64 index, const Json &json, QList<StreamEvent> &out)
{
    if (!json.isObject() || m_items.contains(index) || !countPart())
        return;
    Item &item = *m_items.insert(index, Item());
    item.json = json;
    const QString type = json[u"type"].toString();
    item.kind = kindOf(type);
    if (item.kind == Item::Kind::Message)
        return; // Its content has parts of its own.
    item.part = m_parts++;
    StreamEvent event = makeStreamEvent(Type::ToolCallBegin, item.part);
    if (item.kind == Item::Kind::Call || item.kind == Item::Kind::CustomCall) {
        event.id = json[u"call_id"].toString();
        event.name = json[u"name"].toString();
        out.append(event);
    } else if (item.kind == Item::Kind::Other) {
        event.type = Type::UnknownPart;
        event.name = type;
        out.append(event);
    }
}

void ResponsesFold::addText(Item &item, qint64 index, const QString &text, bool isRefusal,
                            QList<StreamEvent> &out)
{
    if (text.isEmpty() || (!item.pieces.contains(index) && !countPart()) || !count(item, text.size()))
        return;
    Piece &piece = item.pieces[index];
    if (piece.part < 0) {
        piece.part = m_parts++;
        piece.isRefusal = isRefusal;
    }
    m_hasRefusal = m_hasRefusal || piece.isRefusal;
    piece.text += text;
    out.append(makeStreamDelta(piece.isRefusal ? Type::Refusal : Type::TextDelta, piece.part, text));
}

void ResponsesFold::addReasoning(Item &item, Item::Source source, qint64 index, const QString &text,
                                 QList<StreamEvent> &out)
{
    if (item.source == Item::Source::None)
        item.source = source;
    if (text.isEmpty() || item.source != source || !count(item, text.size()))
        return;
    if (item.part < 0)
        item.part = m_parts++;
    const QString piece = item.text.isEmpty() || index == item.lastIndex ? text : QString(u"\n\n"_s + text);
    item.lastIndex = index;
    item.text += piece;
    out.append(makeStreamDelta(Type::ThinkingDelta, item.part, piece));
}

void ResponsesFold::addCitation(Item &item, qint64 index, const Json &annotation, QList<StreamEvent> &out)
{
    const auto piece = item.pieces.find(index);
    if (piece == item.pieces.end() || piece->part < 0 || !annotation.isObject() || !count(item, 1))
        return;
    ++piece->citations;
    StreamEvent event = makeStreamEvent(Type::Citation, piece->part);
    event.json.set(u"title"_s, firstOf(annotation, {"title"_L1, "filename"_L1}));
    event.json.set(u"url"_s, annotation[u"url"]);
    event.json.set(u"quote"_s, Json());
    out.append(event);
}

void ResponsesFold::finishItem(qint64 index, const Json &json, qsizetype size, QList<StreamEvent> &out)
{
    if (!json.isObject())
        return;
    if (!m_items.contains(index))
        addItem(index, json, out);
    const auto found = m_items.find(index);
    if (found == m_items.end() || found->isDone)
        return;
    Item &item = *found;
    item.kind = kindOf(json[u"type"].toString());
    item.json = json;
    item.isDone = true;
    // Most of it was counted as it came in pieces.
    if (!count(item, qMax(qint64(0), qint64(size) - item.counted)))
        return;
    switch (item.kind) {
    case Item::Kind::Message:
        finishMessage(item, out);
        break;
    case Item::Kind::Reasoning:
        finishReasoning(item, out);
        break;
    case Item::Kind::Call:
    case Item::Kind::CustomCall:
        finishCall(item, out);
        break;
    case Item::Kind::ServerCall:
        finishServerCall(item, out);
        break;
    case Item::Kind::Other:
        break;
    }
}

void ResponsesFold::finishMessage(Item &item, QList<StreamEvent> &out)
{
    const Json &content = item.json[u"content"];
    qint64 index = 0;
    for (const Json &part : content.elements()) {
        const bool isRefusal = part[u"type"].toString() == "refusal"_L1;
        const QString text = part[isRefusal ? u"refusal" : u"text"].toString();
        const QString sofar = item.pieces.value(index).text;
        if (text.size() > sofar.size() && text.startsWith(sofar))
            addText(item, index, text.mid(sofar.size()), isRefusal, out);
        const Json::Elements &annotations = part[u"annotations"].elements();
        for (auto i = static_cast<size_t>(item.pieces.value(index).citations); i < annotations.size(); ++i)
            addCitation(item, index, annotations[i], out);
        ++index;
    }
}

void ResponsesFold::finishReasoning(Item &item, QList<StreamEvent> &out)
{
    QString whole = joinedText(item.json[u"summary"]);
    if (whole.isEmpty())
        whole = joinedText(item.json[u"content"]);
    if (item.text.isEmpty())
        addReasoning(item, Item::Source::Summary, 0, whole, out);
    StreamEvent event = makeStreamEvent(Type::ThinkingEnd);
    event.opaque = item.json[u"encrypted_content"].toString();
    if (item.text.isEmpty() && event.opaque.isEmpty())
        return;
    if (item.part < 0)
        item.part = m_parts++;
    event.part = item.part;
    if (item.text.isEmpty())
        out.append(makeStreamDelta(Type::ThinkingDelta, item.part, {}));
    out.append(event);
}

void ResponsesFold::finishCall(Item &item, QList<StreamEvent> &out)
{
    m_hasCalls = true;
    if (item.part < 0)
        item.part = m_parts++;
    StreamEvent event = makeStreamEvent(Type::ToolCall, item.part);
    event.id = item.json[u"call_id"].toString();
    event.name = item.json[u"name"].toString();
    if (item.kind == Item::Kind::CustomCall) {
        const Json &input = item.json[u"input"];
        event.custom = true;
        event.raw = input.isString() ? input.toString() : item.text;
        event.problem = u"the tool takes no free text"_s;
        out.append(event);
        return;
    }
    const Json arguments = item.json[u"arguments"];
    const QString text = arguments.isString() ? arguments.toString() : item.text;
    const ToolArguments checked =
        arguments.isObject() ? ToolArguments{arguments.toJson(), {}} : ToolArguments::check(text);
    event.args = checked.args;
    if (checked.args.isEmpty()) {
        event.raw = text;
        event.problem = checked.problem;
        const Json quoted = Json().set(u"INVALID_JSON"_s, Json::string(text));
        item.json.set(u"arguments"_s, Json::string(QString::fromUtf8(quoted.toJson())));
    } else if (!arguments.isString() || checked.args != text.toUtf8()) {
        item.json.set(u"arguments"_s, Json::string(QString::fromUtf8(checked.args)));
    }
    out.append(event);
}

void ResponsesFold::finishServerCall(Item &item, QList<StreamEvent> &out) const
{
    StreamEvent event = makeStreamEvent(Type::ServerTool, item.part);
    event.id = item.json[u"id"].toString();
    event.name = item.json[u"type"].toString().chopped(5); // _call
    event.json.set(u"input"_s,
                   firstOf(item.json, {"action"_L1, "arguments"_L1, "queries"_L1, "code"_L1, "input"_L1}));
    event.json.set(u"result"_s,
                   firstOf(item.json, {"outputs"_L1, "output"_L1, "results"_L1, "result"_L1, "error"_L1}));
    out.append(event);
}

void ResponsesFold::takeUsage(const Json &usage)
{
    overlayCounter(m_usage.input, usage[u"input_tokens"]);
    overlayCounter(m_usage.output, usage[u"output_tokens"]);
    overlayCounter(m_usage.cacheRead, usage[u"input_tokens_details"][u"cached_tokens"]);
    overlayCounter(m_usage.cacheWrite, usage[u"input_tokens_details"][u"cache_write_tokens"]);
    overlayCounter(m_usage.reasoning, usage[u"output_tokens_details"][u"reasoning_tokens"]);
}

void ResponsesFold::close(const Json &response, QList<StreamEvent> &out)
{
    startResponse(response, out);
    qint64 index = 0;
    for (const Json &item : response[u"output"].elements()) {
        const auto known = m_items.constFind(index);
        if (known == m_items.constEnd() || !known->isDone)
            finishItem(index, item, item.toJson().size(), out);
        ++index;
    }
    takeUsage(response[u"usage"]);
    m_isIncomplete = response[u"status"].toString() == "incomplete"_L1;
    m_stopWord = m_isIncomplete ? response[u"incomplete_details"][u"reason"].toString() : u"completed"_s;
    if (m_stopWord.isEmpty())
        m_stopWord = u"incomplete"_s;
}

void ResponsesFold::finishContent(bool, QList<StreamEvent> &out)
{
    StreamEvent event = makeStreamEvent(Type::Usage);
    event.usage = m_usage;
    if (m_usage != Usage())
        out.append(event);
}

StopReason ResponsesFold::stopReason() const
{
    if (m_isIncomplete) {
        if (m_stopWord == "max_output_tokens"_L1)
            return StopReason::MaxTokens;
        return m_stopWord == "content_filter"_L1 ? StopReason::ContentFilter : StopReason::Unknown;
    }
    if (m_hasCalls)
        return StopReason::ToolUse;
    return m_hasRefusal ? StopReason::Refusal : StopReason::EndTurn;
}

void ResponsesFold::appendStop(QList<StreamEvent> &out) const
{
    StreamEvent event = makeStreamEvent(Type::Stop);
    event.reason = stopReason();
    event.rawReason = m_stopWord;
    if (event.reason != StopReason::ContentFilter) {
        event.replay = replay(true);
        event.replayWithoutCalls = replay(false);
    }
    out.append(event);
}

std::optional<Json> ResponsesFold::replayItem(const Item &item)
{
    if (item.isDone)
        return item.json;
    if (item.kind != Item::Kind::Message || item.pieces.isEmpty())
        return {}; // A call that was never closed was not asked for.
    Json content = Json::array();
    for (const Piece &piece : item.pieces) {
        Json part;
        part.set(u"type"_s, Json::string(piece.isRefusal ? u"refusal"_s : u"output_text"_s));
        part.set(piece.isRefusal ? u"refusal"_s : u"text"_s, Json::string(piece.text));
        content.append(part);
    }
    Json message;
    message.set(u"type"_s, Json::string(u"message"_s));
    message.set(u"role"_s, Json::string(u"assistant"_s));
    message.set(u"content"_s, content);
    return message;
}

QByteArray ResponsesFold::replay(bool withCalls) const
{
    Json::Elements kept;
    bool isReasoningVoid = false;
    bool endsInReasoning = false;
    for (const Item &item : m_items) {
        const bool isCall = item.kind == Item::Kind::Call || item.kind == Item::Kind::CustomCall;
        std::optional<Json> json = replayItem(item);
        if (!json || (isCall && !withCalls)) {
            isReasoningVoid = isReasoningVoid || endsInReasoning;
            continue;
        }
        endsInReasoning = item.kind == Item::Kind::Reasoning;
        kept.push_back(std::move(*json));
    }
    // The service refuses reasoning without the item that followed it, and items that refer by their ids to
    // reasoning that is gone. So all of it goes, and the ids too.
    if (isReasoningVoid || endsInReasoning) {
        std::erase_if(kept, [](const Json &item) { return item[u"type"].toString() == "reasoning"_L1; });
        for (Json &item : kept) {
            if (item[u"type"].toString() == "message"_L1)
                item.remove(u"id");
        }
    }
    return kept.empty() ? QByteArray() : Json::array(std::move(kept)).toJson();
}

} // namespace Pilothouse
