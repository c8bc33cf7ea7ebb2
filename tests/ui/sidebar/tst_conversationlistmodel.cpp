// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebarmodel.h"
#include "sidebar/statewords.h"
#include "store/store.h"
#include "support/testmain.h"
#include "theme/paint.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using FailureMode = QAbstractItemModelTester::FailureReportingMode;

namespace {
constexpr int Patience = 20'000;
}

class TestConversationListModel : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_dirs = 0;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<HistoryService> m_history;

    void prepare()
    {
        m_history.reset();
        m_store.reset();
        const QString dir = m_temp.filePath(QString::number(++m_dirs));
        auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        m_store = std::move(*store);
        m_history = std::make_unique<HistoryService>(dir);
    }
    bool write(const EventBatch &batch)
    {
        QSignalSpy committed(m_store.get(), &Store::committed);
        m_store->append(batch, false);
        return committed.wait(Patience);
    }

private Q_SLOTS:
    void cleanup()
    {
        m_history.reset();
        m_store.reset();
    }

    void isReadOnceAndThenFollowsEvents()
    {
        prepare();
        Tests::EventScript old;
        old.addCreated();
        old.addTurn(1);
        QVERIFY(write(old.all()));
        ConversationListModel model(m_history.get());
        const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
        model.reload();
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, Patience);
        const QModelIndex first = model.index(0);
        QCOMPARE(first.data(Qt::DisplayRole).toString(), u"Fix the tests"_s);
        QCOMPARE(first.data(ConversationListModel::StateWordRole).toString(), u"Finished"_s);
        QCOMPARE(first.data(ConversationListModel::ScriptedRole).toBool(), true);
        QCOMPARE(first.data(ConversationListModel::InputTokensRole).toLongLong(), 200);

        Tests::EventScript made;
        made.addCreated();
        made.addTurn(1);
        // Shown first, written later: the model asks again until the log is as far.
        model.takeEvents(made.all().mid(0, 20));
        QVERIFY(write(made.all().mid(0, 20)));
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, Patience);
        const int place = model.placeOf(made.conversation());
        QVERIFY(place >= 0);
        QVERIFY(model.index(place).data(ConversationListModel::IsRunningRole).toBool());
        model.takeEvents(made.all().mid(20));
        QVERIFY(write(made.all().mid(20)));
        QTRY_COMPARE_WITH_TIMEOUT(
            model.index(model.placeOf(made.conversation())).data(ConversationListModel::StateRole).toString(),
            u"finished"_s, Patience);
    }

    // What the files pane found out of a machine is said everywhere, until the log tells of the machine
    // again.
    void aMachineThatWasFoundInAnotherState()
    {
        prepare();
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::SandboxState,
                   "{\"state\":\"active\",\"sandboxId\":\"sb-1\",\"backend\":\"local\"}");
        QVERIFY(write(script.all()));
        ConversationListModel model(m_history.get());
        model.reload();
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, Patience);
        const QString id = script.conversation();
        const auto state = [&] { return model.summary(id)->sandboxState; };
        QCOMPARE(state(), u"active"_s);
        model.setMachineFound(id, u"another"_s, u"gone"_s);
        QCOMPARE(state(), u"active"_s);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setMachineFound(id, u"sb-1"_s, u"paused"_s);
        QCOMPARE(state(), u"paused"_s);
        QCOMPARE(changed.size(), 1);
        model.reload(); // The log knows no better.
        QSignalSpy loaded(&model, &ConversationListModel::loaded);
        QTRY_VERIFY_WITH_TIMEOUT(!loaded.isEmpty(), Patience);
        QCOMPARE(state(), u"paused"_s);
        const auto before = script.all().size();
        script.add(EventKind::SandboxState,
                   "{\"state\":\"active\",\"sandboxId\":\"sb-1\",\"backend\":\"local\"}");
        QVERIFY(write(script.all().mid(before)));
        model.takeEvents(script.all().mid(before));
        QTRY_COMPARE_WITH_TIMEOUT(state(), u"active"_s, Patience);
    }

    void eventsAreCoalesced()
    {
        prepare();
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        ConversationListModel model(m_history.get());
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QVERIFY(write(script.all()));
        for (const EventDelivery &delivery : script.all())
            model.takeEvents({delivery});
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, Patience);
        QVERIFY(changed.isEmpty()); // One read for all of them.
    }

    void deletedOnesGoAndArchivedOnesStay()
    {
        prepare();
        Tests::EventScript a;
        a.addCreated();
        Tests::EventScript b;
        b.addCreated();
        QVERIFY(write(a.all() + b.all()));
        ConversationListModel model(m_history.get());
        const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
        model.reload();
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, Patience);
        a.add(EventKind::ConversationDeleted, "{\"sandbox\":\"none\"}");
        b.add(EventKind::ConversationArchived, "{\"archived\":true}");
        const EventBatch ends = {a.all().last(), b.all().last()};
        QVERIFY(write(ends));
        model.takeEvents(ends);
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, Patience);
        QVERIFY(model.index(0).data(ConversationListModel::ArchivedRole).toBool());
    }

    void theViewKeepsTheChosenOne()
    {
        prepare();
        QStringList ids;
        for (int i = 0; i < 3; ++i) {
            Tests::EventScript script;
            script.addCreated();
            ids.append(script.conversation());
            QVERIFY(write(script.all()));
        }
        ConversationListModel model(m_history.get());
        SidebarModel grouped(&model);
        ConversationListView view;
        view.setConversations(&grouped);
        QSignalSpy chosen(&view, &ConversationListView::conversationChosen);
        view.resize(260, 400);
        view.show();
        view.choose(ids[1]); // Before it is in the list.
        model.reload();
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, Patience);
        QCOMPARE(view.currentIndex().data(ConversationListModel::IdRole).toString(), ids[1]);
        QVERIFY(chosen.isEmpty());
        view.setFocus();
        QTest::keyClick(&view, grouped.placeOf(ids[1]) == 1 ? Qt::Key_Down : Qt::Key_Up);
        QCOMPARE(chosen.size(), 1);
        QVERIFY(chosen.first().first().toString() != ids[1]);
        QVERIFY(!view.accessibleName().isEmpty());
    }

    void wordsAreInert()
    {
        ConversationSummary summary;
        summary.title = u"<b>a</b>\u202Eb"_s;
        QVERIFY(!titleText(summary).contains(QChar(0x202E)));
        QCOMPARE(plainToolTip(u"<img src=x>"_s), u"<p>&lt;img src=x&gt;</p>"_s);
        QCOMPARE(stateWord(u"waiting"_s), u"Waiting for you"_s);
        summary.title.clear();
        QCOMPARE(titleText(summary), u"New conversation"_s);
        QVERIFY(modelText(u"demo"_s, u"tour"_s).contains(u"not an AI"_s));
    }
};

QTEST_MAIN(TestConversationListModel)
#include "tst_conversationlistmodel.moc"
