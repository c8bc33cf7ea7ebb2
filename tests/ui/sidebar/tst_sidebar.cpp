// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "sidebar/conversationdelegate.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/copytitle.h"
#include "sidebar/sidebar.h"
#include "sidebar/sidebarmodel.h"
#include "store/store.h"
#include "support/testmain.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/searchfield.h"
#include "theme/theme.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QDateTime>
#include <QImage>
#include <QLineEdit>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Group = SidebarModel::Group;

namespace {
constexpr int Patience = 20'000;
}

class TestSidebar : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_dirs = 0;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<HistoryService> m_history;
    std::unique_ptr<ConversationListModel> m_source;
    std::unique_ptr<SidebarModel> m_model;

    Tests::EventScript conversation(const QByteArray &title)
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::ConversationRenamed, "{\"title\":\"" + title + "\"}");
        return script;
    }
    void write(const EventBatch &batch)
    {
        QSignalSpy committed(m_store.get(), &Store::committed);
        m_store->append(batch, false);
        QVERIFY(committed.wait(Patience));
    }
    void follow(const Tests::EventScript &script, int from)
    {
        write(script.all().mid(from));
        m_source->takeEvents(script.all().mid(from));
    }
    QStringList rows() const
    {
        QStringList out;
        for (int i = 0; i < m_model->rowCount(); ++i) {
            const QModelIndex index = m_model->index(i);
            QString text = index.data().toString();
            if (index.data(SidebarModel::IsHeadingRole).toBool())
                text = u"# %1 %2"_s.arg(text).arg(index.data(SidebarModel::CountRole).toInt());
            out.append(text);
        }
        return out;
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
        const QString dir = m_temp.filePath(QString::number(++m_dirs));
        auto store = Store::open(dir, u"test"_s);
        QVERIFY(store);
        m_store = std::move(*store);
        m_history = std::make_unique<HistoryService>(dir);
        m_source = std::make_unique<ConversationListModel>(m_history.get());
        m_model = std::make_unique<SidebarModel>(m_source.get());
    }
    void cleanup()
    {
        m_model.reset();
        m_source.reset();
        m_history.reset();
        m_store.reset();
    }

    void groupsFollowTheStates()
    {
        const QAbstractItemModelTester tester(m_model.get(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        Tests::EventScript idle = conversation("Idle one");
        Tests::EventScript busy = conversation("Busy one");
        Tests::EventScript old = conversation("Old one");
        old.add(EventKind::ConversationArchived, "{\"archived\":true}");
        busy.add(EventKind::UserMessage, "{\"messageId\":\"m\",\"text\":\"go\",\"delivery\":\"now\"}");
        busy.add(EventKind::TurnStart, "{\"turn\":1,\"parent\":0}");
        write(idle.all() + busy.all() + old.all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(
            rows(),
            (QStringList{u"# Running 1"_s, u"Busy one"_s, u"# Idle 1"_s, u"Idle one"_s, u"# Archived 1"_s}),
            Patience);
        m_model->setArchivedShown(true);
        QCOMPARE(rows().last(), u"Old one"_s);
        m_model->setArchivedShown(false);

        const int before = static_cast<int>(busy.all().size());
        busy.add(EventKind::TurnFinish, "{\"turn\":1,\"reason\":\"model-error\",\"text\":\"\",\"steps\":1}");
        follow(busy, before);
        QTRY_COMPARE_WITH_TIMEOUT(rows().value(0), u"# Needs you 1"_s, Patience);
        QCOMPARE(rows().value(1), u"Busy one"_s);
        QVERIFY(m_model->index(1).data(SidebarModel::UnseenRole).toBool());
        m_model->setCurrent(busy.conversation());
        QVERIFY(!m_model->index(1).data(SidebarModel::UnseenRole).toBool());

        m_model->setFilter(u" OLD "_s); // Finds in what is folded, too.
        QCOMPARE(rows(), (QStringList{u"# Archived 1"_s, u"Old one"_s}));
        m_model->setFilter(u"nothing"_s);
        QCOMPARE(m_model->rowCount(), 0);
        m_model->setFilter({});
        QCOMPARE(m_model->conversationCount(), 2);
    }

    /// Whatever a conversation's row does, only a person chooses another one.
    void theChosenOneStaysChosenWhereverItGoes()
    {
        Tests::EventScript first = conversation("First");
        Tests::EventScript second = conversation("Second");
        Tests::EventScript third = conversation("Third");
        for (Tests::EventScript *script : {&first, &second}) {
            script->add(EventKind::UserMessage, "{\"messageId\":\"m\",\"text\":\"go\",\"delivery\":\"now\"}");
            script->add(EventKind::TurnStart, "{\"turn\":1,\"parent\":0}");
        }
        write(first.all() + second.all() + third.all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->conversationCount(), 3, Patience);
        ConversationListView list;
        ConversationListView rail;
        rail.setNarrow(true);
        QSignalSpy chosen(&list, &ConversationListView::conversationChosen);
        QSignalSpy chosenInRail(&rail, &ConversationListView::conversationChosen);
        for (ConversationListView *view : {&list, &rail}) {
            view->setConversations(m_model.get());
            view->resize(264, 400);
            view->show();
            view->choose(first.conversation());
        }
        const auto go = [&](Tests::EventScript &script, EventKind kind, const QByteArray &payload) {
            const int before = static_cast<int>(script.all().size());
            script.add(kind, payload);
            follow(script, before);
            for (const ConversationListView *view : {&list, &rail}) {
                QCOMPARE(view->chosen(), first.conversation());
                QCOMPARE(view->currentIndex().data(ConversationListModel::IdRole).toString(),
                         first.conversation());
            }
        };
        const QByteArray call = "{\"turn\":1,\"step\":1,\"attempt\":1,\"callId\":\"k\",\"toolName\":\"bash\"";
        for (Tests::EventScript *script : {&first, &second}) {
            go(*script, EventKind::ToolCall, call + ",\"args\":{}}");
            go(*script, EventKind::ToolApproval,
               call + ",\"state\":\"asked\",\"by\":\"policy\",\"rule\":\"*\",\"reason\":\"\"}");
            go(*script, EventKind::ToolApproval,
               call + ",\"state\":\"approved\",\"by\":\"user\",\"rule\":\"\",\"reason\":\"\"}");
            go(*script, EventKind::TurnFinish,
               "{\"turn\":1,\"reason\":\"finished\",\"text\":\"\",\"steps\":1}");
            go(*script, EventKind::UserMessage,
               "{\"messageId\":\"n\",\"text\":\"again\",\"delivery\":\"now\"}");
            go(*script, EventKind::TurnStart, "{\"turn\":2,\"parent\":0}");
        }
        QCOMPARE(chosen.size(), 0);
        QCOMPARE(chosenInRail.size(), 0);
    }

    /// Its group is seen with the first row of it, which comes into view.
    void aRowComesWithItsHeading()
    {
        EventBatch all;
        QString oldest;
        for (int i = 0; i < 40; ++i) {
            const Tests::EventScript script = conversation("Number " + QByteArray::number(i));
            all += script.all();
        }
        write(all);
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->conversationCount(), 40, Patience);
        ConversationListView view;
        view.resize(240, 300);
        view.setConversations(m_model.get());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(m_model->index(0).data(SidebarModel::IsHeadingRole).toBool());
        view.choose(m_model->index(39).data(ConversationListModel::IdRole).toString());
        QVERIFY(view.verticalScrollBar()->value() > 0);
        view.choose(m_model->index(1).data(ConversationListModel::IdRole).toString());
        QCOMPARE(view.verticalScrollBar()->value(), 0);
        // Where both do not fit the row is what is seen.
        view.resize(240, 50);
        view.choose(m_model->index(39).data(ConversationListModel::IdRole).toString());
        view.choose(m_model->index(1).data(ConversationListModel::IdRole).toString());
        QVERIFY(view.visualRect(m_model->index(1)).top() >= 0);
    }

    void copiesAreNamedApart()
    {
        QSet<QString> taken;
        const auto copy = [&taken](const QString &title) {
            const QString made = copyTitle(title, 40, [&](const QString &t) { return taken.contains(t); });
            taken.insert(made);
            return made;
        };
        QCOMPARE(copy(u"Job"_s), u"Copy of Job"_s);
        QCOMPARE(copy(u"Job"_s), u"Copy 2 of Job"_s);
        QCOMPARE(copy(u"Copy of Job"_s), u"Copy 3 of Job"_s);
        QCOMPARE(copy(u"Copy 2 of Job"_s), u"Copy 4 of Job"_s);
        QCOMPARE(copy(u"Copying of Job"_s), u"Copy of Copying of Job"_s);
        QCOMPARE(copy(u"x"_s.repeated(32)), QString(u"Copy of "_s + u"x"_s.repeated(32)));
        const QString cut = copy(u"x"_s.repeated(60));
        QVERIFY(cut.size() <= 40);
        QVERIFY(cut.startsWith(u"Copy of xxx"_s) && cut.endsWith(u'\u2026'));
        const QString emoji = copy(QString::fromUcs4(U"\U0001F600").repeated(40));
        QVERIFY(emoji.size() <= 40 && emoji.isValidUtf16());
    }

    void rowsAreAsHighAsTheyAreUrgent()
    {
        Tests::EventScript idle = conversation("Idle one");
        Tests::EventScript busy = conversation("Busy one");
        busy.add(EventKind::UserMessage, "{\"messageId\":\"m\",\"text\":\"go\",\"delivery\":\"now\"}");
        busy.add(EventKind::TurnStart, "{\"turn\":1,\"parent\":0}");
        write(idle.all() + busy.all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 4, Patience);
        ConversationListView view;
        view.setConversations(m_model.get());
        view.resize(264, 400);
        view.show();
        QCOMPARE(view.visualRect(m_model->index(0)).height(), 28);
        QCOMPARE(view.visualRect(m_model->index(1)).height(), 64);
        QCOMPARE(view.visualRect(m_model->index(3)).height(), 44);
        view.setNarrow(true);
        QApplication::sendPostedEvents();
        QCOMPARE(view.sizeHintForIndex(m_model->index(1)).height(), 32);
    }

    void keysFindRenameAndFold()
    {
        Tests::EventScript first = conversation("First");
        Tests::EventScript second = conversation("Second");
        second.add(EventKind::ConversationArchived, "{\"archived\":true}");
        write(first.all() + second.all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 3, Patience);
        Sidebar sidebar(m_model.get());
        sidebar.resize(264, 500);
        sidebar.show();
        QVERIFY(QTest::qWaitForWindowActive(&sidebar));
        ConversationListView *list = sidebar.list();
        QSignalSpy chosen(list, &ConversationListView::conversationChosen);
        QSignalSpy renamed(m_model.get(), &SidebarModel::renameRequested);

        sidebar.focusFind();
        QTest::keyClicks(sidebar.find(), u"fir"_s);
        QTest::keyClick(sidebar.find(), Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toString(), first.conversation());
        QVERIFY(list->hasFocus());

        QTest::keyClick(list, Qt::Key_F2);
        auto *editor = list->findChild<QLineEdit *>();
        QVERIFY(editor);
        QCOMPARE(editor->text(), u"First"_s);
        editor->selectAll();
        QTest::keyClicks(editor, u"Renamed"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(renamed.size(), 1, Patience); // The editor commits on its next turn.
        QCOMPARE(renamed[0][1].toString(), u"Renamed"_s);

        sidebar.focusFind();
        QTest::keyClick(sidebar.find(), Qt::Key_Escape);
        QCOMPARE(m_model->conversationCount(), 1);
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Down); // On the heading that can be folded.
        QVERIFY(list->currentIndex().data(SidebarModel::IsHeadingRole).toBool());
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(m_model->conversationCount(), 2);
        QCOMPARE(chosen.size(), 1); // A heading is no conversation.
        const QPoint heading = list->visualRect(m_model->index(2)).center();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, heading);
        QCOMPARE(m_model->conversationCount(), 1);
    }

    void rowsHaveNamesForScreenReaders()
    {
        write(conversation("Readable").all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 2, Patience);
        ConversationListView view;
        view.setConversations(m_model.get());
        view.resize(264, 300);
        view.show();
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
        QVERIFY(list);
        QCOMPARE(list->role(), QAccessible::List);
        QStringList names;
        for (int i = 0; i < list->childCount(); ++i)
            names.append(list->child(i)->text(QAccessible::Name));
        QVERIFY2(names.join(u'|').contains(u"Idle, 1 conversation"_s), qPrintable(names.join(u'|')));
        QVERIFY2(!names.join(u'|').contains(u"(s)"_s), qPrintable(names.join(u'|')));
        QVERIFY2(names.join(u'|').contains(u"Readable, Idle"_s), qPrintable(names.join(u'|')));
    }

    // However the list came to the focus: arrows move from there.
    // Titles of mixed scripts are laid out from their own side: what an embedding says to a line that runs
    // the other way, their first letter says here.
    void titlesHaveTheirOwnDirection_data()
    {
        QTest::addColumn<QString>("title");
        QTest::addColumn<int>("width");
        for (const int width : {300, 190}) {
            QTest::addRow("Arabic, %d", width) << u"مرحبا 38 (abc) 123: افحص"_s << width;
            QTest::addRow("Hebrew, %d", width) << u"תיקון webhook 36 (abc): בדיקה"_s << width;
            QTest::addRow("digits first, %d", width) << u"38 (abc) 123: webhook"_s << width;
            QTest::addRow("Latin first, %d", width) << u"webhook 36: תיקון (7)"_s << width;
        }
    }
    void titlesHaveTheirOwnDirection()
    {
        QFETCH(QString, title);
        QFETCH(int, width);
        QStandardItemModel model;
        auto *item = new QStandardItem;
        item->setData(title, ConversationListModel::TitleRole);
        item->setData(u"idle"_s, ConversationListModel::StateRole);
        item->setData(static_cast<int>(SidebarModel::Group::Idle), SidebarModel::GroupRole);
        model.appendRow(item);
        const ConversationDelegate delegate;
        const auto painted = [&](const QString &shown) {
            item->setData(shown, ConversationListModel::TitleRole);
            QImage image(width, 60, QImage::Format_ARGB32_Premultiplied);
            image.fill(Qt::white);
            QPainter painter(&image);
            QStyleOptionViewItem option;
            option.direction = Qt::LeftToRight;
            option.rect = image.rect();
            delegate.paint(&painter, option, model.index(0, 0));
            return image;
        };
        const bool isRightToLeft = title.isRightToLeft();
        const QString same = QString(QChar(isRightToLeft ? 0x202B : 0x202A) + title + QChar(0x202C));
        QCOMPARE(painted(title), painted(same));
        // That the other way would look otherwise shows that this test sees the difference.
        if (title.contains(QChar(0x05D1)) || title.contains(QChar(0x062D))) {
            const QString other = QString(QChar(isRightToLeft ? 0x202A : 0x202B) + title + QChar(0x202C));
            QVERIFY(painted(title) != painted(other));
        }
        const auto label = [&](const QString &shown) {
            ElidedLabel field(u"Title"_s);
            field.setWords(shown);
            field.resize(width - 80, 30);
            return field.grab().toImage();
        };
        QCOMPARE(label(title), label(same));
    }

    void theRowWithTheFocusHasARing()
    {
        write(conversation("One").all() + conversation("Two").all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 3, Patience);
        QWidget window;
        ConversationListView view(&window);
        QLineEdit other(&window);
        view.setConversations(m_model.get());
        view.setGeometry(0, 0, 264, 300);
        other.setGeometry(0, 320, 100, 24);
        window.resize(264, 360);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const QRgb ring = Theme::instance().color(Role::Focus).rgb();
        const auto hasRing = [&](int row) {
            const QRect place = view.visualRect(m_model->index(row));
            const QImage image = view.viewport()->grab(place).toImage();
            int count = 0;
            for (int x = 8; x < image.width() - 8; ++x) {
                for (int y = 0; y < 5; ++y)
                    count += image.pixel(x, y) == ring ? 1 : 0;
            }
            return count > image.width();
        };
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(m_model->index(1)).center());
        QVERIFY(view.hasFocus());
        QVERIFY(hasRing(1));
        QVERIFY(!hasRing(2));
        QTest::keyClick(&view, Qt::Key_Down);
        QVERIFY(!hasRing(1));
        QVERIFY(hasRing(2));
        other.setFocus();
        QVERIFY(!hasRing(2)); // What is shown stays marked, but keys go elsewhere.
    }

    void timesAreToldInTheirUnit()
    {
        Tests::EventScript idle = conversation("Aged");
        write(idle.all());
        m_source->reload();
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 2, Patience);
        ConversationListView view;
        view.setConversations(m_model.get());
        const qint64 since = m_model->index(1).data(ConversationListModel::StateSinceRole).toLongLong();
        view.delegate()->setNow(since + 12 * 60'000 + 500);
        QCOMPARE(view.delegate()->nextChangeMs(m_model->index(1)), 59'500);
        view.delegate()->setNow(since + 20'400);
        QCOMPARE(view.delegate()->nextChangeMs(m_model->index(1)), 9'600); // In steps of ten seconds.
    }
};

QTEST_MAIN(TestSidebar)
#include "tst_sidebar.moc"
