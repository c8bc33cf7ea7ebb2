// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composer.h"
#include "composer/composeredit.h"
#include "support/testmain.h"
#include "util/ids.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QInputMethodEvent>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestComposer : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void enterSendsAndShiftEnterBreaks()
    {
        Composer composer;
        QSignalSpy sent(&composer, &Composer::submitted);
        composer.show();
        QTest::keyClicks(composer.edit(), u"one"_s);
        QTest::keyClick(composer.edit(), Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClicks(composer.edit(), u"two"_s);
        QVERIFY(sent.isEmpty());
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QCOMPARE(sent.size(), 1);
        QCOMPARE(sent.first().first().toString(), u"one\ntwo"_s);
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        QTest::keyClick(composer.edit(), Qt::Key_Enter, Qt::KeypadModifier);
        QCOMPARE(sent.size(), 1); // Nothing to send.
        QTest::keyClicks(composer.edit(), u"   "_s);
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QCOMPARE(sent.size(), 1);
    }

    void enterEndsACompositionAndSendsNothing()
    {
        Composer composer;
        QSignalSpy sent(&composer, &Composer::submitted);
        composer.show();
        QInputMethodEvent preedit(u"けっさい"_s, {});
        QApplication::sendEvent(composer.edit(), &preedit);
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QVERIFY(sent.isEmpty());
        QInputMethodEvent commit;
        commit.setCommitString(u"決済"_s);
        QApplication::sendEvent(composer.edit(), &commit);
        QCOMPARE(composer.edit()->toPlainText(), u"決済"_s);
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QCOMPARE(sent.size(), 1);
        QCOMPARE(sent.first().first().toString(), u"決済"_s);
    }

    // Candidates of an input method are confirmed and dropped by keys that mean something else here.
    void confirmingACandidateIsNotSending_data()
    {
        QTest::addColumn<QStringList>("preedits");
        QTest::addColumn<QString>("text");
        QTest::newRow("japanese") << QStringList{u"k"_s, u"か"_s, u"かn"_s, u"かん"_s, u"漢字"_s}
                                  << u"漢字"_s;
        QTest::newRow("chinese") << QStringList{u"z"_s, u"zhong"_s, u"zhong wen"_s} << u"中文"_s;
        QTest::newRow("korean") << QStringList{u"ㅎ"_s, u"하"_s, u"한"_s} << u"한"_s;
    }
    void confirmingACandidateIsNotSending()
    {
        QFETCH(QStringList, preedits);
        QFETCH(QString, text);
        QWidget window;
        QVBoxLayout layout(&window);
        Composer composer;
        layout.addWidget(&composer);
        composer.setState(Composer::State::Running);
        int stopped = 0;
        QShortcut stop(QKeySequence(Qt::Key_Escape), &window);
        connect(&stop, &QShortcut::activated, this, [&] { ++stopped; });
        QSignalSpy sent(&composer, &Composer::submitted);
        window.resize(500, 200);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        ComposerEdit *edit = composer.edit();
        edit->setFocus();
        const auto rectangle = [&] { return edit->inputMethodQuery(Qt::ImCursorRectangle).toRect(); };
        const QRect before = rectangle();
        QVERIFY(edit->viewport()->rect().intersects(before));

        // Escape drops the candidate and not the run.
        for (const QString &preedit : preedits) {
            QInputMethodEvent event(preedit,
                                    {{QInputMethodEvent::Cursor, static_cast<int>(preedit.size()), 1, {}}});
            QApplication::sendEvent(edit, &event);
            QVERIFY(edit->toPlainText().isEmpty());
        }
        QVERIFY(edit->isComposing());
        QTest::keyClick(edit, Qt::Key_Escape);
        QCOMPARE(stopped, 0);
        QInputMethodEvent dropped;
        QApplication::sendEvent(edit, &dropped);
        QVERIFY(!edit->isComposing());

        // Enter takes it and sends nothing; the next one sends.
        for (const QString &preedit : preedits) {
            QInputMethodEvent event(preedit,
                                    {{QInputMethodEvent::Cursor, static_cast<int>(preedit.size()), 1, {}}});
            QApplication::sendEvent(edit, &event);
        }
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(sent.isEmpty());
        QInputMethodEvent commit;
        commit.setCommitString(text);
        QApplication::sendEvent(edit, &commit);
        QCOMPARE(edit->toPlainText(), text);
        QVERIFY(sent.isEmpty());
        // The candidate window goes where the cursor is, on the screen that the window is on.
        QVERIFY(rectangle().left() > before.left());
        QVERIFY(edit->viewport()->rect().contains(rectangle().center()));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(sent.size(), 1);
        QCOMPARE(sent.first().first().toString(), text);
        QTest::keyClick(edit, Qt::Key_Escape);
        QCOMPARE(stopped, 1);
    }

    void draftsOutliveTheProgram()
    {
        QTemporaryDir folder;
        const QString drafts = folder.filePath(u"drafts"_s);
        const QString a = newId();
        {
            Composer composer;
            composer.setDraftFolder(drafts);
            composer.edit()->setPlainText(u"for the new one"_s);
            composer.setConversation(a);
            composer.edit()->setPlainText(u"for a"_s);
        }
        {
            Composer composer;
            composer.setDraftFolder(drafts);
            QCOMPARE(composer.edit()->toPlainText(), u"for the new one"_s);
            composer.setConversation(a);
            QCOMPARE(composer.edit()->toPlainText(), u"for a"_s);
            QSignalSpy sent(&composer, &Composer::submitted);
            QTest::keyClick(composer.edit(), Qt::Key_Return);
            QCOMPARE(sent.size(), 1);
            const QString b = newId();
            composer.setConversation({});
            composer.adoptConversation(b);
            QCOMPARE(DraftStore(drafts).load(b), u"for the new one"_s);
            composer.setConversation(a);
            composer.forgetConversation(b);
        }
        Composer composer;
        composer.setDraftFolder(drafts);
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        QCOMPARE(QDir(drafts).entryList(QDir::Files).size(), 0);
    }

    void draftsAreBounded()
    {
        QTemporaryDir folder;
        DraftStore store(folder.filePath(u"drafts"_s));
        QVERIFY(!store.save(u"../evil"_s, u"x"_s));
        QVERIFY(!store.save(newId(), QString(DraftStore::LongestDraft + 1, u'x')));
        for (int i = 0; i < DraftStore::MostDrafts + 5; ++i)
            QVERIFY(store.save(newId(), u"x"_s));
        QCOMPARE(QDir(folder.filePath(u"drafts"_s)).entryList(QDir::Files).size(), DraftStore::MostDrafts);
        QVERIFY(store.load(u"../../etc/passwd"_s).isEmpty());
    }

    void filesGoToTheSandboxAndNotIntoTheText()
    {
        QTemporaryDir folder;
        Composer composer;
        composer.resize(400, 100);
        composer.show();
        QSignalSpy dropped(&composer, &Composer::filesDropped);
        auto *mime = new QMimeData;
        mime->setUrls({QUrl::fromLocalFile(folder.path())});
        mime->setText(folder.path());
        QApplication::clipboard()->setMimeData(mime);
        composer.edit()->paste(); // Nothing can take files: it is text.
        QCOMPARE(composer.edit()->toPlainText(), folder.path());
        QVERIFY(dropped.isEmpty());
        composer.edit()->clear();

        composer.setCanUpload(true);
        composer.edit()->paste();
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        QCOMPARE(dropped.size(), 1);
        QCOMPARE(dropped.first().first().toStringList(), QStringList{folder.path()});
        QMimeData dragged;
        dragged.setUrls({QUrl::fromLocalFile(folder.path())});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&composer, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&composer, &drop);
        QCOMPARE(dropped.size(), 2);
        composer.setAskFiles(
            [](QWidget *, const std::function<void(const QStringList &)> &then) { then({u"/chosen"_s}); });
        auto *attach = composer.findChild<QToolButton *>();
        QVERIFY(attach && attach->isVisible());
        QTest::mouseClick(attach, Qt::LeftButton);
        QCOMPARE(dropped.size(), 3);
    }

    void undoBringsBackWhatWasTyped()
    {
        Composer composer;
        composer.show();
        QTest::keyClicks(composer.edit(), u"one"_s);
        QTest::keyClick(composer.edit(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(composer.edit(), Qt::Key_Delete);
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        QTest::keyClick(composer.edit(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(composer.edit()->toPlainText(), u"one"_s);
    }

    void theButtonSaysWhatItDoes()
    {
        Composer composer;
        auto *button = composer.findChild<QPushButton *>();
        QVERIFY(button);
        QCOMPARE(button->text(), u"Send"_s);
        QVERIFY(!button->isEnabled());
        composer.edit()->setPlainText(u" \n "_s);
        QVERIFY(!button->isEnabled());
        composer.edit()->setPlainText(u"x"_s);
        QVERIFY(button->isEnabled());
        composer.setRunning(true);
        QCOMPARE(button->text(), u"Steer"_s);
        composer.setDisabledReason(u"Reading only"_s);
        QVERIFY(!button->isEnabled());
        QSignalSpy sent(&composer, &Composer::submitted);
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QVERIFY(sent.isEmpty());
    }

    void draftsBelongToConversations()
    {
        Composer composer;
        composer.edit()->setPlainText(u"for the new one"_s);
        composer.setConversation(u"a"_s);
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        composer.edit()->setPlainText(u"for a"_s);
        composer.setConversation({});
        QCOMPARE(composer.edit()->toPlainText(), u"for the new one"_s);
        composer.adoptConversation(u"b"_s);
        composer.setConversation(u"a"_s);
        QCOMPARE(composer.edit()->toPlainText(), u"for a"_s);
        composer.setConversation({});
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        composer.restore(u"b"_s, u"again"_s);
        composer.setConversation(u"b"_s);
        QCOMPARE(composer.edit()->toPlainText(), u"again\nfor the new one"_s);
    }

    void aHugePasteIsRefusedAndExplained()
    {
        Composer composer;
        QSignalSpy problem(&composer, &Composer::problem);
        QApplication::clipboard()->setText(QString(ComposerEdit::LongestPaste + 1, u'x'));
        composer.edit()->paste();
        QCOMPARE(problem.size(), 1);
        QVERIFY(composer.edit()->toPlainText().isEmpty());
        QApplication::clipboard()->setText(u"<b>short</b>"_s);
        composer.edit()->paste();
        QCOMPARE(composer.edit()->toPlainText(), u"<b>short</b>"_s);
    }

    void growsToABound()
    {
        Composer composer;
        composer.resize(400, 600);
        composer.show();
        const int small = composer.edit()->sizeHint().height();
        composer.edit()->setPlainText(u"a\nb\nc\nd\ne\nf"_s);
        const int six = composer.edit()->sizeHint().height();
        QVERIFY(six > small);
        composer.edit()->setPlainText(QString(u"x\n"_s).repeated(100));
        QVERIFY(composer.edit()->sizeHint().height() < six * 3);
    }
};

QTEST_MAIN(TestComposer)
#include "tst_composer.moc"
