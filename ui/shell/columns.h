// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QPointer>
#include <QWidget>

class QSettings;
class QSplitter;

namespace Pilothouse {

class HairLine;
class PaneColumn;
class PaneRail;
class Sidebar;
class SidebarRail;

/// The three columns of the window. Where the window is narrow the outer two become strips of icons, from
/// which a column is opened over the conversation; either can be hidden altogether.
class Columns : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of all.
    Columns(Sidebar *sidebar, SidebarRail *sidebarRail, QWidget *middle, PaneColumn *panes,
            QWidget *parent = nullptr);

    void setSidebarWanted(bool wanted);
    void setPanesWanted(bool wanted);
    /// There is nothing yet that panes could show: they stay away until there is, or until a person asks for
    /// them. What was wanted stays so.
    void setPanesUnused(bool unused);
    [[nodiscard]] bool isSidebarWanted() const { return m_sidebarWanted; }
    [[nodiscard]] bool isPanesWanted() const { return m_panesWanted; }
    [[nodiscard]] bool isSidebarRail() const; ///< Only the strip is shown, as there is no room.
    [[nodiscard]] bool isPanesRail() const;
    [[nodiscard]] PaneRail *paneRail() const { return m_paneRail; }
    /// A part at the top of the middle that panes over the conversation leave free, so that Stop is at hand.
    void setKeptClear(const QWidget *part);
    /// A column of a strip over the conversation.
    void openSidebar();
    void openPanes();
    bool closeOpened(); ///< True if there was one.
    [[nodiscard]] QWidget *opened() const { return m_opened; }

    void save(QSettings &settings) const;
    void restore(const QSettings &settings);

Q_SIGNALS:
    void arranged(); ///< Columns became strips or the other way round, or were opened or closed.

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] bool hasPanes() const; ///< As a column or as a strip.
    void arrange();
    void open(QWidget *column);
    void placeOpened();
    void onFocusChanged(QWidget *now);

    Sidebar *m_sidebar;
    SidebarRail *m_sidebarRail;
    QWidget *m_middle;
    PaneColumn *m_panes;
    PaneRail *m_paneRail;
    QSplitter *m_splitter;
    HairLine *m_edge; ///< Of the column that lies over the conversation.
    QPointer<QWidget> m_opened; ///< The column that lies over the conversation.
    QPointer<QWidget> m_focusBefore;
    QPointer<const QWidget> m_keptClear;
    bool m_sidebarWanted = true;
    bool m_panesWanted = true;
    bool m_panesUnused = true;
    bool m_panesAsked = false; ///< Although they are unused.
};

} // namespace Pilothouse
