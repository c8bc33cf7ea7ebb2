// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/apierror.h"
#include "net/requestspec.h"

#include <QByteArray>
#include <QObject>

#include <memory>
#include <optional>

class QNetworkReply;

namespace Pilothouse {

/// One HTTP exchange, made by NetworkAccess::start. Starts on the next event-loop turn, emits finished()
/// exactly once (unless abandon()ed), then deletes itself. Never throws, never blocks. Redirects are never
/// followed.
///
/// A status of 2xx delivers its body (bodyReceived for streams, body() otherwise). Any other status is an
/// error whose body is collected up to 64 KiB (errorBody(), redacted) and mapped by the caller; error() then
/// has its category by status only, its code and message as errorCodeFromBody() and errorTextFromBody() read
/// them.
///
/// error().retryable is set for rate limit, overload, server errors, time-outs and truncation, and for an
/// unknown name or a refused connection of a hosted service (not on loopback: there the service is not
/// running). outcomeUnknown is set when the spec is not repeatable, bytes of its body have left, and no
/// answer tells what became of it. A body with neither length nor chunks that is cut short looks like a
/// success: only the protocol's end marker tells.
class HttpJob : public QObject {
    Q_OBJECT
public:
    void abandon(); ///< Stop quietly: no signal follows, not even a queued one. The connection is closed.
    void cancel(); ///< Stop; finished() follows on the next turn with category Cancelled.

    [[nodiscard]] int status() const; ///< 0 until headersReceived().
    [[nodiscard]] QByteArray header(const QByteArray &name) const; ///< Case-insensitive.
    [[nodiscard]] const QByteArray &body() const; ///< Whole body of a 2xx answer that is no stream.
    [[nodiscard]] const QByteArray &errorBody() const; ///< Body of another status, cut at 64 KiB.
    [[nodiscard]] const std::optional<ApiError> &error() const; ///< Empty after success; valid once finished.
    [[nodiscard]] qint64 bytesReceived() const;

Q_SIGNALS:
    void headersReceived(); ///< Status and headers are known; before any bodyReceived.
    void bodyReceived(const QByteArray &bytes); ///< Streams with 2xx only. Never empty; any split.
    void finished();

protected:
    ~HttpJob() override; ///< By deleteLater() or the parent only.

private:
    friend class NetworkAccess;
    class Private;
    explicit HttpJob(std::unique_ptr<Private> d, QObject *parent);
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
