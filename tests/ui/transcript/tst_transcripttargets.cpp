// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// Links and buttons in rows, by keys and for screen readers.

#include "support/testmain.h"
#include "transcriptfixture.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QVBoxLayout>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::TranscriptFixture;

class TestTranscriptTargets : public Tests::Test {
    Q_OBJECT
private:
    static bool prepare(TranscriptFixture &shown, QSize size = {640, 480})
    {
        shown.startTurn(1);
        shown.text(
            u"See [the docs](https://docs.example/a) and [this](javascript:alert(1)) or [it](file:///x).\n\n"
            u"![chart](http://127.0.0.1:9/x.png)\n\n"
            u"```py\nx = 1\n```\n\n"
            u"| a | b |\n|---|---|\n| [cell](https://cell.example/) | c |\n"_s);
        shown.endText();
        return shown.show(size);
    }
    static int textPlace(const TranscriptFixture &shown)
    {
        for (int i = 0; i < shown.model->rowCount(); ++i) {
            if (shown.model->rowAt(i).kind == TranscriptRow::Kind::Text)
                return i;
        }
        return -1;
    }

private Q_SLOTS:
    void keysWalkTheRow()
    {
        TranscriptFixture shown;
        QVERIFY(prepare(shown));
        TranscriptView *view = shown.view.get();
        QStringList opened;
        QStringList hovered;
        QStringList asked;
        view->setLinkOpener([&](const QUrl &url) { opened += url.toString(); });
        connect(view, &TranscriptView::linkHovered, this, [&](const QString &link) { hovered += link; });
        TranscriptImages::Sources sources;
        sources.remote = [&](const QUrl &url, qint64, QObject *, const TranscriptImages::Reply &reply) {
            asked += url.toString();
            reply(fail(Error{ErrorKind::Sandbox, u"refused"_s, {}, {}}));
        };
        view->images()->setSources(sources);
        view->setFocus();
        const int place = textPlace(shown);
        view->setCurrentPlace(place);
        QCOMPARE(view->currentTarget(), -1);
        const QList<SegmentTarget> targets = view->targetsOf(place);
        QStringList names;
        for (const SegmentTarget &target : targets)
            names += target.name;
        QCOMPARE(names,
                 (QStringList{u"the docs"_s, u"Load once: 127.0.0.1"_s, u"Copy this code"_s, u"cell"_s}));
        const QImage row = shown.picture();

        QTest::keyClick(view, Qt::Key_Left); // Nowhere to go.
        QCOMPARE(view->currentTarget(), -1);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(view->currentTarget(), 0);
        QCOMPARE(hovered, QStringList{u"https://docs.example/a"_s});
        QVERIFY(shown.picture() != row); // The ring is on the link.
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(opened, QStringList{u"https://docs.example/a"_s});
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(view->currentTarget(), 1);
        QVERIFY(asked.isEmpty());
        QTest::keyClick(view, Qt::Key_Space);
        QCOMPARE(asked, QStringList{u"http://127.0.0.1:9/x.png"_s});
        QTest::keyClick(view, Qt::Key_Right);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(QGuiApplication::clipboard()->text().trimmed(), u"x = 1"_s);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(view->currentTarget(), 3);
        QTest::keyClick(view, Qt::Key_Right); // The last one stays.
        QCOMPARE(view->currentTarget(), 3);
        QTest::keyClick(view, Qt::Key_Enter);
        QCOMPARE(opened.last(), u"https://cell.example/"_s);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(view, Qt::Key_Left);
        QCOMPARE(view->currentTarget(), 0);
        QTest::keyClick(view, Qt::Key_Left); // Back on the row.
        QCOMPARE(view->currentTarget(), -1);
        QCOMPARE(hovered.last(), QString());
        QCOMPARE(opened.size(), 2); // No script and no file among them.

        QTest::keyClick(view, Qt::Key_Right);
        QTest::keyClick(view, Qt::Key_Escape);
        QCOMPARE(view->currentTarget(), -1);
        QTest::keyClick(view, Qt::Key_Right);
        QTest::keyClick(view, Qt::Key_Up); // Another row: nothing of the old one is pressed.
        QCOMPARE(view->currentTarget(), -1);
    }

    // The pointer paints a code block's button; the keyboard does too.
    void theCopyButtonIsSeenByKeys()
    {
        TranscriptFixture shown;
        QVERIFY(prepare(shown));
        TranscriptView *view = shown.view.get();
        view->setFocus();
        const int place = textPlace(shown);
        view->setCurrentPlace(place);
        const QList<SegmentTarget> targets = view->targetsOf(place); // Nothing can load the picture.
        QCOMPARE(targets.at(1).name, u"Copy this code"_s);
        const QRect inside = targets.at(1).rect.adjusted(3, 3, -3, -3);
        const QImage empty = shown.picture(inside);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(shown.picture(inside), empty);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(view->currentTarget(), 1);
        QVERIFY(shown.picture(inside) != empty);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(shown.picture(inside), empty);
    }

    // A script is no link for the pointer either.
    void scriptsAreText()
    {
        TranscriptFixture shown;
        shown.startTurn(1);
        shown.text(u"[press here](javascript:alert(1)) [and here](vbscript:x) [and here](/home/user/x)\n"_s);
        shown.endText();
        QVERIFY(shown.show());
        int opened = 0;
        shown.view->setLinkOpener([&](const QUrl &) { ++opened; });
        const int place = textPlace(shown);
        const QRect row = shown.view->rowRect(place);
        for (int x = row.left() + 2; x < row.right(); x += 8) {
            QTest::mouseMove(shown.view->viewport(), QPoint(x, row.top() + 8));
            QVERIFY(shown.view->viewport()->cursor().shape() != Qt::PointingHandCursor);
            QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, QPoint(x, row.top() + 8));
        }
        QCOMPARE(opened, 0);
        QVERIFY(shown.view->targetsOf(place).isEmpty());
    }

    // Tab leaves the view wherever keys are in it.
    void tabLeaves()
    {
        TranscriptFixture shown;
        QVERIFY(prepare(shown));
        QWidget window;
        auto *layout = new QVBoxLayout(&window);
        QPushButton before;
        QPushButton after;
        layout->addWidget(&before);
        layout->addWidget(shown.view.get());
        layout->addWidget(&after);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        shown.view->setFocus();
        shown.view->setCurrentPlace(textPlace(shown));
        QTest::keyClick(shown.view.get(), Qt::Key_Right);
        QCOMPARE(shown.view->currentTarget(), 0);
        QTest::keyClick(shown.view.get(), Qt::Key_Tab);
        QVERIFY(!shown.view->hasFocus());
        shown.view->setFocus();
        QTest::keyClick(shown.view.get(), Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY(before.hasFocus());
        layout->removeWidget(shown.view.get());
        shown.view->setParent(nullptr);
    }

    // What is far down in a long row comes into view.
    void farTargetsComeIntoView()
    {
        TranscriptFixture shown;
        shown.startTurn(1);
        shown.text(QString(u"[first](https://first.example/)\n\n" + u"Words of no use.\n\n"_s.repeated(200)
                           + u"[last](https://last.example/)\n\n" + u"More.\n\n"_s.repeated(50)));
        shown.endText();
        QVERIFY(shown.show());
        shown.view->setFocus();
        shown.bar()->setValue(0);
        shown.view->setCurrentPlace(textPlace(shown));
        QTest::keyClick(shown.view.get(), Qt::Key_Right);
        QTest::keyClick(shown.view.get(), Qt::Key_Right);
        const QList<SegmentTarget> seen = shown.view->targetsOf(textPlace(shown));
        QCOMPARE(seen.size(), 1);
        QCOMPARE(seen.first().name, u"last"_s);
        QVERIFY(shown.view->viewport()->rect().contains(seen.first().rect));
        QCOMPARE(shown.view->currentTarget(), 0);
        QVERIFY(shown.view->layoutCount() < 300);
    }

    void screenReadersFindThem()
    {
        TranscriptFixture shown;
        QVERIFY(prepare(shown));
        QStringList opened;
        shown.view->setLinkOpener([&](const QUrl &url) { opened += url.toString(); });
        const int place = textPlace(shown);
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(shown.view.get());
        QAccessibleInterface *row = list->child(place);
        QCOMPARE(row->childCount(), 3); // Nothing loads the picture here.
        QAccessibleInterface *link = row->child(0);
        QVERIFY(link && link->isValid());
        QCOMPARE(link->role(), QAccessible::Link);
        QCOMPARE(link->text(QAccessible::Name), u"the docs"_s);
        QCOMPARE(link->text(QAccessible::Description), u"https://docs.example/a"_s);
        QVERIFY(link->parent() == row);
        QCOMPARE(row->indexOfChild(link), 0);
        QVERIFY(row->child(0) == link);
        QVERIFY(row->rect().contains(link->rect()));
        QVERIFY(row->childAt(link->rect().center().x(), link->rect().center().y()) == link);
        QAccessibleInterface *copy = row->child(1);
        QCOMPARE(copy->role(), QAccessible::Button);
        QCOMPARE(copy->text(QAccessible::Name), u"Copy this code"_s);
        QVERIFY(!row->child(3));

        shown.view->setFocus();
        shown.view->setCurrentPlace(place);
        QTest::keyClick(shown.view.get(), Qt::Key_Right);
        QVERIFY(link->state().focused);
        QVERIFY(list->focusChild() == link);
        QVERIFY(!copy->state().focused);
        copy->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(QGuiApplication::clipboard()->text().trimmed(), u"x = 1"_s);
        link->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(opened, QStringList{u"https://docs.example/a"_s});
        shown.model->open({});
        QVERIFY(!link->isValid());
        QVERIFY(link->text(QAccessible::Name).isEmpty());
    }
};

QTEST_MAIN(TestTranscriptTargets)
#include "tst_transcripttargets.moc"
