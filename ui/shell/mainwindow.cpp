// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/mainwindow.h"

#include "shell/conversationpage.h"
#include "shell/elidedlabel.h"
#include "shell/errorbar.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/statewords.h"
#include "text/inerttext.h"

#include <QAction>
#include <QCloseEvent>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QSplitter>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

namespace Pilothouse {

namespace {

constexpr int SidebarWidth = 264;
constexpr int LongestStatus = 160; // The error bar has the rest.

} // namespace

MainWindow::MainWindow(Workspace *workspace, QWidget *parent)
    : QMainWindow(parent)
    , m_workspace(workspace)
    , m_list(new ConversationListView)
    , m_page(new ConversationPage(workspace))
    , m_errors(new ErrorBar)
    , m_new(new QPushButton(tr("New")))
    , m_backend(new ElidedLabel(tr("Sandbox")))
    , m_message(new ElidedLabel(tr("Last problem")))
{
    setWindowTitle(tr("Pilothouse"));
    resize(1100, 760);

    auto *sidebar = new QWidget;
    auto *sidebarLayout = new QVBoxLayout(sidebar);
    sidebarLayout->setContentsMargins(0, 0, 0, 0);
    sidebarLayout->setSpacing(0);
    auto *sidebarHead = new QHBoxLayout;
    sidebarHead->setContentsMargins(12, 8, 8, 8);
    auto *sidebarTitle = new QLabel(tr("Conversations"));
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    sidebarTitle->setFont(bold);
    sidebarHead->addWidget(sidebarTitle, 1);
    m_new->setAccessibleName(tr("New conversation"));
    m_new->setToolTip(tr("Ctrl+N"));
    sidebarHead->addWidget(m_new);
    sidebarLayout->addLayout(sidebarHead);
    sidebarLayout->addWidget(m_list, 1);

    auto *splitter = new QSplitter(Qt::Horizontal);
    splitter->setAccessibleName(tr("Columns"));
    splitter->addWidget(sidebar);
    splitter->addWidget(m_page);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({SidebarWidth, width() - SidebarWidth});
    sidebar->setMinimumWidth(180);
    m_page->setMinimumWidth(420);

    auto *central = new QWidget;
    auto *layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_errors);
    layout->addWidget(splitter, 1);
    setCentralWidget(central);
    statusBar()->addWidget(m_backend, 2);
    statusBar()->addWidget(m_message, 3);
    m_message->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    m_list->setConversations(workspace->conversations());
    makeMenu();

    connect(m_new, &QPushButton::clicked, this, &MainWindow::newConversation);
    connect(m_list, &ConversationListView::conversationChosen, workspace, &Workspace::setCurrent);
    connect(workspace, &Workspace::currentChanged, this, [this](const QString &id) {
        m_list->choose(id);
        updateActions();
        updateStatus();
    });
    connect(workspace, &Workspace::runningChanged, this, &MainWindow::updateActions);
    connect(workspace, &Workspace::availabilityChanged, this, [this] {
        if (m_workspace->canWork()) {
            m_errors->dismiss();
            m_message->setWords({});
        }
        updateActions();
        updateStatus();
    });
    connect(workspace, &Workspace::defaultsChanged, this, &MainWindow::updateStatus);
    connect(workspace->conversations(), &QAbstractItemModel::dataChanged, this, &MainWindow::updateStatus);
    connect(workspace, &Workspace::problem, this, &MainWindow::showProblem);
    connect(m_errors, &ErrorBar::actionRequested, this, &MainWindow::retryRequested);
    updateActions();
    updateStatus();
    m_page->focusComposer();
}

void MainWindow::makeMenu()
{
    menuBar()->setAccessibleName(tr("Menu"));
    QMenu *menu = menuBar()->addMenu(tr("&Conversation"));
    m_newAction = menu->addAction(tr("&New"), this, &MainWindow::newConversation);
    m_newAction->setShortcut(QKeySequence::New);
    m_stopAction = menu->addAction(tr("&Stop"), m_workspace, &Workspace::stop);
    m_stopAction->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period));
    m_tourAction = menu->addAction(tr("Take the &tour"), m_workspace, &Workspace::startTour);
    menu->addSeparator();
    QAction *quit = menu->addAction(tr("&Quit"), this, &QWidget::close);
    quit->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Q));
}

void MainWindow::newConversation()
{
    m_workspace->setCurrent({});
    m_page->focusComposer();
}

void MainWindow::updateActions()
{
    const bool canWork = m_workspace->canWork() && !m_leaving;
    const QString current = m_workspace->current();
    m_new->setEnabled(canWork);
    m_newAction->setEnabled(canWork);
    m_tourAction->setEnabled(canWork);
    m_stopAction->setEnabled(canWork && m_workspace->isRunning(current) && !m_workspace->isStopping(current));
}

void MainWindow::updateStatus()
{
    if (m_leaving)
        return;
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    const QString backend = summary ? summary->backend : m_workspace->defaults().backend;
    m_backend->setWords(m_workspace->canWork() ? backendText(backend) : QString());
}

void MainWindow::showProblem(const Error &error)
{
    m_errors->setAction(m_workspace->canWork() ? QString() : tr("Try again"));
    m_errors->showError(error);
    m_message->setWords(inertLine(error.message, LongestStatus));
}

void MainWindow::paintEvent(QPaintEvent *event)
{
    QMainWindow::paintEvent(event);
    if (m_painted)
        return;
    m_painted = true;
    // The children of this frame are painted and shown before the event loop comes back to this.
    QTimer::singleShot(0, this, &MainWindow::firstPainted);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_leaving || m_leaveNow || m_workspace->runningCount() == 0) {
        event->accept();
        return;
    }
    event->ignore();
    m_leaving = true;
    const auto count = static_cast<int>(m_workspace->runningCount());
    Error error;
    error.kind = ErrorKind::Busy;
    error.message = count == 1 ? tr("Stopping the turn that runs before the window closes.")
                               : tr("Stopping %1 turns before the window closes.").arg(count);
    error.kept = tr("What you saw is in the log.");
    error.todo = tr("Close again to leave at once; what runs is then recorded as interrupted.");
    showProblem(error);
    updateActions();
    m_workspace->stopAll([this] {
        m_leaveNow = true;
        close();
    });
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    // Nobody tells when another program writes; a look back at the window is a good moment to read.
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && m_painted && !m_workspace->canWork())
        m_workspace->reload();
}

} // namespace Pilothouse
