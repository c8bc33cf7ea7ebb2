// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/conversationlistview.h"

#include "sidebar/conversationdelegate.h"
#include "sidebar/conversationlistmodel.h"

#include <QScopedValueRollback>
#include <QScrollBar>

namespace Pilothouse {

ConversationListView::ConversationListView(QWidget *parent)
    : QListView(parent)
{
    setItemDelegate(new ConversationDelegate(this));
    setUniformItemSizes(true);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setFrameShape(NoFrame);
    setAccessibleName(tr("Conversations"));
    verticalScrollBar()->setAccessibleName(tr("Scroll the conversations"));
}

void ConversationListView::setConversations(ConversationListModel *model)
{
    m_conversations = model;
    {
        const QScopedValueRollback<bool> guard(m_following, true);
        setModel(model);
    }
    connect(model, &QAbstractItemModel::modelReset, this, &ConversationListView::showChosen);
    connect(model, &QAbstractItemModel::rowsInserted, this, &ConversationListView::showChosen);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &ConversationListView::showChosen);
}

void ConversationListView::choose(const QString &id)
{
    m_chosen = id;
    showChosen();
}

void ConversationListView::showChosen()
{
    const QScopedValueRollback<bool> guard(m_following, true);
    const int place = m_conversations && !m_chosen.isEmpty() ? m_conversations->placeOf(m_chosen) : -1;
    if (place < 0) {
        setCurrentIndex({});
        return;
    }
    setCurrentIndex(m_conversations->index(place));
}

void ConversationListView::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QListView::currentChanged(current, previous);
    if (m_following || !current.isValid())
        return;
    const QString id = current.data(ConversationListModel::IdRole).toString();
    if (id == m_chosen)
        return;
    m_chosen = id;
    Q_EMIT conversationChosen(id);
}

} // namespace Pilothouse
