// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/migrations.h"

#include "store/logfile.h"

#include <QStringList>

#include <array>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 ApplicationId = 0x50694c6f; // "PiLo": tells this log from any other SQLite file.

QStringList stepToVersion1()
{
    return {
        u"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"_s,
        u"CREATE TABLE conversations (ref INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)"_s,
        // `id` is the order of commits over all conversations. The payload comes last: filters on the other
        // columns need not read its overflow pages.
        u"CREATE TABLE events (id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL REFERENCES "
        u"conversations(ref), "
        "seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, v INTEGER NOT NULL, payload BLOB NOT NULL)"_s,
        u"CREATE UNIQUE INDEX events_by_seq ON events (conversation, seq)"_s,
        // Deleted conversations whose rows are being removed; continued when the program starts again.
        u"CREATE TABLE purges (conversation INTEGER PRIMARY KEY)"_s,
        u"PRAGMA application_id="_s + QString::number(ApplicationId),
    };
}

using Step = QStringList (*)();
constexpr std::array<Step, SchemaVersion> Steps = {stepToVersion1};

Result<Done, Error> runStep(Database &database, qsizetype index)
{
    QStringList statements = Steps[static_cast<size_t>(index)]();
    statements.prepend(u"BEGIN IMMEDIATE"_s);
    statements.append(u"PRAGMA user_version="_s + QString::number(index + 1));
    statements.append(u"COMMIT"_s);
    for (const QString &sql : statements) {
        const auto done = database.exec(sql);
        if (!done) {
            [[maybe_unused]] const auto undone = database.exec(u"ROLLBACK"_s);
            return fail(done.error());
        }
    }
    return Done();
}

} // namespace

Error newerSchema(qint64 version)
{
    return {ErrorKind::Storage,
            u"This data folder was written by a newer Pilothouse (log format "_s + QString::number(version)
                + u"; this program knows "_s + QString::number(SchemaVersion) + u")."_s,
            u"The log was left untouched."_s,
            u"Use a Pilothouse that knows log format "_s + QString::number(version)
                + u" or later, or choose another data folder."_s};
}

Result<Done, Error> checkSchema(const QString &fileName)
{
    const auto there = hasLog(fileName);
    if (!there)
        return fail(there.error());
    if (!*there)
        return Done();
    auto database = Database::open(fileName, Database::Mode::ReadOnly);
    if (!database)
        return fail(database.error());
    const auto version = (*database)->value(u"PRAGMA user_version"_s);
    if (!version)
        return fail(version.error());
    if (version->toLongLong() > SchemaVersion)
        return fail(newerSchema(version->toLongLong()));
    const auto application = (*database)->value(u"PRAGMA application_id"_s);
    const auto tables = (*database)->value(u"SELECT count(*) FROM sqlite_master"_s);
    if (!application || !tables)
        return fail(application ? tables.error() : application.error());
    if (tables->toLongLong() > 0 && application->toLongLong() != ApplicationId)
        return fail(Error{ErrorKind::Storage, fileName + u" is the database of another program."_s,
                          u"The file was left untouched."_s,
                          u"Choose another data folder with --data-dir."_s});
    return Done();
}

Result<Done, Error> migrate(Database &database)
{
    const auto version = database.value(u"PRAGMA user_version"_s);
    if (!version)
        return fail(version.error());
    if (version->toLongLong() > SchemaVersion || version->toLongLong() < 0)
        return fail(newerSchema(version->toLongLong()));
    for (qsizetype step = version->toLongLong(); step < SchemaVersion; ++step) {
        const auto done = runStep(database, step);
        if (!done)
            return fail(done.error());
    }
    return Done();
}

} // namespace Pilothouse
