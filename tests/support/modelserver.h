// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/loopbackserver.h"
#include "util/json.h"

#include <QList>
#include <QObject>
#include <QUrl>

#include <functional>
#include <optional>

namespace Pilothouse::Tests {

/// One answer of the scripted service. Built by chaining: ModelReply().text(u"Hi"_s).call(…).
class ModelReply {
public:
    ModelReply &text(const QString &text); ///< One block, streamed in two pieces.
    ModelReply &thinking(const QString &text, const QString &signature);
    ModelReply &call(const QString &id, const QString &name, const QByteArray &argumentText);
    ModelReply &stop(const QString &reason); ///< Default: tool_use with calls, else end_turn.
    ModelReply &usage(int input, int output, int cacheRead = 0, int cacheWrite = 0);
    ModelReply &cutAfter(int events); ///< The connection closes after so many events of the stream.
    ModelReply &split(int bytes); ///< Pieces on the wire; default: one for each event.
    ModelReply &holdBefore(int event); ///< Nothing is sent from this event on, and the connection stays open.

    static ModelReply raw(const QByteArray &body, const QByteArray &contentType = "text/event-stream");
    static ModelReply status(int status, const QByteArray &body, const LoopbackHeaders &headers = {});
    /// The vendor's error form with this type and message.
    static ModelReply failure(int status, const QByteArray &type, const QByteArray &message,
                              const LoopbackHeaders &headers = {});

    [[nodiscard]] QList<QByteArray> events(const QString &model,
                                           int number) const; ///< As they go over the wire.

private:
    friend class AnthropicModelServer;
    QList<QByteArray> m_blocks; ///< Each the events of one block, joined.
    QString m_stop;
    int m_input = 10;
    int m_output = 5;
    int m_cacheRead = 0;
    int m_cacheWrite = 0;
    int m_cutAfter = -1;
    int m_holdBefore = -1;
    int m_split = 0;
    int m_status = 200;
    bool m_hasCalls = false;
    std::optional<QByteArray> m_raw;
    QByteArray m_contentType = "text/event-stream";
    LoopbackHeaders m_headers;
};

/// What the vendor would object to in the body of a request, empty if nothing: members that must be there,
/// roles, order and number of tool results, names, empty texts.
[[nodiscard]] QString anthropicComplaint(const Json &request);

/// An Anthropic Messages service on loopback with scripted answers. Requests that the vendor would refuse are
/// answered with 400 and the reason, whatever the script says, and are kept in complaints().
class AnthropicModelServer : public QObject {
    Q_OBJECT
public:
    using Handler = std::function<ModelReply(const Json &request)>;

    explicit AnthropicModelServer(QObject *parent = nullptr);

    [[nodiscard]] QUrl baseUrl() const; ///< For ANTHROPIC_BASE_URL; without /v1.
    void enqueue(const ModelReply &reply); ///< For the next request that has none yet.
    void setHandler(Handler handler); ///< For requests that find the queue empty.

    [[nodiscard]] const QList<Json> &requests() const { return m_requests; }
    [[nodiscard]] const QList<QByteArray> &bodies() const { return m_bodies; }
    [[nodiscard]] const QStringList &complaints() const { return m_complaints; }
    [[nodiscard]] LoopbackServer *loopback() { return &m_server; }

Q_SIGNALS:
    void requested(int number); ///< After the record, before the answer; from 1.

private:
    void answer(const LoopbackRequest &request, LoopbackConnection *connection);
    void send(const ModelReply &reply, const QString &model, LoopbackConnection *connection);

    LoopbackServer m_server;
    QList<ModelReply> m_queue;
    Handler m_handler;
    QList<Json> m_requests;
    QList<QByteArray> m_bodies;
    QStringList m_complaints;
};

} // namespace Pilothouse::Tests
