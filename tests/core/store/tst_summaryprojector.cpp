// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/summaryprojector.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

SummaryState project(const EventBatch &events)
{
    SummaryState state;
    for (const EventDelivery &delivery : events)
        applyToSummary(state, *delivery.event, delivery.event->json());
    return state;
}

} // namespace

class TestSummaryProjector : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void statesOfATurn()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        SummaryState state;
        QStringList states;
        for (const EventDelivery &delivery : script.all()) {
            applyToSummary(state, *delivery.event, delivery.event->json());
            if (states.isEmpty() || states.last() != state.summary.state)
                states.append(state.summary.state);
        }
        const QStringList expected = {u"idle"_s,     u"connecting"_s, u"thinking"_s, u"writing"_s,
                                      u"waiting"_s,  u"calling"_s,    u"thinking"_s, u"writing"_s,
                                      u"retrying"_s, u"thinking"_s,   u"writing"_s,  u"finished"_s};
        QCOMPARE(states, expected);
        const ConversationSummary &summary = state.summary;
        QCOMPARE(summary.id, script.conversation());
        QCOMPARE(summary.title, u"Fix the tests"_s);
        QCOMPARE(summary.stateDetail, u"One test fails."_s);
        QCOMPARE(summary.sandboxId, u"sb-1"_s);
        QCOMPARE(summary.sandboxState, u"paused"_s);
        QCOMPARE(summary.turns, 1);
        QCOMPARE(summary.steps, 2);
        QCOMPARE(summary.maxSteps, 5);
        QCOMPARE(summary.inputTokens.value(), 200);
        QCOMPARE(summary.costNanos.value(), 3000);
        QCOMPARE(summary.openTurnSeq, 0);
        QCOMPARE(summary.lastSeq, script.lastSeq());
    }

    void tellsHowLongARetryWaits()
    {
        for (const auto &[wait, detail] : {std::pair(QByteArray("17001"), u"in 18 s, Overloaded"_s),
                                           std::pair(QByteArray("0"), u"Overloaded"_s)}) {
            Tests::EventScript script;
            script.addCreated();
            script.add(EventKind::TurnStart, "{\"turn\":1}");
            script.add(EventKind::Retry,
                       "{\"what\":\"model\",\"waitMs\":" + wait + ",\"reason\":\"Overloaded\"}");
            QCOMPARE(project(script.all()).summary.state, u"retrying"_s);
            QCOMPARE(project(script.all()).summary.stateDetail, detail);
        }
    }

    void waitsUntilTheLastAnswer()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        for (const char *id : {"a", "b"}) {
            const QByteArray call =
                QByteArray("{\"callId\":\"") + id + "\",\"toolName\":\"bash\",\"args\":{\"command\":\"ls\"}";
            script.add(EventKind::ToolCall, call + "}");
            script.add(EventKind::ToolApproval, call + ",\"state\":\"asked\"}");
        }
        QCOMPARE(project(script.all()).summary.state, u"waiting"_s);
        QCOMPARE(project(script.all()).summary.stateDetail, u"bash: ls"_s);
        script.add(EventKind::ToolApproval, "{\"callId\":\"a\",\"state\":\"approved\"}");
        script.add(EventKind::ToolStart, "{\"callId\":\"a\",\"toolName\":\"bash\",\"args\":{}}");
        QCOMPARE(project(script.all()).summary.state, u"waiting"_s);
        script.add(EventKind::ToolApproval, "{\"callId\":\"b\",\"state\":\"denied\"}");
        QCOMPARE(project(script.all()).summary.state, u"calling"_s);
    }

    void namesTheCallThatMatters()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        const auto of = [](const QByteArray &id) {
            return QByteArray("{\"callId\":\"" + id + "\",\"toolName\":\"bash\",\"args\":{\"command\":\"" + id
                              + "\"}");
        };
        const auto told = [&script] {
            const ConversationSummary summary = project(script.all()).summary;
            return QString(summary.state + u' ' + summary.stateDetail);
        };
        for (const char *id : {"a", "b", "c"})
            script.add(EventKind::ToolCall, of(id) + "}");
        script.add(EventKind::ToolStart, of("a") + "}");
        script.add(EventKind::ToolStart, of("b") + "}");
        QCOMPARE(told(), u"calling bash: a"_s);
        script.add(EventKind::ToolApproval, of("c") + ",\"state\":\"asked\"}");
        QCOMPARE(told(), u"waiting bash: c"_s);
        script.add(EventKind::ToolResult, of("a") + ",\"exitCode\":0}");
        QCOMPARE(told(), u"waiting bash: c"_s);
        script.add(EventKind::ToolApproval, of("c") + ",\"state\":\"approved\"}");
        QCOMPARE(told(), u"calling bash: b"_s);
        script.add(EventKind::ToolStart, of("c") + "}");
        script.add(EventKind::ToolResult, of("b") + ",\"exitCode\":0}");
        QCOMPARE(told(), u"calling bash: c"_s);
        script.add(EventKind::ToolResult, of("c") + ",\"exitCode\":0}");
        QCOMPARE(told(), u"calling bash: c"_s); // Until the next step begins.
        script.add(EventKind::StepStart, "{\"step\":2}");
        QCOMPARE(told(), u"thinking "_s);
    }

    void stopByThePersonOrByTheEnd()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        script.add(EventKind::TurnFinish, "{\"turn\":1,\"reason\":\"stopped\"}");
        QCOMPARE(project(script.all()).summary.stateDetail, u"stopped"_s);
        script.add(EventKind::TurnStart, "{\"turn\":2}");
        script.add(EventKind::TurnFinish, "{\"turn\":2,\"reason\":\"stopped\",\"cause\":\"closed\"}");
        QCOMPARE(project(script.all()).summary.state, u"idle"_s);
        QCOMPARE(project(script.all()).summary.stateDetail, u"closed"_s);
    }

    // A list shows one line of plain words.
    void theAnswersFirstLineInPlainWords_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QString>("detail");
        QTest::newRow("heading") << u"# Heading *one*\n\nMore."_s << u"Heading one"_s;
        QTest::newRow("paragraph") << u"\n\nAll **green**, see [it](https://a.example) in `x`.\nMore."_s
                                   << u"All green, see it in x. More."_s;
        QTest::newRow("break") << u"One  \nTwo"_s << u"One"_s;
        QTest::newRow("list") << u"1. First\n2. Second"_s << u"First"_s;
        QTest::newRow("quote") << u"> - [x] Said"_s << u"Said"_s;
        QTest::newRow("code") << u"```py\n\nx = *1*\n```\n"_s << u"x = *1*"_s;
        QTest::newRow("table") << u"| a | **b** |\n|---|---|\n| 1 | 2 |"_s << u"a, b"_s;
        QTest::newRow("rule") << u"---\n\nAfter"_s << u"After"_s;
        QTest::newRow("long heading") << QString(u"# "_s + QString(20'000, u'y')) << QString(200, u'y');
        QTest::newRow("nothing") << u"***\n"_s << QString();
    }
    void theAnswersFirstLineInPlainWords()
    {
        QFETCH(QString, answer);
        QFETCH(QString, detail);
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        QByteArray payload = "{\"turn\":1,\"reason\":\"finished\",\"text\":";
        appendJsonString(payload, answer);
        script.add(EventKind::TurnFinish, payload + "}");
        const QString shown = project(script.all()).summary.stateDetail;
        QCOMPARE(shown.left(199), detail.left(199)); // A bound may end with a mark of its own.
        QVERIFY(shown.size() <= 201);
    }

    void turnEnds_data()
    {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("detail");
        QTest::newRow("finished") << u"finished"_s << u"finished"_s << u"ok"_s;
        QTest::newRow("step limit") << u"step-limit"_s << u"waiting"_s << u"step-limit"_s;
        QTest::newRow("limit") << u"limit"_s << u"waiting"_s << u"limit"_s;
        QTest::newRow("model error") << u"model-error"_s << u"failed"_s << u"key refused"_s;
        QTest::newRow("sandbox error") << u"sandbox-error"_s << u"failed"_s << u"key refused"_s;
        QTest::newRow("stopped") << u"stopped"_s << u"idle"_s << u"stopped"_s;
        QTest::newRow("interrupted") << u"interrupted"_s << u"interrupted"_s << u"key refused"_s;
    }
    void turnEnds()
    {
        QFETCH(QString, reason);
        QFETCH(QString, state);
        QFETCH(QString, detail);
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        script.add(EventKind::Error, "{\"turn\":1,\"kind\":\"model\",\"message\":\"key refused\"}");
        script.add(EventKind::TurnFinish,
                   "{\"turn\":1,\"reason\":\"" + reason.toUtf8() + "\",\"text\":\"ok\"}");
        const ConversationSummary summary = project(script.all()).summary;
        QCOMPARE(summary.state, state);
        QCOMPARE(summary.stateDetail, detail);
        QCOMPARE(summary.openTurnSeq, 0);
    }

    void unknownFiguresStayUnknown()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::StepFinish, "{\"usage\":{\"input\":null,\"output\":3},\"costNanos\":null}");
        const ConversationSummary summary = project(script.all()).summary;
        QVERIFY(!summary.inputTokens);
        QVERIFY(!summary.costNanos);
        QCOMPARE(summary.outputTokens.value(), 3);
    }

    void titles()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::UserMessage, "{\"text\":\"\\n\\u202e" + QByteArray(100, 'a') + "\\nmore\"}");
        QCOMPARE(project(script.all()).summary.title, QString(QString(59, u'a') + u'…'));
        script.add(EventKind::ConversationRenamed, "{\"title\":\"Mine\",\"by\":\"user\"}");
        script.add(EventKind::UserMessage, "{\"text\":\"second\"}");
        script.add(EventKind::ConversationArchived, "{\"archived\":true}");
        QCOMPARE(project(script.all()).summary.title, u"Mine"_s);
        QVERIFY(project(script.all()).summary.archived);
        QVERIFY(!project(script.all()).summary.deleted);
        script.add(EventKind::ConversationDeleted, "{\"sandbox\":\"none\"}");
        QVERIFY(project(script.all()).summary.deleted);
    }
};

QTEST_GUILESS_MAIN(TestSummaryProjector)
#include "tst_summaryprojector.moc"
