// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/clock.h"

#include <QDateTime>

#include <chrono>

namespace Pilothouse {

qint64 SystemClock::utcMs() const { return QDateTime::currentMSecsSinceEpoch(); }

qint64 SystemClock::monotonicMs() const
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

} // namespace Pilothouse
