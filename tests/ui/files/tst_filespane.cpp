// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/changesfoot.h"
#include "files/filename.h"
#include "files/filespane.h"
#include "files/filessession.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "files/linesview.h"
#include "files/operationstrip.h"
#include "files/previewpane.h"
#include "scriptedfiles.h"
#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/searchfield.h"
#include "theme/controls/toolbutton.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDialog>
#include <QDragEnterEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

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

    template <typename T>
    [[nodiscard]] T *button(const QString &name) const
    {
        for (T *candidate : m_pane->findChildren<T *>()) {
            if (candidate->isVisible() && candidate->accessibleName() == name)
                return candidate;
        }
        return nullptr;
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

    // An empty tree is no invitation where there is no machine to take the files.
    void anEmptyFolderOfAMachineThatIsGone()
    {
        for (const QByteArray &path : m_files->things.keys()) {
            if (path.startsWith("/home/user/"))
                m_files->erase(path);
        }
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->stateText(), u"This folder is empty"_s, Wait);
        open(u"gone"_s);
        QCOMPARE(m_pane->stateText(), u"The machine is gone"_s);
        open(u"paused"_s);
        QCOMPARE(m_pane->stateText(), u"The machine is paused"_s);
    }

    // What the machine says of itself is told to the others.
    void aMachineThatIsGoneIsFound()
    {
        QSignalSpy found(m_pane.get(), &FilesPane::machineFound);
        m_files->faults["list /home/user"] = Tests::fault(FileFault::Kind::MachineGone, u"gone"_s);
        m_files->faults["survey /home/user"] = Tests::fault(FileFault::Kind::MachineGone, u"gone"_s);
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->stateText(), u"The machine is gone"_s, Wait);
        QVERIFY(!found.isEmpty());
        QCOMPARE(found.first(), (QVariantList{Id, u"sb-1"_s, u"gone"_s}));
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

    // A file that the agent made keeps its mark, whatever a person calls it.
    void aRenamedFileKeepsItsMark()
    {
        open();
        const qint64 begun = QDateTime::currentMSecsSinceEpoch() - 60000;
        m_pane->takeEvents(batch(EventKind::TurnStart, "{\"turn\":1}", 1, begun));
        m_files->clock = double(QDateTime::currentMSecsSinceEpoch()) / 1000.0;
        waitForTree();
        m_files->add("/home/user/new.txt", "new", m_files->clock);
        m_pane->takeEvents(batch(EventKind::ToolResult, "{\"callId\":\"c\"}", 2));
        const auto letter = [this](const QByteArray &path) {
            return model()->mark(model()->indexOf(path)).letter;
        };
        QTRY_VERIFY_WITH_TIMEOUT(letter("/home/user/new.txt") == FileChanges::Letter::Added, Wait);
        QSignalSpy count(m_pane.get(), &FilesPane::changedCountChanged);
        m_pane->tree()->setFocus();
        select("/home/user/new.txt");
        QTest::keyClick(m_pane->tree(), Qt::Key_F2);
        auto *editor = m_pane->tree()->findChild<QLineEdit *>();
        QVERIFY(editor);
        editor->clear();
        QTest::keyClicks(editor, u"kept.txt"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(model()->indexOf("/home/user/kept.txt").isValid(), Wait);
        waitForTree();
        QVERIFY(letter("/home/user/kept.txt") == FileChanges::Letter::Added);
        QVERIFY(count.isEmpty() || count.last().first().toInt() == 1);
    }

    // The question before something goes is of the same kind as elsewhere in the window.
    void theRealQuestionHasATitleAndItsOrder()
    {
        bool isSure = false;
        FileDialogs::real().confirm(m_pane.get(), u"Delete ~/<b>x</b> from the machine?"_s,
                                    u"This cannot be undone."_s, u"Delete"_s, [&] { isSure = true; });
        auto *dialog = m_pane->findChild<QDialog *>();
        QVERIFY(dialog);
        QCOMPARE(dialog->windowTitle(), u"Delete"_s);
        QList<QPushButton *> buttons = dialog->findChildren<QPushButton *>();
        std::sort(buttons.begin(), buttons.end(),
                  [](const QPushButton *a, const QPushButton *b) { return a->x() < b->x(); });
        QCOMPARE(buttons.size(), 2);
        QCOMPARE(buttons.first()->text(), u"Cancel"_s);
        QTest::keyClick(dialog->focusWidget(), Qt::Key_Return); // On Cancel.
        QVERIFY(!isSure);
        const QPointer<QDialog> first(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(!first, Wait);
        FileDialogs::real().confirm(m_pane.get(), u"Delete?"_s, {}, u"Delete"_s, [&] { isSure = true; });
        dialog = m_pane->findChild<QDialog *>();
        QVERIFY(dialog);
        for (QPushButton *press : dialog->findChildren<QPushButton *>()) {
            if (press->text() == "Delete"_L1)
                QTest::mouseClick(press, Qt::LeftButton);
        }
        QVERIFY(isSure);
    }

    void successesAreOneLineAndErrorsStay()
    {
        open();
        waitForTree();
        const QString other = u"a name that is rather long for a narrow column, and longer still.txt"_s;
        const FileOperations::Target target{m_files.get(), m_pane->session()->place(), Id};
        m_files->faults["makeFolder /home/user/bad"] =
            Tests::fault(FileFault::Kind::Exists, u"It went wrong."_s);
        m_pane->operations()->makeFolder(target, "/home/user/bad");
        for (const char *path : {"/home/user/one", "/home/user/two", "/home/user/three", "/home/user/four"})
            m_pane->operations()->makeFolder(target, path);
        m_pane->operations()->makeFolder(target, "/home/user/" + other.toUtf8());
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->operations()->running(), 0, Wait);
        // One row of what was done, and the error, which is the oldest.
        QStringList notices;
        const auto *strip = m_pane->findChild<OperationStrip *>();
        for (const QLabel *label : strip->findChildren<QLabel *>()) {
            if (label->isVisible() && !label->text().isEmpty())
                notices.append(label->text());
        }
        QCOMPARE(notices.size(), 2);
        QVERIFY2(notices.contains(QString(u"Made the folder \""_s + other + u'"')),
                 qPrintable(notices.join(u'\n')));
        QVERIFY(notices.filter(u"It went wrong."_s).size() == 1);
        auto *all = button<QPushButton>(u"5 done"_s);
        QVERIFY(all);
        QVERIFY(all->toolTip().contains(u"three"_s));
        all->setFocus();
        QTest::keyClick(all, Qt::Key_Space);
        bool isListed = false;
        for (const QLabel *label : strip->findChildren<QLabel *>())
            isListed = isListed || (label->isVisible() && label->text().contains(u"\"one\""_s));
        QVERIFY(isListed);
        // The words take a second line instead of losing their middle.
        for (const QLabel *label : strip->findChildren<QLabel *>()) {
            if (label->isVisible() && label->text().contains(other) && !label->text().contains(u'\n'))
                QVERIFY(label->height() >= 2 * label->fontMetrics().height());
        }
        // All that was done goes at once; the error stays until it is dismissed itself.
        auto *dismiss = button<ToolButton>(u"Dismiss what is done"_s);
        QVERIFY(dismiss);
        QTest::mouseClick(dismiss, Qt::LeftButton);
        QCOMPARE(m_pane->operations()->operations().size(), 1);
        dismiss = button<ToolButton>(u"Dismiss"_s);
        QVERIFY(dismiss);
        QTest::mouseClick(dismiss, Qt::LeftButton);
        QVERIFY(m_pane->operations()->operations().isEmpty());
        QVERIFY(!strip->isVisible());
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

    /// Where the row goes that is selected: its neighbour, with the keyboard.
    void aRowThatGoesHandsOnItsPlace_data()
    {
        QTest::addColumn<QByteArray>("gone");
        QTest::addColumn<QByteArray>("next");
        QTest::newRow("in the middle") << QByteArray("/home/user/src/b") << QByteArray("/home/user/src/c");
        QTest::newRow("last of a folder") << QByteArray("/home/user/src/c") << QByteArray("/home/user/src/b");
        QTest::newRow("only one of a folder")
            << QByteArray("/home/user/src/deep/x") << QByteArray("/home/user/src/deep");
        QTest::newRow("a folder") << QByteArray("/home/user/src/deep") << QByteArray("/home/user/src/a");
        QTest::newRow("last of all") << QByteArray("/home/user/z") << QByteArray("/home/user/README.md");
    }

    void aRowThatGoesHandsOnItsPlace()
    {
        QFETCH(QByteArray, gone);
        QFETCH(QByteArray, next);
        for (const char *name : {"a", "b", "c"})
            m_files->add(QByteArray("/home/user/src/") + name, "x");
        m_files->erase("/home/user/src/main.py");
        m_files->add("/home/user/z", "x");
        open();
        waitForTree();
        m_pane->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_pane.get()));
        for (const bool byKey : {true, false}) {
            m_pane->tree()->setFocus();
            m_pane->tree()->expand(model()->indexOf("/home/user/src"));
            m_pane->tree()->expand(model()->indexOf("/home/user/src/deep"));
            select(gone);
            if (byKey) {
                QTest::keyClick(m_pane->tree(), Qt::Key_Delete);
            } else { // By the agent, or by anybody.
                m_files->erase(gone);
                QTest::keyClick(m_pane->tree(), Qt::Key_F5);
            }
            QTRY_VERIFY_WITH_TIMEOUT(!model()->indexOf(gone).isValid(), Wait);
            waitForTree();
            QCOMPARE(model()->path(m_pane->tree()->currentIndex()), next);
            QVERIFY(m_pane->tree()->selectionModel()->isSelected(m_pane->tree()->currentIndex()));
            QCOMPARE(m_pane->tree()->selectionModel()->selectedIndexes().size(), 1);
            QVERIFY(m_pane->tree()->hasFocus());
            if (byKey) { // Once more, from the start.
                if (gone == "/home/user/src/deep" || gone == "/home/user/src/deep/x")
                    m_files->add("/home/user/src/deep/x", "x");
                else
                    m_files->add(gone, "x");
                QTest::keyClick(m_pane->tree(), Qt::Key_F5);
                QTRY_VERIFY_WITH_TIMEOUT(model()->indexOf(gone).isValid(), Wait);
                waitForTree();
            }
        }
    }

    void severalThatGoLeaveOneSelected()
    {
        for (const char *name : {"a", "b", "c", "d"})
            m_files->add(QByteArray("/home/user/") + name, "x");
        open();
        waitForTree();
        m_pane->tree()->setFocus();
        select("/home/user/a");
        QTest::keyClick(m_pane->tree(), Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(m_pane->tree(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(m_pane->tree()->selectedEntries().size(), 3);
        QTest::keyClick(m_pane->tree(), Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(!model()->indexOf("/home/user/c").isValid(), Wait);
        QCOMPARE(model()->path(m_pane->tree()->currentIndex()), QByteArray("/home/user/d"));
        QCOMPARE(m_pane->tree()->selectedEntries().size(), 1);
        QVERIFY(m_pane->tree()->hasFocus());
    }

    void theRowsThatCameAreSelected()
    {
        open();
        waitForTree();
        m_pane->tree()->setFocus();
        select("/home/user/src/main.py");
        QTest::keyClick(m_pane->tree(), Qt::Key_F2);
        auto *editor = m_pane->tree()->findChild<QLineEdit *>();
        QVERIFY(editor);
        editor->clear();
        QTest::keyClicks(editor, u"aaa.py"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(model()->path(m_pane->tree()->currentIndex()),
                                  QByteArray("/home/user/src/aaa.py"), Wait);
        QCOMPARE(m_pane->tree()->selectedEntries().size(), 1);
        QVERIFY(m_pane->tree()->hasFocus());
        m_pane->uploadFiles({u"/tmp/one.txt"_s, u"/tmp/two"_s}); // Beside the file that is selected.
        QTRY_COMPARE_WITH_TIMEOUT(model()->path(m_pane->tree()->currentIndex()),
                                  QByteArray("/home/user/src/one.txt"), Wait);
        // What is looked at again stays where it was.
        QTest::keyClick(m_pane->tree(), Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_pane->session()->isListing(), Wait);
        waitForTree();
        QCOMPARE(model()->path(m_pane->tree()->currentIndex()), QByteArray("/home/user/src/one.txt"));
        QVERIFY(m_pane->tree()->hasFocus());
        // The folder above shows the one it was left for.
        ToolButton *up = button<ToolButton>(u"Show the folder above"_s);
        QVERIFY(up);
        QTest::mouseClick(up, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(model()->path(m_pane->tree()->currentIndex()), QByteArray("/home/user"),
                                  Wait);
    }

    void noticesBelongToTheirConversation()
    {
        open();
        waitForTree();
        m_files->holdTransfers = true;
        m_answers.target = u"/tmp/out"_s;
        Q_EMIT m_pane->preview()->downloadWanted("/home/user/README.md");
        QVERIFY(button<ToolButton>(u"Cancel"_s));
        const QString other = u"6a3c8d7e-0000-4000-8000-000000000002"_s;
        m_pane->setConversation(other, u"local"_s, u"sb-2"_s, u"active"_s);
        waitForTree();
        QVERIFY(!button<ToolButton>(u"Cancel"_s));
        QCOMPARE(m_pane->operations()->running(), 1); // It goes on.
        m_pane->operations()->makeFolder({m_files.get(), m_pane->session()->place(), other},
                                         "/home/user/other");
        QTRY_VERIFY_WITH_TIMEOUT(button<ToolButton>(u"Dismiss what is done"_s), Wait);
        open();
        QVERIFY(!button<ToolButton>(u"Dismiss what is done"_s));
        QTRY_VERIFY_WITH_TIMEOUT(button<ToolButton>(u"Cancel"_s), Wait);
        TransferSum sum;
        sum.files = 1;
        m_pane->setConversation(other, u"local"_s, u"sb-2"_s, u"active"_s);
        m_files->releaseTransfer(sum);
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->operations()->running(), 0, Wait);
        open(); // What became of it is told where it was begun.
        QTRY_VERIFY_WITH_TIMEOUT(button<ToolButton>(u"Dismiss what is done"_s), Wait);
        QVERIFY(m_pane->operations()->operations().first().words.contains("Downloaded"_L1));
        // Of each some of the last are kept.
        for (int i = 0; i < 30; ++i)
            m_pane->operations()->makeFolder({m_files.get(), m_pane->session()->place(), other},
                                             "/home/user/n" + QByteArray::number(i));
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->operations()->running(), 0, Wait);
        QCOMPARE(m_pane->operations()->operations().size(), 9);
        QCOMPARE(m_pane->operations()->operations().first().conversation, Id);
    }

    void aDismissedNoticeHandsOnTheKeyboard()
    {
        open();
        waitForTree();
        for (const char *path : {"/home/user/one", "/home/user/two"}) {
            m_files->faults[QByteArray("makeFolder ") + path] =
                Tests::fault(FileFault::Kind::Exists, u"It is taken."_s);
            m_pane->operations()->makeFolder({m_files.get(), m_pane->session()->place(), Id}, path);
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_pane->operations()->running(), 0, Wait);
        waitForTree();
        for (int left = 2; left > 0; --left) {
            auto *dismiss = button<ToolButton>(u"Dismiss"_s);
            QVERIFY(dismiss);
            dismiss->setFocus();
            QTest::keyClick(dismiss, Qt::Key_Space);
            const QWidget *now = m_pane->focusWidget();
            QVERIFY(now);
            if (left > 1)
                QCOMPARE(now->accessibleName(), u"Dismiss"_s);
            else
                QCOMPARE(now, m_pane->tree());
        }
    }

    void theFootSaysOnlyWhatIsKnown()
    {
        auto *foot = m_pane->findChild<ChangesFoot *>();
        QVERIFY(foot);
        QVERIFY(!foot->isVisible());
        m_pane->setConversation(Id, u"local"_s, {}, {}); // No machine yet.
        QVERIFY(!foot->isVisible());
        open(u"paused"_s); // Never looked at.
        QVERIFY(!foot->isVisible());
        open();
        waitForTree();
        QVERIFY(!foot->isVisible()); // Nothing has begun.
        m_pane->takeEvents(
            batch(EventKind::TurnStart, "{\"turn\":1}", 1, QDateTime::currentMSecsSinceEpoch() - 60000));
        QVERIFY(foot->isVisible());
        QCOMPARE(foot->text(), u"No changes"_s);
        m_pane->takeEvents(
            batch(EventKind::SandboxState, "{\"state\":\"paused\",\"sandboxId\":\"sb-1\"}", 2));
        QVERIFY(foot->isVisible()); // As it was seen.
        m_pane->takeEvents(
            batch(EventKind::SandboxState, "{\"state\":\"deleted\",\"sandboxId\":\"sb-1\"}", 3));
        QVERIFY(!foot->isVisible());
    }

    void filtersWhatIsThere()
    {
        m_files->add("/home/user/src/deep/Match-one.txt", "x");
        m_files->add("/home/user/docs/match-two.txt", "x");
        m_files->add("/home/user/docs/other.txt", "x");
        open();
        waitForTree();
        auto *field = m_pane->findChild<SearchField *>();
        QVERIFY(field);
        FileTreeView *tree = m_pane->tree();
        tree->setFocus();
        select("/home/user/README.md");
        const auto isShown = [&](const QByteArray &path) {
            const QModelIndex index = model()->indexOf(path);
            return index.isValid() && !tree->visualRect(index).isEmpty();
        };
        m_files->log.clear();
        field->setFocus();
        QTest::keyClicks(field, u"MATCH"_s);
        QTRY_VERIFY_WITH_TIMEOUT(isShown("/home/user/src/deep/Match-one.txt"), Wait);
        QVERIFY(isShown("/home/user/docs/match-two.txt"));
        QVERIFY(!isShown("/home/user/docs/other.txt"));
        QVERIFY(!isShown("/home/user/README.md"));
        QVERIFY(tree->selectedEntries().isEmpty()); // Not seen, not deleted.
        const auto words = [&] {
            for (const QLabel *label : m_pane->findChildren<QLabel *>()) {
                if (label->accessibleName() == "What the filter shows"_L1)
                    return label->isVisible() ? label->text() : QString();
            }
            return u"no label"_s;
        };
        // node_modules was not entered by the survey.
        QCOMPARE(words(), u"2 matches among 10; folders that were not opened are not searched"_s);
        QVERIFY2(m_files->log.isEmpty(), qPrintable(m_files->log.join(u'\n')));
        QTest::keyClick(field, Qt::Key_Down);
        QVERIFY(tree->hasFocus());
        QVERIFY(isShown(model()->path(tree->currentIndex())));
        // What comes while it is on is filtered, too.
        m_files->add("/home/user/docs/a.txt", "x");
        m_files->add("/home/user/docs/match-three.txt", "x");
        QTest::keyClick(tree, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(isShown("/home/user/docs/match-three.txt"), Wait);
        QTRY_VERIFY_WITH_TIMEOUT(!isShown("/home/user/docs/a.txt"), Wait);
        waitForTree();
        // What is made is seen, whatever the filter.
        m_pane->operations()->makeFolder({m_files.get(), m_pane->session()->place(), Id}, "/home/user/new");
        QTRY_VERIFY_WITH_TIMEOUT(isShown("/home/user/new"), Wait);
        QVERIFY(field->text().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(isShown("/home/user/README.md"), Wait);
        QVERIFY(words().isEmpty());
        field->setFocus();
        QTest::keyClicks(field, u"xyzzy"_s);
        QTRY_VERIFY_WITH_TIMEOUT(words().startsWith("0 matches among "_L1), Wait);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(field->text().isEmpty());
        QVERIFY(isShown("/home/user/README.md"));
        QVERIFY(!tree->isExpanded(model()->indexOf("/home/user/docs"))); // As it was before.
    }

    void filteringWakesNoMachine()
    {
        open();
        waitForTree();
        m_pane->takeEvents(
            batch(EventKind::SandboxState, "{\"state\":\"paused\",\"sandboxId\":\"sb-1\"}", 2));
        m_files->log.clear();
        QSignalSpy wake(m_pane.get(), &FilesPane::wakeRequested);
        auto *field = m_pane->findChild<SearchField *>();
        field->setFocus();
        QTest::keyClicks(field, u"main"_s);
        QTRY_VERIFY_WITH_TIMEOUT(
            !m_pane->tree()->visualRect(model()->indexOf("/home/user/src/main.py")).isEmpty(), Wait);
        QVERIFY2(m_files->log.isEmpty(), qPrintable(m_files->log.join(u'\n')));
        QVERIFY(wake.isEmpty());
        // Another conversation is not filtered.
        m_pane->setConversation(u"6a3c8d7e-0000-4000-8000-000000000002"_s, u"local"_s, u"sb-2"_s,
                                u"active"_s);
        QVERIFY(field->text().isEmpty());
    }

    /// Controls that go when they are pressed, or soon after.
    void theKeyboardIsNeverLost()
    {
        open();
        waitForTree();
        m_pane->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_pane.get()));
        auto *up = button<ToolButton>(u"Show the folder above"_s);
        up->setFocus();
        while (up->isEnabled()) {
            QTest::keyClick(up, Qt::Key_Space);
            waitForTree();
        }
        QCOMPARE(QApplication::focusWidget(), m_pane->tree());
        m_pane->takeEvents(
            batch(EventKind::SandboxState, "{\"state\":\"paused\",\"sandboxId\":\"sb-1\"}", 2));
        auto *wake = button<Button>(u"Wake the machine"_s);
        QVERIFY(wake);
        wake->setFocus();
        QTest::keyClick(wake, Qt::Key_Space);
        QCOMPARE(QApplication::focusWidget(), wake);
        m_pane->takeEvents(
            batch(EventKind::SandboxState, "{\"state\":\"resuming\",\"sandboxId\":\"sb-1\"}", 3));
        QCOMPARE(QApplication::focusWidget(), m_pane->tree());
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
