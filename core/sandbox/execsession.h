// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/commandsession.h"
#include "sandbox/execeventparser.h"

#include <QPointer>
#include <QTimer>

#include <functional>
#include <memory>

class QWebSocket;

namespace Pilothouse {

class HttpJob;
class SandboxHttp;

/// A command over the WebSocket /exec/connect, or over /exec/stream when the socket cannot be had, or over
/// /exec, with its output at the end, when the service has no such stream either.
///
/// Only a `finished` frame is an end. Qt 6.4 reports close code 1000 for refused and for dropped sockets, and
/// the status of a refusal only inside a text, so neither is looked at: a dial that fails leads to one
/// activate and one more dial, and after that to /exec/stream, whose HTTP answer tells the reason. All of
/// that only while no start frame was sent; from then on a loss is an unknown outcome. /exec follows only on
/// answers that say that the stream does not exist (404, 405, 501): then nothing was started either.
class ExecSession final : public CommandSession {
    Q_OBJECT
public:
    ExecSession(SandboxHttp *http, QString id, CommandRequest request, QObject *parent);
    ~ExecSession() override;

    using Signaller = std::function<void(const QString &signal, QObject *context)>;
    /// How a signal reaches a command that does not run over a socket. Without one it does not.
    void setSignaller(Signaller signaller) { m_signaller = std::move(signaller); }
    void sendSignal(
        const QString &name) override; ///< Before the start it stops the session: the command never runs.
    void close() override;

private:
    enum class State { Waiting = 1, Dialling, Running, Streaming, Collecting, Done };

    void begin();
    void dial(const Secret &token);
    void dialFailed();
    void onConnected();
    void onText(const QString &text);
    void onBinary(const QByteArray &frame);
    void onDropped();
    void onPing();
    void watchOverSleep();
    void showsLife();
    void stream(const Secret &token, bool repeated);
    void onStreamBytes(const QByteArray &bytes);
    void onStreamEnd(bool repeated);
    void collect();
    void onCollected(const Result<ExecResult, ApiError> &result);
    void dropTransports(); ///< Quietly.
    void finish(const CommandOutcome &outcome);
    void finishWith(CommandOutcome::Known known, ApiError error);

    QPointer<SandboxHttp> m_http;
    QString m_id;
    CommandRequest m_request;
    Secret m_token; ///< The one last used.
    QPointer<QWebSocket> m_socket;
    QPointer<HttpJob> m_job;
    QPointer<QObject> m_collector; ///< What the request of /exec lives by.
    Signaller m_signaller;
    QTimer m_dialTimer;
    QTimer m_pingTimer;
    QTimer m_wakeTimer; ///< Runs while a ping after sleep is not answered.
    std::shared_ptr<void> m_inFlight; ///< Of the socket; see NetworkAccess.
    std::shared_ptr<void> m_doubt;
    QTimer m_deadline; ///< The service ends commands in time; this ends waiting for a service that does not.
    ExecEventParser m_parser; ///< For /exec/stream.
    State m_state = State::Waiting;
    qsizetype m_startSize = 0;
    int m_dials = 0;
    int m_silentPings = 0;
    bool m_startSent = false;
    bool m_outputSeen = false;
};

} // namespace Pilothouse
