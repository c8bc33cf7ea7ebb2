// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QStyledItemDelegate>

namespace Pilothouse {

/// Paints the rows of the sidebar: headings of groups; conversations with title, state in words, shape and
/// colour, and, where something goes on, a line with machine, tokens and cost. In the narrow form only the
/// glyph of the state.
class ConversationDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setNarrow(bool narrow) { m_narrow = narrow; }
    [[nodiscard]] bool isNarrow() const { return m_narrow; }
    /// The moment that ages are counted to, for tests; 0: now.
    void setNow(qint64 utcMs) { m_now = utcMs; }

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const override;
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;

    /// Where the time of a row stands.
    [[nodiscard]] static QRect timeRect(const QRect &row, Qt::LayoutDirection direction);
    /// Milliseconds until the time shown in this row changes.
    [[nodiscard]] qint64 nextChangeMs(const QModelIndex &index) const;

private:
    void paintHeading(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    void paintGlyphOnly(QPainter *painter, const QStyleOptionViewItem &option,
                        const QModelIndex &index) const;
    [[nodiscard]] qint64 ageOf(const QModelIndex &index) const;
    [[nodiscard]] QString timeText(const QModelIndex &index) const;

    qint64 m_now = 0;
    bool m_narrow = false;
};

} // namespace Pilothouse
