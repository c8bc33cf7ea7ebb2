// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/networksetup.h"
#include "net/requestspec.h"

#include <QObject>

#include <memory>

class QNetworkRequest;
class QWebSocket;
class QWebSocketHandshakeOptions;

namespace Pilothouse {

class HttpJob;
class ProxyLogins;

/// The only maker of network managers and sockets, with the policy in one place: manual redirects, HTTP/2
/// off, no cookies, no cache, system proxy except for loopback (direct), TLS errors refuse, one manager per
/// live stream from a reused pool (at most 64), one for control calls, one for transfers. Lives in the engine
/// thread; every call from there. Must outlive its jobs.
///
/// The system is asked for a proxy before each new request. A proxy that wants a login leads to a question
/// (see ProxyLogins) and the request is sent again with the answer: it had not got past the proxy.
///
/// After sleep or a change of address, connections that nobody uses are not used again, and those in use are
/// in doubt until something comes in or they have been silent for too long.
class NetworkAccess : public QObject {
    Q_OBJECT
public:
    explicit NetworkAccess(QObject *parent = nullptr);
    explicit NetworkAccess(NetworkSetup setup, QObject *parent = nullptr);
    ~NetworkAccess() override;

    /// The job belongs to `parent` (required) until it deletes itself. A spec that cannot be sent (no host,
    /// scheme other than http(s), http to a host that is not loopback while secretHeaders are set) fails with
    /// Local.
    HttpJob *start(const RequestSpec &spec, Lane lane, QObject *parent);

    /// A socket with our policy (no origin, TLS errors refuse; size limits set by the caller). Not opened:
    /// see open(). Owned by `parent`.
    QWebSocket *makeWebSocket(const QUrl &url, QObject *parent);
    /// Opens it through the proxy that holds now: on this computer at once, else on a later turn.
    void open(QWebSocket *socket, const QNetworkRequest &request, const QWebSocketHandshakeOptions &options);
    /// Why the certificate of a socket's server was refused, as describeRefusal(); empty if it was not.
    [[nodiscard]] static QString tlsRefusal(const QWebSocket *socket);

    [[nodiscard]] ProxyLogins *proxyLogins() const;
    [[nodiscard]] bool isOffline() const; ///< This computer has no way into any network.

    /// Counts a connection to `url` as in flight while the value lives. Null if it needs no watching, being
    /// one to this computer.
    [[nodiscard]] std::shared_ptr<void> watch(const QUrl &url);
    /// Held by a connection from connectionsInDoubt() until it knows whether it is alive.
    [[nodiscard]] std::shared_ptr<void> doubt();

    /// Product name and version, sent as User-Agent.
    [[nodiscard]] static QByteArray userAgent();
    [[nodiscard]] static bool isLoopback(const QUrl &url);

Q_SIGNALS:
    /// This computer slept (0: only its address changed), and something was in flight.
    void connectionsInDoubt(std::chrono::milliseconds slept);
    void networkReachable(); ///< After connectionsInDoubt(): from here on silence means something.
    void connectionsSettled(); ///< None is in doubt any more.

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
