// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"

#include <QString>

#include <vector>

namespace Pilothouse {

/// A stretch of a paragraph that is laid out by itself: long paragraphs are cut so that a character that
/// comes at the end costs little, and the text of data: images is left out before anything looks at it.
struct ProsePiece {
    /// Where a piece begins: a line of the block and a place in the row's text.
    struct Start {
        size_t line = 0;
        qsizetype at = -1; ///< -1: the begin of the line.
        bool operator==(const Start &) const = default;
    };
    struct Range {
        qsizetype begin = 0; ///< In the row's text.
        qsizetype end = 0;
        bool newLine = false; ///< A line end stands before it.
    };
    struct Data {
        qsizetype begin = 0; ///< Of "data:", in the row's text.
        qsizetype end = 0;
        bool closed = false; ///< Its end has come.
    };
    static constexpr qsizetype MostLength = 4000; ///< UTF-16 units that are laid out.
    static constexpr qsizetype DataKept = 40; ///< Units of a data: address that stay: its type.

    Start start;
    Start next; ///< Of the piece after it; only if `more`.
    bool more = false;
    std::vector<Range> ranges;
    std::vector<Data> data;

    [[nodiscard]] static ProsePiece take(QStringView source, const MarkdownBlock &block, const Start &start);

    /// The text to parse. Where a data: address was left out open, a bracket closes it.
    [[nodiscard]] QString text(QStringView source) const;
    /// A place in text() as a place in the row's text, and back. Both clamp.
    [[nodiscard]] qsizetype toSource(qsizetype at) const;
    [[nodiscard]] qsizetype fromSource(qsizetype place) const;
    [[nodiscard]] qsizetype begin() const { return ranges.empty() ? 0 : ranges.front().begin; }
    [[nodiscard]] qsizetype end() const;
};

} // namespace Pilothouse
