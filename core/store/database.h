// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariantList>

#include <memory>

class QSqlError;

namespace Pilothouse {

/// One statement, prepared when it is first run. A row set is stepped by next(); a statement with an unread
/// rest is ended by finish() or the next run(), because an open row set holds a snapshot and stops
/// checkpoints.
class Statement {
public:
    Statement(QSqlDatabase database, QString sql);

    /// Binds `values` in order and runs. Sets of rows are read forward only.
    [[nodiscard]] Result<Done, Error> run(const QVariantList &values = {});
    [[nodiscard]] bool next();
    /// After next() returned false: an error if reading broke off, not if the rows were at their end.
    [[nodiscard]] Result<Done, Error> ended();
    [[nodiscard]] QVariant value(int column) const { return m_query.value(column); }
    [[nodiscard]] qint64 integer(int column) const { return m_query.value(column).toLongLong(); }
    [[nodiscard]] QString text(int column) const { return m_query.value(column).toString(); }
    [[nodiscard]] QByteArray bytes(int column) const { return m_query.value(column).toByteArray(); }
    [[nodiscard]] qint64 insertedId() const { return m_query.lastInsertId().toLongLong(); }
    [[nodiscard]] int changedRows() const { return m_query.numRowsAffected(); }
    void finish() { m_query.finish(); }

private:
    QSqlQuery m_query;
    QString m_sql;
    bool m_isPrepared = false;
};

/// A connection to one database file. Used only in the thread that opened it.
class Database {
public:
    enum class Mode {
        ReadWrite = 1, ///< WAL, foreign keys on, synchronous NORMAL; the file is created if it is missing.
        ReadOnly, ///< Nothing is created; the file must exist.
    };
    [[nodiscard]] static Result<std::unique_ptr<Database>, Error> open(const QString &fileName, Mode mode);
    ~Database();
    Q_DISABLE_COPY_MOVE(Database)

    /// One statement without parameters; Qt's driver refuses a second one in the same text.
    [[nodiscard]] Result<Done, Error> exec(const QString &sql);
    /// The first column of the first row; an invalid value if there is no row.
    [[nodiscard]] Result<QVariant, Error> value(const QString &sql, const QVariantList &values = {});
    [[nodiscard]] Statement statement(const QString &sql) { return {m_database, sql}; }

private:
    explicit Database(QString connection);
    QString m_connection;
    QSqlDatabase m_database;
};

/// A Storage error in a person's words for what SQLite reported.
[[nodiscard]] Error storageError(const QSqlError &error);
/// The same for a failed system call (errno) on `fileName`.
[[nodiscard]] Error storageError(int systemError, const QString &fileName);

} // namespace Pilothouse
