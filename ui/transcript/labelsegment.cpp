// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/labelsegment.h"

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/statelook.h"

#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int NumberGap = Metrics::SpaceM; // Between a step's number and the column.
constexpr int SideGap = Metrics::SpaceS;

// Mirrors a rectangle inside of another one.
QRect placed(const QRect &in, const QRect &rect, bool rightToLeft)
{
    return rightToLeft ? QRect(in.right() + in.left() - rect.right(), rect.y(), rect.width(), rect.height())
                       : rect;
}

// Lays words out that may take several lines, broken between words where that can be; returns the height.
int arrangeWords(QTextLayout *layout, int width, int lineHeight, bool rightToLeft)
{
    QTextOption option(rightToLeft ? Qt::AlignRight : Qt::AlignLeft);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout->setTextOption(option);
    layout->beginLayout();
    int y = 0;
    for (QTextLine line = layout->createLine(); line.isValid(); line = layout->createLine()) {
        line.setLineWidth(width);
        line.setPosition({0, y + std::floor((lineHeight - line.height()) / 2)});
        y += std::max(lineHeight, static_cast<int>(std::ceil(line.height())));
    }
    layout->endLayout();
    return std::max(y, lineHeight);
}

int alignment(bool rightToLeft) { return Qt::AlignVCenter | (rightToLeft ? Qt::AlignRight : Qt::AlignLeft); }

} // namespace

// Lines of the words stay lines: a layout joins what stands at both sides of a newline.
LabelSegment::LabelSegment(Look look)
    : m_look(std::move(look))
{
    m_look.words.replace(QLatin1Char('\n'), QChar::LineSeparator);
}

const TranscriptStyle::Face &LabelSegment::face(const TranscriptStyle &style) const
{
    if (m_look.isSmall)
        return style.state;
    return m_look.isStrong ? style.strong : style.body;
}

int LabelSegment::textLeft() const
{
    return m_look.icon.isEmpty() && !m_look.isIndented
        ? 0
        : TranscriptStyle::px(Metrics::IconNormal + (m_look.folds ? Metrics::SpaceXs : Metrics::SpaceS));
}

int LabelSegment::estimate(const SegmentContext &context) const
{
    return m_look.top + face(context.style).line + m_look.bottom;
}

int LabelSegment::arrange(const SegmentContext &context)
{
    const TranscriptStyle::Face &used = face(context.style);
    int height = used.line;
    if (m_look.wraps) {
        const int width = std::max(40, context.width - textLeft());
        QTextLayout layout(m_look.words, used.font);
        height = arrangeWords(&layout, width, used.line, context.rightToLeft);
    }
    return m_look.top + height + m_look.bottom;
}

void LabelSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    const bool mirrored = context.rightToLeft;
    const TranscriptStyle::Face &used = face(context.style);
    const QRect line(how.rect.x(), how.rect.y() + m_look.top, how.rect.width(),
                     how.rect.height() - m_look.top - m_look.bottom);
    if (!m_look.icon.isEmpty()) {
        const int icon = TranscriptStyle::px(Metrics::IconNormal);
        const QRect place(line.x(), line.y() + (used.line - icon) / 2, icon, icon);
        paintIcon(painter, placed(line, place, mirrored), m_look.icon, m_look.iconColor);
    }
    QRect words = line;
    words.setLeft(words.left() + textLeft());
    painter->setFont(used.font);
    painter->setPen(TranscriptStyle::color(m_look.folds && how.isHovered ? Role::Text : m_look.color));
    if (m_look.wraps) {
        const QRect place = placed(line, words, mirrored);
        QTextLayout layout(m_look.words, used.font);
        arrangeWords(&layout, std::max(40, place.width()), used.line, mirrored);
        layout.draw(painter, place.topLeft());
        return;
    }
    const QString shown = used.metrics.elidedText(m_look.words, Qt::ElideRight, words.width());
    painter->drawText(placed(line, words, mirrored), alignment(mirrored), shown);
    if (m_look.side.isEmpty())
        return;
    const TranscriptStyle::Face &quiet = m_look.isSmall ? context.style.small : context.style.body;
    words.setLeft(words.left() + used.metrics.horizontalAdvance(shown) + TranscriptStyle::px(SideGap));
    painter->setFont(quiet.font);
    painter->setPen(TranscriptStyle::color(Role::Text3));
    painter->drawText(placed(line, words, mirrored), alignment(mirrored),
                      quiet.metrics.elidedText(m_look.side, Qt::ElideRight, words.width()));
}

SegmentHit LabelSegment::hit(const SegmentContext &, const QPoint &) const
{
    SegmentHit hit;
    if (m_look.folds)
        hit.what = SegmentHit::What::Fold;
    return hit;
}

StepSegment::StepSegment(int step, QStringList figures)
    : m_step(step)
    , m_figures(figures.join(u"   "_s))
{ }

int StepSegment::estimate(const SegmentContext &) const
{
    return TranscriptStyle::px(Metrics::StepSeparator);
}

void StepSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    const bool mirrored = context.rightToLeft;
    const QRect &rect = how.rect;
    const int gap = TranscriptStyle::px(NumberGap);
    const int gutter = TranscriptStyle::px(Metrics::TranscriptGutter);
    painter->setFont(context.style.number.font);
    painter->setPen(TranscriptStyle::color(Role::Text3));
    const QRect number = mirrored ? QRect(rect.right() + 1 + gap, rect.y(), gutter - gap, rect.height())
                                  : QRect(rect.x() - gutter, rect.y(), gutter - gap, rect.height());
    painter->drawText(number, alignment(!mirrored), QString::number(m_step));
    int length = rect.width();
    if ((how.isHovered || how.isCurrent) && !m_figures.isEmpty()) {
        painter->setFont(context.style.meta.font);
        painter->setPen(TranscriptStyle::color(Role::Text2));
        const int width = context.style.meta.metrics.horizontalAdvance(m_figures) + 2;
        painter->drawText(rect, alignment(!mirrored), m_figures);
        length = std::max(0, length - width - TranscriptStyle::px(SideGap));
    }
    const int x = mirrored ? rect.right() + 1 - length : rect.x();
    painter->fillRect(QRect(x, rect.y() + rect.height() / 2, length, 1), TranscriptStyle::color(Role::Hair));
}

TurnEndSegment::TurnEndSegment(QString state, QString words, QStringList figures)
    : m_state(std::move(state))
    , m_words(std::move(words))
    , m_figures(figures.join(u"   "_s))
{ }

int TurnEndSegment::estimate(const SegmentContext &) const
{
    return TranscriptStyle::px(Metrics::StepSeparator);
}

void TurnEndSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    const bool mirrored = context.rightToLeft;
    const StateLook look = conversationLook(m_state);
    const QRect &rect = how.rect;
    const int icon = TranscriptStyle::px(Metrics::IconSmall);
    const QRect mark(rect.x(), rect.y() + (rect.height() - icon) / 2, icon, icon);
    paintIcon(painter, placed(rect, mark, mirrored), look.glyph, look.color);
    QRect words = rect;
    words.setLeft(words.left() + icon + TranscriptStyle::px(Metrics::SpaceS));
    painter->setFont(context.style.meta.font);
    painter->setPen(TranscriptStyle::color(Role::Text3));
    const int width = context.style.meta.metrics.horizontalAdvance(m_figures) + 2;
    painter->drawText(rect, alignment(!mirrored), m_figures);
    words.setRight(words.right() - width - TranscriptStyle::px(SideGap));
    painter->setFont(context.style.state.font);
    painter->setPen(TranscriptStyle::color(look.color));
    painter->drawText(placed(rect, words, mirrored), alignment(mirrored),
                      context.style.state.metrics.elidedText(m_words, Qt::ElideRight, words.width()));
}

} // namespace Pilothouse
