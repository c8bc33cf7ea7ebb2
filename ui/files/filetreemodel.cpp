// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filetreemodel.h"

#include "files/filename.h"
#include "files/filesort.h"
#include "theme/paint.h"
#include "theme/units.h"

#include <QLocale>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int DeepestPath = 128; // Of what is shown; a path of the machine ends before.
constexpr qsizetype MostGoneShown = 200; // In one folder.

} // namespace

struct FileTreeModel::Folder {
    enum class State { Unlisted = 1, Listing, Partial, Listed };
    State state = State::Unlisted;
    std::vector<std::unique_ptr<Node>> rows; ///< Entries in order, then at most one More and one Note.
    QList<FileEntry> all; ///< Sorted; from `restFrom` on what follows the rows. Shared, never copied.
    qsizetype restFrom = 0;
    QString note;

    [[nodiscard]] std::size_t entryCount() const;
    [[nodiscard]] qsizetype restCount() const { return all.size() - restFrom; }
};

struct FileTreeModel::Node {
    FileRow row;
    Node *parent = nullptr;
    std::unique_ptr<Folder> folder; ///< Of folders.
};

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

void FileTreeModel::mergeRows(Node *folder, const QList<Wanted> &wanted)
{
    dropTail(folder);
    auto &rows = folder->folder->rows;
    const QModelIndex parent = indexOf(folder);
    const auto compare = [&](std::size_t at, qsizetype next) {
        const FileEntry &a = rows[at]->row.entry;
        const FileEntry &b = wanted[next].entry;
        return compareFileNames(a.type == u'd', a.name, b.type == u'd', b.name);
    };
    std::size_t at = 0;
    qsizetype next = 0;
    while (at < rows.size() || next < wanted.size()) {
        // Runs of rows that went, runs of rows that came, one row that stays.
        std::size_t removed = at;
        while (removed < rows.size() && (next >= wanted.size() || compare(removed, next) < 0))
            ++removed;
        if (removed > at) {
            beginRemoveRows(parent, int(at), int(removed) - 1);
            const auto from = rows.begin() + qsizetype(at);
            const auto to = rows.begin() + qsizetype(removed);
            std::vector<std::unique_ptr<Node>> old(std::make_move_iterator(from),
                                                   std::make_move_iterator(to));
            rows.erase(from, to);
            endRemoveRows();
            continue;
        }
        qsizetype added = next;
        while (added < wanted.size() && (at >= rows.size() || compare(at, added) > 0))
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

void FileTreeModel::dropTail(Node *folder)
{
    auto &rows = folder->folder->rows;
    const std::size_t entries = folder->folder->entryCount();
    if (entries == rows.size())
        return;
    beginRemoveRows(indexOf(folder), int(entries), int(rows.size()) - 1);
    rows.resize(entries);
    endRemoveRows();
}

void FileTreeModel::setTail(Node *folder)
{
    dropTail(folder);
    std::vector<std::unique_ptr<Node>> tail;
    const auto add = [&](FileRow::Kind kind, const QString &words) {
        auto node = std::make_unique<Node>();
        node->row.kind = kind;
        node->row.words = words;
        node->parent = folder;
        tail.push_back(std::move(node));
    };
    Folder &content = *folder->folder;
    if (content.restCount() > 0)
        add(FileRow::Kind::More, tr("%1 more: show the next").arg(QLocale().toString(content.restCount())));
    if (!content.note.isEmpty())
        add(FileRow::Kind::Note, content.note);
    if (tail.empty())
        return;
    const int first = int(content.rows.size());
    beginInsertRows(indexOf(folder), first, first + int(tail.size()) - 1);
    content.rows.insert(content.rows.end(), std::make_move_iterator(tail.begin()),
                        std::make_move_iterator(tail.end()));
    endInsertRows();
}

void FileTreeModel::reveal(const QModelIndex &more)
{
    Node *node = nodeOf(more);
    if (!more.isValid() || node->row.kind != FileRow::Kind::More)
        return;
    Node *folder = node->parent;
    Folder &content = *folder->folder;
    const qsizetype count = std::min<qsizetype>(PageSize, content.restCount());
    dropTail(folder); // `node` is gone from here on.
    const int first = int(content.rows.size());
    beginInsertRows(indexOf(folder), first, first + int(count) - 1);
    for (qsizetype i = 0; i < count; ++i) {
        auto fresh = std::make_unique<Node>();
        fresh->row.entry = std::as_const(content.all)[content.restFrom + i];
        fresh->parent = folder;
        if (fresh->row.isFolder())
            fresh->folder = std::make_unique<Folder>();
        content.rows.push_back(std::move(fresh));
    }
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

QString FileTreeModel::accessibleText(const QModelIndex &index) const
{
    const FileRow &at = *row(index);
    if (at.kind != FileRow::Kind::Entry)
        return at.words;
    QStringList parts{shownName(at.entry.name)};
    if (at.isFolder()) {
        parts.append(tr("folder"));
        if (const int changed = changedBelow(index))
            parts.append(tr("%n changed", nullptr, changed));
    } else if (at.entry.type == u'l') {
        parts.append(tr("link to %1").arg(shownName(at.entry.linkTarget)));
    } else if (at.entry.size >= 0 && !at.gone) {
        parts.append(bytesText(at.entry.size));
    }
    switch (mark(index).letter) {
    case FileChanges::Letter::None:
        break;
    case FileChanges::Letter::Modified:
        parts.append(tr("modified"));
        break;
    case FileChanges::Letter::Added:
        parts.append(tr("added"));
        break;
    case FileChanges::Letter::Deleted:
        parts.append(tr("deleted"));
        break;
    }
    return parts.join(u", "_s);
}

QVariant FileTreeModel::data(const QModelIndex &index, int role) const
{
    const FileRow *at = row(index);
    if (!at)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return at->kind == FileRow::Kind::Entry ? shownName(at->entry.name) : at->words;
    case Qt::EditRole:
        return at->kind == FileRow::Kind::Entry ? nameForEdit(at->entry.name) : QString();
    case Qt::ToolTipRole: {
        if (at->kind != FileRow::Kind::Entry)
            return plainToolTip(at->words);
        QString text = shownPath(path(index));
        if (at->entry.type == u'l')
            text += u" → "_s + shownName(at->entry.linkTarget);
        return plainToolTip(text);
    }
    case Qt::AccessibleTextRole:
        return accessibleText(index);
    }
    return {};
}

bool FileTreeModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const FileRow *at = row(index);
    if (!at || role != Qt::EditRole || at->kind != FileRow::Kind::Entry)
        return false;
    const QString text = value.toString();
    if (text == nameForEdit(at->entry.name))
        return false;
    if (const std::optional<QByteArray> name = nameFromEdit(text, at->entry.name))
        Q_EMIT renameWanted(path(index), *name);
    else
        Q_EMIT renameRefused(nameProblem(text));
    return false; // A listing will tell.
}

Qt::ItemFlags FileTreeModel::flags(const QModelIndex &index) const
{
    const FileRow *at = row(index);
    if (!at)
        return m_stale ? Qt::NoItemFlags : Qt::ItemIsDropEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (at->kind == FileRow::Kind::Entry && !at->gone && !m_stale)
        flags |= Qt::ItemIsEditable | Qt::ItemIsDropEnabled;
    if (!at->isFolder())
        flags |= Qt::ItemNeverHasChildren;
    return flags;
}

} // namespace Pilothouse
