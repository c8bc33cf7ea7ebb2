// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

/// What a person does to a running turn: approve, edit, deny, steer, stop.
class TestSteering : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    static ConversationSettings asking()
    {
        ConversationSettings settings =
            EngineFixture::settings(u"steered"_s, u"Work."_s, {u"bash"_s}, u"delete"_s, 8);
        settings.approval = u"ask"_s;
        return settings;
    }
    static ConversationSettings free(const QString &afterTurn = u"delete"_s)
    {
        return EngineFixture::settings(u"steered"_s, u"Work."_s, {u"bash"_s}, afterTurn, 8);
    }
    QStringList askedCalls() const
    {
        QStringList ids;
        for (const Json &approval : f->payloads(EventKind::ToolApproval)) {
            if (approval[u"state"].toString() == "asked"_L1)
                ids.append(approval[u"callId"].toString());
        }
        return ids;
    }
    QString answer(const QString &callId, Answer::Kind kind, const QString &reason = {},
                   const QByteArray &args = {})
    {
        QString problem = u"no reply"_s;
        Answer given;
        given.kind = kind;
        given.by = u"user"_s;
        given.reason = reason;
        given.args = args;
        f->engine->answer(f->lastConversation, callId, given, f.get(),
                          [&problem](const Result<Done, Error> &done) {
                              problem = done ? QString() : done.error().message;
                          });
        (void)QTest::qWaitFor([&] { return problem != u"no reply"_s; }, 5000);
        return problem;
    }
    Json resultSent(int request, int index = 0) const
    {
        const Json messages = f->model.requests().value(request)[u"messages"];
        return messages.at(messages.size() - 1)[u"content"].at(index);
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        f->startServices();
        f->openEngine();
    }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f.reset();
    }

    void nothingRunsBeforeTheAnswer()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo run\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(asking(), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(askedCalls().size(), 1, 10000);
        QVERIFY(!f->calls().contains(u"START"_s));
        QCOMPARE(answer(askedCalls().first(), Answer::Kind::Approve), QString());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QVERIFY(resultSent(1)[u"content"].toString().contains(u"run"_s));
        // A second answer to the same call has nothing to answer.
        QVERIFY(!answer(askedCalls().first(), Answer::Kind::Deny).isEmpty());
    }

    void editedArgumentsRunAndTheProposalStays()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo proposed\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(asking(), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(askedCalls().size(), 1, 10000);
        const QString callId = askedCalls().first();
        for (const QByteArray &bad :
             {QByteArray("{\"command\":7}"), QByteArray("{"), QByteArray("[]"), QByteArray("{}")})
            QVERIFY(
                !answer(callId, Answer::Kind::Edit, {}, bad).isEmpty()); // Refused, and it goes on waiting.
        QCOMPARE(answer(callId, Answer::Kind::Edit, {}, "{\"command\":\"echo edited\"}"), QString());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(parseJson(f->body("START")).value()[u"command"].toString(), u"echo edited"_s);
        QVERIFY(resultSent(1)[u"content"].toString().contains(u"edited"_s));
        const Json messages = f->model.requests().value(1)[u"messages"];
        QCOMPARE(messages.at(1)[u"content"].at(0)[u"input"][u"command"].toString(), u"echo proposed"_s);
    }

    void severalWaitAtOnceAndAreAnsweredInAnyOrder()
    {
        f->model.enqueue(ModelReply()
                             .call(u"t1"_s, u"bash"_s, "{\"command\":\"echo one\"}")
                             .call(u"t2"_s, u"bash"_s, "{\"command\":\"echo two\"}")
                             .call(u"t3"_s, u"bash"_s, "{\"command\":\"echo three\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(asking(), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(askedCalls().size(), 3, 10000);
        const QStringList ids = askedCalls();
        QCOMPARE(answer(ids[2], Answer::Kind::Approve), QString());
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::ToolResult).size(), 1, 10000);
        QCOMPARE(f->payloads(EventKind::ToolResult).first()[u"callId"].toString(), ids[2]);
        QCOMPARE(answer(ids[0], Answer::Kind::Deny, u"keep the cache"_s), QString());
        QCOMPARE(answer(ids[1], Answer::Kind::Approve), QString());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QVERIFY(resultSent(1, 0)[u"content"].toString().contains(u"keep the cache"_s));
        QVERIFY(resultSent(1, 0)[u"is_error"].toBool());
        QVERIFY(resultSent(1, 1)[u"content"].toString().contains(u"two"_s));
        QVERIFY(resultSent(1, 2)[u"content"].toString().contains(u"three"_s));
        QCOMPARE(f->payloads(EventKind::ToolError).first()[u"reason"].toString(), u"denied"_s);
    }

    void waitingMayPauseTheMachine()
    {
        f->closeEngine();
        f->options.pauseWhileWaiting = std::chrono::milliseconds(1);
        f->openEngine();
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo late\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        ConversationSettings settings = asking();
        settings.afterTurn = u"pause"_s;
        f->begin(settings, u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(f->calls().contains(u"POST /sandboxes/ID/pause"_s), 10000);
        QTRY_COMPARE_WITH_TIMEOUT(askedCalls().size(), 1, 10000);
        QCOMPARE(answer(askedCalls().first(), Answer::Kind::Approve), QString());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(),
                 QStringList({u"POST /sandboxes"_s, u"model"_s, u"POST /sandboxes/ID/pause"_s,
                              u"POST /sandboxes/ID/activate"_s, u"START"_s, u"model"_s,
                              u"POST /sandboxes/ID/pause"_s}));
        QVERIFY(resultSent(1)[u"content"].toString().contains(u"late"_s));
    }

    void denyingEverything()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"id\"}"));
        f->model.enqueue(ModelReply().text(u"Then not."_s));
        ConversationSettings settings = free();
        settings.approval = u"deny"_s;
        f->begin(settings, u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QVERIFY(!f->calls().contains(u"START"_s));
    }

    void nobodyThereToAskEndsTheTurnWaiting()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"id\"}"));
        ConversationSettings settings = free();
        settings.approval = u"ask-and-end"_s;
        f->begin(settings, u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"waiting"_s);
        QCOMPARE(f->payloads(EventKind::ToolError).size(), 1);
        QCOMPARE(f->calls(), QStringList({u"POST /sandboxes"_s, u"model"_s, u"DELETE /sandboxes/ID"_s}));
    }

    void steeringIsReadAfterTheStep()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s,
                                           "{\"command\":\"while [ ! -e /tmp/go ]; do sleep 0.05; done\"}"));
        f->model.enqueue(ModelReply().text(u"With the change."_s));
        f->begin(free(), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(f->calls().contains(u"START"_s), 10000);
        f->submit(f->lastConversation, u"Also count them."_s, MessageDelivery::AfterStep);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::UserMessage).size(), 2, 5000);
        QCOMPARE(f->calls().count(u"model"_s), 1);
        touch(u"/tmp/go"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        const Json messages = f->model.requests().value(1)[u"messages"];
        QCOMPARE(messages.size(), 3);
        const Json content = messages.at(2)[u"content"];
        QCOMPARE(content.at(0)[u"type"].toString(), u"tool_result"_s);
        QCOMPARE(content.at(1)[u"text"].toString(), u"Also count them."_s);
        QCOMPARE(f->payloads(EventKind::QueueChanged).first()[u"step"].toInteger(0), 2);
    }

    void steeringContinuesATurnThatWouldHaveEnded()
    {
        f->model.enqueue(ModelReply().text(u"Nearly there."_s).holdBefore(3));
        f->begin(free(), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(f->calls().contains(u"model"_s), 10000);
        f->submit(f->lastConversation, u"One more thing."_s, MessageDelivery::AfterTurn);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::UserMessage).size(), 2, 5000);
        // The held answer is closed by a stop; what was queued stays queued then.
        f->engine->stop(f->lastConversation);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
        QCOMPARE(f->calls().count(u"model"_s), 1);
    }

    /// What was to steer a turn that was stopped must not begin another one, then or ever.
    void steeringOfAStoppedTurnIsReturned()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo started; sleep 1000\"}"));
        f->model.enqueue(ModelReply().text(u"Fine."_s));
        f->begin(free(u"pause"_s), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::ToolOutput).isEmpty(), 10000);
        f->submit(f->lastConversation, u"Rather not."_s, MessageDelivery::AfterStep);
        f->submit(f->lastConversation, u"And later this."_s, MessageDelivery::AfterTurn);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::UserMessage).size(), 3, 5000);
        f->engine->stop(f->lastConversation);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::QueueChanged).size(), 1, 5000);
        const Json returned = f->payloads(EventKind::QueueChanged).first();
        QCOMPARE(returned[u"state"].toString(), u"returned"_s);
        QCOMPARE(returned[u"messageId"].toString(),
                 f->payloads(EventKind::UserMessage).value(1)[u"messageId"].toString());
        // What was queued for after the turn goes on once one has finished; nothing else does.
        f->model.enqueue(ModelReply().text(u"The later one."_s));
        f->submit(f->lastConversation, u"Something else."_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->ends, QStringList({u"stopped"_s, u"finished"_s, u"finished"_s}), 20000);
        QCOMPARE(f->payloads(EventKind::TurnStart).size(), 3);
        QCOMPARE(f->model.requests().size(), 3);
        QCOMPARE(f->model.requests().last()[u"messages"].toJson().count("Rather not."), 0);
    }

    void queuedMessageStartsTheNextTurn()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s,
                                           "{\"command\":\"while [ ! -e /tmp/go ]; do sleep 0.05; done\"}"));
        f->model.enqueue(ModelReply().text(u"First."_s));
        f->model.enqueue(ModelReply().text(u"Second."_s));
        f->begin(free(u"pause"_s), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(f->calls().contains(u"START"_s), 10000);
        f->submit(f->lastConversation, u"Then this."_s, MessageDelivery::AfterTurn);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::UserMessage).size(), 2, 5000);
        touch(u"/tmp/go"_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->ends, QStringList({u"finished"_s, u"finished"_s}), 20000);
        const Json messages = f->model.requests().value(2)[u"messages"];
        QCOMPARE(messages.at(messages.size() - 1)[u"content"].at(0)[u"text"].toString(), u"Then this."_s);
        QCOMPARE(f->payloads(EventKind::TurnStart).value(1)[u"parent"].toInteger(0), 1);
    }

    void stopWhileTheModelTalks()
    {
        f->model.enqueue(ModelReply().text(u"A long story begins"_s).holdBefore(3));
        f->begin(free(u"pause"_s), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::TextDelta).isEmpty(), 10000);
        f->engine->stop(f->lastConversation);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->model.loopback()->openConnections(), 0, 5000);
        QCOMPARE(f->payloads(EventKind::ModelMessage).size(), 0);
        QCOMPARE(f->calls().last(), u"POST /sandboxes/ID/pause"_s);
        QCOMPARE(f->payloads(EventKind::Note).first()[u"rung"].toString(), u"model-closed"_s);
        // The next turn is well formed: nothing half-finished went into the history.
        f->model.enqueue(ModelReply().text(u"Fine."_s));
        f->submit(f->lastConversation, u"Go on."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
    }

    void stopWhileACommandRuns()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo started; sleep 1000\"}"));
        f->begin(free(u"keep"_s), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::ToolOutput).isEmpty(), 10000);
        f->engine->stop(f->lastConversation);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
        const Json result = f->payloads(EventKind::ToolResult).first();
        QCOMPARE(result[u"outcome"].toString(), u"known"_s);
        QCOMPARE(result[u"exitCode"].toInteger(0), 143);
        QVERIFY(result[u"result"][u"stdout"].toString().contains(u"started"_s));
        QStringList rungs;
        for (const Json &note : f->payloads(EventKind::Note))
            rungs.append(note[u"rung"].toString());
        QCOMPARE(rungs, QStringList({u"signalled"_s, u"exit-seen"_s}));
        QCOMPARE(f->calls().count(u"model"_s), 1);
    }

    void stopOfACommandThatIgnoresTerm()
    {
        f->model.enqueue(ModelReply().call(
            u"t1"_s, u"bash"_s, "{\"command\":\"trap '' TERM; echo started; while :; do sleep 1; done\"}"));
        f->begin(free(u"keep"_s), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::ToolOutput).isEmpty(), 10000);
        f->engine->stop(f->lastConversation);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
        QStringList rungs;
        for (const Json &note : f->payloads(EventKind::Note))
            rungs.append(note[u"rung"].toString());
        QVERIFY2(rungs.contains(u"killed"_s) && rungs.contains(u"exit-seen"_s), qPrintable(rungs.join(u' ')));
        QCOMPARE(f->payloads(EventKind::ToolResult).first()[u"exitCode"].toInteger(0), 137);
    }

    void stopEndsWaitingCalls()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"id\"}"));
        f->begin(asking(), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(askedCalls().size(), 1, 10000);
        f->engine->stop(f->lastConversation);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
        QCOMPARE(f->payloads(EventKind::ToolError).first()[u"reason"].toString(), u"stopped"_s);
        QVERIFY(!f->calls().contains(u"START"_s));
    }

    void deletingARunningConversationStopsItFirst()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo started; sleep 1000\"}"));
        f->begin(free(u"pause"_s), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::ToolOutput).isEmpty(), 10000);
        bool removed = false;
        f->engine->remove(f->lastConversation, true, f.get(),
                          [&removed](const Result<Done, Error> &done) { removed = done.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(removed, 15000);
        QCOMPARE(f->calls().last(), u"DELETE /sandboxes/ID"_s);
        QCOMPARE(f->ends, QStringList{u"stopped"_s});
    }

private:
    void touch(const QString &path)
    {
        // The sandbox's own files, through the engine, as a person would.
        const QString id = f->payloads(EventKind::SandboxState).last()[u"sandboxId"].toString();
        bool done = false;
        f->engine->writeFile(u"superserve"_s, id, path, "x", f.get(),
                             [&done](const Result<Done, Error> &) { done = true; });
        QTRY_VERIFY_WITH_TIMEOUT(done, 5000);
    }
};

QTEST_GUILESS_MAIN(TestSteering)
#include "tst_steering.moc"
