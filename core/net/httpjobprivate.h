// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "net/proxyfinder.h"

#include <QIODevice>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QPointer>
#include <QTimer>

#include <functional>

class QNetworkAccessManager;

namespace Pilothouse {

/// A request body that Qt can read once and never again. QNetworkAccessManager sends a request a second time
/// by itself when the server closes without an answer; from a device that cannot be rewound it fails with
/// ContentReSendError.
class OneWayDevice final : public QIODevice {
public:
    OneWayDevice(QByteArray bytes, QObject *parent);

    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] bool atEnd() const override { return m_at >= m_bytes.size(); }
    [[nodiscard]] qint64 bytesAvailable() const override { return m_bytes.size() - m_at; }
    [[nodiscard]] qint64 size() const override { return m_bytes.size(); }
    bool seek(qint64) override { return false; } // The base class would warn.
    bool reset() override { return false; }
    /// True once a byte left: only then can the server have acted on the request.
    [[nodiscard]] bool wasRead() const { return m_wasRead; }

protected:
    qint64 readData(char *data, qint64 maxSize) override;
    qint64 writeData(const char *, qint64) override { return -1; }

private:
    QByteArray m_bytes;
    qint64 m_at = 0;
    bool m_wasRead = false;
};

class HttpJob::Private {
public:
    enum class State {
        Waiting = 1,
        Finding, ///< The proxy.
        Running,
        Asking, ///< For a login of the proxy; nothing has got past it.
        Done
    };

    RequestSpec spec;
    Lane lane = Lane::Control;
    QPointer<NetworkAccess> network;
    /// Replies with the proxy and its login; for this computer at once.
    std::function<void(const QUrl &, QObject *context, const ProxyFinder::Reply &)> findProxy;
    /// Gives a manager that will use this proxy for this address, or none when the pool is full.
    std::function<QNetworkAccessManager *(const QUrl &, const QNetworkProxy &)> acquire;
    /// Gives a manager back. Called once after each successful acquire.
    std::function<void(QNetworkAccessManager *)> release;
    std::optional<ApiError> refusal; ///< Why it cannot be sent at all.

    void start(HttpJob *job);
    void drop(HttpJob *job); ///< What is under way: disconnects, aborts and gives back; silent.
    void stop(HttpJob *job); ///< For good: Disconnects, aborts and gives back; silent.
    void finish(HttpJob *job, std::optional<ApiError> outcome); ///< Emits as its last act.
    template <typename Text>
    [[nodiscard]] Text redacted(Text text) const;
    [[nodiscard]] QByteArray header(const QByteArray &name) const;

    State state = State::Waiting;
    QPointer<QNetworkAccessManager> manager;
    QPointer<QNetworkReply> reply;
    OneWayDevice *upload = nullptr; ///< Child of the reply.
    QTimer *firstByteTimer = nullptr; ///< Timers are children of the job.
    QTimer *idleTimer = nullptr;
    QTimer *totalTimer = nullptr;
    QTimer *wakeTimer = nullptr; ///< Runs while it is in doubt and the network is there.
    QNetworkProxy proxy{QNetworkProxy::NoProxy};
    int proxyTries = 0;
    std::shared_ptr<void> inFlight;
    std::shared_ptr<void> doubt;
    int status = 0;
    qint64 bytesReceived = 0;
    qint64 announced = -1; ///< Content-Length of an undecoded body.
    QList<QNetworkReply::RawHeaderPair> headers;
    QByteArray body;
    QByteArray errorBody;
    QString tlsProblem;
    std::optional<ApiError> error;

private:
    void makeTimers(HttpJob *job);
    void findWay(HttpJob *job);
    void launch(HttpJob *job);
    void askLogin(HttpJob *job);
    void boundProxy(HttpJob *job);
    void watchOverSleep(HttpJob *job);
    void showsLife();
    [[nodiscard]] QNetworkReply *send();
    void onHeaders(HttpJob *job);
    void boundBuffer(HttpJob *job);
    void onReadyRead(HttpJob *job);
    void onFinished(HttpJob *job);
    void fail(HttpJob *job, ApiError::Category category, const QString &message);
    [[nodiscard]] ApiError statusError() const;
    [[nodiscard]] ApiError replyError() const;
    [[nodiscard]] bool mayHaveActed() const;
    [[nodiscard]] QString where() const;
    [[nodiscard]] QString proxyName() const;
    [[nodiscard]] bool isProxied() const { return proxy.type() != QNetworkProxy::NoProxy; }
    [[nodiscard]] ApiError loginError() const;
    void explainProxy(ApiError &failure) const;
    [[nodiscard]] bool mayBeOffline() const;
    void explainOffline(ApiError &failure) const;
    [[nodiscard]] bool identity() const { return spec.stream || lane == Lane::Transfer; }
    [[nodiscard]] bool isSuccess() const { return status >= 200 && status < 300; }
    friend class HttpJob;
};

} // namespace Pilothouse
