// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// How listings become rows of the tree.

#include "files/filename.h"
#include "files/filesort.h"
#include "files/filetreenode.h"

#include <QLocale>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype MostGoneShown = 200; // In one folder.
}

void FileTreeModel::addFirst(const QByteArray &folder, QList<FileEntry> entries)
{
    Node *node = find(folder);
    if (!node || !node->folder || node->folder->entryCount() > 0 || entries.isEmpty())
        return;
    sortFiles(entries);
    if (entries.size() > PageSize)
        entries.resize(PageSize);
    node->folder->state = Folder::State::Partial;
    node->folder->note = tr("Listing…");
    mergeRows(node, withGone(entries, {}));
}

QList<FileTreeModel::Wanted> FileTreeModel::withGone(const QList<FileEntry> &sorted,
                                                     const QList<FileChanges::Gone> &gone)
{
    QList<Wanted> wanted;
    wanted.reserve(sorted.size() + gone.size());
    for (const FileEntry &entry : sorted)
        wanted.append({entry, false});
    if (gone.isEmpty())
        return wanted;
    for (const FileChanges::Gone &file : gone.first(std::min(gone.size(), MostGoneShown))) {
        FileEntry entry;
        entry.name = file.name;
        entry.type = u'f';
        entry.size = file.size;
        wanted.append({entry, true});
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const Wanted &a, const Wanted &b) {
        return compareFileNames(a.entry.type == u'd', a.entry.name, b.entry.type == u'd', b.entry.name) < 0;
    });
    // What is there again wins over what was gone.
    const auto same = [](const Wanted &a, const Wanted &b) {
        return a.entry.name == b.entry.name && (a.entry.type == u'd') == (b.entry.type == u'd');
    };
    wanted.erase(std::unique(wanted.begin(), wanted.end(), same), wanted.end());
    return wanted;
}

void FileTreeModel::setListing(const QByteArray &folder, const QList<FileEntry> &sorted,
                               const FileListEnd &end)
{
    Node *node = find(folder);
    if (!node || !node->folder)
        return;
    const qsizetype shown = std::max<qsizetype>(
        PageSize, node->folder->state == Folder::State::Listed ? qsizetype(node->folder->entryCount()) : 0);
    const qsizetype here = std::min(shown, sorted.size());
    node->folder->state = Folder::State::Listed;
    node->folder->all = here < sorted.size() ? sorted : QList<FileEntry>();
    node->folder->restFrom = here < sorted.size() ? here : 0;
    node->folder->note = end.cut
        ? tr("Only the first %1 entries were read").arg(QLocale().toString(end.count))
        : !end.complete ? tr("Some entries could not be read")
                        : QString();
    const QHash<QByteArray, QList<FileChanges::Gone>> gone =
        m_changes ? m_changes->gone(m_scope) : QHash<QByteArray, QList<FileChanges::Gone>>();
    mergeRows(node, withGone(sorted.first(here), gone.value(folder)));
}

void FileTreeModel::takeSurvey(const FileSurvey &survey)
{
    if (!survey.complete)
        return;
    QHash<QByteArray, QList<FileEntry>> folders;
    folders[QByteArray()];
    for (const FileEntry &entry : survey.entries) {
        const qsizetype slash = entry.name.lastIndexOf('/');
        const QByteArray folder = slash < 0 ? QByteArray() : entry.name.first(slash);
        FileEntry own = entry;
        own.name = entry.name.sliced(slash + 1);
        folders[folder].append(own);
        // An empty folder is known to be empty, but for those that were not entered.
        if (entry.type == u'd' && !SandboxFiles::isToolFolder(own.name))
            folders[entry.name];
    }
    QByteArrayList order = folders.keys();
    std::sort(order.begin(), order.end()); // A folder stands before what is in it.
    FileListEnd end;
    end.complete = true;
    for (const QByteArray &folder : order) {
        QList<FileEntry> entries = folders.value(folder);
        sortFiles(entries);
        end.count = entries.size();
        setListing(folder.isEmpty() ? m_root : joinedPath(m_root, folder), entries, end);
    }
}

void FileTreeModel::addKnown(const QByteArrayList &paths)
{
    for (const QByteArray &path : paths) {
        if (!isInside(path, m_root) || path == m_root || find(path))
            continue;
        Node *node = m_rootNode.get();
        const QByteArrayList segments = path.sliced(m_root == "/" ? 1 : m_root.size() + 1).split('/');
        for (qsizetype i = 0; i < segments.size() && i < DeepestPath; ++i) {
            if (!node->folder || segments[i].isEmpty())
                break;
            const bool isLast = i + 1 == segments.size();
            const QByteArray here = joinedPath(pathOf(node), segments[i]);
            if (!find(here)) {
                QList<Wanted> wanted;
                for (std::size_t row = 0; row < node->folder->entryCount(); ++row)
                    wanted.append({node->folder->rows[row]->row.entry, node->folder->rows[row]->row.gone});
                FileEntry entry;
                entry.name = segments[i];
                entry.type = isLast ? u'f' : u'd';
                entry.size = -1; // Not known.
                const Wanted added{entry, false};
                wanted.insert(std::upper_bound(wanted.begin(), wanted.end(), added,
                                               [](const Wanted &a, const Wanted &b) {
                                                   return compareFileNames(a.entry.type == u'd', a.entry.name,
                                                                           b.entry.type == u'd', b.entry.name)
                                                       < 0;
                                               }),
                              added);
                mergeRows(node, wanted);
            }
            node = find(here);
            if (!node)
                break;
        }
    }
}

void FileTreeModel::setProblem(const QByteArray &folder, const QString &words)
{
    Node *node = find(folder);
    if (!node || !node->folder)
        return;
    if (node->folder->state != Folder::State::Listed)
        node->folder->state = Folder::State::Unlisted;
    node->folder->note = words;
    if (node != m_rootNode.get()) // Of the root the pane tells.
        setTail(node);
}

void FileTreeModel::forget(const QModelIndex &index)
{
    Node *node = nodeOf(index);
    if (!node->folder || node->folder->rows.empty())
        return;
    beginRemoveRows(index, 0, int(node->folder->rows.size()) - 1);
    const std::unique_ptr<Folder> old = std::exchange(node->folder, std::make_unique<Folder>());
    endRemoveRows();
}

void FileTreeModel::mergeRows(Node *folder, const QList<Wanted> &wanted)
{
    auto &rows = folder->folder->rows;
    std::size_t end = folder->folder->entryCount(); // What follows the entries stays where it is.
    const QModelIndex parent = indexOf(folder);
    const auto compare = [&](std::size_t at, qsizetype next) {
        const FileEntry &a = rows[at]->row.entry;
        const FileEntry &b = wanted[next].entry;
        return compareFileNames(a.type == u'd', a.name, b.type == u'd', b.name);
    };
    std::size_t at = 0;
    qsizetype next = 0;
    while (at < end || next < wanted.size()) {
        // Runs of rows that went, runs of rows that came, one row that stays.
        std::size_t removed = at;
        while (removed < end && (next >= wanted.size() || compare(removed, next) < 0))
            ++removed;
        if (removed > at) {
            beginRemoveRows(parent, int(at), int(removed) - 1);
            const auto from = rows.begin() + qsizetype(at);
            const auto to = rows.begin() + qsizetype(removed);
            std::vector<std::unique_ptr<Node>> old(std::make_move_iterator(from),
                                                   std::make_move_iterator(to));
            rows.erase(from, to);
            end -= removed - at;
            endRemoveRows();
            continue;
        }
        qsizetype added = next;
        while (added < wanted.size() && (at >= end || compare(at, added) > 0))
            ++added;
        if (added > next) {
            std::vector<std::unique_ptr<Node>> fresh;
            fresh.reserve(std::size_t(added - next));
            for (; next < added; ++next) {
                auto node = std::make_unique<Node>();
                node->row.entry = wanted[next].entry;
                node->row.gone = wanted[next].gone;
                node->parent = folder;
                if (node->row.isFolder())
                    node->folder = std::make_unique<Folder>();
                fresh.push_back(std::move(node));
            }
            const std::size_t count = fresh.size();
            beginInsertRows(parent, int(at), int(at + count) - 1);
            rows.insert(rows.begin() + qsizetype(at), std::make_move_iterator(fresh.begin()),
                        std::make_move_iterator(fresh.end()));
            endInsertRows();
            at += count;
            end += count;
            continue;
        }
        FileRow &row = rows[at]->row;
        const FileEntry &entry = wanted[next].entry;
        const bool differs = row.entry.size != entry.size || row.entry.modified != entry.modified
            || row.entry.type != entry.type || row.gone != wanted[next].gone;
        row.entry = entry;
        row.gone = wanted[next].gone;
        if (differs) {
            const QModelIndex index = createIndex(int(at), 0, rows[at].get());
            Q_EMIT dataChanged(index, index);
        }
        ++at;
        ++next;
    }
    setTail(folder);
}

void FileTreeModel::setTail(Node *folder)
{
    const qsizetype rest = folder->folder->restCount();
    setTailRow(folder, FileRow::Kind::More,
               rest > 0 ? tr("%1 more: show the next").arg(QLocale().toString(rest)) : QString());
    setTailRow(folder, FileRow::Kind::Note, folder->folder->note);
}

// A row that stays keeps its index, so that whoever stands on it stays there.
void FileTreeModel::setTailRow(Node *folder, FileRow::Kind kind, const QString &words)
{
    auto &rows = folder->folder->rows;
    std::size_t at = folder->folder->entryCount();
    if (kind == FileRow::Kind::Note && at < rows.size() && rows[at]->row.kind == FileRow::Kind::More)
        ++at;
    const bool isThere = at < rows.size() && rows[at]->row.kind == kind;
    if (isThere && words.isEmpty()) {
        beginRemoveRows(indexOf(folder), int(at), int(at));
        const std::unique_ptr<Node> old = std::move(rows[at]);
        rows.erase(rows.begin() + qsizetype(at));
        endRemoveRows();
    } else if (isThere && rows[at]->row.words != words) {
        rows[at]->row.words = words;
        const QModelIndex index = createIndex(int(at), 0, rows[at].get());
        Q_EMIT dataChanged(index, index);
    } else if (!isThere && !words.isEmpty()) {
        auto node = std::make_unique<Node>();
        node->row.kind = kind;
        node->row.words = words;
        node->parent = folder;
        beginInsertRows(indexOf(folder), int(at), int(at));
        rows.insert(rows.begin() + qsizetype(at), std::move(node));
        endInsertRows();
    }
}

void FileTreeModel::reveal(const QModelIndex &more)
{
    Node *node = nodeOf(more);
    if (!more.isValid() || node->row.kind != FileRow::Kind::More)
        return;
    Node *folder = node->parent;
    Folder &content = *folder->folder;
    const qsizetype count = std::min<qsizetype>(PageSize, content.restCount());
    const int first = int(content.entryCount());
    beginInsertRows(indexOf(folder), first, first + int(count) - 1);
    std::vector<std::unique_ptr<Node>> added;
    added.reserve(std::size_t(count));
    for (qsizetype i = 0; i < count; ++i) {
        auto fresh = std::make_unique<Node>();
        fresh->row.entry = std::as_const(content.all)[content.restFrom + i];
        fresh->parent = folder;
        if (fresh->row.isFolder())
            fresh->folder = std::make_unique<Folder>();
        added.push_back(std::move(fresh));
    }
    content.rows.insert(content.rows.begin() + first, std::make_move_iterator(added.begin()),
                        std::make_move_iterator(added.end()));
    content.restFrom += count;
    if (content.restCount() == 0) {
        content.all.clear();
        content.restFrom = 0;
    }
    endInsertRows();
    setTail(folder);
}

void FileTreeModel::syncGone()
{
    if (!m_changes)
        return;
    syncGoneBelow(m_rootNode.get(), m_changes->gone(m_scope));
}

void FileTreeModel::syncGoneBelow(Node *folder, const QHash<QByteArray, QList<FileChanges::Gone>> &gone)
{
    Folder &content = *folder->folder;
    if (content.state != Folder::State::Listed)
        return;
    const QList<FileChanges::Gone> here = gone.value(pathOf(folder));
    const std::size_t count = content.entryCount();
    const bool hasGone = std::any_of(content.rows.begin(), content.rows.begin() + qsizetype(count),
                                     [](const std::unique_ptr<Node> &node) { return node->row.gone; });
    if (hasGone || !here.isEmpty()) {
        QList<FileEntry> there;
        for (std::size_t i = 0; i < count; ++i) {
            if (!content.rows[i]->row.gone)
                there.append(content.rows[i]->row.entry);
        }
        mergeRows(folder, withGone(there, here));
    }
    for (const std::unique_ptr<Node> &child : content.rows) {
        if (child->folder)
            syncGoneBelow(child.get(), gone);
    }
}

} // namespace Pilothouse
