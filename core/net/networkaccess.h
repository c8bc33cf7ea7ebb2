// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/requestspec.h"

#include <QObject>

#include <memory>

class QWebSocket;

namespace Pilothouse {

class HttpJob;

/// The only maker of network managers and sockets, with the policy in one place: manual redirects, HTTP/2
/// off, no cookies, no cache, system proxy except for loopback (direct), TLS errors refuse, one manager per
/// live stream from a reused pool (at most 64), one for control calls, one for transfers. Lives in the engine
/// thread; every call from there. Must outlive its jobs.
class NetworkAccess : public QObject {
    Q_OBJECT
public:
    explicit NetworkAccess(QObject *parent = nullptr);
    ~NetworkAccess() override;

    /// The job belongs to `parent` (required) until it deletes itself. A spec that cannot be sent (no host,
    /// scheme other than http(s), http to a host that is not loopback while secretHeaders are set) fails with
    /// Local.
    HttpJob *start(const RequestSpec &spec, Lane lane, QObject *parent);

    /// A socket with our policy (proxy, no origin, size limits set by the caller). Not opened. Owned by
    /// `parent`.
    QWebSocket *makeWebSocket(const QUrl &url, QObject *parent);

    /// Product name and version, sent as User-Agent.
    [[nodiscard]] static QByteArray userAgent();
    [[nodiscard]] static bool isLoopback(const QUrl &url);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
