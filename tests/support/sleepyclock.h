// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/clock.h"

#include <atomic>

namespace Pilothouse::Tests {

/// A clock whose wall time jumps while monotonic time goes on: what is left of a sleep. Thread-safe.
class SleepyClock final : public Clock {
public:
    [[nodiscard]] qint64 utcMs() const override { return m_real.utcMs() + m_slept; }
    [[nodiscard]] qint64 monotonicMs() const override { return m_real.monotonicMs(); }
    void sleep(qint64 ms) { m_slept += ms; }

private:
    SystemClock m_real;
    std::atomic<qint64> m_slept = 0;
};

} // namespace Pilothouse::Tests
