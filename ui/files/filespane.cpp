// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filespane.h"

#include "files/changesfoot.h"
#include "files/fileactions.h"
#include "files/filefilter.h"
#include "files/filename.h"
#include "files/fileshead.h"
#include "files/filessession.h"
#include "files/filesstate.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "files/localurls.h"
#include "files/operationstrip.h"
#include "files/previewpane.h"
#include "files/treestack.h"
#include "theme/announcer.h"
#include "theme/controls/hairline.h"
#include "theme/controls/searchfield.h"
#include "theme/controls/toolbutton.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int NarrowestPart = 160;
constexpr int SideBySide = 520; // Narrower, the preview stands below the tree.
constexpr qsizetype MostSessions = 8; // Trees that are kept; the machine has the rest.
constexpr int PreviewAfterMs = 80; // The keyboard may be passing through.

} // namespace

FilesPane::FilesPane(FilesService *service, HistoryService *history, QWidget *parent)
    : QWidget(parent)
    , m_service(service)
    , m_history(history)
    , m_splitter(new QSplitter)
    , m_tree(new FileTreeView)
    , m_stack(new TreeStack(m_tree))
    , m_preview(new PreviewPane)
    , m_actions(new FileActions(this, m_tree, &m_operations))
    , m_filter(new FileFilter(m_tree))
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
    connect(&m_operations, &FileOperations::ownRenamed, this,
            [this](const MachinePlace &place, const QByteArray &from, const QByteArray &to) {
                for (FilesSession *session : std::as_const(m_sessions)) {
                    if (session->place() == place)
                        session->changes()->ownRenamed(from, to);
                }
            });
    setConversation({}, {}, {}, {});
}

FilesPane::~FilesPane()
{
    m_filter->setModel(nullptr);
    m_tree->setFileModel(nullptr);
    qDeleteAll(m_sessions);
}

void FilesPane::buildTree(QWidget *box)
{
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    m_head = new FilesHead;
    column->addWidget(m_head);
    column->addWidget(new HairLine);

    column->addWidget(m_stack, 1);
    m_strip = new OperationStrip(&m_operations);
    column->addWidget(m_strip);
    m_footBox = new QWidget;
    auto *footColumn = new QVBoxLayout(m_footBox);
    footColumn->setContentsMargins(0, 0, 0, 0);
    footColumn->setSpacing(0);
    footColumn->addWidget(new HairLine);
    m_foot = new ChangesFoot;
    footColumn->addWidget(m_foot);
    column->addWidget(m_footBox);

    connect(m_stack, &TreeStack::wakeWanted, this, &FilesPane::wake);
    connect(m_strip, &OperationStrip::focusLeft, this, [this] { m_stack->shown()->setFocus(); });
    connect(m_foot, &ChangesFoot::scopeChosen, this, &FilesPane::chooseScope);
    const auto refresh = [this] {
        if (m_session)
            m_session->refresh();
    };
    connect(m_stack, &TreeStack::refreshWanted, this, refresh);
    connect(m_stack, &TreeStack::wholeMachineWanted, this, [this] {
        if (m_session)
            m_session->setRoot("/");
    });
    connect(m_head, &FilesHead::refreshWanted, this, refresh);
    connect(m_head, &FilesHead::newFolderWanted, m_actions, &FileActions::newFolder);
    connect(m_head, &FilesHead::uploadWanted, m_actions, [this] {
        const ToolButton *button = m_head->upload();
        m_actions->showUploadMenu(button->mapToGlobal(QPoint(0, button->height())));
    });
    connect(m_head, &FilesHead::upWanted, this, [this] {
        if (!m_session)
            return;
        m_made = m_session->model()->root(); // To be found again in the folder above.
        m_session->setRoot(parentPath(m_made));
    });
    SearchField *field = m_head->filter();
    connect(field, &QLineEdit::textChanged, m_filter, &FileFilter::setText);
    const auto toTree = [this] {
        m_tree->setFocus(Qt::OtherFocusReason);
        if (!m_tree->currentIndex().isValid())
            m_tree->select(m_tree->indexAt(QPoint(0, 0)));
    };
    connect(field, &SearchField::downPressed, this, toTree);
    connect(field, &QLineEdit::returnPressed, this, toTree);
    connect(m_filter, &FileFilter::applied, this, [this] {
        m_head->setFilterWords(m_filter->words());
        if (!m_filter->text().isEmpty())
            announce(m_head, m_filter->words());
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
    m_filter->setModel(nullptr);
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
                updateChanges();
                m_previewSoon.start();
            }));
    connect(session, &FilesSession::stateChanged, this, ifShown([this] { updateState(); }));
    connect(session, &FilesSession::changesChanged, this, ifShown([this] { updateChanges(); }));
    connect(session, &FilesSession::refreshed, this, ifShown([this] { selectMade(); }));
    connect(session, &FilesSession::machineFound, this,
            [this, session](const QString &sandboxId, const QString &state) {
                Q_EMIT machineFound(session->objectName(), sandboxId, state);
            });
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
        m_filter->setModel(nullptr);
        m_head->filter()->clear();
        m_head->setFilterWords({});
        m_tree->setFileModel(session->model());
        m_filter->setModel(session->model());
        m_actions->setSession(session);
        m_strip->setConversation(id);
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

QString FilesPane::stateText() const { return m_stack->stateText(); }

void FilesPane::updateState()
{
    m_stack->showState(m_session);
    if (m_session)
        m_head->setPath(shownPath(m_session->model()->root(), FilesSession::home()));
    updateActions();
}

void FilesPane::updateActions()
{
    const bool works = m_actions->canWork();
    m_head->setCan(m_stack->showsTree(), works,
                   works || (m_session && m_session->machine() == FilesSession::Machine::Unknown),
                   works && m_session->model()->root() != "/", m_stack->shown());
    m_preview->setCanDownload(works);
}

void FilesPane::updateChanges()
{
    const FileChanges::Counts counts =
        m_session ? m_session->changes()->counts(m_scope) : FileChanges::Counts();
    m_foot->show(counts, m_scope, m_session ? m_session->changes()->turn() : 0);
    const int count = m_session ? m_session->changes()->counts(FileChanges::Scope::Conversation).total() : 0;
    const bool isTold = count > 0 || knowsChanges(m_session);
    if (!isTold)
        passFocus(m_footBox, m_stack->shown());
    m_footBox->setVisible(isTold);
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
    if (!m_filter->lets(index))
        m_head->filter()->clear(); // Else what was made would not be seen.
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
