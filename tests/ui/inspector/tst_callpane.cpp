// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "engine/historyservice.h"
#include "inspector/callmodel.h"
#include "inspector/callpane.h"
#include "inspector/calltexts.h"
#include "inspector/outputview.h"
#include "stallmeter.h"
#include "store/store.h"
#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/label.h"

#include <QAccessible>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 60'000;

Json json(const QByteArray &text) { return parseJson(text).value_or(Json()); }

// A log, what reads it, and a call that is shown.
struct Bench {
    QTemporaryDir dir;
    std::unique_ptr<Store> store;
    Tests::EventScript script;
    std::unique_ptr<HistoryService> history;
    std::unique_ptr<CallModel> model;
    std::unique_ptr<CallPane> pane;

    Bench()
    {
        auto opened = Store::open(dir.path(), u"test"_s);
        if (!opened)
            qFatal("%s", qPrintable(opened.error().toText()));
        store = std::move(*opened);
        history = std::make_unique<HistoryService>(dir.path());
        model = std::make_unique<CallModel>(history.get());
        pane = std::make_unique<CallPane>(model.get());
        pane->resize(540, 700);
        pane->show();
    }
    void write(const EventBatch &events)
    {
        QSignalSpy committed(store.get(), &Store::committed);
        store->append(events, false);
        QTRY_VERIFY_WITH_TIMEOUT(!committed.isEmpty(), Patience);
    }
    [[nodiscard]] bool says(const QString &text) const
    {
        for (const QLabel *label : pane->findChildren<QLabel *>()) {
            if (label->isVisible() && label->text().contains(text))
                return true;
        }
        return false;
    }
    [[nodiscard]] QString output() const
    {
        QString out;
        for (qint64 row = 0; row < model->output()->rowCount(); ++row) {
            const LineStore::Row *at = model->output()->row(row);
            out += (at ? rowText(*at) : u"?"_s) + u'\n';
        }
        return out;
    }
};

const auto TurnOutput = u"collected 3 items\nwarning: slow\n1 failed, 2 passed\n"_s;

} // namespace

class TestCallPane : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void aFinishedCallIsReadFromTheLog()
    {
        Bench b;
        b.script.addCreated();
        b.script.addTurn(1);
        b.write(b.script.all());
        QVERIFY(b.says(u"No call is selected"_s));
        b.model->open(b.script.conversation(), b.script.calls()[0], 1);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded() && b.model->output()->isSettled(), Patience);
        QCOMPARE(b.output(), TurnOutput);
        const CallFacts &facts = b.model->facts();
        QCOMPARE(facts.state, u"done"_s);
        QCOMPARE(facts.exitCode, 1);
        QCOMPARE(facts.durationMs, 900);
        QCOMPARE(facts.approvalBy, u"user"_s);
        QVERIFY(b.says(u"exit 1"_s));
        QVERIFY(b.says(u"3 lines, 60 B"_s));
        QVERIFY(b.says(u"! stderr"_s));
        QVERIFY(b.says(u"allowed by you"_s));
        b.pane->setTab(CallPane::Tab::Received);
        QVERIFY(b.says(u"The model received"_s));
    }

    void aDeniedCallSaysSo()
    {
        Bench b;
        b.script.addCreated();
        b.script.addTurn(1);
        b.write(b.script.all());
        b.model->open(b.script.conversation(), b.script.calls()[1], 1);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded(), Patience);
        QVERIFY(b.says(u"Denied by you"_s));
        QVERIFY(b.says(u"denied by you: “no”"_s));
        QVERIFY(b.says(u"It did not run"_s));
        b.model->open(b.script.conversation(), b.script.calls()[2], 1);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded(), Patience);
        QVERIFY(b.says(u"Tool failed"_s));
        b.model->close();
        QVERIFY(b.says(u"No call is selected"_s));
    }

    // Events come before the log has them, one by one; what is shown ends up the same.
    void aLiveCallEndsUpTheSame()
    {
        Bench b;
        b.script.addCreated();
        b.script.addTurn(1);
        const QString id = b.script.calls()[0];
        bool wasWaiting = false;
        bool wasRunning = false;
        for (const EventDelivery &delivery : b.script.all()) {
            b.model->takeEvents({delivery});
            if (delivery.event->kind == EventKind::ToolCall && !b.model->facts().isOpen())
                b.model->open(b.script.conversation(), id, delivery.event->seq);
            QCoreApplication::processEvents();
            b.write({delivery});
            QTRY_VERIFY_WITH_TIMEOUT(!b.model->isLoading(), Patience);
            if (b.model->facts().state == "waiting"_L1) {
                wasWaiting = true;
                QCOMPARE(b.pane->tab(), CallPane::Tab::Arguments);
            }
            wasRunning = wasRunning || b.model->facts().isRunning();
        }
        QVERIFY(wasWaiting);
        QVERIFY(wasRunning);
        QCOMPARE(b.pane->tab(), CallPane::Tab::Output);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->output()->isSettled(), Patience);
        QCOMPARE(b.output(), TurnOutput);
        QCOMPARE(b.model->facts().exitCode, 1);
    }

    void whatWasMissedIsReadAgain()
    {
        Bench b;
        b.script.addCreated();
        b.script.addTurn(1);
        const EventBatch all = b.script.all();
        b.write(all.first(20));
        b.model->open(b.script.conversation(), b.script.calls()[0], 1);
        QTRY_VERIFY_WITH_TIMEOUT(!b.model->isLoading(), Patience);
        QVERIFY(!b.model->facts().isEnded());
        b.write(all.sliced(20));
        b.model->reread();
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded() && b.model->output()->isSettled(), Patience);
        QCOMPARE(b.output(), TurnOutput);
    }

    void aCallWithoutAnEndIsUnknownWhenItsTurnEnds()
    {
        Bench b;
        const QString id = newId();
        const QByteArray own = "{\"turn\":1,\"step\":1,\"callId\":\"" + id.toUtf8() + "\"";
        b.script.add(EventKind::ToolCall, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.add(EventKind::ToolStart, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.add(EventKind::TurnFinish, "{\"turn\":1,\"reason\":\"interrupted\"}");
        b.model->open(b.script.conversation(), id, 1);
        b.model->takeEvents(b.script.all());
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded(), Patience);
        QCOMPARE(b.model->facts().state, u"unknown"_s);
        QVERIFY(b.says(u"Outcome unknown"_s));
    }

    void stopIsAskedOnce()
    {
        Bench b;
        const QString id = newId();
        const QByteArray own = "{\"turn\":1,\"step\":1,\"callId\":\"" + id.toUtf8() + "\"";
        b.script.add(EventKind::ToolCall, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.add(EventKind::ToolStart, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.model->open(b.script.conversation(), id, 1);
        b.model->takeEvents(b.script.all());
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isRunning(), Patience);
        QSignalSpy stop(b.pane.get(), &CallPane::stopCallRequested);
        Button *button = nullptr;
        for (Button *candidate : b.pane->findChildren<Button *>()) {
            if (candidate->text() == "Stop call"_L1)
                button = candidate;
        }
        QVERIFY(button && button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(stop.size(), 1);
        QCOMPARE(stop.first().at(1).toString(), id);
        QVERIFY(!button->isEnabled());
        QCOMPARE(button->text(), u"Stopping"_s);
        b.model->takeEvents(
            {b.script.add(EventKind::ToolResult,
                          own
                              + ",\"result\":{},\"exitCode\":143,\"durationMs\":5,\"outcome\":\"known\","
                                "\"stopped\":true}")});
        QVERIFY(b.says(u"Stopped"_s));
        QVERIFY(!button->isVisible());
    }

    /// What is saved does not depend on how much of it was read for the screen by then.
    void allIsSavedBeforeAllIsRead()
    {
        Bench b;
        const QString id = newId();
        const QByteArray own = "{\"turn\":1,\"step\":1,\"callId\":\"" + id.toUtf8() + "\"";
        b.script.add(EventKind::ToolCall, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.add(EventKind::ToolStart, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        QByteArray whole;
        for (int i = 0; i < 60; ++i) {
            const QByteArray piece = QByteArray(60'000, 'x') + QByteArray::number(i) + '\n';
            b.script.addOutput(1, 1, id, piece);
            whole += piece;
        }
        b.script.add(EventKind::ToolResult,
                     own + ",\"result\":{},\"exitCode\":0,\"durationMs\":5,\"outcome\":\"known\"}");
        b.write(b.script.all());
        const QString target = b.dir.filePath(u"early"_s);
        b.pane->setAskFileName([&](QWidget *, const QString &,
                                   const std::function<void(const QString &)> &then) { then(target); });
        QSignalSpy saved(b.pane.get(), &CallPane::saved);
        bool isAsked = false;
        connect(b.model->output(), &OutputModel::changed, b.pane.get(), [&] {
            if (b.model->isLoading() || std::exchange(isAsked, true))
                return;
            QVERIFY(!b.model->output()->isSettled());
            b.pane->saveOutput(CallPane::What::All);
        });
        b.model->open(b.script.conversation(), id, 1);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, Patience);
        QFile file(target);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.size(), whole.size());
        QVERIFY(file.readAll() == whole);
    }

    void exactBytesAreSaved()
    {
        Bench b;
        const QString id = newId();
        QByteArray bytes("\0\xff\r\n\x1b[31m", 9);
        for (int i = 0; i < 200'000; ++i)
            bytes += QByteArray::number(i) + '\n';
        const QByteArray own = "{\"turn\":1,\"step\":1,\"callId\":\"" + id.toUtf8() + "\"";
        b.script.add(EventKind::ToolCall, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.add(EventKind::ToolStart, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.addOutput(1, 1, id, bytes);
        b.script.addOutput(1, 1, id, "err\n", "stderr");
        b.script.addOutput(1, 1, id, "more");
        b.script.add(EventKind::ToolResult,
                     own + ",\"result\":{},\"exitCode\":0,\"durationMs\":5,\"outcome\":\"known\"}");
        b.write(b.script.all());
        b.model->open(b.script.conversation(), id, 1);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded() && b.model->output()->isSettled(), Patience);
        QString target = b.dir.filePath(u"all"_s);
        b.pane->setAskFileName([&](QWidget *, const QString &,
                                   const std::function<void(const QString &)> &then) { then(target); });
        QSignalSpy saved(b.pane.get(), &CallPane::saved);
        QSignalSpy problem(b.pane.get(), &CallPane::problem);
        const auto contentOf = [](const QString &name) {
            QFile file(name);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
        };
        b.pane->saveOutput(CallPane::What::All);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, Patience);
        QCOMPARE(contentOf(target), QByteArray(bytes + "err\nmore"));
        target = b.dir.filePath(u"out"_s);
        b.pane->saveOutput(CallPane::What::Stdout);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, Patience);
        QCOMPARE(contentOf(target), QByteArray(bytes + "more"));
        target = b.dir.filePath(u"err"_s);
        b.pane->saveOutput(CallPane::What::Stderr);
        b.model->close(); // It goes on with the call it began with.
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 3, Patience);
        QCOMPARE(contentOf(target), QByteArray("err\n"));
        target = u"/nonexistent/folder/file"_s;
        b.model->open(b.script.conversation(), id, 1);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded() && b.model->output()->isSettled(), Patience);
        b.pane->saveOutput(CallPane::What::All);
        QTRY_COMPARE_WITH_TIMEOUT(problem.size(), 1, Patience);
        QCOMPARE(saved.size(), 3);
    }

    // A command prints one endless line at full speed: ASCII, characters of four bytes, invalid bytes.
    void anEndlessLineStaysResponsive()
    {
        constexpr qsizetype Size = 8 * 1024 * 1024;
        Bench b;
        const QString id = newId();
        const QByteArray own = "{\"turn\":1,\"step\":1,\"callId\":\"" + id.toUtf8() + "\"";
        QByteArray line = "HEAD ";
        const QByteArray part = QByteArray("0123456789 abc \xf0\x9f\x98\x80 ").repeated(500);
        while (line.size() < Size)
            line += part;
        line.insert(Size / 2, "\xff\xfe");
        line += "TAIL";
        b.script.add(EventKind::ToolCall, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.script.add(EventKind::ToolStart, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        b.model->open(b.script.conversation(), id, 1);
        b.model->takeEvents(b.script.all());
        b.write(b.script.all());
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isRunning(), Patience);
        QString shown;
        {
            Tests::StallMeter meter;
            for (qsizetype at = 0; at < line.size(); at += 1'000'003) {
                const EventDelivery delivery = b.script.addOutput(1, 1, id, line.mid(at, 1'000'003));
                b.model->takeEvents({delivery});
                b.store->append({delivery}, false);
                QCoreApplication::processEvents();
            }
            QTRY_COMPARE_WITH_TIMEOUT(b.model->output()->store().byteCount(), line.size(), Patience);
            QCoreApplication::processEvents();
            qInfo("worst %.1f ms", meter.worstCpuMs());
            QVERIFY(meter.worstCpuMs() < 50);
        }
        QCOMPARE(b.model->output()->rowCount(), 3);
        QVERIFY(b.model->output()->memoryBytes() < 16'000'000);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->output()->row(0), Patience);
        QVERIFY(rowText(*b.model->output()->row(0)).startsWith("HEAD 0123"_L1));
        QVERIFY(rowText(*b.model->output()->row(2)).endsWith("TAIL"_L1));
        QVERIFY(!rowText(*b.model->output()->row(2)).contains(u"\\x"_s));
        const qint64 hidden = b.model->output()->row(1)->hiddenBytes;
        QVERIFY(hidden > line.size() - 3 * LineStore::LongestWhole);
        QVERIFY(rowText(*b.model->output()->row(1)).contains(QLocale::c().toString(hidden)));
        b.model->takeEvents(
            {b.script.add(EventKind::ToolResult,
                          own
                              + ",\"result\":{\"stdout\":\"HEAD\"},\"exitCode\":0,\"durationMs\":5,"
                                "\"truncated\":true,\"leftOutBytes\":8000000,\"outcome\":\"known\"}")});
        b.pane->setTab(CallPane::Tab::Received);
        QVERIFY(b.says(u"8 MB in the middle were left out"_s));
        const QString target = b.dir.filePath(u"saved"_s);
        b.pane->setAskFileName([&](QWidget *, const QString &,
                                   const std::function<void(const QString &)> &then) { then(target); });
        QSignalSpy saved(b.pane.get(), &CallPane::saved);
        b.pane->saveOutput(CallPane::What::All);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, Patience);
        QFile file(target);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll() == line);
    }

    void textsOfTools()
    {
        CallFacts facts;
        facts.args = json("{\"path\":\"/a/b\",\"content\":\"x\\ny\"}");
        CallSubject subject = callSubject(facts);
        QCOMPARE(subject.label, u"File"_s);
        QCOMPARE(subject.text, QByteArray("/a/b"));
        QCOMPARE(subject.body.value_or(QByteArray()), QByteArray("x\ny"));
        facts.args = json("{\"path\":\"/a/b\"}");
        facts.result = json("{\"content\":\"read\"}");
        QCOMPARE(callSubject(facts).body.value_or(QByteArray()), QByteArray("read"));
        facts.args = json("{\"query\":\"z\"}");
        facts.result = Json::string(u"found"_s);
        subject = callSubject(facts);
        QCOMPARE(subject.label, u"Arguments"_s);
        QCOMPARE(subject.body.value_or(QByteArray()), QByteArray("found"));
        QCOMPARE(modelReceived(facts), QByteArray("found"));
    }

    void jsonIsLaidOutAndInert()
    {
        OutputModel model;
        model.setText(
            jsonForShow(json("{\"a\":\"x\\ny\\u001b[31mz\\n\",\"b\":[1,true,{}],\"c\":{\"d\":null}}")));
        QStringList lines;
        for (qint64 row = 0; row < model.rowCount(); ++row)
            lines.append(rowText(*model.row(row)));
        QCOMPARE(lines,
                 (QStringList{u"{"_s, u"  \"a\": \"x\\n"_s, u"    y\\u001b[31mz\\n\","_s, u"  \"b\": ["_s,
                              u"    1,"_s, u"    true,"_s, u"    {}"_s, u"  ],"_s, u"  \"c\": {"_s,
                              u"    \"d\": null"_s, u"  }"_s, u"}"_s}));
    }

    void everythingShownHasANameAndARole()
    {
        Bench b;
        b.script.addCreated();
        b.script.addTurn(1);
        b.write(b.script.all());
        b.model->open(b.script.conversation(), b.script.calls()[0], 1);
        QTRY_VERIFY_WITH_TIMEOUT(b.model->facts().isEnded() && b.model->output()->isSettled(), Patience);
        for (const QWidget *widget : b.pane->findChildren<QWidget *>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            QAccessibleInterface *interface =
                QAccessible::queryAccessibleInterface(const_cast<QWidget *>(widget));
            QVERIFY(interface);
            QVERIFY2(!interface->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
            QVERIFY(interface->role() != QAccessible::NoRole);
        }
    }
};

QTEST_MAIN(TestCallPane)
#include "tst_callpane.moc"
