// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// A measured time: "0.4 s", "24.1 s", "1m 12s", "1h 3m".
[[nodiscard]] QString durationText(qint64 ms);
/// A time that still runs, whole seconds: "48s", "1m 12s", "1h 3m".
[[nodiscard]] QString elapsedText(qint64 ms);
/// Of a call that its time limit ended: "timed out after 60 s". `ms`: how long it ran.
[[nodiscard]] QString timedOutText(qint64 ms);
/// How long ago, one unit: "now", "40s" in steps of ten, "12m", "2h", "5d".
[[nodiscard]] QString ageText(qint64 ms);
/// In how many milliseconds ageText() of that age becomes another.
[[nodiscard]] qint64 ageChangesIn(qint64 ms);
/// A number of tokens without the word: "640", "9.2k", "186k", "1.2M".
[[nodiscard]] QString tokensText(qint64 tokens);
/// Nano-dollars: "$0.74", "$0.021", "$1.90".
[[nodiscard]] QString costText(qint64 nanos);
/// "812 B", "2.1 KB", "19 KB", "412 MB"; a thousand to the next.
[[nodiscard]] QString bytesText(qint64 bytes);

/// `one` for 1, else `many` with the number, written as the person's country does, for its %1.
[[nodiscard]] QString countedText(qint64 count, const QString &one, const QString &many);

} // namespace Pilothouse
