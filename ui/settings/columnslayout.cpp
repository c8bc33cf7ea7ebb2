// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/columnslayout.h"

#include "theme/metrics.h"
#include "theme/theme.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace Pilothouse {

namespace {
constexpr int LeastFilling = 96; // Less tells nothing: two short words.
constexpr int LeastFirst = 96;
} // namespace

ColumnsLayout::ColumnsLayout(QWidget *parent)
    : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(Metrics::SpaceS);
}

ColumnsLayout::~ColumnsLayout() = default;

void ColumnsLayout::addColumn(QWidget *widget, int width)
{
    addChildWidget(widget);
    m_columns.push_back({std::make_unique<QWidgetItem>(widget), width, 0});
    invalidate();
}

void ColumnsLayout::addFilling(QWidget *widget, int stretch)
{
    addChildWidget(widget);
    m_columns.push_back({std::make_unique<QWidgetItem>(widget), 0, stretch});
    invalidate();
}

void ColumnsLayout::setLineHeight(int height)
{
    m_lineHeight = height;
    invalidate();
}

void ColumnsLayout::addItem(QLayoutItem *item)
{
    m_columns.push_back({std::unique_ptr<QLayoutItem>(item), 0, 1});
}

int ColumnsLayout::count() const { return static_cast<int>(m_columns.size()); }

QLayoutItem *ColumnsLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_columns[static_cast<std::size_t>(index)].item.get() : nullptr;
}

QLayoutItem *ColumnsLayout::takeAt(int index)
{
    if (!itemAt(index))
        return nullptr;
    QLayoutItem *item = m_columns[static_cast<std::size_t>(index)].item.release();
    m_columns.erase(m_columns.begin() + index);
    return item;
}

Qt::Orientations ColumnsLayout::expandingDirections() const { return Qt::Horizontal; }

bool ColumnsLayout::hasHeightForWidth() const { return true; }

int ColumnsLayout::leastFirst() const { return Theme::instance().px(LeastFirst); }

int ColumnsLayout::fixedWidth(bool isBroken) const
{
    int width = 0;
    int gaps = -1;
    for (const Column &column : m_columns) {
        width += column.width;
        gaps += column.stretch == 0 || !isBroken ? 1 : 0;
    }
    return width + std::max(gaps, 0) * spacing();
}

bool ColumnsLayout::isBroken(int width) const
{
    return width < fixedWidth(false) + Theme::instance().px(LeastFilling);
}

int ColumnsLayout::lineHeight() const
{
    int height = m_lineHeight;
    for (const Column &column : m_columns) {
        if (m_lineHeight == 0)
            height = std::max(height, column.item->sizeHint().height());
    }
    return height;
}

int ColumnsLayout::fillingHeight() const
{
    int height = 0;
    for (const Column &column : m_columns) {
        if (column.stretch > 0)
            height = std::max(height, column.item->sizeHint().height());
    }
    return height + Metrics::SpaceXs;
}

int ColumnsLayout::heightForWidth(int width) const
{
    return lineHeight() + (isBroken(width) ? fillingHeight() : 0);
}

QSize ColumnsLayout::minimumSize() const
{
    const int first = m_columns.empty() ? 0 : m_columns.front().width;
    return {fixedWidth(true) - first + std::min(first, leastFirst()), lineHeight()};
}

QSize ColumnsLayout::sizeHint() const
{
    return {fixedWidth(false) + Theme::instance().px(LeastFilling), lineHeight()};
}

void ColumnsLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    const Qt::LayoutDirection direction =
        parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
    const auto place = [&](QLayoutItem *item, const QRect &part) {
        item->setGeometry(QStyle::visualRect(direction, rect, part));
    };
    const bool broken = isBroken(rect.width());
    int parts = 0;
    int fillings = 0;
    for (const Column &column : m_columns) {
        parts += column.stretch;
        fillings += column.stretch > 0 ? 1 : 0;
    }
    const int left = rect.width() - fixedWidth(broken); // Of the first line.
    const int shared = broken ? rect.width() - std::max(0, fillings - 1) * spacing() : left;
    const auto shareOf = [&](int stretch) { return parts > 0 ? shared * stretch / parts : 0; };
    // A line of a given height has room below its words.
    const int gap = m_lineHeight > 0 ? -Metrics::SpaceXs : Metrics::SpaceXs;
    const QRect below(rect.left(), rect.top() + lineHeight() + gap, rect.width(),
                      fillingHeight() - Metrics::SpaceXs);
    int x = rect.left();
    int belowX = below.left();
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const Column &column = m_columns[i];
        if (column.stretch > 0 && broken) {
            place(column.item.get(), QRect(belowX, below.top(), shareOf(column.stretch), below.height()));
            belowX += shareOf(column.stretch) + spacing();
            continue;
        }
        int width = column.stretch > 0 ? shareOf(column.stretch) : column.width;
        if (i == 0 && broken)
            width = std::max(0, width + left);
        place(column.item.get(), QRect(x, rect.top(), width, lineHeight()));
        x += width + spacing();
    }
}

} // namespace Pilothouse
