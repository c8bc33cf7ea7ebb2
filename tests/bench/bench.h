// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace Pilothouse::Bench {

/// One measured figure.
struct Figure {
    QString row;
    double value = 0;
    QString unit;
    std::optional<double> target; ///< At most this, or at least this if `moreIsBetter`.
    bool moreIsBetter = false;
    QString peer; ///< What it is compared with.
    std::optional<double> peerValue;
};

[[nodiscard]] QList<Figure> measureLoop(); ///< Overhead of the agent loop per step, and memory.
[[nodiscard]] QList<Figure> measureLatency(); ///< From a server's write to the hand-over of the event.
[[nodiscard]] QList<Figure> measureSse(); ///< Reading event streams.

[[nodiscard]] double percentile(QList<double> values, double p);
[[nodiscard]] double peakMemoryMb(); ///< Of this process so far.

} // namespace Pilothouse::Bench
