// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace Pilothouse {

/// A failed call to a service. Callers branch on `category`, never on text.
struct ApiError {
    enum class Category {
        InvalidRequest = 1, ///< 400, 422, other 4xx
        ContextWindow, ///< The prompt does not fit the model.
        Auth, ///< 401
        Billing, ///< 402, or a code that means money is used up
        Permission, ///< 403
        NotFound, ///< 404
        Conflict, ///< 409
        Gone, ///< 410
        TooLarge, ///< 413, or an answer over our limit
        RateLimit, ///< 429
        Overloaded, ///< 503, 529
        Server, ///< other 5xx
        Timeout, ///< 408, 504, or our own limit
        Truncated, ///< The stream ended before its end marker.
        Protocol, ///< The answer is not what the protocol says.
        Network, ///< No connection: name unknown, refused, unreachable, proxy.
        Tls, ///< The certificate was refused.
        Redirect, ///< 3xx: never followed; the base URL is wrong.
        Cancelled, ///< By us.
        Local, ///< Refused here before anything was sent.
    };

    Category category = Category::Server;
    int status = 0; ///< HTTP status; 0 when there was none (or it was 200).
    QString code; ///< The service's own word.
    QString message; ///< For people: plain text, bounded, secrets redacted, never HTML.
    bool retryable = false;
    std::optional<qint64> retryAfterMs;
    bool partial = false; ///< Content had been received before the error.
    bool outcomeUnknown = false; ///< The request may have had its effect.
    QString requestId;
};

/// Stable lower-case word of a category, for events and tests ("rate_limit", "context_window", …).
[[nodiscard]] QString categoryName(ApiError::Category category);

/// Category of an HTTP status that is not 2xx, by the status alone.
[[nodiscard]] ApiError::Category categoryForStatus(int status);

/// Whether another attempt later can help: rate limit, overload, server, time-out, truncation. Network is
/// decided by who makes the error: yes for an unknown name or a refused connection of a hosted service, no on
/// loopback, where the service is simply not there.
[[nodiscard]] bool isRetryable(ApiError::Category category);

/// What an error body says, for people: `error.message`, `error` as a string, `message` or `detail` of a JSON
/// object (or of the first object of an array), else a short plain text. One line, at most 500 characters, no
/// control or direction characters; empty when nothing fit for people is there, HTML above all.
[[nodiscard]] QString errorTextFromBody(const QByteArray &body);
/// The service's own word for the error: `error.code`, else `error.type`, else `code`; empty if there is
/// none.
[[nodiscard]] QString errorCodeFromBody(const QByteArray &body);
/// `text` as errorTextFromBody() would give it out: one line, bounded, no control or direction characters.
[[nodiscard]] QString cleanErrorText(const QString &text);

} // namespace Pilothouse
