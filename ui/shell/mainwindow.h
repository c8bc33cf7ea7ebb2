// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QMainWindow>

class QAction;
class QStackedWidget;

namespace Pilothouse {

class Columns;
class ConversationActions;
class ConversationListView;
class ConversationPage;
class ErrorBar;
class PaneColumn;
class PaneHost;
class SettingsPage;
class Sidebar;
class SidebarModel;
class SidebarRail;
class StatusLine;
class TopBar;
class Workspace;
struct Error;

/// The window. Closing it while turns run stops them first and says what is awaited; closing it again leaves
/// at once.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `workspace` outlives the window.
    explicit MainWindow(Workspace *workspace, QWidget *parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ConversationPage *page() const { return m_page; }
    [[nodiscard]] ConversationListView *list() const;
    [[nodiscard]] Sidebar *sidebar() const { return m_sidebar; }
    [[nodiscard]] SidebarModel *conversations() const { return m_model; }
    [[nodiscard]] Columns *columns() const { return m_columns; }
    [[nodiscard]] PaneHost *panes() const;
    [[nodiscard]] ErrorBar *errorBar() const { return m_errors; }
    [[nodiscard]] StatusLine *statusLine() const { return m_status; }
    [[nodiscard]] SettingsPage *settingsPage() const { return m_settings; }
    void newConversation();
    void askToLeave();
    void leave(); ///< Stops what runs, then closes.
    void showProblem(const Error &error);
    void openSettings(const QString &section = {}); ///< keys, new, appearance, data
    void closeSettings();

Q_SIGNALS:
    void firstPainted(); ///< Once, after the first frame: what takes time starts now.
    void retryRequested(); ///< The person wants to try again to own the data folder.

protected:
    void paintEvent(QPaintEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void makeMenus();
    void makeConversationMenu();
    void makeViewMenu();
    void makeGoMenu();
    void connectAll();
    void askForProxyLogin(const QString &origin, bool wasRefused);
    void walk(int step); ///< F6: the next column.
    [[nodiscard]] QWidget *conversationZone() const; ///< Where keys find the conversations; null: not shown.
    void goToWaiting(); ///< The card of a call that waits: here, else where one waits longest.
    void step(int direction); ///< To the next conversation of the list.
    void updateActions();
    void updateStatus();
    void renameCurrent(const QString &id);
    [[nodiscard]] QString windowFile() const;

    Workspace *m_workspace;
    SidebarModel *m_model;
    Sidebar *m_sidebar;
    SidebarRail *m_rail;
    ConversationActions *m_conversationActions;
    ConversationPage *m_page;
    PaneColumn *m_panes;
    Columns *m_columns;
    SettingsPage *m_settings;
    TopBar *m_top;
    ErrorBar *m_errors;
    StatusLine *m_status;
    QStackedWidget *m_pages;
    QAction *m_newAction = nullptr;
    QAction *m_stopAction = nullptr;
    QAction *m_tourAction = nullptr;
    QAction *m_archiveAction = nullptr;
    QAction *m_sidebarAction = nullptr;
    QAction *m_panesAction = nullptr;
    QAction *m_settingsAction = nullptr;
    QList<QAction *> m_currentActions; ///< Of the conversation that is shown, if any.
    QList<QAction *> m_changingActions; ///< Those of them that write.
    bool m_painted = false;
    bool m_leaving = false; ///< Turns are being stopped before the window closes.
    bool m_leaveAsked = false; ///< The person chose to leave in the menu.
    bool m_leaveNow = false;
};

} // namespace Pilothouse
