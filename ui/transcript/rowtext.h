// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"

#include <QString>

namespace Pilothouse {

/// What a row of the transcript shows, in plain text that is safe to paint. Every text is inert and bounded.
struct RowText {
    enum class Look {
        Hidden = 1, ///< Nothing to show.
        Message, ///< A person's words: a tinted block with a head.
        Prose, ///< The model's words.
        Fold, ///< One line that unfolds.
        Call, ///< A tool call: outlined, one line, a second line, unfolds.
        Rule, ///< A hairline with words on it.
        Remark, ///< One quiet line.
        Problem, ///< What happened, what was kept, what to do.
    };
    Look look = Look::Hidden;
    QString head; ///< Message: "You, 14:16". Call: the tool's name. Fold, Rule: the words.
    QString line; ///< Fold, Call: one line, elided where it is painted.
    QString side; ///< At the right: state, duration.
    QString second; ///< Call: last line of output or why it failed, one line.
    QString body; ///< Wrapped text. Fold, Call: only while unfolded.
    bool mono = false; ///< The body is code.
    bool withdrawn = false; ///< Belongs to an attempt that was given up.
    bool waiting = false; ///< A person is awaited.
    bool ticking = false; ///< `side` has an elapsed time that goes on.
    bool foldable = false;
};

/// More than this of one row is not laid out; the export has it whole. About twenty screens.
constexpr qsizetype MostShownChars = 64 * 1024;

/// `nowMs`: UTC milliseconds, for elapsed times.
[[nodiscard]] RowText rowText(const TranscriptRow &row, bool unfolded, qint64 nowMs);
/// The row as one plain text for a screen reader: who or what, then the words, bounded.
[[nodiscard]] QString rowSpoken(const TranscriptRow &row);
/// The row's own text for the clipboard: words, or the call's argument. Inert.
[[nodiscard]] QString rowCopy(const TranscriptRow &row);

/// "0.4 s", "24.1 s", "1m 12s", "2h 5m".
[[nodiscard]] QString durationText(qint64 ms);
/// A call's state in words: "Running", "exit 1", "Denied by you".
[[nodiscard]] QString callStateText(const TranscriptRow &row);

} // namespace Pilothouse
