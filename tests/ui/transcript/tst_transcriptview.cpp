// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/store.h"
#include "support/testmain.h"
#include "theme/theme.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "transcriptfixture.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {
constexpr int Patience = 20'000;
}

class TestTranscriptView : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_dirs = 0;

    struct Shown {
        Tests::EventScript script;
        std::unique_ptr<Store> store;
        std::unique_ptr<HistoryService> history;
        std::unique_ptr<TranscriptModel> model;
        std::unique_ptr<TranscriptView> view;
    };
    void show(Shown &shown, int turns)
    {
        const QString dir = m_temp.filePath(QString::number(++m_dirs));
        auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        shown.store = std::move(*store);
        shown.script.addCreated();
        for (int turn = 1; turn <= turns; ++turn)
            shown.script.addTurn(turn);
        QSignalSpy committed(shown.store.get(), &Store::committed);
        shown.store->append(shown.script.all(), false);
        QVERIFY(committed.wait(Patience));
        shown.history = std::make_unique<HistoryService>(dir);
        shown.model = std::make_unique<TranscriptModel>(shown.history.get());
        shown.view = std::make_unique<TranscriptView>();
        shown.view->setModel(shown.model.get());
        shown.view->resize(600, 400);
        shown.view->show();
        QVERIFY(QTest::qWaitForWindowExposed(shown.view.get()));
        shown.model->open(shown.script.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->rowCount() > 0, Patience);
    }
    // One more turn's events, live.
    static void goOn(Shown &shown, int turn)
    {
        const qsizetype before = shown.script.all().size();
        shown.script.addTurn(turn);
        shown.model->takeEvents(shown.script.all().mid(before));
    }
    static void addEveryState(Tests::TranscriptFixture &shown)
    {
        Tests::EventScript &script = shown.script;
        script.addCreated();
        const QByteArray message = newId().toUtf8();
        script.add(EventKind::UserMessage,
                   "{\"messageId\":\"" + message
                       + "\",\"text\":\"`tests/test_webhooks.py` fails about one run in five. Find out "
                         "why and fix it.\\nKeep the signature of `verify()`.\",\"delivery\":\"now\"}");
        script.add(EventKind::TurnStart,
                   "{\"turn\":1,\"parent\":null,\"messageIds\":[\"" + message
                       + "\"],\"provider\":\"demo\",\"model\":\"x\","
                         "\"maxSteps\":9,\"afterTurn\":\"pause\"}");
        shown.startStep();
        shown.text(u"The user wants a stable test."_s, EventKind::ReasoningDelta);
        shown.nextPart();
        shown.text(
            u"# Two causes\n\nA clock race, not ordering. `verify()` reads `time.time()` **twice**; see "
            u"[the notes](https://example.org/notes).\n\n1. first\n   - inner\n2. second\n\n> quoted "
            u"words\n\n"
            u"- [x] done\n- [ ] open\n\n"_s);
        shown.text(u"| Cause | Where | Before | After |\n|---|---|--:|---|\n| Two clock reads | "
                   u"`webhooks.py:52` | 9 of "
                   u"240 | 0 of 1,200 |\n| Age compared with `<=` | `webhooks.py:68` | 300 s | refused |\n\n"
                   u"```python\ndef tick(clock):\n    return clock() + 300  # seconds\n```\n\n"
                   u"שלום **עולם**, זה טקסט.\n\n![chart](https://example.org/chart.png)\n"_s);
        shown.endText();
        const QStringList ids{newId(), newId(), newId(), newId(), newId(), newId()};
        const QByteArray denied = ids[4].toUtf8();
        const QByteArray unknown = ids[5].toUtf8();
        shown.call(ids[0], u"git log --oneline --since=tuesday -- src tests"_s);
        shown.run(ids[0]);
        shown.output(ids[0], "5 commits\n");
        shown.result(ids[0], 0, 10);
        shown.call(ids[1], u"pytest tests/test_webhooks.py -q -n 4 --maxfail=1 --durations=10"_s);
        shown.run(ids[1]);
        shown.output(ids[1], "9 of 240 failed\n");
        shown.result(ids[1], 1, 16);
        shown.call(ids[4], u"rm -rf /home/user/.cache"_s);
        script.add(EventKind::ToolApproval,
                   "{\"turn\":1,\"step\":1,\"callId\":\"" + denied
                       + "\",\"state\":\"denied\",\"by\":\"user\",\"rule\":\"\","
                         "\"reason\":\"Keep the cache, it takes 20 minutes to fill.\"}");
        script.add(EventKind::ToolError,
                   "{\"turn\":1,\"step\":1,\"callId\":\"" + denied
                       + "\",\"toolName\":\"bash\",\"error\":\"denied\",\"reason\":"
                         "\"denied\"}");
        shown.call(ids[5], u"cat nope"_s);
        script.add(EventKind::ToolError,
                   "{\"turn\":1,\"step\":1,\"callId\":\"" + unknown
                       + "\",\"toolName\":\"bash\",\"error\":\"No such tool. The "
                         "model was told; nothing else changed.\",\"reason\":\"unknown-tool\"}");
        shown.startStep();
        shown.text(u"The last words."_s);
        script.add(EventKind::Note, "{\"turn\":1,\"about\":\"x\",\"text\":\"The machine was resumed.\"}");
        script.add(
            EventKind::Error,
            "{\"turn\":1,\"kind\":\"model\",\"message\":\"Network to the provider is gone since 14:22\","
            "\"kept\":\"Everything shown is stored. The call on the machine goes on.\",\"todo\":\"Try "
            "again.\"}");
        script.add(EventKind::TurnFinish,
                   "{\"turn\":1,\"reason\":\"stopped\",\"text\":\"\",\"steps\":2,\"usage\":{\"input\":18200,"
                   "\"output\":640},\"costNanos\":21000000}");
        shown.startTurn(2);
        shown.text(u"Now the proof you asked for, on four workers."_s);
        shown.endText();
        shown.call(ids[2], u"python tools/soak.py tests/test_webhooks.py --runs 50 --keep-going"_s);
        shown.run(ids[2]);
        shown.output(ids[2], "run 31/50 .............");
        shown.call(ids[3], u"git push origin HEAD:fix/webhook-replay-window"_s);
        shown.ask(ids[3]);
    }

private Q_SLOTS:
    void followsTheEndUnlessScrolledUp()
    {
        Shown shown;
        show(shown, 8);
        const QScrollBar *bar = shown.view->verticalScrollBar();
        QVERIFY(shown.view->isFollowing());
        QVERIFY(bar->maximum() > 0);
        QCOMPARE(bar->value(), bar->maximum());
        goOn(shown, 9);
        QVERIFY(shown.view->isFollowing());
        QCOMPARE(bar->value(), bar->maximum());

        shown.view->verticalScrollBar()->setValue(bar->value() - 150);
        QVERIFY(!shown.view->isFollowing());
        const QImage before = shown.view->viewport()->grab(QRect(0, 0, 400, 300)).toImage();
        goOn(shown, 10);
        QVERIFY(!shown.view->isFollowing());
        QVERIFY(bar->value() < bar->maximum());
        QCOMPARE(shown.view->viewport()->grab(QRect(0, 0, 400, 300)).toImage(),
                 before); // What is read does not move.

        QTest::keyClick(shown.view.get(), Qt::Key_End);
        QVERIFY(shown.view->isFollowing());
        QCOMPARE(bar->value(), bar->maximum());
    }

    void onlyWhatIsNearIsLaidOut()
    {
        Shown shown;
        show(shown, 300);
        QVERIFY(shown.model->rowCount() > 3000);
        QScrollBar *bar = shown.view->verticalScrollBar();
        for (int step = 0; step <= 20; ++step) {
            bar->setValue(static_cast<int>(qint64(bar->maximum()) * step / 20));
            QTRY_VERIFY_WITH_TIMEOUT(!shown.view->isWaitingForRows(), Patience);
            shown.view->viewport()->grab();
            QVERIFY(shown.view->layoutCount() < 200);
        }
    }

    // Scrolled in small steps from the end to the start, and by the bar: both ends are reached.
    void bothEndsAreReached()
    {
        Shown shown;
        show(shown, 12);
        QScrollBar *bar = shown.view->verticalScrollBar();
        for (int i = 0; i < 2000 && bar->value() > 0; ++i)
            bar->setValue(bar->value() - 37);
        QCOMPARE(bar->value(), 0);
        QVERIFY(!shown.view->isFollowing());
        bar->setValue(bar->maximum());
        QVERIFY(shown.view->isFollowing());
        QTest::keyClick(shown.view.get(), Qt::Key_Home);
        QCOMPARE(bar->value(), 0);
    }

    void keysWalkUnfoldAndCopy()
    {
        Shown shown;
        show(shown, 1);
        shown.view->setFocus();
        int call = -1;
        for (int i = 0; i < shown.model->rowCount(); ++i) {
            if (shown.model->rowAt(i).kind == TranscriptRow::Kind::Call && call < 0)
                call = i;
        }
        QVERIFY(call > 0);
        shown.view->setCurrentPlace(0);
        for (int i = 0; i < call; ++i)
            QTest::keyClick(shown.view.get(), Qt::Key_Down);
        QCOMPARE(shown.view->currentPlace(), call);
        const QImage folded = shown.view->viewport()->grab().toImage();
        QTest::keyClick(shown.view.get(), Qt::Key_Space);
        QVERIFY(shown.view->viewport()->grab().toImage() != folded);
        QTest::keyClick(shown.view.get(), Qt::Key_Space);
        QGuiApplication::clipboard()->clear();
        QTest::keyClick(shown.view.get(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"pytest -q"_s);
    }

    // The worst a model can send: a row of half a million characters in one line, growing.
    void aHugeLineDoesNotBlock()
    {
        Shown shown;
        show(shown, 1);
        const qsizetype before = shown.script.all().size();
        shown.script.add(
            EventKind::TurnStart,
            "{\"turn\":2,\"parent\":1,\"messageIds\":[],\"provider\":\"demo\",\"model\":\"x\",\"maxSteps\":5,"
            "\"afterTurn\":\"pause\"}");
        shown.script.add(EventKind::StepStart, "{\"turn\":2,\"step\":1,\"attempt\":1}");
        for (int i = 0; i < 60; ++i)
            shown.script.add(EventKind::TextDelta,
                             "{\"turn\":2,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\""
                                 + QByteArray(10'000, 'w') + "\"}");
        // Of this thread's own time: what another program takes from it is not the view's doing.
        const auto spentMs = [] {
            timespec now = {};
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            return static_cast<qint64>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
        };
        qint64 longest = 0;
        for (qsizetype i = before; i < shown.script.all().size(); ++i) {
            const qint64 begin = spentMs();
            shown.model->takeEvents({shown.script.all().at(i)});
            shown.view->viewport()->grab();
            longest = std::max(longest, spentMs() - begin);
        }
        qInfo("longest step %lld ms", longest);
        QVERIFY(longest < 100);
    }

    // Every kind of row and every state of a call, in both schemes: each leaves marks of its own, none is
    // clipped to nothing. With PH_PICTURES set to a folder the pictures are kept there to be looked at.
    void everyStateIsPainted_data()
    {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void everyStateIsPainted()
    {
        QFETCH(bool, isDark);
        Theme::instance().force(isDark ? Scheme::Dark : Scheme::Light);
        Tests::TranscriptFixture shown;
        addEveryState(shown);
        QVERIFY(shown.show({640, 1500}));
        shown.view->goToEnd();
        int painted = 0;
        for (int i = 0; i < shown.model->rowCount(); ++i) {
            const QRect row = shown.view->rowRect(i);
            if (row.height() == 0 || row.top() < 0 || row.bottom() > 1500)
                continue;
            const QImage image = shown.picture(row);
            const QRgb ground = Theme::instance().color(Role::Canvas).rgb();
            bool hasMarks = false;
            for (int y = 0; y < image.height() && !hasMarks; ++y) {
                for (int x = 0; x < image.width() && !hasMarks; ++x)
                    hasMarks = (image.pixel(x, y) & 0xFFFFFFU) != (ground & 0xFFFFFFU);
            }
            QVERIFY2(hasMarks, qPrintable(shown.model->index(i).data(Qt::DisplayRole).toString()));
            ++painted;
        }
        QVERIFY(painted >= 16);
        if (const QString folder = qEnvironmentVariable("PH_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.picture().save(folder + u'/' + QString::fromLatin1(QTest::currentDataTag())
                                         + u".png"_s));
        Theme::instance().force(Scheme::Light);
    }

    void isNamed()
    {
        Shown shown;
        show(shown, 1);
        QVERIFY(!shown.view->accessibleName().isEmpty());
    }
};

QTEST_MAIN(TestTranscriptView)
#include "tst_transcriptview.moc"
