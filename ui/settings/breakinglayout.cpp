// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/breakinglayout.h"

#include "theme/metrics.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace Pilothouse {

namespace {

int heightOf(const QLayoutItem *item, int width)
{
    return item->hasHeightForWidth() ? item->heightForWidth(width) : item->sizeHint().height();
}

bool isShown(const QLayoutItem *item) { return item && !item->isEmpty(); }

} // namespace

BreakingLayout::BreakingLayout(int leastLead, QWidget *parent)
    : QLayout(parent)
    , m_leastLead(leastLead)
{
    setSpacing(Metrics::SpaceL);
}

BreakingLayout::~BreakingLayout() = default;

void BreakingLayout::setLead(QLayout *lead)
{
    addChildLayout(lead);
    m_lead = lead;
    invalidate();
}

void BreakingLayout::setLead(QWidget *lead)
{
    addChildWidget(lead);
    m_leadOwner = std::make_unique<QWidgetItem>(lead);
    m_lead = m_leadOwner.get();
    invalidate();
}

void BreakingLayout::setTrail(QWidget *trail)
{
    addChildWidget(trail);
    m_trail = std::make_unique<QWidgetItem>(trail);
    invalidate();
}

void BreakingLayout::setIndent(int indent)
{
    m_indent = indent;
    invalidate();
}

void BreakingLayout::addItem(QLayoutItem *item)
{
    // Only a part that was taken comes back this way.
    std::unique_ptr<QLayoutItem> owner(item);
    if (m_lead) {
        m_trail = std::move(owner);
        return;
    }
    m_lead = item;
    m_leadOwner = std::move(owner);
}

int BreakingLayout::count() const { return (m_lead ? 1 : 0) + (m_trail ? 1 : 0); }

QLayoutItem *BreakingLayout::itemAt(int index) const
{
    if (index == 0)
        return m_lead ? m_lead : m_trail.get();
    return index == 1 && m_lead ? m_trail.get() : nullptr;
}

QLayoutItem *BreakingLayout::takeAt(int index)
{
    if (!itemAt(index))
        return nullptr;
    if (index > 0 || !m_lead)
        return m_trail.release();
    (void)m_leadOwner.release();
    return std::exchange(m_lead, nullptr);
}

Qt::Orientations BreakingLayout::expandingDirections() const { return Qt::Horizontal; }

bool BreakingLayout::hasHeightForWidth() const { return true; }

int BreakingLayout::trailRoom() const
{
    return isShown(m_trail.get()) ? m_trail->sizeHint().width() + spacing() : 0;
}

bool BreakingLayout::isBroken(int width) const
{
    return trailRoom() > 0 && isShown(m_lead) && width < m_leastLead + trailRoom();
}

int BreakingLayout::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    const int inner = width - margins.left() - margins.right();
    int height = 0;
    if (isBroken(inner)) {
        height = heightOf(m_lead, inner) + Metrics::SpaceS + heightOf(m_trail.get(), inner);
    } else {
        const int indent = inner - m_indent >= m_leastLead + trailRoom() ? m_indent : 0;
        if (isShown(m_lead))
            height = heightOf(m_lead, inner - indent - trailRoom());
        if (isShown(m_trail.get()))
            height = std::max(height, m_trail->sizeHint().height());
    }
    return height + margins.top() + margins.bottom();
}

QSize BreakingLayout::minimumSize() const
{
    const QMargins margins = contentsMargins();
    QSize least;
    if (isShown(m_lead)) // A long word of the first part does not make the whole page wider.
        least = QSize(std::min(m_lead->minimumSize().width(), m_leastLead), m_lead->minimumSize().height());
    if (isShown(m_trail.get()))
        least = least.expandedTo(m_trail->minimumSize());
    return QSize(std::max(least.width(), 0), std::max(least.height(), 0)).grownBy(margins);
}

QSize BreakingLayout::sizeHint() const
{
    const QMargins margins = contentsMargins();
    int height = isShown(m_lead) ? m_lead->sizeHint().height() : 0;
    if (isShown(m_trail.get()))
        height = std::max(height, m_trail->sizeHint().height());
    return QSize(m_leastLead + trailRoom(), height).grownBy(margins);
}

void BreakingLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    const QRect inner = rect.marginsRemoved(contentsMargins());
    const Qt::LayoutDirection direction =
        parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
    const auto place = [&](QLayoutItem *item, const QRect &part) {
        item->setGeometry(QStyle::visualRect(direction, inner, part));
    };
    if (isBroken(inner.width())) {
        const int top = heightOf(m_lead, inner.width());
        place(m_lead, QRect(inner.left(), inner.top(), inner.width(), top));
        const QSize hint = m_trail->sizeHint();
        place(m_trail.get(),
              QRect(inner.left(), inner.top() + top + Metrics::SpaceS, std::min(hint.width(), inner.width()),
                    hint.height()));
        return;
    }
    const int indent = inner.width() - m_indent >= m_leastLead + trailRoom() ? m_indent : 0;
    if (isShown(m_lead))
        place(m_lead, inner.adjusted(indent, 0, -trailRoom(), 0));
    if (isShown(m_trail.get())) {
        const QSize hint = m_trail->sizeHint();
        place(m_trail.get(),
              QRect(inner.right() + 1 - hint.width(), inner.top() + (inner.height() - hint.height()) / 2,
                    hint.width(), hint.height()));
    }
}

} // namespace Pilothouse
