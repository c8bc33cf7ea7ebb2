// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/database.h"
#include "store/logfile.h"
#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

bool writeFile(const QString &fileName, const QByteArray &bytes)
{
    QFile file(fileName);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

class TestLogFile : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;

private Q_SLOTS:
    void whatCannotBeReadIsNotEmpty_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("words");
        for (const char *kind : {"loop", "not a folder", "a folder", "emptied beside its write-ahead file",
                                 "emptied beside outputs", "gone beside outputs", "foreign bytes"}) {
            const QString name = QString::fromLatin1(kind);
            QTest::newRow(kind) << name
                                << (name.startsWith(u"emptied"_s)       ? u"is empty, but"_s
                                        : name.startsWith(u"gone"_s)    ? u"is gone, but"_s
                                        : name.startsWith(u"foreign"_s) ? u"damaged"_s
                                                                        : u"log.db"_s);
        }
    }
    void whatCannotBeReadIsNotEmpty()
    {
        QFETCH(QString, kind);
        QFETCH(QString, words);
        const QString dir = m_temp.filePath(kind);
        const QString log = dir + u"/log.db"_s;
        if (kind == "not a folder"_L1)
            QVERIFY(writeFile(dir, "x"));
        else
            QVERIFY(QDir().mkpath(dir));
        if (kind == "loop"_L1)
            QVERIFY(QFile::link(u"log.db"_s, log));
        if (kind == "a folder"_L1)
            QVERIFY(QDir().mkpath(log));
        if (kind.startsWith(u"emptied"_s))
            QVERIFY(writeFile(log, {}));
        if (kind == "emptied beside its write-ahead file"_L1)
            QVERIFY(writeFile(log + u"-wal"_s, "frames"));
        if (kind.endsWith(u"outputs"_s))
            QVERIFY(QDir().mkpath(dir + u"/spill/c"_s));
        if (kind == "foreign bytes"_L1)
            QVERIFY(writeFile(log, QByteArray(8192, 'x')));
        const auto reader = LogReader::open(dir);
        QVERIFY(!reader);
        QCOMPARE(reader.error().kind, ErrorKind::Storage);
        QVERIFY2(reader.error().message.contains(words), qPrintable(reader.error().message));
        QVERIFY(!reader.error().todo.isEmpty());
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(!store);
        QCOMPARE(store.error().kind, ErrorKind::Storage);
        if (kind != "not a folder"_L1)
            QVERIFY2(store.error().message.contains(words), qPrintable(store.error().message));
    }

    void nothingYetIsEmpty_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::newRow("no folder") << u"no folder"_s;
        QTest::newRow("empty folder") << u"empty folder"_s;
        QTest::newRow("empty file") << u"empty file"_s;
    }
    void nothingYetIsEmpty()
    {
        QFETCH(QString, kind);
        const QString dir = m_temp.filePath(kind);
        if (kind != "no folder"_L1)
            QVERIFY(QDir().mkpath(dir));
        if (kind == "empty file"_L1)
            QVERIFY(writeFile(dir + u"/log.db"_s, {}));
        QCOMPARE(hasLog(dir + u"/log.db"_s).value(), false);
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QCOMPARE((*reader)->conversations().value().size(), 0);
        QVERIFY(Store::open(dir, u"test"_s));
        QCOMPARE(hasLog(dir + u"/log.db"_s).value(), true);
    }

    // A page of the derived tables is overwritten: nobody may be told that another version wrote it.
    void damagedDerivedTablesAreToldAsDamage_data()
    {
        QTest::addColumn<QString>("table");
        for (const char *table : {"summaries", "transcript_rows", "search_data", "search_idx"})
            QTest::newRow(table) << QString::fromLatin1(table);
    }
    void damagedDerivedTablesAreToldAsDamage()
    {
        QFETCH(QString, table);
        const QString dir = m_temp.filePath(table);
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), false);
        }
        qint64 page = 0;
        qint64 pageSize = 0;
        {
            const auto database = Database::open(dir + u"/log.db"_s, Database::Mode::ReadWrite);
            QVERIFY(database);
            page = (*database)
                       ->value(u"SELECT rootpage FROM sqlite_master WHERE name=?"_s, {table})
                       .value()
                       .toLongLong();
            pageSize = (*database)->value(u"PRAGMA page_size"_s).value().toLongLong();
            QVERIFY((*database)->exec(u"PRAGMA wal_checkpoint(TRUNCATE)"_s));
        }
        QVERIFY(page > 1);
        QFile log(dir + u"/log.db"_s);
        QVERIFY(log.open(QIODevice::ReadWrite));
        QVERIFY(log.seek((page - 1) * pageSize));
        QCOMPARE(log.write(QByteArray(pageSize, '\xff')), pageSize);
        log.close();
        const auto tell = [](const Error &error) { return error.message; };
        QStringList told;
        for (int round = 0; round < 2; ++round) { // What the first look leaves must not mislead the second.
            const auto store = Store::open(dir, u"test"_s);
            if (!store)
                told.append(tell(store.error()));
            const auto reader = LogReader::open(dir);
            if (!reader) {
                told.append(tell(reader.error()));
                continue;
            }
            const auto found = (*reader)->check();
            told.append(found ? found->join(u' ') : tell(found.error()));
            const auto list = (*reader)->conversations();
            if (!list)
                told.append(tell(list.error()));
        }
        QVERIFY2(told.join(u' ').contains(u"damaged"_s)
                     || told.join(u' ').contains(u"btree"_s, Qt::CaseInsensitive),
                 qPrintable(told.join(u'\n')));
        QVERIFY2(!told.join(u' ').contains(u"another version"_s), qPrintable(told.join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestLogFile)
#include "tst_logfile.moc"
