// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composer.h"
#include "composer/composeredit.h"
#include "shell/columns.h"
#include "shell/conversationactions.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/mainwindow.h"
#include "shell/panecolumn.h"
#include "shell/panehost.h"
#include "shell/welcomepage.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebar.h"
#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/confirmdialog.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/searchfield.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "transcript/transcriptview.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {
constexpr int Patience = 20'000;
}

/// The window without a turn: columns, menus, keys, what can be done to conversations.
class TestWindow : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_dirs = 0;
    QString m_dir;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<MainWindow> m_window;

    void open(const QSize &size)
    {
        m_workspace = std::make_unique<Workspace>(m_dir);
        EngineOptions options;
        options.program = u"test"_s;
        options.dataDir = m_dir;
        options.environment = [](const QString &) { return QString(); };
        auto engine = Engine::open(options);
        QVERIFY2(engine, engine ? "" : qPrintable(engine.error().toText()));
        m_window = std::make_unique<MainWindow>(m_workspace.get());
        m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_workspace->setEngine(std::move(*engine));
        QTRY_VERIFY_WITH_TIMEOUT(!m_workspace->defaults().provider.isEmpty(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_workspace->services().isEmpty(), Patience);
    }
    void close()
    {
        m_window.reset();
        m_workspace.reset();
    }
    QString make(const QString &title)
    {
        ConversationSettings settings;
        settings.title = title;
        const QString id = m_workspace->engine()->createConversation(settings);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(m_workspace->conversations()->placeOf(id) >= 0, Patience); }();
        return id;
    }
    QString titleOf(const QString &id) const
    {
        const ConversationSummary *summary = m_workspace->conversations()->summary(id);
        return summary ? summary->title : u"(gone)"_s;
    }
    ConfirmDialog *dialog() const { return m_window->findChild<ConfirmDialog *>(); }
    static QPushButton *buttonOf(QWidget *parent, const QString &text)
    {
        for (QPushButton *button : parent->findChildren<QPushButton *>()) {
            if (button->text() == text)
                return button;
        }
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        Theme::install(*qApp);
    }
    void init()
    {
        Test::init();
        m_dir = m_temp.filePath(QString::number(++m_dirs));
    }
    void cleanup() { close(); }

    void everyActionHasAMenuPlaceAndNoTwoShareAShortcut()
    {
        open({1440, 900});
        const auto *menus = m_window->findChild<QMenuBar *>();
        QStringList names;
        QSet<QString> keys;
        for (const QAction *entry : menus->actions()) {
            names.append(entry->text().remove(u'&'));
            for (const QAction *action : entry->menu()->actions()) {
                const QString key = action->shortcut().toString();
                if (key.isEmpty())
                    continue;
                QVERIFY2(!keys.contains(key), qPrintable(key));
                keys.insert(key);
            }
        }
        QCOMPARE(names,
                 (QStringList{u"Conversation"_s, u"Edit"_s, u"View"_s, u"Machine"_s, u"Go"_s, u"Help"_s}));
        QVERIFY(keys.size() >= 14);
    }

    void columnsBecomeStripsAndComeBack()
    {
        open({1440, 900});
        Columns *columns = m_window->columns();
        auto *pane = new QLineEdit;
        pane->setAccessibleName(u"pane"_s);
        m_window->panes()->addPane(u"own"_s, u"square-function"_s, u"Own"_s, pane);
        m_window->panes()->showPane(u"own"_s);
        QVERIFY(pane->isVisible());
        QVERIFY(m_window->sidebar()->isVisible());
        QCOMPARE(m_window->sidebar()->width(), 264);
        m_window->resize(1150, 800);
        QTRY_VERIFY(columns->isSidebarRail() && !m_window->sidebar()->isVisible());
        QVERIFY(pane->isVisible());
        m_window->resize(1024, 700);
        QTRY_VERIFY(columns->isPanesRail() && !pane->isVisible());
        QVERIFY(m_window->page()->width() >= 420);

        m_window->page()->focusComposer();
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier);
        QVERIFY(m_window->sidebar()->isVisible());
        QCOMPARE(columns->opened(), m_window->sidebar());
        QTRY_VERIFY(m_window->sidebar()->find()->hasFocus());
        QTest::keyClick(m_window->sidebar()->find(), Qt::Key_Escape);
        QVERIFY(!m_window->sidebar()->isVisible());
        QVERIFY(m_window->page()->composer()->edit()->hasFocus()); // Where it was before.
        m_window->panes()->showPane(u"own"_s);
        QVERIFY(pane->isVisible());
        // Stop stays at hand beside it.
        const QWidget *header = m_window->page()->header();
        const QRect covered(pane->mapTo(m_window.get(), QPoint()), pane->size());
        QVERIFY(!covered.intersects(QRect(header->mapTo(m_window.get(), QPoint()), header->size())));
        m_window->page()->focusComposer(); // Work goes on beside it.
        QVERIFY(!pane->isVisible());
        // F6 comes to the strip as it comes to the column.
        QTest::keyClick(m_window.get(), Qt::Key_F6);
        auto *onStrip = qobject_cast<QAbstractButton *>(QApplication::focusWidget());
        QVERIFY(onStrip && onStrip->accessibleName() == "Own"_L1);
        QTest::keyClick(onStrip, Qt::Key_Space);
        QVERIFY(pane->isVisible());
        m_window->page()->focusComposer();
        m_window->resize(1440, 900);
        QTRY_VERIFY(m_window->sidebar()->isVisible() && pane->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier);
        QVERIFY(!m_window->sidebar()->isVisible());

        m_window->close();
        close();
        open({1440, 900}); // The choice is remembered.
        QVERIFY(!m_window->sidebar()->isVisible());
    }

    // Panes come with the first conversation, or when they are asked for; what was wanted is remembered.
    void panesWaitForTheFirstConversation()
    {
        for (const bool asked : {false, true}) {
            open({1440, 900});
            const QWidget *panes = m_window->findChild<PaneColumn *>();
            QVERIFY(panes);
            QVERIFY(!panes->isVisible());
            QVERIFY(m_window->columns()->isPanesWanted());
            if (asked) {
                QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
                QVERIFY(panes->isVisible());
                QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
                QVERIFY(!panes->isVisible());
            }
            make(u"First"_s);
            QTRY_COMPARE_WITH_TIMEOUT(panes->isVisible(), !asked, Patience);
            if (!asked)
                QCOMPARE(panes->width(), Metrics::PaneDefault);
            m_window->close();
            close();
            open({1440, 900});
            QTRY_COMPARE_WITH_TIMEOUT(m_workspace->conversations()->rowCount(), 1, Patience);
            QTRY_COMPARE(m_window->findChild<PaneColumn *>()->isVisible(), !asked);
            m_window->close();
            close();
            m_dir = m_temp.filePath(u"another"_s);
        }
    }

    // At the narrowest the column of the conversation can be nothing of the first page is cut or out of view
    // sideways.
    void theFirstPageFitsTheNarrowestColumn()
    {
        open({1200, 800});
        WelcomePage *page = m_window->page()->welcome();
        QVERIFY(page->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier); // Panes beside it.
        QTRY_VERIFY(page->width() <= 430);
        auto *scroll = page->findChild<QScrollArea *>();
        QVERIFY(scroll);
        QTRY_COMPARE(scroll->horizontalScrollBar()->maximum(), 0);
        for (const QAbstractButton *button : {page->tourButton(), page->keysButton()})
            QVERIFY(button->mapTo(page, QPoint(button->width(), 0)).x() <= page->width());
    }

    void theKeyboardWalksTheColumns()
    {
        open({1440, 900});
        make(u"One"_s);
        m_window->page()->focusComposer();
        QTest::keyClick(m_window.get(), Qt::Key_F6);
        QVERIFY(dynamic_cast<QWidget *>(m_window->panes())->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(m_window->list()->hasFocus());
        QTest::keyClick(m_window->list(), Qt::Key_F6);
        QVERIFY(m_window->page()->composer()->edit()->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(m_window->list()->hasFocus());
    }

    void conversationsAreRenamedDuplicatedArchivedAndDeleted()
    {
        open({1440, 900});
        const QString id = make(u"First"_s);
        m_workspace->setCurrent(id);
        m_window->list()->setFocus();
        QTest::keyClick(m_window->list(), Qt::Key_F2);
        auto *editor = m_window->list()->findChild<QLineEdit *>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, u"Second"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(titleOf(id), u"Second"_s, Patience);

        auto *title = m_window->page()->header()->findChild<QLineEdit *>();
        const auto labels = m_window->page()->header()->findChildren<QLabel *>();
        const auto shown = std::find_if(labels.begin(), labels.end(),
                                        [](const QLabel *label) { return label->text() == "Second"_L1; });
        QVERIFY(shown != labels.end());
        QTest::mouseDClick(*shown, Qt::LeftButton);
        QVERIFY(title->isVisible());
        title->selectAll();
        QTest::keyClicks(title, u"Third"_s);
        QTest::keyClick(title, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(titleOf(id), u"Third"_s, Patience);

        QTest::keyClick(m_window.get(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_workspace->current() != id && !m_workspace->current().isEmpty(), Patience);
        const QString copy = m_workspace->current();
        QTRY_COMPARE_WITH_TIMEOUT(titleOf(copy), u"Copy of Third"_s, Patience);
        // What has no messages says so.
        const auto *empty = m_window->page()->findChild<EmptyState *>();
        QVERIFY(empty);
        QTRY_VERIFY_WITH_TIMEOUT(empty->isVisible(), Patience);
        QVERIFY(!m_window->page()->transcript()->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_workspace->conversations()->summary(copy)->archived, Patience);
        QVERIFY(m_workspace->current().isEmpty());
        QVERIFY(m_window->list()->hasFocus());

        m_workspace->setCurrent(id);
        m_window->page()->focusComposer();
        QMenu menu;
        auto *actions = m_window->findChild<ConversationActions *>();
        actions->fillMenu(&menu, id);
        QVERIFY(menu.actions().size() >= 6);
        actions->remove(id);
        QVERIFY(dialog());
        QTRY_VERIFY(dialog()->isVisible());
        QVERIFY(dialog()->findChildren<QCheckBox *>().isEmpty()); // No machine, no question about one.
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!dialog());
        QCOMPARE(titleOf(id), u"Third"_s);
        actions->remove(id);
        QTest::mouseClick(buttonOf(dialog(), u"Delete"_s), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(titleOf(id), u"(gone)"_s, Patience);
        QVERIFY(m_workspace->current().isEmpty());
        m_window->activateWindow();
        QTRY_VERIFY(m_window->list()->hasFocus());
    }

    // The menu's button goes with its conversation.
    void archivingByTheMenuLeavesTheFocusInTheList()
    {
        for (const QSize &size : {QSize(1440, 900), QSize(760, 560)}) {
            open(size);
            const QString id = make(u"First"_s);
            make(u"Second"_s);
            m_workspace->setCurrent(id);
            auto *more = m_window->page()->header()->findChild<ToolButton *>();
            QVERIFY(more);
            more->setFocus(Qt::TabFocusReason);
            QTest::keyClick(more, Qt::Key_Space);
            QTRY_VERIFY(QApplication::activePopupWidget());
            auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            for (QAction *action : menu->actions()) {
                if (action->text() == "Archive"_L1)
                    menu->setActiveAction(action);
            }
            QTest::keyClick(menu, Qt::Key_Return);
            QTRY_VERIFY_WITH_TIMEOUT(m_workspace->conversations()->summary(id)->archived, Patience);
            QVERIFY(m_workspace->current().isEmpty());
            m_window->activateWindow();
            QTRY_VERIFY(qobject_cast<ConversationListView *>(QApplication::focusWidget()));
            close();
        }
    }

    // The name of a model gives way to what the machine does.
    void aLongModelNameLeavesTheMachineItsWords()
    {
        for (const QSize &size : {QSize(760, 560), QSize(1024, 700)}) {
            open(size);
            const QString id = make(u"First"_s);
            m_workspace->setCurrent(id);
            m_workspace->setModel(u"demo"_s, QString(u"a-very-long-name-of-a-model-"_s.repeated(6)));
            const auto chip = [this](const QString &start) {
                const auto buttons = m_window->page()->header()->findChildren<QAbstractButton *>();
                const auto found =
                    std::find_if(buttons.cbegin(), buttons.cend(), [&](const QAbstractButton *b) {
                        return b->accessibleName().startsWith(start);
                    });
                return found == buttons.cend() ? nullptr : *found;
            };
            QTRY_VERIFY_WITH_TIMEOUT(chip(u"Model: "_s)->text().contains(u"very-long"_s), Patience);
            QCoreApplication::processEvents();
            QVERIFY(chip(u"Model: "_s)->width() < chip(u"Model: "_s)->sizeHint().width());
            QVERIFY(chip(u"Machine: "_s)->width() >= chip(u"Machine: "_s)->sizeHint().width());
            QCOMPARE(m_window->size(), size);
            close();
        }
    }

    void modelAndSandboxAreChosenBeforeTheFirstMessage()
    {
        open({1440, 900});
        QMenu *models = m_window->page()->header()->modelMenu();
        QVERIFY(QMetaObject::invokeMethod(models, "aboutToShow"));
        QStringList names;
        QAction *tour = nullptr;
        for (QAction *action : models->actions()) {
            names.append(action->text());
            if (action->menu() && !action->menu()->actions().isEmpty()
                && action->menu()->actions().first()->text() == "tour"_L1)
                tour = action->menu()->actions().first();
        }
        QVERIFY2(names.contains(u"Anthropic: no key"_s), qPrintable(names.join(u'|')));
        // What cannot be chosen comes after what can.
        qsizetype lastUsable = -1;
        qsizetype firstWithoutKey = names.size();
        for (qsizetype i = 0; i < names.size(); ++i) {
            if (models->actions()[i]->menu())
                lastUsable = i;
            else if (names[i].endsWith(u": no key"_s))
                firstWithoutKey = std::min(firstWithoutKey, i);
        }
        QVERIFY(lastUsable >= 0);
        QVERIFY(lastUsable < firstWithoutKey);
        QVERIFY(tour);
        QVERIFY(tour->isChecked());
        QMenu *machine = m_window->page()->header()->machineMenu();
        QVERIFY(QMetaObject::invokeMethod(machine, "aboutToShow"));
        QVERIFY(machine->actions().size() == 2);
        QVERIFY(!machine->actions()[0]->isEnabled()); // Superserve has no key.
        QVERIFY(machine->actions()[1]->isChecked());
    }

    void settingsOpenAndEscapeComesBack()
    {
        open({1440, 900});
        QTest::keyClick(m_window.get(), Qt::Key_Comma, Qt::ControlModifier);
        QVERIFY(!m_window->columns()->isVisible());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(m_window->columns()->isVisible());
        QVERIFY(m_window->page()->composer()->edit()->hasFocus());
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
