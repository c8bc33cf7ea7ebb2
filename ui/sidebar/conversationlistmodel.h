// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/historyservice.h"
#include "store/rows.h"
#include "util/error.h"
#include "util/event.h"

#include <QAbstractListModel>
#include <QHash>
#include <QList>
#include <QTimer>

namespace Pilothouse {

/// The conversations, newest first (by creation, so that no row moves under the pointer); archived
/// ones too, deleted ones not. Read once, then kept current: the summaries of conversations that had events
/// are read anew, at most four times a second while something happens and never when nothing does.
class ConversationListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        IdRole = Qt::UserRole + 1,
        TitleRole,
        ProviderRole,
        ModelRole,
        BackendRole,
        StateRole,
        StateWordRole,
        StateDetailRole,
        RawDetailRole, ///< As in the log; not for show.
        StateSinceRole,
        SandboxIdRole,
        SandboxStateRole,
        AfterTurnRole,
        CreatedRole,
        UpdatedRole,
        LastSeqRole,
        TurnsRole,
        StepsRole,
        MaxStepsRole,
        InputTokensRole, ///< Invalid when not known, as the two below.
        OutputTokensRole,
        CostNanosRole,
        ArchivedRole,
        IsRunningRole, ///< A turn is open.
        ScriptedRole,
    };

    explicit ConversationListModel(HistoryService *history, QObject *parent = nullptr);

    void reload(); ///< Reads everything anew.
    void takeEvents(const EventBatch &events);
    /// Since when its oldest open call waits for a person, in ms since 1970; 0: none does. An answer to
    /// another call of it makes that wait no shorter.
    void setWaitingSince(const QString &id, qint64 atMs);
    /// The machine itself said that it is in another state than the log knows ("paused", "gone"): that is
    /// shown until the log tells of the machine again.
    void setMachineFound(const QString &id, const QString &sandboxId, const QString &state);
    /// When it began to wait, or to be in its state.
    [[nodiscard]] qint64 stateSince(const ConversationSummary &summary) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    /// Place of a conversation; -1 if it is not in the list (yet).
    [[nodiscard]] int placeOf(const QString &id) const;
    /// Null if it is not in the list. Valid until the model changes.
    [[nodiscard]] const ConversationSummary *summary(const QString &id) const;

Q_SIGNALS:
    void loaded(); ///< After reload() was answered.
    void problem(const Pilothouse::Error &error);

private:
    void readDirty();
    void take(const ConversationSummary &summary);
    void takeAway(const QString &id);
    void correct(ConversationSummary &summary);

    HistoryService *m_history;
    QList<ConversationSummary> m_list;
    QHash<QString, qint64>
        m_dirty; ///< Conversations with events since their summary, and the seq it must reach.
    struct Found {
        QString sandboxId;
        QString state;
    };
    QHash<QString, qint64> m_waitingSince;
    QHash<QString, Found> m_found; ///< By conversation.
    QTimer m_timer;
    int m_behind = 0; ///< Reads in a row that were older than the events already seen.
    bool m_reading = false;
};

} // namespace Pilothouse
