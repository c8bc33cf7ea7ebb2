// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"

#include <QString>

namespace Pilothouse {

/// "You, 14:16" and where a message waits; empty if the row is not shown (it stands further down).
struct MessageHead {
    QString who;
    QString when;
    QString where; ///< "waits for the end of the step"; empty once the model has it.
};
[[nodiscard]] MessageHead messageHead(const TranscriptRow &row);
/// False for rows that have nothing to show, such as a message that moved.
[[nodiscard]] bool isShown(const TranscriptRow &row);
/// "Thinking" until the model writes its answer or is done, then "Thought for 6 s".
[[nodiscard]] QString thoughtText(const TranscriptRow &row);
/// What a step cost: "18.2k in, 91 % cached", "640 out", "$0.021", "7.4 s"; those that are known.
[[nodiscard]] QStringList figures(const TranscriptRow &row);
/// How a turn ended, in words, and the state of statelook.h that looks like it.
struct TurnEndText {
    QString state;
    QString words;
};
[[nodiscard]] TurnEndText turnEndText(const TranscriptRow &row);
/// An error row: what happened; what was kept and what to do, one line each.
struct ErrorText {
    QString head;
    QString body;
};
[[nodiscard]] ErrorText errorText(const TranscriptRow &row);

/// The begin of the row's text for reading aloud: inert, and of pictures in it only their types.
[[nodiscard]] QString readableText(const TranscriptRow &row, qsizetype most);
/// A part of a row's text for the clipboard: inert; of a picture that the row has not whole only its type.
[[nodiscard]] QString copiedText(QStringView text);
/// The row as one plain text for a screen reader: who or what, then the words, bounded.
[[nodiscard]] QString rowSpoken(const TranscriptRow &row, qint64 nowMs = 0);
/// The row's own text for the clipboard: the source of words, or the call's argument.
[[nodiscard]] QString rowCopy(const TranscriptRow &row);

} // namespace Pilothouse
