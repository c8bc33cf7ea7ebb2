// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicfold.h"

#include "model/toolarguments.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

StreamEvent makeCitation(int part, const Json &citation)
{
    StreamEvent event = makeStreamEvent(Type::Citation, part);
    const Json &title = citation[u"title"];
    event.json.set(u"title"_s, title.isString() ? title : citation[u"document_title"]);
    event.json.set(u"url"_s, citation[u"url"]);
    event.json.set(u"quote"_s, citation[u"cited_text"]);
    return event;
}

} // namespace

AnthropicFold::Block::Kind AnthropicFold::kindOf(const QString &type)
{
    using Kind = Block::Kind;
    if (type == "text"_L1)
        return Kind::Text;
    if (type == "thinking"_L1)
        return Kind::Thinking;
    if (type == "redacted_thinking"_L1)
        return Kind::RedactedThinking;
    if (type == "tool_use"_L1)
        return Kind::Call;
    if (type == "server_tool_use"_L1 || type == "mcp_tool_use"_L1)
        return Kind::ServerCall;
    if (type.endsWith("_tool_result"_L1))
        return Kind::ServerResult;
    return Kind::Other;
}

void AnthropicFold::startMessage(const Json &message, QList<StreamEvent> &out)
{
    StreamEvent event = makeStreamEvent(Type::Start);
    event.id = message[u"id"].toString();
    event.name = message[u"model"].toString();
    if (!event.id.isEmpty() || !event.name.isEmpty())
        out.append(event);
    overlayUsage(message[u"usage"]);
}

void AnthropicFold::startBlock(qint64 index, const Json &json, QList<StreamEvent> &out)
{
    if (!countPart())
        return;
    const int part = static_cast<int>(m_blocks.size());
    Block block;
    const QString type = json[u"type"].toString();
    block.kind = kindOf(type);
    block.json = json;
    m_partOfIndex.insert(index, part);

    switch (block.kind) {
    case Block::Kind::Text:
        block.text = json[u"text"].toString();
        if (!block.text.isEmpty() && countText(block.text.size()))
            out.append(makeStreamDelta(Type::TextDelta, part, block.text));
        for (const Json &citation : json[u"citations"].elements())
            out.append(makeCitation(part, citation));
        break;
    case Block::Kind::Thinking:
        block.text = json[u"thinking"].toString();
        block.signature = json[u"signature"].toString();
        block.hasSignature = !block.signature.isEmpty();
        if (!block.text.isEmpty() && countText(block.text.size()))
            out.append(makeStreamDelta(Type::ThinkingDelta, part, block.text));
        break;
    case Block::Kind::Call: {
        StreamEvent event = makeStreamEvent(Type::ToolCallBegin, part);
        event.id = json[u"id"].toString();
        event.name = json[u"name"].toString();
        out.append(event);
        break;
    }
    case Block::Kind::ServerResult: {
        const QString id = json[u"tool_use_id"].toString();
        const auto call = std::find_if(m_blocks.begin(), m_blocks.end(), [&id](const Block &other) {
            return other.kind == Block::Kind::ServerCall && other.json[u"id"].toString() == id;
        });
        if (call != m_blocks.end()) {
            call->isReported = true;
            reportServerTool(*call, static_cast<int>(call - m_blocks.begin()), json[u"content"], out);
        } else {
            Block orphan; // Its call stood in an earlier answer.
            orphan.json.set(u"id"_s, json[u"tool_use_id"]);
            reportServerTool(orphan, part, json[u"content"], out);
        }
        break;
    }
    case Block::Kind::Other: {
        StreamEvent event = makeStreamEvent(Type::UnknownPart, part);
        event.name = type;
        out.append(event);
        break;
    }
    case Block::Kind::RedactedThinking:
    case Block::Kind::ServerCall:
        break;
    }
    m_blocks.append(block);
}

void AnthropicFold::addDelta(qint64 index, const Json &delta, QList<StreamEvent> &out)
{
    const auto found = m_partOfIndex.constFind(index);
    if (found == m_partOfIndex.constEnd())
        return;
    const int part = found.value();
    Block &block = m_blocks[part];
    if (block.isClosed)
        return;
    const QString type = delta[u"type"].toString();
    const auto append = [&](const Json &piece, Type eventType) {
        const QString text = piece.toString();
        if (text.isEmpty() || !countText(text.size()))
            return;
        block.text += text;
        out.append(makeStreamDelta(eventType, part, text));
    };

    if (type == "text_delta"_L1 && block.kind == Block::Kind::Text) {
        append(delta[u"text"], Type::TextDelta);
    } else if (type == "thinking_delta"_L1 && block.kind == Block::Kind::Thinking) {
        append(delta[u"thinking"], Type::ThinkingDelta);
    } else if (type == "signature_delta"_L1 && block.kind == Block::Kind::Thinking) {
        const QString signature = delta[u"signature"].toString(); // Comes whole.
        if (countText(signature.size())) {
            block.signature = signature;
            block.hasSignature = true;
        }
    } else if (type == "input_json_delta"_L1 && block.kind == Block::Kind::Call) {
        append(delta[u"partial_json"], Type::ToolArgsDelta);
    } else if (type == "input_json_delta"_L1 && block.kind == Block::Kind::ServerCall) {
        const QString text = delta[u"partial_json"].toString();
        if (countText(text.size()))
            block.text += text;
    } else if (type == "citations_delta"_L1 && block.kind == Block::Kind::Text) {
        const Json &citation = delta[u"citation"];
        if (citation.isObject() && countText(citation[u"cited_text"].toString().size() + 1)) {
            block.citations.push_back(citation);
            out.append(makeCitation(part, citation));
        }
    }
}

void AnthropicFold::stopBlock(qint64 index, QList<StreamEvent> &out)
{
    const auto found = m_partOfIndex.constFind(index);
    if (found == m_partOfIndex.constEnd())
        return;
    const int part = found.value();
    Block &block = m_blocks[part];
    if (block.isClosed)
        return;
    block.isClosed = true;

    switch (block.kind) {
    case Block::Kind::Thinking:
    case Block::Kind::RedactedThinking: {
        StreamEvent event = makeStreamEvent(Type::ThinkingEnd, part);
        event.redacted = block.kind == Block::Kind::RedactedThinking;
        event.opaque = event.redacted ? block.json[u"data"].toString() : block.signature;
        out.append(event);
        break;
    }
    case Block::Kind::Call:
    case Block::Kind::ServerCall:
        closeCall(block, part, out);
        break;
    case Block::Kind::Text:
    case Block::Kind::ServerResult:
    case Block::Kind::Other:
        break;
    }
}

void AnthropicFold::closeCall(Block &block, int part, QList<StreamEvent> &out)
{
    // Gateways may send the whole input with the start event and no piece afterwards.
    const Json &whole = block.json[u"input"];
    ToolArguments checked;
    if (block.text.trimmed().isEmpty() && whole.isObject() && whole.size() > 0)
        checked.args = whole.toJson();
    else
        checked = ToolArguments::check(block.text);
    block.args = checked.args;
    if (block.kind != Block::Kind::Call)
        return;

    m_hasCalls = true;
    StreamEvent event = makeStreamEvent(Type::ToolCall, part);
    event.id = block.json[u"id"].toString();
    event.name = block.json[u"name"].toString();
    event.args = checked.args;
    if (checked.args.isEmpty()) {
        event.raw = block.text;
        event.problem = checked.problem;
    }
    out.append(event);
}

void AnthropicFold::reportServerTool(const Block &block, int part, const Json &result,
                                     QList<StreamEvent> &out) const
{
    StreamEvent event = makeStreamEvent(Type::ServerTool, part);
    event.id = block.json[u"id"].toString();
    event.name = block.json[u"name"].toString();
    event.json.set(u"input"_s, block.args.isEmpty() ? Json() : Json::raw(block.args));
    event.json.set(u"result"_s, result);
    out.append(event);
}

void AnthropicFold::messageDelta(const Json &delta, const Json &usage)
{
    if (const QString word = delta[u"stop_reason"].toString(); !word.isEmpty())
        m_stopWord = word;
    if (delta[u"stop_sequence"].isString())
        m_stopSequence = delta[u"stop_sequence"];
    if (delta[u"stop_details"].isObject())
        m_stopDetails = delta[u"stop_details"];
    overlayUsage(usage);
}

void AnthropicFold::overlayUsage(const Json &usage)
{
    overlayCounter(m_input, usage[u"input_tokens"]);
    overlayCounter(m_output, usage[u"output_tokens"]);
    overlayCounter(m_cacheRead, usage[u"cache_read_input_tokens"]);
    overlayCounter(m_cacheWrite, usage[u"cache_creation_input_tokens"]);
    overlayCounter(m_reasoning, usage[u"output_tokens_details"][u"thinking_tokens"]);
}

void AnthropicFold::finishContent(bool, QList<StreamEvent> &out)
{
    for (int part = 0; part < m_blocks.size(); ++part) {
        Block &block = m_blocks[part];
        if (block.kind != Block::Kind::ServerCall || block.isReported || !block.isClosed)
            continue;
        block.isReported = true;
        reportServerTool(block, part, Json(), out);
    }
    StreamEvent event = makeStreamEvent(Type::Usage);
    if (m_input)
        event.usage.input = *m_input + m_cacheRead.value_or(0) + m_cacheWrite.value_or(0);
    event.usage.output = m_output;
    event.usage.cacheRead = m_cacheRead;
    event.usage.cacheWrite = m_cacheWrite;
    event.usage.reasoning = m_reasoning;
    if (event.usage != Usage())
        out.append(event);
}

StopReason AnthropicFold::stopReason() const
{
    if (m_stopWord == "max_tokens"_L1)
        return StopReason::MaxTokens;
    if (m_stopWord == "refusal"_L1)
        return StopReason::Refusal;
    if (m_stopWord == "model_context_window_exceeded"_L1)
        return StopReason::ContextWindow;
    if (m_stopWord == "compaction"_L1)
        return StopReason::Compaction;
    if (m_hasCalls)
        return StopReason::ToolUse; // Calls win over every normal end and over words that nobody knows.
    if (m_stopWord == "end_turn"_L1 || m_stopWord == "tool_use"_L1)
        return StopReason::EndTurn;
    if (m_stopWord == "stop_sequence"_L1)
        return StopReason::StopSequence;
    if (m_stopWord == "pause_turn"_L1)
        return StopReason::Pause;
    return StopReason::Unknown;
}

Json AnthropicFold::stopDetail(StopReason reason) const
{
    Json detail;
    if (reason == StopReason::StopSequence) {
        detail.set(u"sequence"_s, m_stopSequence);
    } else if (reason == StopReason::Refusal) {
        detail.set(u"category"_s, m_stopDetails[u"category"]);
        detail.set(u"explanation"_s, m_stopDetails[u"explanation"]);
    }
    return detail;
}

void AnthropicFold::appendStop(QList<StreamEvent> &out) const
{
    StreamEvent event = makeStreamEvent(Type::Stop);
    event.reason = stopReason();
    event.rawReason = m_stopWord;
    event.json = stopDetail(event.reason);
    // A refused answer must not go back: the same context would be refused again.
    if (event.reason != StopReason::Refusal) {
        event.replay = replay(event.reason, true);
        event.replayWithoutCalls = replay(event.reason, false);
    }
    out.append(event);
}

std::optional<Json> AnthropicFold::replayBlock(const Block &block, StopReason reason) const
{
    Json json = block.json;
    switch (block.kind) {
    case Block::Kind::Text:
        if (block.text.isEmpty())
            return {}; // Not allowed in a request.
        json.set(u"text"_s, Json::string(block.text));
        if (!block.citations.empty()) {
            Json::Elements all = json[u"citations"].elements();
            all.insert(all.end(), block.citations.begin(), block.citations.end());
            json.set(u"citations"_s, Json::array(std::move(all)));
        }
        return json;
    case Block::Kind::Thinking:
        if (!block.isClosed)
            return {}; // Without its signature it would be refused.
        json.set(u"thinking"_s, Json::string(block.text));
        if (block.hasSignature)
            json.set(u"signature"_s, Json::string(block.signature));
        return json;
    case Block::Kind::Call:
    case Block::Kind::ServerCall:
        if (!block.isClosed || (block.args.isEmpty() && reason == StopReason::MaxTokens))
            return {}; // Cut: nothing was asked for.
        if (block.args.isEmpty())
            json.set(u"input"_s, Json().set(u"INVALID_JSON"_s, Json::string(block.text)));
        else
            json.set(u"input"_s, Json::raw(block.args));
        return json;
    case Block::Kind::RedactedThinking:
    case Block::Kind::ServerResult:
    case Block::Kind::Other:
        return json;
    }
    return {};
}

QByteArray AnthropicFold::replay(StopReason reason, bool withCalls) const
{
    struct Kept {
        Json json;
        bool isThinking;
    };
    std::vector<Kept> kept;
    for (const Block &block : m_blocks) {
        if (!withCalls && block.kind == Block::Kind::Call)
            continue;
        const bool isThinking =
            block.kind == Block::Kind::Thinking || block.kind == Block::Kind::RedactedThinking;
        if (std::optional<Json> json = replayBlock(block, reason))
            kept.push_back({std::move(*json), isThinking});
    }
    // Without its calls an answer may end in thinking, which the service refuses as a last block. Thinking is
    // all or nothing, so all of it goes.
    if (!withCalls && !kept.empty() && kept.back().isThinking)
        std::erase_if(kept, [](const Kept &item) { return item.isThinking; });
    if (kept.empty())
        return {};
    QByteArray out = R"({"role":"assistant","content":[)";
    for (size_t i = 0; i < kept.size(); ++i) {
        if (i > 0)
            out += ',';
        kept[i].json.writeTo(out);
    }
    out += "]}";
    return out;
}

} // namespace Pilothouse
