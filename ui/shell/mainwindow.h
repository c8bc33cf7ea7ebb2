// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QMainWindow>

class QAction;
class QPushButton;

namespace Pilothouse {

class ConversationListView;
class ConversationPage;
class ElidedLabel;
class ErrorBar;
class Workspace;
struct Error;

/// The window. Closing it while turns run stops them first and says what is awaited; closing it again leaves
/// at once.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `workspace` outlives the window.
    explicit MainWindow(Workspace *workspace, QWidget *parent = nullptr);

    [[nodiscard]] ConversationPage *page() const { return m_page; }
    [[nodiscard]] ConversationListView *list() const { return m_list; }
    [[nodiscard]] ErrorBar *errorBar() const { return m_errors; }
    void newConversation();
    void showProblem(const Error &error);

Q_SIGNALS:
    void firstPainted(); ///< Once, after the first frame: what takes time starts now.
    void retryRequested(); ///< The person wants to try again to own the data folder.

protected:
    void paintEvent(QPaintEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void makeMenu();
    void updateActions();
    void updateStatus();

    Workspace *m_workspace;
    ConversationListView *m_list;
    ConversationPage *m_page;
    ErrorBar *m_errors;
    QPushButton *m_new;
    ElidedLabel *m_backend;
    ElidedLabel *m_message;
    QAction *m_newAction = nullptr;
    QAction *m_stopAction = nullptr;
    QAction *m_tourAction = nullptr;
    bool m_painted = false;
    bool m_leaving = false; ///< Turns are being stopped before the window closes.
    bool m_leaveNow = false;
};

} // namespace Pilothouse
