// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QListView>
#include <QTimer>

namespace Pilothouse {

class ConversationDelegate;
class SidebarModel;

/// The list of conversations. Remembers the chosen one by id, also while the model is read anew. Ages move on
/// for the rows that are seen, and nothing is painted when nothing changes.
class ConversationListView : public QListView {
    Q_OBJECT
public:
    explicit ConversationListView(QWidget *parent = nullptr);

    void setConversations(SidebarModel *model); ///< Once; the model outlives the view.
    [[nodiscard]] SidebarModel *conversations() const { return m_conversations; }
    [[nodiscard]] const QString &chosen() const { return m_chosen; }
    /// Chooses a conversation, which may not be in the list yet. Says nothing.
    void choose(const QString &id);
    void setNarrow(bool narrow); ///< Only the glyphs.
    void renameChosen(); ///< Opens the field over the title.
    void chooseFirst(); ///< The first conversation of the list, as by the person.
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override;
    [[nodiscard]] ConversationDelegate *delegate() const { return m_delegate; }

Q_SIGNALS:
    void conversationChosen(const QString &id); ///< By the person; never for the present one.
    void menuRequested(const QString &id, const QPoint &globalPosition);
    void textTyped(const QString &text); ///< Letters mean the message, not another row.
    void leftUpwards(); ///< Up from the first row.

protected:
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void rowsAboutToBeRemoved(const QModelIndex &parent, int start, int end) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyboardSearch(const QString &search) override;
    void mousePressEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void showChosen();
    void toggleArchived();
    void tick();
    void planTick();
    [[nodiscard]] QList<QModelIndex> seenRows() const;

    SidebarModel *m_conversations = nullptr;
    ConversationDelegate *m_delegate;
    QString m_chosen;
    QTimer m_clock; ///< Runs only while a row is seen whose time moves.
    bool m_following = false; ///< The selection follows the model just now; it is not the person's.
};

} // namespace Pilothouse
