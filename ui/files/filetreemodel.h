// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filechanges.h"

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace Pilothouse {

/// One row of the tree.
struct FileRow {
    enum class Kind {
        Entry = 1,
        More, ///< There are more entries than shown; revealing them is asked for by activating it.
        Note, ///< Words about the folder: empty, incomplete, why it could not be listed.
    };
    Kind kind = Kind::Entry;
    FileEntry entry;
    bool gone = false; ///< It was there when the scope began.
    QString words; ///< More, Note.
    [[nodiscard]] bool isFolder() const { return kind == Kind::Entry && entry.type == u'd'; }
};

/// The files of a machine as far as they were listed: lazy, sorted, in pages, so that a folder of any size
/// costs what is shown of it. Knows nothing of services: it says which listing it wants and takes what comes.
class FileTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Rows of a folder shown at first, and revealed with each step. A view lays out thousands at once.
    static constexpr int PageSize = 1000;

    explicit FileTreeModel(QObject *parent = nullptr);
    ~FileTreeModel() override;

    void setRoot(const QByteArray &path); ///< Forgets everything, unless it is the root already.
    [[nodiscard]] const QByteArray &root() const { return m_root; }
    /// Not owned; null: no marks. Tell changes of it by refreshMarks().
    void setChanges(const FileChanges *changes);
    void setScope(FileChanges::Scope scope);
    [[nodiscard]] FileChanges::Scope scope() const { return m_scope; }
    void refreshMarks();
    /// A stale tree is what was seen last: it asks for nothing and nothing in it can be edited.
    void setStale(bool stale);
    [[nodiscard]] bool isStale() const { return m_stale; }

    /// The first entries of a listing that runs, in any order. Ignored where rows are shown already.
    void addFirst(const QByteArray &folder, QList<FileEntry> entries);
    /// A whole listing; `sorted` by sortFiles(). Rows that stay keep their indexes.
    void setListing(const QByteArray &folder, const QList<FileEntry> &sorted, const FileListEnd &end);
    /// All folders that a complete survey of the root saw.
    void takeSurvey(const FileSurvey &survey);
    /// The folder could not be listed; what was known of it stays.
    void setProblem(const QByteArray &folder, const QString &words);
    /// Files known from elsewhere than a listing (what the agent wrote), for a tree that has none.
    void addKnown(const QByteArrayList &paths);
    /// Drops the listing of a folder, to save memory. It is asked for anew when it is opened.
    void forget(const QModelIndex &folder);
    [[nodiscard]] qint64 entryCount(const QModelIndex &folder) const; ///< Listed ones, shown or not.
    [[nodiscard]] bool isListed(const QByteArray &folder) const;
    [[nodiscard]] QByteArrayList listedFolders() const; ///< Of which rows are known, root first.
    /// Whether all entries of it are rows.
    [[nodiscard]] bool isWhole(const QModelIndex &folder) const;
    /// Names of a listed folder that are among `names`.
    [[nodiscard]] QByteArrayList taken(const QByteArray &folder, const QByteArrayList &names) const;

    [[nodiscard]] const FileRow *row(const QModelIndex &index) const; ///< Null for the root.
    [[nodiscard]] QByteArray path(const QModelIndex &index) const; ///< Of an entry; the root's for none.
    [[nodiscard]] QModelIndex indexOf(const QByteArray &path) const; ///< Invalid if no row shows it.
    [[nodiscard]] FileChanges::Mark mark(const QModelIndex &index) const;
    [[nodiscard]] int changedBelow(const QModelIndex &folder) const;
    void reveal(const QModelIndex &more); ///< Of a More row: the next page.

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &index) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex &parent = {}) const override;
    [[nodiscard]] bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    void listWanted(const QByteArray &folder);
    /// The person gave a row a new name; the row changes when a listing says so.
    void renameWanted(const QByteArray &path, const QByteArray &newName);
    void renameRefused(const QString &why);
    void marksChanged(); ///< Repaint; no row came or went.

private:
    static constexpr int DeepestPath = 128; // Of what is shown; a path of the machine ends before.

    struct Folder;
    struct Node;
    struct Wanted {
        FileEntry entry;
        bool gone = false;
    };

    [[nodiscard]] Node *nodeOf(const QModelIndex &index) const;
    [[nodiscard]] QModelIndex indexOf(const Node *node) const;
    [[nodiscard]] Node *find(const QByteArray &path) const;
    [[nodiscard]] static int rowOf(const Node *node);
    [[nodiscard]] QByteArray pathOf(const Node *node) const;
    [[nodiscard]] QString accessibleText(const QModelIndex &index) const;
    void mergeRows(Node *folder, const QList<Wanted> &wanted);
    void setTail(Node *folder);
    void setTailRow(Node *folder, FileRow::Kind kind, const QString &words); ///< No words: no row.
    void syncGone();
    void syncGoneBelow(Node *folder, const QHash<QByteArray, QList<FileChanges::Gone>> &gone);
    [[nodiscard]] static QList<Wanted> withGone(const QList<FileEntry> &sorted,
                                                const QList<FileChanges::Gone> &gone);

    QByteArray m_root;
    std::unique_ptr<Node> m_rootNode;
    const FileChanges *m_changes = nullptr;
    FileChanges::Scope m_scope = FileChanges::Scope::Conversation;
    bool m_stale = false;
};

} // namespace Pilothouse
