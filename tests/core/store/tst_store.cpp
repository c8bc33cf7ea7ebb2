// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/database.h"
#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <limits>

#include <unistd.h>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000; // Milliseconds; only a failure takes as long.
constexpr qint64 End = std::numeric_limits<qint64>::max();

QByteArray fileBytes(const QString &name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

QStringList rowsOf(LogReader &reader, const QString &conversation)
{
    QStringList out;
    const auto rows = reader.rowsBefore(conversation, End, 1000);
    if (!rows)
        return {rows.error().toText()};
    for (const TranscriptRow &row : *rows)
        out += QString(QString::number(row.row) + u'|' + QString::number(static_cast<int>(row.kind)) + u'|'
                       + QString::number(row.turn) + u'|' + QString::number(row.step) + u'|'
                       + QString::number(row.firstSeq) + u'|' + QString::number(row.lastSeq) + u'|'
                       + QString::number(row.closed) + u'|' + QString::number(row.withdrawn) + u'|' + row.text
                       + u'|' + QString::fromUtf8(row.data.toJson()));
    return out;
}

QString summaryOf(LogReader &reader, const QString &conversation)
{
    const auto found = reader.conversation(conversation);
    if (!found)
        return found.error().toText();
    const ConversationSummary &s = *found;
    return s.title + u'|' + s.state + u'|' + s.stateDetail + u'|' + s.sandboxId + u'|'
        + QString::number(s.stateSinceMs) + u'|' + QString::number(s.updatedMs) + u'|'
        + QString::number(s.lastSeq) + u'|' + QString::number(s.inputTokens.value_or(-1)) + u'|'
        + QString::number(s.openTurnSeq);
}

} // namespace

class TestStore : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_counter = 0;
    QString newDataDir() { return m_temp.filePath(QString::number(++m_counter)); }

private Q_SLOTS:
    void writesAndReads()
    {
        const QString dir = newDataDir();
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        QSignalSpy committed(store->get(), &Store::committed);
        QList<quint64> tickets;
        for (const EventDelivery &delivery : script.all())
            tickets.append((*store)->append({delivery}, delivery.event->kind == EventKind::ToolStart));
        QTRY_COMPARE_WITH_TIMEOUT(committed.size(), tickets.size(), Patience);
        for (qsizetype i = 0; i < tickets.size(); ++i)
            QCOMPARE(committed[i][0].toULongLong(), tickets[i]);
        QCOMPARE((*store)->pendingBytes(), 0);

        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        const auto events = (*reader)->events(script.conversation(), 1, 1000);
        QVERIFY(events);
        QCOMPARE(events->size(), script.all().size());
        for (qsizetype i = 0; i < events->size(); ++i) {
            const Event &read = *events->at(i);
            const Event &written = *script.all()[i].event;
            QCOMPARE(read.seq, written.seq);
            QCOMPARE(read.atMs, written.atMs);
            QCOMPARE(read.kind, written.kind);
            QCOMPARE(read.payload, written.payload);
        }
        const QByteArray out = "collected 3 items\n1 failed, 2 passed\n";
        QCOMPARE((*reader)->output(script.conversation(), script.calls()[0], u"stdout"_s, 0, 1000).value(),
                 out);
        QCOMPARE(
            fileBytes(dir + u"/spill/"_s + script.conversation() + u'/' + script.calls()[0] + u".stdout"_s),
            out);
    }

    void filesArePrivate()
    {
        const QString dir = newDataDir() + u"/deeper"_s;
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), true);
        }
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther
            | QFile::WriteOther | QFile::ExeOther;
        for (const QString &name :
             {QString(), u"/log.db"_s, u"/owner.lock"_s, u"/spill"_s,
              QString(u"/spill/"_s + script.conversation()),
              QString(u"/spill/"_s + script.conversation() + u'/' + script.calls()[0] + u".stdout"_s)}) {
            const QFileInfo info(QString(dir + name));
            QVERIFY2(info.exists(), qPrintable(info.filePath()));
            QVERIFY2(!(info.permissions() & others), qPrintable(info.filePath()));
        }
    }

    void destructorWritesWhatIsQueued()
    {
        const QString dir = newDataDir();
        Tests::EventScript script;
        script.addCreated();
        for (int i = 1; i <= 20; ++i)
            script.addTurn(i);
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            for (const EventDelivery &delivery : script.all())
                (*store)->append({delivery}, false);
        }
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QCOMPARE((*reader)->lastSeq(script.conversation()).value(), script.lastSeq());
    }

    // What a live program shows after any batch, what a fresh connection reads, and what is rebuilt from the
    // events are the same.
    void derivedTablesAreWhatTheEventsSay()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        script.addTurn(2);
        for (const qsizetype cut :
             {qsizetype(9), qsizetype(10), qsizetype(21), qsizetype(23), script.all().size()}) {
            const QString dir = newDataDir();
            {
                const auto store = Store::open(dir, u"test"_s);
                QVERIFY(store);
                for (const EventDelivery &delivery : script.all().mid(0, cut))
                    (*store)->append({delivery}, false);
            }
            const auto live = LogReader::open(dir, LogReader::View::Stored);
            QVERIFY(live);
            const QStringList rows = rowsOf(**live, script.conversation());
            const QString summary = summaryOf(**live, script.conversation());
            QVERIFY(rows.size() > 3);
            const auto database = Database::open(dir + u"/log.db"_s, Database::Mode::ReadWrite);
            QVERIFY(database);
            QVERIFY((*database)->exec(u"UPDATE meta SET value='0'"_s));
            QVERIFY((*database)->exec(u"DELETE FROM summaries"_s));
            {
                const auto store = Store::open(dir, u"test"_s);
                QVERIFY(store);
            }
            const auto rebuilt = LogReader::open(dir, LogReader::View::Stored);
            QVERIFY(rebuilt);
            QCOMPARE(rowsOf(**rebuilt, script.conversation()), rows);
            QCOMPARE(summaryOf(**rebuilt, script.conversation()), summary);
            // One batch instead of many changes nothing either.
            const QString other = newDataDir();
            {
                const auto store = Store::open(other, u"test"_s);
                QVERIFY(store);
                (*store)->append(script.all().mid(0, cut), false);
            }
            const auto batched = LogReader::open(other, LogReader::View::Stored);
            QVERIFY(batched);
            QCOMPARE(rowsOf(**batched, script.conversation()), rows);
            QCOMPARE(summaryOf(**batched, script.conversation()), summary);
        }
    }

    void goesOnAfterARestart()
    {
        const QString dir = newDataDir();
        const QString whole = newDataDir();
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        for (const EventDelivery &delivery : script.all()) {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append({delivery}, false);
        }
        {
            const auto store = Store::open(whole, u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), false);
        }
        const auto a = LogReader::open(dir, LogReader::View::Stored);
        const auto b = LogReader::open(whole, LogReader::View::Stored);
        QVERIFY(a && b);
        QStringList expected = rowsOf(**b, script.conversation());
        QStringList rows = rowsOf(**a, script.conversation());
        // A line of output that was cut by the restart is the one thing that is not known any more.
        expected.replaceInStrings(u"1 failed, 2 passed"_s, u"sed"_s);
        QCOMPARE(rows, expected);
    }

    void refusesGapsAndRepeats_data()
    {
        QTest::addColumn<int>("seq");
        QTest::newRow("gap") << 3;
        QTest::newRow("repeat") << 1;
        QTest::newRow("nought") << 0;
    }
    void refusesGapsAndRepeats()
    {
        QFETCH(int, seq);
        const QString dir = newDataDir();
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        QSignalSpy committed(store->get(), &Store::committed);
        QSignalSpy failed(store->get(), &Store::failed);
        Tests::EventScript script;
        script.addCreated();
        (*store)->append(script.all(), false);
        auto event = std::make_shared<Event>(*script.all()[0].event);
        event->seq = seq;
        const quint64 ticket = (*store)->append({{event, {}}}, false);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, Patience);
        QCOMPARE(failed[0][0].toULongLong(), ticket);
        QCOMPARE(qvariant_cast<Error>(failed[0][1]).kind, ErrorKind::Internal);
        event = std::make_shared<Event>(*script.all()[0].event);
        event->seq = 2;
        (*store)->append({{event, {}}}, false);
        QTRY_COMPARE_WITH_TIMEOUT(committed.size(), 2, Patience);
        QCOMPARE((*store)->pendingBytes(), 0);
    }

    void refusesWhatWouldLeaveItsFolder_data()
    {
        QTest::addColumn<QByteArray>("payload");
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray id = newId().toUtf8();
        QTest::newRow("path in the call id")
            << QByteArray("{\"callId\":\"../../x\",\"channel\":\"stdout\",\"offset\":0,\"length\":1}")
            << QByteArray("x");
        QTest::newRow("path in the channel")
            << QByteArray("{\"callId\":\"" + id + "\",\"channel\":\"/../x\",\"offset\":0,\"length\":1}")
            << QByteArray("x");
        QTest::newRow("length") << QByteArray("{\"callId\":\"" + id
                                              + "\",\"channel\":\"stdout\",\"offset\":0,\"length\":9}")
                                << QByteArray("x");
        QTest::newRow("offset") << QByteArray("{\"callId\":\"" + id
                                              + "\",\"channel\":\"stdout\",\"offset\":-1,\"length\":1}")
                                << QByteArray("x");
        QTest::newRow("not JSON") << QByteArray("{") << QByteArray("x");
    }
    void refusesWhatWouldLeaveItsFolder()
    {
        QFETCH(QByteArray, payload);
        QFETCH(QByteArray, bytes);
        const QString dir = newDataDir();
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        QSignalSpy failed(store->get(), &Store::failed);
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::ToolOutput, payload, bytes);
        (*store)->append(script.all(), false);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, Patience);
        QVERIFY(!QFileInfo::exists(dir + u"/spill"_s));
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QCOMPARE((*reader)->lastSeq(script.conversation()).value(), 0);
    }

    void theLogWinsOverALongerOutputFile()
    {
        const QString dir = newDataDir();
        Tests::EventScript script;
        script.addCreated();
        const QString call = newId();
        script.addOutput(1, 1, call, "first\n");
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), false);
        }
        const QString name = dir + u"/spill/"_s + script.conversation() + u'/' + call + u".stdout"_s;
        QFile file(name);
        QVERIFY(file.open(QIODevice::Append));
        file.write("written before the crash, never committed");
        file.close();
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append({script.addOutput(1, 1, call, "second\n")}, false);
        }
        QCOMPARE(fileBytes(name), QByteArray("first\nsecond\n"));
        // A file that lost bytes is not filled with zeros.
        QVERIFY(QFile::resize(name, 3));
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        QSignalSpy failed(store->get(), &Store::failed);
        QTest::ignoreMessage(QtWarningMsg, "1 batches of the log could not be written before the end");
        (*store)->append({script.addOutput(1, 1, call, "third\n")}, false);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, Patience);
        QCOMPARE(qvariant_cast<Error>(failed[0][1]).kind, ErrorKind::Storage);
        QCOMPARE(fileBytes(name), QByteArray("fir"));
    }

    void hasOneOwner()
    {
        const QString dir = newDataDir();
        auto first = Store::open(dir, u"first program"_s);
        QVERIFY(first);
        const auto second = Store::open(dir, u"second"_s);
        QVERIFY(!second);
        QCOMPARE(second.error().kind, ErrorKind::NotOwner);
        QVERIFY(second.error().message.contains(u"first program"_s));
        QVERIFY(second.error().message.contains(QString::number(QCoreApplication::applicationPid())));
        QVERIFY(LogReader::open(dir));
        first->reset();
        QVERIFY(Store::open(dir, u"second"_s));
    }

    void refusesANewerLogUntouched()
    {
        const QString dir = newDataDir();
        QVERIFY(Store::open(dir, u"test"_s));
        const QString name = dir + u"/log.db"_s;
        {
            const auto database = Database::open(name, Database::Mode::ReadWrite);
            QVERIFY(database);
            QVERIFY((*database)->exec(u"PRAGMA user_version=99"_s));
        }
        const QByteArray before = fileBytes(name);
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(!store);
        QCOMPARE(store.error().kind, ErrorKind::Storage);
        QVERIFY(store.error().toText().contains(u"99"_s));
        QVERIFY(store.error().kept.contains(u"untouched"_s));
        const auto reader = LogReader::open(dir);
        QVERIFY(!reader);
        QCOMPARE(fileBytes(name), before);
    }

    void refusesOtherFilesUntouched_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QByteArray("these are notes, not a database\n").repeated(100);
        QTest::newRow("cut header") << QByteArray("SQLite format 3\0", 16);
    }
    void refusesOtherFilesUntouched()
    {
        QFETCH(QByteArray, content);
        const QString dir = newDataDir();
        QVERIFY(QDir().mkpath(dir));
        QFile file(dir + u"/log.db"_s);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(!store);
        QCOMPARE(store.error().kind, ErrorKind::Storage);
        QCOMPARE(fileBytes(file.fileName()), content);
    }

    void refusesAFolderThatCannotBeUsed()
    {
        const auto inFile = Store::open(QStringLiteral("/dev/null/data"), u"test"_s);
        QVERIFY(!inFile);
        QCOMPARE(inFile.error().kind, ErrorKind::Storage);
        QFile file(m_temp.filePath(u"plainfile"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto plain = Store::open(file.fileName(), u"test"_s);
        QVERIFY(!plain);
        QVERIFY(plain.error().message.contains(file.fileName()));
        if (::geteuid() == 0)
            return; // Nothing is forbidden to root.
        const QString dir = newDataDir();
        QVERIFY(QDir().mkpath(dir));
        QFile::setPermissions(dir, QFile::ReadOwner | QFile::ExeOwner);
        QVERIFY(!Store::open(dir, u"test"_s));
    }

    void purgesOnlyDeletedConversations()
    {
        const QString dir = newDataDir();
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        QSignalSpy committed(store->get(), &Store::committed);
        QSignalSpy failed(store->get(), &Store::failed);
        Tests::EventScript gone;
        Tests::EventScript stays;
        gone.addCreated();
        stays.addCreated();
        stays.addTurn(1);
        for (int turn = 1; turn <= 150; ++turn)
            gone.addTurn(turn);
        (*store)->append(gone.all(), false);
        (*store)->append(stays.all(), false);
        (*store)->purge(gone.conversation());
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, Patience);
        QCOMPARE(qvariant_cast<Error>(failed[0][1]).kind, ErrorKind::Usage);
        (*store)->append({gone.add(EventKind::ConversationDeleted, "{\"sandbox\":\"none\"}")}, true);
        const quint64 ticket = (*store)->purge(gone.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(!committed.isEmpty() && committed.last()[0].toULongLong() == ticket,
                                 Patience);
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QCOMPARE((*reader)->conversations(true).value().size(), 1);
        QCOMPARE((*reader)->lastSeq(gone.conversation()).value(), 0);
        QCOMPARE((*reader)->lastSeq(stays.conversation()).value(), stays.lastSeq());
        QVERIFY(!QFileInfo::exists(dir + u"/spill/"_s + gone.conversation()));
        QVERIFY(QFileInfo::exists(dir + u"/spill/"_s + stays.conversation()));
        const auto hits = (*reader)->search(u"pytest"_s, 100);
        QVERIFY(hits);
        QVERIFY(!hits->isEmpty());
        for (const SearchHit &hit : *hits)
            QCOMPARE(hit.conversation, stays.conversation());
        const auto database = Database::open(dir + u"/log.db"_s, Database::Mode::ReadWrite);
        QVERIFY(database);
        QTRY_COMPARE_WITH_TIMEOUT((*database)->value(u"PRAGMA freelist_count"_s).value().toInt(), 0,
                                  Patience);
        QVERIFY((*database)->exec(u"INSERT INTO search (search) VALUES ('integrity-check')"_s));
    }

    // How long the engine waits for one event before a side effect.
    void answerTime()
    {
        const auto store = Store::open(newDataDir(), u"test"_s);
        QVERIFY(store);
        Tests::EventScript script;
        script.addCreated();
        QEventLoop loop;
        connect(store->get(), &Store::committed, &loop, &QEventLoop::quit);
        (*store)->append(script.all(), true);
        loop.exec();
        for (const bool durable : {false, true}) {
            QList<qint64> times;
            for (int i = 0; i < 500; ++i) {
                QElapsedTimer timer;
                timer.start();
                (*store)->append({script.add(EventKind::Note, "{\"text\":\"x\"}")}, durable);
                loop.exec();
                times.append(timer.nsecsElapsed() / 1000);
            }
            std::sort(times.begin(), times.end());
            qInfo("one event, %s: median %lld us, p99 %lld us", durable ? "FULL" : "NORMAL", times[250],
                  times[494]);
        }
        QCOMPARE((*store)->pendingBytes(), 0);
    }

    void writingSpeed()
    {
#ifdef PILOTHOUSE_SANITIZED
        constexpr int Count = 10'000;
#else
        constexpr int Count = 100'000;
#endif
        for (const int batchSize : {10, 100}) {
            for (const bool durable : {false, true}) {
                const QString dir = newDataDir();
                const auto store = Store::open(dir, u"test"_s);
                QVERIFY(store);
                Tests::EventScript script;
                script.addCreated();
                script.add(EventKind::TurnStart, "{\"turn\":1}");
                const int count = durable && batchSize == 10 ? Count / 10 : Count;
                while (script.lastSeq() < count)
                    script.add(EventKind::TextDelta,
                               "{\"turn\":1,\"step\":" + QByteArray::number(script.lastSeq() / 500)
                                   + ",\"attempt\":1,\"part\":0,\"text\":\"some words of an answer \"}");
                QSignalSpy committed(store->get(), &Store::committed);
                QElapsedTimer timer;
                timer.start();
                for (qsizetype i = 0; i < count; i += batchSize)
                    (*store)->append(script.all().mid(i, batchSize), durable);
                QTRY_COMPARE_WITH_TIMEOUT(committed.size(), count / batchSize, 100'000);
                qInfo("%d events in batches of %d, %s: %.0f events/s", count, batchSize,
                      durable ? "FULL" : "NORMAL", 1000.0 * count / double(qMax<qint64>(1, timer.elapsed())));
                QDir(dir).removeRecursively();
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
