// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalcard.h"
#include "composer/composeredit.h"
#include "files/filespane.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "files/linesview.h"
#include "files/previewpane.h"
#include "inspector/callpane.h"
#include "inspector/outputview.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/errorbar.h"
#include "shell/panecolumn.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebarmodel.h"
#include "support/testmain.h"
#include "theme/controls/confirmdialog.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "windowfixture.h"

#include <QApplication>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTabBar>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;

// The first prompt: a command that only a person ends; one to be edited; one to be denied. Every other: one
// that runs until the turn is stopped.
constexpr auto Script = R"json({
 "format": 1, "name": "window", "maxSteps": 20, "pace": {"charsPerSecond": 0},
 "turns": [
  {"steps": [
   {"events": [{"reasoning": "Three calls."}, {"text": "I begin."},
               {"call": {"name": "bash", "args": {"command": "echo it lives; sleep 300"}}}]},
   {"events": [{"text": "Next."}, {"call": {"name": "bash", "args": {"command": "printf 'proposed words' > notes.txt"}}}]},
   {"events": [{"call": {"name": "bash", "args": {"command": "rm -rf /home/user"}}}]},
   {"events": [{"text": "That was all."}]}
  ]}
 ],
 "otherwise": {"steps": [{"events": [{"call": {"name": "bash", "args": {"command": "echo again; sleep 300"}}}]},
                         {"events": [{"text": "Slept."}]}]}
})json";

} // namespace

/// One person's work from the first prompt to the last question, by real keys and clicks on what is named.
class TestMainJob : public Tests::Test {
    Q_OBJECT

    static void takeTheFocus(const WindowFixture &window)
    {
        // The offscreen platform forgets the active window when a focused widget goes.
        window.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.window()));
    }
    static void waitForCard(const WindowFixture &window, const QString &command)
    {
        QTRY_VERIFY2_WITH_TIMEOUT(
            window.cardCommand() == command
                && window.find(u"Allow once"_s, QAccessible::Button, window.card())
                && window.find(u"Allow once"_s, QAccessible::Button, window.card())->isEnabled(),
            qPrintable(command + u" is not asked for in\n"_s + window.text()), Patience);
        takeTheFocus(window);
    }
    static QStringList output(const WindowFixture &window)
    {
        QStringList lines;
        const QWidget *view = window.find(u"Output"_s, QAccessible::List);
        const QAccessibleInterface *list =
            view ? QAccessible::queryAccessibleInterface(const_cast<QWidget *>(view)) : nullptr;
        for (int i = 0; list && i < list->childCount(); ++i)
            lines.append(list->child(i)->text(QAccessible::Name));
        return lines;
    }

private Q_SLOTS:
    void initTestCase() { Test::initTestCase(); }

    void fromTheFirstPromptToTheLastQuestion()
    {
        WindowFixture window;
        QVERIFY(window.start(Script));
        // A new conversation by its key.
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        QVERIFY(window.edit()->hasFocus());
        QTest::keyClicks(window.edit(), u"Please do three things."_s);
        QTest::keyClick(window.edit(), Qt::Key_Return);
        QVERIFY(window.edit()->toPlainText().isEmpty());

        // Allowed by a key; its output is seen while it runs.
        waitForCard(window, u"echo it lives; sleep 300"_s);
        QTest::keyClick(window.edit(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(window.card()->hasFocus());
        QTest::keyClick(window.card(), Qt::Key_A);
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(u"Line 1: it lives"_s), Patience);
        QVERIFY(window.isRunning());
        const QString id = window.workspace()->current();

        // Steered while it runs: what is written waits for the end of the step.
        takeTheFocus(window);
        QVERIFY(window.find(u"Steer: send after the current step"_s, QAccessible::Button));
        window.say(u"Be brief."_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Be brief."_s), Patience);
        QVERIFY(window.text().contains(u"waits for the end of the step"_s));
        QVERIFY(window.isRunning());

        // The call alone is stopped from its pane; the turn goes on.
        QVERIFY(window.click(u"Stop call"_s));
        waitForCard(window, u"printf 'proposed words' > notes.txt"_s);
        QVERIFY(window.isRunning());
        QVERIFY(!window.text().contains(u"waits for the end of the step"_s));

        // Edited and run, by the mouse.
        QVERIFY(window.click(u"Edit and run"_s, QAccessible::Button, window.card()));
        auto *field = qobject_cast<QPlainTextEdit *>(window.find(u"What you will run instead"_s));
        QVERIFY(field);
        QTest::mouseClick(field->viewport(), Qt::LeftButton, {}, QPoint(20, 6));
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, u"printf 'edited words' > notes.txt"_s);
        QVERIFY(window.click(u"Run edited"_s, QAccessible::Button, window.card()));

        // Denied with a reason.
        waitForCard(window, u"rm -rf /home/user"_s);
        QVERIFY(window.click(u"Deny"_s, QAccessible::Button, window.card()));
        auto *reason = qobject_cast<QLineEdit *>(window.find(u"Reason for the model"_s));
        QVERIFY(reason);
        QTest::keyClicks(reason, u"that is my home"_s);
        QTest::keyClick(reason, Qt::Key_Return);
        QTRY_VERIFY2_WITH_TIMEOUT(!window.isRunning(), qPrintable(window.text()), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Finished"_s), Patience);
        const QString told = window.text();
        for (const QString &part :
             {u"Please do three things."_s, u"I begin."_s, u"it lives"_s, u"Be brief."_s, u"edited words"_s,
              u"Denied by you"_s, u"that is my home"_s, u"That was all."_s})
            QVERIFY2(told.contains(part), qPrintable(QString(part + u" is missing in\n"_s + told)));
        takeTheFocus(window);

        // A second turn, stopped as a whole by its key.
        window.say(u"Once more."_s);
        waitForCard(window, u"echo again; sleep 300"_s);
        QVERIFY(window.click(u"Allow once"_s, QAccessible::Button, window.card()));
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(u"Line 1: again"_s), Patience);
        QTest::keyClick(window.window(), Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Stopped by you"_s), Patience);

        theFileIsSeen(window);
        if (!QTest::currentTestFailed())
            theMachineIsPausedAndResumed(window);
        if (!QTest::currentTestFailed())
            theConversationIsManaged(window, id);
    }

private:
    // In the Files pane, woken if need be; its preview shows what the edited command wrote.
    static void theFileIsSeen(const WindowFixture &window)
    {
        auto *tabs = window.window()->findChild<PaneColumn *>()->tabs();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        auto *files = window.window()->findChild<FilesPane *>();
        QTRY_VERIFY_WITH_TIMEOUT(files->isVisible(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Wake the machine"_s)
                                     || window.find(u"Files of the machine"_s, QAccessible::Tree),
                                 Patience);
        if (window.find(u"Wake the machine"_s))
            QVERIFY(window.click(u"Wake the machine"_s));
        FileTreeView *tree = files->tree();
        const auto notes = [tree] {
            for (int i = 0; tree->model() && i < tree->model()->rowCount(); ++i) {
                const QModelIndex index = tree->model()->index(i, 0);
                if (index.data().toString() == "notes.txt"_L1)
                    return index;
            }
            return QModelIndex();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(tree->isVisible() && notes().isValid(), qPrintable(files->stateText()),
                                  Patience);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(notes()).center());
        QTest::keyClick(tree, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!files->preview()->isLoading() && files->preview()->lines()->isVisible(),
                                 Patience);
        QVERIFY(files->preview()->isAncestorOf(QApplication::focusWidget()));
        QTRY_VERIFY_WITH_TIMEOUT(QAccessible::queryAccessibleInterface(files->preview()->lines())
                                         ->text(QAccessible::Value)
                                         .contains(u"edited words"_s)
                                     || files->preview()->preview().path.endsWith("notes.txt"),
                                 Patience);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(tree->hasFocus());
        // In the tree F2 is for the file, not for the conversation.
        QTest::keyClick(tree, Qt::Key_F2);
        auto *name = tree->findChild<QLineEdit *>();
        QVERIFY(name && name->isVisible());
        QVERIFY(!window.window()->list()->findChild<QLineEdit *>());
        QTest::keyClick(name, Qt::Key_Escape);
        QVERIFY(tree->hasFocus());
    }

    static void theMachineIsPausedAndResumed(const WindowFixture &window)
    {
        const QString id = window.workspace()->current();
        const auto machine = [&window, id] { return window.summary(id)->sandboxState; };
        QTRY_COMPARE_WITH_TIMEOUT(machine(), u"active"_s, Patience);
        const auto change = [&](const QString &word, const QString &what, const QString &state) {
            QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Machine: "_s + word), Patience);
            QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Machine: "_s + word)->isEnabled(), Patience);
            QTest::mouseClick(window.find(u"Machine: "_s + word), Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(WindowFixture::openMenu(), Patience);
            QString text;
            for (const QAction *action : WindowFixture::openMenu()->actions()) {
                if (action->text().startsWith(what))
                    text = action->text();
            }
            QVERIFY2(WindowFixture::choose(WindowFixture::openMenu(), text), qPrintable(what));
            QTRY_COMPARE_WITH_TIMEOUT(machine(), state, Patience);
        };
        change(u"active"_s, u"Pause"_s, u"paused"_s);
        if (!QTest::currentTestFailed())
            change(u"paused"_s, u"Resume"_s, u"active"_s);
    }

    static void theConversationIsManaged(const WindowFixture &window, const QString &id)
    {
        // Renamed in the list.
        takeTheFocus(window);
        window.window()->list()->setFocus();
        QTest::keyClick(window.window()->list(), Qt::Key_F2);
        auto *title = window.window()->list()->findChild<QLineEdit *>();
        QVERIFY(title && title->hasFocus());
        title->selectAll();
        QTest::keyClicks(title, u"The first job"_s);
        QTest::keyClick(title, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(window.summary(id)->title, u"The first job"_s, Patience);

        // Duplicated: a new one without messages, which is archived and taken out again.
        QTest::keyClick(window.window(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace()->current() != id, Patience);
        const QString copy = window.workspace()->current();
        QTRY_VERIFY_WITH_TIMEOUT(window.summary(copy), Patience);
        QCOMPARE(window.summary(copy)->title, u"Copy of The first job"_s);
        QVERIFY(window.summary(copy)->sandboxId.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!window.text().contains(u"I begin."_s), Patience);
        QTest::keyClick(window.window(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window.summary(copy)->archived, Patience);
        QVERIFY(window.workspace()->current().isEmpty());

        // Back to the first by the list, and exported.
        takeTheFocus(window);
        ConversationListView *list = window.window()->list();
        const int place = window.window()->conversations()->placeOf(id);
        QVERIFY(place >= 0);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(place, 0)).center());
        QCOMPARE(window.workspace()->current(), id);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"That was all."_s), Patience);
        QTest::keyClick(window.window(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->findChild<QFileDialog *>(), Patience);
        auto *dialog = window.window()->findChild<QFileDialog *>();
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        auto *name = dialog->findChild<QLineEdit *>(u"fileNameEdit"_s);
        QVERIFY(name);
        QVERIFY(name->text().contains(u"The first job.md"_s));
        const QString file = window.folder() + u"/export.md"_s;
        name->selectAll();
        QTest::keyClicks(name, file);
        QAbstractButton *save = dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Save);
        QVERIFY(save && save->isEnabled());
        // The names that the field offers lie over the button until they are gone.
        const QPointer<QFileDialog> open(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                if (QWidget *popup = QApplication::activePopupWidget())
                    popup->close();
                else if (open)
                    QTest::mouseClick(save, Qt::LeftButton);
                return open.isNull();
            }(),
            Patience);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), Patience);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray markdown = written.readAll();
        for (const char *part :
             {"The first job", "Please do three things.", "edited words", "that is my home"})
            QVERIFY2(markdown.contains(part), part);

        // Deleted: the question says what becomes of the machine.
        takeTheFocus(window);
        const QString machine = window.summary(id)->sandboxId;
        QVERIFY(!machine.isEmpty());
        QVERIFY(window.click(u"More"_s, QAccessible::NoRole, window.window()->page()->header()));
        QTRY_VERIFY_WITH_TIMEOUT(WindowFixture::openMenu(), Patience);
        QVERIFY(WindowFixture::choose(WindowFixture::openMenu(), u"Delete…"_s));
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->findChild<ConfirmDialog *>(), Patience);
        auto *question = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(QTest::qWaitForWindowActive(question));
        const auto words = [question] {
            QStringList all;
            for (const QLabel *label : question->findChildren<QLabel *>())
                all.append(label->text());
            return all.join(u'\n');
        };
        QVERIFY2(words().contains(machine) && words().contains(u"are deleted"_s), qPrintable(words()));
        auto *option = question->findChild<QCheckBox *>();
        QVERIFY(option && option->isChecked());
        QTest::keyClick(option, Qt::Key_Space);
        QVERIFY2(words().contains(u"stays"_s), qPrintable(words()));
        QTest::keyClick(option, Qt::Key_Space);
        QVERIFY(window.click(u"Delete"_s, QAccessible::Button, question));
        QTRY_VERIFY_WITH_TIMEOUT(!window.summary(id) || window.summary(id)->deleted, Patience);
        QVERIFY(window.workspace()->current().isEmpty());
        bool isThere = true;
        bool answered = false;
        window.workspace()->engine()->listSandboxes(
            u"superserve"_s, window.window(), [&](const Result<QList<SandboxInfo>, Error> &all) {
                answered = true;
                isThere = !all || std::any_of(all->cbegin(), all->cend(), [&](const SandboxInfo &info) {
                    return info.id == machine;
                });
            });
        QTRY_VERIFY_WITH_TIMEOUT(answered, Patience);
        QVERIFY(!isThere);
    }

private Q_SLOTS:
    // Who leaves while a turn runs is asked, once, and may stay.
    void leavingInTheMiddleIsAskedFor()
    {
        WindowFixture window;
        QVERIFY(window.start(Script));
        window.say(u"Please do three things."_s);
        waitForCard(window, u"echo it lives; sleep 300"_s);
        const auto question = [&window] { return window.window()->findChild<ConfirmDialog *>(); };
        QTest::keyClick(window.window(), Qt::Key_Q, Qt::ControlModifier);
        QVERIFY(question() && question()->isVisible());
        QTest::keyClick(window.window(), Qt::Key_Q, Qt::ControlModifier);
        QCOMPARE(window.window()->findChildren<ConfirmDialog *>().size(), 1);
        QVERIFY(window.click(u"Cancel"_s, QAccessible::Button, question()));
        QTRY_VERIFY_WITH_TIMEOUT(!question(), Patience);
        QVERIFY(window.window()->isVisible() && window.isRunning());
        QCOMPARE(window.cardCommand(), u"echo it lives; sleep 300"_s);
        takeTheFocus(window);
        QTest::keyClick(window.window(), Qt::Key_Q, Qt::ControlModifier);
        QVERIFY(question());
        auto *stop =
            qobject_cast<QPushButton *>(window.find(u"Stop and close"_s, QAccessible::Button, question()));
        QVERIFY(stop);
        stop->setFocus();
        QTest::keyClick(stop, Qt::Key_Return); // Enter presses what has the focus.
        QTRY_VERIFY_WITH_TIMEOUT(!window.window()->isVisible(), Patience);
        QVERIFY(!window.isRunning());
    }

    // The button of the tour goes with its page; who types on is heard.
    void theTourLeavesTheFocusInTheMessageField()
    {
        WindowFixture window;
        QVERIFY(window.start({}));
        QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Start the tour"_s), Patience);
        takeTheFocus(window);
        QVERIFY(window.click(u"Start the tour"_s));
        QTRY_VERIFY_WITH_TIMEOUT(window.isRunning(), Patience);
        QCOMPARE(window.window()->focusWidget(), window.edit());
        QTest::keyClick(window.window(), Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
    }

    // The window is closed in the middle of a turn and opened again on the same data.
    void everythingIsThereAfterACloseInTheMiddle()
    {
        WindowFixture window;
        QVERIFY(window.start(Script));
        window.say(u"Please do three things."_s);
        waitForCard(window, u"echo it lives; sleep 300"_s);
        QVERIFY(window.click(u"Allow once"_s, QAccessible::Button, window.card()));
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(u"Line 1: it lives"_s), Patience);
        QTest::keyClicks(window.edit(), u"A thought not sent"_s);
        const QString id = window.workspace()->current();
        QVERIFY(!window.window()->close());
        QVERIFY(window.window()->errorBar()->text().contains(u"Stopping"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!window.window()->isVisible(), Patience);
        const QStringList before = window.rows();
        QVERIFY(before.join(u'\n').contains(u"it lives"_s));
        window.closeWindow();

        QVERIFY(window.openWindow());
        QTRY_COMPARE_WITH_TIMEOUT(window.workspace()->conversations()->rowCount(), 1, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(window.workspace()->current(), id, Patience); // It was looked at last.
        QTRY_COMPARE_WITH_TIMEOUT(window.rows(), before, Patience);
        QVERIFY(window.text().contains(u"Stopped because the program was closed"_s));
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(u"Line 1: it lives"_s), Patience);
        QCOMPARE(window.edit()->toPlainText(), u"A thought not sent"_s);
        QVERIFY(!window.isRunning());
        // And it can be gone on with.
        window.edit()->clear();
        window.say(u"Go on."_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.card(), Patience);
        QTest::keyClick(window.window(), Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
    }
};

QTEST_MAIN(TestMainJob)
#include "tst_mainjob.moc"
