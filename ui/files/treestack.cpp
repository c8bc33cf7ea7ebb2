// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/treestack.h"

#include "files/filesstate.h"
#include "files/filetreeview.h"
#include "theme/controls/button.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/label.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace Pilothouse {

TreeStack::TreeStack(FileTreeView *tree, QWidget *parent)
    : QWidget(parent)
    , m_tree(tree)
    , m_stack(new QStackedWidget)
    , m_emptyPage(new QWidget)
    , m_empty(new EmptyState)
    , m_emptyAction(new Button({}, Button::Kind::Primary))
    , m_problemPage(new QWidget)
    , m_problem(new ErrorBlock)
    , m_banner(new QWidget)
    , m_bannerText(new Label({}, TextStyle::Small, Role::Text2))
    , m_wake(new Button(tr("Wake"), Button::Kind::Secondary))
{
    const Theme &theme = Theme::instance();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    m_banner->setMinimumHeight(theme.px(Metrics::ColumnHeader)); // What it says is never cut.
    auto *bannerRow = new QHBoxLayout(m_banner);
    m_bannerText->setWordWrap(true);
    m_wake->setSmall(true);
    m_wake->setAccessibleName(tr("Wake the machine"));
    bannerRow->setSpacing(theme.px(Metrics::SpaceXs));
    bannerRow->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceXs),
                                  theme.px(Metrics::SpaceXs), theme.px(Metrics::SpaceXs));
    bannerRow->addWidget(m_bannerText, 1);
    bannerRow->addWidget(m_wake);
    column->addWidget(m_banner);

    m_stack->addWidget(m_tree);
    auto *emptyColumn = new QVBoxLayout(m_emptyPage);
    emptyColumn->addStretch(1);
    emptyColumn->addWidget(m_empty);
    emptyColumn->addWidget(m_emptyAction, 0, Qt::AlignHCenter);
    emptyColumn->addStretch(1);
    m_stack->addWidget(m_emptyPage);
    auto *problemColumn = new QVBoxLayout(m_problemPage);
    problemColumn->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceM),
                                      theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceM));
    m_problem->setAction(tr("Try again"));
    problemColumn->addWidget(m_problem);
    problemColumn->addStretch(1);
    m_stack->addWidget(m_problemPage);
    column->addWidget(m_stack, 1);

    connect(m_wake, &Button::clicked, this, &TreeStack::wakeWanted);
    connect(m_problem, &ErrorBlock::actionRequested, this, &TreeStack::refreshWanted);
    connect(m_emptyAction, &Button::clicked, this, &TreeStack::act);
}

void TreeStack::act()
{
    if (m_machine == FilesSession::Machine::Paused)
        Q_EMIT wakeWanted();
    else if (m_machine == FilesSession::Machine::Unknown)
        Q_EMIT refreshWanted();
    else
        Q_EMIT wholeMachineWanted();
}

void TreeStack::showState(FilesSession *session)
{
    const FilesState state = FilesState::of(session);
    m_machine = session ? session->machine() : FilesSession::Machine::None;
    m_state = state.fault ? state.fault->message : state.headline;
    if (state.fault) {
        m_problem->setError(*state.fault);
        m_stack->setCurrentWidget(m_problemPage);
    } else if (!state.headline.isEmpty()) {
        m_empty->setTexts(state.headline, state.text);
        m_emptyPage->setAccessibleName(state.headline);
        if (state.action.isEmpty())
            passFocus(m_emptyAction, m_emptyPage);
        m_emptyAction->setText(state.action);
        m_emptyAction->setAccessibleName(state.action);
        m_emptyAction->setVisible(!state.action.isEmpty());
        m_stack->setCurrentWidget(m_emptyPage);
    } else {
        m_stack->setCurrentWidget(m_tree);
    }
    const QString banner = staleTreeWords(session);
    m_bannerText->setText(banner);
    const bool canWake = !banner.isEmpty() && m_machine == FilesSession::Machine::Paused;
    if (!canWake)
        passFocus(m_wake, shown());
    m_banner->setVisible(!banner.isEmpty());
    m_wake->setVisible(canWake);
}

bool TreeStack::showsTree() const { return m_stack->currentWidget() == m_tree; }

QWidget *TreeStack::shown() const { return m_stack->currentWidget(); }

} // namespace Pilothouse
