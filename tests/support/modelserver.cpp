// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/modelserver.h"

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

ModelServer::ModelServer(ModelProtocol protocol, QObject *parent)
    : QObject(parent)
    , m_protocol(protocol)
{
    m_server.setHandler([this](const LoopbackRequest &request, LoopbackConnection *connection) {
        answer(request, connection);
    });
}

QUrl ModelServer::baseUrl() const { return m_server.url(""); }

void ModelServer::enqueue(const ModelReply &reply) { m_queue.append(reply); }

void ModelServer::setHandler(Handler handler) { m_handler = std::move(handler); }

QString ModelServer::complaintAbout(const LoopbackRequest &request, const Json &body) const
{
    const bool isPost = request.method == "POST";
    switch (m_protocol) {
    case ModelProtocol::Anthropic:
        if (!isPost || request.path() != "/v1/messages")
            return u"only POST /v1/messages is served here"_s;
        return request.header("anthropic-version").isEmpty() ? u"anthropic-version: header is required"_s
                                                             : anthropicComplaint(body);
    case ModelProtocol::Responses:
        return isPost && request.path() == "/v1/responses" ? responsesComplaint(body)
                                                           : u"only POST /v1/responses is served here"_s;
    case ModelProtocol::Chat:
        return isPost && request.path() == "/v1/chat/completions"
            ? chatComplaint(body)
            : u"only POST /v1/chat/completions is served here"_s;
    }
    return {};
}

bool ModelServer::hasKey(const LoopbackRequest &request) const
{
    if (m_protocol == ModelProtocol::Anthropic)
        return !request.header("x-api-key").isEmpty();
    return !m_isKeyNeeded || request.header("authorization").startsWith("Bearer ");
}

void ModelServer::answer(const LoopbackRequest &request, LoopbackConnection *connection)
{
    if (m_other && m_other(request, connection))
        return;
    const Result<Json, JsonError> parsed = parseJson(request.body);
    const Json body = parsed.value_or(Json());
    m_requests.append(body);
    m_bodies.append(request.body);
    const int number = static_cast<int>(m_requests.size());
    Q_EMIT requested(number);

    const QString complaint =
        parsed ? complaintAbout(request, body) : u"the request body is not valid JSON"_s;
    if (!complaint.isEmpty()) {
        m_complaints.append(complaint);
        send(ModelReply::failure(400, "invalid_request_error", complaint.toUtf8()), {}, connection);
        return;
    }
    if (!hasKey(request)) {
        send(ModelReply::failure(401, "authentication_error", "a key is required"), {}, connection);
        return;
    }
    ModelReply reply = ModelReply::failure(500, "api_error", "the script has no answer for this request");
    if (!m_queue.isEmpty())
        reply = m_queue.takeFirst();
    else if (m_handler)
        reply = m_handler(body);
    send(reply, body[u"model"].toString(), connection);
}

void ModelServer::send(const ModelReply &reply, const QString &model, LoopbackConnection *connection)
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
        events = reply.events(model, static_cast<int>(m_requests.size()), m_protocol);
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
