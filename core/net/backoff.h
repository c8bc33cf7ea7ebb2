// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>

#include <optional>

namespace Pilothouse {

struct ApiError;

/// Waits between attempts. Pure: the caller counts attempts and owns the timer.
struct Backoff {
    /// Attempts in all for a model request after `error`: 1 unless it is retryable; then 5 for rate limit and
    /// overload, 3 for anything else (server, time-out, truncation, a network that may come back).
    [[nodiscard]] static int attemptsFor(const ApiError &error);
    /// Milliseconds before the attempt that follows attempt number `attempt` (from 1): the service's own
    /// wish, else 0.5 s · 2^(attempt-1) up to 30 s (overload starts at 2 s), less up to a quarter at random.
    [[nodiscard]] static qint64 waitMs(const ApiError &error, int attempt);
    /// For GET and DELETE of the sandbox API: 100 ms · 2^(attempt-1) ± 20 %; Retry-After only on 429; at most
    /// 30 s.
    [[nodiscard]] static qint64 controlWaitMs(const ApiError &error, int attempt);
    /// Value of a Retry-After header in ms: seconds or an HTTP date in the future of `nowUtcMs`; empty if
    /// neither. At most a day, so that a foolish server cannot make sums overflow.
    [[nodiscard]] static std::optional<qint64> retryAfterMs(const QByteArray &value, qint64 nowUtcMs);
};

} // namespace Pilothouse
