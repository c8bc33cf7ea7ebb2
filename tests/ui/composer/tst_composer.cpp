// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composer.h"
#include "composer/composeredit.h"
#include "support/testmain.h"

#include <QApplication>
#include <QClipboard>
#include <QInputMethodEvent>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

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

    void theButtonSaysWhatItDoes()
    {
        Composer composer;
        auto *button = composer.findChild<QPushButton *>();
        QVERIFY(button);
        QCOMPARE(button->text(), u"Send"_s);
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
