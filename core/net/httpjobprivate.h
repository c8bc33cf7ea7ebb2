// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/httpjob.h"

#include <QIODevice>
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
    enum class State { Waiting = 1, Running, Done };

    RequestSpec spec;
    Lane lane = Lane::Control;
    /// Gives the manager for this job, or none when the pool is full. Called once, at the start.
    std::function<QNetworkAccessManager *()> acquire;
    /// Gives a stream manager back. Called once after a successful acquire.
    std::function<void(QNetworkAccessManager *)> release;
    std::optional<ApiError> refusal; ///< Why it cannot be sent at all.

    void start(HttpJob *job);
    void stop(HttpJob *job); ///< Disconnects, aborts and gives back; silent.
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
    int status = 0;
    qint64 bytesReceived = 0;
    qint64 announced = -1; ///< Content-Length of an undecoded body.
    QList<QNetworkReply::RawHeaderPair> headers;
    QByteArray body;
    QByteArray errorBody;
    QString tlsProblem;
    std::optional<ApiError> error;

private:
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
    [[nodiscard]] bool identity() const { return spec.stream || lane == Lane::Transfer; }
    [[nodiscard]] bool isSuccess() const { return status >= 200 && status < 300; }
    friend class HttpJob;
};

} // namespace Pilothouse
