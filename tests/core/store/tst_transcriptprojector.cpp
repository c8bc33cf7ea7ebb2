// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/transcriptprojector.h"
#include "support/testmain.h"
#include "text/dataaddress.h"

#include <QRandomGenerator>
#include <QTest>

#include <map>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

// All rows as a view would have them after following the events.
std::map<qint64, TranscriptRow> project(const EventBatch &events)
{
    TranscriptProjector projector(u"c"_s);
    std::map<qint64, TranscriptRow> rows;
    for (const EventDelivery &delivery : events) {
        for (const qint64 number : projector.apply(*delivery.event, delivery.bytes))
            rows[number] = *projector.row(number);
    }
    return rows;
}

QStringList shape(const std::map<qint64, TranscriptRow> &rows)
{
    static const QStringList Names = {u""_s,     u"User"_s,   u"Text"_s,  u"Reasoning"_s, u"Call"_s,
                                      u"Step"_s, u"Notice"_s, u"Error"_s, u"TurnEnd"_s};
    QStringList out;
    for (const auto &[number, row] : rows) {
        QString line = Names[static_cast<int>(row.kind)] + u'|' + row.text;
        if (row.kind == TranscriptRow::Kind::Call)
            line += u'|' + row.data[u"state"].toString();
        if (row.withdrawn)
            line += u"|withdrawn"_s;
        if (!row.closed)
            line += u"|open"_s;
        out += line;
    }
    return out;
}

} // namespace

class TestTranscriptProjector : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void aTurn()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const auto rows = project(script.all());
        const QStringList expected = {
            u"User|Fix the tests\nplease"_s,
            u"Step|Step 1"_s,
            u"Reasoning|Let me think."_s,
            u"Text|I run pytest."_s,
            u"Call|bash: pytest -q|failed"_s,
            u"Call|bash: rm -rf /|denied"_s,
            u"Call|teleport|failed"_s,
            u"Step|Step 2|withdrawn"_s,
            u"Text|Half an ans|withdrawn"_s,
            u"Notice|Trying again (model): connection lost"_s,
            u"Step|Step 2"_s,
            u"Text|One test fails."_s,
            u"TurnEnd|finished"_s,
        };
        QCOMPARE(shape(rows), expected);
        const TranscriptRow &call = rows.at(5);
        QCOMPARE(call.data[u"lastLine"].toString(), u"1 failed, 2 passed"_s);
        QCOMPARE(call.data[u"stdoutBytes"].toInteger(0), 37);
        QCOMPARE(call.data[u"stderrBytes"].toInteger(0), 23);
        QCOMPARE(call.data[u"exitCode"].toInteger(0), 1);
        QCOMPARE(call.data[u"durationMs"].toInteger(0), 900);
        QCOMPARE(call.data[u"args"][u"command"].toString(), u"pytest -q"_s);
        QCOMPARE(rows.at(2).data[u"usage"][u"input"].toInteger(0), 100);
        QCOMPARE(rows.at(2).data[u"toolMs"].toInteger(0), 900);
        QCOMPARE(rows.at(1).turn, 1);
        QCOMPARE(rows.at(4).firstSeq, 9);
        QCOMPARE(rows.at(4).lastSeq, 10);
    }

    // The order in which both channels spoke is kept for the last lines only, however often they change.
    void theOrderOfOutputIsKept()
    {
        Tests::EventScript script;
        script.addCreated();
        const QString id = newId();
        script.add(EventKind::ToolCall,
                   "{\"turn\":1,\"step\":1,\"attempt\":1,\"callId\":\"" + id.toUtf8()
                       + "\",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
        script.addOutput(1, 1, id, "one\n");
        script.addOutput(1, 1, id, "two\n");
        script.addOutput(1, 1, id, "bad\n", "stderr");
        script.addOutput(1, 1, id, "three\n");
        QCOMPARE(project(script.all()).at(1).data[u"outputRuns"].toJson(), QByteArray("[8,-4,6]"));
        for (int i = 0; i < 200; ++i)
            script.addOutput(1, 1, id, "x\n", i % 2 ? "stdout" : "stderr");
        const auto rows = project(script.all());
        const Json &runs = rows.at(1).data[u"outputRuns"];
        QCOMPARE(runs.size(), 24);
        QCOMPARE(runs.elements().back().toInteger(0), 2);
        QCOMPARE(runs.elements().front().toInteger(0), -2);
    }

    void troubleWithTheMachineIsTold_data()
    {
        QTest::addColumn<QByteArray>("state");
        QTest::addColumn<QString>("words");
        QTest::newRow("gone") << QByteArray("gone") << u"Notice|The machine is gone: why"_s;
        QTest::newRow("lost") << QByteArray("lost") << u"Notice|The machine is lost: why"_s;
        QTest::newRow("failed") << QByteArray("failed") << u"Notice|The machine could not be started: why"_s;
        QTest::newRow("unknown") << QByteArray("unknown")
                                 << u"Notice|The state of the machine is not known: why"_s;
        QTest::newRow("paused") << QByteArray("paused") << QString();
    }
    void troubleWithTheMachineIsTold()
    {
        QFETCH(QByteArray, state);
        QFETCH(QString, words);
        Tests::EventScript script;
        script.add(EventKind::SandboxState,
                   "{\"state\":\"" + state + "\",\"sandboxId\":\"sb\",\"detail\":\"why\"}");
        QCOMPARE(shape(project(script.all())), words.isEmpty() ? QStringList() : QStringList{words});
    }

    void goesOnFromOpenRows()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const auto whole = shape(project(script.all()));
        for (qsizetype cut = 0; cut <= script.all().size(); ++cut) {
            auto rows = project(script.all().mid(0, cut));
            QList<TranscriptRow> open;
            for (const auto &[number, row] : rows) {
                if (!row.closed)
                    open.append(row);
            }
            TranscriptProjector second(u"c"_s, static_cast<qint64>(rows.size()), open);
            for (const EventDelivery &delivery : script.all().mid(cut)) {
                for (const qint64 number : second.apply(*delivery.event, delivery.bytes))
                    rows[number] = *second.row(number);
            }
            QCOMPARE(shape(rows), whole);
        }
    }

    void closedRowsNeverChange()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        script.addTurn(2);
        TranscriptProjector projector(u"c"_s);
        QSet<qint64> closed;
        for (const EventDelivery &delivery : script.all()) {
            for (const qint64 number : projector.apply(*delivery.event, delivery.bytes)) {
                QVERIFY(!closed.contains(number));
                if (projector.row(number)->closed)
                    closed.insert(number);
            }
        }
        QCOMPARE(closed.size(), projector.lastRow());
    }

    void aQueuedMessageMovesToWhereItWasDelivered()
    {
        Tests::EventScript script;
        script.add(EventKind::UserMessage, "{\"messageId\":\"m1\",\"text\":\"first\",\"delivery\":\"now\"}");
        script.add(EventKind::TurnStart, "{\"turn\":1,\"messageIds\":[\"m1\"]}");
        script.add(EventKind::StepStart, "{\"turn\":1,\"step\":1,\"attempt\":1}");
        script.add(EventKind::UserMessage,
                   "{\"messageId\":\"m2\",\"text\":\"steer\",\"delivery\":\"after-step\"}");
        script.add(EventKind::UserMessage,
                   "{\"messageId\":\"m3\",\"text\":\"never\",\"delivery\":\"after-turn\"}");
        script.add(EventKind::TextDelta,
                   "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\"answer\"}");
        script.add(EventKind::QueueChanged, "{\"messageId\":\"m3\",\"state\":\"removed\"}");
        script.add(EventKind::StepFinish, "{\"turn\":1,\"step\":1,\"attempt\":1}");
        script.add(EventKind::QueueChanged,
                   "{\"messageId\":\"m2\",\"state\":\"delivered\",\"turn\":1,\"step\":2}");
        const QStringList expected = {u"User|first"_s,           u"Step|Step 1"_s, u"User||withdrawn"_s,
                                      u"User|never|withdrawn"_s, u"Text|answer"_s, u"User|steer"_s};
        const auto rows = project(script.all());
        QCOMPARE(shape(rows), expected);
        QCOMPARE(rows.at(6).step, 2);
    }

    void whatDidNotSteerItsTurnStaysAsNotSent()
    {
        Tests::EventScript script;
        script.add(EventKind::TurnStart, "{\"turn\":1,\"messageIds\":[]}");
        script.add(EventKind::UserMessage,
                   "{\"messageId\":\"m2\",\"text\":\"steer\",\"delivery\":\"after-step\"}");
        script.add(EventKind::TurnFinish, "{\"turn\":1,\"reason\":\"stopped\"}");
        script.add(EventKind::QueueChanged, "{\"messageId\":\"m2\",\"state\":\"returned\"}");
        const auto rows = project(script.all());
        QCOMPARE(shape(rows).value(0), u"User|steer"_s);
        QCOMPARE(rows.at(1).data[u"state"].toString(), u"returned"_s);
        QVERIFY(rows.at(1).closed);
    }

    void anEditedCallShowsWhatRuns()
    {
        Tests::EventScript script;
        const QByteArray call = "{\"turn\":1,\"step\":1,\"callId\":\"k\",\"toolName\":\"bash\"";
        script.add(EventKind::ToolCall, call + ",\"args\":{\"command\":\"rm x\"}}");
        script.add(EventKind::ToolApproval,
                   call + ",\"state\":\"edited\",\"by\":\"user\",\"args\":{\"command\":\"ls x\"}}");
        QCOMPARE(shape(project(script.all())), QStringList{u"Call|bash: ls x|approved|open"_s});
    }

    // What cards say: how long a thought took, when a call was asked for, how long a file was.
    void rowsCarryWhatCardsSay()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const QByteArray call = "{\"turn\":2,\"step\":1,\"attempt\":1,\"callId\":\"r\"";
        script.add(EventKind::ToolCall,
                   call + ",\"providerCallId\":\"p\",\"toolName\":\"readFile\",\"args\":{\"path\":\"/a\"}}");
        const EventDelivery asked =
            script.add(EventKind::ToolApproval,
                       call + ",\"state\":\"asked\",\"by\":\"policy\",\"rule\":\"*\",\"reason\":\"\"}");
        script.add(
            EventKind::ToolResult,
            call + ",\"toolName\":\"readFile\",\"result\":{\"content\":\"a\\nb\\nc\"},\"exitCode\":null}");
        const auto rows = project(script.all());
        const TranscriptRow &read = rows.rbegin()->second;
        QCOMPARE(read.data[u"askedMs"].toInteger(0), asked.event->atMs);
        QCOMPARE(read.data[u"resultLines"].toInteger(0), 3);
        QVERIFY(!read.data.contains(u"content"));
        for (const auto &[number, row] : rows) {
            if (row.kind == TranscriptRow::Kind::Reasoning)
                QCOMPARE(row.data[u"endMs"].toInteger(0), row.atMs + 1); // Its second piece.
        }
    }

    void ends_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("state");
        const int result = static_cast<int>(EventKind::ToolResult);
        const int error = static_cast<int>(EventKind::ToolError);
        QTest::newRow("success") << QByteArray(",\"exitCode\":0,\"outcome\":\"known\"") << result
                                 << u"done"_s;
        QTest::newRow("no exit code")
            << QByteArray(",\"exitCode\":null,\"outcome\":\"known\"") << result << u"done"_s;
        QTest::newRow("exit code") << QByteArray(",\"exitCode\":2,\"outcome\":\"known\"") << result
                                   << u"failed"_s;
        QTest::newRow("error result")
            << QByteArray(",\"result\":{\"error\":true},\"exitCode\":null") << result << u"failed"_s;
        QTest::newRow("error text") << QByteArray(
            ",\"result\":\"Reading /a failed: file not found\",\"isError\":true,\"exitCode\":null")
                                    << result << u"failed"_s;
        QTest::newRow("unknown") << QByteArray(",\"exitCode\":0,\"outcome\":\"unknown\"") << result
                                 << u"unknown"_s;
        QTest::newRow("told to stop")
            << QByteArray(",\"exitCode\":143,\"outcome\":\"known\",\"stopped\":true") << result
            << u"stopped"_s;
        QTest::newRow("denied") << QByteArray(",\"reason\":\"denied\"") << error << u"denied"_s;
        QTest::newRow("stopped") << QByteArray(",\"reason\":\"stopped\"") << error << u"stopped"_s;
        QTest::newRow("not run") << QByteArray(",\"reason\":\"not-run\"") << error << u"not-run"_s;
        QTest::newRow("bad arguments")
            << QByteArray(",\"reason\":\"invalid-arguments\"") << error << u"failed"_s;
        QTest::newRow("turn ended") << QByteArray(",\"reason\":\"interrupted\"") << int(EventKind::TurnFinish)
                                    << u"unknown"_s;
    }
    void ends()
    {
        QFETCH(QByteArray, end);
        QFETCH(int, kind);
        QFETCH(QString, state);
        Tests::EventScript script;
        const QByteArray call = "{\"turn\":1,\"step\":1,\"callId\":\"k\",\"toolName\":\"bash\"";
        script.add(EventKind::ToolCall, call + ",\"args\":{}}");
        script.add(EventKind::ToolStart, call + ",\"args\":{}}");
        script.add(static_cast<EventKind>(kind), call + end + "}");
        const auto rows = project(script.all());
        QCOMPARE(rows.at(1).data[u"state"].toString(), state);
        QVERIFY(rows.at(1).closed);
        if (end.contains("file not found"))
            QCOMPARE(rows.at(1).data[u"error"].toString(), u"Reading /a failed: file not found"_s);
    }

    void longTextIsBounded()
    {
        Tests::EventScript script;
        for (int i = 0; i < 30; ++i)
            script.add(EventKind::TextDelta,
                       "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\""
                           + QByteArray(100'000, 'x') + "\"}");
        script.add(EventKind::UserMessage,
                   "{\"messageId\":\"m\",\"text\":\"" + QByteArray(3'000'000, 'y')
                       + "\",\"delivery\":\"now\"}");
        script.add(EventKind::ToolCall,
                   "{\"turn\":1,\"step\":1,\"callId\":\"k\",\"toolName\":\"" + QByteArray(100'000, 'n')
                       + "\",\"args\":{\"a\":\"" + QByteArray(1'000'000, 'z') + "\",\"b\":["
                       + QByteArray("1,").repeated(100'000) + "1]}}");
        const auto rows = project(script.all());
        QCOMPARE(rows.size(), size_t(3));
        QCOMPARE(rows.at(1).text.size(), TranscriptProjector::MaxText);
        QVERIFY(rows.at(1).data[u"cut"].toBool());
        QCOMPARE(rows.at(2).text.size(), TranscriptProjector::MaxText);
        QVERIFY(rows.at(3).data.toJson().size() < 64 * 1024);
        QVERIFY(rows.at(3).data[u"argsCut"].toBool());
        QVERIFY(rows.at(3).text.size() <= 200);
    }

    // Of a picture in a text only the begin is kept, however the text was cut, and what follows it stays.
    void picturesAreShortened_data()
    {
        QTest::addColumn<int>("piece");
        QTest::newRow("at once") << 1'000'000;
        QTest::newRow("large pieces") << 65'536;
        QTest::newRow("odd pieces") << 7'919;
    }
    void picturesAreShortened()
    {
        QFETCH(int, piece);
        const QByteArray address = "data:image/png;base64," + QByteArray(300'000, 'A');
        const QByteArray text = "See ![one](" + address + ") and ![two](" + address + ") there.";
        Tests::EventScript script;
        for (int at = 0; at < text.size(); at += piece)
            script.add(EventKind::TextDelta,
                       "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\"" + text.mid(at, piece)
                           + "\"}");
        const auto rows = project(script.all());
        QCOMPARE(rows.size(), size_t(1));
        const QByteArray kept = address.left(DataAddress::Kept);
        QCOMPARE(rows.at(1).text.toUtf8(),
                 QByteArray("See ![one](" + kept + ") and ![two](" + kept + ") there."));
        QVERIFY(!rows.at(1).data.contains(u"cut"));
    }

    // Thoughts are over when the answer begins, also for who reads the row while it is open.
    void thoughtsEndWithTheAnswer()
    {
        Tests::EventScript script;
        const QByteArray place = "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":";
        script.add(EventKind::ReasoningDelta, place + "0,\"text\":\"hm\"}");
        QVERIFY(!project(script.all()).at(1).data[u"over"].toBool());
        const qint64 lastThought = script.lastSeq();
        script.add(EventKind::TextDelta, place + "1,\"text\":\"so\"}");
        const auto written = project(script.all());
        QVERIFY(written.at(1).data[u"over"].toBool());
        QVERIFY(!written.at(1).closed);
        QCOMPARE(written.at(1).lastSeq, lastThought);
        script.add(EventKind::ReasoningDelta, place + "0,\"text\":\"wait\"}");
        QVERIFY(!project(script.all()).at(1).data[u"over"].toBool());
    }

    void hostilePayloads()
    {
        const QByteArrayList payloads = {
            "",
            "{",
            "[]",
            "null",
            "{\"turn\":-1,\"step\":1e99,\"attempt\":\"x\",\"part\":[],\"text\":\"t\"}",
            "{\"turn\":99999999999999999999,\"text\":\"\\ud800\",\"callId\":{},\"messageId\":7}",
            "{\"callId\":\"k\",\"toolName\":\"\\u0000\\u202e\",\"args\":\"text\",\"text\":\"\\u0000\","
            "\"state\":\"asked\"}",
            "{\"callId\":\"k\",\"channel\":\"stdout\",\"offset\":9223372036854775807,\"length\":"
            "9223372036854775807}",
            "{\"callId\":\"k\",\"channel\":\"stdout\",\"offset\":-5,\"length\":-5,\"exitCode\":\"0\","
            "\"usage\":3}",
            "{\"messageIds\":{\"a\":1},\"state\":\"lost\",\"detail\":[1],\"reason\":{},\"message\":null}",
            QByteArray("{\"args\":") + QByteArray(5000, '[') + QByteArray(5000, ']') + "}",
            "{\"callId\":\"k\",\"args\":" + QByteArray("{\"a\":").repeated(100) + "1" + QByteArray(100, '}')
                + "}",
            "{\"text\":\"\xff\"}",
        };
        QRandomGenerator random(7);
        TranscriptProjector projector(u"c"_s);
        for (int i = 0; i < 20'000; ++i) {
            Event event;
            event.conversation = u"c"_s;
            event.seq = i + 1;
            event.kind = static_cast<EventKind>(
                random.bounded(int(EventKind::ConversationCreated), int(EventKind::Error) + 1));
            event.payload = payloads[random.bounded(payloads.size())];
            for (const qint64 number : projector.apply(event, "x\xff\x1b[")) {
                const TranscriptRow *row = projector.row(number);
                QVERIFY(row);
                QVERIFY(parseJson(row->data.toJson()));
            }
        }
        QVERIFY(projector.lastRow() > 0);
    }
};

QTEST_GUILESS_MAIN(TestTranscriptProjector)
#include "tst_transcriptprojector.moc"
