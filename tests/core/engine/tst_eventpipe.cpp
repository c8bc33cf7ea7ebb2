// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/conversationlog.h"
#include "engine/eventpipe.h"
#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"
#include "util/clock.h"
#include "util/ids.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

/// One way out for every event: joined, ordered, the same for store and subscriber.
class TestEventPipe : public Tests::Test {
    Q_OBJECT

    QTemporaryDir m_folder;
    SystemClock m_clock;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<EventPipe> m_pipe;
    std::unique_ptr<ConversationLog> m_log;
    QString m_id;
    QList<EventBatch> m_batches;
    bool m_acknowledge = true;

    QList<EventDelivery> delivered() const
    {
        QList<EventDelivery> all;
        for (const EventBatch &batch : m_batches)
            all += batch;
        return all;
    }
    bool durable()
    {
        bool done = false;
        m_log->whenDurable(this, [&done] { done = true; });
        return QTest::qWaitFor([&done] { return done; }, 5000);
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        auto store = Store::open(m_folder.path(), u"test"_s);
        QVERIFY(store);
        m_store = std::move(*store);
        m_pipe = std::make_unique<EventPipe>(m_store.get(), nullptr);
        m_batches.clear();
        m_acknowledge = true;
        connect(m_pipe.get(), &EventPipe::batch, this, [this](const EventBatch &batch) {
            m_batches.append(batch);
            if (m_acknowledge)
                QMetaObject::invokeMethod(m_pipe.get(), &EventPipe::acknowledge, Qt::QueuedConnection);
        });
        m_id = newId();
        m_log = std::make_unique<ConversationLog>(m_id, 0, m_pipe.get(), &m_clock);
        m_log->append(EventKind::ConversationCreated, "{\"title\":\"t\"}");
    }
    void cleanup()
    {
        m_log.reset();
        m_pipe.reset();
        m_store.reset();
    }

    void deltasOfAPartAreJoinedAndOrderIsKept()
    {
        for (int i = 0; i < 100; ++i)
            m_log->appendDelta(EventKind::TextDelta, 1, 1, 1, 0, u"x"_s);
        m_log->appendDelta(EventKind::TextDelta, 1, 1, 1, 1, u"next"_s);
        m_log->append(EventKind::Note, "{\"text\":\"after\"}");
        QVERIFY(durable());
        QTRY_COMPARE(delivered().size(), 4);
        const QList<EventDelivery> all = delivered();
        QCOMPARE(all[1].event->json()[u"text"].toString(), QString(100, u'x'));
        QCOMPARE(all[2].event->json()[u"part"].toInteger(0), 1);
        QCOMPARE(all[3].event->kind, EventKind::Note);
        for (qsizetype i = 0; i < all.size(); ++i)
            QCOMPARE(all[i].event->seq, i + 1);
        // What the store has is what the subscriber saw.
        const auto reader = LogReader::open(m_folder.path());
        const auto stored = (*reader)->events(m_id, 1, 100);
        QCOMPARE(stored->size(), all.size());
        for (qsizetype i = 0; i < all.size(); ++i)
            QCOMPARE((*stored)[i]->payload, all[i].event->payload);
    }

    void aSurrogatePairIsNotCut()
    {
        const QString face = u"😀"_s;
        m_log->appendDelta(EventKind::TextDelta, 1, 1, 1, 0, u"a"_s + face.left(1));
        m_pipe->flush();
        m_log->appendDelta(EventKind::TextDelta, 1, 1, 1, 0, face.mid(1) + u"b"_s);
        QVERIFY(durable());
        QTRY_COMPARE(delivered().size(), 3);
        QCOMPARE(delivered()[1].event->json()[u"text"].toString(), u"a"_s);
        QCOMPARE(delivered()[2].event->json()[u"text"].toString(), face + u'b');
    }

    // A picture in a text, say: no event is so large that reading it takes long.
    void longDeltasAreSeveralEvents()
    {
        const QString text = QString(u"x"_s + u"😀"_s.repeated(150'000) + u"end"_s);
        m_log->appendDelta(EventKind::TextDelta, 1, 1, 1, 0, text);
        QVERIFY(durable());
        QTRY_VERIFY_WITH_TIMEOUT(delivered().size() >= 6, 5000);
        QString joined;
        for (const EventDelivery &delivery : delivered().mid(1)) {
            const QString part = delivery.event->json()[u"text"].toString();
            QVERIFY(part.size() <= 65'536);
            QVERIFY(part.isValidUtf16());
            joined += part;
        }
        QVERIFY(joined == text);
    }

    void outputLeavesRoomOnTheDisk()
    {
        const QString call = newId();
        const QString other = newId();
        QStringList stopped;
        m_log->setOverrun([&stopped](const QString &callId, ConversationLog::Overrun why) {
            if (why == ConversationLog::Overrun::DiskFull)
                stopped.append(callId);
        });
        m_pipe->setRoom([] { return 1000; });
        QVERIFY(m_log->appendOutput(1, 1, call, OutputChannel::Stdout, QByteArray(600, 'a')));
        // What is on its way counts, and after the first loss nothing more of the call is kept: no gaps.
        QVERIFY(!m_log->appendOutput(1, 1, call, OutputChannel::Stdout, QByteArray(600, 'b')));
        QVERIFY(!m_log->appendOutput(1, 1, call, OutputChannel::Stdout, QByteArray(1, 'c')));
        QCOMPARE(stopped, QStringList(call));
        QVERIFY(m_log->appendOutput(1, 1, other, OutputChannel::Stdout, QByteArray(100, 'd')));
        m_pipe->setRoom([] { return 0; });
        QVERIFY(!m_log->appendOutput(1, 1, other, OutputChannel::Stdout, QByteArray(1, 'e')));
        QCOMPARE(stopped, QStringList({call, other}));
        QVERIFY(durable());
        const auto reader = LogReader::open(m_folder.path());
        QVERIFY(reader);
        QCOMPARE((*reader)->output(m_id, call, u"stdout"_s, 0, 5000).value(), QByteArray(600, 'a'));
        QCOMPARE((*reader)->output(m_id, other, u"stdout"_s, 0, 5000).value(), QByteArray(100, 'd'));
    }

    void outputKeepsItsOrderBetweenChannelsAndItsOffsets()
    {
        const QString call = newId();
        m_log->appendOutput(1, 1, call, OutputChannel::Stdout, "one\n");
        m_log->appendOutput(1, 1, call, OutputChannel::Stdout, "two\n");
        m_log->appendOutput(1, 1, call, OutputChannel::Stderr, "bad\n");
        m_log->appendOutput(1, 1, call, OutputChannel::Stdout, "three\n");
        QVERIFY(durable());
        QTRY_COMPARE(delivered().size(), 4);
        QCOMPARE(delivered()[1].bytes, QByteArray("one\ntwo\n"));
        QCOMPARE(delivered()[2].bytes, QByteArray("bad\n"));
        QCOMPARE(delivered()[3].bytes, QByteArray("three\n"));
        QCOMPARE(delivered()[3].event->json()[u"offset"].toInteger(0), 8);
        const auto reader = LogReader::open(m_folder.path());
        QCOMPARE((*reader)->output(m_id, call, u"stdout"_s, 0, 100).value(), QByteArray("one\ntwo\nthree\n"));
    }

    void whatMustBeDurableDoesNotWaitForTheSubscriber()
    {
        m_acknowledge = false;
        m_pipe->flush();
        QTRY_COMPARE(m_batches.size(), 1);
        for (int i = 0; i < 5; ++i) {
            m_log->append(EventKind::Note, "{\"text\":\"n\"}");
            QVERIFY(durable());
        }
        QCOMPARE(m_batches.size(), 1); // It has not taken the first one.
        m_pipe->acknowledge();
        QTRY_COMPARE(m_batches.size(), 2);
        QCOMPARE(m_batches[1].size(), 5);
    }

    /// The end of a turn is told after its last event, however slowly that is read, and whatever else goes
    /// on.
    void whatFollowsABatchWaitsUntilItIsTaken()
    {
        m_acknowledge = false;
        QTRY_COMPARE(delivered().size(), 1);
        m_pipe->acknowledge();
        QStringList order;
        const auto events = [this] { return delivered().size() - 1; }; // Without the first of all.
        m_log->append(EventKind::Note, "{\"text\":\"first\"}");
        QTRY_COMPARE(events(), 1);
        m_log->append(EventKind::Note, "{\"text\":\"last\"}");
        m_pipe->whenTaken([&] { order.append(u"told after %1"_s.arg(events())); });
        m_pipe->flush();
        QCOMPARE(order, QStringList()); // The first is not taken yet, so the last one waits.
        m_pipe->acknowledge();
        QTRY_COMPARE(events(), 2);
        QCOMPARE(order, QStringList());
        m_log->append(EventKind::Note, "{\"text\":\"of another turn\"}"); // Does not hold it up.
        m_pipe->acknowledge();
        QCOMPARE(order, QStringList{u"told after 2"_s});
        QTRY_COMPARE(events(), 3);
        m_pipe->acknowledge();
        m_pipe->whenTaken([&] { order.append(u"at once"_s); });
        QCOMPARE(order.size(), 2);
    }

    void aSubscriberThatLagsIsToldToReadAnew()
    {
        m_acknowledge = false;
        QSignalSpy lagged(m_pipe.get(), &EventPipe::subscriberLagged);
        m_pipe->flush();
        QTRY_COMPARE(m_batches.size(), 1);
        const QString call = newId();
        for (int i = 0; i < 70; ++i) {
            m_log->appendOutput(1, 1, call, OutputChannel::Stdout, QByteArray(1024 * 1024, 'x'));
            m_log->closePending();
        }
        QVERIFY(durable());
        m_pipe->acknowledge();
        QTRY_COMPARE(lagged.size(), 1);
        const auto reader = LogReader::open(m_folder.path());
        QCOMPARE((*reader)->outputSize(m_id, call, u"stdout"_s).value(), qint64(70) * 1024 * 1024);
    }
};

QTEST_GUILESS_MAIN(TestEventPipe)
#include "tst_eventpipe.moc"
