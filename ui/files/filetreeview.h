// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QTreeView>

namespace Pilothouse {

class FileTreeModel;

/// The tree of a machine's files. Keys: arrows, Enter opens, F2 renames, Del deletes, Ctrl+C copies paths, F5
/// refreshes. Takes files that are dropped on it. Where the current row goes away, its neighbour becomes it.
class FileTreeView : public QTreeView {
    Q_OBJECT
public:
    explicit FileTreeView(QWidget *parent = nullptr);

    void setFileModel(FileTreeModel *model); ///< Not owned; null: none.
    [[nodiscard]] FileTreeModel *fileModel() const { return m_files; }
    [[nodiscard]] QList<QModelIndex> selectedEntries() const; ///< Without notes; without what is gone.
    /// The folder that a new thing would go into: the current one, or that of the current file.
    [[nodiscard]] QByteArray currentFolder() const;
    void select(const QModelIndex &index);

Q_SIGNALS:
    void opened(const QModelIndex &index); ///< Enter or a double click on a file.
    void currentEntryChanged(const QModelIndex &index);
    void deleteWanted();
    void copyWanted();
    void refreshWanted();
    void filesDropped(const QStringList &localPaths, const QByteArray &folder);
    void menuWanted(const QPoint &globalPosition);

protected:
    void drawRow(QPainter *painter, const QStyleOptionViewItem &options,
                 const QModelIndex &index) const override;
    void drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const override;
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragMoveEvent(QDragMoveEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void rowsAboutToBeRemoved(const QModelIndex &parent, int start, int end) override;

private:
    void activate(const QModelIndex &index);
    void revealVisible();
    [[nodiscard]] QModelIndex nearestOutside(const QModelIndex &parent, int start, int end) const;
    void setDropRow(const QModelIndex &index, bool active);
    void applyTheme();

    FileTreeModel *m_files = nullptr;
    QPersistentModelIndex m_dropRow; ///< Folder that a drop would go into; invalid: the root.
    bool m_dropping = false;
};

} // namespace Pilothouse
