// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filespane.h"

#include "files/filename.h"
#include "files/filessession.h"
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
#include "theme/controls/label.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QMimeData>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int SideBySide = 520; // Narrower, the preview stands below the tree.
constexpr qsizetype MostSessions = 8; // Trees that are kept; the machine has the rest.
constexpr int PreviewAfterMs = 80; // The keyboard may be passing through.
constexpr qsizetype MostTakenTold = 5;

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
    , m_dialogs(FileDialogs::real())
    , m_splitter(new QSplitter)
    , m_stack(new QStackedWidget)
    , m_tree(new FileTreeView)
    , m_preview(new PreviewPane)
{
    setAccessibleName(tr("Files"));
    setAcceptDrops(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_splitter);
    auto *left = new QWidget;
    buildTree(left);
    m_splitter->setChildrenCollapsible(false);
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
    connect(m_tree, &FileTreeView::deleteWanted, this, &FilesPane::removeSelected);
    connect(m_tree, &FileTreeView::copyWanted, this, &FilesPane::copyPaths);
    connect(m_tree, &FileTreeView::refreshWanted, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    connect(m_tree, &FileTreeView::filesDropped, this,
            [this](const QStringList &paths, const QByteArray &folder) { uploadInto(folder, paths); });
    connect(m_tree, &FileTreeView::menuWanted, this, &FilesPane::showMenu);
    connect(m_preview, &PreviewPane::downloadWanted, this,
            [this](const QByteArray &path) { downloadPath(path, false); });
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
    m_bannerText = new ElidedLabel(tr("State of the machine"), TextStyle::Small, Role::Text2);
    m_wake = new Button(tr("Wake"), Button::Kind::Secondary);
    m_wake->setSmall(true);
    m_wake->setAccessibleName(tr("Wake the machine"));
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
    QHBoxLayout *foot = nullptr;
    column->addWidget(bar(box, Metrics::SecondHeader, &foot));
    m_counts = new Label({}, TextStyle::Small, Role::Text2);
    m_counts->setAccessibleName(tr("Changed files"));
    m_scopeButton = new Button({}, Button::Kind::Plain);
    m_scopeButton->setSmall(true);
    m_scopeButton->setChevron(true);
    m_scopeButton->setTextStyle(TextStyle::Small);
    m_scopeButton->setTextRole(Role::Text2);
    foot->addWidget(m_counts, 1);
    foot->addWidget(m_scopeButton);

    connect(m_up, &QToolButton::clicked, this, [this] {
        if (m_session)
            m_session->setRoot(parentPath(m_session->model()->root()));
    });
    connect(m_newFolder, &QToolButton::clicked, this, &FilesPane::newFolder);
    connect(m_upload, &QToolButton::clicked, this, &FilesPane::showUploadMenu);
    connect(m_refresh, &QToolButton::clicked, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    connect(m_scopeButton, &Button::clicked, this, &FilesPane::showScopeMenu);
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

void FilesPane::setDialogs(const FileDialogs &dialogs) { m_dialogs = dialogs; }

void FilesPane::setService(FilesService *service)
{
    if (service == m_service)
        return;
    m_service = service;
    m_tree->setFileModel(nullptr);
    m_preview->clear();
    m_session = nullptr;
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
                if (!refuseToWork(tr("Nothing was renamed.")))
                    m_operations.rename(m_service, session->place(), path, name);
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

bool FilesPane::canWork() const { return m_service && m_session && m_session->canAsk(); }

bool FilesPane::refuseToWork(const QString &what)
{
    if (canWork())
        return false;
    const FilesSession::Machine machine = m_session ? m_session->machine() : FilesSession::Machine::None;
    Error error;
    error.kind = ErrorKind::Sandbox;
    error.kept = what;
    if (!m_service) {
        error.message = tr("Another program works with this data folder.");
    } else if (machine == FilesSession::Machine::None) {
        error.message = tr("There is no machine yet.");
        error.todo = tr("Send a first message; that makes one.");
    } else if (machine == FilesSession::Machine::Paused) {
        error.message = tr("The machine is paused.");
        error.todo = tr("Wake it, then try again.");
    } else if (machine == FilesSession::Machine::Gone) {
        error.message = tr("The machine is gone.");
    } else {
        error.message = tr("The machine is not ready.");
        error.todo = tr("Try again when it is active.");
    }
    Q_EMIT problem(error);
    return true;
}

QString FilesPane::stateText() const { return m_state; }

void FilesPane::updateState()
{
    QString headline;
    QString text;
    QString action;
    std::optional<Error> fault;
    const bool hasTree = m_session && m_session->hasTree();
    if (!m_session || m_session->objectName().isEmpty()) {
        headline = tr("No machine yet");
        text = tr("The first message makes one; its files appear here.");
    } else if (!hasTree) {
        switch (m_session->machine()) {
        case FilesSession::Machine::None:
            headline = tr("No machine yet");
            text = tr("The first message makes one; its files appear here.");
            break;
        case FilesSession::Machine::Busy:
            headline = tr("The machine is not ready");
            text = tr("Its files appear here as soon as it is active.");
            break;
        case FilesSession::Machine::Paused:
            headline = tr("The machine is paused");
            text = tr("Its files were not looked at while it was awake.");
            action = tr("Wake");
            break;
        case FilesSession::Machine::Gone:
            headline = tr("The machine is gone");
            text = tr("Its files went with it.");
            break;
        case FilesSession::Machine::Unknown:
            headline = tr("The state of the machine is not known");
            text = tr("Looking does not wake it.");
            action = tr("Look");
            break;
        case FilesSession::Machine::Active:
            if (!m_service) {
                headline = tr("The files cannot be looked at");
                text = tr("Another program works with this data folder.");
            } else if (m_session->rootFault()) {
                if (m_session->rootFault()->kind == FileFault::Kind::Missing) {
                    headline = tr("There is no folder %1")
                                   .arg(shownPath(m_session->model()->root(), FilesSession::home()));
                    text = tr("This machine keeps its files elsewhere.");
                    action = tr("Show the whole machine");
                } else {
                    fault = m_session->rootFault()->error;
                }
            } else {
                headline = tr("Listing…");
                text.clear();
            }
            break;
        }
    } else if (m_session->model()->rowCount() == 0) {
        headline = tr("This folder is empty");
        text = tr("Drop files here to upload them.");
    }
    m_state = fault ? fault->message : headline;
    if (fault) {
        m_problem->setError(*fault);
        m_stack->setCurrentWidget(m_problemPage);
    } else if (!headline.isEmpty()) {
        m_empty->setTexts(headline, text);
        m_emptyAction->setText(action);
        m_emptyAction->setAccessibleName(action);
        m_emptyAction->setVisible(!action.isEmpty());
        m_stack->setCurrentWidget(m_emptyPage);
    } else {
        m_stack->setCurrentWidget(m_tree);
    }
    if (m_session)
        m_path->setWords(shownPath(m_session->model()->root(), FilesSession::home()));
    updateBanner();
    updateActions();
}

void FilesPane::updateBanner()
{
    const bool hasTree = m_session && m_session->hasTree();
    QString text;
    if (hasTree && !m_session->canAsk()) {
        const QString when = m_session->seenMs() > 0
            ? tr("as seen at %1")
                  .arg(QLocale().toString(QDateTime::fromMSecsSinceEpoch(m_session->seenMs()).time(),
                                          QLocale::ShortFormat))
            : tr("only files the agent wrote are known");
        switch (m_session->machine()) {
        case FilesSession::Machine::Paused:
            text = tr("Machine paused: %1").arg(when);
            break;
        case FilesSession::Machine::Busy:
            text = tr("Machine not ready: %1").arg(when);
            break;
        case FilesSession::Machine::Gone:
            text = tr("Machine gone: %1").arg(when);
            break;
        case FilesSession::Machine::Unknown:
        case FilesSession::Machine::None:
        case FilesSession::Machine::Active:
            text = tr("Machine not in reach: %1").arg(when);
            break;
        }
    }
    m_bannerText->setWords(text);
    m_banner->setVisible(!text.isEmpty());
    m_wake->setVisible(m_session && m_session->machine() == FilesSession::Machine::Paused);
}

void FilesPane::updateActions()
{
    const bool works = canWork();
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
    QStringList parts;
    if (counts.modified > 0)
        parts.append(tr("M %1").arg(counts.modified));
    if (counts.added > 0)
        parts.append(tr("A %1").arg(counts.added));
    if (counts.deleted > 0)
        parts.append(tr("D %1").arg(counts.deleted));
    const QString letters = parts.join(u"   "_s);
    m_counts->setText(counts.total() == 0 ? tr("Nothing changed") : letters);
    m_counts->setAccessibleDescription(
        tr("%1 modified, %2 added, %3 deleted").arg(counts.modified).arg(counts.added).arg(counts.deleted));
    m_counts->setToolTip(tr("%1 changed").arg(counts.total()));
    const int turn = m_session ? m_session->changes()->turn() : 0;
    const QString scope = m_scope == FileChanges::Scope::Conversation ? tr("since turn 1")
        : turn > 0                                                    ? tr("in turn %1").arg(turn)
                                                                      : tr("in this turn");
    m_scopeButton->setText(scope);
    m_scopeButton->setAccessibleName(tr("Changes shown: %1").arg(scope));
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
    } else if (!canWork()) {
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
        uploadInto(m_tree->currentFolder(), localPaths);
}

void FilesPane::uploadInto(const QByteArray &folder, const QStringList &localPaths)
{
    if (localPaths.isEmpty() || refuseToWork(tr("Nothing was uploaded.")))
        return;
    QByteArrayList names;
    QStringList paths;
    for (const QString &path : localPaths) {
        const QString clean = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
        paths.append(clean);
        names.append(QFileInfo(clean).fileName().toUtf8());
    }
    const QByteArrayList taken = m_session->model()->taken(folder, names);
    const MachinePlace place = m_session->place();
    const auto start = [this, place, paths, folder] {
        if (m_service)
            m_operations.upload(m_service, place, paths, folder);
    };
    if (taken.isEmpty())
        return start();
    QStringList shown;
    for (const QByteArray &name : taken.first(std::min(taken.size(), MostTakenTold)))
        shown.append(shownName(name));
    if (taken.size() > MostTakenTold)
        shown.append(tr("%1 more").arg(taken.size() - MostTakenTold));
    m_dialogs.confirm(this,
                      tr("In %1 there is already: %2. Replace it?")
                          .arg(shownPath(folder, FilesSession::home()), shown.join(u", "_s)),
                      tr("Files are overwritten, folders are merged. This cannot be undone."), tr("Replace"),
                      start);
}

void FilesPane::showUploadMenu()
{
    const QByteArray folder = m_tree->currentFolder();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Files…"), this, [this, folder] {
        m_dialogs.openFiles(this, [this, folder](const QStringList &paths) { uploadInto(folder, paths); });
    });
    menu->addAction(tr("Folder…"), this, [this, folder] {
        m_dialogs.openFolder(this, tr("Upload a folder"), [this, folder](const QString &path) {
            if (!path.isEmpty())
                uploadInto(folder, {path});
        });
    });
    menu->popup(m_upload->mapToGlobal(QPoint(0, m_upload->height())));
}

void FilesPane::downloadPath(const QByteArray &path, bool isFolder)
{
    if (refuseToWork(tr("Nothing was downloaded.")))
        return;
    const MachinePlace place = m_session->place();
    const QList<RemoteItem> items{{path, isFolder}};
    if (isFolder) {
        m_dialogs.openFolder(this, tr("Download into"), [this, place, items](const QString &folder) {
            if (!folder.isEmpty() && m_service)
                m_operations.download(m_service, place, items, folder, {});
        });
        return;
    }
    const QByteArray raw = lastSegment(path);
    const QString suggested = shownName(raw);
    m_dialogs.saveFile(this, suggested, [this, place, items, raw, suggested](const QString &target) {
        if (target.isEmpty() || !m_service)
            return;
        const QFileInfo info(target);
        // Where the name cannot be written as text, an unchanged suggestion means the file's exact name.
        const bool isExact = info.fileName() == suggested && suggested.toUtf8() != raw;
        m_operations.download(m_service, place, items, info.absolutePath(),
                              isExact ? QString() : info.fileName());
    });
}

void FilesPane::download(const QList<QModelIndex> &entries)
{
    FileTreeModel *model = m_tree->fileModel();
    if (entries.isEmpty() || !model)
        return;
    QList<RemoteItem> items;
    for (const QModelIndex &index : entries)
        items.append({model->path(index), model->row(index)->isFolder()});
    if (items.size() == 1)
        return downloadPath(items.first().path, items.first().isFolder);
    if (refuseToWork(tr("Nothing was downloaded.")))
        return;
    const MachinePlace place = m_session->place();
    m_dialogs.openFolder(this, tr("Download into"), [this, place, items](const QString &folder) {
        if (!folder.isEmpty() && m_service)
            m_operations.download(m_service, place, items, folder, {});
    });
}

void FilesPane::removeSelected()
{
    FileTreeModel *model = m_tree->fileModel();
    const QList<QModelIndex> entries = m_tree->selectedEntries();
    if (!model || entries.isEmpty() || refuseToWork(tr("Nothing was deleted.")))
        return;
    QByteArrayList paths;
    bool hasFolder = false;
    for (const QModelIndex &index : entries) {
        paths.append(model->path(index));
        hasFolder = hasFolder || model->row(index)->isFolder();
    }
    // What stands below something that goes too goes with it.
    std::sort(paths.begin(), paths.end());
    QByteArrayList outer;
    for (const QByteArray &path : std::as_const(paths)) {
        if (std::none_of(outer.begin(), outer.end(),
                         [&path](const QByteArray &folder) { return isInside(path, folder); }))
            outer.append(path);
    }
    const QString what = outer.size() == 1 ? shownPath(outer.first(), FilesSession::home())
                                           : tr("%1 things").arg(QLocale().toString(outer.size()));
    const MachinePlace place = m_session->place();
    m_dialogs.confirm(this, tr("Delete %1 from the machine?").arg(what),
                      hasFolder ? tr("Folders go with everything in them. This cannot be undone.")
                                : tr("This cannot be undone."),
                      tr("Delete"), [this, place, outer] {
                          if (m_service)
                              m_operations.remove(m_service, place, outer);
                      });
}

void FilesPane::newFolder()
{
    if (refuseToWork(tr("No folder was made.")))
        return;
    const QByteArray folder = m_tree->currentFolder();
    const MachinePlace place = m_session->place();
    m_dialogs.askName(
        this, tr("New folder"),
        tr("Name of the new folder in %1:").arg(shownPath(folder, FilesSession::home())),
        [this, folder, place](const QString &text) {
            if (text.isEmpty() || !m_service)
                return;
            if (const auto name = nameFromEdit(text, {}))
                m_operations.makeFolder(m_service, place, joinedPath(folder, *name));
            else
                Q_EMIT problem(Error{ErrorKind::Usage, nameProblem(text), tr("No folder was made."), {}});
        });
}

void FilesPane::copyPaths()
{
    FileTreeModel *model = m_tree->fileModel();
    if (!model)
        return;
    QStringList paths;
    for (const QModelIndex &index : m_tree->selectedEntries())
        paths.append(shownPath(model->path(index)));
    if (!paths.isEmpty())
        QGuiApplication::clipboard()->setText(paths.join(u'\n'));
}

void FilesPane::showMenu(const QPoint &globalPosition)
{
    FileTreeModel *model = m_tree->fileModel();
    if (!model)
        return;
    const QList<QModelIndex> entries = m_tree->selectedEntries();
    const bool works = canWork();
    const bool one = entries.size() == 1;
    const bool isFolder = one && model->row(entries.first())->isFolder();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [menu](const QString &text, const QKeySequence &key, bool enabled, auto *receiver,
                            auto call) {
        QAction *action = menu->addAction(text, receiver, call);
        action->setShortcut(key);
        action->setShortcutVisibleInContextMenu(true);
        action->setEnabled(enabled);
    };
    if (isFolder) {
        add(tr("Show only this folder"), {}, works, this, [this, path = model->path(entries.first())] {
            if (m_session)
                m_session->setRoot(path);
        });
    }
    add(tr("Download…"), {}, works && !entries.isEmpty(), this,
        [this] { download(m_tree->selectedEntries()); });
    menu->addSeparator();
    add(tr("Rename"), Qt::Key_F2, works && one, this, [this] { m_tree->edit(m_tree->currentIndex()); });
    add(tr("Delete…"), QKeySequence(Qt::Key_Delete), works && !entries.isEmpty(), this,
        [this] { removeSelected(); });
    add(tr("Copy path"), QKeySequence::Copy, !entries.isEmpty(), this, [this] { copyPaths(); });
    menu->addSeparator();
    add(tr("New folder…"), {}, works, this, [this] { newFolder(); });
    add(tr("Upload files…"), {}, works, this, [this, folder = m_tree->currentFolder()] {
        m_dialogs.openFiles(this, [this, folder](const QStringList &paths) { uploadInto(folder, paths); });
    });
    add(tr("Refresh"), QKeySequence::Refresh, works, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    menu->popup(globalPosition);
}

void FilesPane::showScopeMenu()
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [this, menu](const QString &text, FileChanges::Scope scope) {
        QAction *action = menu->addAction(text, this, [this, scope] { chooseScope(scope); });
        action->setCheckable(true);
        action->setChecked(m_scope == scope);
    };
    add(tr("Changes in this turn"), FileChanges::Scope::Turn);
    add(tr("Changes since the conversation began"), FileChanges::Scope::Conversation);
    menu->popup(m_scopeButton->mapToGlobal(QPoint(0, m_scopeButton->height())));
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
