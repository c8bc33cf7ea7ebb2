// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"
#include "util/error.h"

#include <QObject>

#include <memory>

namespace Pilothouse {

class NetworkAccess;

/// The local sandbox service of one data folder: found through DATA/sandboxd/endpoint.json if it answers,
/// else started detached under a lock; holds a lease connection while this object lives. Engine thread.
class LocalService : public QObject {
    Q_OBJECT
public:
    /// `program` is the path of pilothouse-sandboxd; `dataDir` is DATA.
    LocalService(NetworkAccess *network, QString dataDir, QString program, QObject *parent = nullptr);
    ~LocalService() override;

    /// Replies with the endpoint once the service answered /health and the lease stands, or with what it said
    /// when it could not start (bubblewrap missing, port taken, folder in use). Parallel calls share one
    /// start.
    void ensure(QObject *context, std::function<void(const Result<SandboxEndpoint, Error> &)> reply);
    /// The service was reached and still runs.
    [[nodiscard]] bool isReady() const;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
