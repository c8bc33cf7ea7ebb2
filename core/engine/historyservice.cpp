// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/historyservice.h"

#include "store/exportjson.h"
#include "store/exportmarkdown.h"
#include "store/logreader.h"

#include <QPointer>
#include <QSaveFile>

#include <memory>

namespace Pilothouse {

using namespace Qt::StringLiterals;

/// Lives in the service's thread and holds the connection, which belongs to the thread that opened it.
class HistoryService::Worker : public QObject {
public:
    explicit Worker(QString dataDir)
        : m_dataDir(std::move(dataDir))
    { }

    template <typename T>
    Result<T, Error> run(const std::function<Result<T, Error>(LogReader &)> &work)
    {
        if (!m_reader) {
            // Tried again at every call: the log may not be there yet, or be renewed by its owner just now.
            auto opened = LogReader::open(m_dataDir);
            if (!opened)
                return fail(opened.error());
            m_reader = std::move(*opened);
        }
        return work(*m_reader);
    }

private:
    QString m_dataDir;
    std::unique_ptr<LogReader> m_reader;
};

HistoryService::HistoryService(const QString &dataDir, QObject *parent)
    : QObject(parent)
    , m_worker(new Worker(dataDir))
{
    m_thread.setObjectName(u"history"_s);
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

HistoryService::~HistoryService()
{
    m_thread.quit();
    m_thread.wait();
}

template <typename T>
void HistoryService::ask(QObject *context, Reply<T> reply, std::function<Result<T, Error>(LogReader &)> work)
{
    const QPointer<QObject> guard(context);
    if (m_queued >= MostQueued) {
        QMetaObject::invokeMethod(
            this,
            [guard, reply = std::move(reply)] {
                if (guard)
                    reply(fail(Error{
                        ErrorKind::Busy, u"Too many reads of the log are waiting."_s, {}, u"Try again."_s}));
            },
            Qt::QueuedConnection);
        return;
    }
    ++m_queued;
    QMetaObject::invokeMethod(
        m_worker,
        [this, guard, reply = std::move(reply), work = std::move(work)] {
            // Shared, as the answer is copied with the call that carries it.
            const auto answer = std::make_shared<const Result<T, Error>>(m_worker->run<T>(work));
            QMetaObject::invokeMethod(
                this,
                [this, guard, reply, answer] {
                    --m_queued;
                    if (guard)
                        reply(*answer);
                },
                Qt::QueuedConnection);
        },
        Qt::QueuedConnection);
}

void HistoryService::conversations(QObject *context, Reply<QList<ConversationSummary>> reply)
{
    ask<QList<ConversationSummary>>(context, std::move(reply),
                                    [](LogReader &log) { return log.conversations(); });
}

void HistoryService::conversation(const QString &id, QObject *context, Reply<ConversationSummary> reply)
{
    ask<ConversationSummary>(context, std::move(reply),
                             [id](LogReader &log) { return log.conversation(id); });
}

void HistoryService::summaries(const QStringList &ids, QObject *context,
                               Reply<QList<ConversationSummary>> reply)
{
    ask<QList<ConversationSummary>>(context, std::move(reply),
                                    [ids](LogReader &log) -> Result<QList<ConversationSummary>, Error> {
                                        QList<ConversationSummary> found;
                                        for (const QString &id : ids) {
                                            const auto summary = log.conversation(id);
                                            if (summary)
                                                found.append(*summary);
                                            else if (summary.error().kind != ErrorKind::NotFound)
                                                return fail(summary.error());
                                        }
                                        return found;
                                    });
}

void HistoryService::rowsBefore(const QString &conversation, qint64 beforeRow, int limit, QObject *context,
                                Reply<RowPage> reply)
{
    ask<RowPage>(context, std::move(reply),
                 [conversation, beforeRow, limit](LogReader &log) -> Result<RowPage, Error> {
                     // The seq first: what is written between the two reads is then in the rows at least.
                     const auto lastSeq = log.lastSeq(conversation);
                     if (!lastSeq)
                         return fail(lastSeq.error());
                     auto rows = log.rowsBefore(conversation, beforeRow, limit);
                     if (!rows)
                         return fail(rows.error());
                     return RowPage{std::move(*rows), *lastSeq};
                 });
}

void HistoryService::events(const QString &conversation, const QList<EventKind> &kinds, qint64 fromSeq,
                            int limit, QObject *context, Reply<QList<EventPtr>> reply)
{
    ask<QList<EventPtr>>(context, std::move(reply), [conversation, kinds, fromSeq, limit](LogReader &log) {
        return log.eventsOfKinds(conversation, kinds, fromSeq, limit);
    });
}

void HistoryService::output(const QString &conversation, const QString &callId, const QString &channel,
                            qint64 offset, qint64 length, QObject *context, Reply<QByteArray> reply)
{
    ask<QByteArray>(context, std::move(reply),
                    [conversation, callId, channel, offset, length](LogReader &log) {
                        return log.output(conversation, callId, channel, offset, length);
                    });
}

void HistoryService::costSince(qint64 sinceMs, QObject *context, Reply<std::optional<qint64>> reply)
{
    ask<std::optional<qint64>>(context, std::move(reply),
                               [sinceMs](LogReader &log) { return log.costSince(sinceMs); });
}

void HistoryService::usage(QObject *context, Reply<DataUsage> reply)
{
    ask<DataUsage>(context, std::move(reply), [](LogReader &log) { return log.usage(); });
}

void HistoryService::exportConversation(const QString &conversation, ExportFormat format, const QString &file,
                                        QObject *context, Reply<Done> reply)
{
    ask<Done>(context, std::move(reply), [conversation, format, file](LogReader &log) -> Result<Done, Error> {
        const auto refuse = [&file](const QString &why) {
            return fail(Error{ErrorKind::Storage, u"%1 cannot be written: %2."_s.arg(file, why),
                              u"What was there before is untouched."_s, u"Choose another file."_s});
        };
        QSaveFile out(file);
        if (!out.open(QIODevice::WriteOnly))
            return refuse(out.errorString());
        const auto done = format == ExportFormat::Json ? exportJson(log, conversation, out)
                                                       : exportMarkdown(log, conversation, out);
        if (!done)
            return done;
        if (!out.commit())
            return refuse(out.errorString());
        return Done();
    });
}

} // namespace Pilothouse
