// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/blockframe.h"

#include "theme/metrics.h"
#include "transcript/transcriptstyle.h"

#include <QPainter>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int ItemIndent = 24;
constexpr int QuoteIndent = 16;
constexpr int QuoteBar = 3;
constexpr int MarkGap = 8; // Between an item's mark and its text.
constexpr int BoxSize = 12; // Of a task.

int indentOf(MarkdownBlock::Container container)
{
    return TranscriptStyle::px(container == MarkdownBlock::Container::Quote ? QuoteIndent : ItemIndent);
}

} // namespace

int BlockFrame::indent() const
{
    int sum = 0;
    for (const MarkdownBlock::Container container : containers)
        sum += indentOf(container);
    return sum;
}

QRect BlockFrame::content(int width, int height, bool rightToLeft) const
{
    // In a narrow column deep nesting gives way, not the text.
    const int inside = std::min(indent(), width / 2);
    return {rightToLeft ? 0 : inside, top, width - inside, height - top};
}

void BlockFrame::paint(QPainter *painter, const TranscriptStyle &style, const QRect &rect, int firstLine,
                       bool rightToLeft) const
{
    const int limit = std::min(indent(), rect.width() / 2);
    int at = 0;
    for (size_t i = 0; i < containers.size(); ++i) {
        const int step = indentOf(containers[i]);
        if (at + step > limit)
            break;
        if (containers[i] == MarkdownBlock::Container::Quote) {
            const int bar = TranscriptStyle::px(QuoteBar);
            const int x = rightToLeft ? rect.right() + 1 - at - bar : rect.x() + at;
            const int above = goesOn ? 0 : top;
            painter->fillRect(QRect(x, rect.y() + above, bar, rect.height() - above),
                              TranscriptStyle::color(Role::Line));
        }
        at += step;
    }
    const int gap = TranscriptStyle::px(MarkGap);
    if (checked) {
        const int size = TranscriptStyle::px(BoxSize);
        const int x = rightToLeft ? rect.right() + 1 - limit + gap : rect.x() + limit - gap - size;
        const QRectF box(x + 0.5, rect.y() + top + (firstLine - size) / 2 + 0.5, size - 1, size - 1);
        painter->setPen(TranscriptStyle::color(Role::Control));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(box, 2, 2);
        if (*checked) {
            painter->setPen(QPen(TranscriptStyle::color(Role::Accent), 1.6));
            painter->drawPolyline(QPolygonF({{box.x() + box.width() * 0.2, box.center().y()},
                                             {box.x() + box.width() * 0.42, box.bottom() - 2.5},
                                             {box.right() - 2, box.y() + 2.5}}));
        }
    } else if (!mark.isEmpty()) {
        painter->setFont(style.body.font);
        painter->setPen(TranscriptStyle::color(Role::Text2));
        // Long numbers reach out of the column's side rather than into the text.
        const int wide = std::max(limit, TranscriptStyle::px(120));
        const QRect place = rightToLeft
            ? QRect(rect.right() + 1 - limit + gap, rect.y() + top, wide, firstLine)
            : QRect(rect.x() + limit - gap - wide, rect.y() + top, wide, firstLine);
        painter->drawText(
            place, Qt::AlignVCenter | Qt::AlignAbsolute | (rightToLeft ? Qt::AlignLeft : Qt::AlignRight),
            mark);
    }
}

BlockFrame BlockFrame::of(const MarkdownBlock &block, const MarkdownBlock *previous)
{
    BlockFrame frame;
    frame.containers = block.containers;
    if (block.bullet)
        frame.mark = u"•"_s;
    else if (block.number >= 0)
        frame.mark = QString::number(block.number) + u'.';
    frame.checked = block.checked;
    if (!previous)
        return frame;
    frame.goesOn = !block.containers.empty() && !previous->containers.empty()
        && block.containers.front() == previous->containers.front();
    const bool isItem = block.bullet || block.number >= 0;
    int top = Metrics::SpaceS;
    if (block.kind == MarkdownBlock::Kind::Heading)
        top = block.level <= 2 ? Metrics::SpaceL : Metrics::SpaceM;
    else if (isItem && !block.blankBefore && !previous->containers.empty())
        top = Metrics::SpaceXs;
    else if (isItem && !previous->containers.empty() && block.containers == previous->containers)
        top = Metrics::SpaceXs;
    frame.top = TranscriptStyle::px(top);
    return frame;
}

} // namespace Pilothouse
