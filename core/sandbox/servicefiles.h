// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"
#include "util/secret.h"

#include <QString>
#include <QUrl>

#include <optional>

namespace Pilothouse {

/// The files in DATA/sandboxd that programs share to find or start one local sandbox service. The folder is
/// 0700, every file 0600 and ours; links are not followed. Nothing here waits.
class ServiceFiles {
public:
    struct Endpoint {
        QUrl control; ///< http on a loopback address.
        QUrl data;
        qint64 pid = 0;
    };

    explicit ServiceFiles(const QString &dataDir);
    ~ServiceFiles(); ///< Unlocks.
    Q_DISABLE_COPY_MOVE(ServiceFiles)

    [[nodiscard]] QString folder() const { return m_folder; }
    [[nodiscard]] QString keyPath() const;
    [[nodiscard]] QString endpointPath() const;
    [[nodiscard]] QString logPath() const;

    /// Makes DATA and DATA/sandboxd where they are missing.
    [[nodiscard]] Result<Done, Error> prepare() const;
    /// True with the lock taken; false while another program holds it. The lock ends with unlock() or the
    /// process.
    [[nodiscard]] Result<bool, Error> tryLock();
    void unlock();
    /// The service's key: 64 hex digits, made on first use. Only under the lock.
    [[nodiscard]] Result<Secret, Error> key() const;
    /// What the running service wrote; nothing if there is no file or it is not one that can be trusted.
    [[nodiscard]] std::optional<Endpoint> endpoint() const;
    void removeEndpoint() const;
    /// An empty log for a service about to start.
    [[nodiscard]] Result<Done, Error> truncateLog() const;
    /// The last lines of the log, for people: plain text, bounded.
    [[nodiscard]] QString logTail() const;
    /// Whether a service holds the folder now. Its kernel lets go of the lock no later than of its
    /// connections, so this knows of its end before the end of a connection has come through.
    [[nodiscard]] bool isServed() const;
    /// Whether process `pid` still runs; one that has ended but was not collected counts as ended.
    [[nodiscard]] static bool isRunning(qint64 pid);

private:
    QString m_folder;
    int m_lock = -1;
};

} // namespace Pilothouse
