// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

namespace Pilothouse {

/// Time as a seam: wall time for show, monotonic time for durations. Thread-safe.
class Clock {
public:
    Clock() = default;
    virtual ~Clock() = default;
    Q_DISABLE_COPY_MOVE(Clock)

    [[nodiscard]] virtual qint64 utcMs() const = 0; ///< Milliseconds since 1970, UTC.
    [[nodiscard]] virtual qint64 monotonicMs() const = 0; ///< Never goes back; origin undefined.
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] qint64 utcMs() const override;
    [[nodiscard]] qint64 monotonicMs() const override;
};

} // namespace Pilothouse
