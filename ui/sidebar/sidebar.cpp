// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/sidebar.h"

#include "sidebar/conversationlistview.h"
#include "sidebar/sidebarmodel.h"
#include "theme/controls/button.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/hairline.h"
#include "theme/controls/searchfield.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QStackedWidget>

namespace Pilothouse {

using namespace Qt::StringLiterals;

Sidebar::Sidebar(SidebarModel *model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_find(new SearchField(tr("Find a conversation by its title"), tr("Ctrl+P")))
    , m_new(new Button(tr("New")))
    , m_stack(new QStackedWidget)
    , m_list(new ConversationListView)
    , m_empty(new EmptyState)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *head = new QWidget;
    head->setFixedHeight(Theme::instance().px(Metrics::ColumnHeader));
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceS, 0);
    row->setSpacing(Metrics::SpaceS);
    m_find->setPlaceholderText(tr("Find"));
    m_new->setIconName(u"plus"_s, Metrics::IconNormal);
    m_new->setAccessibleName(tr("New conversation"));
    m_new->setToolTip(tr("New conversation (Ctrl+N)"));
    row->addWidget(m_find, 1);
    row->addWidget(m_new);
    layout->addWidget(head);
    layout->addWidget(new HairLine);
    m_stack->addWidget(m_list);
    m_stack->addWidget(m_empty);
    layout->addWidget(m_stack, 1);

    m_list->setConversations(model);
    connect(m_find, &QLineEdit::textChanged, model, &SidebarModel::setFilter);
    connect(m_find, &QLineEdit::returnPressed, m_list, &ConversationListView::chooseFirst);
    connect(m_find, &SearchField::downPressed, m_list, &ConversationListView::chooseFirst);
    connect(m_find, &SearchField::left, m_list, [this] { m_list->setFocus(Qt::OtherFocusReason); });
    connect(m_list, &ConversationListView::leftUpwards, this, &Sidebar::focusFind);
    connect(m_new, &Button::clicked, this, &Sidebar::newRequested);
    for (const auto &changed : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(model, changed, this, &Sidebar::updateEmpty);
    connect(m_find, &QLineEdit::textChanged, this, &Sidebar::updateEmpty);
    updateEmpty();
}

void Sidebar::setCanMake(bool canMake) { m_new->setEnabled(canMake); }

void Sidebar::focusFind()
{
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

void Sidebar::updateEmpty()
{
    const bool empty = m_model->rowCount() == 0;
    m_stack->setCurrentWidget(empty ? static_cast<QWidget *>(m_empty) : m_list);
    if (!empty)
        return;
    if (m_model->isFiltered())
        m_empty->setTexts(tr("No title has these words"), tr("Esc empties the field."));
    else
        m_empty->setTexts(tr("No conversations yet"),
                          tr("They are grouped here: those that need you first, then running, then idle."));
}

} // namespace Pilothouse
