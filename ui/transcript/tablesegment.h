// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/blockframe.h"
#include "transcript/segment.h"
#include "transcript/tabletext.h"
#include "transcript/textline.h"

#include <memory>

namespace Pilothouse {

/// Some rows of a table. Its segments share the columns and stand on each other as one table.
class TableSegment final : public Segment {
public:
    static constexpr size_t MostRows = 16;

    TableSegment(std::shared_ptr<TableText> text, size_t first, BlockFrame frame);
    /// Rows were added, or the last one changed. Costs only those.
    void extend(size_t lastRow);
    [[nodiscard]] size_t first() const { return m_first; }

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override;
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    void release() override;
    [[nodiscard]] qsizetype begin() const override;
    [[nodiscard]] qsizetype end() const override;
    [[nodiscard]] qsizetype placeAt(const QPoint &point) const override;
    [[nodiscard]] int lineTop(qsizetype place) const override;
    [[nodiscard]] bool mayHaveTargets(const SegmentContext &context) const override;
    [[nodiscard]] QList<SegmentTarget> targets(const SegmentContext &context) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;

    /// Left edges of the columns in the segment, for tests.
    [[nodiscard]] const std::vector<int> &edges() const { return m_edges; }

private:
    struct Row {
        int y = 0;
        int height = 0;
        std::vector<std::unique_ptr<TextLine>> cells;
    };
    void addRow(const SegmentContext &context, size_t row);
    void placeColumns(const SegmentContext &context);
    /// The cell at a point, its row and column; null: none.
    [[nodiscard]] const TextLine *cellAt(const QPoint &point, size_t *row, size_t *column) const;

    std::shared_ptr<TableText> m_text;
    BlockFrame m_frame;
    size_t m_first;
    size_t m_last; ///< After its last row.
    std::vector<Row> m_rows;
    std::vector<int> m_edges;
    QRect m_content;
    int m_generation = -1;
};

} // namespace Pilothouse
