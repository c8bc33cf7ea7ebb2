// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QStringView>

namespace Pilothouse {

/// Where two versions of a short text differ, by words. Ranges are in order, do not touch and hold no white
/// space at their ends.
struct WordDiff {
    struct Range {
        qsizetype start = 0; ///< UTF-16 units.
        qsizetype length = 0;
        bool operator==(const Range &other) const = default;
    };
    QList<Range> removed; ///< In the text before.
    QList<Range> added; ///< In the text after.
};

/// Words end at white space and at the characters ; | & ( ) < >. Time and memory are bounded: in texts that
/// differ in more than some thousand words, what lies between the equal begin and the equal end differs as a
/// whole.
[[nodiscard]] WordDiff wordDiff(QStringView before, QStringView after);

} // namespace Pilothouse
