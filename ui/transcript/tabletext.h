// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"
#include "text/markdowninline.h"
#include "transcript/transcriptstyle.h"

#include <QList>

#include <vector>

namespace Pilothouse {

/// The columns of one table, shared by the segments that show its rows. Columns only grow, each row in its
/// turn, so that nothing jumps back while a table is written and a table that is read whole looks the same.
class TableText {
public:
    struct Cell {
        qsizetype begin = 0; ///< In the row's text.
        qsizetype end = 0;
    };
    using Row = std::vector<Cell>; ///< As many as there are columns; empty ones at the end.

    /// Takes over rows that are new or may have changed. Only complete rows make columns wider.
    void update(QStringView source, const MarkdownBlock &block, const TranscriptStyle &style);
    /// Widths for a table of at most this width. Does nothing when it is the same.
    void setWidth(QStringView source, int width, const TranscriptStyle &style);

    [[nodiscard]] size_t size() const { return m_rows.size(); }
    [[nodiscard]] const Row &row(size_t index) const { return m_rows[index]; }
    [[nodiscard]] const std::vector<MarkdownBlock::Align> &aligns() const { return m_aligns; }
    [[nodiscard]] const std::vector<int> &widths() const { return m_widths; } ///< Padding included.
    [[nodiscard]] int generation() const { return m_generation; } ///< Rises when a width changes.

    [[nodiscard]] static MarkdownInline parse(QStringView source, const Cell &cell);

private:
    void measure(QStringView source, size_t row, const TranscriptStyle &style);
    void grow();

    std::vector<MarkdownBlock::Align> m_aligns;
    std::vector<Row> m_rows;
    std::vector<std::vector<int>> m_natural; ///< Widths of the cells of measured rows, bounded.
    size_t m_grown = 0; ///< Rows that had their turn.
    std::vector<int> m_widths;
    int m_width = 0;
    int m_generation = 0;
};

} // namespace Pilothouse
