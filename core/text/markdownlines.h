// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"

#include <QStringView>

#include <vector>

namespace Pilothouse::MarkdownLines {

// What a line of Markdown is by its marks alone; MarkdownBlocks decides what counts where. A part of it.

inline constexpr int MostDigits = 9; ///< Of a list's number.

/// The mark of a list's item.
struct ItemMark {
    char16_t delimiter = 0; ///< 0: not a list's mark.
    int number = -1;
    qsizetype length = 0;
};

[[nodiscard]] bool isBlank(QChar c);
[[nodiscard]] ItemMark itemMark(QStringView rest);
[[nodiscard]] bool isRule(QStringView rest);
[[nodiscard]] int headingLevel(QStringView rest); ///< 0: none.
[[nodiscard]] int underlineLevel(QStringView rest); ///< Of a heading above it; 0: none.
[[nodiscard]] bool isMarksOnly(QStringView text, QStringView marks);
/// Alignments of a separator line, empty if it is none. A separator that is still being written (`partial`)
/// may lack marks.
[[nodiscard]] std::vector<MarkdownBlock::Align> separator(QStringView rest, bool partial);

} // namespace Pilothouse::MarkdownLines
