// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalcard.h"
#include "composer/composeredit.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "shell/topbar.h"
#include "support/testmain.h"
#include "transcript/transcriptview.h"
#include "windowfixture.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QScreen>
#include <QWindow>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;

// Side by side, as a desktop tells of them; the last one is smaller than the window.
constexpr auto Screens = R"json({
 "synchronousWindowSystemEvents": true,
 "windowFrameMargins": false,
 "screens": [
  {"name": "plain", "x": 0, "y": 0, "width": 1600, "height": 1000, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1},
  {"name": "quarter", "x": 1600, "y": 0, "width": 2000, "height": 1250, "logicalDpi": 120, "logicalBaseDpi": 96, "dpr": 1},
  {"name": "double", "x": 3600, "y": 0, "width": 3200, "height": 2000, "logicalDpi": 192, "logicalBaseDpi": 96, "dpr": 1}
 ]
})json";

constexpr auto Story = R"json({
 "format": 1, "name": "window", "maxSteps": 5, "pace": {"charsPerSecond": 0},
 "turns": [
  {"steps": [
   {"events": [{"text": "First **what is there**, in `code`:\n\n| Name | Size |\n|---|---:|\n| один | 12 |\n| 二 | 3 |\n\n```python\ndef roman(n):\n    return 'I' * n  # not yet\n```\n\n- a list\n- with \ud83e\udee8 in it\n\n> a quotation"},
               {"call": {"name": "bash", "args": {"command": "echo one; echo two >&2"}}}]},
   {"events": [{"text": "Done."}]}
  ]}
 ]
})json";

} // namespace

/// The window on screens of different scales: moved while it is there, it looks as one that was opened there.
class TestScreens : public Tests::Test {
    Q_OBJECT

    // What is painted by hand or from pictures that are kept. Not the status bar, which shows the load of the
    // moment.
    static QList<QWidget *> parts(const WindowFixture &window)
    {
        const ConversationPage *page = window.window()->page();
        return {window.transcript(), page->header(), window.window()->findChild<TopBar *>(), window.edit()};
    }
    static QList<QImage> pictures(const WindowFixture &window)
    {
        QList<QImage> all;
        for (QWidget *part : parts(window))
            all.append(part ? part->grab().toImage() : QImage());
        return all;
    }
    static QScreen *screen(const QString &name)
    {
        for (QScreen *screen : QGuiApplication::screens()) {
            if (screen->name() == name)
                return screen;
        }
        return nullptr;
    }
    // The platform keeps the size in its own pixels when a window changes the screen, and tells so a moment
    // later.
    static bool hasPlace(const WindowFixture &window, const QScreen *screen)
    {
        const QRect place(screen->availableGeometry().topLeft(), QSize(1440, 900));
        if (window.window()->geometry() == place)
            return true;
        window.window()->setGeometry(place);
        return false;
    }
    static void moveTo(const WindowFixture &window, QScreen *screen)
    {
        window.window()->windowHandle()->setScreen(screen);
        window.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.window()));
        window.edit()->setFocus();
        QVERIFY(WindowFixture::until([&] { return hasPlace(window, screen); }));
    }

private Q_SLOTS:
    void movedWindowsLookAsThoseThatWereOpenedThere()
    {
        QApplication::setCursorFlashTime(0);
        WindowFixture window;
        QVERIFY(window.start(Story));
        window.say(u"Look."_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.card(), Patience);
        window.card()->setFocus();
        QTest::keyClick(window.card(), Qt::Key_A);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Done."_s) && !window.isRunning(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Machine: paused"_s),
                                 Patience); // The header says so when all is read.
        for (const auto &[name, scale] :
             {std::pair(u"quarter"_s, 1.25), std::pair(u"double"_s, 2.0), std::pair(u"plain"_s, 1.0)}) {
            QScreen *there = screen(name);
            QVERIFY(there);
            moveTo(window, there);
            QCOMPARE(window.window()->devicePixelRatio(), scale);
            QVERIFY(there->availableGeometry().contains(window.window()->frameGeometry()));
            const QList<QImage> moved = pictures(window);
            for (const QImage &image : moved) {
                QVERIFY(!image.isNull());
                QCOMPARE(image.devicePixelRatio(), scale);
            }
            const QString shown = window.workspace()->current();
            window.closeWindow();
            window.setScreen(there);
            QVERIFY(window.openWindow());
            window.workspace()->setCurrent(shown);
            moveTo(window, there);
            QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Done."_s), Patience);
            QList<QImage> opened;
            QTRY_VERIFY2_WITH_TIMEOUT(hasPlace(window, there) && (opened = pictures(window)) == moved,
                                      qPrintable(differing(moved, opened, name)), Patience);
        }
    }

    // A window that was left on a large screen opens on a small one.
    void noWindowIsLargerThanItsScreen()
    {
        WindowFixture window;
        QVERIFY(window.start({}, {3000, 1900}));
        window.closeWindow();
        window.setSize({}); // As it was left.
        QVERIFY(window.openWindow());
        const QRect there = window.window()->screen()->availableGeometry();
        QVERIFY(there.contains(window.window()->frameGeometry()));
    }

private:
    // Says where two pictures differ, and keeps both for looking at when PH_KEEP_PICTURES names a folder.
    static QString differing(const QList<QImage> &moved, const QList<QImage> &opened, const QString &name)
    {
        QStringList words;
        const QString folder = qEnvironmentVariable("PH_KEEP_PICTURES");
        for (qsizetype i = 0; i < moved.size(); ++i) {
            if (opened.value(i) == moved[i])
                continue;
            words.append(u"%1: part %2"_s.arg(name).arg(i));
            if (!folder.isEmpty()) {
                (void)moved[i].save(u"%1/%2-%3-moved.png"_s.arg(folder, name).arg(i));
                (void)opened.value(i).save(u"%1/%2-%3-opened.png"_s.arg(folder, name).arg(i));
            }
        }
        return words.join(u", "_s);
    }
};

int main(int argc, char **argv)
{
    QTemporaryDir folder;
    const QString file = folder.filePath(u"screens.json"_s);
    QFile screens(file);
    if (!screens.open(QIODevice::WriteOnly) || screens.write(Screens) < 0)
        return 1;
    screens.close();
    qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + file.toUtf8());
    QApplication app(argc, argv);
    TestScreens test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_screens.moc"
