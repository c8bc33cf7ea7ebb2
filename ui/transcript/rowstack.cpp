// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowstack.h"

#include "theme/metrics.h"
#include "transcript/rowtext.h"
#include "transcript/transcriptmodel.h"

#include <QDateTime>
#include <QElapsedTimer>

#include <algorithm>
#include <limits>
#include <utility>

namespace Pilothouse {

namespace {

constexpr int TopPadding = Metrics::SpaceXl;
constexpr int BottomPadding = Metrics::SpaceL;
constexpr size_t SegmentsAround = 60; // Of a long row, on each side of the viewport.
constexpr int NoTop = std::numeric_limits<int>::min();
constexpr int NoBottom = std::numeric_limits<int>::max();

} // namespace

RowStack::RowStack(const TranscriptStyle &style, std::function<RowShape(int)> shapeOf)
    : m_style(style)
    , m_shapeOf(std::move(shapeOf))
    , m_nowMs(QDateTime::currentMSecsSinceEpoch())
{ }

int RowStack::topPadding() const { return TranscriptStyle::px(TopPadding); }

int RowStack::bottomPadding() const { return TranscriptStyle::px(BottomPadding); }

SegmentContext RowStack::context() const { return {m_style, m_images, m_width, {}, m_nowMs, m_rightToLeft}; }

void RowStack::reset(bool same)
{
    const int count = m_model ? m_model->rowCount() : 0;
    m_entries.clear();
    m_entries.resize(static_cast<size_t>(count));
    std::vector<int> heights(static_cast<size_t>(count), -1);
    for (size_t i = 0; same && i < std::min(heights.size(), m_heights.size()); ++i)
        heights[i] = m_heights.at(i);
    qint64 sum = 0;
    int known = 0;
    if (m_model)
        m_model->forEachHere([&](int place, const TranscriptRow &row) {
            const int height = RowItem::estimate(row, {}, context());
            sum += height;
            ++known;
            if (heights[static_cast<size_t>(place)] < 0)
                heights[static_cast<size_t>(place)] = height;
        });
    if (!same || m_absentHeight == 0)
        m_absentHeight = known > 0 ? static_cast<int>(sum / known) : m_style.body.line;
    std::replace(heights.begin(), heights.end(), -1, m_absentHeight);
    m_heights.assign(std::move(heights));
    m_anchor = {};
    m_isAtTop = false;
    m_first = 0;
    m_last = -1;
    m_itemFirst = 0;
    m_itemLast = -1;
    m_changedFrom = 0;
}

int RowStack::estimate(int place) const
{
    return m_model->isHere(place) ? RowItem::estimate(m_model->rowAt(place), m_shapeOf(place), context())
                                  : m_absentHeight;
}

bool RowStack::hasAbsent() const
{
    return m_last >= m_first && m_model && !m_model->areHere(m_first, m_last);
}

void RowStack::restyle()
{
    for (int i = m_itemFirst; i <= m_itemLast && i < count(); ++i) {
        entry(i).item.reset();
        entry(i).isDirty = true;
    }
    m_itemLast = -1;
    m_itemFirst = 0;
    m_changedFrom = 0;
}

void RowStack::resize(int width, int height)
{
    m_changedFrom = 0;
    if (width == m_width) {
        m_viewHeight = height;
        return;
    }
    // The place in the text at the viewport's top, to find its line again when lines break anew.
    qsizetype read = -1;
    int readY = 0;
    RowItem *row = m_anchor.place < count() ? entry(m_anchor.place).item.get() : nullptr;
    if (row && !m_follow && m_anchor.segment < row->segments().size()) {
        const Segment &segment = row->segments().at(m_anchor.segment);
        read = segment.placeAt(QPoint(0, std::max(0, -m_anchor.y)));
        readY = m_anchor.y + segment.lineTop(read);
    }
    m_width = width;
    m_viewHeight = height;
    for (int i = m_itemFirst; i <= m_itemLast && i < count(); ++i) {
        if (entry(i).item)
            entry(i).item->touchAll();
    }
    if (read >= 0) {
        arrangeSegment(m_anchor.place, m_anchor.segment);
        m_anchor.y = readY - row->segments().at(m_anchor.segment).lineTop(read);
    }
}

void RowStack::inserted(int first, int last)
{
    const int added = last - first + 1;
    std::vector<int> heights;
    for (int i = first; i <= last; ++i)
        heights.push_back(estimate(i));
    std::vector<Entry> entries(static_cast<size_t>(added));
    const bool wasEmpty = m_entries.empty();
    m_entries.insert(m_entries.begin() + first, std::make_move_iterator(entries.begin()),
                     std::make_move_iterator(entries.end()));
    if (static_cast<size_t>(first) == m_heights.size()) {
        for (const int height : heights)
            m_heights.append(height);
    } else if (first == 0) {
        m_heights.insertFirst(heights);
    } else {
        std::vector<int> all;
        for (size_t i = 0; i < m_heights.size(); ++i)
            all.push_back(m_heights.at(i));
        all.insert(all.begin() + first, heights.cbegin(), heights.cend());
        m_heights.assign(std::move(all));
    }
    if (!wasEmpty) {
        if (first <= m_anchor.place)
            m_anchor.place += added;
        if (first <= m_itemFirst)
            m_itemFirst += added;
        if (first <= m_itemLast)
            m_itemLast += added;
        if (first <= m_first)
            m_first += added;
        if (first <= m_last)
            m_last += added;
    }
    markNeighbours(first);
    markNeighbours(last);
}

// Calls of a step are one box: whether a row is the end of it depends on the rows beside it.
void RowStack::markNeighbours(int place)
{
    for (int i = place - 1; i >= 0; --i) {
        entry(i).isDirty = true;
        if (isShown(m_model->rowAt(i)))
            break;
    }
    for (int i = place + 1; i < count(); ++i) {
        entry(i).isDirty = true;
        if (isShown(m_model->rowAt(i)))
            break;
    }
}

void RowStack::changed(int first, int last)
{
    m_nowMs = QDateTime::currentMSecsSinceEpoch();
    for (int i = first; i <= last; ++i) {
        Entry &changed = entry(i);
        changed.isDirty = true;
        if (!m_model->isHere(i)) {
            if (!changed.isAbsent)
                changed.item.reset(); // Its height stays.
            continue;
        }
        if (changed.item && changed.isAbsent)
            changed.item.reset();
        if (!changed.item)
            m_heights.set(static_cast<size_t>(i), estimate(i));
        else if (i < m_first || i > m_last)
            ensure(i); // Nobody will ask for it soon, but its height counts.
        if (m_model->rowAt(i).kind == TranscriptRow::Kind::Call || !isShown(m_model->rowAt(i)))
            markNeighbours(i);
    }
}

RowItem *RowStack::item(int place) const
{
    return place >= 0 && place < count() ? m_entries[static_cast<size_t>(place)].item.get() : nullptr;
}

RowItem &RowStack::ensure(int place)
{
    Entry &here = entry(place);
    const TranscriptRow &row = m_model->rowAt(place);
    if (!here.item) {
        here.isAbsent = !m_model->isHere(place);
        here.item = here.isAbsent ? RowItem::makeAbsent() : RowItem::make(row.kind);
        here.isDirty = true;
        m_itemFirst = m_itemLast < m_itemFirst ? place : std::min(m_itemFirst, place);
        m_itemLast = std::max(m_itemLast, place);
    }
    if (std::exchange(here.isDirty, false)) {
        RowShape shape;
        if (here.isAbsent)
            shape.widgetHeight = height(place);
        else
            shape = m_shapeOf(place);
        here.item->update(row, shape, context());
        m_heights.set(static_cast<size_t>(place), here.item->height());
    }
    return *here.item;
}

int RowStack::arrangeSegment(int place, size_t segment)
{
    RowItem &row = ensure(place);
    if (segment >= row.segments().size())
        return 0;
    row.arrange(segment, context());
    m_heights.set(static_cast<size_t>(place), row.height());
    return row.segments().heights().at(segment);
}

void RowStack::scrollBy(int pixels)
{
    m_isAtTop = false;
    m_anchor.y -= pixels;
}

void RowStack::jumpTo(qint64 position)
{
    if (m_entries.empty())
        return;
    m_isAtTop = position <= 0;
    const qint64 inside = std::max<qint64>(0, position - topPadding());
    const size_t place = m_heights.find(inside);
    RowItem &row = ensure(static_cast<int>(place));
    const auto offset = static_cast<int>(inside - m_heights.before(place));
    m_anchor.place = static_cast<int>(place);
    m_anchor.segment = row.segments().heights().find(std::max(0, offset - row.segmentTop(0)));
    const int top = row.segments().size() == 0 ? 0 : row.segmentTop(m_anchor.segment);
    m_anchor.y =
        static_cast<int>(position - topPadding() >= 0 ? top - offset : topPadding() - position + top);
}

void RowStack::hold(int place) { put(place, top(place)); }

void RowStack::put(int place, int top)
{
    m_isAtTop = false;
    const RowItem &row = ensure(place);
    m_anchor = {place, 0, top + (row.segments().size() == 0 ? 0 : row.segmentTop(0))};
}

void RowStack::arrangeFromEnd()
{
    int y = m_viewHeight - bottomPadding();
    for (int place = count() - 1; place >= 0; --place) {
        RowItem &row = ensure(place);
        const size_t segments = row.segments().size();
        if (segments == 0)
            continue;
        y -= row.height() - row.segmentTop(segments); // What is below the last segment.
        for (size_t segment = segments; segment-- > 0;) {
            y -= arrangeSegment(place, segment);
            if (y <= 0) {
                m_anchor = {place, segment, y};
                return;
            }
        }
        y -= row.segmentTop(0);
        m_anchor = {place, 0, y + row.segmentTop(0)};
        if (y <= 0)
            return;
    }
}

int RowStack::walkUp()
{
    int y = m_anchor.y;
    size_t segment = m_anchor.segment;
    for (int place = m_anchor.place; place >= 0; --place) {
        RowItem &row = ensure(place);
        if (place != m_anchor.place) {
            segment = row.segments().size();
            if (segment > 0)
                y -= row.height() - row.segmentTop(segment);
        }
        while (segment > 0) {
            if (y <= 0)
                return NoTop;
            y -= arrangeSegment(place, --segment);
        }
        if (row.segments().size() > 0)
            y -= row.segmentTop(0);
        if (y <= 0 && place > 0)
            return NoTop;
    }
    return y;
}

int RowStack::walkDown()
{
    int y = m_anchor.y;
    size_t segment = m_anchor.segment;
    for (int place = m_anchor.place; place < count(); ++place) {
        const RowItem &row = ensure(place);
        if (row.segments().size() == 0)
            continue;
        if (place != m_anchor.place) {
            segment = 0;
            y += row.segmentTop(0);
        }
        for (; segment < row.segments().size(); ++segment) {
            if (y > m_viewHeight)
                return NoBottom;
            y += arrangeSegment(place, segment);
        }
        y += row.height() - row.segmentTop(row.segments().size());
        if (y > m_viewHeight)
            return NoBottom;
    }
    return y;
}

void RowStack::arrange()
{
    m_nowMs = QDateTime::currentMSecsSinceEpoch();
    if (m_entries.empty()) {
        m_first = 0;
        m_last = -1;
        return;
    }
    m_anchor.place = std::clamp(m_anchor.place, 0, count() - 1);
    if (m_follow)
        arrangeFromEnd();
    else if (m_isAtTop)
        m_anchor = {0, 0, topPadding() + (ensure(0).segments().size() == 0 ? 0 : ensure(0).segmentTop(0))};
    // An anchor needs a segment.
    while (ensure(m_anchor.place).segments().size() == 0 && m_anchor.place + 1 < count())
        m_anchor = {m_anchor.place + 1, 0, m_anchor.y};
    const size_t segments = ensure(m_anchor.place).segments().size();
    if (segments > 0 && m_anchor.segment >= segments)
        m_anchor.segment = segments - 1;

    const int end = walkDown();
    if (end != NoBottom && end + bottomPadding() < m_viewHeight)
        m_anchor.y += m_viewHeight - bottomPadding() - end;
    const int top = walkUp();
    if (top != NoTop && top > topPadding())
        m_anchor.y -= top - topPadding();
    const int bottom = walkDown();
    m_endInView = bottom != NoBottom && bottom + bottomPadding() <= m_viewHeight;
    if (m_endInView)
        m_follow = true;
    findVisible();
    findAnchor();
    evict();
    m_isAtTop = m_isAtTop && hasAbsent();
}

void RowStack::findVisible()
{
    int place = m_anchor.place;
    int y = m_anchor.y;
    const RowItem &row = ensure(place);
    if (row.segments().size() > 0)
        y -= row.segmentTop(m_anchor.segment);
    while (place > 0 && y > 0)
        y -= height(--place);
    m_first = place;
    m_firstTop = y;
    while (place + 1 < count() && y + height(place) <= m_viewHeight)
        y += height(place++);
    m_last = place;
}

// The line that is read: the first segment of a text that begins inside of the viewport; cards above it may
// grow while they run and give way upwards. Without one, the first segment of anything, or the one that
// covers the viewport.
void RowStack::findAnchor()
{
    std::optional<Anchor> any;
    int y = m_firstTop;
    for (int place = m_first; place <= m_last; ++place) {
        const RowItem *row = item(place);
        for (size_t i = 0; row && i < row->segments().size(); ++i) {
            const int at = y + row->segmentTop(i);
            if (at > m_viewHeight * 2 / 3)
                break;
            if (at + row->segments().heights().at(i) <= 0)
                continue;
            if (!any || (any->y < 0 && at >= 0))
                any = Anchor{place, i, at};
            if (at >= 0 && row->segments().at(i).begin() >= 0) {
                m_anchor = {place, i, at};
                return;
            }
        }
        y += height(place);
    }
    if (any)
        m_anchor = *any;
}

void RowStack::evict()
{
    const int keepFirst = m_first - KeptAround;
    const int keepLast = m_last + KeptAround;
    for (int i = m_itemFirst; i <= m_itemLast && i < count(); ++i) {
        if (i < keepFirst || i > keepLast) {
            entry(i).item.reset(); // The height stays.
            entry(i).isDirty = true;
        }
    }
    m_itemFirst = std::max(m_itemFirst, std::max(0, keepFirst));
    m_itemLast = std::min(m_itemLast, keepLast);
    int y = m_firstTop;
    for (int i = m_first; i <= m_last; ++i) {
        if (RowItem *row = item(i); row && row->segments().size() > 2 * SegmentsAround) {
            const HeightIndex &heights = row->segments().heights();
            const size_t from = heights.find(std::max(0, -y));
            const size_t to = heights.find(std::max(0, m_viewHeight - y));
            row->segments().releaseOutside(from > SegmentsAround ? from - SegmentsAround : 0,
                                           to + SegmentsAround);
        }
        y += height(i);
    }
}

bool RowStack::arrangeAhead(int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    const auto row = [&](int place) {
        if (place < 0 || place >= count())
            return true;
        RowItem &here = ensure(place);
        // Long rows are laid out as they come: their segments are small.
        const size_t some = std::min<size_t>(here.segments().size(), 40);
        for (size_t i = 0; i < some; ++i) {
            arrangeSegment(place, i);
            if (timer.elapsed() >= milliseconds)
                return false;
        }
        return true;
    };
    for (int distance = 1; distance <= KeptAround / 3; ++distance) {
        if (!row(m_first - distance) || !row(m_last + distance))
            return true;
    }
    return false;
}

qint64 RowStack::position() const
{
    return m_heights.before(static_cast<size_t>(m_first)) - m_firstTop + topPadding();
}

qint64 RowStack::total() const { return m_heights.total() + topPadding() + bottomPadding(); }

int RowStack::top(int place) const
{
    const qint64 y = m_firstTop + m_heights.before(static_cast<size_t>(place))
        - m_heights.before(static_cast<size_t>(m_first));
    return static_cast<int>(std::clamp<qint64>(y, -1'000'000'000, 1'000'000'000));
}

int RowStack::takeChangedFrom()
{
    int from = std::exchange(m_changedFrom, m_viewHeight);
    const qint64 now = position();
    if (m_paintedPosition != now)
        from = 0;
    m_paintedPosition = now;
    for (int i = m_first; i <= m_last; ++i) {
        RowItem *row = item(i);
        if (!row)
            continue;
        const size_t changed = row->segments().takeChanged();
        if (changed == SegmentList::None)
            continue;
        // The box around a row may change with its first segment.
        from = std::min(from,
                        changed == 0 ? top(i)
                                     : top(i) + row->segmentTop(std::min(changed, row->segments().size())));
    }
    return std::max(0, from);
}

int RowStack::segmentsLaidOut() const
{
    size_t sum = 0;
    for (int i = m_itemFirst; i <= m_itemLast && i < count(); ++i) {
        if (const RowItem *row = item(i))
            sum += row->segments().laidOut();
    }
    return static_cast<int>(sum);
}

} // namespace Pilothouse
