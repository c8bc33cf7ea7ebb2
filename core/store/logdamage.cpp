// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/logdamage.h"

#include "store/database.h"
#include "store/rowcodec.h"
#include "text/inerttext.h"

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Bounds of a check: a person waits for it.
constexpr qint64 MaxCheckedEvents = 1'000'000;
constexpr qint64 MaxCheckedBytes = qint64(512) * 1024 * 1024;
constexpr qsizetype MaxFindings = 20; // More says no more than "badly damaged".
constexpr qsizetype MaxFinding = 200;

QString backupAdvice()
{
    return u"Copy the data folder before anything else, then restore a backup of log.db if you have one."_s;
}

EventPtr standIn(const QString &conversation, qint64 seq, qint64 atMs, const QString &message)
{
    auto event = std::make_shared<Event>();
    event->conversation = conversation;
    event->seq = seq;
    event->atMs = atMs;
    event->kind = EventKind::Error;
    event->payload = JsonBuilder()
                         .add("kind"_L1, errorKindName(ErrorKind::Storage))
                         .add("message"_L1, message)
                         .add("kept"_L1, "The other events are as they were written."_L1)
                         .add("todo"_L1, backupAdvice())
                         .take();
    return event;
}

Result<Done, Error> findDamagedEvents(Database &database, QStringList &findings)
{
    Statement events =
        database.statement(u"SELECT seq, at_ms, kind, v, payload, c.id FROM events "
                           "LEFT JOIN conversations c ON c.ref=conversation ORDER BY events.id LIMIT ?"_s);
    const auto run = events.run({MaxCheckedEvents});
    if (!run)
        return fail(run.error());
    qint64 count = 0;
    qint64 size = 0;
    qint64 damaged = 0;
    QString first;
    while (size < MaxCheckedBytes && events.next()) {
        ++count;
        const QString conversation = events.text(5);
        const std::optional<Event> event = eventFrom(events, conversation);
        if (event)
            size += event->payload.size();
        if (event && isSound(*event))
            continue;
        if (++damaged == 1)
            first = u"event "_s + QString::number(events.integer(0)) + u" of conversation "_s
                + inertLine(conversation, 40);
    }
    const bool isCut = size >= MaxCheckedBytes || count >= MaxCheckedEvents;
    if (isCut)
        events.finish();
    const auto ended = isCut ? Result<Done, Error>(Done()) : events.ended();
    if (damaged > 0)
        findings.append(
            QString(QString::number(damaged) + u" events are damaged; the first is "_s + first + u'.'));
    if (isCut)
        findings.append(QString(u"The log is large: only its first "_s + QString::number(count)
                                + u" events were looked at one by one."_s));
    return ended;
}

Result<Done, Error> findGaps(Database &database, QStringList &findings)
{
    // What is being removed on purpose is no damage.
    Statement gaps = database.statement(
        u"SELECT c.id, max(coalesce(e.last, 0), coalesce(s.last_seq, 0))-coalesce(e.number, 0) AS missing "
        "FROM conversations c LEFT JOIN summaries s ON s.conversation=c.ref "
        "LEFT JOIN (SELECT conversation, count(*) AS number, max(seq) AS last FROM events "
        "GROUP BY conversation) e ON e.conversation=c.ref "
        "WHERE missing<>0 AND c.ref NOT IN (SELECT conversation FROM purges) LIMIT ?"_s);
    const auto run = gaps.run({MaxFindings});
    if (!run)
        return fail(run.error());
    while (gaps.next())
        findings.append(QString(QString::number(gaps.integer(1)) + u" events of conversation "_s
                                + inertLine(gaps.text(0), 40) + u" are missing."_s));
    return gaps.ended();
}

} // namespace

EventPtr damagedEvent(const Event &event)
{
    return standIn(event.conversation, event.seq, event.atMs,
                   u"Event "_s + QString::number(event.seq)
                       + u" of this conversation is damaged in the log and cannot be shown."_s);
}

EventPtr missingEvents(const QString &conversation, qint64 first, qint64 last, qint64 atMs)
{
    const QString message = first == last
        ? QString(u"Event "_s + QString::number(first) + u" of this conversation is missing in the log."_s)
        : QString(u"Events "_s + QString::number(first) + u" to "_s + QString::number(last)
                  + u" of this conversation are missing in the log."_s);
    return standIn(conversation, first, atMs, message);
}

bool isSound(const Event &event)
{
    const auto payload = parseJson(event.payload);
    return payload && payload->isObject();
}

Error damagedLog(const QString &detail)
{
    return {ErrorKind::Storage,
            u"The log is damaged or is not a log of this program ("_s + inertLine(detail, MaxFinding)
                + u")."_s,
            u"The file was left untouched."_s,
            backupAdvice() + u" Conversations that can still be read can be exported."_s};
}

Result<Done, Error> checkStructure(Database &database)
{
    const auto verdict = database.value(u"PRAGMA quick_check(1)"_s);
    if (!verdict)
        return fail(verdict.error());
    if (verdict->toString() == "ok"_L1)
        return Done();
    return fail(damagedLog(verdict->toString()));
}

Result<QStringList, Error> findDamage(Database &database)
{
    QStringList findings;
    Statement structure = database.statement(u"PRAGMA quick_check("_s + QString::number(MaxFindings) + u')');
    const auto run = structure.run();
    if (!run)
        return fail(run.error());
    while (structure.next()) {
        const QString line = structure.text(0);
        if (line != "ok"_L1)
            findings.append(inertLine(line, MaxFinding));
    }
    // With a damaged structure the rest breaks off somewhere; that is one more finding and no failure.
    Result<Done, Error> done = structure.ended();
    if (done)
        done = findDamagedEvents(database, findings);
    if (done)
        done = findGaps(database, findings);
    if (!done)
        findings.append(done.error().message);
    return findings;
}

} // namespace Pilothouse
