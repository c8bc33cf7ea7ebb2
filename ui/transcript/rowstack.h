// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/heightindex.h"
#include "transcript/rowitem.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Pilothouse {

class TranscriptModel;

/// Where the rows of a transcript stand: which are in the viewport, laid out, and which are only estimated.
/// What is being read stays where it is to the pixel, whatever changes above and below; unless it follows
/// the end. Knows no widget. GUI thread.
class RowStack {
public:
    static constexpr int KeptAround = 24; ///< Rows on each side of the viewport that stay laid out.

    /// `shapeOf` tells how a row is shown, by place.
    RowStack(const TranscriptStyle &style, std::function<RowShape(int)> shapeOf);

    void setModel(const TranscriptModel *model) { m_model = model; }
    void setImages(TranscriptImages *images) { m_images = images; }
    void setRightToLeft(bool on) { m_rightToLeft = on; }
    /// `width`: of the column; what is read stays at its height even if its lines break anew.
    void resize(int width, int height);

    /// All rows are others; or, with `same`, the first ones are the same and keep their heights.
    void reset(bool same = false);
    void restyle(); ///< Fonts or colours changed: everything is laid out anew, in its place.
    void inserted(int first, int last);
    void changed(int first, int last); ///< Texts or shapes.

    [[nodiscard]] int count() const { return static_cast<int>(m_entries.size()); }
    [[nodiscard]] bool isFollowing() const { return m_follow; }
    void follow()
    {
        m_follow = true;
        m_isAtTop = false;
    }
    void stopFollowing() { m_follow = false; }
    void scrollBy(int pixels); ///< Positive: towards the end. Exact.
    void jumpTo(qint64 position); ///< By estimated heights.
    /// The next arrange() leaves this row's top where it is.
    void hold(int place);
    /// The next arrange() puts this row's top there.
    void put(int place, int top);

    /// Lays out what is in the viewport and puts rows where they belong.
    void arrange();
    int arrangeSegment(int place, size_t segment); ///< Lays one out, wherever it is; returns its height.
    /// Lays out a little more above and below, at most for `milliseconds`; false if nothing is left to do.
    bool arrangeAhead(int milliseconds);

    [[nodiscard]] qint64 position() const; ///< Of the viewport's top, from the top of all.
    [[nodiscard]] qint64 total() const; ///< Height of all.
    /// Rows in the viewport that have not been read.
    [[nodiscard]] bool hasAbsent() const;
    [[nodiscard]] int first() const { return m_first; } ///< First row that is in the viewport.
    [[nodiscard]] int last() const { return m_last; } ///< Last one; -1: there are none.
    /// Top of a row in the viewport; rows outside by estimate.
    [[nodiscard]] int top(int place) const;
    [[nodiscard]] int height(int place) const { return m_heights.at(static_cast<size_t>(place)); }
    [[nodiscard]] RowItem *item(int place) const; ///< Null when far away.
    RowItem &ensure(int place);
    [[nodiscard]] SegmentContext context() const;
    /// Pixels from here down may look different since the last call; the viewport's height: nothing changed.
    [[nodiscard]] int takeChangedFrom();
    [[nodiscard]] int segmentsLaidOut() const;

private:
    struct Entry {
        std::unique_ptr<RowItem> item;
        bool isDirty = true;
        bool isAbsent = false; ///< The item stands for a row that has not been read.
    };
    struct Anchor {
        int place = 0;
        size_t segment = 0;
        int y = 0; ///< Top of the segment in the viewport.
    };
    Entry &entry(int place) { return m_entries[static_cast<size_t>(place)]; }
    void arrangeFromEnd();
    int walkUp(); ///< Fills above the anchor; returns the top of all if it came into view, else 0 or less.
    int walkDown(); ///< Fills below the anchor; returns the bottom of all if it came into view.
    void findVisible();
    void findAnchor();
    void evict();
    void markNeighbours(int place);
    [[nodiscard]] int estimate(int place) const;
    [[nodiscard]] int topPadding() const;
    [[nodiscard]] int bottomPadding() const;

    const TranscriptStyle &m_style;
    std::function<RowShape(int)> m_shapeOf;
    const TranscriptModel *m_model = nullptr;
    TranscriptImages *m_images = nullptr;
    std::vector<Entry> m_entries;
    HeightIndex m_heights;
    Anchor m_anchor;
    bool m_follow = true;
    bool m_isAtTop = false; ///< It was asked for and stays so until the rows there have been read.
    int m_absentHeight = 0; ///< Of a row that has not been read: the mean of those that have.
    bool m_rightToLeft = false;
    int m_width = 400;
    int m_viewHeight = 300;
    int m_first = 0;
    int m_last = -1;
    int m_firstTop = 0;
    int m_itemFirst = 0; ///< All items are in this range of places.
    int m_itemLast = -1;
    bool m_endInView = false;
    int m_changedFrom = 0;
    qint64 m_paintedPosition = -1;
    qint64 m_nowMs = 0;
};

} // namespace Pilothouse
