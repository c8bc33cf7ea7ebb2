// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/derivedtables.h"

#include "store/calltext.h"
#include "store/logdamage.h"
#include "store/rowcodec.h"
#include "store/spillfiles.h"
#include "util/logging.h"

#include <QStringList>

#include <map>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t MaxLive =
    256; // Conversations kept in memory between batches; more are read again when needed.
constexpr qint64 MaxReplayedOutput =
    64 * 1024; // The projector looks at no more than that at the end of each piece.
constexpr int RowsPerStep = 500; // Of a removal: a step must not hold up a live turn.

QString placeholders(qsizetype count) { return QStringList(count, u"?"_s).join(u','); }

qsizetype columnCount(const QString &columns) { return columns.count(u',') + 1; }

QString updates(const QString &columns)
{
    QStringList out;
    for (const QString &column : columns.split(u", "_s))
        out += QString(column + u"=excluded."_s + column);
    return out.join(u", "_s);
}

QString putRowSql()
{
    const QString columns = rowColumns() + u", find"_s;
    return u"INSERT INTO transcript_rows (conversation, "_s + columns + u") VALUES (?,"_s
        + placeholders(columnCount(columns)) + u") ON CONFLICT (conversation, row) DO UPDATE SET "_s
        + updates(columns);
}

QString putSummarySql()
{
    return u"INSERT INTO summaries (conversation, "_s + summaryColumns() + u") VALUES (?,"_s
        + placeholders(columnCount(summaryColumns())) + u") ON CONFLICT (conversation) DO UPDATE SET "_s
        + updates(summaryColumns());
}

} // namespace

struct DerivedTables::Live {
    SummaryState summary;
    std::unique_ptr<TranscriptProjector> projector;
    qint64 storedLastRow = 0;
    std::map<qint64, TranscriptRow> pending; // Changed in this transaction.
};

DerivedTables::DerivedTables(Database &database, QString dataDir)
    : m_database(database)
    , m_dataDir(std::move(dataDir))
    , m_putRow(database.statement(putRowSql()))
    , m_putSummary(database.statement(putSummarySql()))
    , m_putSearch(
          database.statement(u"INSERT INTO search (rowid, text, find) "
                             "SELECT id, text, find FROM transcript_rows WHERE conversation=? AND row=?"_s))
{ }

DerivedTables::~DerivedTables() = default;

Result<Done, Error> DerivedTables::prepare()
{
    const auto version = m_database.value(u"SELECT value FROM meta WHERE key='derived_version'"_s);
    if (!version)
        return fail(version.error());
    if (version->toInt() != Version)
        return rebuild();
    const auto table = m_database.value(u"SELECT count(*) FROM sqlite_master WHERE name='search'"_s);
    if (!table)
        return fail(table.error());
    if (table->toInt() == 0)
        return Done();
    const auto probe = m_database.value(u"SELECT count(*) FROM search WHERE rowid=0"_s);
    m_hasSearch = probe.has_value();
    if (m_hasSearch)
        return Done();
    // The table may come from a build of SQLite with FTS5 while this one has none; then the tables are made
    // anew by the next build that has it. A damaged file is another matter, and is told as such.
    const auto modules = m_database.value(u"SELECT count(*) FROM pragma_module_list WHERE name='fts5'"_s);
    if (!modules || modules->toInt() > 0) {
        const auto structure = checkStructure(m_database);
        return structure ? rebuild() : structure;
    }
    return m_database.exec(u"UPDATE meta SET value='0' WHERE key='derived_version'"_s);
}

Result<Done, Error> DerivedTables::createTables()
{
    const QStringList statements = {
        u"DROP TABLE IF EXISTS transcript_rows"_s,
        u"DROP TABLE IF EXISTS summaries"_s,
        u"CREATE TABLE transcript_rows (id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, row INTEGER "
        u"NOT NULL, "
        "kind TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, first_seq INTEGER NOT NULL, "
        "last_seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, closed INTEGER NOT NULL, withdrawn INTEGER NOT "
        "NULL, "
        "text TEXT NOT NULL, data BLOB NOT NULL, find TEXT NOT NULL, UNIQUE (conversation, row))"_s,
        u"CREATE INDEX open_rows ON transcript_rows (conversation, row) WHERE closed=0"_s,
        u"CREATE TABLE summaries (conversation INTEGER PRIMARY KEY, "_s + summaryColumns() + u')',
        u"CREATE INDEX summaries_by_id ON summaries (id)"_s,
    };
    // Without FTS5 the old index cannot even be dropped; it stays unused.
    if (!m_database.exec(u"DROP TABLE IF EXISTS search"_s))
        qCInfo(lcStore, "no full-text search in this build of SQLite");
    for (const QString &sql : statements) {
        const auto done = m_database.exec(sql);
        if (!done)
            return fail(done.error());
    }
    m_hasSearch = m_database
                      .exec(u"CREATE VIRTUAL TABLE search USING fts5 (text, find, content='transcript_rows', "
                            "content_rowid='id')"_s)
                      .has_value();
    return Done();
}

Result<Done, Error> DerivedTables::rebuild()
{
    const auto begun = m_database.exec(u"BEGIN IMMEDIATE"_s);
    if (!begun)
        return fail(begun.error());
    reset();
    auto done = createTables();
    if (done)
        done = replay();
    if (done)
        done = m_database.exec(u"INSERT OR REPLACE INTO meta (key, value) VALUES ('derived_version', '"_s
                               + QString::number(Version) + u"')"_s);
    if (done)
        done = m_database.exec(u"COMMIT"_s);
    if (!done) {
        [[maybe_unused]] const auto undone = m_database.exec(u"ROLLBACK"_s);
        reset();
    }
    return done;
}

Result<Done, Error> DerivedTables::replay()
{
    // In the order of commits, so that "newest first" of a search is what it was.
    Statement events =
        m_database.statement(u"SELECT seq, at_ms, kind, v, payload, conversation, c.id FROM events "
                             "JOIN conversations c ON c.ref=conversation ORDER BY events.id"_s);
    const auto run = events.run();
    if (!run)
        return fail(run.error());
    while (events.next()) {
        const std::optional<Event> event = eventFrom(events, events.text(6));
        if (!event)
            return fail(Error{ErrorKind::Storage, u"The log holds an event of an unknown kind."_s,
                              u"The log was left as it is."_s, u"Use a newer Pilothouse."_s});
        QByteArray bytes;
        if (event->kind == EventKind::ToolOutput) {
            const Json payload = event->json();
            const qint64 length = qMax<qint64>(0, payload[u"length"].toInteger(0));
            const qint64 skipped = qMax<qint64>(0, length - MaxReplayedOutput);
            const QString fileName =
                spillFileName(m_dataDir, event->conversation, payload[u"callId"].toString(),
                              payload[u"channel"].toString());
            if (!fileName.isEmpty()) // A lost file costs the last line of a card, not the log.
                bytes = readSpill(fileName, payload[u"offset"].toInteger(0) + skipped, length - skipped)
                            .value_or({});
        }
        const auto applied = apply(events.integer(5), *event, bytes);
        if (!applied)
            return fail(applied.error());
        const bool turnEnds = event->kind == EventKind::TurnFinish;
        if (turnEnds) {
            const auto flushed = flush();
            if (!flushed)
                return fail(flushed.error());
        }
    }
    const auto ended = events.ended();
    return ended ? flush() : ended;
}

Result<DerivedTables::Live *, Error> DerivedTables::live(qint64 ref, const QString &conversation)
{
    const auto known = m_live.find(ref);
    if (known != m_live.end())
        return known->second.get();
    auto made = std::make_unique<Live>();
    Statement summary =
        m_database.statement(u"SELECT "_s + summaryColumns() + u" FROM summaries WHERE conversation=?"_s);
    const auto run = summary.run({ref});
    if (!run)
        return fail(run.error());
    if (summary.next())
        made->summary = summaryFrom(summary, 0);
    const auto ended = summary.ended();
    if (!ended)
        return fail(ended.error());
    const auto last = m_database.value(u"SELECT max(row) FROM transcript_rows WHERE conversation=?"_s, {ref});
    if (!last)
        return fail(last.error());
    const auto open = readOpenRows(m_database, ref, conversation);
    if (!open)
        return fail(open.error());
    made->storedLastRow = last->toLongLong();
    made->projector = std::make_unique<TranscriptProjector>(conversation, made->storedLastRow, *open);
    return (m_live[ref] = std::move(made)).get();
}

Result<Done, Error> DerivedTables::apply(qint64 ref, const Event &event, const QByteArray &bytes)
{
    const auto found = live(ref, event.conversation);
    if (!found)
        return fail(found.error());
    Live &live = **found;
    if (!m_touched.contains(ref))
        m_touched.append(ref);
    applyToSummary(live.summary, event, event.json());
    const QList<qint64> changed = live.projector->apply(event, bytes);
    for (const qint64 number : changed) {
        const TranscriptRow *row = live.projector->row(number);
        if (!row)
            continue;
        const bool isOpenText = isStreamed(*row) && !row->closed;
        // Growing text is not written again and again: readers complete it from the deltas. No copy is kept
        // either, because the projector's own text would then be copied at each delta.
        if (isOpenText && (number <= live.storedLastRow || live.pending.contains(number)))
            continue;
        TranscriptRow &copy = live.pending[number];
        if (isOpenText) {
            copy.conversation = row->conversation;
            copy.row = row->row;
            copy.kind = row->kind;
            copy.turn = row->turn;
            copy.step = row->step;
            copy.firstSeq = row->firstSeq;
            copy.lastSeq = row->lastSeq;
            copy.atMs = row->atMs;
            copy.data = row->data;
        } else {
            copy = *row;
        }
    }
    return Done();
}

Result<Done, Error> DerivedTables::store(qint64 ref, const TranscriptRow &row)
{
    QString find = u""_s;
    if (row.kind == TranscriptRow::Kind::Call) {
        const QString text = callSearchText(row.data[u"args"]);
        find = QString::fromUtf8(text.toUtf8());
    }
    QVariantList values = rowValues(row);
    values.prepend(ref);
    values.append(find.isNull() ? u""_s : find);
    const auto put = m_putRow.run(values);
    if (!put)
        return fail(put.error());
    if (m_hasSearch && isSearched(row)) {
        const auto indexed = m_putSearch.run({ref, row.row});
        if (!indexed)
            return fail(indexed.error());
    }
    return Done();
}

Result<Done, Error> DerivedTables::flush()
{
    for (const qint64 ref : std::exchange(m_touched, {})) {
        Live &live = *m_live.at(ref);
        for (const auto &[number, row] : live.pending) {
            const auto stored = store(ref, row);
            if (!stored)
                return fail(stored.error());
            live.storedLastRow = qMax(live.storedLastRow, number);
        }
        live.pending.clear();
        QVariantList values = summaryValues(live.summary);
        values.prepend(ref);
        const auto put = m_putSummary.run(values);
        if (!put)
            return fail(put.error());
    }
    if (m_live.size() > MaxLive)
        m_live.clear();
    return Done();
}

void DerivedTables::reset()
{
    m_live.clear();
    m_touched.clear();
}

Result<bool, Error> DerivedTables::removeSome(qint64 ref)
{
    m_live.erase(ref);
    m_touched.removeAll(ref);
    // The last row of this step, or none when fewer are left than a step takes.
    const auto bound = m_database.value(
        u"SELECT row FROM transcript_rows WHERE conversation=? ORDER BY row LIMIT 1 OFFSET "_s
            + QString::number(RowsPerStep - 1),
        {ref});
    if (!bound)
        return fail(bound.error());
    const bool isLast = !bound->isValid();
    const QString which = u" FROM transcript_rows WHERE conversation=? AND (? OR row<=?)"_s;
    const QVariantList values = {ref, isLast, bound->toLongLong()};
    if (m_hasSearch) {
        // An index over external content must be told the text it is to forget.
        Statement forget = m_database.statement(
            u"INSERT INTO search (search, rowid, text, find) SELECT 'delete', id, text, find"_s + which
            + u" AND closed=1 AND withdrawn=0 AND kind IN ('user','text','call')"_s);
        const auto done = forget.run(values);
        if (!done)
            return fail(done.error());
    }
    Statement remove = m_database.statement(u"DELETE"_s + which);
    auto done = remove.run(values);
    if (done && isLast) {
        Statement summary = m_database.statement(u"DELETE FROM summaries WHERE conversation=?"_s);
        done = summary.run({ref});
    }
    if (!done)
        return fail(done.error());
    return isLast;
}

} // namespace Pilothouse
