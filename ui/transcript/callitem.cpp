// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"
#include "theme/units.h"
#include "transcript/calloutputsegment.h"
#include "transcript/callsegment.h"
#include "transcript/gapsegment.h"
#include "transcript/rowitems.h"

#include <QLocale>
#include <QPainter>
#include <QPainterPath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString moreLines(qint64 lines)
{
    return (lines == 1 ? u"1 more line, open in Call pane"_s
                       : QString(QLocale().toString(lines) + u" more lines, open in Call pane"_s));
}

QString outputNote(const CallOutput &output)
{
    if (!output.isRead)
        return u"Reading the output"_s;
    if (output.isCut) // Nobody counted what is before.
        return u"The end of "_s + bytesText(output.bytes) + u", open in Call pane"_s;
    return output.linesAbove > 0 ? moreLines(output.linesAbove) : QString();
}

QStringList firstLines(const QString &text, QString *note)
{
    QStringList lines = text.split(u'\n');
    if (lines.size() > CallLinesSegment::MostLines) {
        *note = moreLines(lines.size() - CallLinesSegment::MostLines);
        lines = lines.mid(0, CallLinesSegment::MostLines);
    }
    for (QString &line : lines)
        line.replace(u'\t', u"    "_s);
    return lines;
}

} // namespace

void CallItem::build(const TranscriptRow &row, const SegmentContext &inner, bool)
{
    m_segments.truncate(0);
    m_after = m_shape.joinsBelow ? 0 : TranscriptStyle::px(Metrics::SpaceS);
    if (m_shape.widgetHeight > 0) {
        m_segments.append(std::make_unique<GapSegment>(m_shape.widgetHeight), inner);
        return;
    }
    const CallCard card = callCard(row, inner.nowMs);
    m_isWaiting = card.isWaiting;
    m_isRunning = card.isRunning;
    m_segments.append(std::make_unique<CallSegment>(card, m_shape.isUnfolded, m_shape.isSteady), inner);
    if (!m_shape.isUnfolded)
        return;
    QString note;
    const QStringList lines = firstLines(card.arguments, &note);
    m_segments.append(
        std::make_unique<CallLinesSegment>(lines, note, !m_shape.joinsBelow && card.outputBytes <= 0), inner);
    if (card.outputBytes <= 0)
        return;
    const CallOutput &output = m_shape.output;
    m_segments.append(std::make_unique<CallOutputSegment>(output, outputNote(output), !m_shape.joinsBelow),
                      inner);
}

void CallItem::paintBack(QPainter *painter, const SegmentContext &context, const QRect &rect, bool) const
{
    if (m_shape.widgetHeight > 0)
        return;
    // The stack is one box: each row paints its part, corners of sides that go on lie outside of the row.
    const int beyond = 2 * Metrics::RadiusCard;
    const QRectF box = QRectF(rect).adjusted(0.5, m_shape.joinsAbove ? -beyond : 0.5, -0.5,
                                             m_shape.joinsBelow ? beyond : -0.5);
    painter->save();
    painter->setClipRect(rect, Qt::IntersectClip);
    const bool highContrast = Theme::instance().scheme() == Scheme::HighContrast;
    Role fill = Role::Canvas;
    if (m_shape.isActive)
        fill = Role::Selected;
    else if (m_isWaiting && !highContrast)
        fill = Role::WaitingSoft;
    painter->setPen(Qt::NoPen);
    painter->setBrush(TranscriptStyle::color(fill));
    painter->drawRoundedRect(box, Metrics::RadiusCard, Metrics::RadiusCard);
    if (m_isRunning || m_isWaiting) {
        QPainterPath inside;
        inside.addRoundedRect(box, Metrics::RadiusCard, Metrics::RadiusCard);
        painter->save();
        painter->setClipPath(inside, Qt::IntersectClip);
        const int bar =
            TranscriptStyle::px(m_isWaiting ? Metrics::StrokeApprovalEdge : Metrics::StrokeSelectionBar);
        const int x = context.rightToLeft ? rect.right() + 1 - bar : rect.x();
        painter->fillRect(QRect(x, rect.y(), bar, rect.height()),
                          TranscriptStyle::color(m_isWaiting ? Role::WaitingSolid : Role::Accent));
        painter->restore();
    }
    painter->setBrush(Qt::NoBrush);
    painter->setPen(TranscriptStyle::color(Role::Line));
    painter->drawRoundedRect(box, Metrics::RadiusCard, Metrics::RadiusCard);
    if (m_shape.isActive && highContrast) // Without tints a frame says which call is chosen.
        paintChosenFrame(painter, QRectF(rect),
                         m_shape.joinsAbove || m_shape.joinsBelow ? 0 : Metrics::RadiusCard);
    if (m_shape.joinsAbove && !(m_shape.isActive && highContrast))
        painter->fillRect(QRect(rect.x() + 1, rect.y(), rect.width() - 2, 1),
                          TranscriptStyle::color(Role::Hair));
    painter->restore();
}

} // namespace Pilothouse
