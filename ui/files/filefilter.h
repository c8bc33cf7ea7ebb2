// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>
#include <QPersistentModelIndex>
#include <QPointer>
#include <QTimer>

namespace Pilothouse {

class FileTreeModel;
class FileTreeView;
struct FileRow;

/// Shows only the rows of a tree whose name holds a text, with the folders they stand in and what stands in
/// such folders. Knows the rows that are there and nothing else: it lists no folder and asks no machine.
class FileFilter : public QObject {
    Q_OBJECT
public:
    struct Sum {
        int found = 0; ///< Names that hold the text, without the folders that lead to them.
        int all = 0;
        bool partial = false; ///< Some folders were not opened yet, or not wholly read.
    };

    explicit FileFilter(FileTreeView *tree); ///< Its parent.

    void setModel(FileTreeModel *model); ///< Not owned; null: none. Ends the filter.
    void setText(const QString &text); ///< Empty: everything.
    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] bool lets(
        const QModelIndex &index) const; ///< Whether the row would be shown for its own sake.
    [[nodiscard]] const Sum &sum() const { return m_sum; }
    [[nodiscard]] QString words() const; ///< Of the sum; empty without a filter.

Q_SIGNALS:
    void applied(); ///< The sum may be another.

private:
    void apply();
    [[nodiscard]] bool isFound(const FileRow &row) const;
    bool applyBelow(const QModelIndex &folder, bool isInFound);
    void end();
    void dropHidden();

    FileTreeView *m_tree;
    QPointer<FileTreeModel> m_model;
    QString m_text;
    Sum m_sum;
    QTimer m_soon; ///< Words and rows come in bunches.
    QList<QPersistentModelIndex> m_toOpen;
    QList<QPersistentModelIndex> m_opened; ///< By the filter, not by the person.
};

} // namespace Pilothouse
