// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/calloutputsegment.h"

#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"
#include "transcript/callsegment.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int TextLeft = Metrics::SpaceXxl; // As the tool's name above it.
constexpr int MarkColumn = Metrics::SpaceM; // Before the text.
constexpr int OutputInside = Metrics::SpaceS;
constexpr int MostColumns = 1000; // Beyond any window.
} // namespace

CallOutputSegment::CallOutputSegment(CallOutput output, QString note, bool isLast)
    : m_output(std::move(output))
    , m_note(std::move(note))
    , m_isLast(isLast)
{ }

int CallOutputSegment::estimate(const SegmentContext &context) const
{
    return static_cast<int>(m_output.lines.size()) * context.style.mono.line
        + (m_note.isEmpty() ? 0 : context.style.meta.line + TranscriptStyle::px(Metrics::SpaceXs))
        + 2 * TranscriptStyle::px(OutputInside);
}

void CallOutputSegment::paintLine(QPainter *painter, const SegmentContext &context, const LineStore::Row &row,
                                  const QRect &line) const
{
    const Theme &theme = Theme::instance();
    const QFontMetrics &metrics = context.style.mono.metrics;
    const qreal cell = std::max(1.0, QFontMetricsF(context.style.mono.font).horizontalAdvance(u'0'));
    const int baseline = line.y() + (line.height() - metrics.height()) / 2 + metrics.ascent();
    if (row.kind == LineStore::Block::Kind::Gap) {
        painter->setFont(context.style.meta.font);
        painter->setPen(theme.color(Role::Text3));
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                          u"… "_s + bytesText(row.hiddenBytes) + u" of one line …"_s);
        return;
    }
    const int columns = std::min(MostColumns, static_cast<int>(line.width() / cell));
    const bool isElided = row.columns > columns;
    const int room = isElided ? columns - 1 : columns;
    for (const AnsiSpan &span : row.spans) {
        if (span.column >= room)
            break;
        const auto has = [&span](quint16 flag) { return (span.style.flags & flag) != 0; };
        const int width = std::min(span.columns, room - span.column);
        const QRectF box(line.x() + span.column * cell, line.y(), width * cell, line.height());
        const Theme::AnsiColors colors = theme.ansi(span.style.foreground, span.style.background,
                                                    has(AnsiStyle::Dim), has(AnsiStyle::Reverse));
        if (colors.background.isValid())
            painter->fillRect(box, colors.background);
        QFont font = context.style.mono.font;
        if (has(AnsiStyle::Bold))
            font.setWeight(QFont::DemiBold);
        font.setItalic(has(AnsiStyle::Italic));
        font.setUnderline(has(AnsiStyle::Underline));
        font.setStrikeOut(has(AnsiStyle::Strike));
        painter->setFont(font);
        const bool isOurs = has(AnsiStyle::Escaped) && span.style.background == AnsiStyle::Default;
        painter->setPen(isOurs ? theme.color(Role::Interrupted) : colors.foreground);
        const bool isWhole = width == span.columns;
        if (!isWhole) { // Where characters are wide only the grid knows where to cut.
            painter->save();
            painter->setClipRect(box, Qt::IntersectClip);
        }
        painter->drawText(QPointF(box.x(), baseline), span.text.left(MostColumns));
        if (!isWhole)
            painter->restore();
    }
    if (isElided) {
        painter->setFont(context.style.mono.font);
        painter->setPen(theme.color(Role::Text2));
        painter->drawText(QPointF(line.x() + room * cell, baseline), u"…"_s);
    }
}

void CallOutputSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    paintCardGround(painter, how.rect, m_isLast);
    const int left = TranscriptStyle::px(TextLeft);
    // Output reads from the left in any language.
    QRect line(how.rect.x() + left, how.rect.y() + TranscriptStyle::px(OutputInside),
               how.rect.width() - left - TranscriptStyle::px(Metrics::SpaceM), context.style.meta.line);
    if (!m_note.isEmpty()) {
        painter->setFont(context.style.meta.font);
        painter->setPen(TranscriptStyle::color(Role::Text3));
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_note);
        line.translate(0, line.height() + TranscriptStyle::px(Metrics::SpaceXs));
    }
    line.setHeight(context.style.mono.line);
    for (const LineStore::Row &row : m_output.lines) {
        if (line.y() > how.clip.bottom())
            break;
        if (row.channel == LineStore::Channel::Stderr) {
            const int mark = TranscriptStyle::px(MarkColumn);
            const QColor red = TranscriptStyle::color(Role::Failed);
            painter->fillRect(QRect(line.x() - mark, line.y(), 1, line.height()), red);
            painter->setFont(context.style.mono.font);
            painter->setPen(red);
            painter->drawText(QRect(line.x() - mark, line.y(), mark, line.height()), Qt::AlignCenter, u"!"_s);
        }
        if (line.bottom() >= how.clip.top())
            paintLine(painter, context, row, line);
        line.translate(0, line.height());
    }
}

SegmentHit CallOutputSegment::hit(const SegmentContext &, const QPoint &) const
{
    SegmentHit hit;
    hit.what = SegmentHit::What::Call;
    return hit;
}

} // namespace Pilothouse
