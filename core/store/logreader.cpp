// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/logreader.h"

#include "store/database.h"
#include "store/deadturn.h"
#include "store/derivedtables.h"
#include "store/logdamage.h"
#include "store/logfile.h"
#include "store/migrations.h"
#include "store/rowcodec.h"
#include "store/spillfiles.h"
#include "text/inerttext.h"
#include "util/ids.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>

#include <algorithm>
#include <limits>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Bounds of one answer: it is held in memory and shown to a person or sent on in pieces.
constexpr int MaxEvents = 10'000;
constexpr qint64 MaxPayload = 4 * 1024 * 1024;
constexpr int MaxRows = 1000;
constexpr qint64 MaxOutput = 16 * 1024 * 1024;
constexpr int MaxConversations = 100'000;
constexpr int MaxMatches = 20;
constexpr int MaxHits = 500;
constexpr qsizetype MaxQuery = 1000;
constexpr qsizetype MaxWords = 16;
constexpr qsizetype MaxSnippet = 200;
constexpr int MaxSpillFiles = 200'000;
constexpr qsizetype MaxHeaviest = 10;

Error notFound(const QString &conversation)
{
    return {ErrorKind::NotFound,
            u"There is no conversation "_s + inertLine(conversation, 60) + u'.',
            {},
            u"List the conversations to see their ids."_s};
}

Error outdated(const QString &message)
{
    return {ErrorKind::Storage, message, u"The log itself is complete."_s,
            u"Start this Pilothouse once on the data folder: it brings the log up to date."_s};
}

// Each word in quotes, so that nothing of it is an operator; words without a letter or digit find nothing and
// are left out.
QString searchExpression(const QString &words)
{
    QStringList out;
    const QStringList all = words.left(MaxQuery).simplified().split(u' ', Qt::SkipEmptyParts);
    for (QString word : all.mid(0, MaxWords)) {
        word.removeIf([](QChar c) { return c.isNull() || c.isSurrogate(); });
        if (std::any_of(word.cbegin(), word.cend(), [](QChar c) { return c.isLetterOrNumber(); }))
            out += QString(u'"' + word.replace(u'"', u"\"\""_s) + u'"');
    }
    return out.isEmpty() ? QString() : QString(out.join(u' ') + u'*');
}

} // namespace

class LogReader::Private {
public:
    QString dataDir;
    View view = View::Shown;
    std::unique_ptr<Database> database;

    /// False: there is no log yet.
    [[nodiscard]] Result<bool, Error> connected();
    /// 0: no such conversation.
    [[nodiscard]] Result<qint64, Error> reference(const QString &conversation);
    [[nodiscard]] Result<QList<EventPtr>, Error> readEvents(qint64 ref, const QString &conversation,
                                                            const QString &filter, qint64 fromSeq, int limit,
                                                            bool *isEnd = nullptr);
    /// The last seq that the log should have, and whether the conversation is being removed.
    [[nodiscard]] Result<qint64, Error> expectedLast(qint64 ref);
    [[nodiscard]] Result<bool, Error> isKept(qint64 ref);
    [[nodiscard]] Result<bool, Error> hasEvent(qint64 ref, qint64 seq);
    [[nodiscard]] Result<QList<EventPtr>, Error> withGaps(qint64 ref, const QString &conversation,
                                                          const QList<EventPtr> &stored, qint64 fromSeq,
                                                          qint64 upto);
    [[nodiscard]] Result<QStringList, Error> ids(const QString &sql, const QVariantList &values);
    /// Summaries as they stand, for View::Shown with the ends of dead turns.
    [[nodiscard]] Result<QList<ConversationSummary>, Error> summaries(const QString &filter,
                                                                      const QVariantList &values);
    [[nodiscard]] Result<DeadTurn, Error> deadTurn(qint64 ref, const QString &conversation);
    /// The end of a dead turn behind `stored`, which reaches to the end of the log: those of `kinds` (empty:
    /// all) from `fromSeq` on.
    [[nodiscard]] Result<Done, Error> appendDeadTurn(qint64 ref, const QString &conversation,
                                                     const QList<EventKind> &kinds, qint64 fromSeq, int limit,
                                                     QList<EventPtr> &stored);
};

Result<bool, Error> LogReader::Private::connected()
{
    if (database)
        return true;
    const QString fileName = dataDir + u"/log.db"_s;
    const auto there = hasLog(fileName);
    if (!there || !*there)
        return there;
    auto opened = Database::open(fileName, Database::Mode::ReadOnly);
    if (!opened)
        return fail(opened.error());
    const auto version = (*opened)->value(u"PRAGMA user_version"_s);
    if (!version)
        return fail(version.error());
    if (version->toLongLong() > SchemaVersion)
        return fail(newerSchema(version->toLongLong()));
    if (version->toLongLong() == 0)
        return false; // Its owner has just made it and not written to it.
    if (version->toLongLong() < SchemaVersion)
        return fail(outdated(u"This log was written by an older Pilothouse."_s));
    const auto derived = (*opened)->value(u"SELECT value FROM meta WHERE key='derived_version'"_s);
    if (!derived)
        return fail(derived.error());
    if (!derived->isValid())
        return false;
    if (derived->toInt() != DerivedTables::Version)
        return fail(outdated(u"The tables for reading this log were made by another version."_s));
    database = std::move(*opened);
    return true;
}

Result<qint64, Error> LogReader::Private::reference(const QString &conversation)
{
    const auto ready = connected();
    if (!ready)
        return fail(ready.error());
    if (!*ready || !isId(conversation))
        return 0;
    const auto ref = database->value(u"SELECT ref FROM conversations WHERE id=?"_s, {conversation});
    if (!ref)
        return fail(ref.error());
    return ref->toLongLong();
}

Result<QStringList, Error> LogReader::Private::ids(const QString &sql, const QVariantList &values)
{
    const auto ready = connected();
    if (!ready)
        return fail(ready.error());
    QStringList out;
    if (!*ready)
        return out;
    Statement query = database->statement(sql);
    const auto run = query.run(values);
    if (!run)
        return fail(run.error());
    while (query.next())
        out.append(query.text(0));
    const auto ended = query.ended();
    if (!ended)
        return fail(ended.error());
    return out;
}

Result<QList<EventPtr>, Error> LogReader::Private::readEvents(qint64 ref, const QString &conversation,
                                                              const QString &filter, qint64 fromSeq,
                                                              int limit, bool *isEnd)
{
    QList<EventPtr> out;
    Statement query = database->statement(
        u"SELECT seq, at_ms, kind, v, payload FROM events WHERE conversation=? AND seq>=?"_s + filter
        + u" ORDER BY seq LIMIT ?"_s);
    const auto run = query.run({ref, fromSeq, limit});
    if (!run)
        return fail(run.error());
    qint64 size = 0;
    while (size < MaxPayload && query.next()) {
        std::optional<Event> event = eventFrom(query, conversation);
        if (event) {
            size += event->payload.size();
            const bool isShown = view == View::Stored || isSound(*event);
            out.append(isShown ? EventPtr(std::make_shared<const Event>(std::move(*event)))
                               : damagedEvent(*event));
        } else if (view == View::Stored) {
            return fail(Error{ErrorKind::Storage, u"The log holds an event of an unknown kind."_s,
                              u"The log was left as it is."_s, u"Use a newer Pilothouse."_s});
        } else {
            Event unknown;
            unknown.conversation = conversation;
            unknown.seq = query.integer(0);
            unknown.atMs = query.integer(1);
            out.append(damagedEvent(unknown));
        }
    }
    if (isEnd)
        *isEnd = size < MaxPayload && out.size() < limit;
    if (size >= MaxPayload) {
        query.finish();
        return out;
    }
    const auto ended = query.ended();
    if (!ended)
        return fail(ended.error());
    return out;
}

Result<qint64, Error> LogReader::Private::expectedLast(qint64 ref)
{
    const auto last = database->value(u"SELECT last_seq FROM summaries WHERE conversation=?"_s, {ref});
    if (!last)
        return fail(last.error());
    return last->toLongLong();
}

Result<bool, Error> LogReader::Private::isKept(qint64 ref)
{
    const auto kept = database->value(
        u"SELECT count(*) FROM conversations WHERE ref=? AND ref NOT IN (SELECT conversation FROM purges)"_s,
        {ref});
    if (!kept)
        return fail(kept.error());
    return kept->toInt() == 1;
}

Result<bool, Error> LogReader::Private::hasEvent(qint64 ref, qint64 seq)
{
    const auto found =
        database->value(u"SELECT count(*) FROM events WHERE conversation=? AND seq=?"_s, {ref, seq});
    if (!found)
        return fail(found.error());
    return found->toInt() == 1;
}

Result<QList<EventPtr>, Error> LogReader::Private::withGaps(qint64 ref, const QString &conversation,
                                                            const QList<EventPtr> &stored, qint64 fromSeq,
                                                            qint64 upto)
{
    QList<EventPtr> out;
    qint64 expected = fromSeq;
    for (const EventPtr &event : stored) {
        if (event->seq > expected)
            out.append(missingEvents(conversation, expected, event->seq - 1, event->atMs));
        out.append(event);
        expected = event->seq + 1;
    }
    if (upto >= expected)
        out.append(missingEvents(conversation, expected, upto, out.isEmpty() ? 0 : out.last()->atMs));
    if (out.size() == stored.size())
        return out;
    // Rare from here on. What is being removed on purpose is no gap, and a gap is told once, at its begin.
    const auto kept = isKept(ref);
    if (!kept)
        return fail(kept.error());
    if (!*kept)
        return stored;
    const bool beginsWithGap = stored.isEmpty() || stored.first()->seq > fromSeq;
    if (beginsWithGap && fromSeq > 1) {
        const auto isBegin = hasEvent(ref, fromSeq - 1);
        if (!isBegin)
            return fail(isBegin.error());
        if (!*isBegin)
            out.removeFirst();
    }
    return out;
}

Result<QList<ConversationSummary>, Error> LogReader::Private::summaries(const QString &filter,
                                                                        const QVariantList &values)
{
    QList<ConversationSummary> out;
    QList<std::pair<qsizetype, qint64>> open; // Place in `out` and ref of those whose last turn is open.
    {
        Statement query = database->statement(u"SELECT conversation, "_s + summaryColumns()
                                              + u" FROM summaries WHERE "_s + filter);
        const auto run = query.run(values);
        if (!run)
            return fail(run.error());
        while (query.next()) {
            out.append(summaryFrom(query, 1).summary);
            if (out.last().openTurnSeq > 0)
                open.append({out.size() - 1, query.integer(0)});
        }
        const auto ended = query.ended();
        if (!ended)
            return fail(ended.error());
    }
    for (const auto &[place, ref] : open) {
        const auto dead = deadTurn(ref, out[place].id);
        if (!dead)
            return fail(dead.error());
        dead->applyTo(out[place]);
    }
    return out;
}

Result<DeadTurn, Error> LogReader::Private::deadTurn(qint64 ref, const QString &conversation)
{
    if (view == View::Stored)
        return DeadTurn();
    return DeadTurn::find(*database, ref, conversation, dataDir);
}

Result<Done, Error> LogReader::Private::appendDeadTurn(qint64 ref, const QString &conversation,
                                                       const QList<EventKind> &kinds, qint64 fromSeq,
                                                       int limit, QList<EventPtr> &stored)
{
    const auto dead = deadTurn(ref, conversation);
    if (!dead)
        return fail(dead.error());
    // Events that came meanwhile have the places of these.
    if (!stored.isEmpty() && stored.last()->seq > dead->after())
        return Done();
    for (const EventPtr &event : dead->events()) {
        const bool isAsked = event->seq >= fromSeq && (kinds.isEmpty() || kinds.contains(event->kind));
        if (isAsked && stored.size() < limit)
            stored.append(event);
    }
    return Done();
}

LogReader::LogReader(std::unique_ptr<Private> priv)
    : d(std::move(priv))
{ }

LogReader::~LogReader() = default;

Result<std::unique_ptr<LogReader>, Error> LogReader::open(const QString &dataDir, View view)
{
    auto d = std::make_unique<Private>();
    d->view = view;
    d->dataDir = QDir::cleanPath(dataDir);
    const auto ready = d->connected();
    if (!ready)
        return fail(ready.error());
    return std::unique_ptr<LogReader>(new LogReader(std::move(d)));
}

Result<QList<ConversationSummary>, Error> LogReader::conversations(bool withDeleted)
{
    const auto ready = d->connected();
    if (!ready)
        return fail(ready.error());
    if (!*ready)
        return QList<ConversationSummary>();
    return d->summaries(u"? OR deleted=0 ORDER BY updated_ms DESC, id LIMIT ?"_s,
                        {withDeleted, MaxConversations});
}

Result<ConversationSummary, Error> LogReader::conversation(const QString &id)
{
    const auto ref = d->reference(id);
    if (!ref)
        return fail(ref.error());
    if (*ref == 0)
        return fail(notFound(id));
    const auto found = d->summaries(u"conversation=?"_s, {*ref});
    if (!found)
        return fail(found.error());
    if (found->isEmpty())
        return fail(notFound(id));
    return found->first();
}

Result<QStringList, Error> LogReader::matchConversation(const QString &prefix)
{
    // Ids are hexadecimal digits and hyphens; anything else matches nothing and must not become a pattern.
    const bool isPlain =
        !prefix.isEmpty() && prefix.size() <= 36 && std::all_of(prefix.cbegin(), prefix.cend(), [](QChar c) {
            return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f') || c == u'-';
        });
    if (!isPlain)
        return QStringList();
    return d->ids(u"SELECT id FROM conversations WHERE id>=? AND id<? ORDER BY id LIMIT ?"_s,
                  {prefix, QString(prefix + u'~'), MaxMatches});
}

Result<QList<EventPtr>, Error> LogReader::events(const QString &conversation, qint64 fromSeq, int limit)
{
    const auto ref = d->reference(conversation);
    if (!ref)
        return fail(ref.error());
    const int most = qBound(0, limit, MaxEvents);
    if (*ref == 0 || most == 0)
        return QList<EventPtr>();
    if (d->view == View::Stored)
        return d->readEvents(*ref, conversation, {}, fromSeq, most);
    // Before the events: what is written between the two reads must not look like a gap at the end.
    const auto expected = d->expectedLast(*ref);
    if (!expected)
        return fail(expected.error());
    bool isEnd = false;
    const auto stored = d->readEvents(*ref, conversation, {}, fromSeq, most, &isEnd);
    if (!stored)
        return stored;
    auto out = d->withGaps(*ref, conversation, *stored, qMax(qint64(1), fromSeq), isEnd ? *expected : 0);
    if (out && out->size() > most)
        out->resize(most);
    if (out && isEnd) {
        const auto appended = d->appendDeadTurn(*ref, conversation, {}, fromSeq, most, *out);
        if (!appended)
            return fail(appended.error());
    }
    return out;
}

Result<QList<EventPtr>, Error> LogReader::eventsOfKinds(const QString &conversation,
                                                        const QList<EventKind> &kinds, qint64 fromSeq,
                                                        int limit)
{
    QStringList names;
    for (const EventKind kind : kinds)
        names.append(QString(u'\'' + eventKindName(kind) + u'\'')); // Our own words: nothing to escape.
    if (names.isEmpty())
        return QList<EventPtr>();
    const auto ref = d->reference(conversation);
    if (!ref)
        return fail(ref.error());
    if (*ref == 0)
        return QList<EventPtr>();
    const int most = qBound(0, limit, MaxEvents);
    bool isEnd = false;
    auto out = d->readEvents(*ref, conversation, u" AND kind IN ("_s + names.join(u',') + u')', fromSeq, most,
                             &isEnd);
    if (out && isEnd) {
        const auto appended = d->appendDeadTurn(*ref, conversation, kinds, fromSeq, most, *out);
        if (!appended)
            return fail(appended.error());
    }
    return out;
}

Result<qint64, Error> LogReader::lastSeq(const QString &conversation)
{
    const auto ref = d->reference(conversation);
    if (!ref || *ref == 0)
        return ref;
    const auto last = d->database->value(u"SELECT max(seq) FROM events WHERE conversation=?"_s, {*ref});
    if (!last)
        return fail(last.error());
    const auto dead = d->deadTurn(*ref, conversation);
    if (!dead)
        return fail(dead.error());
    return dead->events().isEmpty() ? last->toLongLong() : dead->events().last()->seq;
}

Result<QList<TranscriptRow>, Error> LogReader::rowsBefore(const QString &conversation, qint64 beforeRow,
                                                          int limit, qint64 *uptoSeq)
{
    if (uptoSeq)
        *uptoSeq = 0;
    const auto ref = d->reference(conversation);
    if (!ref)
        return fail(ref.error());
    QList<TranscriptRow> rows;
    if (*ref == 0)
        return rows;
    const int most = qBound(0, limit, MaxRows);
    // Rows and the deltas that complete them must be of the same moment.
    const auto begun = d->database->exec(u"BEGIN"_s);
    if (!begun)
        return fail(begun.error());
    Result<Done, Error> done = Done();
    {
        Statement query = d->database->statement(u"SELECT "_s + rowColumns()
                                                 + u" FROM transcript_rows WHERE conversation=? AND row<? "
                                                   "ORDER BY row DESC LIMIT ?"_s);
        done = query.run({*ref, beforeRow, most});
        qint64 size = 0;
        while (done && size < MaxPayload && query.next()) {
            rows.prepend(rowFrom(query, 0, conversation));
            size += rows.first().text.size();
        }
        if (done && size < MaxPayload)
            done = query.ended();
        query.finish();
    }
    if (done)
        done = completeTexts(*d->database, *ref, rows);
    if (done && uptoSeq) {
        const auto last = d->database->value(u"SELECT max(seq) FROM events WHERE conversation=?"_s, {*ref});
        if (last)
            *uptoSeq = last->toLongLong();
        else
            done = fail(last.error());
    }
    if (done) {
        const auto dead = d->deadTurn(*ref, conversation);
        if (dead)
            done = dead->applyTo(*d->database, *ref, rows, beforeRow);
        else
            done = fail(dead.error());
        if (done && uptoSeq && !dead->events().isEmpty())
            *uptoSeq = dead->events().last()->seq;
        if (done && rows.size() > most)
            rows.remove(0, rows.size() - most);
    }
    const auto ended = d->database->exec(u"COMMIT"_s);
    if (!done || !ended)
        return fail(done ? ended.error() : done.error());
    return rows;
}

Result<QByteArray, Error> LogReader::output(const QString &conversation, const QString &callId,
                                            const QString &channel, qint64 offset, qint64 length)
{
    const QString fileName = spillFileName(d->dataDir, conversation, callId, channel);
    if (fileName.isEmpty() || offset < 0 || length < 0)
        return fail(Error{ErrorKind::Usage, u"There is no such output."_s, {}, {}});
    return readSpill(fileName, offset, qMin(length, MaxOutput));
}

Result<qint64, Error> LogReader::outputSize(const QString &conversation, const QString &callId,
                                            const QString &channel)
{
    const QString fileName = spillFileName(d->dataDir, conversation, callId, channel);
    const QFileInfo info(fileName);
    if (fileName.isEmpty() || !info.isFile())
        return fail(Error{ErrorKind::NotFound, u"The output of this call is not there."_s, {}, {}});
    return info.size();
}

Result<QList<SearchHit>, Error> LogReader::search(const QString &words, int limit)
{
    const auto ready = d->connected();
    if (!ready)
        return fail(ready.error());
    QList<SearchHit> hits;
    const QString expression = searchExpression(words);
    if (!*ready || expression.isEmpty())
        return hits;
    const auto table = d->database->value(u"SELECT count(*) FROM sqlite_master WHERE name='search'"_s);
    if (!table)
        return fail(table.error());
    if (table->toInt() == 0)
        return fail(Error{ErrorKind::Storage, u"This build of SQLite has no full-text search."_s, {}, {}});
    // By row id and not by rank: ranking a common word reads every place it stands in.
    Statement query =
        d->database->statement(u"SELECT s.id, s.title, r.row, r.kind, r.turn, r.step, r.first_seq, "
                               u"r.last_seq, r.at_ms, r.closed, r.withdrawn, "
                               "snippet(search, -1, '', '', '…', 16), r.data "
                               "FROM search JOIN transcript_rows r ON r.id=search.rowid JOIN summaries s ON "
                               "s.conversation=r.conversation "
                               "WHERE search MATCH ? AND s.deleted=0 ORDER BY search.rowid DESC LIMIT ?"_s);
    const auto run = query.run({expression, qBound(0, limit, MaxHits)});
    if (!run)
        return fail(run.error());
    while (query.next()) {
        const TranscriptRow row = rowFrom(query, 2, query.text(0));
        QString snippet = row.text;
        snippet.replace(u'\n', u' ');
        hits.append({row.conversation, query.text(1), row.row, row.kind, row.turn, row.firstSeq, row.atMs,
                     inertLine(snippet, MaxSnippet)});
    }
    const auto ended = query.ended();
    if (!ended)
        return fail(ended.error());
    return hits;
}

Result<QStringList, Error> LogReader::check()
{
    const auto ready = d->connected();
    if (!ready)
        return fail(ready.error());
    if (!*ready)
        return QStringList();
    return findDamage(*d->database);
}

Result<std::optional<qint64>, Error> LogReader::costSince(qint64 sinceMs)
{
    const auto ready = d->connected();
    if (!ready)
        return fail(ready.error());
    std::optional<qint64> sum;
    if (!*ready)
        return sum;
    // Ids rise with time: only the newest events are looked at.
    const auto last =
        d->database->value(u"SELECT id FROM events WHERE at_ms<? ORDER BY id DESC LIMIT 1"_s, {sinceMs});
    if (!last)
        return fail(last.error());
    Statement steps =
        d->database->statement(u"SELECT payload FROM events WHERE id>? AND kind='step-finish'"_s);
    const auto run = steps.run({last->toLongLong()});
    if (!run)
        return fail(run.error());
    while (steps.next()) {
        const auto payload = parseJson(steps.bytes(0));
        if (!payload)
            continue;
        if (const auto cost = (*payload)[u"costNanos"].toInteger(); cost && *cost >= 0)
            sum = sum.value_or(0) + *cost;
    }
    const auto ended = steps.ended();
    if (!ended)
        return fail(ended.error());
    return sum;
}

Result<DataUsage, Error> LogReader::usage()
{
    const auto ready = d->connected();
    if (!ready)
        return fail(ready.error());
    DataUsage usage;
    for (const QString &name : {u"/log.db"_s, u"/log.db-wal"_s})
        usage.logBytes += QFileInfo(QString(d->dataDir + name)).size();
    if (!*ready)
        return usage;
    QHash<QString, qint64> bytes;
    // The length of a payload stands before it: its pages are not read.
    Statement sizes = d->database->statement(
        u"SELECT c.id, sum(length(e.payload)) FROM events e JOIN conversations c ON c.ref=e.conversation GROUP BY c.ref"_s);
    if (const auto run = sizes.run(); !run)
        return fail(run.error());
    while (sizes.next())
        bytes[sizes.text(0)] += sizes.integer(1);
    sizes.finish();
    int files = 0;
    QDirIterator spill(QString(d->dataDir + u"/spill"_s), QDir::Files, QDirIterator::Subdirectories);
    while (spill.hasNext() && ++files <= MaxSpillFiles) {
        const QFileInfo file = spill.nextFileInfo();
        usage.outputBytes += file.size();
        bytes[file.dir().dirName()] += file.size();
    }
    for (auto it = bytes.cbegin(); it != bytes.cend(); ++it)
        usage.heaviest.append({it.key(), {}, it.value()});
    std::sort(usage.heaviest.begin(), usage.heaviest.end(),
              [](const DataUsage::Item &a, const DataUsage::Item &b) { return a.bytes > b.bytes; });
    usage.heaviest.resize(std::min<qsizetype>(usage.heaviest.size(), MaxHeaviest));
    for (DataUsage::Item &item : usage.heaviest) {
        if (const auto summary = conversation(item.conversation))
            item.title = summary->title;
    }
    return usage;
}

Result<QStringList, Error> LogReader::openTurns()
{
    return d->ids(u"SELECT id FROM summaries WHERE open_turn_seq>0 ORDER BY updated_ms"_s, {});
}

} // namespace Pilothouse
