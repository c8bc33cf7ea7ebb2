// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalbar.h"
#include "composer/composer.h"
#include "composer/composeredit.h"
#include "engine/engine.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/errorbar.h"
#include "shell/mainwindow.h"
#include "shell/statusline.h"
#include "shell/welcomepage.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"
#include "theme/controls/emptystate.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 30'000;

// One prompt after the other: answers of all kinds; fast output; a command that only Stop ends, twice.
constexpr auto Script = R"json({
 "format": 1, "name": "window", "maxSteps": 20, "pace": {"charsPerSecond": 0},
 "turns": [
  {"steps": [
   {"events": [{"reasoning": "Three calls."}, {"text": "I begin."}, {"call": {"name": "bash", "args": {"command": "echo first; pwd"}}}]},
   {"events": [{"call": {"name": "bash", "args": {"command": "echo second"}}}]},
   {"events": [{"call": {"name": "bash", "args": {"command": "echo third", "timeout": 20}}}]},
   {"events": [{"text": "That was all."}]}
  ]},
  {"steps": [
   {"events": [{"call": {"name": "bash", "args": {"command": "yes 'a line of output that is repeated' | head -n 400000; echo last"}}}]},
   {"pace": {"charsPerSecond": 4000}, "events": [{"text": "TEXT"}]}
  ]}
 ],
 "otherwise": {"steps": [{"events": [{"call": {"name": "bash", "args": {"command": "sleep 300"}}}]}, {"events": [{"text": "Slept."}]}]}
})json";

} // namespace

class TestMainWindow : public Tests::Test {
    Q_OBJECT
private:
    struct Session {
        Tests::SandboxdFixture sandboxd;
        QTemporaryDir folder;
        EngineOptions options;
        std::unique_ptr<Workspace> workspace;
        std::unique_ptr<MainWindow> window;

        [[nodiscard]] ConversationPage *page() const { return window->page(); }
        [[nodiscard]] ComposerEdit *edit() const { return window->page()->composer()->edit(); }
        [[nodiscard]] QStringList rows() const
        {
            QStringList out;
            const TranscriptModel *model = workspace->transcript();
            for (int i = 0; i < model->rowCount(); ++i)
                out.append(model->index(i).data(Qt::DisplayRole).toString());
            return out;
        }
        [[nodiscard]] QString transcript() const { return rows().join(u'\n'); }
        [[nodiscard]] QPushButton *button(const QString &text) const
        {
            for (QPushButton *candidate : window->findChildren<QPushButton *>()) {
                if (candidate->text() == text && candidate->isVisible())
                    return candidate;
            }
            return nullptr;
        }
        [[nodiscard]] ApprovalCard *card() const
        {
            // In the transcript while its row is in view, else above the composer; never in both.
            for (ApprovalCard *card : window->findChildren<ApprovalCard *>()) {
                if (card->isVisible())
                    return card;
            }
            return nullptr;
        }
        void say(const QString &text) const
        {
            QTest::keyClicks(edit(), text);
            QTest::keyClick(edit(), Qt::Key_Return);
        }
    };

    static EngineOptions optionsFor(const Session &session, const QByteArray &script)
    {
        EngineOptions options;
        options.program = u"test"_s;
        options.dataDir = session.folder.filePath(u"data"_s);
        options.model = u"demo/window"_s;
        options.demoScript = session.folder.filePath(u"script.json"_s);
        options.askAsScripted = true;
        QFile file(options.demoScript);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("no script");
        file.write(script);
        file.close();
        options.environment = [](const QString &) { return QString(); };
        return options;
    }
    static void openWindow(Session &session)
    {
        session.workspace = std::make_unique<Workspace>(session.options.dataDir);
        session.window = std::make_unique<MainWindow>(session.workspace.get());
        session.window->resize(1440, 900); // Whatever the screen of the test has room for.
        QSignalSpy painted(session.window.get(), &MainWindow::firstPainted);
        session.window->show();
        QVERIFY(QTest::qWaitForWindowActive(session.window.get()));
        QTRY_COMPARE_WITH_TIMEOUT(painted.size(), 1, Patience);
    }
    static void begin(Session &session, QByteArray script = Script)
    {
        QVERIFY2(session.sandboxd.start(), session.sandboxd.errorText().constData());
        script.replace("TEXT", QByteArray("Many words come quickly. ").repeated(400));
        session.options = optionsFor(session, script);
        session.options.superserveUrl = session.sandboxd.base().toString();
        session.options.superserveDataUrl = session.sandboxd.data().toString();
        session.options.environment = [key =
                                           QString::fromLatin1(session.sandboxd.key())](const QString &name) {
            return name == "SUPERSERVE_API_KEY"_L1 ? key : QString();
        };
        openWindow(session);
        auto engine = Engine::open(session.options);
        QVERIFY2(engine, engine ? "" : qPrintable(engine.error().toText()));
        session.workspace->setEngine(std::move(*engine));
        QTRY_VERIFY_WITH_TIMEOUT(!session.workspace->defaults().provider.isEmpty(), Patience);
    }
    static void waitForEnd(Session &session)
    {
        QTRY_VERIFY_WITH_TIMEOUT(!session.workspace->isRunning(session.workspace->current()), Patience);
    }

private Q_SLOTS:
    // The whole job by keys and mouse: prompt, allow, deny with a reason, edit and run, the end.
    void aTurnIsSteeredByApprovals()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        QVERIFY(s.page()->welcome()->isVisible());
        QVERIFY(s.button(u"Start the tour"_s));
        QVERIFY(!s.button(u"Stop"_s)->isEnabled());
        s.say(u"Please do three things."_s);
        QVERIFY(s.edit()->toPlainText().isEmpty());
        QVERIFY(s.page()->transcript()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(s.button(u"Stop"_s)->isEnabled(), Patience);
        QVERIFY(s.button(u"Steer"_s));

        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        // One key from the composer, wherever the card stands.
        QTRY_VERIFY_WITH_TIMEOUT(s.page()->zones().contains(s.card()), Patience);
        s.edit()->setFocus();
        QTest::keyClick(s.edit(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(s.card()->hasFocus());
        QCOMPARE(s.card()->findChild<QPlainTextEdit *>()->toPlainText(), u"echo first; pwd"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"Waiting for you"_s), Patience);
        QTest::mouseClick(s.button(u"Allow once"_s), Qt::LeftButton);

        QTRY_VERIFY_WITH_TIMEOUT(s.card() && s.card()->call().args[u"command"].toString() == "echo second"_L1,
                                 Patience);
        QTest::mouseClick(s.button(u"Deny…"_s), Qt::LeftButton);
        auto *reason = s.card()->findChild<QLineEdit *>();
        QTest::keyClicks(reason, u"one is enough"_s);
        QTest::mouseClick(s.button(u"Deny"_s), Qt::LeftButton);

        QTRY_VERIFY_WITH_TIMEOUT(s.card() && s.card()->call().args[u"timeout"].toInteger(0) == 20, Patience);
        s.card()->setFocus();
        s.window->activateWindow(); // The offscreen platform forgets it when a focused widget goes.
        QVERIFY(QTest::qWaitForWindowActive(s.window.get()));
        s.card()->setFocus();
        QVERIFY(s.card()->hasFocus());
        QTest::keyClick(s.card(), Qt::Key_E);
        QVERIFY(s.button(u"Run edited"_s));
        QPlainTextEdit *edit = nullptr; // The proposed command stands above it, and cannot be written in.
        for (QPlainTextEdit *field : s.card()->findChildren<QPlainTextEdit *>()) {
            if (field->isVisible() && !field->isReadOnly())
                edit = field;
        }
        QVERIFY(edit);
        QTest::keyClicks(edit, u"-edited"_s);
        QCOMPARE(edit->toPlainText(), u"echo third-edited"_s);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY2_WITH_TIMEOUT(s.transcript().contains(u"That was all."_s),
                                  qPrintable(QString(s.window->errorBar()->text() + s.transcript())),
                                  Patience);
        waitForEnd(s);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"Finished"_s), Patience);
        QVERIFY(!s.card());
        QVERIFY(!s.page()->approvals()->isVisible());
        QVERIFY(!s.button(u"Stop"_s)->isEnabled());
        const QString text = s.transcript();
        for (const QString &part : {u"You, "_s, u"Please do three things."_s, u"I begin."_s, u"/home/user"_s,
                                    u"Denied by you"_s, u"“one is enough”"_s, u"third-edited"_s, u"Step 4"_s})
            QVERIFY2(text.contains(part), qPrintable(part + u" is missing in\n"_s + text));
        // The list says the same, and what is read later is what was shown live.
        const ConversationListModel *list = s.workspace->conversations();
        QTRY_COMPARE_WITH_TIMEOUT(list->rowCount(), 1, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(list->index(0).data(ConversationListModel::StateRole).toString(),
                                  u"finished"_s, Patience);
        const QStringList live = s.rows();
        QTest::mouseClick(s.button(u"New"_s), Qt::LeftButton);
        QVERIFY(s.page()->welcome()->isVisible());
        QVERIFY(s.workspace->current().isEmpty());
        s.window->list()->setFocus();
        QTest::keyClick(s.window->list(), Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(s.rows(), live, Patience);
    }

    void stopEndsACommandAndFastOutputDoesNotBlock()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        s.say(u"one"_s);
        for (int i = 0; i < 3; ++i) {
            QTRY_VERIFY_WITH_TIMEOUT(s.card() && s.button(u"Allow once"_s)->isEnabled(), Patience);
            const QString id = s.card()->call().callId;
            QTest::mouseClick(s.button(u"Allow once"_s), Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(!s.card() || s.card()->call().callId != id, Patience);
        }
        waitForEnd(s);

        s.say(u"two"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        qint64 longest = 0;
        QElapsedTimer since;
        QTimer beat;
        beat.setTimerType(Qt::PreciseTimer);
        connect(&beat, &QTimer::timeout, &beat, [&] { longest = std::max(longest, since.restart()); });
        since.start();
        beat.start(1);
        QTest::mouseClick(s.button(u"Allow once"_s), Qt::LeftButton);
        waitForEnd(s);
        beat.stop();
        qInfo("longest gap of the event loop: %lld ms", longest);
        QVERIFY2(longest < 250, qPrintable(QString::number(longest)));
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u", last"_s), Patience); // The last line of output.
        QVERIFY(s.page()->transcript()->isFollowing());

        s.say(u"three"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        QTest::mouseClick(s.button(u"Allow once"_s), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(s.rows().last().contains(u"Running"_s), Patience);
        s.say(u"Faster, please."_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"Faster, please."_s), Patience);
        QCOMPARE(s.edit()->toPlainText(), QString());
        QTest::mouseClick(s.button(u"Stop"_s), Qt::LeftButton);
        QVERIFY(!s.button(u"Stop"_s)->isEnabled());
        waitForEnd(s);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"Stopped by you"_s), Patience);
        // What was to steer the turn is given back, and sends itself no more.
        QTRY_COMPARE_WITH_TIMEOUT(s.edit()->toPlainText(), u"Faster, please."_s, Patience);
    }

    void closingStopsWhatRunsAndASecondCloseLeaves()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        s.say(u"one"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        QVERIFY(!s.window->close());
        QVERIFY(s.window->isVisible());
        QVERIFY(s.window->errorBar()->isVisible());
        QVERIFY(s.window->errorBar()->text().contains(u"Stopping"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!s.window->isVisible(), Patience); // By itself, when the turn has ended.
        QTRY_VERIFY_WITH_TIMEOUT(!s.workspace->isRunning(s.workspace->current()),
                                 Patience); // The event follows.
        QTRY_VERIFY2_WITH_TIMEOUT(s.transcript().contains(u"Stopped because the program was closed"_s),
                                  qPrintable(s.transcript()), Patience);
        QVERIFY2(!s.transcript().contains(u"the user stopped"_s) && !s.transcript().contains(u"by you"_s),
                 qPrintable(s.transcript()));

        s.window->show();
        QVERIFY(s.window->close());
    }

    void aSecondCloseDoesNotWait()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        s.say(u"one"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        QVERIFY(!s.window->close());
        QVERIFY(s.window->close());
        QVERIFY(!s.window->isVisible());
    }

    void whatCannotBeSentIsGivenBack()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        QTest::keyClicks(s.edit(), u"a"_s);
        s.edit()->insertPlainText(QString(QChar(u'\0')));
        const QString text = s.edit()->toPlainText();
        QTest::keyClick(s.edit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(s.window->errorBar()->isVisible(), Patience);
        QVERIFY(s.window->errorBar()->text().contains(u"NUL"_s));
        QCOMPARE(s.edit()->toPlainText(), text);
        QVERIFY(s.workspace->current().isEmpty()); // No conversation with nothing in it.
        QCOMPARE(s.workspace->conversations()->rowCount(), 0);
        QTest::mouseClick(s.button(u"Dismiss"_s), Qt::LeftButton);
        QVERIFY(!s.window->errorBar()->isVisible());
        QVERIFY(s.edit()->hasFocus());
        QVERIFY(!s.window->statusLine()->message().contains(u"NUL"_s));

        // Told again; it goes when what was tried has been done, or when the person has gone on.
        QTest::keyClick(s.edit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(s.window->errorBar()->isVisible(), Patience);
        s.edit()->setPlainText(u"one"_s);
        QTest::keyClick(s.edit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!s.window->errorBar()->isVisible(), Patience);
        Error error;
        error.kind = ErrorKind::Sandbox;
        error.message = u"The folder was not made."_s;
        for (const bool stays : {false, true}) {
            error.kind = stays ? ErrorKind::Storage : ErrorKind::Sandbox;
            for (const auto &[key, modifiers] :
                 {std::pair(Qt::Key_N, Qt::ControlModifier), std::pair(Qt::Key_Comma, Qt::ControlModifier),
                  std::pair(Qt::Key_Escape, Qt::NoModifier)}) {
                Q_EMIT s.workspace->problem(error);
                QVERIFY(s.window->errorBar()->isVisible());
                QTest::keyClick(QApplication::focusWidget(), key, modifiers);
                QCOMPARE(s.window->errorBar()->isVisible(), stays);
            }
            s.workspace->setCurrent(
                s.workspace->conversations()->index(0).data(ConversationListModel::IdRole).toString());
        }
    }

    // A script is played by demo models only; words meant for it go to no other.
    void wordsForAScriptGoToNoOtherModel()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        s.workspace->setModel(u"anthropic"_s, u"claude-haiku-4-5"_s);
        s.say(u"go"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.window->errorBar()->text().contains(u"demo script"_s), Patience);
        QCOMPARE(s.edit()->toPlainText(), u"go"_s);
        QVERIFY(s.workspace->current().isEmpty());
        QCOMPARE(s.workspace->conversations()->rowCount(), 0);
        s.workspace->setModel(u"demo"_s, u"script"_s); // It is said what to do, and that helps.
        QTest::keyClick(s.edit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"I begin."_s), Patience);
        s.workspace->stop();
        waitForEnd(s);
    }

    // Whoever wrote a reason goes on by keys, also when it began with a click.
    void keysGoOnAfterAReason()
    {
        Session s;
        QByteArray calls;
        for (const char *word : {"one", "two", "three"})
            calls += QByteArray(calls.isEmpty() ? "" : ",")
                + "{\"call\": {\"name\": \"bash\", \"args\": {\"command\": \"echo " + word + "\"}}}";
        begin(s,
              "{\"format\": 1, \"name\": \"three\", \"turns\": [{\"steps\": [{\"events\": [" + calls
                  + "]}]}]}");
        if (QTest::currentTestFailed())
            return;
        s.say(u"go"_s);
        QTRY_COMPARE_WITH_TIMEOUT(s.workspace->pendingCalls()->of(s.workspace->current()).size(), 3,
                                  Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        ApprovalCard *first = s.card();
        QTest::mouseClick(s.button(u"Deny\u2026"_s), Qt::LeftButton);
        QTRY_VERIFY(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        QWidget *reason = QApplication::focusWidget();
        QTest::mouseClick(reason, Qt::LeftButton);
        QTest::keyClicks(reason, u"no"_s);
        QTest::keyClick(reason, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(s.workspace->pendingCalls()->of(s.workspace->current()).size(), 2,
                                  Patience);
        auto *next = qobject_cast<ApprovalCard *>(QApplication::focusWidget());
        QVERIFY(next && next != first);
        QTest::keyClick(next, Qt::Key_E);
        QCOMPARE(next->draft().kind, ApprovalDraft::Kind::Edit);
        QCOMPARE(s.edit()->toPlainText(), QString());
        s.workspace->stop();
        waitForEnd(s);
    }

    // What a turn came to is told beside how it ended.
    void figuresStayWhenATurnFails()
    {
        Session s;
        begin(s,
              "{\"format\": 1, \"name\": \"fails\", \"turns\": [{\"steps\": ["
              "{\"events\": [{\"call\": {\"name\": \"bash\", \"args\": {\"command\": \"echo one\"}}}]},"
              "{\"events\": [], \"fault\": {\"kind\": \"auth\", \"message\": \"No entry.\"}}]}]}");
        if (QTest::currentTestFailed())
            return;
        s.say(u"go"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.button(u"Allow once"_s), Patience);
        QTest::mouseClick(s.button(u"Allow once"_s), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"Failed at the model's service"_s), Patience);
        waitForEnd(s);
        const auto shown = [&s](const QString &words) {
            const auto labels = s.page()->header()->findChildren<QLabel *>();
            return std::any_of(labels.cbegin(), labels.cend(), [&](const QLabel *label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown(u"Failed: "_s), Patience);
        QVERIFY(shown(u"step 2"_s));
        s.window->resize(760, 560); // The words need what room there is.
        QTRY_VERIFY(!shown(u"step 2"_s));
        QVERIFY(shown(u"Failed: "_s));
    }

    void aBrokenScriptIsAnErrorInTheTranscript()
    {
        Session s;
        begin(s, "{\"format\": 1,");
        if (QTest::currentTestFailed())
            return;
        s.say(u"go"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.transcript().contains(u"Failed at the model's service"_s), Patience);
        waitForEnd(s);
        QVERIFY2(s.transcript().contains(u"script.json"_s), qPrintable(s.transcript()));
        QVERIFY(s.window->isVisible());
    }

    void anotherOwnerLeavesTheWindowReading()
    {
        Session s;
        s.options = optionsFor(s, Script);
        s.options.program = u"pilothouse-cli"_s;
        auto owner = Engine::open(s.options);
        QVERIFY2(owner, owner ? "" : qPrintable(owner.error().toText()));
        QSignalSpy events(owner->get(), &Engine::eventsReady);
        ConversationSettings settings;
        settings.title = u"Theirs"_s;
        (*owner)->createConversation(settings);
        QVERIFY(events.wait(Patience));

        openWindow(s);
        auto refused = Engine::open(s.options);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::NotOwner);
        s.workspace->setUnavailable(refused.error());
        QVERIFY(s.window->errorBar()->isVisible());
        QVERIFY2(s.window->errorBar()->text().contains(u"pilothouse-cli"_s),
                 qPrintable(s.window->errorBar()->text()));
        QTRY_COMPARE_WITH_TIMEOUT(s.workspace->conversations()->rowCount(), 1, Patience);
        QVERIFY(!s.button(u"New"_s)->isEnabled());
        QVERIFY(s.edit()->isReadOnly());
        s.window->list()->setFocus();
        QTest::keyClick(s.window->list(), Qt::Key_Down);
        QVERIFY(s.page()->findChild<EmptyState *>()->isVisible()); // Theirs has no message yet.
        QSignalSpy retry(s.window.get(), &MainWindow::retryRequested);
        QTest::mouseClick(s.button(u"Try again"_s), Qt::LeftButton);
        QCOMPARE(retry.size(), 1);

        owner->reset();
        auto engine = Engine::open(s.options);
        QVERIFY2(engine, engine ? "" : qPrintable(engine.error().toText()));
        s.workspace->setEngine(std::move(*engine));
        QVERIFY(!s.window->errorBar()->isVisible());
        QVERIFY(s.button(u"New"_s)->isEnabled());
    }

    void everyControlHasAName()
    {
        Session s;
        begin(s);
        if (QTest::currentTestFailed())
            return;
        s.say(u"one"_s);
        QTRY_VERIFY_WITH_TIMEOUT(s.card(), Patience);
        s.window->showProblem(Error{ErrorKind::Internal, u"Something"_s, u"All"_s, u"Nothing"_s});
        QStringList unnamed;
        int seen = 0;
        for (QWidget *widget : s.window->findChildren<QWidget *>()) {
            const bool isControl =
                widget->focusPolicy() != Qt::NoFocus || qobject_cast<QAbstractButton *>(widget);
            const auto *label = qobject_cast<QLabel *>(widget);
            if (label) {
                QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text()));
            }
            if (!isControl || !widget->isVisible() || widget->inherits("QMenu"))
                continue;
            ++seen;
            QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(widget);
            if (!accessible || accessible->text(QAccessible::Name).isEmpty())
                unnamed.append(QString::fromLatin1(widget->metaObject()->className()));
        }
        QVERIFY(seen > 10);
        QCOMPARE(unnamed, QStringList());
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
