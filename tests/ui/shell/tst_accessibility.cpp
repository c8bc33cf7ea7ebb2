// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "accessibilityswitch.h"
#include "accessibletree.h"
#include "approval/approvalbar.h"
#include "approval/approvalcard.h"
#include "composer/composeredit.h"
#include "settings/settingspage.h"
#include "shell/aboutdialog.h"
#include "shell/columns.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/errorbar.h"
#include "shell/panecolumn.h"
#include "shell/welcomepage.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebar.h"
#include "support/testmain.h"
#include "theme/controls/confirmdialog.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "windowfixture.h"

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabBar>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::AccessibleTree;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;

constexpr auto OneCall = R"json({
 "format": 1, "name": "window", "maxSteps": 20, "pace": {"charsPerSecond": 0},
 "turns": [{"steps": [
  {"events": [{"reasoning": "One call."}, {"text": "I begin. It is one call, and it waits for a person."},
              {"call": {"name": "bash", "args": {"command": "printf 'first line\\nsecond line\\n'; sleep 300"}}}]},
  {"pace": {"charsPerSecond": 300}, "events": [{"text": "TEXT"}]}]}]
})json";

struct Told {
    QAccessible::Event type;
    QString name;
};
QList<Told> s_told;

void record(QAccessibleEvent *event)
{
    QAccessibleInterface *item = event->accessibleInterface();
    if (event->type() == QAccessible::Alert)
        s_told.append({event->type(), item ? item->text(QAccessible::Name) : QString()});
}

QStringList alertsWith(const QString &words)
{
    QStringList out;
    for (const Told &told : std::as_const(s_told)) {
        if (told.name.contains(words))
            out.append(told.name);
    }
    return out;
}

// The tour as it is shipped, without its pauses.
QByteArray quickTour()
{
    QFile file(QStringLiteral(PH_SOURCE_DIR) + u"/resources/demo/tour.json"_s);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no tour");
    QString script = QString::fromUtf8(file.readAll());
    script.replace(QRegularExpression(u"\"(charsPerSecond|delayMs)\": *\\d+"_s), u"\"\\1\": 0"_s);
    return script.toUtf8();
}

} // namespace

/// What a screen reader and a keyboard find in the whole window, state by state.
class TestAccessibility : public Tests::Test {
    Q_OBJECT

    QStringList m_faults;

    void inspect(const QString &state, QWidget *window, int leastControls)
    {
        const AccessibleTree tree(window);
        for (const QString &fault : tree.faults())
            m_faults.append(state + u": "_s + fault);
        if (tree.controlCount() < leastControls)
            m_faults.append(u"%1: only %2 controls"_s.arg(state).arg(tree.controlCount()));
    }
    void walkKeys(const QString &state, QWidget *window, bool looks)
    {
        const QList<QWidget *> stops = Tests::tabStops(window);
        for (const bool backwards : {false, true}) {
            const Tests::TabWalk walk = Tests::tabWalk(window, backwards, looks);
            const QString how = state + (backwards ? u", Shift+Tab: "_s : u", Tab: "_s);
            for (const QString &fault : walk.faults)
                m_faults.append(how + fault);
            if (qEnvironmentVariableIsSet("PH_SHOW_WALK")) {
                for (const QWidget *control : walk.controls)
                    qInfo("%s%s", qPrintable(how), qPrintable(Tests::describe(control)));
            }
            for (const QWidget *stop : stops) {
                if (!walk.controls.contains(stop) && walk.faults.isEmpty())
                    m_faults.append(how + Tests::describe(stop) + u" is not reached"_s);
            }
        }
    }
    /// The menu that the menu key opens on what has the focus.
    void inspectMenuOf(const QString &state, QWidget *widget)
    {
        widget->setFocus();
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(2, 2), widget->mapToGlobal(QPoint(2, 2)));
        QCoreApplication::sendEvent(widget, &asked);
        QTRY_VERIFY_WITH_TIMEOUT(WindowFixture::openMenu(), Patience);
        inspect(state, WindowFixture::openMenu(), 1);
        QTest::keyClick(WindowFixture::openMenu(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!WindowFixture::openMenu(), Patience);
    }
    void allowAll(const WindowFixture &window)
    {
        QTRY_VERIFY_WITH_TIMEOUT(
            [&window] {
                if (ApprovalCard *card = window.card();
                    card && card->draft().kind == ApprovalDraft::Kind::None)
                    (void)window.click(u"Allow once"_s, QAccessible::Button, card);
                return !window.isRunning();
            }(),
            Patience);
    }

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        QApplication::setCursorFlashTime(0); // A cursor is there or not, and does not come and go.
        Tests::switchAccessibilityOn();
        QAccessible::installUpdateHandler(record);
    }
    void init()
    {
        Test::init();
        s_told.clear();
        m_faults.clear();
    }
    void cleanup()
    {
        for (const QString &fault : std::as_const(m_faults))
            qInfo("%s", qPrintable(fault));
        QCOMPARE(m_faults.size(), 0);
    }

    void anEmptyProfile()
    {
        WindowFixture window;
        QVERIFY(window.start(OneCall));
        QVERIFY(window.window()->page()->welcome()->isVisible());
        inspect(u"welcome"_s, window.window(), 15);
        walkKeys(u"welcome"_s, window.window(), true);
        window.window()->showProblem(Error{ErrorKind::Internal, u"Something"_s, u"All"_s, u"Nothing"_s});
        QVERIFY(window.window()->errorBar()->isVisible());
        inspect(u"problem"_s, window.window(), 16);
    }

    void menusAndDialogs()
    {
        WindowFixture window;
        QVERIFY(window.start(OneCall));
        ConversationSettings settings;
        settings.title = u"First"_s;
        const QString id = window.workspace()->engine()->createConversation(settings);
        QTRY_VERIFY_WITH_TIMEOUT(window.summary(id), Patience);
        window.workspace()->setCurrent(id);

        const auto *bar = window.window()->findChild<QMenuBar *>();
        for (QAction *entry : bar->actions()) {
            QMenu *menu = entry->menu();
            menu->popup(window.window()->mapToGlobal(QPoint(0, 40)));
            QTRY_VERIFY_WITH_TIMEOUT(menu->isVisible(), Patience);
            inspect(u"menu "_s + entry->text(), menu, 1);
            QTest::keyClick(menu, Qt::Key_Escape);
            QTRY_VERIFY_WITH_TIMEOUT(!menu->isVisible(), Patience);
        }
        for (QMenu *menu : {window.window()->page()->header()->modelMenu(),
                            window.window()->page()->header()->machineMenu()}) {
            menu->popup(window.window()->mapToGlobal(QPoint(0, 40)));
            QTRY_VERIFY_WITH_TIMEOUT(menu->isVisible(), Patience);
            inspect(u"header menu"_s, menu, 1);
            QTest::keyClick(menu, Qt::Key_Escape);
        }
        // The menu of a row, by its key.
        ConversationListView *list = window.window()->list();
        list->setFocus();
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(0, 0), list->mapToGlobal(QPoint(0, 0)));
        QCoreApplication::sendEvent(list, &asked);
        QTRY_VERIFY_WITH_TIMEOUT(WindowFixture::openMenu(), Patience);
        inspect(u"context menu"_s, WindowFixture::openMenu(), 5);
        QVERIFY(WindowFixture::choose(WindowFixture::openMenu(), u"Delete…"_s));
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->findChild<ConfirmDialog *>(), Patience);
        auto *dialog = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        inspect(u"confirm"_s, dialog, 2);
        walkKeys(u"confirm"_s, dialog, true);
        QTest::keyClick(dialog, Qt::Key_Escape);
        auto *about = new AboutDialog(window.window());
        about->open();
        QVERIFY(QTest::qWaitForWindowActive(about));
        inspect(u"about"_s, about, 1);
        QTest::keyClick(about, Qt::Key_Escape);
    }

    void everySettingsPage()
    {
        WindowFixture window;
        QVERIFY(window.start(OneCall));
        for (const QString &section : {u"keys"_s, u"endpoints"_s, u"new"_s, u"appearance"_s, u"data"_s}) {
            window.window()->openSettings(section);
            QCOMPARE(window.window()->settingsPage()->section(), section);
            inspect(u"settings "_s + section, window.window(), 10);
            walkKeys(u"settings "_s + section, window.window(), section == "new"_L1);
        }
    }

    void aCallThatWaitsAndThenRuns()
    {
        WindowFixture window;
        QByteArray script = OneCall;
        script.replace("TEXT", QByteArray("Many words come one after the other. ").repeated(30));
        QVERIFY(window.start(script));
        window.say(u"Please."_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.card(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Waiting for you"_s), Patience);
        // Told at once, and once, though there are two cards of it.
        QTRY_COMPARE_WITH_TIMEOUT(alertsWith(u"Waiting for you"_s).size(), 1, Patience);
        QVERIFY(alertsWith(u"Waiting for you"_s).first().contains(u"printf"_s));
        inspect(u"waiting"_s, window.window(), 20);
        window.window()->page()->focusComposer();
        walkKeys(u"waiting"_s, window.window(), true);

        // Denying: the field has a name, and the reason is one key away.
        window.card()->setFocus();
        QTest::keyClick(window.card(), Qt::Key_D);
        inspect(u"denying"_s, window.window(), 20);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY2(window.card()->hasFocus(), qPrintable(Tests::describe(QApplication::focusWidget())));
        QTest::keyClick(window.card(), Qt::Key_E);
        inspect(u"editing"_s, window.window(), 20);
        walkKeys(u"editing"_s, window.window(), false);
        window.card()->setFocus();
        QTest::keyClick(window.card(), Qt::Key_Escape);
        QCOMPARE(alertsWith(u"Waiting for you"_s).size(), 1);

        // Runs: lines come as children of the output.
        window.card()->setFocus();
        QTest::keyClick(window.card(), Qt::Key_A);
        const auto *output = window.find(u"Output"_s, QAccessible::List);
        QTRY_VERIFY_WITH_TIMEOUT((output = window.find(u"Output"_s, QAccessible::List)), Patience);
        QAccessibleInterface *lines = QAccessible::queryAccessibleInterface(const_cast<QWidget *>(output));
        QTRY_COMPARE_WITH_TIMEOUT(lines->child(0) ? lines->child(0)->text(QAccessible::Name) : QString(),
                                  u"Line 1: first line"_s, Patience);
        QCOMPARE(lines->child(1)->text(QAccessible::Name), u"Line 2: second line"_s);
        inspect(u"running"_s, window.window(), 20);
        window.window()->page()->focusComposer();
        walkKeys(u"running"_s, window.window(), true);
        // F6 goes around: the panes, the list once it has its row, the transcript, the composer, the panes.
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->list()->isVisible(), Patience);
        // Shortcuts need an active window, and the offscreen platform forgets it when a focused widget goes.
        window.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.window()));
        window.window()->page()->focusComposer();
        QList<QWidget *> areas;
        for (int i = 0; i < 5; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
            areas.append(QApplication::focusWidget());
        }
        QVERIFY(areas[0] && dynamic_cast<QWidget *>(window.window()->panes())->isAncestorOf(areas[0]));
        QCOMPARE(areas[1], window.window()->list());
        QCOMPARE(areas[2], window.transcript());
        QCOMPARE(areas[3], window.edit());
        QCOMPARE(areas[4], areas[0]);

        // The call is stopped from its pane; the answer that follows is told once, when it is whole.
        const qsizetype toldBefore = s_told.size();
        QVERIFY(window.click(u"Stop call"_s));
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Many words"_s), Patience);
        QCOMPARE(alertsWith(u"Many words"_s).size(), 0);
        QVERIFY(window.isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(alertsWith(u"Many words"_s).size(), 1, Patience);
        QVERIFY(s_told.size() - toldBefore <= 3);
        inspect(u"finished"_s, window.window(), 20);
    }

    // The card out of view: the bar above the composer has it.
    void aCallThatWaitsOutOfView()
    {
        WindowFixture window;
        QByteArray script = OneCall;
        script.replace("I begin.", QByteArray("A line of a long answer.\\n\\n").repeated(60));
        script.replace("sleep 300", "true");
        script.replace("TEXT", "Done.");
        QVERIFY(window.start(script));
        window.say(u"Please."_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.card(), Patience);
        window.transcript()->setFocus();
        QTest::keyClick(window.transcript(), Qt::Key_Home);
        const ApprovalBar *bar = window.window()->page()->approvals();
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), Patience);
        QCOMPARE(alertsWith(u"Waiting for you"_s).size(), 1);
        inspect(u"pinned"_s, window.window(), 20);
        walkKeys(u"pinned"_s, window.window(), true);
        window.edit()->setFocus();
        QTest::keyClick(window.edit(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(bar->isAncestorOf(QApplication::focusWidget()));
        allowAll(window);
    }

    void aFinishedTour()
    {
        WindowFixture window;
        QVERIFY(window.start(quickTour()));
        QVERIFY(window.click(u"Start the tour"_s));
        QTRY_VERIFY_WITH_TIMEOUT(window.isRunning(), Patience);
        allowAll(window);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Finished"_s), Patience);
        inspect(u"tour"_s, window.window(), 25);
        window.window()->page()->focusComposer();
        walkKeys(u"tour"_s, window.window(), false);

        // Every row that is shown has its words, as a name and as text.
        const QAccessibleInterface *rows = QAccessible::queryAccessibleInterface(window.transcript());
        int shown = 0;
        for (int i = 0; i < window.workspace()->transcript()->rowCount(); ++i) {
            QAccessibleInterface *row = rows->child(i);
            if (row->state().invisible)
                continue;
            ++shown;
            QAccessibleTextInterface *text = row->textInterface();
            QVERIFY(text);
            QVERIFY(text->characterCount() > 0);
            QVERIFY(!text->text(0, text->characterCount()).trimmed().isEmpty());
            QVERIFY(!row->text(QAccessible::Name).isEmpty());
        }
        QVERIFY(shown > 20);
        // The list of conversations: its rows say title and state.
        const auto listed = [&window] {
            return AccessibleTree(window.window()->list()).names(QAccessible::ListItem).join(u'\n');
        };
        QTRY_VERIFY2_WITH_TIMEOUT(listed().contains(u", Finished"_s), qPrintable(listed()), Patience);

        inspectMenuOf(u"menu of the transcript"_s, window.transcript());
        inspectMenuOf(u"menu of the output"_s, window.find(u"Output"_s, QAccessible::List));
        inspectMenuOf(u"menu of the message"_s, window.edit());

        // The Files pane.
        auto *tabs = window.window()->findChild<PaneColumn *>()->tabs();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        auto *files = window.find(u"Files of the machine"_s, QAccessible::Tree);
        if (!files && window.find(u"Wake the machine"_s))
            QVERIFY(window.click(u"Wake the machine"_s));
        QTRY_VERIFY_WITH_TIMEOUT((files = window.find(u"Files of the machine"_s, QAccessible::Tree)),
                                 Patience);
        QTRY_VERIFY_WITH_TIMEOUT(
            AccessibleTree(files).names(QAccessible::TreeItem).join(u'\n').contains(u"roman"_s), Patience);
        inspect(u"files"_s, window.window(), 25);
        if (window.find(u"Wake the machine"_s)) // The tree is of before it was paused.
            QVERIFY(window.click(u"Wake the machine"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!window.find(u"Wake the machine"_s), Patience);
        // The offscreen platform forgets the active window when a focused widget goes.
        window.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.window()));
        window.window()->page()->focusComposer();
        walkKeys(u"files"_s, window.window(), true);
        files->setFocus();
        // Found by its name and unfolded; again if the listing was refreshed in between.
        const auto unfolded = [files] {
            const QString names = AccessibleTree(files).names(QAccessible::TreeItem).join(u'\n');
            if (!names.contains(u"roman.sh"_s)) {
                // One letter: more of them would add up with those of the try before.
                QTest::keyClick(files, Qt::Key_Home);
                QTest::keyClick(files, Qt::Key_R);
                QTest::keyClick(files, Qt::Key_Right);
            }
            return names.contains(u"roman.sh"_s);
        };
        QTRY_VERIFY_WITH_TIMEOUT(unfolded(), Patience);
        QTest::keyClick(files, Qt::Key_Down);
        QTest::keyClick(files, Qt::Key_Return);
        const auto lines = [&window] {
            return AccessibleTree(dynamic_cast<QWidget *>(window.window()->panes()))
                .names(QAccessible::ListItem)
                .join(u'\n');
        };
        QTRY_VERIFY2_WITH_TIMEOUT(lines().contains(u"Line 1: #!/bin/sh"_s), qPrintable(lines()), Patience);
        inspect(u"preview"_s, window.window(), 25);
        inspectMenuOf(u"menu of a file"_s, files);
    }

    void aNarrowWindow()
    {
        WindowFixture window;
        QVERIFY(window.start(OneCall, {1000, 700}));
        Columns *columns = window.window()->columns();
        // There is no conversation yet, so panes come when they are asked for.
        QTest::keyClick(window.window(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(columns->opened());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(columns->isSidebarRail() && columns->isPanesRail(), Patience);
        inspect(u"rails"_s, window.window(), 15);
        walkKeys(u"rails"_s, window.window(), true);
        columns->openSidebar();
        inspect(u"sidebar over"_s, window.window(), 15);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!columns->opened());
        columns->openPanes();
        inspect(u"panes over"_s, window.window(), 15);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!columns->opened());
        QVERIFY(QApplication::focusWidget());
    }
};

QTEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
