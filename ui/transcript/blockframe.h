// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"

#include <QRect>
#include <QString>

#include <vector>

class QPainter;

namespace Pilothouse {

struct TranscriptStyle;

/// Where a block stands: the space above it, the indents and marks of quotes and lists at its side.
struct BlockFrame {
    std::vector<MarkdownBlock::Container> containers;
    QString mark; ///< "•" or "3."; empty: none.
    std::optional<bool> checked; ///< A task's box instead.
    int top = 0; ///< Space above, in pixels.
    bool goesOn = false; ///< Its outermost quote goes on from the block above.

    /// Of a piece that continues the block.
    [[nodiscard]] BlockFrame continued() const { return {containers, {}, {}, 0, true}; }
    /// Width that the indents take.
    [[nodiscard]] int indent() const;
    /// The place for the text in a segment of `width` pixels.
    [[nodiscard]] QRect content(int width, int height, bool rightToLeft) const;
    /// Bars of quotes and the item's mark. `firstLine`: height of the text's first line.
    void paint(QPainter *painter, const TranscriptStyle &style, const QRect &rect, int firstLine,
               bool rightToLeft) const;

    /// The frame of `block`, `previous`: the block before it in the same row, or null.
    [[nodiscard]] static BlockFrame of(const MarkdownBlock &block, const MarkdownBlock *previous);
};

} // namespace Pilothouse
