// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filename.h"
#include "files/filespane.h"
#include "files/filessession.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "files/linesview.h"
#include "files/previewpane.h"
#include "scriptedfiles.h"
#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/toolbutton.h"

#include <QAccessible>
#include <QClipboard>
#include <QDateTime>
#include <QDragEnterEvent>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Wait = 10000;
const QString Id = u"6a3c8d7e-0000-4000-8000-000000000001"_s;

EventBatch batch(EventKind kind, const QByteArray &payload, qint64 seq, qint64 atMs = 1'500'000)
{
    auto event = std::make_shared<Event>();
    event->conversation = Id;
    event->kind = kind;
    event->payload = payload;
    event->seq = seq;
    event->atMs = atMs;
    return {{event, {}}};
}

/// Answers every question at once and writes down what was asked.
struct Answers {
    QStringList asked;
    QStringList files;
    QString folder;
    QString target;
    QString name;
    bool yes = true;

    [[nodiscard]] FileDialogs dialogs()
    {
        FileDialogs made;
        made.openFiles = [this](QWidget *, const std::function<void(const QStringList &)> &then) {
            asked.append(u"openFiles"_s);
            then(files);
        };
        made.openFolder = [this](QWidget *, const QString &title,
                                 const std::function<void(const QString &)> &then) {
            asked.append(u"openFolder "_s + title);
            then(folder);
        };
        made.saveFile = [this](QWidget *, const QString &suggested,
                               const std::function<void(const QString &)> &then) {
            asked.append(u"saveFile "_s + suggested);
            then(target.isEmpty() ? QString() : QString(target + u'/' + suggested));
        };
        made.confirm = [this](QWidget *, const QString &question, const QString &, const QString &,
                              const std::function<void()> &then) {
            asked.append(u"confirm "_s + question);
            if (yes)
                then();
        };
        made.askName = [this](QWidget *, const QString &, const QString &,
                              const std::function<void(const QString &)> &then) {
            asked.append(u"askName"_s);
            then(name);
        };
        return made;
    }
};

} // namespace

class TestFilesPane : public Tests::Test {
    Q_OBJECT
private:
    std::unique_ptr<Tests::ScriptedFiles> m_files;
    std::unique_ptr<FilesPane> m_pane;
    Answers m_answers;

    void open(const QString &state = u"active"_s)
    {
        m_pane->setConversation(Id, u"local"_s, u"sb-1"_s, state);
    }

    void waitForTree()
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->stateText().isEmpty() && !m_pane->session()->isListing(), Wait);
    }

    [[nodiscard]] FileTreeModel *model() const { return m_pane->session()->model(); }

    void select(const QByteArray &path)
    {
        const QModelIndex index = model()->indexOf(path);
        QVERIFY2(index.isValid(), path.constData());
        m_pane->tree()->select(index);
    }

    [[nodiscard]] QStringList rows(const QByteArray &folder = "/home/user") const
    {
        const QModelIndex parent = folder == model()->root() ? QModelIndex() : model()->indexOf(folder);
        QStringList list;
        for (int i = 0; i < model()->rowCount(parent); ++i)
            list.append(model()->index(i, 0, parent).data().toString());
        return list;
    }

    [[nodiscard]] const FileOperation &lastOperation() const
    {
        return m_pane->operations()->operations().last();
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_answers = {};
        m_files = std::make_unique<Tests::ScriptedFiles>();
        m_files->add("/home/user/README.md", "# Read me\n");
        m_files->add("/home/user/src/main.py", "print(1)\n");
        m_files->add("/home/user/src/deep/x", "x");
        m_files->addFolder("/home/user/node_modules");
        m_pane = std::make_unique<FilesPane>(m_files.get(), nullptr);
        m_pane->setDialogs(m_answers.dialogs());
        m_pane->resize(820, 600);
        m_pane->show();
    }

    void cleanup()
    {
        m_pane.reset();
        m_files.reset();
    }

    void showsTheTreeOfAnActiveMachine()
    {
        QCOMPARE(m_pane->stateText(), u"No machine yet"_s);
        m_pane->setConversation(Id, u"local"_s, {}, {});
        QCOMPARE(m_pane->stateText(), u"No machine yet"_s);
        QVERIFY(m_files->log.isEmpty());
        open();
        waitForTree();
        QCOMPARE(rows(), QStringList({u"node_modules"_s, u"src"_s, u"README.md"_s}));
        // Folders open by the keyboard; what the survey saw needs no more calls.
        m_pane->tree()->setFocus();
        select("/home/user/src");
        const qsizetype calls = m_files->log.size();
        QTest::keyClick(m_pane->tree(), Qt::Key_Right);
        QVERIFY(m_pane->tree()->isExpanded(model()->indexOf("/home/user/src")));
        QCOMPARE(rows("/home/user/src"), QStringList({u"deep"_s, u"main.py"_s}));
        QCOMPARE(m_files->log.size(), calls);
        QTest::keyClick(m_pane->tree(), Qt::Key_Return);
        QVERIFY(!m_pane->tree()->isExpanded(model()->indexOf("/home/user/src")));
    }

    void previewsWhatIsSelected()
    {
        open();
        waitForTree();
        select("/home/user/README.md");
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->preview()->preview().document, Wait);
        QCOMPARE(m_pane->preview()->preview().document->line(0), u"# Read me"_s);
        // It changes on the machine and is shown anew.
        m_files->add("/home/user/README.md", "# Other\n", 1100);
        m_pane->tree()->setFocus();
        QTest::keyClick(m_pane->tree(), Qt::Key_F5);
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->preview()->preview().document->line(0), u"# Other"_s, Wait);
        // It vanishes before it is read.
        m_files->faults["read /home/user/src/main.py"] = Tests::fault(FileFault::Kind::Missing, u"x"_s);
        select("/home/user/src/main.py");
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->preview()->stateText().contains("no longer there"_L1), Wait);
    }

    void neverAsksAPausedMachine()
    {
        open(u"paused"_s);
        QCOMPARE(m_pane->stateText(), u"The machine is paused"_s);
        QSignalSpy wake(m_pane.get(), &FilesPane::wakeRequested);
        QSignalSpy problem(m_pane.get(), &FilesPane::problem);
        Button *button = nullptr;
        for (Button *candidate : m_pane->findChildren<Button *>()) {
            if (candidate->isVisible() && candidate->text() == "Wake"_L1)
                button = candidate;
        }
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(wake.size(), 1);
        m_pane->uploadFiles({u"/tmp/x"_s});
        QCOMPARE(problem.size(), 1);
        QVERIFY(problem.first().first().value<Error>().todo.contains("Wake"_L1));
        m_pane->takeEvents(batch(EventKind::ToolResult, "{\"callId\":\"c\"}", 5));
        QCoreApplication::processEvents();
        QVERIFY2(m_files->log.isEmpty(), qPrintable(m_files->log.join(u'\n')));

        // Awake: listed. Paused again: greyed, kept, and quiet.
        open();
        waitForTree();
        select("/home/user/README.md");
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->preview()->preview().document, Wait);
        m_pane->takeEvents(
            batch(EventKind::SandboxState, "{\"state\":\"paused\",\"sandboxId\":\"sb-1\"}", 6));
        QVERIFY(model()->isStale());
        QCOMPARE(m_pane->stateText(), QString());
        QCOMPARE(rows().size(), 3);
        m_files->log.clear();
        m_pane->tree()->setFocus();
        QTest::keyClick(m_pane->tree(), Qt::Key_F5);
        QTest::keyClick(m_pane->tree(), Qt::Key_Delete);
        m_pane->tree()->expand(model()->indexOf("/home/user/node_modules"));
        select("/home/user/src/main.py");
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->preview()->stateText(), u"The machine is paused"_s, Wait);
        QVERIFY2(m_files->log.isEmpty(), qPrintable(m_files->log.join(u'\n')));
        QVERIFY(m_answers.asked.isEmpty());
    }

    void aMachinePausedBehindOurBackIsFound()
    {
        m_files->faults["list /home/user"] = Tests::fault(FileFault::Kind::NotActive, u"paused"_s);
        m_files->faults["survey /home/user"] = Tests::fault(FileFault::Kind::NotActive, u"paused"_s);
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->stateText(), u"The machine is paused"_s, Wait);
    }

    void marksWhatTheAgentDid()
    {
        QSignalSpy count(m_pane.get(), &FilesPane::changedCountChanged);
        open();
        m_pane->takeEvents(
            batch(EventKind::TurnStart, "{\"turn\":1}", 1, QDateTime::currentMSecsSinceEpoch() - 60000));
        m_files->clock = double(QDateTime::currentMSecsSinceEpoch()) / 1000.0;
        waitForTree();
        const double now = m_files->clock;
        m_files->add("/home/user/src/main.py", "print(2)\n", now);
        m_files->add("/home/user/new.txt", "new", now);
        m_files->erase("/home/user/README.md");
        m_pane->takeEvents(batch(EventKind::ToolResult, "{\"callId\":\"c\"}", 2)); // Looked at by itself.
        QTRY_VERIFY_WITH_TIMEOUT(!count.isEmpty() && count.last().first().toInt() == 3, Wait);
        QCOMPARE(model()->mark(model()->indexOf("/home/user/src/main.py")).letter,
                 FileChanges::Letter::Modified);
        QCOMPARE(model()->mark(model()->indexOf("/home/user/new.txt")).letter, FileChanges::Letter::Added);
        QVERIFY(model()->row(model()->indexOf("/home/user/README.md"))->gone);
        QCOMPARE(model()->changedBelow(model()->indexOf("/home/user/src")), 1);
        QVERIFY(model()
                    ->indexOf("/home/user/src")
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .contains("1 changed"_L1));
    }

    void renamesInPlace()
    {
        m_files->add("/home/user/bad\xFF", "x");
        open();
        waitForTree();
        m_pane->tree()->setFocus();
        select("/home/user/bad\xFF");
        QTest::keyClick(m_pane->tree(), Qt::Key_F2);
        auto *editor = m_pane->tree()->findChild<QLineEdit *>();
        QVERIFY(editor);
        QCOMPARE(editor->text(), u"bad\\x{ff}"_s);
        editor->clear();
        QTest::keyClicks(editor, u"better\\x{fe}"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(model()->indexOf("/home/user/better\xFE").isValid(), Wait);
        QVERIFY(!model()->indexOf("/home/user/bad\xFF").isValid());
        QCOMPARE(lastOperation().state, FileOperation::State::Done);
        // Taken names are told, nothing is replaced.
        m_files->faults["rename /home/user/README.md"] =
            Tests::fault(FileFault::Kind::Exists, u"It is taken."_s);
        select("/home/user/README.md");
        QTest::keyClick(m_pane->tree(), Qt::Key_F2);
        editor = m_pane->tree()->findChild<QLineEdit *>();
        QVERIFY(editor);
        QTest::keyClicks(editor, u"src"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(lastOperation().state, FileOperation::State::Failed, Wait);
        QVERIFY(lastOperation().error->message.contains("It is taken."_L1));
    }

    void deletesAfterAsking()
    {
        open();
        waitForTree();
        m_pane->tree()->setFocus();
        select("/home/user/src");
        m_answers.yes = false;
        QTest::keyClick(m_pane->tree(), Qt::Key_Delete);
        QCOMPARE(m_answers.asked, QStringList{u"confirm Delete ~/src from the machine?"_s});
        QCOMPARE(m_files->count(u"remove"_s), 0);
        m_answers.yes = true;
        QTest::keyClick(m_pane->tree(), Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(!model()->indexOf("/home/user/src").isValid(), Wait);
        QCOMPARE(m_files->count(u"remove"_s), 1);
        // The answer gets lost: that is said, and looked at.
        m_files->faults["remove /home/user/README.md"] =
            Tests::fault(FileFault::Kind::OutcomeUnknown, u"Outcome unknown: the line broke."_s);
        select("/home/user/README.md");
        m_files->log.clear();
        QTest::keyClick(m_pane->tree(), Qt::Key_Delete);
        QTRY_COMPARE_WITH_TIMEOUT(lastOperation().state, FileOperation::State::Failed, Wait);
        QVERIFY(lastOperation().error->message.contains("Outcome unknown"_L1));
        QCOMPARE(m_files->count(u"remove"_s), 1); // Not repeated.
        QTRY_VERIFY_WITH_TIMEOUT(m_files->count(u"list"_s) > 0, Wait);
    }

    void uploadsAndAsksBeforeReplacing()
    {
        open();
        waitForTree();
        m_pane->uploadFiles({u"/tmp/one.txt"_s, u"/tmp/two"_s});
        QTRY_VERIFY_WITH_TIMEOUT(model()->indexOf("/home/user/two").isValid(), Wait);
        QVERIFY(m_answers.asked.isEmpty());
        QCOMPARE(lastOperation().state, FileOperation::State::Done);
        m_answers.yes = false;
        m_pane->uploadFiles({u"/tmp/README.md"_s});
        QCOMPARE(m_answers.asked.size(), 1);
        QVERIFY(m_answers.asked.first().contains("README.md"_L1));
        QCOMPARE(m_files->count(u"upload"_s), 1);
        // Dropped on a folder: into it.
        select("/home/user/src");
        m_pane->uploadFiles({u"/tmp/in"_s});
        QTRY_VERIFY_WITH_TIMEOUT(m_files->log.contains(u"upload /home/user/src /tmp/in"_s), Wait);
    }

    void dropsGoWhereTheyFall()
    {
        open();
        waitForTree();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(u"/tmp/dropped"_s)});
        const QRect row = m_pane->tree()->visualRect(model()->indexOf("/home/user/src"));
        QWidget *area = m_pane->tree()->viewport();
        QDragEnterEvent enter(row.center(), Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(area, &enter);
        QVERIFY(enter.isAccepted());
        QCOMPARE(enter.dropAction(), Qt::CopyAction);
        QDragMoveEvent move(row.center(), Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(area, &move);
        QDropEvent drop(row.center(), Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(area, &drop);
        QCOMPARE(m_files->count(u"upload /home/user/src /tmp/dropped"_s), 1);
        QMimeData remote;
        remote.setUrls({QUrl(u"file://server/share/x"_s), QUrl(u"https://example.com/x"_s)});
        QDragEnterEvent refused(row.center(), Qt::CopyAction, &remote, Qt::LeftButton, {});
        QCoreApplication::sendEvent(area, &refused);
        QVERIFY(!refused.isAccepted() || m_files->count(u"upload"_s) == 1);
    }

    void downloadsShowProgressAndCanBeCancelled()
    {
        open();
        waitForTree();
        m_files->holdTransfers = true;
        m_answers.target = u"/tmp/out"_s;
        select("/home/user/README.md");
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->preview()->preview().document, Wait);
        Q_EMIT m_pane->preview()->downloadWanted("/home/user/README.md");
        QCOMPARE(m_answers.asked, QStringList{u"saveFile README.md"_s});
        QCOMPARE(m_files->log.last(), u"download /home/user/README.md /tmp/out README.md"_s);
        QCOMPARE(lastOperation().state, FileOperation::State::Running);
        m_files->progressTransfer({500, 1000, 0, 1, "README.md"});
        QCOMPARE(lastOperation().part, std::optional<double>(0.5));
        ToolButton *cancel = nullptr;
        for (ToolButton *button : m_pane->findChildren<ToolButton *>()) {
            if (button->isVisible() && button->accessibleName() == "Cancel"_L1)
                cancel = button;
        }
        QVERIFY(cancel);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(lastOperation().state, FileOperation::State::Cancelled, Wait);
        QCOMPARE(m_pane->operations()->running(), 0);
        // Partly: the others are complete, and it is said which are not.
        Q_EMIT m_pane->preview()->downloadWanted("/home/user/README.md");
        TransferSum sum;
        sum.files = 2;
        sum.failed = 1;
        sum.failures = {u"x: it changed while it was read."_s};
        m_files->releaseTransfer(sum);
        QTRY_COMPARE_WITH_TIMEOUT(lastOperation().state, FileOperation::State::Partly, Wait);
        QVERIFY(lastOperation().error->todo.contains("x: it changed"_L1));
    }

    void makesFoldersAndRefusesBadNames()
    {
        open();
        waitForTree();
        QSignalSpy problem(m_pane.get(), &FilesPane::problem);
        ToolButton *button = nullptr;
        for (ToolButton *candidate : m_pane->findChildren<ToolButton *>()) {
            if (candidate->accessibleName() == "New folder"_L1)
                button = candidate;
        }
        QVERIFY(button);
        m_answers.name = u"../x"_s;
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(problem.size(), 1);
        QCOMPARE(m_files->count(u"makeFolder"_s), 0);
        m_answers.name = u"fresh"_s;
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(model()->indexOf("/home/user/fresh").isValid(), Wait);
        QCOMPARE(model()->path(m_pane->tree()->currentIndex()), QByteArray("/home/user/fresh"));
    }

    void copiesPaths()
    {
        open();
        waitForTree();
        m_pane->tree()->setFocus();
        select("/home/user/src/main.py");
        QTest::keyClick(m_pane->tree(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"/home/user/src/main.py"_s);
    }

    void errorsOfTheRootSayWhatToDo()
    {
        m_files->faults["list /home/user"] = Tests::fault(FileFault::Kind::Missing, u"gone"_s);
        m_files->faults["survey /home/user"] = Tests::fault(FileFault::Kind::Missing, u"gone"_s);
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->stateText(), u"There is no folder ~"_s, Wait);
        m_files->faults["list /home/user"] =
            Tests::fault(FileFault::Kind::Other, u"The service is not there."_s);
        m_pane->session()->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->stateText(), u"The service is not there."_s, Wait);
        m_files->faults.clear();
        m_pane->session()->refresh();
        waitForTree();
        QCOMPARE(rows().size(), 3);
    }

    void everyControlHasANameAndARole()
    {
        open();
        waitForTree();
        select("/home/user/README.md");
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->preview()->preview().document, Wait);
        for (QWidget *widget : m_pane->findChildren<QWidget *>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            QAccessibleInterface *iface = QAccessible::queryAccessibleInterface(widget);
            QVERIFY2(iface, widget->metaObject()->className());
            QVERIFY2(iface->role() != QAccessible::NoRole, widget->metaObject()->className());
            QVERIFY2(!iface->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
        }
        QAccessibleInterface *tree = QAccessible::queryAccessibleInterface(m_pane->tree());
        QVERIFY(tree->childCount() > 0);
        QVERIFY(tree->child(tree->childCount() - 1)->text(QAccessible::Name).contains("README.md"_L1));
    }

    void goodAtEveryWidth()
    {
        open();
        waitForTree();
        for (const int width : {900, 520, 519, 360}) {
            m_pane->resize(width, 500);
            QCoreApplication::processEvents(); // The splitter turns on a later turn.
            m_pane->grab();
            QVERIFY(m_pane->minimumSizeHint().width() <= 360);
            const QByteArray sizes = QByteArray::number(width) + ": pane "
                + QByteArray::number(m_pane->width()) + ", tree "
                + QByteArray::number(m_pane->tree()->width());
            QVERIFY2(m_pane->tree()->width() <= width, sizes.constData());
            QVERIFY(m_pane->tree()->width() > 100);
        }
    }
};

QTEST_MAIN(TestFilesPane)
#include "tst_filespane.moc"
