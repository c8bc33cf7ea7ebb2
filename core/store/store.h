// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/event.h"
#include "util/result.h"

#include <QObject>

#include <memory>
#include <optional>

namespace Pilothouse {

/// The writing side of the log: owner lock, database, spill files, derived tables. The object lives in the
/// engine thread and owns the store thread, where all writing is done. One transaction per batch; derived
/// tables are written in the same transaction.
class Store : public QObject {
    Q_OBJECT
public:
    /// Takes DATA/owner.lock, opens or creates DATA/log.db, migrates. Errors: NotOwner (names program and pid
    /// of the owner), Storage (newer version: untouched; not readable; disk full). `program` is the name
    /// written into the lock.
    [[nodiscard]] static Result<std::unique_ptr<Store>, Error> open(const QString &dataDir,
                                                                    const QString &program);
    ~Store() override; ///< Writes what is queued, then ends the thread.

    /// Queues a batch; order of calls is order in the log. Bytes of tool-output deliveries go to the spill
    /// files before the transaction commits. With `durable` the commit is synced to disk. Answered by
    /// committed(ticket) or failed(ticket, …); a failed batch and all later ones are kept in memory (up to a
    /// bound) and tried again by retry().
    quint64 append(const EventBatch &batch, bool durable);
    /// Writes a batch at once, synced to disk, and waits for it: for the start, before anything else may read
    /// or write. On an error nothing of it was written or kept.
    [[nodiscard]] Result<Done, Error> writeNow(const EventBatch &batch);
    void retry(); ///< After failed(): tries the kept batches again, in order.

    /// Removes everything of a conversation whose conversation-deleted is committed: events, rows, output
    /// files. Done in small steps between batches and continued after a restart; the space goes back to the
    /// system afterwards. Answered like append(); Usage error if the conversation is not deleted.
    quint64 purge(const QString &conversation);

    /// Bytes that output may still take on the disk, what is on its way not counted; nothing if unknown.
    [[nodiscard]] std::optional<qint64> roomForOutput() const;
    /// Bytes handed over and not yet written; the engine stops reading output above its bound.
    [[nodiscard]] qint64 pendingBytes() const;

Q_SIGNALS:
    void committed(quint64 ticket);
    void failed(quint64 ticket, const Pilothouse::Error &error);

private:
    class Private;
    explicit Store(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
