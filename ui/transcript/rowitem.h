// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "transcript/calloutput.h"
#include "transcript/segmentlist.h"

#include <memory>

namespace Pilothouse {

/// How a row is shown, besides what it says.
struct RowShape {
    bool isUnfolded = false;
    bool showsAll = false; ///< Also lines that are cut for display.
    bool joinsAbove = false; ///< Call: the row above belongs to the same stack.
    bool joinsBelow = false;
    bool isActive = false; ///< Call: it is the one that the Call pane shows.
    CallOutput output; ///< Call, unfolded.
    bool isPending = false; ///< Step: the model was asked and has not said anything yet.
    bool isSteady = false; ///< Call: its line keeps one height, however it ends.
    int widgetHeight = 0; ///< A widget stands in the row's place; 0: none.
    bool operator==(const RowShape &other) const;
};

/// One row near the viewport: its segments and the box around them. Rows of each kind have a class of their
/// own. GUI thread.
class RowItem {
public:
    [[nodiscard]] static std::unique_ptr<RowItem> make(TranscriptRow::Kind kind);
    [[nodiscard]] static std::unique_ptr<RowItem> makeAbsent(); ///< See AbsentItem.
    /// Rough height of a row before there is an item for it.
    [[nodiscard]] static int estimate(const TranscriptRow &row, const RowShape &shape,
                                      const SegmentContext &context);
    virtual ~RowItem() = default;
    Q_DISABLE_COPY_MOVE(RowItem)

    /// The row or its shape changed. `context.width`: of the column.
    void update(const TranscriptRow &row, const RowShape &shape, const SegmentContext &context);
    [[nodiscard]] const RowShape &shape() const { return m_shape; }
    [[nodiscard]] const QString &source() const { return m_source; }
    /// Parts of its text can be selected; other rows only as a whole.
    [[nodiscard]] virtual bool isText() const { return false; }
    /// For a text that grows by appending: the row has not been closed.
    [[nodiscard]] bool isOpen() const { return !m_closed; }

    [[nodiscard]] const SegmentList &segments() const { return m_segments; }
    [[nodiscard]] SegmentList &segments() { return m_segments; }
    [[nodiscard]] SegmentContext inner(const SegmentContext &context) const; ///< For its segments.
    [[nodiscard]] int height() const;
    [[nodiscard]] int boxHeight() const { return height() - m_after; } ///< Without the space below.
    /// Top of a segment below the row's top.
    [[nodiscard]] int segmentTop(size_t index) const;
    [[nodiscard]] int left() const { return m_side; } ///< From the column's side to the segments.
    void arrange(size_t index, const SegmentContext &context);
    void touchAll() { m_segments.touchAll(); }
    [[nodiscard]] bool ticks() const;
    [[nodiscard]] virtual QString copyText(size_t) const { return {}; } ///< Of a Copy hit.

    /// What lies under the segments. `rect`: the row without the space below it.
    virtual void paintBack(QPainter *, const SegmentContext &, const QRect &, bool) const { }

protected:
    RowItem() = default;
    /// Fills or mends m_segments. `same`: the text only grew, and the shape is as before.
    virtual void build(const TranscriptRow &row, const SegmentContext &inner, bool same) = 0;

    SegmentList m_segments;
    RowShape m_shape;
    QString m_source;
    bool m_closed = false;
    int m_top = 0; ///< Inside of the box, above the first segment.
    int m_bottom = 0; ///< Inside of the box, below the last one.
    int m_side = 0;
    int m_after = 0; ///< Space below the box.

private:
    bool m_isBuilt = false;
    bool m_withdrawn = false;
    qint64 m_lastSeq = 0;
};

} // namespace Pilothouse
