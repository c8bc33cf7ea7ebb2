// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/fileactions.h"

#include "files/filename.h"
#include "files/filessession.h"
#include "files/filesstate.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QMenu>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype MostTakenTold = 5;
}

FileActions::FileActions(QWidget *window, FileTreeView *tree, FileOperations *operations)
    : QObject(window)
    , m_window(window)
    , m_tree(tree)
    , m_operations(operations)
    , m_dialogs(FileDialogs::real())
{ }

void FileActions::setSession(FilesSession *session) { m_session = session; }

FileOperations::Target FileActions::target() const
{
    if (!m_session)
        return {};
    return {m_session->service(), m_session->place(), m_session->conversation()};
}

bool FileActions::isThere(const FileOperations::Target &target) const
{
    return m_session && target.service && m_session->service() == target.service;
}

bool FileActions::canWork() const { return m_session && m_session->canAsk(); }

bool FileActions::refuse(const QString &kept)
{
    if (canWork())
        return false;
    Q_EMIT problem(cannotWorkError(m_session, kept));
    return true;
}

void FileActions::rename(const QByteArray &path, const QByteArray &newName)
{
    if (!refuse(tr("Nothing was renamed.")))
        m_operations->rename(target(), path, newName);
}

void FileActions::uploadInto(const QByteArray &folder, const QStringList &localPaths)
{
    if (localPaths.isEmpty() || refuse(tr("Nothing was uploaded.")))
        return;
    QByteArrayList names;
    QStringList paths;
    for (const QString &path : localPaths) {
        const QString clean = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
        paths.append(clean);
        names.append(QFileInfo(clean).fileName().toUtf8());
    }
    const QByteArrayList taken = m_session->model()->taken(folder, names);
    const auto start = [this, target = target(), paths, folder] {
        if (isThere(target))
            m_operations->upload(target, paths, folder);
    };
    if (taken.isEmpty())
        return start();
    QStringList shown;
    for (const QByteArray &name : taken.first(std::min(taken.size(), MostTakenTold)))
        shown.append(shownName(name));
    if (taken.size() > MostTakenTold)
        shown.append(tr("%1 more").arg(taken.size() - MostTakenTold));
    m_dialogs.confirm(m_window,
                      tr("In %1 there is already: %2. Replace it?")
                          .arg(shownPath(folder, FilesSession::home()), shown.join(u", "_s)),
                      tr("Files are overwritten, folders are merged. This cannot be undone."), tr("Replace"),
                      start);
}

void FileActions::showUploadMenu(const QPoint &globalPosition)
{
    const QByteArray folder = m_tree->currentFolder();
    auto *menu = new QMenu(m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Files…"), this, [this, folder] {
        m_dialogs.openFiles(m_window,
                            [this, folder](const QStringList &paths) { uploadInto(folder, paths); });
    });
    menu->addAction(tr("Folder…"), this, [this, folder] {
        m_dialogs.openFolder(m_window, tr("Upload a folder"), [this, folder](const QString &path) {
            if (!path.isEmpty())
                uploadInto(folder, {path});
        });
    });
    menu->popup(globalPosition);
}

void FileActions::downloadPath(const QByteArray &path, bool isFolder)
{
    if (refuse(tr("Nothing was downloaded.")))
        return;
    const FileOperations::Target from = target();
    const QList<RemoteItem> items{{path, isFolder}};
    if (isFolder) {
        m_dialogs.openFolder(m_window, tr("Download into"), [this, from, items](const QString &folder) {
            if (!folder.isEmpty() && isThere(from))
                m_operations->download(from, items, folder, {});
        });
        return;
    }
    const QByteArray raw = lastSegment(path);
    const QString suggested = shownName(raw);
    m_dialogs.saveFile(m_window, suggested, [this, from, items, raw, suggested](const QString &file) {
        if (file.isEmpty() || !isThere(from))
            return;
        const QFileInfo info(file);
        // Where the name cannot be written as text, an unchanged suggestion means the file's exact name.
        const bool isExact = info.fileName() == suggested && suggested.toUtf8() != raw;
        m_operations->download(from, items, info.absolutePath(), isExact ? QString() : info.fileName());
    });
}

void FileActions::download(const QList<QModelIndex> &entries)
{
    FileTreeModel *model = m_tree->fileModel();
    if (entries.isEmpty() || !model)
        return;
    QList<RemoteItem> items;
    for (const QModelIndex &index : entries)
        items.append({model->path(index), model->row(index)->isFolder()});
    if (items.size() == 1)
        return downloadPath(items.first().path, items.first().isFolder);
    if (refuse(tr("Nothing was downloaded.")))
        return;
    const FileOperations::Target from = target();
    m_dialogs.openFolder(m_window, tr("Download into"), [this, from, items](const QString &folder) {
        if (!folder.isEmpty() && isThere(from))
            m_operations->download(from, items, folder, {});
    });
}

void FileActions::removeSelected()
{
    FileTreeModel *model = m_tree->fileModel();
    const QList<QModelIndex> entries = m_tree->selectedEntries();
    if (!model || entries.isEmpty() || refuse(tr("Nothing was deleted.")))
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
    m_dialogs.confirm(m_window, tr("Delete %1 from the machine?").arg(what),
                      hasFolder ? tr("Folders go with everything in them. This cannot be undone.")
                                : tr("This cannot be undone."),
                      tr("Delete"), [this, target = target(), outer] {
                          if (isThere(target))
                              m_operations->remove(target, outer);
                      });
}

void FileActions::newFolder()
{
    if (refuse(tr("No folder was made.")))
        return;
    const QByteArray folder = m_tree->currentFolder();
    m_dialogs.askName(
        m_window, tr("New folder"),
        tr("Name of the new folder in %1:").arg(shownPath(folder, FilesSession::home())),
        [this, folder, target = target()](const QString &text) {
            if (text.isEmpty() || !isThere(target))
                return;
            if (const auto name = nameFromEdit(text, {}))
                m_operations->makeFolder(target, joinedPath(folder, *name));
            else
                Q_EMIT problem(Error{ErrorKind::Usage, nameProblem(text), tr("No folder was made."), {}});
        });
}

void FileActions::copyPaths()
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

void FileActions::showMenu(const QPoint &globalPosition)
{
    FileTreeModel *model = m_tree->fileModel();
    if (!model)
        return;
    const QList<QModelIndex> entries = m_tree->selectedEntries();
    const bool works = canWork();
    const bool one = entries.size() == 1;
    const bool isFolder = one && model->row(entries.first())->isFolder();
    auto *menu = new QMenu(m_window);
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
        m_dialogs.openFiles(m_window,
                            [this, folder](const QStringList &paths) { uploadInto(folder, paths); });
    });
    add(tr("Refresh"), QKeySequence::Refresh, works, this, [this] {
        if (m_session)
            m_session->refresh();
    });
    menu->popup(globalPosition);
}

} // namespace Pilothouse
