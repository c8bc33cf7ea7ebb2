// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/backoff.h"

#include "net/apierror.h"

#include <QDateTime>
#include <QLocale>
#include <QRandomGenerator>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 FirstWaitMs = 500;
constexpr qint64 FirstOverloadWaitMs = 2000;
constexpr qint64 FirstControlWaitMs = 100;
constexpr qint64 LongestWaitMs = 30'000;
constexpr qint64 LongestWishMs = 24LL * 3600 * 1000;
constexpr int LargestShift = 20; // Past every limit above; keeps the shift defined for any attempt number.

qint64 doubled(qint64 first, int attempt)
{
    return std::min(LongestWaitMs, first << std::clamp(attempt - 1, 0, LargestShift));
}

// A number in [low, high), evenly.
qint64 between(qint64 low, qint64 high)
{
    return high > low ? QRandomGenerator::global()->bounded(low, high) : low;
}

} // namespace

int Backoff::attemptsFor(const ApiError &error)
{
    if (!error.retryable)
        return 1;
    const bool patient =
        error.category == ApiError::Category::RateLimit || error.category == ApiError::Category::Overloaded;
    return patient ? 5 : 3;
}

qint64 Backoff::waitMs(const ApiError &error, int attempt)
{
    if (error.retryAfterMs)
        return std::clamp<qint64>(*error.retryAfterMs, 0, LongestWishMs);
    const bool overloaded = error.category == ApiError::Category::Overloaded;
    const qint64 full = doubled(overloaded ? FirstOverloadWaitMs : FirstWaitMs, attempt);
    return full - between(0, full / 4 + 1);
}

qint64 Backoff::controlWaitMs(const ApiError &error, int attempt)
{
    if (error.status == 429 && error.retryAfterMs)
        return std::clamp<qint64>(*error.retryAfterMs, 0, LongestWaitMs);
    const qint64 middle = doubled(FirstControlWaitMs, attempt);
    return std::min(LongestWaitMs, middle - middle / 5 + between(0, 2 * (middle / 5) + 1));
}

std::optional<qint64> Backoff::retryAfterMs(const QByteArray &value, qint64 nowUtcMs)
{
    const QByteArray text = value.trimmed();
    if (text.isEmpty())
        return {};
    if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        constexpr qsizetype MostDigits = 9; // More is over the limit anyway.
        if (text.size() > MostDigits)
            return LongestWishMs;
        return std::min(LongestWishMs, text.toLongLong() * 1000);
    }
    // "Sun, 06 Nov 1994 08:49:37 GMT": always English and always GMT.
    constexpr qsizetype DateLength = 29;
    if (text.size() != DateLength || !text.endsWith(" GMT"))
        return {};
    QDateTime date =
        QLocale::c().toDateTime(QString::fromLatin1(text.chopped(4)), u"ddd, dd MMM yyyy HH:mm:ss"_s);
    if (!date.isValid())
        return {};
    date.setTimeSpec(Qt::UTC);
    const qint64 wait = date.toMSecsSinceEpoch() - nowUtcMs;
    return wait > 0 ? std::optional(std::min(LongestWishMs, wait)) : std::nullopt;
}

} // namespace Pilothouse
