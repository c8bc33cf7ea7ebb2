// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputpainter.h"
#include "inspector/outputview.h"
#include "support/testmain.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;

QByteArray numbered(int from, int to)
{
    QByteArray out;
    for (int i = from; i <= to; ++i)
        out += "line " + QByteArray::number(i) + "\n";
    return out;
}

struct Shown {
    OutputModel model;
    OutputView view{u"Output"_s};
    qint64 given = 0;

    Shown()
    {
        model.reset([](LineStore::Channel, qint64, qint64, QObject *, const OutputModel::ReadReply &) {});
        view.setModel(&model);
        view.resize(500, 330);
        view.show();
    }
    void add(const QByteArray &bytes)
    {
        model.addPiece(LineStore::Channel::Stdout, given, bytes.size(), bytes);
        given += bytes.size();
        QTRY_VERIFY_WITH_TIMEOUT(model.isSettled(), Patience);
        QCoreApplication::processEvents();
    }
    void wheel(int notches)
    {
        const QPointF at(100, 100);
        QWheelEvent event(at, view.mapToGlobal(at), {}, QPoint(0, notches * 120), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
    }
};

} // namespace

class TestOutputView : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    /// A row is wrapped and scrolled sideways by columns: what stands in them does not depend on what is
    /// before.
    void partsOfRowsStandInTheirColumns_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("from");
        QTest::newRow("letter after ascii") << u"0123456789\u00e4bcdef"_s << 5;
        QTest::newRow("at the letter") << u"0123456789\u00e4bcdef"_s << 10;
        QTest::newRow("after the letter") << u"\u00e4bcdefghijklmnop"_s << 3;
        QTest::newRow("mark before") << u"e\u0301bcdefghijk\u00e4"_s << 1;
        QTest::newRow("all letters") << u"\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc"_s << 4;
        QTest::newRow("ascii") << u"0123456789abcdef"_s << 5;
    }
    void partsOfRowsStandInTheirColumns()
    {
        QFETCH(QString, line);
        QFETCH(int, from);
        const auto painted = [](const QString &text, int column) {
            Shown s;
            s.add(text.toUtf8() + '\n');
            const OutputPainter output;
            QImage image(300, 40, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            if (const LineStore::Row *row = s.model.row(0))
                output.paint(&painter, *row, column, column + 20, QPointF(10, 10), Qt::black);
            return image;
        };
        QString rest = line;
        for (int columns = 0; columns < from; ++columns) {
            rest.remove(0, 1);
            while (!rest.isEmpty() && rest.at(0).isMark())
                rest.remove(0, 1);
        }
        const QImage part = painted(line, from);
        QVERIFY(part != painted(QString(), 0));
        QCOMPARE(part, painted(rest, 0));
    }

    void followsTheEndUntilScrolledAway()
    {
        Shown s;
        QSignalSpy following(&s.view, &OutputView::followingChanged);
        s.add(numbered(1, 100));
        QVERIFY(s.view.isFollowing());
        QCOMPARE(s.view.lastVisibleRow(), 100);
        s.wheel(2);
        QVERIFY(!s.view.isFollowing());
        QCOMPARE(following.size(), 1);
        const OutputPlace top = s.view.top();
        s.add(numbered(101, 500));
        QCOMPARE(s.view.top(), top); // What is read does not move.
        s.view.setFollowing(true);
        QCOMPARE(s.view.lastVisibleRow(), 500);
        s.add(numbered(501, 510));
        QCOMPARE(s.view.lastVisibleRow(), 510);
        s.wheel(1);
        QVERIFY(!s.view.isFollowing());
        QTest::keyClick(&s.view, Qt::Key_End);
        QVERIFY(s.view.isFollowing());
    }

    void whatIsNotSeenIsNotPainted()
    {
        Shown s;
        s.add(numbered(1, 1000));
        QTest::keyClick(&s.view, Qt::Key_Home);
        QTRY_VERIFY_WITH_TIMEOUT(s.view.paintCount() > 0, Patience);
        QCoreApplication::processEvents();
        const qint64 paints = s.view.paintCount();
        s.add(numbered(1001, 1300));
        s.add(numbered(1301, 1400));
        QCOMPARE(s.view.paintCount(), paints);
        s.wheel(-1);
        QTRY_VERIFY_WITH_TIMEOUT(s.view.paintCount() > paints, Patience);
    }

    void wrappedLinesScrollByWhatIsSeen()
    {
        Shown s;
        s.add(QByteArray("short\n") + QByteArray("word ").repeated(400) + "\nlast\n");
        s.view.setWrap(true);
        QVERIFY(s.view.isFollowing());
        QCOMPARE(s.view.lastVisibleRow(), 3);
        QVERIFY(s.view.top().column > 0 || s.view.top().row > 0);
        QTest::keyClick(&s.view, Qt::Key_Home);
        QCOMPARE(s.view.top(), OutputPlace());
        QTest::keyClick(&s.view, Qt::Key_Down);
        QCOMPARE(s.view.top(), (OutputPlace{1, 0}));
        QTest::keyClick(&s.view, Qt::Key_Down);
        QCOMPARE(s.view.top().row, 1);
        QVERIFY(s.view.top().column > 0);
        QTest::keyClick(&s.view, Qt::Key_Up);
        QTest::keyClick(&s.view, Qt::Key_Up);
        QCOMPARE(s.view.top(), OutputPlace());
        QVERIFY(s.view.rowRect(1).height() > 10 * s.view.rowRect(0).height());
        QTest::keyClick(&s.view, Qt::Key_End);
        QCOMPARE(s.view.lastVisibleRow(), 3);
        QTest::keyClick(&s.view, Qt::Key_PageUp);
        QVERIFY(!s.view.isFollowing());
        s.view.resize(900, 330);
        s.view.resize(300, 330);
        QVERIFY(s.view.top().row <= 1);
    }

    void mouseSelectsAndKeysCopy()
    {
        Shown s;
        s.add(numbered(1, 5));
        const auto at = [&](qint64 row, int column) {
            const QRect rect = s.view.rowRect(row);
            for (int x = 0; x < rect.width(); ++x) {
                if (s.view.placeAt(QPoint(x, rect.center().y())).column == column
                    && s.view.placeAt(QPoint(x + 1, rect.center().y())).column == column)
                    return QPoint(x + 1, rect.center().y());
            }
            return QPoint();
        };
        QTest::mousePress(s.view.viewport(), Qt::LeftButton, {}, at(1, 2));
        QTest::mouseMove(s.view.viewport(), at(2, 4));
        QMouseEvent move(QEvent::MouseMove, at(2, 4), s.view.viewport()->mapToGlobal(at(2, 4)), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(s.view.viewport(), &move);
        QTest::mouseRelease(s.view.viewport(), Qt::LeftButton, {}, at(2, 4));
        QVERIFY(s.view.hasSelection());
        QSignalSpy copied(&s.view, &OutputView::copied);
        QTest::keyClick(&s.view, Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(copied.size(), 1, Patience);
        QCOMPARE(QApplication::clipboard()->text(), u"ne 2\nline"_s);

        QTest::mouseDClick(s.view.viewport(), Qt::LeftButton, {}, at(3, 1));
        QTest::keyClick(&s.view, Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(copied.size(), 2, Patience);
        QCOMPARE(QApplication::clipboard()->text(), u"line"_s);

        QTest::keyClick(&s.view, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&s.view, Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(copied.size(), 3, Patience);
        QCOMPARE(QApplication::clipboard()->text(), QString::fromUtf8(numbered(1, 5)));
        QTest::keyClick(&s.view, Qt::Key_Escape);
        QVERIFY(!s.view.hasSelection());
    }

    void keysSelectRows()
    {
        Shown s;
        s.add(numbered(1, 100));
        QTest::keyClick(&s.view, Qt::Key_Home);
        QTest::keyClick(&s.view, Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(&s.view, Qt::Key_Down, Qt::ShiftModifier);
        QSignalSpy copied(&s.view, &OutputView::copied);
        QTest::keyClick(&s.view, Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(copied.size(), 1, Patience);
        QCOMPARE(QApplication::clipboard()->text(), u"line 1\nline 2\n"_s);
    }

    void rowsAreThereForScreenReaders()
    {
        Shown s;
        s.add(numbered(1, 50));
        QTest::keyClick(&s.view, Qt::Key_Home);
        s.model.addPiece(LineStore::Channel::Stderr, 0, 4, "bad\n");
        QTRY_COMPARE_WITH_TIMEOUT(s.model.rowCount(), 51, Patience);
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&s.view);
        QVERIFY(list);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->text(QAccessible::Name), u"Output"_s);
        QVERIFY(list->childCount() > 10);
        QVERIFY(list->childCount() < 40);
        QAccessibleInterface *first = list->child(0);
        QCOMPARE(first->role(), QAccessible::ListItem);
        QCOMPARE(first->text(QAccessible::Name), u"Line 1: line 1"_s);
        QCOMPARE(first->parent(), list);
        QCOMPARE(list->indexOfChild(list->child(3)), 3);
        QVERIFY(!first->rect().isEmpty());
        QCOMPARE(list->childAt(first->rect().center().x(), first->rect().center().y()), first);
        QTest::keyClick(&s.view, Qt::Key_End);
        QString last;
        for (int i = 0; i < list->childCount(); ++i) {
            if (list->child(i)->role() == QAccessible::ListItem)
                last = list->child(i)->text(QAccessible::Name);
        }
        QCOMPARE(last, u"Line 51, stderr: bad"_s);
        QVERIFY(first->state().offscreen);
    }

    void everyStyleAndScriptIsPainted()
    {
        Shown s;
        s.add("\x1b[1;31mbold\x1b[0m \x1b[3;4;9mall\x1b[0m \x1b[7mreverse\x1b[0m \x1b[8mhidden\x1b[0m "
              "\u6f22\u5b57 \u05e9\u05dc\u05d5\u05dd e\u0301 \U0001F600 \xff\x07\n");
        s.add(QByteArray(100'000, 'x') + "\n");
        s.view.selectAll();
        const QImage selected = s.view.grab().toImage();
        s.view.clearSelection();
        QVERIFY(selected != s.view.grab().toImage());
        s.view.setLayoutDirection(Qt::RightToLeft);
        s.view.setWrap(true);
        QVERIFY(!s.view.grab().isNull());
    }
};

QTEST_MAIN(TestOutputView)
#include "tst_outputview.moc"
