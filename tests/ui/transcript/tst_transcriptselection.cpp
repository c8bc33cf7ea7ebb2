// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "transcriptfixture.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::TranscriptFixture;

namespace {

const QString Answer =
    u"# Head\n\nSome **bold** words and `code`.\n\n- one\n- two\n\n```py\nx = 1\ny = 2\n```\n\nThe end.\n"_s;

bool showAnswer(TranscriptFixture &shown, const QString &text = Answer)
{
    shown.startTurn(1);
    shown.text(text);
    shown.endText();
    return shown.show({600, 700});
}

} // namespace

class TestTranscriptSelection : public Tests::Test {
    Q_OBJECT
private:
    // Where the words stand in the viewport: found by double clicks over the row, like a person would.
    static QPoint find(const TranscriptFixture &shown, const QString &word)
    {
        const int last = shown.model->rowCount() - 1;
        const QRect row = shown.view->rowRect(last);
        for (int y = row.top() + 2; y < row.bottom(); y += 6) {
            for (int x = row.left() + 2; x < row.right(); x += 5) {
                QTest::mouseDClick(shown.view->viewport(), Qt::LeftButton, {}, QPoint(x, y));
                if (shown.view->selectedText() == word)
                    return {x, y};
            }
        }
        return {-1, -1};
    }

private Q_SLOTS:
    void aDoubleClickTakesAWord()
    {
        TranscriptFixture shown;
        QVERIFY(showAnswer(shown));
        for (const QString &word : {u"Head"_s, u"bold"_s, u"code"_s, u"two"_s, u"x"_s, u"end"_s})
            QVERIFY2(find(shown, word).x() >= 0, qPrintable(word));
    }

    void aTripleClickTakesAParagraph()
    {
        TranscriptFixture shown;
        QVERIFY(showAnswer(shown));
        const QPoint at = find(shown, u"words"_s);
        QVERIFY(at.x() >= 0);
        QTest::mousePress(shown.view->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseRelease(shown.view->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(shown.view->selectedText(), u"Some **bold** words and `code`."_s);
    }

    void draggingAcrossBlocksCopiesTheSource()
    {
        TranscriptFixture shown;
        QVERIFY(showAnswer(shown));
        const QPoint from = find(shown, u"words"_s);
        const QPoint to = find(shown, u"end"_s);
        QVERIFY(from.x() >= 0 && to.x() >= 0);
        shown.view->clearSelection();
        QTest::mousePress(shown.view->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(shown.view->viewport(), (from + to) / 2);
        QTest::mouseMove(shown.view->viewport(), to);
        QTest::mouseRelease(shown.view->viewport(), Qt::LeftButton, {}, to);
        const QString text = shown.view->selectedText();
        QVERIFY2(text.contains(u"- one\n- two\n\n```py\nx = 1\ny = 2\n```\n\nThe"_s), qPrintable(text));
        QVERIFY(Answer.contains(text));
        QTest::keyClick(shown.view.get(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), text);
        // Shift and a click take less.
        QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, Qt::ShiftModifier, (from + to) / 2);
        QVERIFY(shown.view->selectedText().size() < text.size());
        QTest::keyClick(shown.view.get(), Qt::Key_Escape);
        QVERIFY(shown.view->selectedText().isEmpty());
    }

    void allOfItCopies()
    {
        TranscriptFixture shown;
        shown.script.addTurn(1);
        shown.startTurn(2);
        shown.text(Answer);
        shown.endText();
        QVERIFY(shown.show());
        QTest::keyClick(shown.view.get(), Qt::Key_A, Qt::ControlModifier);
        const QString text = shown.view->selectedText();
        QVERIFY(text.startsWith(u"Fix the tests\nplease"_s));
        QVERIFY(text.contains(u"pytest -q"_s));
        QVERIFY2(text.contains(Answer.trimmed()), qPrintable(text));
    }

    void selectionStaysWhileTextComes()
    {
        TranscriptFixture shown;
        QVERIFY(shown.show());
        shown.startTurn(1);
        shown.text(u"First words of it.\n\nSecond"_s);
        shown.live();
        const QPoint at = find(shown, u"words"_s);
        QVERIFY(at.x() >= 0);
        for (int i = 0; i < 20; ++i) {
            shown.text(u" and **more**\n"_s);
            shown.live();
            QCOMPARE(shown.view->selectedText(), u"words"_s);
        }
    }

    void copiedTextIsInert()
    {
        TranscriptFixture shown;
        QVERIFY(showAnswer(shown, u"evil \u202Egnp.exe\n"_s));
        QTest::keyClick(shown.view.get(), Qt::Key_A, Qt::ControlModifier);
        QVERIFY(!shown.view->selectedText().contains(QChar(0x202E)));
        QVERIFY(shown.view->selectedText().contains(u"\\u{202e}"_s));
    }

    void linksOpenOnlyWhenClickedAndSafe()
    {
        TranscriptFixture shown;
        QVERIFY(showAnswer(
            shown, u"[safe](https://x.org/a) and [wrong](file:///etc/passwd) and [js](javascript:1)\n"_s));
        QStringList opened;
        shown.view->setLinkOpener([&](const QUrl &url) { opened.append(url.toString()); });
        QSignalSpy hovered(shown.view.get(), &TranscriptView::linkHovered);
        const QRect row = shown.view->rowRect(shown.model->rowCount() - 1);
        QStringList targets;
        for (int x = row.left() + 2; x < row.right(); x += 4) {
            const QPoint at(x, row.top() + 10);
            QTest::mouseMove(shown.view->viewport(), at);
            QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, at);
        }
        for (const QList<QVariant> &one : hovered)
            targets.append(one.first().toString());
        QVERIFY(targets.contains(u"https://x.org/a"_s));
        QVERIFY(!targets.contains(u"file:///etc/passwd"_s)); // It stands in the text, and is no link.
        QVERIFY(!opened.isEmpty());
        QCOMPARE(opened.removeAll(u"https://x.org/a"_s) > 0, true);
        QVERIFY(opened.isEmpty());
    }

    void callsAreActivatedAndUnfold()
    {
        TranscriptFixture shown;
        shown.startTurn(1);
        const QString id = newId();
        shown.call(id, u"ls -la"_s);
        shown.run(id);
        QByteArray printed;
        for (int i = 0; i < 40; ++i)
            printed += "line " + QByteArray::number(i) + "\n";
        shown.output(id, printed);
        shown.result(id, 0, printed.size());
        QVERIFY(shown.show());
        const int place = shown.placeOfCall(id);
        QVERIFY(place >= 0);
        QSignalSpy activated(shown.view.get(), &TranscriptView::callActivated);
        const QRect row = shown.view->rowRect(place);
        QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {},
                          QPoint(row.left() + 120, row.top() + 16));
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.first().at(1).toString(), id);
        shown.view->setActiveCall(id);
        QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {},
                          QPoint(row.right() - 14, row.top() + 16));
        QVERIFY(shown.view->isUnfolded(place));
        // The arguments and twelve lines of output.
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->rowRect(place).height() > row.height() + 12 * 16,
                                 TranscriptFixture::Patience);
        QVERIFY(shown.view->rowRect(place).height() < row.height() + 17 * 16);
        QTest::keyClick(shown.view.get(), Qt::Key_Space);
        QCOMPARE(shown.view->rowRect(place).height(), row.height());
        QTest::keyClick(shown.view.get(), Qt::Key_Return);
        QCOMPARE(activated.size(), 2);
    }

    void aWidgetStandsInAWaitingCallsPlace()
    {
        TranscriptFixture shown;
        for (int turn = 1; turn <= 3; ++turn)
            shown.script.addTurn(turn);
        QVERIFY(shown.show());
        shown.startTurn(4);
        const QString id = newId();
        shown.call(id, u"rm -rf /"_s);
        shown.ask(id);
        shown.live();
        auto *card = new QLabel(u"Allow it?"_s);
        card->setMinimumHeight(90);
        shown.view->setCallWidget(id, card);
        const int place = shown.placeOfCall(id);
        QVERIFY(card->isVisible());
        QCOMPARE(card->geometry().topLeft(), shown.view->rowRect(place).topLeft());
        QCOMPARE(card->width(), shown.view->rowRect(place).width());
        QVERIFY(shown.view->callsOutside().isEmpty());
        shown.bar()->setValue(0);
        QVERIFY(!card->isVisible());
        QCOMPARE(shown.view->callsOutside(), QStringList{id});
        shown.view->showCall(id);
        QVERIFY(card->isVisible());
        // It grows: the row grows with it.
        card->setMinimumHeight(150);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->rowRect(place).height() >= 150, TranscriptFixture::Patience);
        QCOMPARE(card->height(), 150);
        // Answered: the row is a row again.
        shown.allow(id);
        shown.live();
        QVERIFY(!card->isVisible());
        QVERIFY(shown.view->callsOutside().isEmpty());
        shown.view->setCallWidget(id, nullptr);
        delete card;
    }
};

QTEST_MAIN(TestTranscriptSelection)
#include "tst_transcriptselection.moc"
