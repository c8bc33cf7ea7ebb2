// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "sandbox/servicefiles.h"
#include "support/signals.h"
#include "support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <csignal>
#include <memory>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;
const QByteArray Hang = "{\"command\":\"echo once >> /home/user/count; echo up; sleep 600\"}";
const QByteArray Count = "{\"command\":\"wc -l < /home/user/count\"}";

} // namespace

/// The local sandbox service is killed while a turn uses it.
class TestServiceLost : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    [[nodiscard]] qint64 servicePid() const
    {
        const auto endpoint = ServiceFiles(f->options.dataDir).endpoint();
        return endpoint ? endpoint->pid : 0;
    }
    /// As the kernel does when memory is out; what it left behind stays.
    void killService() const { QVERIFY(sendSignal(servicePid(), SIGKILL)); }
    QString begin(const QString &afterTurn)
    {
        ConversationSettings settings = f->settings(u"s"_s, {}, {u"bash"_s}, afterTurn, 9);
        settings.backend = u"local"_s;
        return f->begin(settings, u"Go."_s);
    }
    [[nodiscard]] QStringList sandboxStates() const
    {
        QStringList all;
        for (const Json &payload : f->payloads(EventKind::SandboxState))
            all.append(payload[u"state"].toString());
        return all;
    }
    /// The end of the turn, with what happened before it if it did not come.
    QString end()
    {
        const QString reason = f->waitForEnd();
        if (reason == "did not end"_L1) {
            for (const EventDelivery &delivery : std::as_const(f->events))
                qInfo("%s %s", qPrintable(eventKindName(delivery.event->kind)),
                      delivery.event->payload.left(300).constData());
        }
        return reason;
    }
    [[nodiscard]] int outputs() const { return static_cast<int>(f->payloads(EventKind::ToolOutput).size()); }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        f->environment[u"ANTHROPIC_BASE_URL"_s] = f->model.baseUrl().toString();
        f->options.sandboxdProgram = SandboxdFixture::programPath();
        f->openEngine();
    }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f->closeEngine();
        (void)sendSignal(servicePid(), SIGKILL);
        f.reset();
    }

    void itIsStartedAgainForTheNextCall()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, Hang));
        f->model.enqueue(ModelReply().call(u"t2"_s, u"bash"_s, Count));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        begin(u"pause"_s);
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), 1, Patience);
        const qint64 before = servicePid();
        killService();
        QCOMPARE(end(), u"finished"_s);
        QVERIFY(servicePid() != before);
        const QList<Json> results = f->payloads(EventKind::ToolResult);
        QCOMPARE(results.size(), 2);
        QCOMPARE(results[0][u"outcome"].toString(), u"unknown"_s);
        QCOMPARE(results[1][u"outcome"].toString(), u"known"_s);
        // It ran once, and its files are there.
        QCOMPARE(results[1][u"result"][u"stdout"].toString().trimmed(), u"1"_s);
        QCOMPARE(f->payloads(EventKind::ToolStart).size(), 2);
        QCOMPARE(sandboxStates(), QStringList({u"creating"_s, u"active"_s, u"active"_s, u"paused"_s}));
        QVERIFY(f->payloads(EventKind::SandboxState)[2][u"detail"].toString().contains(u"processes"_s));
        const Json note = f->payloads(EventKind::Note).value(0);
        QVERIFY(note[u"text"].toString().contains(u"started again"_s));
        QCOMPARE(note[u"turn"].toInteger(0), 1);
    }

    void onlyOnceInATurn()
    {
        for (int i = 1; i <= 2; ++i)
            f->model.enqueue(ModelReply().call(u"t%1"_s.arg(i), u"bash"_s, Hang));
        f->model.enqueue(ModelReply().call(u"t3"_s, u"bash"_s, Count));
        f->model.enqueue(ModelReply().text(u"I give up."_s));
        const QString conversation = begin(u"pause"_s);
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), 1, Patience);
        killService();
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), 2, Patience);
        killService();
        QCOMPARE(end(), u"finished"_s);
        const QList<Json> results = f->payloads(EventKind::ToolResult);
        QCOMPARE(results.size(), 3);
        QVERIFY2(results[1][u"outcome"].toString() == "unknown"_L1, results[1].toJson().constData());
        QVERIFY(results[2][u"isError"].toBool());
        QVERIFY2(results[2][u"result"].toString().contains(u"did not start"_s),
                 results[2][u"result"].toJson().constData());
        // How the sandbox stands is known in the end, and the next turn goes on in it.
        QCOMPARE(sandboxStates().last(), u"paused"_s);
        f->model.enqueue(ModelReply().call(u"t4"_s, u"bash"_s, Count));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->submit(conversation, u"Again."_s);
        QCOMPARE(end(), u"finished"_s);
        QCOMPARE(f->payloads(EventKind::ToolResult).last()[u"result"][u"stdout"].toString().trimmed(),
                 u"2"_s);
        QCOMPARE(sandboxStates().count(u"creating"_s), 1);
    }

    /// Nothing is left to do in it, but whether it is paused must still be told.
    void theAfterTurnActionFindsItAgain()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, Hang));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        begin(u"delete"_s);
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), 1, Patience);
        killService();
        QCOMPARE(end(), u"finished"_s);
        QCOMPARE(sandboxStates().join(u' '), u"creating active deleting deleted"_s);
    }

    void withoutItsProgramTheTurnEnds()
    {
        f->closeEngine();
        QFile copy(SandboxdFixture::programPath());
        const QString program = f->folder.filePath(u"pilothouse-sandboxd"_s);
        QVERIFY(copy.copy(program));
        QVERIFY(QFile::copy(QFileInfo(copy).path() + u"/pilothouse-sandbox-init"_s,
                            f->folder.filePath(u"pilothouse-sandbox-init"_s)));
        f->options.sandboxdProgram = program;
        f->openEngine();
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, Hang));
        f->model.enqueue(ModelReply().call(u"t2"_s, u"bash"_s, Count));
        begin(u"pause"_s);
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), 1, Patience);
        QVERIFY(QFile::remove(program));
        killService();
        QCOMPARE(end(), u"sandbox-error"_s);
        QVERIFY(f->payloads(EventKind::Error).last()[u"message"].toString().contains(u"is not there"_s));
        // Every call has its end.
        QCOMPARE(f->payloads(EventKind::ToolResult).size(), 1);
        QCOMPARE(f->payloads(EventKind::ToolError).size(), 1);
        // What the after-turn action met belongs to this turn too.
        const Json met = f->payloads(EventKind::SandboxState).last();
        QVERIFY2(met[u"detail"].toString().contains(u"could not be paused"_s), met.toJson().constData());
        QCOMPARE(met[u"turn"].toInteger(0), 1);
    }
};

QTEST_GUILESS_MAIN(TestServiceLost)
#include "tst_servicelost.moc"
