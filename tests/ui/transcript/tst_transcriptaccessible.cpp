// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "transcriptfixture.h"

#include <QAccessible>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::TranscriptFixture;

class TestTranscriptAccessible : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void rowsAreChildren()
    {
        TranscriptFixture shown;
        shown.script.addTurn(1);
        QVERIFY(shown.show());
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(shown.view.get());
        QVERIFY(list);
        QCOMPARE(list->role(), QAccessible::List);
        QVERIFY(!list->text(QAccessible::Name).isEmpty());
        QVERIFY(list->childCount() >= shown.model->rowCount());
        int shownRows = 0;
        for (int i = 0; i < shown.model->rowCount(); ++i) {
            QAccessibleInterface *row = list->child(i);
            QVERIFY(row && row->isValid());
            QCOMPARE(row->role(), QAccessible::ListItem);
            QCOMPARE(list->indexOfChild(row), i);
            QVERIFY(row->parent() == list);
            QCOMPARE(row->text(QAccessible::Name),
                     shown.model->index(i).data(Qt::AccessibleTextRole).toString());
            if (row->state().invisible)
                continue;
            ++shownRows;
            QVERIFY(!row->text(QAccessible::Name).isEmpty());
            QVERIFY(row->rect().height() > 0);
        }
        QVERIFY(shownRows > 5);
        // Every other child is a named control or a container of them.
        for (int i = shown.model->rowCount(); i < list->childCount(); ++i)
            QVERIFY(list->child(i));
    }

    void rowsSurviveNewOnes()
    {
        TranscriptFixture shown;
        shown.script.addTurn(1);
        QVERIFY(shown.show());
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(shown.view.get());
        QAccessibleInterface *row = list->child(3);
        const QString name = row->text(QAccessible::Name);
        shown.startTurn(2);
        shown.text(u"More."_s);
        shown.live();
        QVERIFY(list->child(3) == row);
        QCOMPARE(row->text(QAccessible::Name), name);
        shown.model->open({});
        QVERIFY(!row->isValid());
        QVERIFY(row->text(QAccessible::Name).isEmpty());
        QVERIFY(row->state().invalid);
    }

    void statesAndActions()
    {
        TranscriptFixture shown;
        shown.script.addTurn(1);
        QVERIFY(shown.show());
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(shown.view.get());
        int call = -1;
        for (int i = 0; i < shown.model->rowCount() && call < 0; ++i) {
            if (shown.model->rowAt(i).kind == TranscriptRow::Kind::Call)
                call = i;
        }
        QAccessibleInterface *row = list->child(call);
        QVERIFY(row->state().expandable && row->state().collapsed && !row->state().busy);
        QAccessibleActionInterface *action = row->actionInterface();
        QVERIFY(action && action->actionNames().contains(QAccessibleActionInterface::toggleAction()));
        action->doAction(QAccessibleActionInterface::toggleAction());
        QVERIFY(row->state().expanded);
        QSignalSpy activated(shown.view.get(), &TranscriptView::callActivated);
        action->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(activated.size(), 1);
        shown.view->setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(row->state().focused, TranscriptFixture::Patience);
        QVERIFY(list->focusChild() == row);
    }

    // An answer that streams is said once, when it is complete.
    void answersAreSaidOnce()
    {
        TranscriptFixture shown;
        QVERIFY(shown.show());
        QSignalSpy said(shown.view.get(), &TranscriptView::answerFinished);
        shown.startTurn(1);
        for (int i = 0; i < 50; ++i) {
            shown.text(u"word "_s);
            shown.live();
        }
        QCOMPARE(said.size(), 0);
        shown.endText();
        shown.live();
        QCOMPARE(said.size(), 1);
        QVERIFY(said.first().first().toString().contains(u"word word"_s));
    }
};

QTEST_MAIN(TestTranscriptAccessible)
#include "tst_transcriptaccessible.moc"
