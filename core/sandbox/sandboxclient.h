// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtiming.h"
#include "sandbox/sandboxtypes.h"

#include <QObject>

namespace Pilothouse {

class CommandSession;
class NetworkAccess;
class SandboxHttp;

/// Client of the Superserve API for one endpoint: control plane, data plane, tokens. Lives in the engine
/// thread.
///
/// Calls take a context and a reply: the reply runs exactly once, on a later event-loop turn, in this thread,
/// unless the context is destroyed first; then the request is abandoned. GET and DELETE are tried up to three
/// times on 429, 502, 503, 504 and network failure; everything else is sent once. A data-plane call answered
/// 401, 403, 503 (or 404 with code sandbox_route_stale) leads to one activate, shared by all callers of that
/// sandbox, and one repeat. Access tokens stay inside this class.
class SandboxClient : public QObject {
    Q_OBJECT
public:
    SandboxClient(NetworkAccess *network, SandboxEndpoint endpoint, QObject *parent = nullptr,
                  const SandboxTiming &timing = {});
    ~SandboxClient() override;

    [[nodiscard]] const SandboxEndpoint &endpoint() const;

    void create(const CreateSandbox &request, QObject *context,
                Reply<SandboxInfo> reply); ///< A lost answer: outcomeUnknown.
    void get(const QString &id, QObject *context, Reply<SandboxInfo> reply);
    void list(const ListSandboxes &filter, QObject *context,
              Reply<QList<SandboxInfo>> reply); ///< All pages, no doubles.
    void patch(const QString &id, const PatchSandbox &change, QObject *context, Reply<Done> reply);
    /// Connect by the algorithm for old and new servers: activate, wait out transitions, three rounds.
    void activate(const QString &id, QObject *context, Reply<SandboxInfo> reply);
    void resume(const QString &id, QObject *context, Reply<SandboxInfo> reply);
    /// Done when the status reads paused (or the sandbox is gone). 204 and 202 with polling.
    void pause(const QString &id, QObject *context, Reply<Done> reply);
    void remove(const QString &id, QObject *context,
                Reply<Done> reply); ///< 404 is success; waits out transitions.
    void health(QObject *context, Reply<Json> reply);

    /// A command over /exec/connect, exact bytes, live. Owned by `parent`. Falls back to /exec/stream only
    /// while no start frame was sent.
    CommandSession *startCommand(const QString &id, const CommandRequest &request, QObject *parent);
    /// A short command over /exec with its whole output (at most 10 MiB).
    void exec(const QString &id, const CommandRequest &request, QObject *context, Reply<ExecResult> reply);
    /// Sends `signal` (a name without SIG, KILL included) to every process whose environment has
    /// PH_CALL=callId, by a second /exec; replies with the number of processes found.
    void signalCall(const QString &id, const QString &callId, const QString &signal, QObject *context,
                    Reply<int> reply);

    void writeFile(const QString &id, const QString &path, const QByteArray &bytes, QObject *context,
                   Reply<Done> reply);
    /// For people who look, Wake::Never.
    void readFile(const QString &id, const QString &path, qint64 maxBytes, QObject *context,
                  Reply<QByteArray> reply, Wake wake = Wake::May);
    /// Wakes nothing: as readFile() with Wake::Never.
    void listFiles(const QString &id, const QString &path, QObject *context, Reply<FileListing> reply);

    /// The transport, for calls that stand in classes of their own.
    [[nodiscard]] SandboxHttp *http() const { return m_http; }

    /// Why a path cannot be used (relative, a ".." segment, NUL), or an empty string.
    [[nodiscard]] static QString pathProblem(QStringView path);

private:
    /// A scope for one call: a child of the transport that dies with `context`.
    [[nodiscard]] QObject *scopeFor(QObject *context);
    void execWith(const QString &id, const CommandRequest &request, QObject *scope, Reply<ExecResult> reply);
    void listPage(const ListSandboxes &filter, QObject *scope, const QList<SandboxInfo> &before, int offset,
                  const Reply<QList<SandboxInfo>> &reply);

    SandboxHttp *m_http; ///< Child.
};

} // namespace Pilothouse
