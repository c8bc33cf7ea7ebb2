// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/database.h"

#include "util/logging.h"

#include <QFile>
#include <QFileInfo>
#include <QSqlError>
#include <QUrl>

#include <atomic>
#include <cerrno>
#include <utility>

#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Primary result codes of SQLite; the driver may report extended ones, whose low byte is the primary one.
enum SqliteCode {
    SqliteBusy = 5,
    SqliteReadOnly = 8,
    SqliteIoError = 10,
    SqliteCorrupt = 11,
    SqliteFull = 13,
    SqliteCannotOpen = 14,
    SqliteNotADatabase = 26,
};

constexpr int BusyTimeoutMs =
    5000; // A reader's recovery of the WAL after a crash takes a moment, not seconds.

/// A log in WAL mode needs an index file beside it even for reading. Where that cannot be made (a folder
/// mounted read-only) and no WAL was left behind, nobody writes either: the file is read as it stands.
bool isSealed(const QString &fileName)
{
    const QFileInfo file(fileName);
    return ::access(QFile::encodeName(file.absolutePath()).constData(), W_OK) != 0
        && QFileInfo(fileName + u"-wal"_s).size() == 0;
}

QString freeSpaceAdvice() { return u"Free some space, then try again."_s; }

} // namespace

Error storageError(const QSqlError &error)
{
    const int code = error.nativeErrorCode().toInt() & 0xff;
    const QString detail = error.databaseText().left(200);
    switch (code) {
    case SqliteFull:
        return {
            ErrorKind::Storage, u"The disk is full: the log could not be written."_s, {}, freeSpaceAdvice()};
    case SqliteIoError:
        return {ErrorKind::Storage,
                u"Reading or writing the log failed ("_s + detail + u")."_s,
                {},
                u"Check the disk and its free space, then try again."_s};
    case SqliteReadOnly:
    case SqliteCannotOpen:
        return {ErrorKind::Storage,
                u"The log cannot be opened or may not be written ("_s + detail + u")."_s,
                {},
                u"Check the permissions of the data folder."_s};
    case SqliteCorrupt:
    case SqliteNotADatabase:
        return {
            ErrorKind::Storage, u"The log is damaged or is not a log of this program ("_s + detail + u")."_s,
            u"The file was left untouched."_s,
            u"Copy the data folder before anything else, then restore a backup of log.db if you have one, or "
            u"choose another data folder with --data-dir. Conversations that can still be read can be "
            u"exported."_s};
    case SqliteBusy:
        return {ErrorKind::Storage,
                u"The log is in use by another program ("_s + detail + u")."_s,
                {},
                u"Try again in a moment."_s};
    }
    return {ErrorKind::Storage, u"The log reported an error ("_s + detail + u")."_s, {}, {}};
}

Error storageError(int systemError, const QString &fileName)
{
    const QString detail = qt_error_string(systemError);
    if (systemError == ENOSPC || systemError == EDQUOT)
        return {ErrorKind::Storage,
                u"The disk is full: "_s + fileName + u" could not be written."_s,
                {},
                freeSpaceAdvice()};
    if (systemError == EFBIG)
        return {ErrorKind::Storage,
                fileName + u" would become larger than this system allows."_s,
                {},
                u"Raise the file size limit, then try again."_s};
    return {ErrorKind::Storage,
            fileName + u" could not be used: "_s + detail + u'.',
            {},
            u"Check the permissions of the data folder."_s};
}

Statement::Statement(QSqlDatabase database, QString sql)
    : m_query(std::move(database))
    , m_sql(std::move(sql))
{
    m_query.setForwardOnly(true);
}

Result<Done, Error> Statement::run(const QVariantList &values)
{
    if (!m_isPrepared && !m_query.prepare(m_sql))
        return fail(storageError(m_query.lastError()));
    m_isPrepared = true;
    for (qsizetype i = 0; i < values.size(); ++i)
        m_query.bindValue(static_cast<int>(i), values[i]);
    if (!m_query.exec())
        return fail(storageError(m_query.lastError()));
    return Done();
}

bool Statement::next() { return m_query.next(); }

Result<Done, Error> Statement::ended()
{
    const QSqlError error = m_query.lastError();
    m_query.finish();
    if (error.isValid())
        return fail(storageError(error));
    return Done();
}

Database::Database(QString connection)
    : m_connection(std::move(connection))
{
    m_database = QSqlDatabase::addDatabase(u"QSQLITE"_s, m_connection);
}

Database::~Database()
{
    m_database.close();
    m_database = QSqlDatabase(); // removeDatabase() warns while a handle is alive.
    QSqlDatabase::removeDatabase(m_connection);
}

Result<std::unique_ptr<Database>, Error> Database::open(const QString &fileName, Mode mode)
{
    static std::atomic<quint64> counter = 0;
    if (!QSqlDatabase::isDriverAvailable(u"QSQLITE"_s))
        return fail(Error{ErrorKind::Storage,
                          u"The SQLite driver of Qt is not installed."_s,
                          {},
                          u"Install it (on Debian: libqt6sql6-sqlite)."_s});
    std::unique_ptr<Database> database(
        new Database(u"pilothouse-log-"_s + QString::number(counter.fetch_add(1) + 1)));
    QString options = u"QSQLITE_BUSY_TIMEOUT="_s + QString::number(BusyTimeoutMs);
    QString name = fileName;
    if (mode == Mode::ReadOnly) {
        options += u";QSQLITE_OPEN_READONLY"_s;
        if (isSealed(fileName)) {
            options += u";QSQLITE_OPEN_URI"_s;
            name = QUrl::fromLocalFile(fileName).toString(QUrl::FullyEncoded) + u"?immutable=1"_s;
        }
    }
    database->m_database.setConnectOptions(options);
    database->m_database.setDatabaseName(name);
    if (!database->m_database.open())
        return fail(storageError(database->m_database.lastError()));
    if (mode == Mode::ReadWrite) {
        // auto_vacuum counts only before the first table; on a file that has some it is silently kept as it
        // is.
        for (const QString &pragma : {u"PRAGMA auto_vacuum=INCREMENTAL"_s, u"PRAGMA journal_mode=WAL"_s,
                                      u"PRAGMA synchronous=NORMAL"_s, u"PRAGMA foreign_keys=ON"_s}) {
            const auto done = database->exec(pragma);
            if (!done)
                return fail(done.error());
        }
    }
    return database;
}

Result<Done, Error> Database::exec(const QString &sql)
{
    QSqlQuery query(m_database);
    if (!query.exec(sql)) {
        qCDebug(lcStore, "statement failed: %s", qPrintable(sql.left(200)));
        return fail(storageError(query.lastError()));
    }
    return Done();
}

Result<QVariant, Error> Database::value(const QString &sql, const QVariantList &values)
{
    Statement query = statement(sql);
    const auto done = query.run(values);
    if (!done)
        return fail(done.error());
    if (query.next()) {
        const QVariant value = query.value(0);
        query.finish();
        return value;
    }
    const auto ended = query.ended();
    if (!ended)
        return fail(ended.error());
    return QVariant();
}

} // namespace Pilothouse
