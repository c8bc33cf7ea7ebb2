// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/database.h"
#include "store/derivedtables.h"
#include "store/diskspace.h"
#include "store/spillfiles.h"
#include "util/event.h"

#include <QHash>
#include <QObject>
#include <QSet>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>

namespace Pilothouse {

/// What Store does in the store thread: the one writing connection. Made, used and destroyed there.
class LogWriter : public QObject {
    Q_OBJECT
public:
    struct Job {
        quint64 ticket = 0;
        EventBatch batch;
        bool durable = false;
        qint64 size = 0; ///< Bytes in memory, as counted in `pending`.
    };

    /// `pending` is shared with the owner: bytes handed over and not yet written.
    LogWriter(QString dataDir, std::shared_ptr<std::atomic<qint64>> pending);
    ~LogWriter() override; ///< Tries kept batches once more.

    [[nodiscard]] Result<Done, Error> open();
    void write(const Job &job);
    /// Synced to disk when it returns. On an error nothing was written or kept.
    [[nodiscard]] Result<Done, Error> writeNow(const EventBatch &batch);
    void retry();
    void purge(quint64 ticket, const QString &conversation);

Q_SIGNALS:
    void committed(quint64 ticket);
    void failed(quint64 ticket, const Pilothouse::Error &error);

private:
    /// Why a batch was not written: a refused one is wrong in itself, and trying again would not help.
    struct Trouble {
        Error error;
        bool isRefused = false;
    };
    struct Known {
        qint64 ref = 0;
        qint64 lastSeq = 0;
    };
    struct Purge {
        quint64 ticket = 0; ///< 0: left over from an earlier run.
        qint64 ref = 0;
        QString conversation;
    };

    [[nodiscard]] Result<Done, Error> openLog();
    /// One transaction; once more with the disk reserve given up if the disk is full.
    [[nodiscard]] std::optional<Trouble> transact(const Job &job);
    [[nodiscard]] std::optional<Trouble> tryTransact(const Job &job);
    [[nodiscard]] Result<Done, Error> markPurge(qint64 ref);
    [[nodiscard]] std::optional<Trouble> insertAll(const Job &job);
    [[nodiscard]] std::optional<Trouble> insert(const EventDelivery &delivery);
    [[nodiscard]] std::optional<Trouble> spill(const Event &event, const QByteArray &bytes);
    [[nodiscard]] Result<Known, Error> known(const QString &conversation);
    [[nodiscard]] Result<Done, Error> setDurable(bool durable);
    void rollBack();
    void keep(const Job &job, const Error &error);
    void release(const Job &job);
    [[nodiscard]] bool writeKept(); ///< False: stopped at a failure, which was reported.

    [[nodiscard]] Result<Done, Error> resumePurges();
    void continuePurge();
    [[nodiscard]] Result<bool, Error> purgeSome(const Purge &purge);
    void vacuumSome();

    QString m_dataDir;
    DiskReserve m_reserve;
    std::shared_ptr<std::atomic<qint64>> m_pending;
    std::unique_ptr<Database> m_database;
    std::unique_ptr<DerivedTables> m_derived;
    std::unique_ptr<SpillWriter> m_spill;
    std::optional<Statement> m_insertEvent;
    QHash<QString, Known> m_known;
    bool m_isDurable = false;
    std::deque<Job> m_kept; ///< Batches that could not be written, in order.
    qint64 m_keptSize = 0;
    bool m_hasLost =
        false; ///< The bound was passed: everything later is refused, or the log would have a gap.
    std::deque<Purge> m_purges;
};

} // namespace Pilothouse
