// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/database.h"
#include "store/summaryprojector.h"
#include "store/transcriptprojector.h"

#include <QHash>

#include <memory>
#include <unordered_map>

namespace Pilothouse {

/// The tables that are derived from events: summaries, transcript rows, search index. Lives in the store
/// thread; all writing happens inside the caller's transaction, except in prepare(), which makes its own.
class DerivedTables {
public:
    /// Raise this whenever a projector or a column changes: the tables are then rebuilt from the events at
    /// open.
    static constexpr int Version = 6;

    DerivedTables(Database &database, QString dataDir);
    ~DerivedTables();
    Q_DISABLE_COPY_MOVE(DerivedTables)

    [[nodiscard]] Result<Done, Error> prepare(); ///< Rebuilds if the stored version differs.
    [[nodiscard]] Result<Done, Error> rebuild();

    /// `bytes`: of a tool-output.
    [[nodiscard]] Result<Done, Error> apply(qint64 ref, const Event &event, const QByteArray &bytes);
    [[nodiscard]] Result<Done, Error> flush(); ///< Before the commit.
    void reset(); ///< After a rollback: what was projected did not happen.

    /// Removes some rows of a conversation; true when none is left.
    [[nodiscard]] Result<bool, Error> removeSome(qint64 ref);

private:
    struct Live;
    [[nodiscard]] Result<Done, Error> createTables();
    [[nodiscard]] Result<Live *, Error> live(qint64 ref, const QString &conversation);
    [[nodiscard]] Result<Done, Error> store(qint64 ref, const TranscriptRow &row);
    [[nodiscard]] Result<Done, Error> replay();

    Database &m_database;
    QString m_dataDir;
    bool m_hasSearch = false;
    std::unordered_map<qint64, std::unique_ptr<Live>> m_live;
    QList<qint64> m_touched; ///< Conversations of this transaction.
    Statement m_putRow;
    Statement m_putSummary;
    Statement m_putSearch;
};

} // namespace Pilothouse
