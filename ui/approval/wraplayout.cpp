// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/wraplayout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <array>
#include <utility>

namespace Pilothouse {

WrapLayout::WrapLayout(int gap)
    : m_gap(gap)
{
    setContentsMargins(0, 0, 0, 0);
}

WrapLayout::~WrapLayout() { qDeleteAll(m_items); }

QLayoutItem *WrapLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int WrapLayout::lineWidth(const Line &line) const
{
    int width = line.isEmpty() ? 0 : -m_gap;
    for (const QLayoutItem *item : line)
        width += m_gap + item->sizeHint().width();
    return width;
}

int WrapLayout::lineHeight(const Line &line)
{
    int height = 0;
    for (const QLayoutItem *item : line)
        height = std::max(height, item->sizeHint().height());
    return height;
}

WrapLayout::Lines WrapLayout::lines(int width) const
{
    Line leading;
    Line trailing;
    for (qsizetype i = 0; i < m_items.size(); ++i) {
        if (!m_items[i]->isEmpty())
            (m_trailing >= 0 && i >= m_trailing ? trailing : leading).append(m_items[i]);
    }
    Lines out;
    if (lineWidth(leading + trailing) <= width) {
        out.lines.append(leading + trailing);
        out.before = leading.size();
        return out;
    }
    const std::array groups{leading, trailing};
    for (const Line &group : groups) {
        Line line;
        for (QLayoutItem *item : group) {
            if (!line.isEmpty() && lineWidth(line + Line{item}) > width)
                out.lines.append(std::exchange(line, {}));
            line.append(item);
        }
        if (!line.isEmpty())
            out.lines.append(line);
        if (&group == &groups.front())
            out.leading = out.lines.size();
    }
    return out;
}

int WrapLayout::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    int height = margins.top() + margins.bottom();
    const Lines all = lines(width - margins.left() - margins.right());
    for (const Line &line : all.lines)
        height += lineHeight(line);
    return height + m_gap * std::max(0, static_cast<int>(all.lines.size()) - 1);
}

QSize WrapLayout::sizeHint() const
{
    Line all;
    for (QLayoutItem *item : m_items) {
        if (!item->isEmpty())
            all.append(item);
    }
    return QSize(lineWidth(all), lineHeight(all)).grownBy(contentsMargins());
}

QSize WrapLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items) {
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    }
    return size.grownBy(contentsMargins());
}

void WrapLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    const QRect inside = rect.marginsRemoved(contentsMargins());
    const Qt::LayoutDirection direction =
        parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
    const Lines all = lines(inside.width());
    int y = inside.y();
    for (qsizetype number = 0; number < all.lines.size(); ++number) {
        const Line &line = all.lines[number];
        const int height = lineHeight(line);
        const int slack = std::max(0, inside.width() - lineWidth(line));
        int x = inside.x();
        for (qsizetype i = 0; i < line.size(); ++i) {
            if (number >= all.leading && i == all.before)
                x += slack;
            const QSize size(std::min(line[i]->sizeHint().width(), inside.width()),
                             line[i]->sizeHint().height());
            const QRect place(QPoint(x, y + (height - size.height()) / 2), size);
            line[i]->setGeometry(QStyle::visualRect(direction, inside, place));
            x += size.width() + m_gap;
        }
        y += height + m_gap;
    }
}

} // namespace Pilothouse
