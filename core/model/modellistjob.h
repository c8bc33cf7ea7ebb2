// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelendpoint.h"
#include "model/modellist.h"
#include "net/apierror.h"
#include "util/json.h"

#include <QObject>
#include <QPointer>

#include <chrono>

namespace Pilothouse {

class HttpJob;

/// Asks a service for its models, which is also the check of key and URL: bounded in time, size and pages,
/// and nothing is spent. Emits finished() once on a later turn of the event loop, then deletes itself;
/// destroying it before is quiet. Engine thread.
class ModelListJob : public QObject {
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds UsualLimit{20'000}; ///< Per page.

    /// Belongs to `parent`.
    static ModelListJob *list(NetworkAccess *network, const QString &protocol, const ModelEndpoint &endpoint,
                              QObject *parent, std::chrono::milliseconds limit = UsualLimit);
    /// One model only, with what the service can tell of it before the first message, above all whether it
    /// can call tools. An Ollama server is asked for that model alone, others for their list. NotFound when
    /// it is not there.
    static ModelListJob *describe(NetworkAccess *network, const QString &protocol,
                                  const ModelEndpoint &endpoint, const QString &model, QObject *parent,
                                  std::chrono::milliseconds limit = UsualLimit);

    [[nodiscard]] const QList<ListedModel> &models() const { return m_models; } ///< Valid once finished.
    [[nodiscard]] const std::optional<ApiError> &error() const { return m_error; } ///< Empty after success.
    [[nodiscard]] bool isCut() const { return m_isCut; } ///< There were more than MostListedModels.

Q_SIGNALS:
    void finished();

private:
    ModelListJob(NetworkAccess *network, QString protocol, ModelEndpoint endpoint, QString model,
                 std::chrono::milliseconds limit, QObject *parent);
    void askPage(const QString &after);
    void askOllama();
    void send(RequestSpec spec);
    void onAnswer();
    void takePage(const QByteArray &body);
    void takeOllama(const QByteArray &body);
    void failWith(ApiError::Category category, const QString &message);
    void end();

    NetworkAccess *m_network;
    QString m_protocol;
    ModelEndpoint m_endpoint;
    QString m_model; ///< Empty: all.
    std::chrono::milliseconds m_limit;
    QPointer<HttpJob> m_job;
    QList<ListedModel> m_models;
    std::optional<ApiError> m_error;
    int m_pages = 0;
    bool m_isOllama = false;
    bool m_isCut = false;
};

} // namespace Pilothouse
