// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "engine/historyservice.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <limits>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;
constexpr qint64 End = std::numeric_limits<qint64>::max();

} // namespace

class TestHistoryService : public Tests::Test {
    Q_OBJECT
private:
    static bool write(const QString &dir, const Tests::EventScript &script)
    {
        const auto store = Store::open(dir, u"test"_s);
        if (!store)
            return false;
        QSignalSpy committed(store->get(), &Store::committed);
        (*store)->append(script.all(), false);
        return committed.wait(Patience);
    }

private Q_SLOTS:
    void answersInTheCallersThreadAndInOrder()
    {
        QTemporaryDir dir;
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        QVERIFY(write(dir.path(), script));
        HistoryService history(dir.path());
        QObject context;
        QStringList order;
        const QThread *here = QThread::currentThread();
        bool elsewhere = false;
        history.conversations(&context, [&](const Result<QList<ConversationSummary>, Error> &list) {
            elsewhere = elsewhere || QThread::currentThread() != here;
            order.append(u"list %1"_s.arg(list ? list->size() : -1));
        });
        history.conversation(script.conversation(), &context,
                             [&](const Result<ConversationSummary, Error> &one) {
                                 order.append(one ? one->title : u"error"_s);
                             });
        history.rowsBefore(script.conversation(), End, 3, &context, [&](const Result<RowPage, Error> &page) {
            order.append(
                u"rows %1 to seq %2"_s.arg(page ? page->rows.size() : -1).arg(page ? page->lastSeq : -1));
        });
        history.output(script.conversation(), script.calls()[0], u"stdout"_s, 0, 9, &context,
                       [&](const Result<QByteArray, Error> &bytes) {
                           order.append(bytes ? QString::fromUtf8(*bytes) : u"error"_s);
                       });
        QVERIFY(order.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(order.size(), 4, Patience);
        QCOMPARE(order,
                 (QStringList{u"list 1"_s, u"Fix the tests"_s, u"rows 3 to seq %1"_s.arg(script.lastSeq()),
                              u"collected"_s}));
        QVERIFY(!elsewhere);
    }

    void aReplyWithoutItsContextIsDropped()
    {
        QTemporaryDir dir;
        HistoryService history(dir.path());
        bool called = false;
        {
            QObject gone;
            history.conversations(&gone, [&](const auto &) { called = true; });
        }
        bool second = false;
        history.conversations(this, [&](const auto &list) { second = list.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(second, Patience);
        QVERIFY(!called);
    }

    void theQueueIsBounded()
    {
        QTemporaryDir dir;
        HistoryService history(dir.path());
        int fine = 0;
        int busy = 0;
        const int asked = HistoryService::MostQueued + 50;
        for (int i = 0; i < asked; ++i) {
            history.conversations(this, [&](const Result<QList<ConversationSummary>, Error> &list) {
                ++(list ? fine : busy);
                if (!list)
                    QCOMPARE(list.error().kind, ErrorKind::Busy);
            });
        }
        QTRY_COMPARE_WITH_TIMEOUT(fine + busy, asked, Patience);
        QCOMPARE(fine, HistoryService::MostQueued);
        bool again = false;
        history.conversations(this, [&](const auto &list) { again = list.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(again, Patience);
    }

    void summariesLeavesOutWhatIsNotThere()
    {
        QTemporaryDir dir;
        Tests::EventScript script;
        script.addCreated();
        QVERIFY(write(dir.path(), script));
        HistoryService history(dir.path());
        QStringList found;
        bool answered = false;
        history.summaries({newId(), script.conversation(), u"../etc"_s}, this,
                          [&](const Result<QList<ConversationSummary>, Error> &list) {
                              answered = true;
                              QVERIFY(list);
                              for (const ConversationSummary &summary : *list)
                                  found.append(summary.id);
                          });
        QTRY_VERIFY_WITH_TIMEOUT(answered, Patience);
        QCOMPARE(found, QStringList{script.conversation()});
    }

    void canGoWhileReadsWait()
    {
        QTemporaryDir dir;
        auto history = std::make_unique<HistoryService>(dir.path());
        for (int i = 0; i < 100; ++i)
            history->conversations(this, [](const auto &) { QFAIL("the service is gone"); });
        history.reset();
        QCoreApplication::sendPostedEvents();
    }
};

QTEST_GUILESS_MAIN(TestHistoryService)
#include "tst_historyservice.moc"
