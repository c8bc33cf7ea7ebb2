// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "theme/statelook.h"

#include <QString>

namespace Pilothouse {

/// What the card of a call says. Every text is inert and bounded.
struct CallCard {
    QString callId;
    StateLook look; ///< Glyph, colour, word. The word is empty when the result speaks for itself.
    QString tool;
    QString argument; ///< One line.
    bool isPath = false; ///< `argument` is one: elided in the middle.
    QString result; ///< The result in words: "57 lines", the last line of output.
    QString time; ///< Duration, or the time that has passed.
    QString second; ///< Last line while it runs, why it failed, what a person said; empty: none.
    bool canLook = false; ///< Its outcome can only be seen on the machine: `second` has a button for that.
    QString arguments; ///< All of them as text, for the unfolded card.
    bool isWaiting = false; ///< A person is awaited.
    bool isRunning = false;
    bool ticks = false; ///< `time` goes on.
    bool isMonoSecond = false; ///< `second` is output.
    qint64 outputBytes = 0;
};

/// `nowMs`: UTC milliseconds, for elapsed times.
[[nodiscard]] CallCard callCard(const TranscriptRow &row, qint64 nowMs);
/// Its state in words: "Running", "exit 1", "Denied by you", "Done".
[[nodiscard]] QString callStateText(const TranscriptRow &row);
/// The arguments as a person reads them: the command or path itself, then the other members. Not inert.
[[nodiscard]] QString callArguments(const TranscriptRow &row);

} // namespace Pilothouse
