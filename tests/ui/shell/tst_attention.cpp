// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalcard.h"
#include "composer/composeredit.h"
#include "inspector/callmodel.h"
#include "inspector/callpane.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebarmodel.h"
#include "support/testmain.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "windowfixture.h"

#include <QAbstractButton>
#include <QApplication>
#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSet>

#include <algorithm>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;

constexpr auto ThreeCalls = R"json({
 "format": 1, "name": "window", "maxSteps": 20, "pace": {"charsPerSecond": 0},
 "turns": [
  {"steps": [
   {"events": [{"call": {"name": "bash", "args": {"command": "sleep 301"}}},
               {"call": {"name": "bash", "args": {"command": "sleep 302"}}},
               {"call": {"name": "bash", "args": {"command": "sleep 303"}}}]},
   {"events": [{"text": "All have ended."}]}
  ]}
 ]
})json";

} // namespace

/// Of several calls, which one the list and the Call pane name; and where the focus is when a control that
/// had it goes.
class TestAttention : public Tests::Test {
    Q_OBJECT

    static CallModel *call(const WindowFixture &window) { return window.window()->findChild<CallModel *>(); }
    static QString shownCommand(const WindowFixture &window)
    {
        return call(window)->facts().proposed[u"command"].toString();
    }
    static QString named(const WindowFixture &window)
    {
        const ConversationSummary *summary = window.summary(window.workspace()->current());
        return summary ? QString(summary->state + u' ' + summary->stateDetail) : QString();
    }
    /// Cards that are seen, in the order of their calls.
    static QList<ApprovalCard *> cards(const WindowFixture &window)
    {
        QList<ApprovalCard *> out;
        for (ApprovalCard *card : window.window()->findChildren<ApprovalCard *>()) {
            if (card->isVisible())
                out.append(card);
        }
        std::sort(out.begin(), out.end(), [](const ApprovalCard *a, const ApprovalCard *b) {
            return a->call().args[u"command"].toString() < b->call().args[u"command"].toString();
        });
        return out;
    }
    static void press(const WindowFixture &window, int card, Qt::Key key)
    {
        window.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.window()));
        ApprovalCard *chosen = cards(window).value(card);
        QVERIFY(chosen);
        chosen->setFocus();
        QTest::keyClick(chosen, key);
    }

    /// Whole, and under nothing else.
    static bool isSeen(const QWidget *widget)
    {
        return widget && widget->isVisible() && widget->visibleRegion().boundingRect() == widget->rect();
    }
    static bool areSeen(const QWidget *card, const QStringList &buttons)
    {
        QStringList seen;
        for (const QAbstractButton *button : card->findChildren<QAbstractButton *>()) {
            if (isSeen(button))
                seen.append(button->accessibleName());
        }
        return std::all_of(buttons.cbegin(), buttons.cend(),
                           [&seen](const QString &name) { return seen.contains(name); });
    }
    static QByteArray longScript(int calls)
    {
        QStringList lines;
        for (int i = 0; i < 120; ++i)
            lines.append(u"line %1 of a file that is to be written"_s.arg(i));
        const QByteArray write =
            "{\"call\": {\"name\": \"writeFile\", \"args\": {\"path\": \"/home/user/long.txt\", "
            "\"content\": \""
            + lines.join(u"\\n"_s).toUtf8() + "\"}}}";
        const QByteArray run = "{\"call\": {\"name\": \"bash\", \"args\": {\"command\": \""
            + QByteArray("echo a rather long command; ").repeated(30) + "\"}}}";
        const QByteArray told = "{\"text\": \"" + lines.join(u"\\n\\n"_s).toUtf8() + "\"}";
        return "{\"format\": 1, \"name\": \"window\", \"maxSteps\": 20, \"pace\": {\"charsPerSecond\": 0}, "
               "\"turns\": [{\"steps\": [{\"events\": ["
            + told + ", " + write + (calls > 1 ? QByteArray(", " + run) : QByteArray())
            + "]}, {\"events\": [{\"text\": \"All have ended.\"}]}]}]}";
    }
    static void picture(const WindowFixture &window, const QString &name)
    {
        const QString folder = qEnvironmentVariable("PH_PICTURES");
        for (int i = 0; i < 5 && !folder.isEmpty(); ++i)
            QCoreApplication::processEvents();
        if (!folder.isEmpty())
            QVERIFY(window.window()->grab().save(QString(folder + u"/attention-"_s + name + u".png"_s)));
    }

private Q_SLOTS:
    // Nobody answers, edits or denies what is out of sight, however low the window and long the call.
    void whatIsAnsweredIsSeen_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("calls");
        for (const QSize &size : {QSize(760, 560), QSize(1000, 640), QSize(1440, 900)}) {
            for (const int calls : {1, 2})
                QTest::addRow("%d calls at %dx%d", calls, size.width(), size.height()) << size << calls;
        }
    }
    void whatIsAnsweredIsSeen()
    {
        QFETCH(QSize, size);
        QFETCH(int, calls);
        const QString tag = u"%1-%2"_s.arg(calls).arg(size.width());
        WindowFixture window;
        QVERIFY(window.start(longScript(calls), size));
        window.say(u"Go."_s);
        const auto waiting = [&] {
            return window.workspace()->pendingCalls()->of(window.workspace()->current());
        };
        QTRY_COMPARE_WITH_TIMEOUT(waiting().size(), calls, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(window.transcript()->callsOutside().size() < calls, true, Patience);
        QCOMPARE(window.window()->size(), size);
        const QStringList asks{u"Allow once"_s, u"Edit and run"_s, u"Deny"_s};
        for (const bool isAway : {false, true}) {
            // Read further up, the calls are pinned above the composer.
            if (isAway) {
                window.transcript()->setFocus();
                QTest::keyClick(window.transcript(), Qt::Key_Home, Qt::ControlModifier);
                QTRY_COMPARE_WITH_TIMEOUT(window.transcript()->callsOutside().size(), calls, Patience);
            }
            for (int i = 0; i < calls; ++i) {
                const QString where =
                    QString(tag + (isAway ? u"-pinned-"_s : u"-inline-"_s) + QString::number(i));
                const QString id = waiting()[i].callId;
                const auto key = [](Qt::Key pressed) {
                    QTest::keyClick(QApplication::focusWidget(), pressed);
                };
                // The keys go to this call: to its card, or to the field of this name, whichever of its cards
                // is seen.
                const auto holds = [&](const QString &name, const QStringList &buttons) {
                    QWidget *focused = QApplication::focusWidget();
                    const QWidget *at = focused;
                    while (at && !qobject_cast<const ApprovalCard *>(at))
                        at = at->parentWidget();
                    const auto *card = qobject_cast<const ApprovalCard *>(at);
                    return card && card->call().callId == id && areSeen(card, buttons)
                        && (name.isEmpty() ? focused == card
                                           : focused->accessibleName() == name && isSeen(focused));
                };
                const auto comesTo = [&](const QString &name, const QStringList &buttons) {
                    if (!WindowFixture::until([&] { return holds(name, buttons); }))
                        return false;
                    for (int turn = 0; turn < 5; ++turn)
                        QCoreApplication::processEvents();
                    return holds(name, buttons); // And stays so.
                };
                const QString editing = u"What you will run instead"_s;
                const QStringList edits{u"Run edited"_s, u"Back to proposed"_s};
                const auto goThere = [&] {
                    for (ApprovalCard *card : cards(window)) {
                        if (card->call().callId == id)
                            card->setFocus(Qt::TabFocusReason);
                    }
                };
                window.window()->activateWindow();
                QVERIFY(QTest::qWaitForWindowActive(window.window()));
                goThere();
                QVERIFY2(comesTo({}, asks), qPrintable(where));
                picture(window, QString(where + u"-asks"_s));
                key(Qt::Key_E);
                QVERIFY2(comesTo(editing, edits), qPrintable(where));
                picture(window, QString(where + u"-edits"_s));
                if (!isAway) { // Scrolled away it goes on above the composer.
                    auto *field = qobject_cast<QPlainTextEdit *>(QApplication::focusWidget());
                    const QString written = field->toPlainText();
                    window.transcript()->verticalScrollBar()->setValue(0);
                    QTRY_VERIFY2_WITH_TIMEOUT(QApplication::focusWidget() != field, qPrintable(where),
                                              Patience);
                    QVERIFY2(comesTo(editing, edits), qPrintable(where));
                    auto *other = qobject_cast<QPlainTextEdit *>(QApplication::focusWidget());
                    QCOMPARE(other->textCursor().position(), written.size());
                    key(Qt::Key_Space);
                    QCOMPARE(field->toPlainText(), QString(written + u' '));
                    picture(window, QString(where + u"-scrolled"_s));
                    key(Qt::Key_Escape);
                    window.transcript()->goToLatest();
                    QTRY_VERIFY_WITH_TIMEOUT(window.transcript()->callsOutside().size() < calls, Patience);
                    goThere();
                    QVERIFY2(comesTo({}, asks), qPrintable(where));
                    key(Qt::Key_E);
                    QVERIFY2(comesTo(editing, edits), qPrintable(where));
                }
                key(Qt::Key_Return); // Which makes it higher.
                QVERIFY2(comesTo(editing, edits), qPrintable(where));
                key(Qt::Key_Escape);
                QVERIFY2(comesTo({}, asks), qPrintable(where));
                key(Qt::Key_D);
                QVERIFY2(comesTo(u"Reason for the model"_s, {u"Deny"_s, u"Back"_s}), qPrintable(where));
                picture(window, QString(where + u"-denies"_s));
                key(Qt::Key_Escape);
                QVERIFY2(comesTo({}, asks), qPrintable(where));
            }
        }
        QCOMPARE(waiting().size(), calls);
    }

    // The keys go on with the next call that waits, whichever way the one before was answered.
    void theNextCallHasTheFocus()
    {
        WindowFixture window;
        QVERIFY(window.start(ThreeCalls));
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 3, Patience);
        const auto focused = [] {
            const auto *card = qobject_cast<ApprovalCard *>(QApplication::focusWidget());
            return card ? card->call().args[u"command"].toString() : QString();
        };
        press(window, 1, Qt::Key_A);
        QCOMPARE(focused(), u"sleep 303"_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 2, Patience);
        QCOMPARE(focused(), u"sleep 303"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_E);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(focused(), u"sleep 301"_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 1, Patience);
        QCOMPARE(focused(), u"sleep 301"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_D);
        QTest::keyClicks(QApplication::focusWidget(), u"no"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 0, Patience);
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QVERIFY(window.edit()->toPlainText().isEmpty());
    }

    // Of a row that needs a person, the age of the call that waits longest, also when another was answered.
    void theRowIsAsOldAsItsOldestCall()
    {
        WindowFixture window;
        QVERIFY(window.start(ThreeCalls));
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 3, Patience);
        const QString id = window.workspace()->current();
        const auto since = [&] {
            const ConversationListModel *list = window.workspace()->conversations();
            return list->index(list->placeOf(id)).data(ConversationListModel::StateSinceRole).toLongLong();
        };
        const qint64 oldest = window.workspace()->pendingCalls()->of(id).first().askedMs;
        QTRY_COMPARE_WITH_TIMEOUT(since(), oldest, Patience);
        press(window, 2, Qt::Key_A);
        QTRY_VERIFY_WITH_TIMEOUT(named(window) == "waiting bash: sleep 301"_L1 && cards(window).size() == 2,
                                 Patience);
        QCOMPARE(since(), oldest);
        press(window, 0, Qt::Key_A);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 1, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(named(window), u"waiting bash: sleep 302"_s, Patience);
        QCOMPARE(since(), window.workspace()->pendingCalls()->of(id).first().askedMs);
    }

    void theCallThatWaitsOrRunsIsNamed()
    {
        WindowFixture window;
        QVERIFY(window.start(ThreeCalls));
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 3, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(shownCommand(window), u"sleep 301"_s, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(named(window), u"waiting bash: sleep 301"_s, Patience);

        // What is being edited is what the pane shows, however many wait before it.
        press(window, 2, Qt::Key_E);
        QTRY_COMPARE_WITH_TIMEOUT(shownCommand(window), u"sleep 303"_s, Patience);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QCOMPARE(shownCommand(window), u"sleep 303"_s);
        press(window, 2, Qt::Key_A);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 2, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(shownCommand(window), u"sleep 301"_s, Patience); // The next that waits.
        press(window, 0, Qt::Key_A);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 1, Patience);
        press(window, 0, Qt::Key_A);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 0, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(shownCommand(window), u"sleep 301"_s, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(named(window), u"calling bash: sleep 301"_s, Patience);

        // The first ends: the next one that runs is named. Stop call leaves the focus in the pane.
        auto *pane = window.window()->findChild<CallPane *>();
        auto *stopCall =
            qobject_cast<QAbstractButton *>(window.find(u"Stop call"_s, QAccessible::Button, pane));
        QVERIFY(stopCall);
        stopCall->setFocus();
        QTest::keyClick(stopCall, Qt::Key_Space);
        QVERIFY(QApplication::focusWidget() && QApplication::focusWidget() != stopCall);
        QVERIFY(pane->isAncestorOf(QApplication::focusWidget()));
        QTRY_COMPARE_WITH_TIMEOUT(shownCommand(window), u"sleep 302"_s, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(named(window), u"calling bash: sleep 302"_s, Patience);
        QVERIFY(pane->isAncestorOf(QApplication::focusWidget()));
        // What stopping did stands with its call, not below all of them.
        QVERIFY2(!window.rows().last().contains(u"SIGTERM"_s), qPrintable(window.text()));

        // Stop of the turn has the focus and goes: the composer is where one goes on.
        auto *stop = qobject_cast<QAbstractButton *>(
            window.find(u"Stop"_s, QAccessible::Button, window.window()->page()->header()));
        QVERIFY(stop);
        stop->setFocus();
        QTest::keyClick(stop, Qt::Key_Space);
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QTRY_COMPARE_WITH_TIMEOUT(named(window), u"idle stopped"_s, Patience);
    }

    // A word that is typed after a click on a card, or on a row of the list, is meant for the message.
    void wordsRunNothingAndChooseNothing()
    {
        WindowFixture window;
        QVERIFY(window.start(ThreeCalls));
        window.say(u"Another one."_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 3, Patience);
        const QString another = window.workspace()->current();
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(
            window.workspace()->pendingCalls()->of(window.workspace()->current()).size(), 3, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 3, Patience);
        const QString id = window.workspace()->current();
        QTest::mouseClick(cards(window).first(), Qt::LeftButton, {}, QPoint(40, 8));
        QTest::keyClicks(QApplication::focusWidget(), u"a wait"_s);
        QCOMPARE(window.workspace()->pendingCalls()->of(id).size(), 3);

        window.edit()->clear();
        ConversationListView *list = window.window()->list();
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->conversations()->placeOf(id) >= 0, Patience);
        const int place = window.window()->conversations()->placeOf(id);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(place, 0)).center());
        QVERIFY(list->hasFocus());
        QTest::keyClick(list, 'a'); // The other one begins with it.
        QCOMPARE(window.workspace()->current(), id);
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QCOMPARE(window.edit()->toPlainText(), u"a"_s);

        // The same after a click on the transcript, and on a button of a card that was let go of elsewhere.
        window.edit()->clear();
        QTest::mouseClick(window.transcript()->viewport(), Qt::LeftButton, {}, QPoint(4, 4));
        QVERIFY(window.transcript()->hasFocus());
        QTest::keyClick(window.transcript(), 'd');
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QTest::keyClicks(QApplication::focusWidget(), u"o it"_s);
        QCOMPARE(window.edit()->toPlainText(), u"do it"_s);
        window.edit()->clear();
        ApprovalCard *clicked = cards(window).first();
        auto *deny = qobject_cast<QAbstractButton *>(window.find(u"Deny"_s, QAccessible::Button, clicked));
        QVERIFY(deny);
        QTest::mouseClick(deny, Qt::LeftButton);
        auto *back = qobject_cast<QAbstractButton *>(window.find(u"Back"_s, QAccessible::Button, clicked));
        QVERIFY(back);
        QTest::mouseClick(back, Qt::LeftButton); // The card has the focus now, by a click.
        QVERIFY(clicked->hasFocus());
        QTest::keyClicks(QApplication::focusWidget(), u"a"_s);
        QCOMPARE(window.workspace()->pendingCalls()->of(id).size(), 3);
        QCOMPARE(QApplication::focusWidget(), window.edit());
        QCOMPARE(window.edit()->toPlainText(), u"a"_s);
        auto *allow =
            qobject_cast<QAbstractButton *>(window.find(u"Allow once"_s, QAccessible::Button, clicked));
        QVERIFY(allow);
        QTest::mousePress(allow, Qt::LeftButton);
        QTest::mouseRelease(allow, Qt::LeftButton, {}, QPoint(-40, -40)); // Thought better of it.
        QTest::keyClicks(QApplication::focusWidget(), u"and"_s);
        QCOMPARE(window.workspace()->pendingCalls()->of(id).size(), 3);
        QCOMPARE(window.edit()->toPlainText(), u"aand"_s);
        window.edit()->clear();
        // Keys with a modifier are commands, not letters.
        QTest::mouseClick(window.transcript()->viewport(), Qt::LeftButton, {}, QPoint(4, 4));
        QTest::keyClick(window.transcript(), Qt::Key_K, Qt::AltModifier);
        QVERIFY(window.edit()->toPlainText().isEmpty());

        // Each call has one card, also after another conversation was looked at.
        window.workspace()->setCurrent(another);
        window.workspace()->setCurrent(id);
        const auto once = [&] {
            QStringList seen;
            for (const ApprovalCard *card : cards(window))
                seen.append(card->call().callId);
            return seen.size() == 3 && QSet<QString>(seen.cbegin(), seen.cend()).size() == 3;
        };
        QTRY_VERIFY_WITH_TIMEOUT(once(), Patience);

        // One key comes to the call that waits, from wherever one is.
        QTest::keyClick(window.edit(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(qobject_cast<ApprovalCard *>(QApplication::focusWidget()));
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        QVERIFY(window.workspace()->current().isEmpty());
        QTest::keyClick(window.window(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(!window.workspace()->current().isEmpty());
        QVERIFY(qobject_cast<ApprovalCard *>(QApplication::focusWidget()));
    }

    // However often it is closed in order.
    void theOpenConversationIsOpenAgain()
    {
        WindowFixture window;
        QVERIFY(window.start(ThreeCalls));
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(cards(window).size(), 3, Patience);
        const QString id = window.workspace()->current();
        for (int i = 0; i < 3; ++i) {
            window.closeWindow();
            QVERIFY(window.openWindow());
            QTRY_COMPARE_WITH_TIMEOUT(window.workspace()->current(), id, Patience);
        }
    }

    // A new conversation is in the list at once, also while its first call says nothing for long.
    void aNewConversationIsListedWhileItsCallIsQuiet()
    {
        WindowFixture window;
        QVERIFY(window.start(ThreeCalls));
        QElapsedTimer since;
        window.say(u"Go."_s);
        since.start();
        QTRY_VERIFY_WITH_TIMEOUT(window.summary(window.workspace()->current()), Patience);
        qInfo("listed after %lld ms", since.elapsed());
        QTRY_VERIFY_WITH_TIMEOUT(named(window).startsWith(u"waiting"_s), Patience);
        qInfo("waiting after %lld ms", since.elapsed());
    }
};

QTEST_MAIN(TestAttention)
#include "tst_attention.moc"
