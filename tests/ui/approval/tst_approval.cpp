// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalbar.h"
#include "approval/approvalcard.h"
#include "approval/approvaltext.h"
#include "approval/pendingcalls.h"
#include "core/store/eventscript.h"
#include "support/testmain.h"

#include <QAccessible>
#include <QApplication>
#include <QDateTime>
#include <QInputMethodEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

Json json(const QByteArray &text) { return parseJson(text).value_or(Json()); }

PendingCall call(const QByteArray &args, const QString &id = newId())
{
    PendingCall out;
    out.conversation = newId();
    out.callId = id;
    out.toolName = u"bash"_s;
    out.args = json(args);
    return out;
}

struct Answered {
    QString callId;
    Answer answer;
};

QPlainTextEdit *editField(QWidget *card)
{
    for (QPlainTextEdit *field : card->findChildren<QPlainTextEdit *>()) {
        if (field->isVisibleTo(card) && !field->isReadOnly())
            return field;
    }
    return nullptr;
}

bool says(const QWidget *card, const QString &text)
{
    for (const QLabel *label : card->findChildren<QLabel *>()) {
        if (label->isVisibleTo(card) && label->text().contains(text))
            return true;
    }
    return false;
}

QPushButton *button(QWidget *parent, const QString &text)
{
    for (QPushButton *candidate : parent->findChildren<QPushButton *>()) {
        if (candidate->text() == text)
            return candidate;
    }
    return nullptr;
}

} // namespace

class TestApproval : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    // The ring tells where letters go: after a click they go to the message, after a reason to the next card.
    void theRingIsWhereLettersGo()
    {
        ApprovalCard card(call("{\"command\":\"ls\"}"));
        card.resize(500, card.sizeHint().height());
        card.show();
        card.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&card));
        if (QWidget *focused = QApplication::focusWidget())
            focused->clearFocus();
        const QImage without = card.grab().toImage();
        card.takeFocus(true);
        QVERIFY(card.hasFocus());
        QCOMPARE(card.grab().toImage(), without);
        card.takeFocus(false);
        QVERIFY(card.grab().toImage() != without);
        QVERIFY(!card.isUsedByMouse());

        QTest::mouseClick(button(&card, u"Deny…"_s), Qt::LeftButton);
        auto *reason = card.findChild<QLineEdit *>();
        QVERIFY(reason && reason->hasFocus());
        QTest::keyClicks(reason, u"no"_s);
        QTest::keyClick(reason, Qt::Key_Return);
        QVERIFY(card.isAnswered());
        QVERIFY(!card.isUsedByMouse());
    }

    // Words, keys and ages stand whole beside or below each other.
    void nothingIsCutWhereItIsNarrow_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<Qt::Key>("key");
        for (const int width : {280, 320, 352, 420, 700}) {
            QTest::addRow("asks %d", width) << width << Qt::Key_unknown;
            QTest::addRow("edits %d", width) << width << Qt::Key_E;
            QTest::addRow("denies %d", width) << width << Qt::Key_D;
        }
    }
    void nothingIsCutWhereItIsNarrow()
    {
        QFETCH(int, width);
        QFETCH(Qt::Key, key);
        PendingCall asked =
            call("{\"path\":\"/home/user/project/src/webhooks/handlers.py\",\"content\":\"a\"}");
        asked.toolName = u"writeFile"_s;
        asked.askedMs = QDateTime::currentMSecsSinceEpoch() - 75'000;
        ApprovalCard card(asked);
        card.setPosition(2, 3);
        card.setContext({true, u"example.org"_s});
        card.resize(width, card.heightForWidth(width));
        card.show();
        QVERIFY(QTest::qWaitForWindowActive(&card));
        card.setFocus();
        if (key != Qt::Key_unknown)
            QTest::keyClick(&card, key);
        QCOMPARE(editField(&card) != nullptr, key == Qt::Key_E);
        card.resize(width, card.heightForWidth(width));
        QCoreApplication::processEvents();
        card.resize(width, card.heightForWidth(width));
        QCOMPARE(card.width(), width); // It asks for no more.
        QList<QWidget *> whole;
        for (QLabel *label : card.findChildren<QLabel *>()) {
            if (label->isVisibleTo(&card) && !label->wordWrap())
                whole.append(label);
        }
        for (QPushButton *button : card.findChildren<QPushButton *>()) {
            if (button->isVisibleTo(&card))
                whole.append(button);
        }
        QVERIFY(whole.size() >= 7);
        for (const QPlainTextEdit *field : card.findChildren<QPlainTextEdit *>())
            QVERIFY(!field->isVisibleTo(&card) || !field->verticalScrollBar()->isVisible());
        QList<QRect> places;
        for (const QWidget *widget : std::as_const(whole)) {
            const QRect place(widget->mapTo(&card, QPoint(0, 0)), widget->size());
            const QByteArray told =
                QString(widget->accessibleName() + u' ' + QString::number(place.x()) + u','
                        + QString::number(place.y()) + u' ' + QString::number(place.width()) + u" wants "
                        + QString::number(widget->sizeHint().width()))
                    .toUtf8();
            QVERIFY2(place.width() >= widget->sizeHint().width(), told.constData());
            QVERIFY2(card.rect().contains(place), told.constData());
            for (const QRect &other : std::as_const(places))
                QVERIFY2(!other.intersects(place), told.constData());
            places.append(place);
        }
        if (const QString folder = qEnvironmentVariable("PH_PICTURES"); !folder.isEmpty())
            QVERIFY(card.grab().save(folder + u"/approval-"_s
                                     + QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'-')
                                     + u".png"_s));
    }

    void theWholeCommandIsShown()
    {
        const QString command = u"echo "_s + QString(50'000, u'a') + u" && rm -rf /tail"_s;
        Json args = Json::object();
        args.set(u"command"_s, Json::string(command));
        args.set(u"timeout"_s, Json::number(qint64(9)));
        ApprovalText text = approvalText(args);
        QCOMPARE(text.shown.remove(u'\n'), command);
        QCOMPARE(text.further, u"timeout: 9"_s);
        QVERIFY(text.isCommand);
        QVERIFY(!text.hasHidden);
        text = approvalText(json("{\"path\":\"/a\",\"content\":\"x\\ny\"}"));
        QCOMPARE(text.shown, u"path: /a\ncontent:\nx\ny"_s);
        QVERIFY(!text.isCommand);
    }

    // A command that fits ten lines needs no scrolling at any width.
    void theCommandIsSeenWholeAtEveryWidth()
    {
        ApprovalBar bar;
        bar.setCalls({call("{\"command\":\"mkdir -p /home/user/bin && cp /home/user/roman/roman.sh "
                           "/home/user/bin/roman && chmod 755 "
                           "/home/user/bin/roman\"}")});
        bar.resize(800, 320);
        bar.show();
        auto *text = bar.cards().first()->findChild<QPlainTextEdit *>();
        for (const int width : {800, 420, 300, 600, 1200}) {
            bar.resize(width, 320);
            QTRY_COMPARE_WITH_TIMEOUT(text->verticalScrollBar()->maximum(), 0, 5000);
            QCoreApplication::processEvents();
            QCOMPARE(text->verticalScrollBar()->maximum(), 0);
        }
    }

    void whatDoesNotShowIsWrittenOut()
    {
        const ApprovalText text = approvalText(json("{\"command\":\"echo \\u202eexe.txt\\u0007\"}"));
        QVERIFY(text.hasHidden);
        QVERIFY(!text.shown.contains(QChar(0x202E)));
        QVERIFY(!text.editable.contains(QChar(0x202E)));
        QVERIFY(text.shown.contains(u"202E"_s, Qt::CaseInsensitive));
    }

    void edits_data()
    {
        QTest::addColumn<QByteArray>("args");
        QTest::addColumn<QString>("edited");
        QTest::addColumn<QByteArray>("result"); // Empty: refused.
        QTest::newRow("the command in its place")
            << QByteArray("{\"a\":1,\"command\":\"x\",\"b\":2}") << u"y \"z\""_s
            << QByteArray("{\"a\":1,\"command\":\"y \\\"z\\\"\",\"b\":2}");
        QTest::newRow("json") << QByteArray("{\"path\":\"/a\"}") << u"{\"path\": \"/b\", \"n\": 1.50}"_s
                              << QByteArray("{\"path\":\"/b\",\"n\":1.50}");
        QTest::newRow("nothing") << QByteArray("{\"command\":\"x\"}") << u" \n"_s << QByteArray();
        QTest::newRow("no json") << QByteArray("{\"path\":\"/a\"}") << u"{"_s << QByteArray();
        QTest::newRow("no object") << QByteArray("{\"path\":\"/a\"}") << u"[1]"_s << QByteArray();
        QTest::newRow("twice") << QByteArray("{\"path\":\"/a\"}") << u"{\"a\":1,\"a\":2}"_s << QByteArray();
    }
    void edits()
    {
        QFETCH(QByteArray, args);
        QFETCH(QString, edited);
        QFETCH(QByteArray, result);
        const auto out = editedArguments(json(args), edited);
        QCOMPARE(out.has_value(), !result.isEmpty());
        if (out)
            QCOMPARE(*out, result);
        else
            QVERIFY(!out.error().isEmpty());
    }

    void enterAloneNeverAllows()
    {
        ApprovalBar bar;
        QList<Answered> answers;
        connect(&bar, &ApprovalBar::answered, this,
                [&](const QString &, const QString &id, const Answer &answer) {
                    answers.append({id, answer});
                });
        bar.setCalls({call("{\"command\":\"make\"}")});
        bar.show();
        ApprovalCard *card = bar.cards().first();
        for (QWidget *widget : card->findChildren<QWidget *>()) {
            if (!widget->isVisibleTo(card))
                continue;
            QTest::keyClick(widget, Qt::Key_Return);
            QTest::keyClick(widget, Qt::Key_Enter);
        }
        QTest::keyClick(card, Qt::Key_Return);
        QVERIFY(answers.isEmpty());
    }

    void buttonsAndFieldsAnswer()
    {
        ApprovalBar bar;
        QList<Answered> answers;
        connect(&bar, &ApprovalBar::answered, this,
                [&](const QString &, const QString &id, const Answer &answer) {
                    answers.append({id, answer});
                });
        const PendingCall one = call("{\"command\":\"make\"}");
        const PendingCall two = call("{\"command\":\"make two\"}");
        const PendingCall three = call("{\"command\":\"make three\"}");
        bar.setCalls({one, two, three});
        bar.resize(500, 600);
        bar.show();
        QCOMPARE(bar.cards().size(), 3);

        QTest::mouseClick(button(bar.cards()[0], u"Allow once"_s), Qt::LeftButton);
        QCOMPARE(answers.size(), 1);
        QCOMPARE(answers[0].callId, one.callId);
        QCOMPARE(answers[0].answer.kind, Answer::Kind::Approve);
        QVERIFY(!button(bar.cards()[0], u"Allow once"_s)->isEnabled()); // Not twice.
        bar.answerFailed(one.callId);
        QVERIFY(button(bar.cards()[0], u"Allow once"_s)->isEnabled());

        QTest::mouseClick(button(bar.cards()[1], u"Deny…"_s), Qt::LeftButton);
        QCOMPARE(answers.size(), 1);
        auto *reason = bar.cards()[1]->findChild<QLineEdit *>();
        QTest::keyClicks(reason, u"not on main"_s);
        bar.setCalls({two, three}); // What is being written stays.
        QCOMPARE(reason->text(), u"not on main"_s);
        QTest::keyClick(reason, Qt::Key_Return);
        QCOMPARE(answers.size(), 2);
        QCOMPARE(answers[1].answer.kind, Answer::Kind::Deny);
        QCOMPARE(answers[1].answer.reason, u"not on main"_s);

        ApprovalCard *third = bar.cards()[1];
        QTest::mouseClick(button(third, u"Edit and run"_s), Qt::LeftButton);
        QPlainTextEdit *edit = editField(third);
        QVERIFY(edit);
        QCOMPARE(edit->toPlainText(), u"make three"_s);
        QTest::keyClicks(edit, u" -n"_s);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(answers.size(), 3);
        QCOMPARE(answers[2].answer.kind, Answer::Kind::Edit);
        QCOMPARE(answers[2].answer.args, QByteArray("{\"command\":\"make three -n\"}"));
    }

    void lettersActOnlyOnTheCardItself()
    {
        ApprovalBar bar;
        QList<Answered> answers;
        connect(&bar, &ApprovalBar::answered, this,
                [&](const QString &, const QString &id, const Answer &answer) {
                    answers.append({id, answer});
                });
        bar.setCalls({call("{\"command\":\"make\"}")});
        bar.resize(500, 300);
        bar.show();
        QVERIFY(QTest::qWaitForWindowActive(&bar));
        ApprovalCard *card = bar.cards().first();
        auto *text = card->findChild<QPlainTextEdit *>();
        text->setFocus();
        QTest::keyClick(text, Qt::Key_A);
        QVERIFY(answers.isEmpty());
        card->setFocus();
        QTest::keyClick(card, Qt::Key_D);
        auto *reason = card->findChild<QLineEdit *>();
        QVERIFY(reason->isVisible());
        QTest::keyClicks(reason, u"a"_s);
        QVERIFY(answers.isEmpty());
        QTest::keyClick(reason, Qt::Key_Escape);
        QVERIFY(!reason->isVisible());
        QTest::keyClick(card, Qt::Key_A);
        QCOMPARE(answers.size(), 1);
    }

    void editingShowsBothAndWhatChanged()
    {
        ApprovalCard card(call("{\"command\":\"git push --force-with-lease origin\"}"));
        QList<Answered> answers;
        connect(&card, &ApprovalCard::answered, this,
                [&](const QString &, const QString &id, const Answer &answer) {
                    answers.append({id, answer});
                });
        card.resize(600, 300);
        card.show();
        QVERIFY(QTest::qWaitForWindowActive(&card));
        card.setFocus();
        QTest::keyClick(&card, Qt::Key_E);
        QPlainTextEdit *edit = editField(&card);
        QVERIFY(edit);
        QVERIFY(says(&card, u"The model proposed"_s));
        QVERIFY(says(&card, u"You will run instead"_s));
        QVERIFY(says(&card, u"Asked because"_s));
        edit->setPlainText(u"git push --dry-run origin"_s);
        QPlainTextEdit *proposed = nullptr;
        for (QPlainTextEdit *field : card.findChildren<QPlainTextEdit *>()) {
            if (field != edit)
                proposed = field;
        }
        QVERIFY(proposed && proposed->isVisible());
        QCOMPARE(proposed->extraSelections().size(), 1);
        QCOMPARE(proposed->extraSelections().first().cursor.selectedText(), u"--force-with-lease"_s);
        QVERIFY(proposed->extraSelections().first().format.fontStrikeOut());
        QCOMPARE(edit->extraSelections().size(), 1);
        QCOMPARE(edit->extraSelections().first().cursor.selectedText(), u"--dry-run"_s);
        QVERIFY(edit->extraSelections().first().format.fontUnderline());

        // A letter is text here; Enter is a line; only keys with a modifier act.
        QTest::keyClick(edit, Qt::Key_A);
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(answers.isEmpty());
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
        QVERIFY(answers.isEmpty());
        QTest::keyClick(&card, Qt::Key_E);
        QVERIFY(edit->toPlainText().contains(u"--dry-run"_s)); // Going back lost nothing.
        QTest::keyClick(edit, Qt::Key_D, Qt::AltModifier);
        QVERIFY(card.findChild<QLineEdit *>()->isVisible());
        QTest::keyClick(card.findChild<QLineEdit *>(), Qt::Key_Escape);
        QTest::keyClick(&card, Qt::Key_E);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(answers.size(), 1);
        QCOMPARE(answers[0].answer.kind, Answer::Kind::Edit);
        QTest::keyClick(&card, Qt::Key_A); // Answered once.
        QCOMPARE(answers.size(), 1);
        QVERIFY(says(&card, u"answer sent"_s));
    }

    void composingInAFieldRunsNothing()
    {
        ApprovalCard card(call("{\"command\":\"echo\"}"));
        int answers = 0;
        connect(&card, &ApprovalCard::answered, this, [&] { ++answers; });
        card.resize(600, 300);
        card.show();
        card.setDraft({ApprovalDraft::Kind::Edit, u"echo "_s});
        QPlainTextEdit *edit = editField(&card);
        QInputMethodEvent preedit(u"けっさい"_s, {});
        QApplication::sendEvent(edit, &preedit);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(edit->isVisible());
        QCOMPARE(answers, 0);
    }

    void theCardSaysWhatIsKnown()
    {
        PendingCall waiting = call("{\"command\":\"make\"}");
        waiting.rule = u"this conversation asks before every call"_s;
        waiting.askedMs = QDateTime::currentMSecsSinceEpoch() - 12 * 60'000;
        ApprovalBar bar;
        bar.setCalls({waiting});
        bar.resize(500, 300);
        bar.show();
        const ApprovalCard *card = bar.cards().first();
        QVERIFY(says(card, u"12m"_s));
        QVERIFY(says(card, u"this conversation asks before every call"_s));
        QVERIFY(!says(card, u"costs nothing"_s));
        QVERIFY(says(card, u"Can reach"_s));
        QVERIFY(says(card, u"not known yet"_s));
        // What is learned later moves no button away from under the pointer.
        const auto *allow = button(bar.cards().first(), u"Allow once"_s);
        QCoreApplication::processEvents();
        const QPoint place = allow->mapTo(&bar, QPoint(0, 0));
        bar.setContext({true, u"no network"_s});
        QCoreApplication::processEvents();
        QCOMPARE(allow->mapTo(&bar, QPoint(0, 0)), place);
        bar.setContext({true, u"<b>nothing</b>"_s});
        QVERIFY(says(card, u"machine paused, costs nothing"_s));
        QVERIFY(says(card, u"<b>nothing</b>"_s));
        bar.setCalls({waiting, call("{\"path\":\"/a\"}")});
        QVERIFY(says(card, u"1 of 2"_s));
        QVERIFY(says(bar.cards()[1], u"costs nothing"_s));
        QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(bar.cards().first());
        QVERIFY(interface->text(QAccessible::Name).contains(u"bash: make (1 of 2)"_s));
    }

    // Where the transcript shows the same card, none is needed above the composer.
    void aCardThatIsSeenElsewhereIsHidden()
    {
        ApprovalBar bar;
        const PendingCall one = call("{\"command\":\"one\"}");
        const PendingCall two = call("{\"command\":\"two\"}");
        bar.setCalls({one, two});
        bar.show();
        bar.setSeenElsewhere({one.callId});
        QVERIFY(!bar.cards()[0]->isVisibleTo(&bar));
        QVERIFY(bar.cards()[1]->isVisibleTo(&bar));
        bar.setSeenElsewhere({one.callId, two.callId});
        QVERIFY(bar.isHidden());
        bar.setSeenElsewhere({});
        QVERIFY(!bar.isHidden());
        // The other card goes on with what was begun in this one.
        bar.cards()[0]->setDraft({ApprovalDraft::Kind::Deny, u"because"_s});
        ApprovalCard other(one);
        other.setDraft(bar.cards()[0]->draft());
        QCOMPARE(other.draft().text, u"because"_s);
        QCOMPARE(other.draft().kind, ApprovalDraft::Kind::Deny);
    }

    // The letters stand on the buttons, so they work there as well.
    void lettersWorkOnTheButtonsOfACard()
    {
        ApprovalCard card(call("{\"command\":\"make\"}"));
        card.show();
        QVERIFY(QTest::qWaitForWindowActive(&card));
        for (QAbstractButton *button : card.findChildren<QAbstractButton *>()) {
            if (!button->isVisible())
                continue;
            button->setFocus();
            QTest::keyClick(button, Qt::Key_D);
            QCOMPARE(card.draft().kind, ApprovalDraft::Kind::Deny);
            QTest::keyClick(&card, Qt::Key_Escape);
            QCOMPARE(card.draft().kind, ApprovalDraft::Kind::None);
        }
    }

    // Two cards of one call: the one that is used leads, the other goes along and leaves the focus.
    void aCardThatFollowsTakesNoFocus()
    {
        ApprovalCard used(call("{\"command\":\"make\"}"));
        ApprovalCard other(call("{\"command\":\"make\"}"));
        connect(&used, &ApprovalCard::draftChanged, &other, [&] { other.setDraft(used.draft()); });
        used.show();
        QVERIFY(QTest::qWaitForWindowActive(&used));
        used.setFocus();
        QTest::keyClick(&used, Qt::Key_D);
        QCOMPARE(other.draft().kind, ApprovalDraft::Kind::Deny);
        QVERIFY(!other.focusWidget());
        QTest::keyClick(&used, Qt::Key_Escape);
        QCOMPARE(other.draft().kind, ApprovalDraft::Kind::None);
        QVERIFY(!other.focusWidget());
    }

    void aHugeCommandDoesNotBlock()
    {
        ApprovalBar bar;
        Json args = Json::object();
        args.set(u"path"_s, Json::string(u"/a"_s));
        args.set(u"content"_s, Json::string(QString(2'000'000, u'x')));
        PendingCall huge = call("{}");
        huge.args = args;
        QElapsedTimer timer;
        timer.start();
        bar.setCalls({huge});
        bar.resize(500, 300);
        bar.show();
        bar.grab();
        qInfo("2 MB shown in %lld ms", timer.elapsed());
        QVERIFY(timer.elapsed() < 1500);
        QVERIFY(!button(bar.cards().first(), u"Edit and run"_s)->isEnabled());
    }

    void pendingCallsFollowTheLog()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        PendingCalls pending;
        QSignalSpy changed(&pending, &PendingCalls::changed);
        QList<qsizetype> counts;
        for (const EventDelivery &delivery : script.all()) {
            pending.takeEvents({delivery});
            const qsizetype count = pending.of(script.conversation()).size();
            if (counts.isEmpty() || counts.last() != count)
                counts.append(count);
            if (count == 2)
                QCOMPARE(pending.of(script.conversation()).first().args[u"command"].toString(),
                         u"pytest -q"_s);
        }
        QCOMPARE(counts, (QList<qsizetype>{0, 1, 2, 1, 0}));
        QCOMPARE(changed.size(), 4);
        QCOMPARE(pending.of(newId()).size(), 0);
    }
};

QTEST_MAIN(TestApproval)
#include "tst_approval.moc"
