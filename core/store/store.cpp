// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/store.h"

#include "store/database.h"
#include "store/diskspace.h"
#include "store/logwriter.h"
#include "store/ownerlock.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QThread>

#include <atomic>
#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

Result<Done, Error> makeDataFolder(const QString &dataDir)
{
    const QFileInfo info(dataDir);
    if (!info.exists()) {
        QDir().mkpath(info.absolutePath());
        if (::mkdir(QFile::encodeName(dataDir).constData(), 0700) != 0 && errno != EEXIST)
            return fail(storageError(errno, dataDir));
    } else if (!info.isDir()) {
        return fail(storageError(ENOTDIR, dataDir));
    }
    if (::access(QFile::encodeName(dataDir).constData(), R_OK | W_OK | X_OK) != 0)
        return fail(storageError(errno, dataDir));
    return Done();
}

} // namespace

class Store::Private {
public:
    QString dataDir;
    std::unique_ptr<OwnerLock> lock;
    std::shared_ptr<std::atomic<qint64>> pending = std::make_shared<std::atomic<qint64>>(0);
    QThread thread;
    LogWriter *writer = nullptr; // Lives in `thread`, which deletes it at its end.
    quint64 lastTicket = 0;

    ~Private()
    {
        // What is queued stands before this in the thread's event loop; the writer is deleted by the thread's
        // end.
        QMetaObject::invokeMethod(
            writer, [ending = &thread] { ending->quit(); }, Qt::QueuedConnection);
        thread.wait();
    }
};

Result<std::unique_ptr<Store>, Error> Store::open(const QString &dataDir, const QString &program)
{
    const QString folder = QDir::cleanPath(dataDir);
    const auto made = makeDataFolder(folder);
    if (!made)
        return fail(made.error());
    auto lock = OwnerLock::take(folder, program);
    if (!lock)
        return fail(lock.error());

    auto d = std::make_unique<Private>();
    d->dataDir = folder;
    d->lock = std::move(*lock);
    d->writer = new LogWriter(folder, d->pending);
    d->thread.setObjectName(u"store"_s);
    d->writer->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, d->writer, &QObject::deleteLater);
    d->thread.start();
    // A connection belongs to the thread that opens it; the caller cannot go on without the answer.
    Result<Done, Error> opened = Done();
    QMetaObject::invokeMethod(
        d->writer, [&opened, writer = d->writer] { opened = writer->open(); }, Qt::BlockingQueuedConnection);
    if (!opened)
        return fail(opened.error());
    return std::unique_ptr<Store>(new Store(std::move(d)));
}

Store::Store(std::unique_ptr<Private> priv)
    : d(std::move(priv))
{
    connect(d->writer, &LogWriter::committed, this, &Store::committed);
    connect(d->writer, &LogWriter::failed, this, &Store::failed);
}

Store::~Store() = default;

quint64 Store::append(const EventBatch &batch, bool durable)
{
    LogWriter::Job job;
    job.ticket = ++d->lastTicket;
    job.batch = batch;
    job.durable = durable;
    for (const EventDelivery &delivery : batch)
        job.size += delivery.bytes.size() + (delivery.event ? delivery.event->payload.size() : 0);
    d->pending->fetch_add(job.size);
    QMetaObject::invokeMethod(
        d->writer, [writer = d->writer, job] { writer->write(job); }, Qt::QueuedConnection);
    return job.ticket;
}

Result<Done, Error> Store::writeNow(const EventBatch &batch)
{
    Result<Done, Error> written = Done();
    QMetaObject::invokeMethod(
        d->writer, [&written, &batch, writer = d->writer] { written = writer->writeNow(batch); },
        Qt::BlockingQueuedConnection);
    return written;
}

void Store::retry() { QMetaObject::invokeMethod(d->writer, &LogWriter::retry, Qt::QueuedConnection); }

quint64 Store::purge(const QString &conversation)
{
    const quint64 ticket = ++d->lastTicket;
    QMetaObject::invokeMethod(
        d->writer, [writer = d->writer, ticket, conversation] { writer->purge(ticket, conversation); },
        Qt::QueuedConnection);
    return ticket;
}

std::optional<qint64> Store::roomForOutput() const { return Pilothouse::roomForOutput(d->dataDir); }

qint64 Store::pendingBytes() const { return d->pending->load(); }

} // namespace Pilothouse
