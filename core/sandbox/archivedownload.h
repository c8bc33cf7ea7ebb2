// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QByteArray>
#include <QObject>
#include <QPointer>

#include <functional>

namespace Pilothouse {

class HttpJob;
class SandboxClient;

/// What is below a folder of a machine.
struct TreeCount {
    qint64 files = 0;
    qint64 folders = 0; ///< Without the folder itself.
    qint64 others = 0; ///< Links and special files, which no archive holds.
};

/// A folder of a machine as one zip file, where the service makes such. The service ends an archive early
/// without a mark when the folder is too large, so what is there is counted first, by a command. Wakes
/// nothing. Deleting it stops it. Engine thread.
class ArchiveDownload : public QObject {
    Q_OBJECT
public:
    /// The service's own limits.
    static constexpr qint64 MostEntries = 100000;
    static constexpr qint64 LargestArchive = qint64(2) * 1024 * 1024 * 1024;

    ArchiveDownload(SandboxClient *client, QString sandboxId, QByteArray path, QObject *parent);

    /// `sink` runs with the bytes as they come, `reply` once at the end. An error with code "no_archive": the
    /// service makes none of this folder, and nothing has come.
    void start(std::function<void(const QByteArray &)> sink, Reply<TreeCount> reply);

private:
    void ask(const Secret &token, bool isRepeat);
    void onAnswer(bool isRepeat);
    void finish(const Result<TreeCount, ApiError> &result);

    QPointer<SandboxClient> m_client;
    QString m_id;
    QByteArray m_path;
    std::function<void(const QByteArray &)> m_sink;
    Reply<TreeCount> m_reply;
    TreeCount m_count;
    Secret m_token;
    QPointer<HttpJob> m_job; ///< Child.
};

} // namespace Pilothouse
