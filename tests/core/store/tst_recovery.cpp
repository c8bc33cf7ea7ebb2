// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/recovery.h"
#include "store/summaryprojector.h"
#include "store/transcriptprojector.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

QList<EventPtr> pointers(const EventBatch &events)
{
    QList<EventPtr> out;
    for (const EventDelivery &delivery : events)
        out.append(delivery.event);
    return out;
}

} // namespace

class TestRecovery : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void messagesThatDidNotSteerAreReturned()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::UserMessage, "{\"messageId\":\"a\",\"text\":\"go\",\"delivery\":\"now\"}");
        script.add(EventKind::TurnStart, "{\"turn\":1,\"messageIds\":[\"a\"]}");
        for (const char *id : {"b", "c"})
            script.add(EventKind::UserMessage,
                       QByteArray("{\"messageId\":\"") + id
                           + "\",\"text\":\"x\",\"delivery\":\"after-step\"}");
        script.add(EventKind::UserMessage,
                   "{\"messageId\":\"d\",\"text\":\"y\",\"delivery\":\"after-turn\"}");
        script.add(EventKind::QueueChanged,
                   "{\"messageId\":\"b\",\"state\":\"delivered\",\"turn\":1,\"step\":2}");
        const QList<PendingEvent> closing = closingEvents(pointers(script.all()));
        QCOMPARE(closing.size(), 2);
        QCOMPARE(closing[0].kind, EventKind::TurnFinish);
        QCOMPARE(closing[1].kind, EventKind::QueueChanged);
        const Json returned = parseJson(closing[1].payload).value_or(Json());
        QCOMPARE(returned[u"messageId"].toString(), u"c"_s);
        QCOMPARE(returned[u"state"].toString(), u"returned"_s);
    }

    // The process may end after any event of a turn.
    void everyCutIsClosed_data()
    {
        QTest::addColumn<int>("cut");
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        for (int cut = 0; cut <= script.lastSeq(); ++cut)
            QTest::addRow("after event %d", cut) << cut;
    }
    void everyCutIsClosed()
    {
        QFETCH(int, cut);
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        Tests::EventScript cutScript(script.conversation());
        for (const EventDelivery &delivery : script.all().mid(0, cut))
            cutScript.add(delivery.event->kind, delivery.event->payload, delivery.bytes);
        constexpr int TurnStartAt = 3; // conversation-created, user-message, turn-start
        const QList<PendingEvent> closing = closingEvents(pointers(cutScript.all().mid(TurnStartAt - 1)));
        const bool isOpen = cut >= TurnStartAt && cut < script.lastSeq();
        QCOMPARE(closing.isEmpty(), !isOpen);
        if (!isOpen)
            return;
        QHash<QString, int> calls;
        QHash<QString, bool> started;
        QHash<QString, int> ends;
        for (const PendingEvent &pending : closing) {
            // What closes a turn starts nothing and asks nobody.
            QVERIFY(pending.kind == EventKind::ToolResult || pending.kind == EventKind::ToolError
                    || pending.kind == EventKind::TurnFinish);
            QVERIFY(parseJson(pending.payload));
            cutScript.add(pending.kind, pending.payload);
        }
        for (const EventDelivery &delivery : cutScript.all()) {
            const Json payload = delivery.event->json();
            const QString id = payload[u"callId"].toString();
            if (delivery.event->kind == EventKind::ToolCall)
                ++calls[id];
            if (delivery.event->kind == EventKind::ToolStart)
                started[id] = true;
            if (delivery.event->kind == EventKind::ToolResult || delivery.event->kind == EventKind::ToolError)
                ++ends[id];
        }
        QCOMPARE(ends.size(), calls.size());
        for (auto it = calls.cbegin(); it != calls.cend(); ++it)
            QCOMPARE(ends.value(it.key()), 1);
        for (const PendingEvent &pending : closing) {
            const Json payload = parseJson(pending.payload).value();
            const QString id = payload[u"callId"].toString();
            if (pending.kind == EventKind::ToolResult) {
                QVERIFY(started.value(id));
                QCOMPARE(payload[u"outcome"].toString(), u"unknown"_s);
            } else if (pending.kind == EventKind::ToolError) {
                QVERIFY(!started.value(id));
                QCOMPARE(payload[u"reason"].toString(), u"not-run"_s);
            }
        }
        QCOMPARE(closing.last().kind, EventKind::TurnFinish);
        const Json finish = parseJson(closing.last().payload).value();
        QCOMPARE(finish[u"reason"].toString(), u"interrupted"_s);
        QCOMPARE(finish[u"turn"].toInteger(0), 1);
        // Closed once means closed.
        QVERIFY(closingEvents(pointers(cutScript.all())).isEmpty());
        TranscriptProjector projector(script.conversation());
        SummaryState summary;
        QHash<qint64, bool> open;
        for (const EventDelivery &delivery : cutScript.all()) {
            applyToSummary(summary, *delivery.event, delivery.event->json());
            for (const qint64 number : projector.apply(*delivery.event, delivery.bytes))
                open[number] = !projector.row(number)->closed;
        }
        QVERIFY(!open.values().contains(true));
        QCOMPARE(summary.summary.state, u"interrupted"_s);
        QCOMPARE(summary.summary.openTurnSeq, 0);
    }

    void sumsWhatIsKnown()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        EventBatch cut = script.all();
        cut.removeLast();
        const QList<PendingEvent> closing = closingEvents(pointers(cut));
        QCOMPARE(closing.size(), 1);
        QCOMPARE(closing[0].payload,
                 QByteArray("{\"turn\":1,\"reason\":\"interrupted\",\"text\":\"One test "
                            "fails.\",\"steps\":2,\"usage\":{\"input\":200,"
                            "\"output\":40,\"cacheRead\":null,\"cacheWrite\":null,\"reasoning\":null},"
                            "\"costNanos\":3000}"));
    }

    void aSandboxThatWasBeingCreatedStaysSo()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        script.add(EventKind::SandboxState,
                   "{\"state\":\"creating\",\"sandboxId\":null,\"attemptToken\":\"t\"}");
        const QList<PendingEvent> closing = closingEvents(pointers(script.all()));
        QCOMPARE(closing.size(), 1);
        QCOMPARE(closing[0].kind, EventKind::TurnFinish);
        SummaryState state;
        for (const PendingEvent &pending : closing)
            script.add(pending.kind, pending.payload);
        for (const EventDelivery &delivery : script.all())
            applyToSummary(state, *delivery.event, delivery.event->json());
        QCOMPARE(state.summary.sandboxState, u"creating"_s);
        QCOMPARE(state.summary.sandboxId, QString());
    }

    void brokenPayloadsAreSurvived()
    {
        Tests::EventScript script;
        for (int i = int(EventKind::ConversationCreated); i <= int(EventKind::Error); ++i) {
            for (const char *payload :
                 {"", "{", "{\"turn\":\"x\",\"callId\":3,\"usage\":[],\"text\":{}}", "{\"turn\":1e300}"})
                script.add(static_cast<EventKind>(i), payload);
        }
        QVERIFY(closingEvents(pointers(script.all())).isEmpty());
        script.add(EventKind::TurnStart, "nonsense");
        QCOMPARE(closingEvents(pointers(script.all())).size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestRecovery)
#include "tst_recovery.moc"
