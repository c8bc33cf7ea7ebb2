// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// The menus of the window: every action has its place here.

#include "composer/composer.h"
#include "composer/composeredit.h"
#include "shell/aboutdialog.h"
#include "shell/columns.h"
#include "shell/conversationactions.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/mainwindow.h"
#include "shell/panecolumn.h"
#include "shell/topbar.h"
#include "shell/workspace.h"
#include "sidebar/sidebar.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QAction>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>

namespace Pilothouse {

using namespace Qt::StringLiterals;

void MainWindow::makeMenus()
{
    makeConversationMenu();

    QMenu *edit = m_top->menus()->addMenu(tr("&Edit"));
    const auto editAction = [this, edit](const QString &text, QKeySequence::StandardKey key,
                                         const char *slot) {
        // The field that has the focus knows these keys itself; the menu names them and works by mouse.
        QAction *action =
            edit->addAction(text + u'\t' + QKeySequence(key).toString(QKeySequence::NativeText));
        connect(action, &QAction::triggered, this, [this, slot] {
            QWidget *focused = focusWidget();
            if (focused
                && focused->metaObject()->indexOfSlot(QByteArray(QByteArray(slot) + "()").constData()) >= 0)
                QMetaObject::invokeMethod(focused, slot);
            else if (focused == m_page->transcript() && qstrcmp(slot, "copy") == 0)
                m_page->transcript()->copy();
            else if (focused == m_page->transcript() && qstrcmp(slot, "selectAll") == 0)
                m_page->transcript()->selectAll();
        });
    };
    editAction(tr("&Undo"), QKeySequence::Undo, "undo");
    editAction(tr("&Redo"), QKeySequence::Redo, "redo");
    edit->addSeparator();
    editAction(tr("Cu&t"), QKeySequence::Cut, "cut");
    editAction(tr("&Copy"), QKeySequence::Copy, "copy");
    editAction(tr("&Paste"), QKeySequence::Paste, "paste");
    editAction(tr("Select &all"), QKeySequence::SelectAll, "selectAll");

    makeViewMenu();

    QMenu *machine = m_top->menus()->addMenu(tr("&Machine"));
    connect(machine, &QMenu::aboutToShow, this,
            [this, machine] { m_conversationActions->fillMachineMenu(machine, m_workspace->current()); });

    makeGoMenu();

    QMenu *help = m_top->menus()->addMenu(tr("&Help"));
    m_tourAction = help->addAction(tr("Take the &tour"), this, [this] {
        closeSettings();
        m_workspace->startTour();
    });
    help->addSeparator();
    help->addAction(tr("&About Pilothouse"), this, [this] { (new AboutDialog(this))->open(); });
    m_top->setActions(m_sidebarAction, m_panesAction, m_settingsAction);
}

void MainWindow::makeConversationMenu()
{
    QMenu *menu = m_top->menus()->addMenu(tr("&Conversation"));
    menu->setToolTipsVisible(true);
    m_newAction = menu->addAction(tr("&New"), this, &MainWindow::newConversation);
    m_newAction->setShortcut(QKeySequence::New);
    m_stopAction = menu->addAction(tr("&Stop"), m_workspace, &Workspace::stop);
    m_stopAction->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period));
    menu->addSeparator();
    const auto add = [this, menu](const QString &text, const QKeySequence &key, bool writes, auto what) {
        QAction *action = menu->addAction(text);
        action->setShortcut(key);
        connect(action, &QAction::triggered, this, [this, what] { what(m_workspace->current()); });
        (writes ? m_changingActions : m_currentActions).append(action);
        return action;
    };
    add(tr("&Rename"), QKeySequence(Qt::Key_F2), true, [this](const QString &id) { renameCurrent(id); });
    add(tr("&Duplicate"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D), true, [this](const QString &id) {
        m_conversationActions->duplicate(id);
    })->setToolTip(ConversationActions::duplicateHint());
    m_archiveAction = add(tr("Archi&ve"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A), true,
                          [this](const QString &id) { m_conversationActions->toggleArchived(id); });
    menu->addSeparator();
    add(tr("&Export as Markdown…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), false,
        [this](const QString &id) {
            m_conversationActions->exportTo(id, HistoryService::ExportFormat::Markdown);
        });
    add(tr("Export as &JSON…"), {}, false, [this](const QString &id) {
        m_conversationActions->exportTo(id, HistoryService::ExportFormat::Json);
    });
    menu->addSeparator();
    add(tr("De&lete…"), {}, true, [this](const QString &id) { m_conversationActions->remove(id); });
    menu->addSeparator();
    m_settingsAction = menu->addAction(tr("Se&ttings"));
    m_settingsAction->setToolTip(tr("Settings"));
    m_settingsAction->setCheckable(true);
    m_settingsAction->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Comma));
    m_settingsAction->setMenuRole(QAction::PreferencesRole);
    connect(m_settingsAction, &QAction::triggered, this,
            [this](bool on) { on ? openSettings() : closeSettings(); });
    QAction *quit = menu->addAction(tr("&Quit"), this, [this] {
        m_leaveAsked = true;
        close();
        m_leaveAsked = false;
    });
    quit->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Q));
    quit->setMenuRole(QAction::QuitRole);
}

void MainWindow::makeViewMenu()
{
    QMenu *view = m_top->menus()->addMenu(tr("&View"));
    m_sidebarAction = view->addAction(tr("&Conversations"));
    m_sidebarAction->setToolTip(tr("Show or hide the conversations"));
    m_sidebarAction->setCheckable(true);
    m_sidebarAction->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_B));
    connect(m_sidebarAction, &QAction::triggered, this, [this](bool on) {
        if (m_columns->isSidebarRail())
            on ? m_columns->openSidebar() : static_cast<void>(m_columns->closeOpened());
        else
            m_columns->setSidebarWanted(on);
    });
    m_panesAction = view->addAction(tr("&Panes"));
    m_panesAction->setToolTip(tr("Show or hide the panes"));
    m_panesAction->setCheckable(true);
    m_panesAction->setShortcut(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_B));
    connect(m_panesAction, &QAction::triggered, this, [this](bool on) {
        if (!m_columns->isPanesRail())
            m_columns->setPanesWanted(on);
        if (m_columns->isPanesRail()) // Also one that was away until now.
            on ? m_columns->openPanes() : static_cast<void>(m_columns->closeOpened());
    });
}

void MainWindow::makeGoMenu()
{
    QMenu *go = m_top->menus()->addMenu(tr("&Go"));
    const auto add = [this, go](const QString &text, const QKeySequence &key, auto what) {
        QAction *action = go->addAction(text);
        action->setShortcut(key);
        connect(action, &QAction::triggered, this, what);
    };
    add(tr("&Find a conversation"), QKeySequence(Qt::CTRL | Qt::Key_P), [this] {
        closeSettings();
        if (m_columns->isSidebarRail())
            m_columns->openSidebar();
        else
            m_columns->setSidebarWanted(true);
        m_sidebar->focusFind();
    });
    add(tr("&Next conversation"), QKeySequence(Qt::CTRL | Qt::Key_PageDown), [this] { step(1); });
    add(tr("&Previous conversation"), QKeySequence(Qt::CTRL | Qt::Key_PageUp), [this] { step(-1); });
    go->addSeparator();
    add(tr("&Message field"), QKeySequence(Qt::CTRL | Qt::Key_L), [this] {
        closeSettings();
        m_page->focusComposer();
    });
    add(tr("&Waiting call"), QKeySequence(Qt::CTRL | Qt::Key_J), &MainWindow::goToWaiting);
    add(tr("&Latest"), QKeySequence(Qt::CTRL | Qt::Key_End), [this] { m_page->transcript()->goToEnd(); });
    go->addSeparator();
    add(tr("Next &column"), QKeySequence(Qt::Key_F6), [this] { walk(1); });
    add(tr("Previous c&olumn"), QKeySequence(Qt::SHIFT | Qt::Key_F6), [this] { walk(-1); });
}

} // namespace Pilothouse
