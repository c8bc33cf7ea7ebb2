// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/loopbackserver.h"
#include "support/modelcomplaint.h"
#include "support/modelreply.h"
#include "util/json.h"

#include <QList>
#include <QObject>
#include <QUrl>

#include <functional>

namespace Pilothouse::Tests {

/// A model service on loopback with scripted answers in one of the protocols. Requests that the vendor would
/// refuse are answered with 400 and the reason, whatever the script says, and are kept in complaints().
class ModelServer : public QObject {
    Q_OBJECT
public:
    using Handler = std::function<ModelReply(const Json &request)>;

    explicit ModelServer(ModelProtocol protocol, QObject *parent = nullptr);

    [[nodiscard]] QUrl baseUrl() const; ///< For ANTHROPIC_BASE_URL and the like; without /v1.
    void enqueue(const ModelReply &reply); ///< For the next request that has none yet.
    void setHandler(Handler handler); ///< For requests that find the queue empty.
    /// For requests that are none to the model, such as for lists; false: not one of those.
    using Other = std::function<bool(const LoopbackRequest &, LoopbackConnection *)>;
    void setOther(Other other) { m_other = std::move(other); }
    void setKeyNeeded(bool isNeeded) { m_isKeyNeeded = isNeeded; } ///< Chat only: local servers need none.

    [[nodiscard]] const QList<Json> &requests() const { return m_requests; }
    [[nodiscard]] const QList<QByteArray> &bodies() const { return m_bodies; }
    [[nodiscard]] const QStringList &complaints() const { return m_complaints; }
    [[nodiscard]] LoopbackServer *loopback() { return &m_server; }

Q_SIGNALS:
    void requested(int number); ///< After the record, before the answer; from 1.

private:
    void answer(const LoopbackRequest &request, LoopbackConnection *connection);
    void send(const ModelReply &reply, const QString &model, LoopbackConnection *connection);
    [[nodiscard]] QString complaintAbout(const LoopbackRequest &request, const Json &body) const;
    [[nodiscard]] bool hasKey(const LoopbackRequest &request) const;

    ModelProtocol m_protocol;
    LoopbackServer m_server;
    QList<ModelReply> m_queue;
    Handler m_handler;
    Other m_other;
    QList<Json> m_requests;
    QList<QByteArray> m_bodies;
    QStringList m_complaints;
    bool m_isKeyNeeded = true;
};

class AnthropicModelServer : public ModelServer {
    Q_OBJECT
public:
    explicit AnthropicModelServer(QObject *parent = nullptr)
        : ModelServer(ModelProtocol::Anthropic, parent)
    { }
};

} // namespace Pilothouse::Tests
