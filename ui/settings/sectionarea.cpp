// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/sectionarea.h"

#include "theme/metrics.h"

#include <QApplication>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>

namespace Pilothouse {

SectionArea::SectionArea(QWidget *page, QWidget *parent)
    : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    // Tab goes to what can be changed: an area without a frame cannot show that it has the keyboard.
    setFocusPolicy(Qt::ClickFocus);
    verticalScrollBar()->setAccessibleName(tr("Scroll the settings"));
    horizontalScrollBar()->setAccessibleName(tr("Scroll the settings sideways"));
    viewport()->setBackgroundRole(QPalette::Window);
    setWidget(page); // Which is watched by the class below, too.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *, QWidget *now) { focusMoved(now); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        const QWidget *at = focused();
        if (!m_isScrolling && !m_isDue && at)
            m_isFollowing = !at->visibleRegion().isEmpty();
    });
}

QWidget *SectionArea::focused() const
{
    QWidget *at = QApplication::focusWidget();
    return at && widget() && widget()->isAncestorOf(at) ? at : nullptr;
}

void SectionArea::focusMoved(QWidget *now)
{
    m_isFollowing = now && widget() && widget()->isAncestorOf(now);
    // What was clicked is seen, and must not move away under the pointer.
    if (m_isFollowing && QGuiApplication::mouseButtons() == Qt::NoButton)
        showFocusedSoon();
}

void SectionArea::showFocusedSoon()
{
    if (m_isDue || !m_isFollowing)
        return;
    m_isDue = true;
    QTimer::singleShot(0, this, &SectionArea::showFocused); // Its place is known when all is laid out.
}

void SectionArea::showFocused()
{
    m_isDue = false;
    if (QWidget *at = focused()) {
        const QScopedValueRollback<bool> guard(m_isScrolling, true);
        // All of it, where ensureWidgetVisible() is content with the cursor of a field.
        const QRect place(at->mapTo(widget(), QPoint()), at->size());
        const QSize half = viewport()->size() / 2;
        ensureVisible(place.center().x(), place.center().y(), std::min(place.width() / 2, half.width()),
                      std::min(place.height() / 2 + Metrics::SpaceXl, half.height()));
    }
}

bool SectionArea::eventFilter(QObject *watched, QEvent *event)
{
    const bool result = QScrollArea::eventFilter(watched, event);
    if (watched == widget() && event->type() == QEvent::Resize)
        showFocusedSoon();
    return result;
}

void SectionArea::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    showFocusedSoon();
}

} // namespace Pilothouse
