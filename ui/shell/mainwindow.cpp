// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/mainwindow.h"

#include "approval/approvalcard.h"
#include "composer/composer.h"
#include "composer/composeredit.h"
#include "settings/settingspage.h"
#include "shell/columns.h"
#include "shell/conversationactions.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/errorbar.h"
#include "shell/lastconversation.h"
#include "shell/panebinding.h"
#include "shell/panecolumn.h"
#include "shell/proxydialog.h"
#include "shell/settingsbinding.h"
#include "shell/sidebarrail.h"
#include "shell/statusline.h"
#include "shell/topbar.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebar.h"
#include "sidebar/sidebarmodel.h"
#include "sidebar/statewords.h"
#include "text/inerttext.h"
#include "theme/controls/confirmdialog.h"
#include "theme/controls/searchfield.h"
#include "transcript/transcriptview.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestStatus = 160; // The error bar has the rest.
constexpr QSize DefaultSize(1440, 900);
constexpr QSize SmallestSize(720, 480);
constexpr qsizetype MostNamed = 3; // Conversations in one question.
constexpr int TitleBar = 40; // About what a desktop puts around a window.
const auto GeometryKey = u"window/geometry"_s;

} // namespace

MainWindow::MainWindow(Workspace *workspace, QWidget *parent)
    : QMainWindow(parent)
    , m_workspace(workspace)
    , m_model(new SidebarModel(workspace->conversations(), this))
    , m_sidebar(new Sidebar(m_model))
    , m_rail(new SidebarRail(m_model))
    , m_conversationActions(new ConversationActions(workspace, this))
    , m_page(new ConversationPage(workspace, m_conversationActions))
    , m_panes(new PaneColumn)
    , m_columns(new Columns(m_sidebar, m_rail, m_page, m_panes))
    , m_settings(new SettingsPage)
    , m_top(new TopBar)
    , m_errors(new ErrorBar)
    , m_status(new StatusLine)
    , m_pages(new QStackedWidget)
{
    setWindowTitle(tr("Pilothouse"));
    setMinimumSize(SmallestSize);
    setMenuWidget(m_top);
    m_pages->addWidget(m_columns);
    m_pages->addWidget(m_settings);
    auto *central = new QWidget;
    auto *layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_errors);
    layout->addWidget(m_pages, 1);
    layout->addWidget(m_status);
    setCentralWidget(central);
    m_columns->setKeptClear(m_page->header());
    new SettingsBinding(workspace, m_settings);
    new PaneBinding(workspace, m_page, m_panes, this);
    makeMenus();
    connectAll();

    const QSettings saved(windowFile(), QSettings::IniFormat);
    if (!restoreGeometry(saved.value(GeometryKey).toByteArray()))
        resize(DefaultSize.boundedTo(screen()->availableSize() - QSize(0, TitleBar)));
    m_columns->restore(saved);
    new LastConversation(workspace, windowFile(), this);
    updateActions();
    updateStatus();
    m_page->focusComposer();
}

MainWindow::~MainWindow() = default;

ConversationListView *MainWindow::list() const { return m_sidebar->list(); }

PaneHost *MainWindow::panes() const { return m_panes; }

QString MainWindow::windowFile() const { return QDir(m_workspace->dataDir()).filePath(u"window.ini"_s); }

void MainWindow::connectAll()
{
    connect(m_sidebar, &Sidebar::newRequested, this, &MainWindow::newConversation);
    connect(m_rail, &SidebarRail::newRequested, this, &MainWindow::newConversation);
    for (ConversationListView *view : {m_sidebar->list(), m_rail->list()}) {
        connect(view, &ConversationListView::conversationChosen, m_workspace, &Workspace::setCurrent);
        connect(view, &ConversationListView::textTyped, m_page, &ConversationPage::typeMessage);
        connect(view, &ConversationListView::menuRequested, this,
                [this](const QString &id, const QPoint &position) {
                    auto *menu = new QMenu(this);
                    menu->setAttribute(Qt::WA_DeleteOnClose);
                    m_conversationActions->fillMenu(menu, id);
                    menu->popup(position);
                });
    }
    connect(m_model, &SidebarModel::renameRequested, m_workspace, &Workspace::rename);
    // Qt would hand the focus of a menu's button that goes to whatever comes next.
    connect(m_workspace, &Workspace::currentPutAway, this, [this] {
        if (QWidget *list = conversationZone())
            list->setFocus(Qt::OtherFocusReason);
    });
    connect(m_conversationActions, &ConversationActions::renameRequested, this, &MainWindow::renameCurrent);
    connect(m_page->transcript(), &TranscriptView::linkHovered, this,
            [this](const QString &target) { m_status->setMessage(target.left(LongestStatus)); });
    connect(m_page, &ConversationPage::keysRequested, this, [this] { openSettings(u"keys"_s); });
    connect(m_page, &ConversationPage::localModelsRequested, this, [this] { openSettings(u"local"_s); });
    connect(m_columns, &Columns::arranged, this, &MainWindow::updateActions);
    const auto updateUse = [this] {
        m_columns->setPanesUnused(m_workspace->current().isEmpty()
                                  && m_workspace->conversations()->rowCount() == 0);
    };
    for (const auto &changed : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(m_workspace->conversations(), changed, this, updateUse);
    connect(m_workspace->conversations(), &QAbstractItemModel::modelReset, this, updateUse);
    connect(m_workspace, &Workspace::currentChanged, this, updateUse);
    connect(m_settings, &SettingsPage::left, this, &MainWindow::closeSettings);
    connect(m_settings, &SettingsPage::conversationRequested, this, [this](const QString &id) {
        closeSettings();
        m_workspace->setCurrent(id);
    });

    connect(m_workspace, &Workspace::currentChanged, this, [this](const QString &id) {
        m_errors->letGo();
        m_sidebar->list()->choose(id);
        m_rail->list()->choose(id);
        updateActions();
        updateStatus();
    });
    connect(m_workspace, &Workspace::runningChanged, this, [this](const QString &id) {
        if (id == m_workspace->current() && m_workspace->isRunning(id) && !m_workspace->isStopping(id))
            m_errors->letGo(); // A message was taken.
        updateActions();
        updateStatus();
    });
    connect(m_workspace, &Workspace::availabilityChanged, this, [this] {
        if (m_workspace->canWork()) {
            m_errors->dismiss();
        }
        updateActions();
        updateStatus();
    });
    connect(m_workspace, &Workspace::defaultsChanged, this, &MainWindow::updateStatus);
    connect(m_workspace, &Workspace::costChanged, this,
            [this] { m_status->setCost(m_workspace->costToday()); });
    connect(m_workspace, &Workspace::notice, this,
            [this](const QString &text) { m_status->setMessage(inertLine(text, LongestStatus)); });
    connect(m_workspace->conversations(), &QAbstractItemModel::dataChanged, this, [this] {
        updateActions();
        updateStatus();
    });
    connect(m_workspace->conversations(), &QAbstractItemModel::rowsInserted, this,
            &MainWindow::updateActions);
    connect(m_workspace->conversations(), &QAbstractItemModel::modelReset, this, &MainWindow::updateActions);
    connect(m_workspace, &Workspace::problem, this, &MainWindow::showProblem);
    connect(m_workspace, &Workspace::proxyLoginWanted, this, &MainWindow::askForProxyLogin);
    connect(m_errors, &ErrorBar::actionRequested, this, &MainWindow::retryRequested);
    connect(m_errors, &ErrorBar::dismissed, this, [this](bool hadFocus) {
        m_status->setMessage({});
        if (hadFocus && m_pages->currentWidget() == m_columns)
            m_page->focusComposer();
        else if (hadFocus)
            m_settings->focusSections();
    });
}

void MainWindow::askForProxyLogin(const QString &origin, bool wasRefused)
{
    auto *dialog = new ProxyDialog(origin, wasRefused, m_workspace->canKeepKeys(), this);
    connect(dialog, &ProxyDialog::entered, this,
            [this, origin](const QString &user, const Secret &password, bool keeps) {
                if (m_workspace->engine())
                    m_workspace->engine()->answerProxy(
                        origin, user, password, keeps ? KeyRing::Place::Keychain : KeyRing::Place::Session);
            });
    connect(dialog, &QDialog::rejected, this, [this, origin] {
        if (m_workspace->engine())
            m_workspace->engine()->declineProxy(origin);
    });
    dialog->open();
}

void MainWindow::newConversation()
{
    closeSettings();
    m_workspace->setCurrent({});
    m_page->focusComposer();
}

void MainWindow::renameCurrent(const QString &id)
{
    if (id != m_workspace->current())
        m_workspace->setCurrent(id);
    if (m_sidebar->isVisible())
        m_sidebar->list()->renameChosen();
    else
        m_page->header()->editTitle();
}

void MainWindow::openSettings(const QString &section)
{
    if (!section.isEmpty())
        m_settings->showSection(section);
    m_errors->letGo();
    m_pages->setCurrentWidget(m_settings);
    m_settings->focusSections();
    updateActions();
}

void MainWindow::closeSettings()
{
    if (m_pages->currentWidget() == m_columns)
        return;
    m_errors->letGo();
    m_pages->setCurrentWidget(m_columns);
    m_page->focusComposer();
    updateActions();
}

void MainWindow::walk(int step)
{
    if (m_pages->currentWidget() != m_columns)
        return;
    QList<QWidget *> zones;
    QWidget *list = conversationZone();
    if (list)
        zones.append(list);
    zones += m_page->zones();
    if (m_panes->isVisible())
        zones.append(m_panes);
    else if (m_columns->isPanesRail())
        zones.append(m_columns->paneRail());
    const QWidget *focused = focusWidget();
    qsizetype at = -1;
    for (qsizetype i = 0; i < zones.size(); ++i) {
        const QWidget *column = zones[i] == list ? list->parentWidget()->parentWidget() : zones[i];
        if (focused
            && (zones[i] == focused || zones[i]->isAncestorOf(focused)
                || (zones[i] == list && column && column->isAncestorOf(focused))))
            at = i;
    }
    const qsizetype next =
        at < 0 ? (step > 0 ? 0 : zones.size() - 1) : (at + step + zones.size()) % zones.size();
    QWidget *zone = zones[next];
    if (zone == m_panes)
        m_panes->focusPane();
    else if (zone == m_columns->paneRail())
        m_columns->paneRail()->focusButton();
    else
        zone->setFocus(step > 0 ? Qt::TabFocusReason : Qt::BacktabFocusReason);
}

QWidget *MainWindow::conversationZone() const
{
    if (m_sidebar->isVisible())
        return m_sidebar->list()->isVisible() ? static_cast<QWidget *>(m_sidebar->list()) : m_sidebar->find();
    return m_rail->isVisible() ? m_rail->list() : nullptr;
}

void MainWindow::goToWaiting()
{
    closeSettings();
    for (int place = 0; place < m_model->rowCount() && !m_page->waitingCard(); ++place) {
        const QString id = m_model->index(place).data(ConversationListModel::IdRole).toString();
        if (!id.isEmpty() && !m_workspace->pendingCalls()->of(id).isEmpty())
            m_workspace->setCurrent(id); // Its cards are there at once, above the composer.
    }
    if (ApprovalCard *card = m_page->waitingCard())
        card->setFocus(Qt::ShortcutFocusReason);
    else
        m_status->setMessage(tr("No call waits for you."));
}

void MainWindow::step(int direction)
{
    const int from = m_model->placeOf(m_workspace->current());
    for (int place = from < 0 ? (direction > 0 ? 0 : m_model->rowCount() - 1) : from + direction;
         place >= 0 && place < m_model->rowCount(); place += direction) {
        const QString id = m_model->index(place).data(ConversationListModel::IdRole).toString();
        if (id.isEmpty())
            continue;
        m_workspace->setCurrent(id);
        return;
    }
}

void MainWindow::updateActions()
{
    if (!m_newAction)
        return; // Not made yet.
    const bool canWork = m_workspace->canWork() && !m_leaving;
    const QString current = m_workspace->current();
    const ConversationSummary *summary = m_workspace->conversations()->summary(current);
    m_sidebar->setCanMake(canWork);
    m_rail->setCanMake(canWork);
    m_newAction->setEnabled(canWork);
    m_tourAction->setEnabled(canWork);
    m_stopAction->setEnabled(canWork && m_workspace->isRunning(current) && !m_workspace->isStopping(current));
    for (QAction *action : std::as_const(m_currentActions))
        action->setEnabled(summary != nullptr);
    for (QAction *action : std::as_const(m_changingActions))
        action->setEnabled(summary && canWork);
    m_archiveAction->setText(summary && summary->archived ? tr("Take out of the archi&ve") : tr("Archi&ve"));
    const bool onColumns = m_pages->currentWidget() == m_columns;
    m_sidebarAction->setEnabled(onColumns);
    m_panesAction->setEnabled(onColumns);
    m_panesAction->setVisible(!m_panes->panes().isEmpty());
    m_sidebarAction->setChecked(m_sidebar->isVisibleTo(m_columns));
    m_panesAction->setChecked(m_panes->isVisibleTo(m_columns));
    m_settingsAction->setChecked(!onColumns);
}

void MainWindow::updateStatus()
{
    if (m_leaving)
        return;
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    const QString backend = summary ? summary->backend : m_workspace->draft().backend;
    m_status->setBackend(m_workspace->canWork() ? backendText(backend) : QString());
    // In use: the one that is shown, and those of turns that run.
    QStringList providers{summary ? summary->provider : m_workspace->draft().provider};
    for (int i = 0; i < m_workspace->conversations()->rowCount(); ++i) {
        const QModelIndex index = m_workspace->conversations()->index(i);
        if (m_workspace->isRunning(index.data(ConversationListModel::IdRole).toString()))
            providers.append(index.data(ConversationListModel::ProviderRole).toString());
    }
    providers.removeAll(QString());
    providers.removeDuplicates();
    QStringList names;
    for (const QString &provider : std::as_const(providers)) {
        QString name = isScripted(provider) ? tr("Demo, scripted") : provider;
        for (const ServiceInfo &service : m_workspace->services()) {
            if (service.id == provider && !isScripted(provider))
                name = service.name;
        }
        names.append(inertLine(name, LongestStatus));
    }
    m_status->setProviders(names.join(u", "_s));
}

void MainWindow::showProblem(const Error &error)
{
    m_errors->setAction(m_workspace->canWork() ? QString() : tr("Try again"));
    m_errors->showError(error);
    m_status->setMessage(inertLine(error.message, LongestStatus));
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
        if (QDir(m_workspace->dataDir()).exists()) {
            QSettings saved(windowFile(), QSettings::IniFormat);
            saved.setValue(GeometryKey, saveGeometry());
            m_columns->save(saved);
        }
        event->accept();
        return;
    }
    event->ignore();
    // A person is asked; a signal or the end of the desktop's session cannot wait for an answer.
    if ((event->spontaneous() || m_leaveAsked) && !qApp->isSavingSession())
        askToLeave();
    else
        leave();
}

void MainWindow::askToLeave()
{
    if (findChild<ConfirmDialog *>())
        return; // Asked already.
    const QStringList titles = m_workspace->runningTitles();
    const auto count = static_cast<int>(titles.size());
    QStringList named;
    for (const QString &title : titles.mid(0, MostNamed))
        named.append(u"“"_s + title + u"”"_s);
    if (count > MostNamed)
        named.append(tr("%1 more").arg(count - MostNamed));
    auto *dialog = new ConfirmDialog(
        {count == 1 ? tr("Stop the turn that is open?") : tr("Stop %1 turns that are open?").arg(count),
         tr("Open: %1. Closing the window ends %2: commands are told to end, and calls that wait for you are "
            "not run. Each machine is then paused, kept or deleted as its conversation is set to. What you "
            "saw "
            "is kept, and the next message goes on from there.")
             .arg(named.join(u", "_s), count == 1 ? tr("it") : tr("them")),
         {},
         {},
         {},
         tr("Stop and close")},
        this);
    connect(dialog, &ConfirmDialog::confirmed, this, &MainWindow::leave);
    dialog->open();
}

void MainWindow::leave()
{
    if (m_leaving)
        return;
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
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && m_painted
        && m_workspace->isReadingOnly())
        m_workspace->reload();
}

} // namespace Pilothouse
