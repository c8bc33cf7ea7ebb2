// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowitem.h"

#include "theme/metrics.h"
#include "transcript/rowitems.h"
#include "transcript/rowtext.h"

#include <algorithm>

namespace Pilothouse {

bool RowShape::operator==(const RowShape &other) const
{
    return isUnfolded == other.isUnfolded && showsAll == other.showsAll && joinsAbove == other.joinsAbove
        && joinsBelow == other.joinsBelow && isActive == other.isActive && output.bytes == other.output.bytes
        && output.read == other.output.read && output.isRead == other.output.isRead
        && isPending == other.isPending && isSteady == other.isSteady && widgetHeight == other.widgetHeight;
}

std::unique_ptr<RowItem> RowItem::make(TranscriptRow::Kind kind)
{
    switch (kind) {
    case TranscriptRow::Kind::User:
        return std::make_unique<UserItem>();
    case TranscriptRow::Kind::Text:
        return std::make_unique<TextItem>();
    case TranscriptRow::Kind::Reasoning:
        return std::make_unique<ReasoningItem>();
    case TranscriptRow::Kind::Call:
        return std::make_unique<CallItem>();
    case TranscriptRow::Kind::Step:
    case TranscriptRow::Kind::TurnEnd:
        return std::make_unique<LineItem>();
    case TranscriptRow::Kind::Notice:
        return std::make_unique<NoticeItem>();
    case TranscriptRow::Kind::Error:
        return std::make_unique<ErrorItem>();
    }
    return std::make_unique<LineItem>();
}

std::unique_ptr<RowItem> RowItem::makeAbsent() { return std::make_unique<AbsentItem>(); }

int RowItem::estimate(const TranscriptRow &row, const RowShape &shape, const SegmentContext &context)
{
    if (!isShown(row))
        return 0;
    const TranscriptStyle &style = context.style;
    const int perLine = std::max(10, context.width / std::max(4, style.body.metrics.averageCharWidth()));
    const qsizetype lines = row.text.size() / perLine + 1;
    const auto text =
        static_cast<int>(std::min<qsizetype>(lines, 1'000'000 / style.body.line)) * style.body.line;
    switch (row.kind) {
    case TranscriptRow::Kind::User:
    case TranscriptRow::Kind::Error:
        return text + style.small.line + TranscriptStyle::px(Metrics::SpaceXxl);
    case TranscriptRow::Kind::Text:
        return text + TranscriptStyle::px(Metrics::SpaceXs);
    case TranscriptRow::Kind::Reasoning:
        return shape.isUnfolded ? text + style.body.line : style.body.line;
    case TranscriptRow::Kind::Notice:
        return style.small.line + TranscriptStyle::px(Metrics::SpaceXs);
    case TranscriptRow::Kind::Call:
        return shape.widgetHeight > 0 ? shape.widgetHeight : TranscriptStyle::px(Metrics::ToolCardRow);
    case TranscriptRow::Kind::Step:
    case TranscriptRow::Kind::TurnEnd:
        return TranscriptStyle::px(Metrics::StepSeparator) + (shape.isPending ? style.body.line : 0);
    }
    return style.body.line;
}

void RowItem::update(const TranscriptRow &row, const RowShape &shape, const SegmentContext &context)
{
    // Closed rows never change; what is read from the log in their place has the same numbers.
    if (m_isBuilt && m_closed && row.closed && row.lastSeq == m_lastSeq && row.withdrawn == m_withdrawn
        && shape == m_shape && row.text.size() == m_source.size())
        return;
    // Whole text comparison: it costs a fraction of a millisecond for the longest row there can be.
    const bool same = m_isBuilt && !m_closed && shape == m_shape && row.withdrawn == m_withdrawn
        && row.text.startsWith(m_source) && row.kind != TranscriptRow::Kind::Call;
    m_lastSeq = row.lastSeq;
    m_withdrawn = row.withdrawn;
    m_shape = shape;
    m_source = row.text;
    m_closed = row.closed;
    m_isBuilt = true;
    if (!isShown(row)) {
        m_segments.truncate(0);
        m_top = m_bottom = m_after = 0;
        return;
    }
    if (!same)
        m_segments.truncate(0);
    build(row, inner(context), same);
}

SegmentContext RowItem::inner(const SegmentContext &context) const
{
    return {context.style, context.images, std::max(40, context.width - 2 * m_side),
            m_source,      context.nowMs,  context.rightToLeft};
}

int RowItem::height() const
{
    if (m_segments.size() == 0)
        return 0;
    return m_top + static_cast<int>(m_segments.heights().total()) + m_bottom + m_after;
}

int RowItem::segmentTop(size_t index) const
{
    return m_top + static_cast<int>(m_segments.heights().before(index));
}

void RowItem::arrange(size_t index, const SegmentContext &context)
{
    m_segments.arrange(index, inner(context));
}

bool RowItem::ticks() const
{
    for (size_t i = 0; i < std::min<size_t>(m_segments.size(), 2); ++i) {
        if (m_segments.at(i).ticks())
            return true;
    }
    return false;
}

} // namespace Pilothouse
