// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/modelserver.h"

#include <QRegularExpression>
#include <QSet>

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

// The index of a block is known only when all are; it stands as this mark until then.
constexpr char IndexMark[] = "@INDEX@";

QByteArray startEvent(const QByteArray &block)
{
    return event("content_block_start",
                 QByteArray("{\"type\":\"content_block_start\",\"index\":") + IndexMark
                     + ",\"content_block\":" + block + "}");
}

QByteArray deltaEvent(const QByteArray &delta)
{
    return event("content_block_delta",
                 QByteArray("{\"type\":\"content_block_delta\",\"index\":") + IndexMark
                     + ",\"delta\":" + delta + "}");
}

QByteArray stopEvent()
{
    return event("content_block_stop",
                 QByteArray("{\"type\":\"content_block_stop\",\"index\":") + IndexMark + "}");
}

// A complaint about one assistant message; fills the ids of its calls.
QString assistantComplaint(const Json &message, QStringList &calls)
{
    for (const Json &block : message[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (type == "text"_L1 && block[u"text"].toString().trimmed().isEmpty())
            return u"text content blocks must be non-empty"_s;
        if (type == "thinking"_L1 && !block[u"signature"].isString())
            return u"thinking needs its signature"_s;
        if (type != "tool_use"_L1)
            continue;
        static const QRegularExpression id(u"^[a-zA-Z0-9_-]+$"_s);
        if (!id.match(block[u"id"].toString()).hasMatch())
            return u"tool_use.id does not match the pattern"_s;
        if (!block[u"input"].isObject())
            return u"tool_use.input must be an object"_s;
        if (calls.contains(block[u"id"].toString()))
            return u"tool_use ids must be unique"_s;
        calls.append(block[u"id"].toString());
    }
    return {};
}

// A complaint about one user message; takes the calls that it answers from `open`.
QString userComplaint(const Json &message, QStringList &open)
{
    bool hasOther = false;
    for (const Json &block : message[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (type == "text"_L1) {
            hasOther = true;
            if (block[u"text"].toString().trimmed().isEmpty())
                return u"text content blocks must be non-empty"_s;
        } else if (type == "tool_result"_L1) {
            if (hasOther)
                return u"tool_result blocks must come first"_s;
            if (!open.removeOne(block[u"tool_use_id"].toString()))
                return u"unexpected tool_use_id in tool_result"_s;
            if (block[u"is_error"].toBool() && block[u"content"].toString().isEmpty())
                return u"content cannot be empty if is_error is true"_s;
        } else {
            return u"unexpected block in a user message: "_s + type;
        }
    }
    return open.isEmpty() ? QString()
                          : u"tool_use ids were found without tool_result blocks: "_s + open.join(u", "_s);
}

// The vendor's own tool still runs: the answer goes back as it is, so that it can go on.
bool hasOpenServerTool(const Json &message)
{
    QStringList open;
    for (const Json &block : message[u"content"].elements()) {
        if (block[u"type"].toString() == "server_tool_use"_L1)
            open.append(block[u"id"].toString());
        else
            open.removeAll(block[u"tool_use_id"].toString());
    }
    return !open.isEmpty();
}

QString messagesComplaint(const Json &messages)
{
    if (!messages.isArray() || messages.size() == 0)
        return u"messages: at least one message is required"_s;
    QStringList open;
    QString lastRole;
    bool isServerToolOpen = false;
    for (const Json &message : messages.elements()) {
        const QString role = message[u"role"].toString();
        if (lastRole.isEmpty() && role != "user"_L1)
            return u"messages: first message must use the user role"_s;
        if (role == lastRole && !isServerToolOpen)
            return u"messages: roles must alternate"_s;
        if (!message[u"content"].isArray() || message[u"content"].size() == 0)
            return u"messages: content must not be empty"_s;
        QString complaint;
        if (role == "user"_L1)
            complaint = userComplaint(message, open);
        else if (role == "assistant"_L1)
            complaint = assistantComplaint(message, open);
        else
            complaint = u"messages: unexpected role"_s;
        if (!complaint.isEmpty())
            return complaint;
        lastRole = role;
        if (role == "assistant"_L1)
            isServerToolOpen = hasOpenServerTool(message);
    }
    return lastRole == "user"_L1 || isServerToolOpen ? QString()
                                                     : u"the last message must not be from the assistant"_s;
}

} // namespace

QString anthropicComplaint(const Json &request)
{
    if (request[u"model"].toString().isEmpty())
        return u"model: field required"_s;
    if (request[u"max_tokens"].toInteger(0) < 1)
        return u"max_tokens: field required"_s;
    static const QSet<QString> known{u"model"_s,    u"max_tokens"_s, u"system"_s,
                                     u"messages"_s, u"tools"_s,      u"tool_choice"_s,
                                     u"stream"_s,   u"thinking"_s,   u"metadata"_s};
    for (const Json::Member &member : request.members()) {
        if (!known.contains(member.key))
            return member.key + u": extra inputs are not permitted"_s;
    }
    for (const Json &block : request[u"system"].elements()) {
        if (block[u"text"].toString().isEmpty())
            return u"system: text content blocks must be non-empty"_s;
    }
    QSet<QString> names;
    for (const Json &tool : request[u"tools"].elements()) {
        static const QRegularExpression pattern(u"^[a-zA-Z0-9_-]{1,64}$"_s);
        const QString name = tool[u"name"].toString();
        if (!pattern.match(name).hasMatch() || names.contains(name))
            return u"tools: bad or repeated name"_s;
        if (tool[u"input_schema"][u"type"].toString() != "object"_L1)
            return u"tools: input_schema.type must be object"_s;
        names.insert(name);
    }
    return messagesComplaint(request[u"messages"]);
}

ModelReply &ModelReply::text(const QString &text)
{
    const qsizetype half = text.size() / 2;
    m_blocks.append(startEvent("{\"type\":\"text\",\"text\":\"\"}")
                    + deltaEvent("{\"type\":\"text_delta\",\"text\":" + quoted(text.left(half)) + "}")
                    + deltaEvent("{\"type\":\"text_delta\",\"text\":" + quoted(text.mid(half)) + "}")
                    + stopEvent());
    return *this;
}

ModelReply &ModelReply::thinking(const QString &text, const QString &signature)
{
    m_blocks.append(startEvent("{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
                    + deltaEvent("{\"type\":\"thinking_delta\",\"thinking\":" + quoted(text) + "}")
                    + deltaEvent("{\"type\":\"signature_delta\",\"signature\":" + quoted(signature) + "}")
                    + stopEvent());
    return *this;
}

ModelReply &ModelReply::call(const QString &id, const QString &name, const QByteArray &argumentText)
{
    const QString text = QString::fromUtf8(argumentText);
    const qsizetype half = text.size() / 2;
    m_blocks.append(
        startEvent("{\"type\":\"tool_use\",\"id\":" + quoted(id) + ",\"name\":" + quoted(name)
                   + ",\"input\":{}}")
        + deltaEvent("{\"type\":\"input_json_delta\",\"partial_json\":" + quoted(text.left(half)) + "}")
        + deltaEvent("{\"type\":\"input_json_delta\",\"partial_json\":" + quoted(text.mid(half)) + "}")
        + stopEvent());
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

QList<QByteArray> ModelReply::events(const QString &model, int number) const
{
    const QByteArray cache = ",\"cache_read_input_tokens\":" + QByteArray::number(m_cacheRead)
        + ",\"cache_creation_input_tokens\":" + QByteArray::number(m_cacheWrite);
    const QByteArray input = QByteArray::number(m_input - m_cacheRead - m_cacheWrite);
    QByteArray stream =
        event("message_start",
              "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_" + QByteArray::number(number)
                  + "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":" + quoted(model)
                  + ",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":" + input + cache
                  + ",\"output_tokens\":1}}}");
    for (qsizetype i = 0; i < m_blocks.size(); ++i)
        stream += QByteArray(m_blocks[i]).replace(IndexMark, QByteArray::number(i));
    const QString reason = !m_stop.isEmpty() ? m_stop : (m_hasCalls ? u"tool_use"_s : u"end_turn"_s);
    stream += event("message_delta",
                    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":" + quoted(reason)
                        + ",\"stop_sequence\":null},\"usage\":{\"output_tokens\":"
                        + QByteArray::number(m_output) + "}}");
    stream += event("message_stop", "{\"type\":\"message_stop\"}");

    QList<QByteArray> events;
    for (qsizetype from = 0; from < stream.size();) {
        const qsizetype end = stream.indexOf("\n\n", from) + 2;
        events.append(stream.mid(from, end - from));
        from = end;
    }
    return events;
}

AnthropicModelServer::AnthropicModelServer(QObject *parent)
    : QObject(parent)
{
    m_server.setHandler([this](const LoopbackRequest &request, LoopbackConnection *connection) {
        answer(request, connection);
    });
}

QUrl AnthropicModelServer::baseUrl() const { return m_server.url(""); }

void AnthropicModelServer::enqueue(const ModelReply &reply) { m_queue.append(reply); }

void AnthropicModelServer::setHandler(Handler handler) { m_handler = std::move(handler); }

void AnthropicModelServer::answer(const LoopbackRequest &request, LoopbackConnection *connection)
{
    const Result<Json, JsonError> parsed = parseJson(request.body);
    const Json body = parsed.value_or(Json());
    m_requests.append(body);
    m_bodies.append(request.body);
    const int number = static_cast<int>(m_requests.size());
    Q_EMIT requested(number);

    QString complaint;
    if (request.method != "POST" || request.path() != "/v1/messages")
        complaint = u"only POST /v1/messages is served here"_s;
    else if (!parsed)
        complaint = u"the request body is not valid JSON"_s;
    else if (request.header("anthropic-version").isEmpty())
        complaint = u"anthropic-version: header is required"_s;
    else
        complaint = anthropicComplaint(body);
    if (!complaint.isEmpty()) {
        m_complaints.append(complaint);
        send(ModelReply::failure(400, "invalid_request_error", complaint.toUtf8()), {}, connection);
        return;
    }
    if (request.header("x-api-key").isEmpty()) {
        send(ModelReply::failure(401, "authentication_error", "x-api-key header is required"), {},
             connection);
        return;
    }
    ModelReply reply = ModelReply::failure(500, "api_error", "the script has no answer for this request");
    if (!m_queue.isEmpty())
        reply = m_queue.takeFirst();
    else if (m_handler)
        reply = m_handler(body);
    send(reply, body[u"model"].toString(), connection);
}

void AnthropicModelServer::send(const ModelReply &reply, const QString &model, LoopbackConnection *connection)
{
    LoopbackHeaders headers = reply.m_headers;
    headers.append({"request-id", "req_" + QByteArray::number(m_requests.size())});
    if (reply.m_status != 200) {
        connection->respond(reply.m_status, *reply.m_raw, headers);
        return;
    }
    headers.append({"Content-Type", reply.m_contentType});
    connection->sendHead(200, headers);
    QList<QByteArray> events{reply.m_raw.value_or(QByteArray())};
    if (!reply.m_raw)
        events = reply.events(model, static_cast<int>(m_requests.size()));
    if (reply.m_cutAfter >= 0)
        events = events.mid(0, reply.m_cutAfter);
    if (reply.m_holdBefore >= 0)
        events = events.mid(0, reply.m_holdBefore);
    for (const QByteArray &bytes : std::as_const(events)) {
        const qsizetype size = reply.m_split > 0 ? reply.m_split : bytes.size();
        for (qsizetype from = 0; from < bytes.size(); from += size)
            connection->sendChunk(bytes.mid(from, size));
    }
    if (reply.m_holdBefore >= 0)
        return;
    if (reply.m_cutAfter >= 0)
        connection->close(); // Without the last chunk: the answer is cut.
    else
        connection->endChunks();
}

} // namespace Pilothouse::Tests
