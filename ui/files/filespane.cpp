// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filespane.h"

#include "files/changesfoot.h"
#include "files/fileactions.h"
#include "files/filename.h"
#include "files/filessession.h"
#include "files/filesstate.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "files/localurls.h"
#include "files/operationstrip.h"
#include "files/previewpane.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/hairline.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QMimeData>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int NarrowestPart = 160;
constexpr int SideBySide = 520; // Narrower, the preview stands below the tree.
constexpr qsizetype MostSessions = 8; // Trees that are kept; the machine has the rest.
constexpr int PreviewAfterMs = 80; // The keyboard may be passing through.

QWidget *bar(QWidget *parent, int height, QHBoxLayout **layout)
{
    const Theme &theme = Theme::instance();
    auto *box = new QWidget(parent);
    box->setFixedHeight(theme.px(height));
    *layout = new QHBoxLayout(box);
    (*layout)->setContentsMargins(theme.px(Metrics::SpaceM), 0, theme.px(Metrics::SpaceXs), 0);
    (*layout)->setSpacing(theme.px(Metrics::SpaceXs));
    return box;
}

} // namespace

FilesPane::FilesPane(FilesService *service, HistoryService *history, QWidget *parent)
    : QWidget(parent)
    , m_service(service)
    , m_history(history)
    , m_splitter(new QSplitter)
    , m_stack(new QStackedWidget)
    , m_tree(new FileTreeView)
    , m_preview(new PreviewPane)
    , m_actions(new FileActions(this, m_tree, &m_operations))
{
    setAccessibleName(tr("Files"));
    setAcceptDrops(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_splitter);
    auto *left = new QWidget;
    buildTree(left);
    m_splitter->setChildrenCollapsible(false);
    // Side by side they must not keep the pane wider than it may be; narrower it turns them.
    left->setMinimumWidth(Theme::instance().px(NarrowestPart));
    m_preview->setMinimumWidth(Theme::instance().px(NarrowestPart));
    m_splitter->addWidget(left);
    m_splitter->addWidget(m_preview);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);

    m_previewSoon.setSingleShot(true);
    m_previewSoon.setInterval(PreviewAfterMs);
    connect(&m_previewSoon, &QTimer::timeout, this, &FilesPane::updatePreview);
    connect(m_tree, &FileTreeView::currentEntryChanged, this, [this] {
        m_previewSoon.start();
        updateActions();
    });
    connect(m_tree, &FileTreeView::opened, this, [this] {
        updatePreview();
        m_preview->setFocus();
    });
    connect(m_tree, &FileTreeView::deleteWanted, m_actions, &FileActions::removeSelected);
    connect(m_tree, &FileTreeView::copyWanted, m_actions, &FileActions::copyPaths);
    connect(m_tree, &FileTreeView::refreshWanted, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    connect(
        m_tree, &FileTreeView::filesDropped, this,
        [this](const QStringList &paths, const QByteArray &folder) { m_actions->uploadInto(folder, paths); });
    connect(m_tree, &FileTreeView::menuWanted, m_actions, &FileActions::showMenu);
    connect(m_preview, &PreviewPane::downloadWanted, this,
            [this](const QByteArray &path) { m_actions->downloadPath(path, false); });
    connect(m_actions, &FileActions::problem, this, &FilesPane::problem);
    connect(m_preview, &PreviewPane::closed, this, [this] { m_tree->setFocus(); });
    connect(&m_operations, &FileOperations::folderChanged, this, &FilesPane::folderChanged);
    connect(&m_operations, &FileOperations::ownWritten, this,
            [this](const MachinePlace &place, const QByteArrayList &paths) {
                for (FilesSession *session : std::as_const(m_sessions)) {
                    if (session->place() == place)
                        session->changes()->ownWritten(paths);
                }
            });
    connect(&m_operations, &FileOperations::ownRemoved, this,
            [this](const MachinePlace &place, const QByteArray &path) {
                for (FilesSession *session : std::as_const(m_sessions)) {
                    if (session->place() == place)
                        session->changes()->ownRemoved(path);
                }
            });
    setConversation({}, {}, {}, {});
}

FilesPane::~FilesPane()
{
    m_tree->setFileModel(nullptr);
    qDeleteAll(m_sessions);
}

void FilesPane::buildTree(QWidget *box)
{
    const Theme &theme = Theme::instance();
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    QHBoxLayout *row = nullptr;
    column->addWidget(bar(box, Metrics::ColumnHeader, &row));
    m_up = new ToolButton(u"arrow-up"_s, tr("Show the folder above"));
    m_path = new ElidedLabel(tr("Folder shown"), TextStyle::BodyStrong);
    m_path->setElideMode(Qt::ElideMiddle);
    m_newFolder = new ToolButton(u"folder-plus"_s, tr("New folder"));
    m_upload = new ToolButton(u"upload"_s, tr("Upload"));
    m_refresh = new ToolButton(u"refresh-cw"_s, tr("Refresh"));
    m_refresh->setName(tr("Refresh"), QKeySequence(QKeySequence::Refresh).toString(QKeySequence::NativeText));
    row->addWidget(m_path, 1);
    for (ToolButton *button : {m_up, m_newFolder, m_upload, m_refresh})
        row->addWidget(button);
    column->addWidget(new HairLine);

    QHBoxLayout *bannerRow = nullptr;
    m_banner = bar(box, Metrics::ColumnHeader, &bannerRow);
    m_banner->setMaximumHeight(QWIDGETSIZE_MAX); // What it says is never cut; it takes a second line.
    m_bannerText = new Label({}, TextStyle::Small, Role::Text2);
    m_bannerText->setWordWrap(true);
    m_wake = new Button(tr("Wake"), Button::Kind::Secondary);
    m_wake->setSmall(true);
    m_wake->setAccessibleName(tr("Wake the machine"));
    bannerRow->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceXs),
                                  theme.px(Metrics::SpaceXs), theme.px(Metrics::SpaceXs));
    bannerRow->addWidget(m_bannerText, 1);
    bannerRow->addWidget(m_wake);
    column->addWidget(m_banner);

    m_stack->addWidget(m_tree);
    m_emptyPage = new QWidget;
    auto *emptyColumn = new QVBoxLayout(m_emptyPage);
    m_empty = new EmptyState;
    m_emptyAction = new Button({}, Button::Kind::Primary);
    emptyColumn->addStretch(1);
    emptyColumn->addWidget(m_empty);
    emptyColumn->addWidget(m_emptyAction, 0, Qt::AlignHCenter);
    emptyColumn->addStretch(1);
    m_stack->addWidget(m_emptyPage);
    m_problemPage = new QWidget;
    auto *problemColumn = new QVBoxLayout(m_problemPage);
    problemColumn->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceM),
                                      theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceM));
    m_problem = new ErrorBlock;
    m_problem->setAction(tr("Try again"));
    problemColumn->addWidget(m_problem);
    problemColumn->addStretch(1);
    m_stack->addWidget(m_problemPage);
    column->addWidget(m_stack, 1);

    column->addWidget(new OperationStrip(&m_operations));
    column->addWidget(new HairLine);
    m_foot = new ChangesFoot;
    column->addWidget(m_foot);

    connect(m_up, &QToolButton::clicked, this, [this] {
        if (m_session)
            m_session->setRoot(parentPath(m_session->model()->root()));
    });
    connect(m_newFolder, &QToolButton::clicked, m_actions, &FileActions::newFolder);
    connect(m_upload, &QToolButton::clicked, m_actions,
            [this] { m_actions->showUploadMenu(m_upload->mapToGlobal(QPoint(0, m_upload->height()))); });
    connect(m_refresh, &QToolButton::clicked, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    connect(m_foot, &ChangesFoot::scopeChosen, this, &FilesPane::chooseScope);
    connect(m_wake, &Button::clicked, this, &FilesPane::wake);
    connect(m_problem, &ErrorBlock::actionRequested, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    connect(m_emptyAction, &Button::clicked, this, [this] {
        if (!m_session)
            return;
        if (m_session->machine() == FilesSession::Machine::Paused)
            wake();
        else if (m_session->machine() == FilesSession::Machine::Unknown)
            m_session->refresh();
        else
            m_session->setRoot("/");
    });
}

void FilesPane::wake()
{
    if (m_session)
        m_session->expectWake();
    Q_EMIT wakeRequested();
}

void FilesPane::setDialogs(const FileDialogs &dialogs) { m_actions->setDialogs(dialogs); }

void FilesPane::setService(FilesService *service)
{
    if (service == m_service)
        return;
    m_service = service;
    m_tree->setFileModel(nullptr);
    m_preview->clear();
    m_session = nullptr;
    m_actions->setSession(nullptr);
    qDeleteAll(std::exchange(m_sessions, {}));
    updateState();
}

FilesSession *FilesPane::sessionFor(const QString &id)
{
    for (qsizetype i = 0; i < m_sessions.size(); ++i) {
        if (m_sessions[i]->objectName() == id) {
            m_sessions.move(i, 0);
            return m_sessions.first();
        }
    }
    auto *session = new FilesSession(m_service, m_history, id, this);
    session->setObjectName(id);
    m_sessions.prepend(session);
    connectSession(session);
    return session;
}

void FilesPane::connectSession(FilesSession *session)
{
    const auto ifShown = [this, session](auto call) {
        return [this, session, call] {
            if (session == m_session)
                call();
        };
    };
    connect(session, &FilesSession::machineChanged, this, ifShown([this] {
                updateState();
                m_previewSoon.start();
            }));
    connect(session, &FilesSession::stateChanged, this, ifShown([this] { updateState(); }));
    connect(session, &FilesSession::changesChanged, this, ifShown([this] { updateChanges(); }));
    connect(session, &FilesSession::refreshed, this, ifShown([this] { selectMade(); }));
    FileTreeModel *model = session->model();
    connect(model, &FileTreeModel::renameWanted, this,
            [this, session](const QByteArray &path, const QByteArray &name) {
                if (session == m_session)
                    m_actions->rename(path, name);
            });
    connect(model, &FileTreeModel::renameRefused, this, [this](const QString &why) {
        Q_EMIT problem(Error{ErrorKind::Usage, why, tr("The file keeps its name."), {}});
    });
    connect(model, &QAbstractItemModel::dataChanged, this, [this, session](const QModelIndex &index) {
        // The file that is looked at changed.
        if (session == m_session && session->model()->path(index) == m_preview->path())
            m_previewSoon.start();
    });
}

void FilesPane::setConversation(const QString &id, const QString &backend, const QString &sandboxId,
                                const QString &sandboxState)
{
    FilesSession *session = sessionFor(id);
    const bool isOther = session != m_session;
    if (isOther) {
        if (m_session)
            m_session->setCurrent(false);
        m_session = session;
        m_made.clear();
        m_preview->clear();
        session->model()->setScope(m_scope);
        m_tree->setFileModel(session->model());
        m_actions->setSession(session);
    }
    session->setMachine(backend, sandboxId, sandboxState);
    session->setCurrent(true);
    while (m_sessions.size() > MostSessions)
        m_sessions.takeLast()->deleteLater();
    updateState();
    updateChanges();
}

void FilesPane::takeEvents(const EventBatch &events)
{
    for (const EventDelivery &delivery : events) {
        for (FilesSession *session : std::as_const(m_sessions)) {
            if (delivery.event && session->objectName() == delivery.event->conversation)
                session->takeEvent(*delivery.event);
        }
    }
}

QString FilesPane::stateText() const { return m_state; }

void FilesPane::updateState()
{
    const FilesState state = FilesState::of(m_session);
    m_state = state.fault ? state.fault->message : state.headline;
    if (state.fault) {
        m_problem->setError(*state.fault);
        m_stack->setCurrentWidget(m_problemPage);
    } else if (!state.headline.isEmpty()) {
        m_empty->setTexts(state.headline, state.text);
        m_emptyAction->setText(state.action);
        m_emptyAction->setAccessibleName(state.action);
        m_emptyAction->setVisible(!state.action.isEmpty());
        m_stack->setCurrentWidget(m_emptyPage);
    } else {
        m_stack->setCurrentWidget(m_tree);
    }
    if (m_session)
        m_path->setWords(shownPath(m_session->model()->root(), FilesSession::home()));
    const QString banner = staleTreeWords(m_session);
    m_bannerText->setText(banner);
    m_banner->setVisible(!banner.isEmpty());
    m_wake->setVisible(m_session && m_session->machine() == FilesSession::Machine::Paused);
    updateActions();
}

void FilesPane::updateActions()
{
    const bool works = m_actions->canWork();
    m_newFolder->setEnabled(works);
    m_upload->setEnabled(works);
    m_refresh->setEnabled(works || (m_session && m_session->machine() == FilesSession::Machine::Unknown));
    m_up->setEnabled(works && m_session->model()->root() != "/");
    m_preview->setCanDownload(works);
}

void FilesPane::updateChanges()
{
    const FileChanges::Counts counts =
        m_session ? m_session->changes()->counts(m_scope) : FileChanges::Counts();
    m_foot->show(counts, m_scope, m_session ? m_session->changes()->turn() : 0);
    const int count = m_session ? m_session->changes()->counts(FileChanges::Scope::Conversation).total() : 0;
    if (count != m_count) {
        m_count = count;
        Q_EMIT changedCountChanged(count);
    }
    if (m_session && !m_preview->path().isEmpty())
        m_preview->setMark(m_session->changes()->mark(m_preview->path(), m_scope));
}

void FilesPane::updatePreview()
{
    FileTreeModel *model = m_tree->fileModel();
    const QModelIndex index = m_tree->currentIndex();
    const FileRow *row = model ? model->row(index) : nullptr;
    if (!row || row->kind != FileRow::Kind::Entry || row->isFolder())
        return;
    const QByteArray path = model->path(index);
    if (row->gone) {
        m_preview->setUnavailable(path, tr("Deleted"), tr("This file is no longer on the machine."));
    } else if (row->entry.type != u'f' && row->entry.type != u'l') {
        m_preview->setUnavailable(path, tr("Not a file that can be read"),
                                  tr("It is a device, a socket or a pipe."));
    } else if (!m_actions->canWork()) {
        const bool isPaused = m_session->machine() == FilesSession::Machine::Paused;
        m_preview->setUnavailable(path,
                                  isPaused ? tr("The machine is paused") : tr("The machine is not in reach"),
                                  isPaused ? tr("Wake it to read this file.") : QString());
    } else {
        m_preview->show(m_service, m_session->place(), path, row->entry.type == u'f' ? row->entry.size : -1);
    }
    m_preview->setMark(m_session->changes()->mark(path, m_scope));
    m_preview->setVisible(true);
}

void FilesPane::uploadFiles(const QStringList &localPaths)
{
    if (m_session)
        m_actions->uploadInto(m_tree->currentFolder(), localPaths);
}

void FilesPane::chooseScope(FileChanges::Scope scope)
{
    m_scope = scope;
    if (m_session)
        m_session->model()->setScope(scope);
    updateChanges();
}

void FilesPane::folderChanged(const MachinePlace &place, const QByteArray &folder, const QByteArray &made)
{
    for (FilesSession *session : std::as_const(m_sessions)) {
        if (session->place() == place)
            session->refreshFolder(folder);
    }
    if (m_session && m_session->place() == place && !made.isEmpty())
        m_made = made;
}

void FilesPane::selectMade()
{
    if (m_made.isEmpty() || !m_tree->fileModel())
        return;
    const QModelIndex index = m_tree->fileModel()->indexOf(m_made);
    if (!index.isValid())
        return;
    m_made.clear();
    m_tree->select(index);
}

void FilesPane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool sideBySide = width() >= Theme::instance().px(SideBySide);
    const Qt::Orientation orientation = sideBySide ? Qt::Horizontal : Qt::Vertical;
    const bool isFirst = !event->oldSize().isValid();
    if (orientation == m_splitter->orientation() && !isFirst)
        return;
    m_splitter->setOrientation(orientation);
    const int whole = sideBySide ? width() : height();
    const int tree = sideBySide ? std::clamp(whole * 2 / 5, Theme::instance().px(Metrics::SidebarMin),
                                             Theme::instance().px(Metrics::SidebarDefault))
                                : whole / 2;
    m_splitter->setSizes({tree, whole - tree});
}

void FilesPane::dragEnterEvent(QDragEnterEvent *event)
{
    if (localPaths(event->mimeData()).isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void FilesPane::dropEvent(QDropEvent *event)
{
    const QStringList paths = localPaths(event->mimeData());
    if (paths.isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    uploadFiles(paths);
}

} // namespace Pilothouse
