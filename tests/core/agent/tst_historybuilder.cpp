// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/historybuilder.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestHistoryBuilder : public Tests::Test {
    Q_OBJECT

    HistoryBuilder m_builder;
    qint64 m_seq = 0;

    void add(EventKind kind, const QByteArray &payload)
    {
        Event event;
        event.seq = ++m_seq;
        event.kind = kind;
        event.payload = payload;
        m_builder.apply(event);
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_builder = HistoryBuilder();
        m_seq = 0;
        add(EventKind::UserMessage, "{\"messageId\":\"m1\",\"text\":\"first\",\"delivery\":\"now\"}");
        add(EventKind::TurnStart, "{\"turn\":1,\"parent\":null,\"messageIds\":[\"m1\"]}");
        add(EventKind::ModelMessage,
            "{\"turn\":1,\"step\":1,\"protocol\":\"p\",\"provider\":\"a\",\"model\":\"b\",\"raw\":\"{"
            "\\\"x\\\": 1.0}\","
            "\"calls\":[{\"callId\":\"c1\",\"providerCallId\":\"t1\",\"toolName\":\"bash\"},"
            "{\"callId\":\"c2\",\"providerCallId\":\"t2\",\"toolName\":\"bash\"}]}");
    }

    void resultsComeInCallOrder()
    {
        add(EventKind::ToolError, "{\"callId\":\"c2\",\"error\":\"denied\"}");
        add(EventKind::ToolResult,
            "{\"callId\":\"c1\",\"result\":{\"stdout\":\"z\",\"stderr\":\"\",\"exitCode\":0}}");
        const QList<HistoryItem> items = m_builder.history();
        QCOMPARE(items.size(), 3);
        QCOMPARE(items[0].text, u"first"_s);
        QCOMPARE(items[1].raw, QByteArray("{\"x\": 1.0}"));
        QCOMPARE(items[2].outcomes.size(), 2);
        QCOMPARE(items[2].outcomes[0].providerCallId, u"t1"_s);
        QCOMPARE(items[2].outcomes[0].content, u"{\"stdout\":\"z\",\"stderr\":\"\",\"exitCode\":0}"_s);
        QVERIFY(!items[2].outcomes[0].isError);
        QCOMPARE(items[2].outcomes[1].content, u"denied"_s);
        QVERIFY(items[2].outcomes[1].isError);
    }

    void aCallWithoutEndStillGetsAnOutcome()
    {
        const QList<HistoryItem> items = m_builder.history();
        QCOMPARE(items.last().outcomes.size(), 2);
        QVERIFY(items.last().outcomes[0].isError);
        QVERIFY(!items.last().outcomes[0].content.isEmpty());
    }

    void steeringStandsWhereItWasDelivered()
    {
        add(EventKind::ToolResult, "{\"callId\":\"c1\",\"result\":\"text\"}");
        add(EventKind::ToolResult, "{\"callId\":\"c2\",\"result\":\"text\"}");
        add(EventKind::UserMessage, "{\"messageId\":\"m2\",\"text\":\"also\",\"delivery\":\"after-step\"}");
        QCOMPARE(m_builder.queued().size(), 1);
        QCOMPARE(m_builder.history().size(), 3);
        add(EventKind::QueueChanged, "{\"messageId\":\"m2\",\"state\":\"delivered\",\"turn\":1,\"step\":2}");
        QVERIFY(m_builder.queued().isEmpty());
        const QList<HistoryItem> items = m_builder.history();
        QCOMPARE(items.size(), 4);
        QCOMPARE(items[3].text, u"also"_s);
        QCOMPARE(items[2].outcomes[0].content, u"text"_s);
    }

    void branchesFollowTheirParents()
    {
        add(EventKind::UserMessage, "{\"messageId\":\"m2\",\"text\":\"second\",\"delivery\":\"now\"}");
        add(EventKind::TurnStart, "{\"turn\":2,\"parent\":1,\"messageIds\":[\"m2\"]}");
        add(EventKind::HeadSet, "{\"turn\":1}");
        QCOMPARE(m_builder.headTurn(), 1);
        add(EventKind::UserMessage, "{\"messageId\":\"m3\",\"text\":\"other\",\"delivery\":\"now\"}");
        add(EventKind::TurnStart, "{\"turn\":3,\"parent\":1,\"messageIds\":[\"m3\"]}");
        QCOMPARE(m_builder.history().last().text, u"other"_s);
        QCOMPARE(m_builder.history().size(), 4);
        QCOMPARE(m_builder.history(2).last().text, u"second"_s);
    }

    void aParentLoopEnds()
    {
        add(EventKind::TurnStart, "{\"turn\":2,\"parent\":2,\"messageIds\":[]}");
        QVERIFY(m_builder.history().size() <= 3);
    }

    void nothingGoesBackWithoutRaw()
    {
        add(EventKind::UserMessage, "{\"messageId\":\"m2\",\"text\":\"second\",\"delivery\":\"now\"}");
        add(EventKind::TurnStart, "{\"turn\":2,\"parent\":1,\"messageIds\":[\"m2\"]}");
        const qsizetype before = m_builder.history().size();
        add(EventKind::ModelMessage, "{\"turn\":2,\"step\":1,\"calls\":[],\"finishReason\":\"refusal\"}");
        QCOMPARE(m_builder.history().size(), before);
    }
};

QTEST_GUILESS_MAIN(TestHistoryBuilder)
#include "tst_historybuilder.moc"
