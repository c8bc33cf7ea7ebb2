// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/columns.h"

#include "shell/panecolumn.h"
#include "shell/sidebarrail.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebar.h"
#include "theme/controls/hairline.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QSettings>
#include <QSplitter>

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto SizesKey = u"columns/sizes"_s;
const auto SidebarKey = u"columns/sidebar"_s;
const auto PanesKey = u"columns/panes"_s;
const auto AskedKey = u"columns/panesAsked"_s;
const auto UnusedKey = u"columns/panesUnused"_s;
// Without panes there is room for the sidebar in a smaller window.
constexpr int SidebarRailWithoutPanes = Metrics::SidebarDefault + Metrics::ConversationMin + Metrics::SpaceXl;

} // namespace

Columns::Columns(Sidebar *sidebar, SidebarRail *sidebarRail, QWidget *middle, PaneColumn *panes,
                 QWidget *parent)
    : QWidget(parent)
    , m_sidebar(sidebar)
    , m_sidebarRail(sidebarRail)
    , m_middle(middle)
    , m_panes(panes)
    , m_paneRail(new PaneRail(panes))
    , m_splitter(new QSplitter(Qt::Horizontal))
    , m_edge(new HairLine(Qt::Vertical, Role::Line, this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_sidebarRail);
    row->addWidget(m_splitter, 1);
    row->addWidget(m_paneRail);
    m_edge->hide();
    m_splitter->setAccessibleName(tr("Columns"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_sidebar);
    m_splitter->addWidget(m_middle);
    m_splitter->addWidget(m_panes);
    m_splitter->setStretchFactor(1, 1);
    m_sidebar->setMinimumWidth(Metrics::SidebarMin);
    m_sidebar->setMaximumWidth(Metrics::SidebarMax);
    m_middle->setMinimumWidth(Metrics::ConversationMin);
    m_panes->setMinimumWidth(Metrics::PaneMin);
    m_splitter->setSizes({Metrics::SidebarDefault, Metrics::ConversationMin, Metrics::PaneDefault});
    connect(m_panes, &PaneColumn::panesChanged, this, &Columns::arrange);
    connect(m_panes, &PaneColumn::viewRequested, this, [this] {
        if (isPanesRail())
            openPanes();
        else
            setPanesWanted(true);
    });
    connect(m_paneRail, &PaneRail::paneRequested, m_panes, &PaneColumn::showPane);
    connect(m_sidebarRail, &SidebarRail::findRequested, this, [this] {
        openSidebar();
        m_sidebar->focusFind();
    });
    connect(m_sidebar->list(), &ConversationListView::conversationChosen, this, [this] {
        if (m_opened == m_sidebar)
            closeOpened();
    });
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget *, QWidget *now) { onFocusChanged(now); });
    arrange();
}

bool Columns::hasPanes() const
{
    return m_panesWanted && (!m_panesUnused || m_panesAsked) && !m_panes->panes().isEmpty();
}

bool Columns::isSidebarRail() const
{
    return m_sidebarWanted && width() < (hasPanes() ? Metrics::SidebarBecomesRail : SidebarRailWithoutPanes);
}

bool Columns::isPanesRail() const { return hasPanes() && width() < Metrics::PanesBecomeRail; }

void Columns::arrange()
{
    const bool sidebarRail = isSidebarRail();
    const bool panesRail = isPanesRail();
    if ((m_opened == m_sidebar && !sidebarRail) || (m_opened == m_panes && !panesRail))
        closeOpened();
    m_sidebarRail->setVisible(sidebarRail);
    m_paneRail->setVisible(panesRail);
    if (m_opened != m_sidebar)
        m_sidebar->setVisible(m_sidebarWanted && !sidebarRail);
    if (m_opened != m_panes)
        m_panes->setVisible(hasPanes() && !panesRail);
    placeOpened();
    Q_EMIT arranged();
}

void Columns::setSidebarWanted(bool wanted)
{
    m_sidebarWanted = wanted;
    arrange();
}

void Columns::setPanesWanted(bool wanted)
{
    m_panesWanted = wanted;
    m_panesAsked = wanted;
    arrange();
}

void Columns::setPanesUnused(bool unused)
{
    if (std::exchange(m_panesUnused, unused) == unused)
        return;
    if (!unused)
        m_panesAsked = false; // They are there now anyway.
    arrange();
}

void Columns::setKeptClear(const QWidget *part)
{
    m_keptClear = part;
    placeOpened();
}

void Columns::openSidebar() { open(m_sidebar); }

void Columns::openPanes() { open(m_panes); }

void Columns::open(QWidget *column)
{
    if (m_opened == column)
        return;
    closeOpened();
    m_focusBefore = window()->focusWidget();
    m_opened = column;
    column->setParent(this); // Out of the splitter, and back at its end.
    column->setAutoFillBackground(true);
    placeOpened();
    column->show();
    column->raise();
    if (column == m_panes)
        m_panes->focusPane();
    else
        m_sidebar->list()->setFocus(Qt::OtherFocusReason);
    Q_EMIT arranged();
}

bool Columns::closeOpened()
{
    if (!m_opened)
        return false;
    QWidget *column = m_opened;
    m_opened = nullptr;
    m_edge->hide();
    const bool hadFocus = column->isAncestorOf(window()->focusWidget());
    column->hide();
    column->setAutoFillBackground(false);
    m_splitter->insertWidget(column == m_sidebar ? 0 : m_splitter->count(), column);
    column->setVisible(column == m_sidebar ? m_sidebarWanted && !isSidebarRail()
                                           : hasPanes() && !isPanesRail());
    if (hadFocus)
        (m_focusBefore && m_focusBefore->isVisible() ? m_focusBefore.data() : m_middle)
            ->setFocus(Qt::OtherFocusReason);
    update();
    Q_EMIT arranged();
    return true;
}

void Columns::placeOpened()
{
    if (!m_opened)
        return;
    const bool isSidebar = m_opened == m_sidebar;
    const int rail = isSidebar ? m_sidebarRail->width() : m_paneRail->width();
    const int wanted = isSidebar ? Metrics::SidebarDefault : Metrics::PaneDefault;
    const int size = std::min(wanted, width() - rail);
    const int top =
        isSidebar || !m_keptClear ? 0 : m_keptClear->mapTo(this, QPoint(0, m_keptClear->height())).y();
    const QRect place(isSidebar ? rail : width() - rail - size, top, size, height() - top);
    m_opened->setGeometry(QStyle::visualRect(layoutDirection(), rect(), place));
    const QRect edge(isSidebar ? place.right() + 1 : place.left() - 1, top, 1, height() - top);
    m_edge->setGeometry(QStyle::visualRect(layoutDirection(), rect(), edge));
    m_edge->show();
    m_edge->raise();
}

void Columns::onFocusChanged(QWidget *now)
{
    // Work went on beside it. A menu or a dialog of the column is no other place.
    if (m_opened && now && now->window() == window() && now != m_opened && !m_opened->isAncestorOf(now)
        && !m_sidebarRail->isAncestorOf(now) && !m_paneRail->isAncestorOf(now))
        closeOpened();
}

void Columns::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void Columns::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && closeOpened())
        return;
    QWidget::keyPressEvent(event);
}

void Columns::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(Role::Window));
}

void Columns::save(QSettings &settings) const
{
    // Of a narrow window the splitter knows nothing worth keeping.
    if (!isSidebarRail() && !isPanesRail() && m_sidebarWanted) {
        QStringList sizes;
        for (const int size : m_splitter->sizes())
            sizes.append(QString::number(size));
        if (!m_panes->isVisibleTo(this)) // A column that is hidden has no size of its own.
            sizes.last() = QString::number(Metrics::PaneDefault);
        settings.setValue(SizesKey, sizes.join(u','));
    }
    settings.setValue(SidebarKey, m_sidebarWanted);
    settings.setValue(PanesKey, m_panesWanted);
    settings.setValue(UnusedKey, m_panesUnused);
    settings.setValue(AskedKey, m_panesAsked);
}

void Columns::restore(const QSettings &settings)
{
    QList<int> sizes;
    for (const QString &size : settings.value(SizesKey).toString().split(u','))
        sizes.append(size.toInt());
    if (sizes.size() == 3 && sizes[0] >= Metrics::SidebarMin && sizes[1] > 0)
        m_splitter->setSizes(sizes);
    m_sidebarWanted = settings.value(SidebarKey, true).toBool();
    m_panesWanted = settings.value(PanesKey, true).toBool();
    m_panesUnused = settings.value(UnusedKey, true).toBool();
    m_panesAsked = settings.value(AskedKey, false).toBool();
    arrange();
}

} // namespace Pilothouse
