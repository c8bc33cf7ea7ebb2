// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalcard.h"
#include "composer/composeredit.h"
#include "engine/historyservice.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/conversationlistview.h"
#include "sidebar/sidebarmodel.h"
#include "support/loopbackserver.h"
#include "support/recordingproxy.h"
#include "support/testmain.h"
#include "theme/controls/confirmdialog.h"
#include "transcript/transcriptimages.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "windowfixture.h"

#include <QApplication>
#include <QBuffer>
#include <QCheckBox>
#include <QContextMenuEvent>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QThread>

#include <algorithm>
#include <optional>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;
constexpr int Loops = 60;

// The same for every conversation: what runs in each is written by the person, so that it can be told apart.
constexpr auto TwoCalls = R"json({
 "format": 1, "name": "window", "maxSteps": 20, "pace": {"charsPerSecond": 0},
 "turns": [
  {"steps": [
   {"events": [{"text": "The first step."}, {"call": {"name": "bash", "args": {"command": "echo proposed"}}}]},
   {"events": [{"text": "The second step."}, {"call": {"name": "bash", "args": {"command": "echo proposed again"}}}]},
   {"events": [{"text": "Both are done."}]}
  ]}
 ]
})json";

QByteArray noisePng(int width, int height)
{
    QImage image(width, height, QImage::Format_RGB32);
    QRandomGenerator random(7);
    for (int y = 0; y < height; ++y)
        random.fillRange(reinterpret_cast<quint32 *>(image.scanLine(y)), width);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "png"))
        qFatal("no picture");
    return bytes;
}

QList<EventKind> allKinds()
{
    QList<EventKind> kinds;
    for (int i = static_cast<int>(EventKind::ConversationCreated); i <= static_cast<int>(EventKind::Error);
         ++i)
        kinds.append(static_cast<EventKind>(i));
    return kinds;
}

} // namespace

/// Cases that need the whole window: several conversations at once, and pictures that an answer names.
class TestWindowCases : public Tests::Test {
    Q_OBJECT

    static void takeTheFocus(const WindowFixture &window)
    {
        window.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.window()));
    }
    static void waitForCard(const WindowFixture &window, const QString &command)
    {
        QTRY_VERIFY2_WITH_TIMEOUT(window.cardCommand() == command
                                      && window.card()->call().conversation == window.workspace()->current(),
                                  qPrintable(QString(command + u" is not asked for in\n"_s + window.text())),
                                  Patience);
        takeTheFocus(window);
    }
    /// Has another command run than the one that is proposed, by keys.
    static void runInstead(const WindowFixture &window, const QString &command)
    {
        ApprovalCard *card = window.card();
        card->setFocus();
        QTest::keyClick(card, Qt::Key_E);
        auto *field = qobject_cast<QPlainTextEdit *>(window.find(u"What you will run instead"_s));
        QVERIFY(field && field->hasFocus());
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, command);
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    }
    static QString begin(const WindowFixture &window, const QString &prompt)
    {
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        window.say(prompt);
        return window.workspace()->current();
    }
    static QList<EventPtr> eventsOf(const WindowFixture &window, const QString &id)
    {
        std::optional<QList<EventPtr>> out;
        window.workspace()->history()->events(id, allKinds(), 0, 100'000, window.window(),
                                              [&out](const Result<QList<EventPtr>, Error> &events) {
                                                  out = events.value_or(QList<EventPtr>());
                                              });
        return WindowFixture::until([&out] { return out.has_value(); }) ? *out : QList<EventPtr>();
    }
    /// What all calls of a conversation printed, call by call.
    static QByteArray printedBy(const WindowFixture &window, const QString &id)
    {
        QByteArray all;
        for (const EventPtr &event : eventsOf(window, id)) {
            if (event->kind != EventKind::ToolStart)
                continue;
            std::optional<QByteArray> out;
            window.workspace()->history()->output(
                id, event->json()[u"callId"].toString(), u"stdout"_s, 0, 1'000'000, window.window(),
                [&out](const Result<QByteArray, Error> &bytes) { out = bytes.value_or(QByteArray()); });
            if (!WindowFixture::until([&out] { return out.has_value(); }))
                return {};
            all += *out;
        }
        return all;
    }
    static void showByMouse(const WindowFixture &window, const QString &id)
    {
        ConversationListView *list = window.window()->list();
        const int place = window.window()->conversations()->placeOf(id);
        QVERIFY(place >= 0);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(place, 0)).center());
        QCOMPARE(window.workspace()->current(), id);
    }

private Q_SLOTS:
    // Whoever reads further up, by keys, and then writes, sees what was written and what is answered.
    void aSentMessageComesIntoView()
    {
        QStringList lines;
        for (int i = 0; i < 80; ++i)
            lines.append(u"Line %1 of a long answer."_s.arg(i));
        const QByteArray answer =
            "{\"steps\":[{\"events\":[{\"text\":\"" + lines.join(u"\\n\\n"_s).toUtf8() + "\"}]}]}";
        const QByteArray script = "{\"format\":1,\"name\":\"long\",\"maxSteps\":9,\"pace\":"
                                  "{\"charsPerSecond\":0},\"turns\":["
            + answer + "],\"otherwise\":" + answer + "}";
        WindowFixture window;
        QVERIFY(window.start(script, {1000, 600}));
        window.say(u"The first"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(window.text().contains(u"Line 0"_s) && !window.isRunning(),
                                  qPrintable(window.text()), Patience);
        TranscriptView *view = window.transcript();
        view->setFocus();
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(view, Qt::Key_Up);
        QVERIFY(!view->isFollowing());
        window.say(u"The second"_s);
        QVERIFY(view->isFollowing());
        const auto last = [&] { return view->rowRect(view->model()->rowCount() - 1); };
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"The second"_s) && !window.isRunning()
                                     && view->viewport()->rect().contains(last()),
                                 Patience);
        QVERIFY(view->isFollowing());
    }

    // A runs long; B runs meanwhile; C is deleted while it runs; A is renamed and gets another model for its
    // next turn; back to A.
    void startingAnotherWhileOneRuns()
    {
        WindowFixture window;
        QVERIFY(window.start(TwoCalls));
        const QString a = begin(window, u"Work A"_s);
        waitForCard(window, u"echo proposed"_s);
        runInstead(
            window,
            u"for i in $(seq 1 %1); do echo A $i; done; while [ ! -e go ]; do sleep 0.1; done"_s.arg(Loops));
        QTRY_VERIFY2_WITH_TIMEOUT(window.text().contains(u"A 60"_s), qPrintable(window.text()), Patience);

        const QString b = begin(window, u"Work B"_s);
        QVERIFY(b != a);
        waitForCard(window, u"echo proposed"_s);
        runInstead(window, u"echo B one"_s);
        waitForCard(window, u"echo proposed again"_s);
        runInstead(window, u"echo B two"_s);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Both are done."_s), Patience);
        QVERIFY(!window.text().contains(u"A 60"_s));
        QVERIFY(window.workspace()->isRunning(a));

        const QString c = begin(window, u"Work C"_s);
        waitForCard(window, u"echo proposed"_s);
        runInstead(window, u"echo C one; sleep 300"_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"C one"_s), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.summary(c) && !window.summary(c)->sandboxId.isEmpty(), Patience);
        const QString machine = window.summary(c)->sandboxId;
        QVERIFY(window.click(u"More"_s, QAccessible::NoRole, window.window()->page()->header()));
        QVERIFY(WindowFixture::choose(WindowFixture::openMenu(), u"Delete…"_s));
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->findChild<ConfirmDialog *>(), Patience);
        auto *question = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(QTest::qWaitForWindowActive(question));
        QStringList words;
        for (const QLabel *label : question->findChildren<QLabel *>())
            words.append(label->text());
        QVERIFY2(words.join(u'\n').contains(u"stopped first"_s), qPrintable(words.join(u'\n')));
        QTest::keyClick(question->findChild<QCheckBox *>(), Qt::Key_Space); // The machine stays.
        // What happens to C, in order: its turn ends before it goes.
        QList<EventKind> ofC;
        QObject watch;
        connect(window.workspace(), &Workspace::eventsTaken, &watch, [&](const EventBatch &events) {
            for (const EventDelivery &delivery : events) {
                if (delivery.event->conversation == c && !ofC.contains(delivery.event->kind))
                    ofC.append(delivery.event->kind);
            }
        });
        QVERIFY(window.click(u"Delete"_s, QAccessible::Button, question));
        QTRY_VERIFY_WITH_TIMEOUT(!window.summary(c), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(ofC.contains(EventKind::ConversationDeleted), Patience);
        QVERIFY(ofC.contains(EventKind::TurnFinish));
        QVERIFY(ofC.indexOf(EventKind::TurnFinish) < ofC.indexOf(EventKind::ConversationDeleted));
        QVERIFY(!window.workspace()->isRunning(c));
        std::optional<bool> isThere;
        window.workspace()->engine()->listSandboxes(
            u"superserve"_s, window.window(), [&](const Result<QList<SandboxInfo>, Error> &all) {
                isThere = all && std::any_of(all->cbegin(), all->cend(), [&](const SandboxInfo &info) {
                              return info.id == machine;
                          });
            });
        QTRY_VERIFY_WITH_TIMEOUT(isThere.has_value(), Patience);
        QVERIFY(*isThere);

        // A is renamed from the menu of its row, and gets another model.
        takeTheFocus(window);
        QVERIFY(window.workspace()->isRunning(a));
        ConversationListView *list = window.window()->list();
        const QPoint row =
            list->visualRect(list->model()->index(window.window()->conversations()->placeOf(a), 0)).center();
        QContextMenuEvent asked(QContextMenuEvent::Mouse, row, list->viewport()->mapToGlobal(row));
        QCoreApplication::sendEvent(list->viewport(), &asked);
        QVERIFY(WindowFixture::choose(WindowFixture::openMenu(), u"Rename"_s));
        QTRY_VERIFY_WITH_TIMEOUT(list->findChild<QLineEdit *>(), Patience);
        auto *title = list->findChild<QLineEdit *>();
        title->selectAll();
        QTest::keyClicks(title, u"The long one"_s);
        QTest::keyClick(title, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(window.summary(a)->title, u"The long one"_s, Patience);
        QCOMPARE(window.workspace()->current(), a);
        QVERIFY(window.workspace()->isRunning(a));
        QVERIFY(window.click(u"Model: Scripted, not an AI: demo/window"_s));
        QMenu *services = WindowFixture::openMenu();
        QVERIFY(services);
        for (QAction *action : services->actions()) {
            if (action->text() == "Demo (scripted, not an AI)"_L1)
                services->setActiveAction(action);
        }
        QTest::keyClick(services, Qt::Key_Right);
        QTRY_VERIFY_WITH_TIMEOUT(WindowFixture::openMenu() != services, Patience);
        QVERIFY(WindowFixture::choose(WindowFixture::openMenu(), u"tour"_s));
        QTRY_COMPARE_WITH_TIMEOUT(window.summary(a)->model, u"tour"_s, Patience);
        QCOMPARE(window.summary(b)->model, u"window"_s);

        // B is as it was; back to A, which goes on with the model it began with.
        showByMouse(window, b);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"B two"_s), Patience);
        const QStringList rowsOfB = window.rows();
        showByMouse(window, a);
        QVERIFY(window.workspace()->isRunning(a));
        bool isWritten = false;
        window.workspace()->engine()->writeFile(
            u"superserve"_s, window.summary(a)->sandboxId, u"/home/user/go"_s, "now", window.window(),
            [&](const Result<Done, Error> &done) { isWritten = done.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(isWritten, Patience);
        waitForCard(window, u"echo proposed again"_s);
        runInstead(window, u"echo A two"_s);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Both are done."_s), Patience);

        // Every line of A, in order, and nothing else; the same of B.
        QByteArray expected;
        for (int i = 1; i <= Loops; ++i)
            expected += "A " + QByteArray::number(i) + '\n';
        QCOMPARE(printedBy(window, a), QByteArray(expected + "A two\n"));
        QCOMPARE(printedBy(window, b), QByteArray("B one\nB two\n"));
        for (const QString &id : {a, b}) {
            qint64 seq = 0;
            QList<EventKind> kinds;
            for (const EventPtr &event : eventsOf(window, id)) {
                QCOMPARE(event->conversation, id);
                QVERIFY(event->seq > seq);
                seq = event->seq;
                kinds.append(event->kind);
                if (event->kind == EventKind::StepStart) {
                    QVERIFY2(!event->payload.contains("tour"), event->payload.constData());
                }
            }
            QCOMPARE(kinds.first(), EventKind::ConversationCreated);
            QCOMPARE(kinds.count(EventKind::ToolCall), 2);
            QCOMPARE(kinds.count(EventKind::ToolResult), 2);
            QCOMPARE(kinds.count(EventKind::TurnFinish), 1);
        }
        const QString told = window.text();
        QVERIFY2(told.indexOf(u"Work A"_s) < told.indexOf(u"The first step."_s)
                     && told.indexOf(u"The first step."_s) < told.indexOf(u"The second step."_s)
                     && told.indexOf(u"The second step."_s) < told.indexOf(u"Both are done."_s),
                 qPrintable(told));
        for (const QString &other : {u"B one"_s, u"B two"_s, u"C one"_s, u"Work B"_s, u"Work C"_s})
            QVERIFY2(!told.contains(other), qPrintable(other));
        // What was shown live is what the log says.
        const QStringList live = window.rows();
        showByMouse(window, b);
        QTRY_COMPARE_WITH_TIMEOUT(window.rows(), rowsOfB, Patience);
        showByMouse(window, a);
        QTRY_COMPARE_WITH_TIMEOUT(window.rows(), live, Patience);

        // The next turn of A is the other model's.
        takeTheFocus(window);
        window.say(u"And now the tour."_s);
        const auto models = [&] {
            QStringList out;
            for (const EventPtr &event : eventsOf(window, a)) {
                if (event->kind == EventKind::TurnStart)
                    out.append(event->json()[u"model"].toString());
            }
            return out;
        };
        QTRY_COMPARE_WITH_TIMEOUT(models(), (QStringList{u"window"_s, u"tour"_s}), Patience);
        QTest::keyClick(window.window(), Qt::Key_Period, Qt::ControlModifier); // If it is not at its end yet.
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
    }

    // An address on the network, files of the sandbox, a picture in the text itself.
    void pictureLinksInAnAnswer()
    {
        Tests::LoopbackServer server;
        server.setHandler([](const Tests::LoopbackRequest &, Tests::LoopbackConnection *connection) {
            connection->respond(200, noisePng(40, 30), {{"Content-Type", "image/png"}});
        });
        const QString remote = server.url("/x.png?d=secret").toString();
        const QString inside =
            u"data:image/png;base64,"_s + QString::fromLatin1(noisePng(1360, 1360).toBase64());
        QVERIFY(inside.size() > 7'000'000); // About what a script may hold.
        const QString answer = u"One ![chart]("_s + remote
            + u")\\n\\nTwo ![plot](/home/user/plot.png)\\n\\nThree ![big](/home/user/big.png)\\n\\nFour ![inside]("_s
            + inside + u")\\n\\nThat is all."_s;
        QByteArray script =
            R"json({"format": 1, "name": "window", "pace": {"charsPerSecond": 0}, "turns": [{"steps": [
          {"events": [{"call": {"name": "bash", "args": {"command": "echo PLOT | base64 -d > /home/user/plot.png; head -c 13000000 /dev/zero > /home/user/big.png"}}}]},
          {"events": [{"text": "ANSWER"}]}]}]})json";
        script.replace("PLOT", noisePng(60, 40).toBase64());
        script.replace("ANSWER", answer.toUtf8());

        WindowFixture window;
        QVERIFY(window.startService());
        Tests::RecordingProxy data(window.sandboxd()->data());
        window.options()->superserveDataUrl = data.url().toString();
        QVERIFY(window.start(script));
        const auto reads = [&data](const QByteArray &file) {
            return std::count_if(data.calls().cbegin(), data.calls().cend(),
                                 [&file](const Tests::ProxiedCall &call) {
                                     return call.method == "GET" && call.target.contains(file);
                                 });
        };
        const TranscriptImages *images = window.transcript()->images();
        QList<QString> shown;
        connect(images, &TranscriptImages::changed, this, [&](const QString &key) {
            QCOMPARE(QThread::currentThread(), qApp->thread());
            if (images->picture(key).state == TranscriptImages::State::Shown)
                shown.append(key);
        });
        window.say(u"Show me."_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.card(), Patience);
        QVERIFY(window.click(u"Allow once"_s, QAccessible::Button, window.card()));
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(window.text().contains(u"Finished"_s), Patience);
        // The one in the text is decoded by itself; its text takes no room and is not said.
        QTRY_COMPARE_WITH_TIMEOUT(shown.size(), 1, Patience);
        const QPixmap decoded = images->picture(shown.first()).pixmap;
        QVERIFY(!decoded.isNull() && decoded.width() <= 1520 && decoded.height() <= 1280);
        QVERIFY(!window.text().contains(inside.mid(2000, 60)));
        QVERIFY(!window.text().contains(inside.mid(60, 60)));
        QVERIFY(window.text().contains(u"That is all."_s)); // What follows it is there.
        QVERIFY(window.transcript()->verticalScrollBar()->maximum() < 2500);
        // Nothing else was fetched.
        QCOMPARE(server.connectionCount(), 0);
        QCOMPARE(reads("plot.png"), 0);
        QCOMPARE(reads("big.png"), 0);

        // Looking wakes no machine, so it is woken first.
        const QString id = window.workspace()->current();
        const auto machine = [&] {
            return window.summary(id) ? window.summary(id)->sandboxState : QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(machine(), u"paused"_s, Patience);
        window.workspace()->changeMachine(id, MachineChange::Resume);
        QTRY_COMPARE_WITH_TIMEOUT(machine(), u"active"_s, Patience);

        // A click on each offer, from the top of the answer down.
        QWidget *viewport = window.transcript()->viewport();
        const auto state = [images](const QString &key) { return images->picture(key).state; };
        const auto load = [&](const QString &key) {
            for (int from = 0; from <= window.transcript()->verticalScrollBar()->maximum();
                 from += viewport->height() / 2) {
                window.transcript()->verticalScrollBar()->setValue(from);
                for (int y = 4; y < viewport->height() && state(key) == TranscriptImages::State::Offered;
                     y += 10) {
                    const QRect column =
                        window.transcript()->rowRect(window.workspace()->transcript()->rowCount() - 1);
                    QTest::mouseClick(viewport, Qt::LeftButton, {}, QPoint(column.left() + 40, y));
                }
            }
            return state(key) != TranscriptImages::State::Offered;
        };
        QVERIFY(load(remote));
        QTRY_COMPARE_WITH_TIMEOUT(state(remote), TranscriptImages::State::Shown, Patience);
        QCOMPARE(server.connectionCount(), 1);
        QCOMPARE(server.requests().size(), 1);
        QVERIFY(!server.requests().first().hasHeader("Cookie")
                && !server.requests().first().hasHeader("Referer")
                && !server.requests().first().hasHeader("Authorization"));
        QVERIFY(load(u"/home/user/plot.png"_s));
        QVERIFY(load(u"/home/user/big.png"_s));
        QTRY_COMPARE_WITH_TIMEOUT(state(u"/home/user/plot.png"_s), TranscriptImages::State::Shown, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(state(u"/home/user/big.png"_s), TranscriptImages::State::Failed, Patience);
        QCOMPARE(reads("plot.png"), 1);
        // Of a file that is too large no more than the limit is asked for.
        const QByteArray range("bytes=0-" + QByteArray::number(TranscriptImages::MostBytes - 1));
        for (const Tests::ProxiedCall &call : data.calls()) {
            if (call.method == "GET" && call.target.contains(".png")) {
                QVERIFY2(call.head.contains(range), call.head.constData());
            }
        }
        QCOMPARE(server.connectionCount(), 1);
    }
};

QTEST_MAIN(TestWindowCases)
#include "tst_windowcases.moc"
