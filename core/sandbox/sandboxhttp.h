// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/requestspec.h"
#include "sandbox/sandboxtiming.h"
#include "sandbox/sandboxtypes.h"

#include <QHash>
#include <QObject>

#include <functional>

namespace Pilothouse {

class HttpJob;
class NetworkAccess;

/// Sends the requests of SandboxClient: credentials, retries, access tokens and the one repeat after an
/// activate. Every call has a `scope`: the request lives as its child and is abandoned with it, and the reply
/// runs while it lives.
class SandboxHttp : public QObject {
    Q_OBJECT
public:
    struct Answer {
        int status = 0;
        QByteArray body;
        qint64 totalCount = -1; ///< X-Total-Count, -1 if it was not there.
        QByteArray contentRange; ///< Content-Range, of a part of a file.
        QByteArray lastModified; ///< Last-Modified, of a file.
    };
    using AnswerReply = Reply<Answer>;

    SandboxHttp(NetworkAccess *network, SandboxEndpoint endpoint, const SandboxTiming &timing,
                QObject *parent);
    ~SandboxHttp() override;

    [[nodiscard]] const SandboxEndpoint &endpoint() const { return m_endpoint; }
    [[nodiscard]] const SandboxTiming &timing() const { return m_timing; }
    [[nodiscard]] NetworkAccess *network() const { return m_network; }

    [[nodiscard]] RequestSpec controlSpec(const QByteArray &method, const QByteArray &pathAndQuery) const;
    /// Without the token; that is added when it is sent.
    [[nodiscard]] RequestSpec dataSpec(const QByteArray &method, const QString &id,
                                       const QByteArray &pathAndQuery) const;

    /// Limits on the whole of an answer of up to `bytes` (0: a short one), so that one that drips byte by
    /// byte ends too. By firstByteTimeout as it stands.
    void boundAnswer(RequestSpec &spec, qint64 bytes) const;

    /// GET and DELETE: up to three attempts on 429, 502, 503, 504 and lost connections. Everything else:
    /// once.
    void control(const RequestSpec &spec, Lane lane, QObject *scope, AnswerReply reply);
    /// As control(), without needing a key: for the health call.
    void anonymous(const RequestSpec &spec, QObject *scope, AnswerReply reply);
    /// As control(), with the access token; an answer of wantsActivate() leads to one activate and one
    /// repeat. With Wake::Never the state is asked for instead, and the repeat needs an active machine.
    void data(const QString &id, const RequestSpec &spec, Lane lane, QObject *scope, AnswerReply reply,
              Wake wake = Wake::May);
    /// The cached token, or a fresh one by activate (Wake::Never: from a machine that is active).
    void token(const QString &id, QObject *scope, Reply<Secret> reply, Wake wake = Wake::May);
    /// One POST activate, shared by all who ask while it runs; stopped when the last of them is gone. Fails
    /// with Protocol when the answer has no token.
    void activateOnce(const QString &id, QObject *scope, Reply<SandboxInfo> reply);
    /// As activateOnce(), unless the token is no longer `used`: then somebody else has just refreshed it.
    void refresh(const QString &id, const Secret &used, QObject *scope, Reply<Secret> reply,
                 Wake wake = Wake::May);
    void remember(const QString &id, const Secret &token);
    void forget(const QString &id);

    /// 401, 403, 503, and 404 with code sandbox_route_stale: the service says these before anything has
    /// happened, so a repeat is safe even for commands.
    [[nodiscard]] static bool wantsActivate(const ApiError &error);
    /// True for a server error or a refusal without a word or a code of the service: a page of whatever
    /// stands between us, which says nothing about whether a command ran.
    [[nodiscard]] static bool saysNothing(const ApiError &error);
    /// Why nothing can be sent at all: no key, or one that cannot stand in a header.
    [[nodiscard]] std::optional<ApiError> keyProblem() const;

private:
    struct Waiter {
        QObject *scope;
        QMetaObject::Connection onDestroyed;
        Reply<SandboxInfo> reply;
    };
    struct Flight {
        HttpJob *job = nullptr;
        QList<Waiter> waiters;
    };

    void send(const RequestSpec &spec, Lane lane, int attempt, int attempts, QObject *scope,
              const AnswerReply &reply);
    void sendData(const QString &id, const RequestSpec &spec, Lane lane, const Secret &token, bool repeated,
                  Wake wake, QObject *scope, const AnswerReply &reply);
    void tokenIfActive(const QString &id, QObject *scope, const Reply<Secret> &reply);
    void onActivated(const QString &id);
    void leave(const QString &id, const QObject *scope);

    NetworkAccess *m_network;
    SandboxEndpoint m_endpoint;
    SandboxTiming m_timing;
    QHash<QString, Secret> m_tokens;
    QHash<QString, Flight> m_flights;
};

} // namespace Pilothouse
