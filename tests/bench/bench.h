// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>

#include <functional>
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
[[nodiscard]] QList<Figure> measureStreams(); ///< Control calls while 50 models write.

[[nodiscard]] QList<Figure> measureTranscript(); ///< Opening, streaming into and scrolling a long
                                                 ///< conversation.

[[nodiscard]] QList<Figure> measureOutput(); ///< 50 MB of tool output in one line and in 700 000.

using Groups = QList<QPair<QString, std::function<QList<Figure>()>>>;
/// Measures the groups that are asked for (none: all) and prints each figure. `wanted`: names of groups, and
/// "--json FILE". Returns the exit code: 1 if a target was missed.
[[nodiscard]] int runGroups(QStringList wanted, const Groups &groups);

[[nodiscard]] double percentile(QList<double> values, double p);
[[nodiscard]] double peakMemoryMb(); ///< Of this process so far.

} // namespace Pilothouse::Bench
