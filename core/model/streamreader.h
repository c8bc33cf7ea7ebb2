// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/streamevent.h"

#include <QByteArrayView>
#include <QList>

namespace Pilothouse {

/// What a reader must know of an answer's status line and headers. Values as they came, empty when absent.
struct AnswerHead {
    int status = 200;
    QByteArray contentType;
    QByteArray retryAfter;
    QByteArray retryAfterMs;
    QByteArray shouldRetry; ///< x-should-retry
    QByteArray requestId; ///< request-id or x-request-id
    qint64 nowUtcMs = 0; ///< For a retry-after that is a date.
};

/// One answer of a model: bytes to normalized events, whatever the packets. Pure: no clock, no network, no
/// thread. begin(), then feed() as bytes come, then finish() at the end of the body; made anew for each
/// answer. The last event is Stop or Error; a reader is quiet after it, however much is still fed.
class StreamReader {
public:
    StreamReader() = default;
    virtual ~StreamReader() = default;
    Q_DISABLE_COPY_MOVE(StreamReader)

    /// Decides between event stream, plain JSON answer and error body, by status and content type.
    virtual void begin(const AnswerHead &head) = 0;
    [[nodiscard]] virtual QList<StreamEvent> feed(QByteArrayView bytes) = 0;
    /// The body is over, for whatever reason. Gives the last event if there was none yet.
    [[nodiscard]] virtual QList<StreamEvent> finish() = 0;
    /// The last event was given out: the connection has served.
    [[nodiscard]] virtual bool isFinished() const = 0;
    /// The answer is complete, though counters may follow: finish() would give its end. Some servers leave
    /// the connection open then.
    [[nodiscard]] virtual bool mayFinish() const { return false; }
    /// Content has been received, so that a failure from now on is a partial one.
    [[nodiscard]] virtual bool hasContent() const = 0;
};

} // namespace Pilothouse
