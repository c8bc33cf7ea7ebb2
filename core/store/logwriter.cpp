// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/logwriter.h"

#include "store/logdamage.h"
#include "store/migrations.h"
#include "util/ids.h"
#include "util/logging.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxKept = 64 * 1024 * 1024; // What is held in memory while the disk is full.
constexpr qint64 MostCheckedAtOpen = 32 * 1024 * 1024; // Some 50 ms.
constexpr int EventsPerStep = 2000; // Of a purge: a step must not hold up a live turn.
constexpr int PagesPerStep = 256; // 1 MiB of freed pages.

Error internalError(const QString &message)
{
    return {ErrorKind::Internal, message, u"The log was left as it is; this batch was not written."_s,
            u"Please report this."_s};
}

// Nothing may be written into a damaged file, so it is looked at without the right to write. Where that would
// take longer than a person waits, what is read in use must find the damage.
Result<Done, Error> checkBeforeWriting(const QString &fileName)
{
    const qint64 size = QFileInfo(fileName).size();
    if (size == 0 || size > MostCheckedAtOpen)
        return Done();
    const auto database = Database::open(fileName, Database::Mode::ReadOnly);
    if (!database)
        return fail(database.error());
    return checkStructure(**database);
}

// An error that says by itself what was kept (of a damaged file) knows better.
QString keptInMemory(const Error &error)
{
    return error.kept.isEmpty()
        ? u"The log on disk is safe; what came since is kept in memory while the program runs."_s
        : QString(error.kept + u" What came since is kept in memory while the program runs."_s);
}

} // namespace

LogWriter::LogWriter(QString dataDir, std::shared_ptr<std::atomic<qint64>> pending)
    : m_dataDir(std::move(dataDir))
    , m_reserve(m_dataDir)
    , m_pending(std::move(pending))
{ }

LogWriter::~LogWriter()
{
    if (m_database && !m_kept.empty() && !writeKept())
        qCWarning(lcStore, "%d batches of the log could not be written before the end", int(m_kept.size()));
}

Result<Done, Error> LogWriter::open()
{
    auto opened = openLog();
    if (!opened && m_reserve.release())
        opened = openLog(); // Even opening needs some space, for the files beside the log.
    if (opened)
        m_reserve.take();
    return opened;
}

Result<Done, Error> LogWriter::openLog()
{
    const QString fileName = m_dataDir + u"/log.db"_s;
    const auto checked = checkSchema(fileName);
    if (!checked)
        return fail(checked.error());
    const auto sound = checkBeforeWriting(fileName);
    if (!sound)
        return fail(sound.error());
    // Made by us so that the file and, after its example, its WAL are private.
    const int fd = ::open(QFile::encodeName(fileName).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(storageError(errno, fileName));
    ::close(fd);
    auto database = Database::open(fileName, Database::Mode::ReadWrite);
    if (!database)
        return fail(database.error());
    m_database = std::move(*database);
    const auto migrated = migrate(*m_database);
    if (!migrated)
        return fail(migrated.error());
    m_derived = std::make_unique<DerivedTables>(*m_database, m_dataDir);
    const auto prepared = m_derived->prepare();
    if (!prepared)
        return fail(prepared.error());
    m_spill = std::make_unique<SpillWriter>(m_dataDir);
    m_insertEvent.emplace(m_database->statement(
        u"INSERT INTO events (conversation, seq, at_ms, kind, v, payload) VALUES (?,?,?,?,?,?)"_s));
    return resumePurges();
}

void LogWriter::release(const Job &job) { m_pending->fetch_sub(job.size); }

void LogWriter::write(const Job &job)
{
    if (!m_kept.empty() || m_hasLost) {
        // Not tried: order matters more, and the person decides when the disk is worth another try.
        keep(job,
             Error{ErrorKind::Storage,
                   u"The log could not be written."_s,
                   {},
                   u"Free some space, then try again."_s});
        return;
    }
    const std::optional<Trouble> trouble = transact(job);
    if (!trouble) {
        release(job);
        Q_EMIT committed(job.ticket);
    } else if (trouble->isRefused) {
        release(job);
        Q_EMIT failed(job.ticket, trouble->error);
    } else {
        keep(job, trouble->error);
    }
}

Result<Done, Error> LogWriter::writeNow(const EventBatch &batch)
{
    if (!writeKept()) // Older ones come first.
        return fail(Error{ErrorKind::Storage,
                          u"The log could not be written."_s,
                          {},
                          u"Free some space, then try again."_s});
    Job job;
    job.batch = batch;
    job.durable = true;
    const std::optional<Trouble> trouble = transact(job);
    if (trouble)
        return fail(trouble->error);
    return Done();
}

void LogWriter::keep(const Job &job, const Error &error)
{
    Error told = error;
    if (m_hasLost || m_keptSize + job.size > MaxKept) {
        m_hasLost = true;
        release(job);
        told.kept =
            u"What the log says up to here is safe; newer events were lost because too much was waiting."_s;
        Q_EMIT failed(job.ticket, told);
        return;
    }
    m_kept.push_back(job);
    m_keptSize += job.size;
    told.kept = keptInMemory(error);
    Q_EMIT failed(job.ticket, told);
}

void LogWriter::retry()
{
    if (!writeKept())
        return;
    m_hasLost = false;
}

bool LogWriter::writeKept()
{
    while (!m_kept.empty()) {
        const Job job = m_kept.front();
        const std::optional<Trouble> trouble = transact(job);
        if (trouble && !trouble->isRefused) {
            Error told = trouble->error;
            told.kept = keptInMemory(told);
            Q_EMIT failed(job.ticket, told);
            return false;
        }
        m_kept.pop_front();
        m_keptSize -= job.size;
        release(job);
        if (trouble)
            Q_EMIT failed(job.ticket, trouble->error);
        else
            Q_EMIT committed(job.ticket);
    }
    return true;
}

Result<Done, Error> LogWriter::setDurable(bool durable)
{
    // Allowed between transactions only. A FULL commit syncs the WAL, and with it everything committed
    // before.
    if (durable == m_isDurable)
        return Done();
    const auto done =
        m_database->exec(durable ? u"PRAGMA synchronous=FULL"_s : u"PRAGMA synchronous=NORMAL"_s);
    if (done)
        m_isDurable = durable;
    return done;
}

void LogWriter::rollBack()
{
    // After some errors SQLite has rolled back by itself and says so; both are what we want.
    [[maybe_unused]] const auto undone = m_database->exec(u"ROLLBACK"_s);
    m_derived->reset();
    m_known.clear();
}

std::optional<LogWriter::Trouble> LogWriter::transact(const Job &job)
{
    std::optional<Trouble> trouble = tryTransact(job);
    if (trouble && !trouble->isRefused && m_reserve.release())
        trouble = tryTransact(job);
    return trouble;
}

std::optional<LogWriter::Trouble> LogWriter::tryTransact(const Job &job)
{
    auto done = setDurable(job.durable);
    if (done)
        done = m_database->exec(u"BEGIN IMMEDIATE"_s);
    if (!done)
        return Trouble{done.error(), false};
    std::optional<Trouble> trouble = insertAll(job);
    if (!trouble) {
        done = m_database->exec(u"COMMIT"_s);
        if (!done)
            trouble = Trouble{done.error(), false};
    }
    if (trouble)
        rollBack();
    m_spill->forget();
    return trouble;
}

std::optional<LogWriter::Trouble> LogWriter::insertAll(const Job &job)
{
    for (const EventDelivery &delivery : job.batch) {
        std::optional<Trouble> trouble = insert(delivery);
        if (trouble)
            return trouble;
    }
    auto done = m_derived->flush();
    if (done && job.durable)
        done = m_spill->sync();
    if (!done)
        return Trouble{done.error(), false};
    return {};
}

Result<LogWriter::Known, Error> LogWriter::known(const QString &conversation)
{
    const auto cached = m_known.constFind(conversation);
    if (cached != m_known.constEnd())
        return *cached;
    Known known;
    const auto ref = m_database->value(u"SELECT ref FROM conversations WHERE id=?"_s, {conversation});
    if (!ref)
        return fail(ref.error());
    known.ref = ref->toLongLong();
    if (known.ref > 0) {
        const auto last =
            m_database->value(u"SELECT max(seq) FROM events WHERE conversation=?"_s, {known.ref});
        if (!last)
            return fail(last.error());
        known.lastSeq = last->toLongLong();
    }
    m_known.insert(conversation, known);
    return known;
}

std::optional<LogWriter::Trouble> LogWriter::insert(const EventDelivery &delivery)
{
    if (!delivery.event || !isId(delivery.event->conversation))
        return Trouble{internalError(u"An event without a valid conversation was refused."_s), true};
    const Event &event = *delivery.event;
    auto state = known(event.conversation);
    if (!state)
        return Trouble{state.error(), false};
    for (const Purge &purge : m_purges) {
        if (purge.ref == state->ref)
            return Trouble{internalError(u"An event for a conversation that is being removed was refused."_s),
                           true};
    }
    if (event.seq != state->lastSeq + 1)
        return Trouble{internalError(u"Event "_s + QString::number(event.seq) + u" of conversation "_s
                                     + event.conversation + u" was refused: the log ends with "_s
                                     + QString::number(state->lastSeq) + u'.'),
                       true};
    if (event.kind == EventKind::ToolOutput) {
        std::optional<Trouble> trouble = spill(event, delivery.bytes);
        if (trouble)
            return trouble;
    }
    if (state->ref == 0) {
        Statement add = m_database->statement(u"INSERT INTO conversations (id) VALUES (?)"_s);
        const auto added = add.run({event.conversation});
        if (!added)
            return Trouble{added.error(), false};
        state->ref = add.insertedId();
    }
    const QByteArray payload = event.payload.isNull() ? QByteArray("") : event.payload;
    const auto inserted = m_insertEvent->run(
        {state->ref, event.seq, event.atMs, QString(eventKindName(event.kind)), event.version, payload});
    if (!inserted)
        return Trouble{inserted.error(), false};
    m_known.insert(event.conversation, {state->ref, event.seq});
    const auto applied = m_derived->apply(state->ref, event, delivery.bytes);
    if (!applied)
        return Trouble{applied.error(), false};
    return {};
}

std::optional<LogWriter::Trouble> LogWriter::spill(const Event &event, const QByteArray &bytes)
{
    const Json payload = event.json();
    const qint64 offset = payload[u"offset"].toInteger(-1);
    const QString fileName = spillFileName(m_dataDir, event.conversation, payload[u"callId"].toString(),
                                           payload[u"channel"].toString());
    if (fileName.isEmpty() || offset < 0 || payload[u"length"].toInteger(-1) != bytes.size())
        return Trouble{internalError(u"A tool-output event that does not fit its bytes was refused."_s),
                       true};
    const auto written = m_spill->write(fileName, offset, bytes);
    if (!written)
        return Trouble{written.error(), false};
    return {};
}

Result<Done, Error> LogWriter::resumePurges()
{
    Statement left = m_database->statement(
        u"SELECT p.conversation, c.id FROM purges p JOIN conversations c ON c.ref=p.conversation"_s);
    const auto run = left.run();
    if (!run)
        return fail(run.error());
    while (left.next())
        m_purges.push_back({0, left.integer(0), left.text(1)});
    if (!m_purges.empty())
        QMetaObject::invokeMethod(this, &LogWriter::continuePurge, Qt::QueuedConnection);
    return left.ended();
}

void LogWriter::purge(quint64 ticket, const QString &conversation)
{
    const auto state = known(conversation);
    if (!state) {
        Q_EMIT failed(ticket, state.error());
        return;
    }
    const auto deleted =
        m_database->value(u"SELECT deleted FROM summaries WHERE conversation=?"_s, {state->ref});
    if (!deleted) {
        Q_EMIT failed(ticket, deleted.error());
        return;
    }
    if (deleted->toInt() != 1) {
        Q_EMIT failed(ticket,
                      Error{ErrorKind::Usage, u"This conversation is not deleted."_s,
                            u"Nothing was removed."_s, u"Delete it first."_s});
        return;
    }
    // The output first: on a full disk it is what makes room for everything else.
    const auto files = m_spill->remove(conversation);
    if (!files) {
        Q_EMIT failed(ticket, files.error());
        return;
    }
    auto marked = markPurge(state->ref);
    if (!marked && m_reserve.release())
        marked = markPurge(state->ref);
    if (!marked) {
        Q_EMIT failed(ticket, marked.error());
        return;
    }
    m_purges.push_back({ticket, state->ref, conversation});
    if (m_purges.size() == 1)
        QMetaObject::invokeMethod(this, &LogWriter::continuePurge, Qt::QueuedConnection);
}

Result<Done, Error> LogWriter::markPurge(qint64 ref)
{
    Statement mark = m_database->statement(u"INSERT OR IGNORE INTO purges (conversation) VALUES (?)"_s);
    return mark.run({ref});
}

// One bounded step per turn of the event loop, so that batches of live turns come in between.
void LogWriter::continuePurge()
{
    if (m_purges.empty())
        return;
    const Purge purge = m_purges.front();
    auto done = Result<bool, Error>(false);
    const auto begun = m_database->exec(u"BEGIN IMMEDIATE"_s);
    if (begun)
        done = purgeSome(purge);
    else
        done = fail(begun.error());
    if (done) {
        const auto committedStep = m_database->exec(u"COMMIT"_s);
        if (!committedStep)
            done = fail(committedStep.error());
    }
    if (!done)
        rollBack();
    if (done && !*done) {
        QMetaObject::invokeMethod(this, &LogWriter::continuePurge, Qt::QueuedConnection);
        return;
    }
    // Ended, or failed: what is left is done at the next start.
    m_purges.pop_front();
    m_known.remove(purge.conversation);
    QMetaObject::invokeMethod(this, m_purges.empty() ? &LogWriter::vacuumSome : &LogWriter::continuePurge,
                              Qt::QueuedConnection);
    if (purge.ticket == 0)
        return;
    if (done)
        Q_EMIT committed(purge.ticket);
    else
        Q_EMIT failed(purge.ticket, done.error());
}

Result<bool, Error> LogWriter::purgeSome(const Purge &purge)
{
    const auto rowsGone = m_derived->removeSome(purge.ref);
    if (!rowsGone || !*rowsGone)
        return rowsGone;
    Statement events = m_database->statement(
        u"DELETE FROM events WHERE id IN (SELECT id FROM events WHERE conversation=? ORDER BY seq LIMIT "_s
        + QString::number(EventsPerStep) + u')');
    const auto removed = events.run({purge.ref});
    if (!removed)
        return fail(removed.error());
    if (events.changedRows() == EventsPerStep)
        return false;
    // Files first: a folder without a conversation would never be found again.
    const auto files = m_spill->remove(purge.conversation);
    if (!files)
        return fail(files.error());
    for (const QString &sql :
         {u"DELETE FROM purges WHERE conversation=?"_s, u"DELETE FROM conversations WHERE ref=?"_s}) {
        Statement remove = m_database->statement(sql);
        const auto done = remove.run({purge.ref});
        if (!done)
            return fail(done.error());
    }
    return true;
}

void LogWriter::vacuumSome()
{
    if (!m_purges.empty())
        return; // The purge ends with another call.
    Statement vacuum =
        m_database->statement(u"PRAGMA incremental_vacuum("_s + QString::number(PagesPerStep) + u')');
    if (!vacuum.run())
        return;
    while (vacuum.next()) { } // A page per row.
    const auto ended = vacuum.ended();
    const auto free = m_database->value(u"PRAGMA freelist_count"_s);
    if (ended && free && free->toLongLong() > 0)
        QMetaObject::invokeMethod(this, &LogWriter::vacuumSome, Qt::QueuedConnection);
    else
        m_reserve.take(); // If it had been given up, there may be room for it again.
}

} // namespace Pilothouse
