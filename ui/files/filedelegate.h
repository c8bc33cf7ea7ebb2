// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QStyledItemDelegate>

namespace Pilothouse {

class FileTreeModel;

/// Paints a row of the tree right of its chevron: icon, name, size or line counts, letter. Edits names in
/// place.
class FileDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    FileDelegate(const FileTreeModel *model, QObject *parent);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const override;
    void setEditorData(QWidget *editor, const QModelIndex &index) const override;
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;

private:
    /// Size or counts and the letter; returns where they begin.
    int paintRight(QPainter *painter, const QRect &rect, const QModelIndex &index) const;

    const FileTreeModel *m_model;
};

/// Icon of a file by its type and name.
[[nodiscard]] QString fileIconName(const QByteArray &name, QChar type, bool isOpen);

} // namespace Pilothouse
