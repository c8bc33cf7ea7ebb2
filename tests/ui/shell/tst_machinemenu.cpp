// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "support/testmain.h"
#include "theme/controls/confirmdialog.h"
#include "windowfixture.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QMenu>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;

constexpr auto TwoTurns = R"json({
 "format": 1, "name": "window", "maxSteps": 20, "pace": {"charsPerSecond": 0},
 "turns": [
  {"steps": [{"events": [{"text": "First."}]}]},
  {"steps": [{"events": [{"text": "Second."}]}]},
  {"steps": [{"events": [{"text": "Third."}]}]}
 ]
})json";

} // namespace

/// A machine that went behind our back is told, and the person begins with a new one.
class TestMachineMenu : public Tests::Test {
    Q_OBJECT

    static QString state(const WindowFixture &window)
    {
        const ConversationSummary *summary = window.summary(window.workspace()->current());
        return summary ? summary->sandboxState : QString();
    }
    static QStringList entries(const QMenu *menu)
    {
        QStringList out;
        for (const QAction *action : menu->actions()) {
            if (!action->isSeparator())
                out.append(QString(action->isEnabled() ? u"+ "_s : u"- "_s) + action->text());
        }
        return out;
    }
    static bool deleteBehindOurBack(const WindowFixture &window, const QString &id)
    {
        std::optional<bool> done;
        window.workspace()->engine()->deleteSandbox(
            u"superserve"_s, id, window.window(),
            [&done](const Result<Done, Error> &result) { done = result.has_value(); });
        return WindowFixture::until([&] { return done.has_value(); }) && *done;
    }
    /// Opens the machine's menu with a click.
    static QMenu *menu(const WindowFixture &window, const QString &word)
    {
        if (!window.click(u"Machine: "_s + word, QAccessible::Button))
            return nullptr;
        return WindowFixture::until([] { return WindowFixture::openMenu() != nullptr; })
            ? WindowFixture::openMenu()
            : nullptr;
    }

private Q_SLOTS:
    void aMachineThatIsGoneIsLetGo()
    {
        WindowFixture window;
        QVERIFY(window.start(TwoTurns));
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(state(window), u"paused"_s, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        const QString first = window.summary(window.workspace()->current())->sandboxId;
        QVERIFY(deleteBehindOurBack(window, first));
        window.say(u"Again."_s);
        QTRY_COMPARE_WITH_TIMEOUT(state(window), u"gone"_s, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);

        QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Machine: gone"_s, QAccessible::Button), Patience);
        QMenu *open = menu(window, u"gone"_s);
        QVERIFY(open);
        QCOMPARE(entries(open),
                 (QStringList{u"- The machine is gone: it was deleted outside this conversation"_s,
                              u"+ New machine with the next turn…: this one is let go"_s}));
        QVERIFY(WindowFixture::choose(open, u"New machine with the next turn…: this one is let go"_s));
        auto *dialog = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        QString words;
        for (const QLabel *label : dialog->findChildren<QLabel *>())
            words += label->text() + u'\n';
        QVERIFY2(words.contains(first) && words.contains(u"does not exist any more"_s)
                     && words.contains(u"charged while it runs"_s) && words.contains(u"keeps all"_s),
                 qPrintable(words));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isAncestorOf(QApplication::focusWidget()), Patience);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return); // Cancel has the focus.
        QTRY_VERIFY_WITH_TIMEOUT(!window.window()->findChild<ConfirmDialog *>(), Patience);
        QCOMPARE(state(window), u"gone"_s);

        open = menu(window, u"gone"_s);
        QVERIFY(WindowFixture::choose(open, u"New machine with the next turn…: this one is let go"_s));
        dialog = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(dialog);
        QVERIFY(window.click(u"Let go"_s, QAccessible::Button, dialog));
        QTRY_COMPARE_WITH_TIMEOUT(state(window), u"released"_s, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Machine: let go"_s, QAccessible::Button), Patience);
        open = menu(window, u"let go"_s);
        QCOMPARE(entries(open), QStringList(u"- There is no machine now; the next turn makes one"_s));
        open->close();

        window.say(u"And now?"_s);
        QTRY_COMPARE_WITH_TIMEOUT(state(window), u"paused"_s, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QVERIFY(window.summary(window.workspace()->current())->sandboxId != first);
    }

    // One that is well can be let go too: another address may be in use. It stays where it is.
    void aMachineThatIsWellStaysWhereItIs()
    {
        WindowFixture window;
        QVERIFY(window.start(TwoTurns));
        window.say(u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(state(window), u"paused"_s, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        const QString first = window.summary(window.workspace()->current())->sandboxId;
        QMenu *open = menu(window, u"paused"_s);
        QVERIFY(open);
        const QStringList all = entries(open);
        QCOMPARE(all.size(), 4);
        QVERIFY2(all.last().startsWith(u"+ New machine"_s), qPrintable(all.last()));
        QVERIFY(WindowFixture::choose(open, u"New machine with the next turn…: this one is let go"_s));
        auto *dialog = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(dialog);
        QString words;
        for (const QLabel *label : dialog->findChildren<QLabel *>())
            words += label->text() + u'\n';
        QVERIFY2(words.contains(u"Nothing is sent"_s) && words.contains(u"may cost you"_s),
                 qPrintable(words));
        QVERIFY(window.click(u"Let go"_s, QAccessible::Button, dialog));
        QTRY_COMPARE_WITH_TIMEOUT(state(window), u"released"_s, Patience);
        std::optional<QList<SandboxInfo>> list;
        window.workspace()->engine()->listSandboxes(u"superserve"_s, window.window(),
                                                    [&list](const Result<QList<SandboxInfo>, Error> &found) {
                                                        list = found.value_or(QList<SandboxInfo>());
                                                    });
        QTRY_VERIFY_WITH_TIMEOUT(list.has_value(), Patience);
        QCOMPARE(list->size(), 1);
        QCOMPARE(list->first().id, first);
        QCOMPARE(list->first().status, u"paused"_s);
    }
};

QTEST_MAIN(TestMachineMenu)
#include "tst_machinemenu.moc"
