// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/deadturn.h"

#include "store/database.h"
#include "store/ownerlock.h"
#include "store/recovery.h"
#include "store/rowcodec.h"
#include "store/summaryprojector.h"
#include "store/transcriptprojector.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

Result<DeadTurn, Error> DeadTurn::find(Database &database, qint64 conversationRef,
                                       const QString &conversation, const QString &dataDir)
{
    const auto open =
        database.value(u"SELECT open_turn_seq FROM summaries WHERE conversation=?"_s, {conversationRef});
    if (!open)
        return fail(open.error());
    if (open->toLongLong() <= 0)
        return DeadTurn();
    QList<EventPtr> turn;
    Statement query = database.statement(u"SELECT seq, at_ms, kind, v, payload FROM events "
                                         "WHERE conversation=? AND seq>=? ORDER BY seq"_s);
    const auto run = query.run({conversationRef, open->toLongLong()});
    if (!run)
        return fail(run.error());
    while (query.next()) {
        std::optional<Event> event = eventFrom(query, conversation);
        if (event)
            turn.append(std::make_shared<const Event>(std::move(*event)));
    }
    const auto ended = query.ended();
    if (!ended)
        return fail(ended.error());
    // Asked after the log was read: an owner that came since is at work on a turn that is alive.
    if (turn.isEmpty() || OwnerLock::isHeld(dataDir))
        return DeadTurn();
    DeadTurn dead;
    dead.m_after = turn.last()->seq;
    qint64 seq = dead.m_after;
    for (PendingEvent &pending : closingEvents(turn)) {
        auto event = std::make_shared<Event>();
        event->conversation = conversation;
        event->seq = ++seq;
        event->atMs = turn.last()->atMs; // Nobody saw when the process ended.
        event->kind = pending.kind;
        event->payload = std::move(pending.payload);
        dead.m_events.append(std::move(event));
    }
    return dead;
}

void DeadTurn::applyTo(ConversationSummary &summary) const
{
    SummaryState state;
    state.summary = std::move(summary);
    for (const EventPtr &event : m_events)
        applyToSummary(state, *event, event->json());
    summary = std::move(state.summary);
}

Result<Done, Error> DeadTurn::applyTo(Database &database, qint64 conversationRef, QList<TranscriptRow> &rows,
                                      qint64 beforeRow) const
{
    if (m_events.isEmpty())
        return Done();
    const QString &conversation = m_events.first()->conversation;
    const auto last =
        database.value(u"SELECT max(row) FROM transcript_rows WHERE conversation=?"_s, {conversationRef});
    if (!last)
        return fail(last.error());
    const auto open = readOpenRows(database, conversationRef, conversation);
    if (!open)
        return fail(open.error());
    TranscriptProjector projector(conversation, last->toLongLong(), *open);
    for (const EventPtr &event : m_events) {
        for (const qint64 number : projector.apply(*event)) {
            const TranscriptRow *row = projector.row(number);
            if (!row)
                continue;
            const auto known = std::find_if(rows.begin(), rows.end(),
                                            [number](const TranscriptRow &r) { return r.row == number; });
            if (known != rows.end())
                *known = *row;
            else if (number > last->toLongLong() && number < beforeRow)
                rows.append(*row);
        }
    }
    return Done();
}

} // namespace Pilothouse
