// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/store.h"
#include "support/testmain.h"
#include "transcript/transcriptmodel.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using FailureMode = QAbstractItemModelTester::FailureReportingMode;

namespace {

constexpr int Patience = 20'000;

// All that a row shows, as one text to compare.
QStringList rowsOf(const TranscriptModel &model)
{
    QStringList rows;
    for (int i = 0; i < model.rowCount(); ++i) {
        const TranscriptRow &row = model.rowAt(i);
        rows.append(u"%1|%2|%3|%4|%5|%6|%7"_s.arg(row.row)
                        .arg(static_cast<int>(row.kind))
                        .arg(row.closed)
                        .arg(row.withdrawn)
                        .arg(row.lastSeq)
                        .arg(row.text, QString::fromUtf8(row.data.toJson())));
    }
    return rows;
}

} // namespace

class TestTranscriptModel : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_dirs = 0;
    QString m_dir;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<HistoryService> m_history;

    void prepare()
    {
        m_history.reset();
        m_store.reset();
        m_dir = m_temp.filePath(QString::number(++m_dirs));
        auto store = Store::open(m_dir, u"test"_s);
        QVERIFY(store);
        m_store = std::move(*store);
        m_history = std::make_unique<HistoryService>(m_dir);
    }
    bool write(const EventBatch &batch)
    {
        QSignalSpy committed(m_store.get(), &Store::committed);
        m_store->append(batch, false);
        return committed.wait(Patience);
    }
    QStringList readLater(const QString &conversation)
    {
        TranscriptModel model(m_history.get());
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.open(conversation);
        if (!QTest::qWaitFor([&] { return reset.size() >= 2; }, Patience))
            return {};
        return rowsOf(model);
    }

private Q_SLOTS:
    void cleanup()
    {
        m_history.reset();
        m_store.reset();
    }

    // Wherever the conversation is opened, and however the batches fall: the rows are those that are read
    // later.
    void theLiveTailEqualsRowsReadLater_data()
    {
        QTest::addColumn<int>("openAt");
        QTest::addColumn<int>("lag"); // Events by which the store is behind what was shown.
        for (const int openAt : {0, 1, 7, 12, 19, 25, 40, 60}) {
            for (const int lag : {0, 3, 15})
                QTest::addRow("opened at %d, store %d behind", openAt, lag) << openAt << lag;
        }
    }
    void theLiveTailEqualsRowsReadLater()
    {
        QFETCH(int, openAt);
        QFETCH(int, lag);
        prepare();
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        script.addTurn(2);
        const EventBatch all = script.all();
        TranscriptModel model(m_history.get());
        const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
        const auto shown = static_cast<int>(std::min<qsizetype>(openAt, all.size()));
        const int written = std::max(0, shown - lag);
        if (written > 0)
            QVERIFY(write(all.mid(0, written)));
        if (shown > 0)
            model.takeEvents(all.mid(0, shown)); // Before it is opened: only noted.
        model.open(script.conversation());
        QRandomGenerator random(static_cast<quint32>(openAt * 100 + lag));
        int at = shown;
        int inLog = written;
        while (at < all.size() || inLog < all.size()) {
            const int count = random.bounded(1, 6);
            if (at < all.size()) {
                model.takeEvents(all.mid(at, count));
                at = static_cast<int>(std::min<qsizetype>(at + count, all.size()));
            }
            const int until = at >= all.size() ? static_cast<int>(all.size()) : std::max(inLog, at - lag);
            if (until > inLog)
                QVERIFY(write(all.mid(inLog, until - inLog)));
            inLog = until;
        }
        QStringList later = readLater(script.conversation());
        QVERIFY(later.size() > 20);
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(model), later, Patience);
    }

    void eventsThatWereNeverSeenAreRead()
    {
        prepare();
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const EventBatch all = script.all();
        QVERIFY(write(all.mid(0, 10)));
        TranscriptModel model(m_history.get());
        const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
        model.open(script.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(model.rowCount() > 0, Patience);
        QVERIFY(write(all.mid(10)));
        model.takeEvents(all.mid(30)); // 10 to 29 are missing.
        const QStringList later = readLater(script.conversation());
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(model), later, Patience);
    }

    void rowsComeWhereTheyAreNeeded()
    {
        prepare();
        Tests::EventScript script;
        script.addCreated();
        for (int turn = 1; turn <= 60; ++turn)
            script.addTurn(turn);
        QVERIFY(write(script.all()));
        TranscriptModel model(m_history.get());
        const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
        model.open(script.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(model.rowCount() > 0, Patience);
        const int count = model.rowCount(); // All have a place from the start.
        QVERIFY(count > 600);
        QVERIFY(model.areHere(count - 200, count - 1));
        QVERIFY(!model.isHere(count - 201));
        for (int i = 0; i < count; ++i)
            QCOMPARE(model.rowAt(i).row, i + 1);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.need(300, 310);
        model.need(300, 310);
        QTRY_VERIFY_WITH_TIMEOUT(model.areHere(300 - 40, 310 + 40), Patience); // And what is near.
        QVERIFY(!model.isHere(100));
        QVERIFY(!changed.isEmpty());
        // Asked for in passing: only where one stays is read first.
        for (int place = 200; place >= 0; place -= 10)
            model.need(place, place + 10);
        QTRY_VERIFY_WITH_TIMEOUT(model.areHere(0, 10), Patience);
        model.need(0, count - 1);
        QTRY_VERIFY_WITH_TIMEOUT(model.areHere(0, count - 1), Patience);
        QCOMPARE(model.rowCount(), count);
        for (int i = 0; i < count; ++i)
            QCOMPARE(model.rowAt(i).row, i + 1);
    }

    // What is far goes, comes again and is the same; what is open stays.
    void farRowsAreDroppedAndReadAgain()
    {
        prepare();
        Tests::EventScript script;
        script.addCreated();
        for (int turn = 1; turn <= 60; ++turn)
            script.addTurn(turn);
        const int turn = 61;
        script.add(EventKind::TurnStart,
                   "{\"turn\":61,\"parent\":null,\"messageIds\":[],\"provider\":\"demo\",\"model\":\"x\","
                   "\"maxSteps\":5,\"afterTurn\":\"pause\"}");
        QVERIFY(write(script.all()));
        TranscriptModel model(m_history.get());
        const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
        model.open(script.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(model.rowCount() > 0, Patience);
        const int before = model.rowCount();
        model.need(0, 5);
        QTRY_VERIFY_WITH_TIMEOUT(model.areHere(0, 40), Patience);
        // Live rows, large enough that not all are kept, while one reads at the start.
        const qsizetype from = script.all().size();
        for (int step = 1; step <= 40; ++step) {
            const QByteArray place = "{\"turn\":" + QByteArray::number(turn)
                + ",\"step\":" + QByteArray::number(step) + ",\"attempt\":1";
            script.add(EventKind::StepStart, place + "}");
            for (int part = 0; part < 10; ++part)
                script.add(EventKind::TextDelta,
                           place + ",\"part\":" + QByteArray::number(part) + ",\"text\":\""
                               + QByteArray(60'000, 'w') + "\"}");
            if (step < 40)
                script.add(EventKind::StepFinish,
                           place + ",\"finishReason\":\"stop\",\"usage\":{},\"costNanos\":1}");
        }
        model.takeEvents(script.all().mid(from));
        const int count = before + 40 * 11;
        QVERIFY(model.rowCount() < count); // As much takes some turns of the event loop.
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), count, Patience);
        QVERIFY(model.areHere(0, 40));
        const int far = count - 150;
        QVERIFY(!model.isHere(far)); // Closed, and the farthest.
        QVERIFY(model.areHere(count - 10, count - 1)); // Still written.
        // The log does not have them yet: they are awaited.
        model.need(far, far + 5);
        QCoreApplication::processEvents();
        QVERIFY(!model.isHere(far));
        QVERIFY(write(script.all().mid(from)));
        QTRY_VERIFY_WITH_TIMEOUT(model.areHere(far, far + 5), Patience);
        QVERIFY(std::max(model.rowAt(far).text.size(), model.rowAt(far + 1).text.size()) == 60'000);
        QVERIFY(model.rowAt(far).closed);
    }

    void anotherConversationsEventsChangeNothing()
    {
        prepare();
        Tests::EventScript shown;
        shown.addCreated();
        shown.addTurn(1);
        Tests::EventScript other;
        other.addCreated();
        other.addTurn(1);
        QVERIFY(write(shown.all()));
        TranscriptModel model(m_history.get());
        model.open(shown.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(model.rowCount() > 0, Patience);
        const QStringList before = rowsOf(model);
        model.takeEvents(other.all());
        QCOMPARE(rowsOf(model), before);
    }

    void whenTheStoreFailsWhatIsLiveIsShown()
    {
        prepare();
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        TranscriptModel model(m_history.get());
        model.takeEvents(script.all().mid(0, 5)); // Shown elsewhere, never written.
        model.open(script.conversation());
        model.takeEvents(script.all().mid(5));
        QTRY_VERIFY_WITH_TIMEOUT(model.rowCount() > 5, Patience);
    }
};

QTEST_MAIN(TestTranscriptModel)
#include "tst_transcriptmodel.moc"
