// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "util/error.h"
#include "util/event.h"
#include "util/result.h"

#include <QList>

namespace Pilothouse {

class Database;

/// How a turn ended whose process ended: the events that the next owner of the folder will append to close
/// it, shown to readers before there is such an owner. Used in the reader's thread.
class DeadTurn {
public:
    DeadTurn() = default; ///< None: the conversation is as its events say.

    /// Looks at the conversation, and at who owns the folder if its last turn is open.
    [[nodiscard]] static Result<DeadTurn, Error> find(Database &database, qint64 conversationRef,
                                                      const QString &conversation, const QString &dataDir);

    /// In order, numbered after the last event that is stored; their time is that event's.
    [[nodiscard]] const QList<EventPtr> &events() const { return m_events; }
    /// seq of the last stored event that these follow. They stand only behind exactly that one.
    [[nodiscard]] qint64 after() const { return m_after; }

    /// `summary` as it stands after these events.
    void applyTo(ConversationSummary &summary) const;
    /// `rows` (with their texts, in order) as they stand after these events; new rows below `beforeRow` come
    /// behind.
    [[nodiscard]] Result<Done, Error> applyTo(Database &database, qint64 conversationRef,
                                              QList<TranscriptRow> &rows, qint64 beforeRow) const;

private:
    QList<EventPtr> m_events;
    qint64 m_after = 0;
};

} // namespace Pilothouse
