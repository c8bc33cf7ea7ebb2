// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// The whole of a long conversation by scroll bar and keys, though only a part of it is ever held.

#include "support/testmain.h"
#include "transcriptfixture.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;
constexpr int Turns = 400;

// Turns of very different heights, each with its number in it.
void addTurns(Tests::TranscriptFixture &shown, int turns)
{
    shown.script.addCreated();
    for (int turn = 1; turn <= turns; ++turn) {
        shown.startTurn(turn);
        const QString words =
            turn % 7 == 0 ? u"A long answer. "_s.repeated(120) : u"A short one. "_s.repeated(turn % 5);
        shown.text(u"Turn %1 says: "_s.arg(turn) + words);
        shown.endText();
        if (turn % 3 == 0) {
            const QString id = newId();
            shown.call(id, u"make check-%1"_s.arg(turn));
            shown.run(id);
            shown.result(id, 0, 0);
        }
        shown.script.add(EventKind::TurnFinish,
                         "{\"turn\":" + QByteArray::number(turn)
                             + ",\"reason\":\"finished\",\"text\":\"\",\"steps\":1,\"usage\":{},"
                               "\"costNanos\":1}");
    }
}

// The first row in view that has a text, and where its top is.
std::pair<int, int> firstText(const Tests::TranscriptFixture &shown)
{
    for (int i = 0; i < shown.model->rowCount(); ++i) {
        const QRect rect = shown.view->rowRect(i);
        if (rect.top() >= 0 && rect.top() < shown.view->viewport()->height() && shown.model->isHere(i)
            && shown.model->rowAt(i).kind == TranscriptRow::Kind::Text)
            return {i, rect.top()};
    }
    return {-1, 0};
}

QPoint handle(const QScrollBar *bar)
{
    QStyleOptionSlider option;
    option.initFrom(bar);
    option.orientation = Qt::Vertical;
    option.minimum = bar->minimum();
    option.maximum = bar->maximum();
    option.sliderPosition = bar->sliderPosition();
    option.sliderValue = bar->value();
    option.singleStep = bar->singleStep();
    option.pageStep = bar->pageStep();
    option.upsideDown = false;
    option.state |= QStyle::State_Enabled;
    return bar->style()
        ->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, bar)
        .center();
}

void move(QWidget *widget, const QPoint &to)
{
    QMouseEvent event(QEvent::MouseMove, to, widget->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(widget, &event);
}

} // namespace

class TestTranscriptScroll : public Tests::Test {
    Q_OBJECT
private:
    static bool isRead(const Tests::TranscriptFixture &shown)
    {
        return QTest::qWaitFor([&] { return !shown.view->isWaitingForRows(); }, Patience);
    }

private Q_SLOTS:
    // The bar tells from the start how much there is.
    void theRangeIsHonestFromTheStart()
    {
        Tests::TranscriptFixture shown;
        addTurns(shown, Turns);
        QVERIFY(shown.show());
        QVERIFY(shown.model->rowCount() > 1200);
        QVERIFY(!shown.model->isHere(0));
        const int early = shown.bar()->maximum();
        for (int step = 0; step <= 200; ++step) { // Until every row has been in view.
            shown.bar()->setValue(static_cast<int>(qint64(shown.bar()->maximum()) * step / 200));
            QVERIFY(isRead(shown));
        }
        const int late = shown.bar()->maximum();
        QVERIFY2(early > late * 0.7 && early < late * 1.4,
                 qPrintable(u"%1 at first, %2 in truth"_s.arg(early).arg(late)));
    }

    void theHandleDragsToTheMiddle()
    {
        Tests::TranscriptFixture shown;
        addTurns(shown, Turns);
        QVERIFY(shown.show());
        QScrollBar *bar = shown.bar();
        const int height = bar->height();
        QPoint at = handle(bar);
        QTest::mousePress(bar, Qt::LeftButton, {}, at);
        QVERIFY(bar->isSliderDown());
        while (at.y() > height / 2) {
            at.ry() -= 20;
            move(bar, at);
        }
        QVERIFY(!shown.view->isFollowing());
        QVERIFY(isRead(shown));
        QVERIFY(!shown.model->isHere(0));
        // The handle is where the pointer is, though heights have become known.
        QVERIFY(std::abs(handle(bar).y() - at.y()) <= 2);
        const int middle = firstText(shown).first;
        QVERIFY(middle > shown.model->rowCount() / 4);
        QVERIFY(middle < shown.model->rowCount() * 3 / 4);
        QTest::mouseRelease(bar, Qt::LeftButton, {}, at);
        QCOMPARE(firstText(shown).first, middle);

        // And to the top.
        at = handle(bar);
        QTest::mousePress(bar, Qt::LeftButton, {}, at);
        move(bar, {at.x(), -50});
        QVERIFY(isRead(shown));
        QTest::mouseRelease(bar, Qt::LeftButton, {}, {at.x(), -50});
        QCOMPARE(bar->value(), 0);
        QVERIFY(shown.view->rowRect(0).top() >= 0);
    }

    void whatIsReadDoesNotMoveWhenRowsBecomeKnown()
    {
        Tests::TranscriptFixture shown;
        addTurns(shown, Turns);
        QVERIFY(shown.show());
        // To the edge of what is here: rows above come while one reads.
        int edge = shown.model->rowCount() - 1;
        while (shown.model->isHere(edge - 1))
            --edge;
        while (!shown.model->isHere(edge) || shown.model->rowAt(edge).kind != TranscriptRow::Kind::Text)
            ++edge;
        shown.view->setCurrentPlace(edge);
        QVERIFY(shown.view->isWaitingForRows() || !shown.model->isHere(edge - 10));
        const auto [place, top] = firstText(shown);
        QVERIFY(place >= 0);
        const QImage before = shown.picture({0, top, 400, shown.view->viewport()->height() - top});
        QVERIFY(isRead(shown));
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->isHere(edge - 10), Patience);
        QCOMPARE(shown.view->rowRect(place).top(), top);
        QCOMPARE(shown.picture({0, top, 400, shown.view->viewport()->height() - top}), before);

        // The same when all is far: a place is taken by estimate, and stays once something is read there.
        shown.bar()->setValue(shown.bar()->maximum() / 3);
        QVERIFY(isRead(shown));
        const auto [there, y] = firstText(shown);
        QTRY_VERIFY_WITH_TIMEOUT(shown.model->areHere(there - 30, there + 30), Patience);
        QCOMPARE(shown.view->rowRect(there).top(), y);
    }

    void homeAndPageUpReachTheStart_data()
    {
        QTest::addColumn<Qt::KeyboardModifiers>("modifiers");
        QTest::newRow("Home") << Qt::KeyboardModifiers(Qt::NoModifier);
        QTest::newRow("Ctrl+Home") << Qt::KeyboardModifiers(Qt::ControlModifier);
    }
    void homeAndPageUpReachTheStart()
    {
        QFETCH(Qt::KeyboardModifiers, modifiers);
        Tests::TranscriptFixture shown;
        addTurns(shown, 120);
        QVERIFY(shown.show());
        shown.view->setFocus();
        QTest::keyClick(shown.view.get(), Qt::Key_Home, modifiers);
        QVERIFY(!shown.view->isFollowing());
        QVERIFY(isRead(shown));
        QCOMPARE(shown.bar()->value(), 0);
        QVERIFY(shown.view->rowRect(0).top() >= 0);
        QVERIFY(shown.view->rowRect(0).top() < 50);
        QTest::keyClick(shown.view.get(), Qt::Key_End, modifiers);
        QVERIFY(shown.view->isFollowing());
        QVERIFY(isRead(shown));
        QCOMPARE(shown.bar()->value(), shown.bar()->maximum());
        const int last = shown.model->rowCount() - 1;
        QVERIFY(shown.view->rowRect(last).bottom() <= shown.view->viewport()->height());

        // Page by page nothing is left out: what was the first line stays in view.
        int pages = 0;
        while (shown.bar()->value() > 0 && ++pages < 500) {
            const auto [place, top] = firstText(shown);
            QTest::keyClick(shown.view.get(), Qt::Key_PageUp);
            if (place >= 0 && shown.bar()->value() > 0)
                QVERIFY(shown.view->rowRect(place).top() > top);
            QVERIFY(isRead(shown));
        }
        QVERIFY(pages > 10);
        QCOMPARE(shown.bar()->value(), 0);
        QVERIFY(shown.view->rowRect(0).top() >= 0);
    }

    void allIsCopiedAlsoWhatIsFar()
    {
        Tests::TranscriptFixture shown;
        addTurns(shown, Turns);
        QVERIFY(shown.show());
        shown.view->setFocus();
        QGuiApplication::clipboard()->clear();
        QTest::keyClick(shown.view.get(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(shown.view.get(), Qt::Key_C, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!QGuiApplication::clipboard()->text().isEmpty(), Patience);
        const QString text = QGuiApplication::clipboard()->text();
        qsizetype at = -1;
        for (int turn = 1; turn <= Turns; ++turn) {
            const qsizetype next = text.indexOf(u"Turn %1 says: "_s.arg(turn));
            QVERIFY2(next > at, qPrintable(u"turn %1"_s.arg(turn)));
            at = next;
        }
        QCOMPARE(text.count(u"make check-"_s), Turns / 3);
        QVERIFY(!shown.model->isHere(0)); // It was not kept for that.
    }

    // What goes on at the end meanwhile, and reading anew, leave the reader where he is.
    void eventsAndReadingAnewLeaveThePlace()
    {
        Tests::TranscriptFixture shown;
        addTurns(shown, Turns);
        QVERIFY(shown.show());
        shown.bar()->setValue(shown.bar()->maximum() / 2);
        QVERIFY(isRead(shown));
        const auto [place, top] = firstText(shown);
        const QImage before = shown.picture();
        shown.startTurn(Turns + 1);
        shown.text(u"New words."_s);
        QVERIFY(shown.liveAndStored());
        QCOMPARE(shown.view->rowRect(place).top(), top);
        QSignalSpy reset(shown.model.get(), &QAbstractItemModel::modelReset);
        shown.model->reread();
        QTRY_VERIFY_WITH_TIMEOUT(!reset.isEmpty(), Patience);
        QVERIFY(!shown.view->isWaitingForRows()); // Closed rows are not read again.
        QCOMPARE(shown.view->rowRect(place).top(), top);
        QCOMPARE(shown.picture(), before);
    }
};

QTEST_MAIN(TestTranscriptScroll)
#include "tst_transcriptscroll.moc"
