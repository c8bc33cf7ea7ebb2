// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/panecolumn.h"

#include "shell/railbutton.h"
#include "theme/controls/hairline.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStackedWidget>
#include <QTabBar>

namespace Pilothouse {

using namespace Qt::StringLiterals;

PaneColumn::PaneColumn(QWidget *parent)
    : QWidget(parent)
    , m_tabs(new QTabBar)
    , m_stack(new QStackedWidget)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setElideMode(Qt::ElideRight);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setAccessibleName(tr("Panes"));
    m_tabs->setFixedHeight(Theme::instance().px(Metrics::ColumnHeader));
    auto *head = new QHBoxLayout;
    head->setContentsMargins(Metrics::SpaceXs, 0, Metrics::SpaceS, 0);
    head->addWidget(m_tabs, 1);
    layout->addLayout(head);
    layout->addWidget(new HairLine);
    layout->addWidget(m_stack, 1);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_stack->setCurrentIndex(index);
        Q_EMIT panesChanged();
    });
}

void PaneColumn::addPane(const QString &name, const QString &icon, const QString &title, QWidget *pane)
{
    m_panes.append({name, icon, title, 0});
    m_stack->addWidget(pane);
    m_tabs->addTab(title);
    Q_EMIT panesChanged();
}

void PaneColumn::showPane(const QString &name)
{
    for (qsizetype i = 0; i < m_panes.size(); ++i) {
        if (m_panes[i].name != name)
            continue;
        m_tabs->setCurrentIndex(static_cast<int>(i));
        Q_EMIT viewRequested();
    }
}

void PaneColumn::setPaneCount(const QString &name, int count)
{
    for (qsizetype i = 0; i < m_panes.size(); ++i) {
        Pane &pane = m_panes[i];
        if (pane.name != name || pane.count == count)
            continue;
        pane.count = count;
        m_tabs->setTabText(static_cast<int>(i),
                           count > 0 ? u"%1  %2"_s.arg(pane.title).arg(count) : pane.title);
        Q_EMIT panesChanged();
    }
}

QString PaneColumn::currentPane() const { return m_panes.value(m_tabs->currentIndex()).name; }

void PaneColumn::focusPane()
{
    const QWidget *pane = m_stack->currentWidget();
    if (!pane)
        return;
    // A pane is no control itself; where none of its own can take the focus, its tab does.
    for (QWidget *next = pane->nextInFocusChain(); next != pane; next = next->nextInFocusChain()) {
        if (pane->isAncestorOf(next) && next->isVisible() && next->isEnabled() && !next->focusProxy()
            && (next->focusPolicy() & Qt::TabFocus) != 0) {
            next->setFocus(Qt::TabFocusReason);
            return;
        }
    }
    m_tabs->setFocus(Qt::TabFocusReason);
}

PaneRail::PaneRail(PaneColumn *column, QWidget *parent)
    : QWidget(parent)
    , m_column(column)
{
    setFixedWidth(Theme::instance().px(Metrics::PaneRail));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, Metrics::SpaceS, 0, Metrics::SpaceS);
    layout->setSpacing(Metrics::SpaceXs);
    layout->setAlignment(Qt::AlignTop);
    connect(column, &PaneColumn::panesChanged, this, &PaneRail::rebuild);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
    rebuild();
}

void PaneRail::rebuild()
{
    const auto buttons = findChildren<RailButton *>();
    if (buttons.size() == m_column->panes().size())
        return; // Panes are added and never taken away.
    qDeleteAll(buttons);
    for (const PaneColumn::Pane &pane : m_column->panes()) {
        auto *button = new RailButton(pane.icon, pane.title);
        button->setAccessibleName(pane.title);
        layout()->addWidget(button);
        connect(button, &RailButton::clicked, this, [this, name = pane.name] { Q_EMIT paneRequested(name); });
    }
}

void PaneRail::focusButton()
{
    const auto buttons = findChildren<RailButton *>();
    for (qsizetype i = 0; i < buttons.size() && i < m_column->panes().size(); ++i) {
        if (i == 0 || m_column->panes()[i].name == m_column->currentPane())
            buttons[i]->setFocus(Qt::TabFocusReason);
    }
}

void PaneRail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(Role::Window));
    const int x = layoutDirection() == Qt::RightToLeft ? width() - 1 : 0;
    painter.fillRect(x, 0, 1, height(), Theme::instance().color(Role::Hair));
}

} // namespace Pilothouse
