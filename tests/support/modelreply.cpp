// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/modelreply.h"

#include "util/json.h"

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

QByteArray event(const QByteArray &type, const QByteArray &json)
{
    return "event: " + type + "\ndata: " + json + "\n\n";
}

QByteArray quoted(const QString &text)
{
    QByteArray out;
    appendJsonString(out, text);
    return out;
}

QByteArray number(qsizetype value) { return QByteArray::number(value); }

QString half(const QString &text, bool isSecond)
{
    return isSecond ? text.mid(text.size() / 2) : text.left(text.size() / 2);
}

// Both halves of a text, each in an Anthropic delta of this type.
QByteArray deltas(qsizetype index, const QByteArray &type, const QByteArray &member, const QString &text)
{
    QByteArray out;
    for (const bool isSecond : {false, true})
        out +=
            event("content_block_delta",
                  "{\"type\":\"content_block_delta\",\"index\":" + number(index) + ",\"delta\":{\"type\":\""
                      + type + "\",\"" + member + "\":" + quoted(half(text, isSecond)) + "}}");
    return out;
}

QByteArray responseEvent(const QByteArray &type, const QByteArray &members)
{
    return event("response." + type, "{\"type\":\"response." + type + "\"," + members + "}");
}

} // namespace

ModelReply &ModelReply::text(const QString &text)
{
    m_blocks.append({Block::Kind::Text, text, {}, {}, {}});
    return *this;
}

ModelReply &ModelReply::thinking(const QString &text, const QString &signature)
{
    m_blocks.append({Block::Kind::Thinking, text, signature, {}, {}});
    return *this;
}

ModelReply &ModelReply::call(const QString &id, const QString &name, const QByteArray &argumentText)
{
    m_blocks.append({Block::Kind::Call, QString::fromUtf8(argumentText), {}, id, name});
    m_hasCalls = true;
    return *this;
}

ModelReply &ModelReply::stop(const QString &reason)
{
    m_stop = reason;
    return *this;
}

ModelReply &ModelReply::usage(int input, int output, int cacheRead, int cacheWrite)
{
    m_input = input;
    m_output = output;
    m_cacheRead = cacheRead;
    m_cacheWrite = cacheWrite;
    return *this;
}

ModelReply &ModelReply::cutAfter(int events)
{
    m_cutAfter = events;
    return *this;
}

ModelReply &ModelReply::split(int bytes)
{
    m_split = bytes;
    return *this;
}

ModelReply &ModelReply::holdBefore(int event)
{
    m_holdBefore = event;
    return *this;
}

ModelReply ModelReply::raw(const QByteArray &body, const QByteArray &contentType)
{
    ModelReply reply;
    reply.m_raw = body;
    reply.m_contentType = contentType;
    return reply;
}

ModelReply ModelReply::status(int status, const QByteArray &body, const LoopbackHeaders &headers)
{
    ModelReply reply;
    reply.m_status = status;
    reply.m_raw = body;
    reply.m_headers = headers;
    return reply;
}

ModelReply ModelReply::failure(int status, const QByteArray &type, const QByteArray &message,
                               const LoopbackHeaders &headers)
{
    const QByteArray error = JsonBuilder()
                                 .add("type"_L1, QString::fromUtf8(type))
                                 .add("message"_L1, QString::fromUtf8(message))
                                 .take();
    return ModelReply::status(status, JsonBuilder().add("type"_L1, "error"_L1).raw("error"_L1, error).take(),
                              headers);
}

QByteArray ModelReply::anthropicStream(const QString &model, int answer) const
{
    const QByteArray cache = ",\"cache_read_input_tokens\":" + QByteArray::number(m_cacheRead)
        + ",\"cache_creation_input_tokens\":" + QByteArray::number(m_cacheWrite);
    const QByteArray input = QByteArray::number(m_input - m_cacheRead - m_cacheWrite);
    QByteArray stream =
        event("message_start",
              "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_" + number(answer)
                  + "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":" + quoted(model)
                  + ",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":" + input + cache
                  + ",\"output_tokens\":1}}}");
    for (qsizetype i = 0; i < m_blocks.size(); ++i) {
        const Block &block = m_blocks[i];
        QByteArray start;
        QByteArray pieces;
        switch (block.kind) {
        case Block::Kind::Text:
            start = "{\"type\":\"text\",\"text\":\"\"}";
            pieces = deltas(i, "text_delta", "text", block.text);
            break;
        case Block::Kind::Thinking:
            start = "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}";
            pieces = event("content_block_delta",
                           "{\"type\":\"content_block_delta\",\"index\":" + number(i)
                               + ",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":" + quoted(block.text)
                               + "}}")
                + event("content_block_delta",
                        "{\"type\":\"content_block_delta\",\"index\":" + number(i)
                            + ",\"delta\":{\"type\":\"signature_delta\",\"signature\":"
                            + quoted(block.signature) + "}}");
            break;
        case Block::Kind::Call:
            start = "{\"type\":\"tool_use\",\"id\":" + quoted(block.id) + ",\"name\":" + quoted(block.name)
                + ",\"input\":{}}";
            pieces = deltas(i, "input_json_delta", "partial_json", block.text);
            break;
        }
        stream += event("content_block_start",
                        "{\"type\":\"content_block_start\",\"index\":" + number(i)
                            + ",\"content_block\":" + start + "}")
            + pieces
            + event("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":" + number(i) + "}");
    }
    const QString reason = !m_stop.isEmpty() ? m_stop : (m_hasCalls ? u"tool_use"_s : u"end_turn"_s);
    stream += event("message_delta",
                    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":" + quoted(reason)
                        + ",\"stop_sequence\":null},\"usage\":{\"output_tokens\":"
                        + QByteArray::number(m_output) + "}}");
    stream += event("message_stop", "{\"type\":\"message_stop\"}");
    return stream;
}

QByteArray ModelReply::responsesStream(const QString &model, int answer) const
{
    const QByteArray head = "\"id\":\"resp_" + number(answer)
        + "\",\"object\":\"response\",\"model\":" + quoted(model) + ",\"error\":null";
    QByteArray stream =
        responseEvent("created", "\"response\":{" + head + ",\"status\":\"in_progress\",\"output\":[]}");
    QList<QByteArray> items;
    for (qsizetype i = 0; i < m_blocks.size(); ++i) {
        const Block &block = m_blocks[i];
        const QByteArray at = "\"output_index\":" + number(i) + ",";
        const QByteArray id = number(answer) + "_" + number(i) + "\"";
        QByteArray added;
        QByteArray done;
        QByteArray kind;
        switch (block.kind) {
        case Block::Kind::Text:
            kind = "output_text.delta";
            added = "{\"id\":\"msg_" + id + ",\"type\":\"message\",\"role\":\"assistant\",\"content\":[";
            done =
                added + "{\"type\":\"output_text\",\"annotations\":[],\"text\":" + quoted(block.text) + "}]}";
            added += "]}";
            break;
        case Block::Kind::Thinking:
            kind = "reasoning_summary_text.delta";
            added = "{\"id\":\"rs_" + id + ",\"type\":\"reasoning\",\"summary\":[";
            done = added + "{\"type\":\"summary_text\",\"text\":" + quoted(block.text)
                + "}],\"encrypted_content\":" + quoted(block.signature) + "}";
            added += "]}";
            break;
        case Block::Kind::Call:
            kind = "function_call_arguments.delta";
            added = "{\"id\":\"fc_" + id + ",\"type\":\"function_call\",\"call_id\":" + quoted(block.id)
                + ",\"name\":" + quoted(block.name) + ",\"arguments\":";
            done = added + quoted(block.text) + "}";
            added += "\"\"}";
            break;
        }
        stream += responseEvent("output_item.added", at + "\"item\":" + added);
        for (const bool isSecond : {false, true})
            stream += responseEvent(
                kind, at + "\"content_index\":0,\"delta\":" + quoted(half(block.text, isSecond)));
        stream += responseEvent("output_item.done", at + "\"item\":" + done);
        items.append(done);
    }
    const bool isCut = m_stop == "max_tokens"_L1;
    const QByteArray status = isCut ? "incomplete" : "completed";
    const QByteArray why = isCut ? ",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}" : "";
    return stream
        + responseEvent(status,
                        "\"response\":{" + head + ",\"status\":\"" + status + "\"" + why + ",\"output\":["
                            + items.join(',') + "],\"usage\":{\"input_tokens\":" + number(m_input)
                            + ",\"input_tokens_details\":{\"cached_tokens\":" + number(m_cacheRead)
                            + ",\"cache_write_tokens\":" + number(m_cacheWrite)
                            + "},\"output_tokens\":" + number(m_output) + "}}");
}

QByteArray ModelReply::chatStream(const QString &model, int answer) const
{
    const QByteArray head = "{\"id\":\"chatcmpl-" + number(answer) + "\",\"model\":" + quoted(model);
    const auto chunk = [&head](const QByteArray &delta, const QByteArray &finish) -> QByteArray {
        return "data: " + head + ",\"choices\":[{\"index\":0,\"delta\":{" + delta
            + "},\"finish_reason\":" + finish + "}]}\n\n";
    };
    QByteArray stream = chunk("\"role\":\"assistant\",\"content\":\"\"", "null");
    qsizetype calls = 0;
    for (const Block &block : m_blocks) {
        for (const bool isSecond : {false, true}) {
            const QByteArray piece = quoted(half(block.text, isSecond));
            switch (block.kind) {
            case Block::Kind::Text:
                stream += chunk("\"content\":" + piece, "null");
                break;
            case Block::Kind::Thinking:
                stream += chunk("\"reasoning_content\":" + piece, "null");
                break;
            case Block::Kind::Call: {
                QByteArray id;
                QByteArray name;
                if (!isSecond) {
                    id = "\"id\":" + quoted(block.id) + ",\"type\":\"function\",";
                    name = "\"name\":" + quoted(block.name) + ",";
                }
                stream += chunk("\"tool_calls\":[{\"index\":" + number(calls) + "," + id + "\"function\":{"
                                    + name + "\"arguments\":" + piece + "}}]",
                                "null");
                break;
            }
            }
        }
        calls += block.kind == Block::Kind::Call ? 1 : 0;
    }
    QString reason = m_stop == "max_tokens"_L1 ? u"length"_s : m_stop;
    if (reason.isEmpty())
        reason = m_hasCalls ? u"tool_calls"_s : u"stop"_s;
    return stream + chunk("", quoted(reason)) + "data: " + head
        + ",\"choices\":[],\"usage\":{\"prompt_tokens\":" + number(m_input) + ",\"completion_tokens\":"
        + number(m_output) + ",\"prompt_tokens_details\":{\"cached_tokens\":" + number(m_cacheRead)
        + ",\"cache_write_tokens\":" + number(m_cacheWrite) + "}}}\n\ndata: [DONE]\n\n";
}

QList<QByteArray> ModelReply::events(const QString &model, int answer, ModelProtocol protocol) const
{
    QByteArray stream;
    switch (protocol) {
    case ModelProtocol::Anthropic:
        stream = anthropicStream(model, answer);
        break;
    case ModelProtocol::Responses:
        stream = responsesStream(model, answer);
        break;
    case ModelProtocol::Chat:
        stream = chatStream(model, answer);
        break;
    }
    QList<QByteArray> events;
    for (qsizetype from = 0; from < stream.size();) {
        const qsizetype end = stream.indexOf("\n\n", from) + 2;
        events.append(stream.mid(from, end - from));
        from = end;
    }
    return events;
}

} // namespace Pilothouse::Tests
