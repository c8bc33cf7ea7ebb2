// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/conversationlistview.h"

#include "sidebar/conversationdelegate.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/sidebarmodel.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>

namespace Pilothouse {

using Group = SidebarModel::Group;

ConversationListView::ConversationListView(QWidget *parent)
    : QListView(parent)
    , m_delegate(new ConversationDelegate(this))
{
    setItemDelegate(m_delegate);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSelectionMode(SingleSelection);
    setEditTriggers(EditKeyPressed);
    setFrameShape(NoFrame);
    setMouseTracking(true);
    setResizeMode(Adjust);
    viewport()->setBackgroundRole(QPalette::Window);
    setAccessibleName(tr("Conversations"));
    verticalScrollBar()->setAccessibleName(tr("Scroll the conversations"));
    m_clock.setSingleShot(true);
    m_clock.setTimerType(Qt::CoarseTimer);
    connect(&m_clock, &QTimer::timeout, this, &ConversationListView::tick);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &ConversationListView::planTick);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        scheduleDelayedItemsLayout();
        viewport()->update();
    });
}

void ConversationListView::setConversations(SidebarModel *model)
{
    m_conversations = model;
    {
        const QScopedValueRollback<bool> guard(m_following, true);
        setModel(model);
    }
    for (const auto &changed : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
        connect(model, changed, this, [this] {
            showChosen();
            planTick();
        });
    }
    connect(model, &QAbstractItemModel::dataChanged, this, &ConversationListView::planTick);
}

void ConversationListView::choose(const QString &id)
{
    m_chosen = id;
    m_conversations->setCurrent(id);
    showChosen();
}

void ConversationListView::setNarrow(bool narrow)
{
    m_delegate->setNarrow(narrow);
    setEditTriggers(narrow ? NoEditTriggers : EditTriggers(EditKeyPressed));
    setVerticalScrollBarPolicy(narrow ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    scheduleDelayedItemsLayout();
}

void ConversationListView::renameChosen()
{
    const int place = m_conversations->placeOf(m_chosen);
    if (place < 0 || m_delegate->isNarrow())
        return;
    setFocus(Qt::OtherFocusReason);
    scrollTo(m_conversations->index(place));
    edit(m_conversations->index(place));
}

void ConversationListView::chooseFirst()
{
    for (int i = 0; i < m_conversations->rowCount(); ++i) {
        const QModelIndex index = m_conversations->index(i);
        if (index.data(SidebarModel::IsHeadingRole).toBool())
            continue;
        setFocus(Qt::OtherFocusReason);
        setCurrentIndex(index);
        return;
    }
}

void ConversationListView::showChosen()
{
    const QScopedValueRollback<bool> guard(m_following, true);
    const int place = m_conversations ? m_conversations->placeOf(m_chosen) : -1;
    if (place < 0) {
        setCurrentIndex({});
        clearSelection();
        return;
    }
    if (currentIndex().row() != place)
        setCurrentIndex(m_conversations->index(place));
}

// With the heading of its group, when nothing stands between the two: alone at the upper edge a row would
// seem to belong to none.
void ConversationListView::scrollTo(const QModelIndex &index, ScrollHint hint)
{
    QListView::scrollTo(index, hint);
    const QModelIndex above = index.sibling(index.row() - 1, 0);
    const int hidden = -visualRect(above).top();
    if (above.data(SidebarModel::IsHeadingRole).toBool() && hidden > 0
        && visualRect(index).bottom() + hidden < viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() - hidden);
}

void ConversationListView::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QListView::currentChanged(current, previous);
    if (m_following || !current.isValid() || current.data(SidebarModel::IsHeadingRole).toBool())
        return;
    const QString id = current.data(ConversationListModel::IdRole).toString();
    if (id == m_chosen)
        return;
    m_chosen = id;
    m_conversations->setCurrent(id);
    Q_EMIT conversationChosen(id);
}

void ConversationListView::rowsAboutToBeRemoved(const QModelIndex &parent, int start, int end)
{
    // A row that changes its group goes and comes back. Qt makes a neighbour current in between, which nobody
    // chose.
    const QScopedValueRollback<bool> guard(m_following, true);
    QListView::rowsAboutToBeRemoved(parent, start, end);
}

void ConversationListView::toggleArchived()
{
    m_conversations->setArchivedShown(!m_conversations->isArchivedShown());
}

void ConversationListView::keyPressEvent(QKeyEvent *event)
{
    const bool onHeading = currentIndex().data(SidebarModel::IsHeadingRole).toBool();
    const int key = event->key();
    if (onHeading && (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space)) {
        toggleArchived();
        return;
    }
    if (onHeading && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        m_conversations->setArchivedShown((key == Qt::Key_Right) != isRightToLeft());
        return;
    }
    const int before = currentIndex().row();
    QListView::keyPressEvent(event);
    if (key == Qt::Key_Up && before >= 0 && currentIndex().row() == before && before <= 1)
        Q_EMIT leftUpwards();
}

void ConversationListView::keyboardSearch(const QString &search)
{
    // Whoever clicked a conversation and types, writes to it; another one by its first letter would get the
    // message. Finding has a field of its own.
    if (!search.trimmed().isEmpty())
        Q_EMIT textTyped(search);
}

void ConversationListView::mousePressEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->pos());
    if (event->button() == Qt::LeftButton && index.data(SidebarModel::IsHeadingRole).toBool()) {
        if (static_cast<Group>(index.data(SidebarModel::GroupRole).toInt()) == Group::Archived)
            toggleArchived();
        return; // A heading is never the selected row by a click.
    }
    if (event->button() == Qt::RightButton)
        return; // The menu is of the row below it; the conversation shown stays.
    QListView::mousePressEvent(event);
}

void ConversationListView::contextMenuEvent(QContextMenuEvent *event)
{
    QModelIndex index = indexAt(event->pos());
    QPoint position = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        index = currentIndex();
        position = viewport()->mapToGlobal(visualRect(index).center());
    }
    const QString id = index.data(ConversationListModel::IdRole).toString();
    if (!id.isEmpty())
        Q_EMIT menuRequested(id, position);
}

void ConversationListView::paintEvent(QPaintEvent *event)
{
    QListView::paintEvent(event);
    if (!hasFocus() || currentIndex().isValid())
        return; // The current row has the ring.
    QPainter painter(viewport());
    paintFocusRing(&painter, QRectF(viewport()->rect()).adjusted(1, 1, -1, -1), Metrics::RadiusToolButton);
}

void ConversationListView::focusInEvent(QFocusEvent *event)
{
    QListView::focusInEvent(event);
    viewport()->update();
}

void ConversationListView::focusOutEvent(QFocusEvent *event)
{
    QListView::focusOutEvent(event);
    viewport()->update();
}

void ConversationListView::showEvent(QShowEvent *event)
{
    QListView::showEvent(event);
    planTick();
}

void ConversationListView::hideEvent(QHideEvent *event)
{
    QListView::hideEvent(event);
    m_clock.stop();
}

QList<QModelIndex> ConversationListView::seenRows() const
{
    QList<QModelIndex> rows;
    if (!m_conversations || !isVisible())
        return rows;
    QModelIndex index = indexAt(QPoint(1, 1));
    const int bottom = viewport()->height();
    for (int i = index.isValid() ? index.row() : 0; i < m_conversations->rowCount(); ++i) {
        const QModelIndex row = m_conversations->index(i);
        if (visualRect(row).top() > bottom)
            break;
        if (!row.data(SidebarModel::IsHeadingRole).toBool())
            rows.append(row);
    }
    return rows;
}

void ConversationListView::planTick()
{
    if (m_delegate->isNarrow()) {
        m_clock.stop(); // No times are shown.
        return;
    }
    qint64 next = 0;
    for (const QModelIndex &row : seenRows()) {
        const qint64 change = m_delegate->nextChangeMs(row);
        next = next == 0 ? change : std::min(next, change);
    }
    if (next == 0)
        m_clock.stop();
    else
        m_clock.start(static_cast<int>(next) + 20); // Just after the change, never just before it.
}

void ConversationListView::tick()
{
    for (const QModelIndex &row : seenRows()) {
        QRect area = ConversationDelegate::timeRect(visualRect(row), layoutDirection());
        area.setHeight(visualRect(row).height() / 2 + 4);
        viewport()->update(area);
    }
    planTick();
}

} // namespace Pilothouse
