// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modellist.h"

#include <QObject>
#include <QUrl>

namespace Pilothouse {

class ModelListJob;
class NetworkAccess;

/// A model server that answered on this machine.
struct LocalServer {
    QUrl baseUrl;
    QString kind; ///< Provider that is usually there: "ollama", "llamacpp", "vllm", "lmstudio", or "local".
    QList<ListedModel> models;
};

/// Looks for model servers on loopback, when a person asks. Each URL gets one short request without any key;
/// URLs that are not on loopback are not asked. Emits finished() once on a later turn of the event loop, then
/// deletes itself. Engine thread.
class LocalProbe : public QObject {
    Q_OBJECT
public:
    /// Where Ollama, llama.cpp, vLLM and LM Studio listen unless told otherwise.
    [[nodiscard]] static QList<QUrl> usualUrls();

    LocalProbe(NetworkAccess *network, const QList<QUrl> &urls, QObject *parent);

Q_SIGNALS:
    void finished(const QList<Pilothouse::LocalServer> &servers); ///< In the order of the URLs.

private:
    void onAnswer(qsizetype at, const ModelListJob *job);
    void end();

    QList<LocalServer> m_servers;
    QList<bool> m_answered;
    qsizetype m_open = 0;
};

} // namespace Pilothouse
