// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/logreader.h"
#include "store/ownerlock.h"
#include "store/recovery.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <atomic>
#include <limits>
#include <memory>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 End = std::numeric_limits<qint64>::max();
constexpr int TurnStartAt = 3; // conversation-created, user-message, turn-start

QStringList eventsOf(LogReader &reader, const QString &conversation)
{
    QStringList out;
    const auto events = reader.events(conversation, 1, 1000);
    if (!events)
        return {events.error().message};
    for (const EventPtr &event : *events)
        out.append(QString::number(event->seq) + u' ' + eventKindName(event->kind) + u' '
                   + QString::fromUtf8(event->payload));
    return out;
}

QStringList rowsOf(LogReader &reader, const QString &conversation, qint64 before = End, int limit = 1000)
{
    QStringList out;
    const auto rows = reader.rowsBefore(conversation, before, limit);
    if (!rows)
        return {rows.error().message};
    for (const TranscriptRow &row : *rows)
        out.append(QString::number(row.row) + u' ' + QString::number(int(row.kind)) + u' '
                   + QString::number(row.closed) + u' ' + row.text + u' '
                   + QString::fromUtf8(row.data.toJson()));
    return out;
}

} // namespace

class TestDeadTurn : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_counter = 0;

    QString write(const EventBatch &events)
    {
        const QString dir = m_temp.filePath(QString::number(++m_counter));
        const auto store = Store::open(dir, u"test"_s);
        if (!store)
            return {};
        (*store)->append(events, false);
        return dir;
    }

private Q_SLOTS:
    // Before and after the next owner closes the turn a reader shows the same.
    void isShownAsItsNextOwnerWillCloseIt_data()
    {
        QTest::addColumn<int>("cut");
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        for (int cut = 1; cut <= script.lastSeq(); ++cut)
            QTest::addRow("after event %d", cut) << cut;
    }
    void isShownAsItsNextOwnerWillCloseIt()
    {
        QFETCH(int, cut);
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const QString id = script.conversation();
        const QString dir = write(script.all().mid(0, cut));
        QVERIFY(!dir.isEmpty());
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        const QStringList events = eventsOf(**reader, id);
        const QStringList rows = rowsOf(**reader, id);
        const QStringList lastRows = rowsOf(**reader, id, End, 2);
        const qint64 lastSeq = (*reader)->lastSeq(id).value();
        const auto summary = (*reader)->conversation(id);
        QVERIFY(summary);
        const auto listed = (*reader)->conversations();
        QVERIFY(listed);
        QCOMPARE(listed->size(), 1);
        const auto ends = (*reader)->eventsOfKinds(id, {EventKind::TurnFinish}, 1, 10);
        QVERIFY(ends);

        const bool isOpen = cut >= TurnStartAt && cut < script.lastSeq();
        QCOMPARE(summary->openTurnSeq, 0);
        QCOMPARE(listed->first().state, summary->state);
        QCOMPARE(ends->size(), cut >= TurnStartAt ? 1 : 0);
        if (isOpen)
            QCOMPARE(summary->state, u"interrupted"_s);
        QCOMPARE(lastRows, rows.mid(qMax(qsizetype(0), rows.size() - 2)));

        // The stored log is untouched, and the owner finds the turn open.
        {
            const auto stored = LogReader::open(dir, LogReader::View::Stored);
            QVERIFY(stored);
            QCOMPARE((*stored)->events(id, 1, 1000).value().size(), cut);
            QCOMPARE((*stored)->openTurns().value().size(), isOpen ? 1 : 0);
            if (!isOpen)
                return;
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            Tests::EventScript all(id);
            for (const EventDelivery &delivery : script.all().mid(0, cut))
                all.add(delivery.event->kind, delivery.event->payload, delivery.bytes);
            const auto turn = (*stored)->events(id, TurnStartAt, 1000);
            QVERIFY(turn);
            for (const PendingEvent &event : closingEvents(*turn))
                all.add(event.kind, event.payload);
            (*store)->append(all.all().mid(cut), false);
        }
        const auto after = LogReader::open(dir);
        QVERIFY(after);
        QCOMPARE(events, eventsOf(**after, id));
        QCOMPARE(rows, rowsOf(**after, id));
        QCOMPARE(lastSeq, (*after)->lastSeq(id).value());
        QCOMPARE(summary->state, (*after)->conversation(id)->state);
        QCOMPARE(summary->lastSeq, (*after)->conversation(id)->lastSeq);
    }

    void aTurnWithAnOwnerIsLive()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const QString dir = write(script.all().mid(0, 20));
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QCOMPARE((*reader)->conversation(script.conversation())->state, u"interrupted"_s);
        {
            const auto owner = OwnerLock::take(dir, u"another"_s);
            QVERIFY(owner);
            QVERIFY(OwnerLock::isHeld(dir));
            const auto summary = (*reader)->conversation(script.conversation());
            QCOMPARE(summary->state, u"waiting"_s); // The second call is still asked for.
            QVERIFY(summary->openTurnSeq > 0);
            QCOMPARE((*reader)->events(script.conversation(), 1, 100).value().size(), 20);
        }
        QVERIFY(!OwnerLock::isHeld(dir));
        QCOMPARE((*reader)->conversation(script.conversation())->state, u"interrupted"_s);
    }

    void askingForTheOwnerMakesNothing()
    {
        const QString dir = m_temp.filePath(u"nothing"_s);
        QVERIFY(!OwnerLock::isHeld(dir));
        QVERIFY(!QFileInfo::exists(dir));
        QVERIFY(QDir().mkpath(dir));
        QVERIFY(!OwnerLock::isHeld(dir));
        QVERIFY(QDir(dir).isEmpty());
    }

    // A program that asks all the time takes nothing from one that wants to own the folder.
    void askingDoesNotKeepAnOwnerOut()
    {
        const QString dir = m_temp.filePath(u"busy"_s);
        QVERIFY(QDir().mkpath(dir));
        {
            const auto owner = OwnerLock::take(dir, u"first"_s);
            QVERIFY(owner);
        }
        std::atomic<bool> done = false;
        const std::unique_ptr<QThread> asking(QThread::create([&] {
            while (!done)
                [[maybe_unused]] const bool held = OwnerLock::isHeld(dir);
        }));
        asking->start();
        int taken = 0;
        for (int round = 0; round < 200; ++round)
            taken += OwnerLock::take(dir, u"owner"_s).has_value() ? 1 : 0;
        done = true;
        QVERIFY(asking->wait());
        QCOMPARE(taken, 200);
    }
};

QTEST_GUILESS_MAIN(TestDeadTurn)
#include "tst_deadturn.moc"
