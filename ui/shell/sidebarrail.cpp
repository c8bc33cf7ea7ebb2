// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/sidebarrail.h"

#include "sidebar/conversationlistview.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QPainter>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

SidebarRail::SidebarRail(SidebarModel *model, QWidget *parent)
    : QWidget(parent)
    , m_new(new ToolButton(u"plus"_s, tr("New conversation")))
    , m_list(new ConversationListView)
{
    setFixedWidth(Theme::instance().px(Metrics::Rail));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 1, 0);
    layout->setSpacing(0);
    auto *find = new ToolButton(u"search"_s, tr("Find a conversation by its title"));
    layout->addWidget(m_new, 0, Qt::AlignHCenter);
    layout->addWidget(find, 0, Qt::AlignHCenter);
    layout->addSpacing(Metrics::SpaceS);
    m_list->setNarrow(true);
    m_list->setConversations(model);
    layout->addWidget(m_list, 1);
    connect(m_new, &ToolButton::clicked, this, &SidebarRail::newRequested);
    connect(find, &ToolButton::clicked, this, &SidebarRail::findRequested);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void SidebarRail::setCanMake(bool canMake) { m_new->setEnabled(canMake); }

void SidebarRail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(Role::Window));
    const int x = layoutDirection() == Qt::RightToLeft ? 0 : width() - 1;
    painter.fillRect(x, 0, 1, height(), Theme::instance().color(Role::Hair));
}

} // namespace Pilothouse
