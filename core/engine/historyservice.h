// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/datausage.h"
#include "store/rows.h"
#include "util/error.h"
#include "util/event.h"
#include "util/result.h"

#include <QList>
#include <QObject>
#include <QStringList>
#include <QThread>

#include <functional>
#include <optional>

namespace Pilothouse {

class LogReader;

/// Rows of a transcript as one read found them.
struct RowPage {
    QList<TranscriptRow> rows;
    /// Every event up to this seq is in the rows. A row may hold later ones (its own lastSeq tells).
    qint64 lastSeq = 0;
};

/// The log for windows: a read-only connection with a thread of its own, so that nothing is read in the
/// thread that paints. Needs no ownership of DATA. No call blocks; replies run in this object's thread, in
/// the order of the calls, unless their context was destroyed. When too many calls wait (MostQueued) a call
/// is answered with a Busy error.
class HistoryService : public QObject {
    Q_OBJECT
public:
    template <typename T>
    using Reply = std::function<void(const Result<T, Error> &)>;

    /// Reads are at most some milliseconds each; more waiting than this means that a caller asks in a loop.
    static constexpr int MostQueued = 256;

    explicit HistoryService(const QString &dataDir, QObject *parent = nullptr);
    ~HistoryService() override; ///< Waits for the read that runs, drops those that wait.

    void conversations(QObject *context, Reply<QList<ConversationSummary>> reply);
    void conversation(const QString &id, QObject *context, Reply<ConversationSummary> reply);
    /// Those of `ids` that are in the log, deleted ones included (see ConversationSummary::deleted).
    void summaries(const QStringList &ids, QObject *context, Reply<QList<ConversationSummary>> reply);
    /// The `limit` rows before `beforeRow` (exclusive; a huge number for the end), in order. Fewer if they
    /// are large.
    void rowsBefore(const QString &conversation, qint64 beforeRow, int limit, QObject *context,
                    Reply<RowPage> reply);
    /// Events of the given kinds from `fromSeq` on, at most `limit`.
    void events(const QString &conversation, const QList<EventKind> &kinds, qint64 fromSeq, int limit,
                QObject *context, Reply<QList<EventPtr>> reply);
    /// Exact bytes of a call's output, shorter at its end.
    void output(const QString &conversation, const QString &callId, const QString &channel, qint64 offset,
                qint64 length, QObject *context, Reply<QByteArray> reply);
    /// See LogReader.
    void costSince(qint64 sinceMs, QObject *context, Reply<std::optional<qint64>> reply);
    void usage(QObject *context, Reply<DataUsage> reply);
    enum class ExportFormat { Markdown = 1, Json };
    /// Writes a conversation into `file`, which is whole or untouched afterwards.
    void exportConversation(const QString &conversation, ExportFormat format, const QString &file,
                            QObject *context, Reply<Done> reply);

private:
    class Worker;
    template <typename T>
    void ask(QObject *context, Reply<T> reply, std::function<Result<T, Error>(LogReader &)> work);

    QThread m_thread;
    Worker *m_worker;
    int m_queued = 0;
};

} // namespace Pilothouse
