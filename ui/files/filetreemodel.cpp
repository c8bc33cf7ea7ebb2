// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filetreemodel.h"

#include "files/filename.h"
#include "files/filesort.h"
#include "files/filetreenode.h"

#include <algorithm>

namespace Pilothouse {

std::size_t FileTreeModel::Folder::entryCount() const
{
    std::size_t count = rows.size();
    while (count > 0 && rows[count - 1]->row.kind != FileRow::Kind::Entry)
        --count;
    return count;
}

FileTreeModel::FileTreeModel(QObject *parent)
    : QAbstractItemModel(parent)
{
    setRoot("/");
}

FileTreeModel::~FileTreeModel() = default;

void FileTreeModel::setRoot(const QByteArray &path)
{
    if (m_rootNode && path == m_root)
        return;
    beginResetModel();
    m_root = path;
    m_rootNode = std::make_unique<Node>();
    m_rootNode->row.entry.type = u'd';
    m_rootNode->folder = std::make_unique<Folder>();
    endResetModel();
}

void FileTreeModel::setChanges(const FileChanges *changes)
{
    m_changes = changes;
    refreshMarks();
}

void FileTreeModel::setScope(FileChanges::Scope scope)
{
    if (scope == m_scope)
        return;
    m_scope = scope;
    refreshMarks();
}

void FileTreeModel::refreshMarks()
{
    syncGone();
    Q_EMIT marksChanged();
}

void FileTreeModel::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    Q_EMIT marksChanged();
}

FileTreeModel::Node *FileTreeModel::nodeOf(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<Node *>(index.internalPointer()) : m_rootNode.get();
}

int FileTreeModel::rowOf(const Node *node)
{
    const auto &rows = node->parent->folder->rows;
    if (node->row.kind != FileRow::Kind::Entry) {
        for (std::size_t i = rows.size(); i > 0; --i) {
            if (rows[i - 1].get() == node)
                return int(i - 1);
        }
        return -1;
    }
    const auto end = rows.begin() + qsizetype(node->parent->folder->entryCount());
    const auto at =
        std::lower_bound(rows.begin(), end, node, [](const std::unique_ptr<Node> &a, const Node *b) {
            return compareFileNames(a->row.isFolder(), a->row.entry.name, b->row.isFolder(),
                                    b->row.entry.name)
                < 0;
        });
    return at == end ? -1 : int(at - rows.begin());
}

QModelIndex FileTreeModel::indexOf(const Node *node) const
{
    return node == m_rootNode.get() ? QModelIndex() : createIndex(rowOf(node), 0, const_cast<Node *>(node));
}

QByteArray FileTreeModel::pathOf(const Node *node) const
{
    if (node == m_rootNode.get())
        return m_root;
    QByteArrayList segments;
    for (const Node *at = node; at != m_rootNode.get(); at = at->parent)
        segments.prepend(at->row.entry.name);
    return joinedPath(m_root, segments.join('/'));
}

FileTreeModel::Node *FileTreeModel::find(const QByteArray &path) const
{
    if (!isInside(path, m_root))
        return nullptr;
    Node *node = m_rootNode.get();
    if (path == m_root)
        return node;
    const QByteArrayList segments = path.sliced(m_root == "/" ? 1 : m_root.size() + 1).split('/');
    if (segments.size() > DeepestPath)
        return nullptr;
    for (const QByteArray &segment : segments) {
        if (!node->folder)
            return nullptr;
        const auto &rows = node->folder->rows;
        const auto end = rows.begin() + qsizetype(node->folder->entryCount());
        Node *next = nullptr;
        for (const bool isFolder : {true, false}) {
            const auto at = std::lower_bound(
                rows.begin(), end, segment,
                [isFolder](const std::unique_ptr<Node> &a, const QByteArray &name) {
                    return compareFileNames(a->row.isFolder(), a->row.entry.name, isFolder, name) < 0;
                });
            if (at != end && (*at)->row.entry.name == segment && (*at)->row.isFolder() == isFolder) {
                next = at->get();
                break;
            }
        }
        if (!next)
            return nullptr;
        node = next;
    }
    return node;
}

QModelIndex FileTreeModel::indexOf(const QByteArray &path) const
{
    const Node *node = find(path);
    return node ? indexOf(node) : QModelIndex();
}

const FileRow *FileTreeModel::row(const QModelIndex &index) const
{
    return index.isValid() ? &nodeOf(index)->row : nullptr;
}

QByteArray FileTreeModel::path(const QModelIndex &index) const
{
    const Node *node = nodeOf(index);
    return pathOf(node != m_rootNode.get() && node->row.kind != FileRow::Kind::Entry ? node->parent : node);
}

FileChanges::Mark FileTreeModel::mark(const QModelIndex &index) const
{
    const FileRow *at = row(index);
    if (!m_changes || !at || at->kind != FileRow::Kind::Entry || at->isFolder())
        return {};
    return m_changes->mark(path(index), m_scope);
}

int FileTreeModel::changedBelow(const QModelIndex &folder) const
{
    return m_changes ? m_changes->changedBelow(path(folder), m_scope) : 0;
}

QModelIndex FileTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    const Node *node = nodeOf(parent);
    if (column != 0 || row < 0 || !node->folder || row >= int(node->folder->rows.size()))
        return {};
    return createIndex(row, 0, node->folder->rows[std::size_t(row)].get());
}

QModelIndex FileTreeModel::parent(const QModelIndex &index) const
{
    if (!index.isValid())
        return {};
    return indexOf(nodeOf(index)->parent);
}

int FileTreeModel::rowCount(const QModelIndex &parent) const
{
    const Node *node = nodeOf(parent);
    return node->folder ? int(node->folder->rows.size()) : 0;
}

int FileTreeModel::columnCount(const QModelIndex &) const { return 1; }

bool FileTreeModel::hasChildren(const QModelIndex &parent) const
{
    const Node *node = nodeOf(parent);
    return node->folder && (node->folder->state != Folder::State::Listed || !node->folder->rows.empty());
}

bool FileTreeModel::canFetchMore(const QModelIndex &parent) const
{
    const Node *node = nodeOf(parent);
    return node->folder && node->folder->state == Folder::State::Unlisted;
}

void FileTreeModel::fetchMore(const QModelIndex &parent)
{
    Node *node = nodeOf(parent);
    if (!canFetchMore(parent))
        return;
    if (m_stale) {
        if (node != m_rootNode.get() && node->folder->rows.empty()) {
            node->folder->note = tr("Not listed while the machine was awake");
            setTail(node);
        }
        return;
    }
    node->folder->state = Folder::State::Listing;
    Q_EMIT listWanted(pathOf(node));
}

qint64 FileTreeModel::entryCount(const QModelIndex &folder) const
{
    const Node *node = nodeOf(folder);
    return node->folder ? qint64(node->folder->entryCount()) + node->folder->restCount() : 0;
}

bool FileTreeModel::isListed(const QByteArray &folder) const
{
    const Node *node = find(folder);
    return node && node->folder && node->folder->state == Folder::State::Listed;
}

bool FileTreeModel::isWhole(const QModelIndex &folder) const
{
    const Node *node = nodeOf(folder);
    return node->folder && node->folder->state == Folder::State::Listed && node->folder->restCount() == 0;
}

QByteArrayList FileTreeModel::listedFolders() const
{
    QByteArrayList folders;
    QList<const Node *> waiting{m_rootNode.get()};
    while (!waiting.isEmpty()) {
        const Node *node = waiting.takeFirst();
        if (node->folder->state != Folder::State::Listed)
            continue;
        folders.append(pathOf(node));
        for (const std::unique_ptr<Node> &child : node->folder->rows) {
            if (child->folder)
                waiting.append(child.get());
        }
    }
    return folders;
}

QByteArrayList FileTreeModel::taken(const QByteArray &folder, const QByteArrayList &names) const
{
    QByteArrayList taken;
    const Node *node = find(folder);
    if (!node || !node->folder)
        return taken;
    for (const QByteArray &name : names) {
        const Node *child = find(joinedPath(folder, name));
        const bool isHidden =
            std::any_of(node->folder->all.begin() + node->folder->restFrom, node->folder->all.end(),
                        [&name](const FileEntry &entry) { return entry.name == name; });
        if ((child && !child->row.gone) || isHidden)
            taken.append(name);
    }
    return taken;
}

} // namespace Pilothouse
