// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "model/streamreader.h"
#include "util/secret.h"

#include <QPointer>
#include <QTimer>

#include <chrono>
#include <memory>

namespace Pilothouse {

class HttpJob;
class RefusedParameters;

/// One model request over HTTP: hands the job's bytes to a reader and its events on. The reader decides what
/// the end is, not the connection: after its last event the connection is closed, and a loss after that is no
/// failure.
class HttpModelStream final : public ModelStream {
    Q_OBJECT
public:
    /// After the last byte of an answer that is complete but for its counters; and from the head of an error
    /// to the end of its body.
    static constexpr std::chrono::milliseconds Linger{10'000};

    /// What a request has that it could do without, to tell which of it a service refused.
    struct Optional {
        QStringList names;
        QByteArray body; ///< As sent.
        QString place;
        std::shared_ptr<RefusedParameters> refused;
    };

    HttpModelStream(std::unique_ptr<StreamReader> reader, Secret key, QObject *parent);
    ~HttpModelStream() override;

    /// Exactly one of these, right after the making.
    void follow(HttpJob *job);
    void refuse(
        const ApiError &error); ///< Nothing was sent; the error comes on a later turn of the event loop.

    void setOptional(Optional optional) { m_optional = std::move(optional); }
    void abort() override;
    void setLinger(std::chrono::milliseconds time) { m_linger.setInterval(time); } ///< Instead of Linger.

private:
    void onHeaders();
    void onBody(const QByteArray &bytes);
    void onFinished();
    void onLingered();
    void release();
    [[nodiscard]] QString refusedParameter(const QByteArray &errorBody);
    void give(QList<StreamEvent> events); ///< May delete this.
    [[nodiscard]] ApiError connectionError() const;

    std::unique_ptr<StreamReader> m_reader;
    Secret m_key;
    Optional m_optional;
    QPointer<HttpJob> m_job;
    QTimer m_linger;
    bool m_isOver = false;
};

} // namespace Pilothouse
