// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/commandrun.h"
#include "enginefixture.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxclient.h"
#include "support/testmain.h"
#include "util/ids.h"

#include <QTest>

#include <chrono>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/// Ends of turns and calls that must not be told as what they are not.
class TestTurnEnds : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    static ConversationSettings settings()
    {
        return EngineFixture::settings(u"ends"_s, u"Work."_s, {u"bash"_s}, u"delete"_s, 8);
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        f->startServices();
    }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f.reset();
    }

    void anUnknownStopReasonIsSaid()
    {
        f->openEngine();
        f->model.enqueue(ModelReply().text(u"Half of it"_s).stop(u"zzz"_s));
        f->begin(settings(), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QCOMPARE(f->model.requests().size(), 1); // Not asked again unbidden.
        const Json error = f->payloads(EventKind::Error).value(0);
        QVERIFY2(error[u"message"].toString().contains(u"\"zzz\""_s),
                 qPrintable(error[u"message"].toString()));
        QCOMPARE(f->payloads(EventKind::TurnFinish).value(0)[u"text"].toString(), u"Half of it"_s);
        // The text was an answer: the next turn shows it to the model, as the error says.
        f->model.enqueue(ModelReply().text(u"The rest."_s));
        f->submit(f->lastConversation, u"Go on."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QVERIFY(f->model.requests().value(1)[u"messages"].toJson().contains("Half of it"));
    }

    void aRefusalWithoutTextSpeaksOfNoText()
    {
        f->openEngine();
        f->model.enqueue(ModelReply().stop(u"refusal"_s));
        f->begin(settings(), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QVERIFY(!f->payloads(EventKind::Error).value(0)[u"kept"].toString().contains(u"written"_s));
    }

    void aLongWaitIsSaidInsteadOfWaited()
    {
        f->options.retries = true;
        f->openEngine();
        f->model.enqueue(
            ModelReply::failure(429, "rate_limit_error", "slow down", {{"retry-after", "3600"}}));
        f->begin(settings(), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QCOMPARE(f->payloads(EventKind::Retry).size(), 0);
        const QString todo = f->payloads(EventKind::Error).value(0)[u"todo"].toString();
        QVERIFY2(todo.contains(u"60 minutes"_s), qPrintable(todo));
    }

    void aShortWaitIsWaited()
    {
        f->options.retries = true;
        f->openEngine();
        f->model.enqueue(ModelReply::failure(429, "rate_limit_error", "slow down", {{"retry-after", "1"}}));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(settings(), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->payloads(EventKind::Retry).size(), 1);
    }

    void theTimeLimitOfACallIsTold_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<bool>("timedOut");
        QTest::newRow("runs into the limit") << u"echo begun; sleep 30"_s << true;
        QTest::newRow("its own 124") << u"exit 124"_s << false;
    }
    void theTimeLimitOfACallIsTold()
    {
        QFETCH(QString, command);
        QFETCH(bool, timedOut);
        NetworkAccess network;
        SandboxClient client(
            &network,
            SandboxEndpoint::superserve(Secret(f->sandboxd.key()), f->sandboxd.base().toString(), QString()));
        CreateSandbox create;
        create.name = u"limit"_s;
        QString id;
        client.create(create, this, [&id](const Result<SandboxInfo, ApiError> &info) {
            id = info ? info->id : u"failed"_s;
        });
        QTRY_VERIFY_WITH_TIMEOUT(!id.isEmpty(), 20000);
        CommandRequest request;
        request.command = command;
        request.timeout = 1s;
        CommandRun run(request, {&client, id, newId()}, nullptr);
        std::optional<ToolEnd> end;
        QStringList receipts;
        connect(&run, &ToolRun::finished, this, [&end](const ToolEnd &seen) { end = seen; });
        connect(&run, &ToolRun::receipt, this,
                [&receipts](const QString &rung, const QString &) { receipts.append(rung); });
        QTRY_VERIFY_WITH_TIMEOUT(end.has_value(), 20000);
        QCOMPARE(end->exitCode, std::optional<int>(124));
        QCOMPARE(end->timedOut, timedOut);
        QCOMPARE(receipts.contains(u"time-limit"_s), timedOut);
        const QString note = parseJson(end->result).value_or(Json())[u"note"].toString();
        QCOMPARE(note.contains(u"1 s"_s), timedOut);
        QCOMPARE(note.isEmpty(), !timedOut);
    }
};

QTEST_GUILESS_MAIN(TestTurnEnds)
#include "tst_turnends.moc"
