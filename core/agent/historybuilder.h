// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"
#include "util/event.h"

#include <QHash>
#include <QList>

namespace Pilothouse {

/// Events to the history that a model is sent, along one branch. Feed events in seq order; only the kinds of
/// relevantKinds() matter. Every call in it has exactly one outcome: one that the log does not end gets an
/// error text.
class HistoryBuilder {
public:
    [[nodiscard]] static QList<EventKind> relevantKinds();

    void apply(const Event &event);
    /// The history up to and including turn `turn` (0: the last one), oldest first.
    [[nodiscard]] QList<HistoryItem> history(int turn = 0) const;
    [[nodiscard]] int lastTurn() const { return m_lastTurn; }
    [[nodiscard]] int headTurn() const { return m_headTurn; } ///< The turn that a next one has as parent.
    /// Texts of messages with delivery after-step or after-turn that were not delivered or removed, oldest
    /// first.
    struct Queued {
        QString messageId;
        QString text;
        QString delivery;
        int turn = 0; ///< The last one that had begun when it was written.
    };
    [[nodiscard]] QList<Queued> queued() const { return m_queue; }

private:
    struct Call {
        QString callId;
        QString providerCallId;
        QString toolName;
    };
    struct Entry { // One item in a turn; outcomes of calls are filled in from m_outcomes.
        HistoryItem item;
        QList<Call> calls;
    };
    struct Turn {
        int parent = 0;
        QList<Entry> entries;
    };
    struct Outcome {
        QString content;
        bool isError = false;
    };

    QHash<int, Turn> m_turns;
    QHash<QString, Outcome> m_outcomes; ///< By callId.
    QHash<QString, QString> m_messages; ///< Text by messageId.
    QList<Queued> m_queue;
    int m_lastTurn = 0;
    int m_headTurn = 0;
};

} // namespace Pilothouse
