// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QListView>

namespace Pilothouse {

class ConversationListModel;

/// The list at the left. Remembers the chosen conversation by id, also while the model is read anew.
class ConversationListView : public QListView {
    Q_OBJECT
public:
    explicit ConversationListView(QWidget *parent = nullptr);

    void setConversations(ConversationListModel *model); ///< Once; the model outlives the view.
    [[nodiscard]] const QString &chosen() const { return m_chosen; }
    /// Chooses a conversation, which may not be in the list yet. Says nothing.
    void choose(const QString &id);

Q_SIGNALS:
    void conversationChosen(const QString &id); ///< By the person; never for the present one.

protected:
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;

private:
    void showChosen();

    ConversationListModel *m_conversations = nullptr;
    QString m_chosen;
    bool m_following = false; ///< The selection follows the model just now; it is not the person's.
};

} // namespace Pilothouse
