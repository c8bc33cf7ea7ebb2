// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/topbar.h"

#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QIcon>
#include <QMenuBar>
#include <QPainter>
#include <QStyle>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int MarkLeft = Metrics::SpaceM;
constexpr int MarkSize = Metrics::IconNormal;
} // namespace

TopBar::TopBar(QWidget *parent)
    : QWidget(parent)
    , m_menus(new QMenuBar)
    , m_sidebar(new ToolButton(u"panel-left"_s, tr("Conversations")))
    , m_panes(new ToolButton(u"panel-right"_s, tr("Panes")))
    , m_settings(new ToolButton(u"settings"_s, tr("Settings")))
{
    setFixedHeight(Theme::instance().px(Metrics::TopBar));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(MarkLeft + MarkSize + Metrics::SpaceS, 0, Metrics::SpaceS, 0);
    row->setSpacing(Metrics::SpaceXs);
    m_menus->setAccessibleName(tr("Menu"));
    m_menus->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    row->addWidget(m_menus, 0, Qt::AlignVCenter);
    row->addStretch(1);
    for (ToolButton *button : {m_sidebar, m_panes, m_settings})
        row->addWidget(button);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void TopBar::setActions(QAction *sidebar, QAction *panes, QAction *settings)
{
    bind(m_sidebar, sidebar, u"panel-left"_s, u"panel-left-filled"_s);
    bind(m_panes, panes, u"panel-right"_s, u"panel-right-filled"_s);
    bind(m_settings, settings, u"settings"_s, u"settings"_s);
}

void TopBar::bind(ToolButton *button, QAction *action, const QString &icon, const QString &checkedIcon)
{
    button->setCheckable(icon == checkedIcon);
    const auto follow = [button, action, icon, checkedIcon] {
        button->setVisible(action->isVisible());
        button->setEnabled(action->isEnabled());
        button->setIconName(action->isChecked() ? checkedIcon : icon);
        button->setChecked(action->isChecked() && icon == checkedIcon);
        button->setName(action->toolTip(), action->shortcut().toString(QKeySequence::NativeText));
        button->setAccessibleDescription(
            action->isCheckable() ? (action->isChecked() ? tr("shown") : tr("hidden")) : QString());
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    follow();
}

void TopBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Role::Window));
    painter.fillRect(0, height() - 1, width(), 1, theme.color(Role::Hair));
    const QRect mark = QStyle::visualRect(layoutDirection(), rect(),
                                          QRect(MarkLeft, (height() - MarkSize) / 2, MarkSize, MarkSize));
    windowIcon().paint(&painter, mark);
}

} // namespace Pilothouse
