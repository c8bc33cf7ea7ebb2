// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/execeventparser.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

/// All events as one text, so that two ways of feeding can be compared.
QByteArray flat(const QList<ExecEvent> &events)
{
    QByteArray text;
    for (const ExecEvent &event : events) {
        if (event.kind == ExecEvent::Kind::Output)
            text += (event.channel == OutputChannel::Stdout ? "out[" : "err[") + event.bytes + ']';
        else
            text += "end[" + QByteArray::number(static_cast<int>(event.outcome.known)) + ','
                + QByteArray::number(event.outcome.exitCode.value_or(-1)) + ']';
    }
    return text;
}

} // namespace

class TestExecEventParser : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void everySplit()
    {
        const QByteArray stream =
            ": keepalive\n\n"
            "data: {\"timestamp\":\"t\",\"stdout\":\"a\xE4\xBD\xA0\\n\"}\n\n"
            "data:{\"stderr\":\"b\",\"new\":[1]}\r\n\r\n"
            "data: {\"stdout\":\"c\"}\ndata: {\"stdout\":\"d\"}\n\n" // two events, no gap
            "data: not json\n\nevent: x\n\ndata: [DONE]\n\ndata:\n\nid: 7\n\n"
            "data: {\"exit_code\":7,\"finished\":true}\n\n";
        const QByteArray expected = "out[a\xE4\xBD\xA0\n]err[b]out[c]out[d]end[1,7]";
        for (qsizetype cut = 0; cut <= stream.size(); ++cut) {
            ExecEventParser parser;
            QList<ExecEvent> events = parser.feed(stream.left(cut));
            events += parser.feed(stream.mid(cut));
            QCOMPARE(flat(events), expected);
        }
        ExecEventParser bytewise;
        QList<ExecEvent> events;
        for (const char byte : stream)
            events += bytewise.feed(QByteArray(1, byte));
        QCOMPARE(flat(events), expected);
    }

    void ends_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<bool>("outputSeen");
        QTest::addColumn<int>("known"); // 0: no end
        QTest::addColumn<int>("exitCode");
        const int exited = static_cast<int>(CommandOutcome::Known::Exited);
        const int notStarted = static_cast<int>(CommandOutcome::Known::NotStarted);
        const int unknown = static_cast<int>(CommandOutcome::Known::Unknown);
        QTest::newRow("0") << QByteArray("{\"exit_code\":0,\"finished\":true}") << true << exited << 0;
        QTest::newRow("124") << QByteArray("{\"exit_code\":124,\"finished\":true}") << true << exited << 124;
        QTest::newRow("missing is not 0") << QByteArray("{\"finished\":true}") << false << unknown << -1;
        QTest::newRow("null is not 0")
            << QByteArray("{\"exit_code\":null,\"finished\":true}") << false << unknown << -1;
        QTest::newRow("error") << QByteArray(
            "{\"error\":\"no such directory\",\"code\":\"exec_failed\",\"finished\":true}")
                               << false << notStarted << -1;
        QTest::newRow("error with exit code")
            << QByteArray("{\"error\":\"x\",\"code\":\"bad_request\",\"exit_code\":0,\"finished\":true}")
            << false << notStarted << -1;
        QTest::newRow("error after output")
            << QByteArray("{\"error\":\"x\",\"code\":\"exec_failed\",\"finished\":true}") << true << unknown
            << -1;
        QTest::newRow("gone") << QByteArray("{\"error\":\"x\",\"code\":\"gone\",\"finished\":true}") << false
                              << unknown << -1;
        QTest::newRow("not finished")
            << QByteArray("{\"exit_code\":0,\"finished\":false}") << false << 0 << -1;
        QTest::newRow("other") << QByteArray("{\"type\":\"hello\"}") << false << 0 << -1;
        QTest::newRow("array") << QByteArray("[true]") << false << 0 << -1;
    }
    void ends()
    {
        QFETCH(QByteArray, json);
        QFETCH(bool, outputSeen);
        const Result<Json, JsonError> parsed = parseJson(json);
        QVERIFY(parsed.has_value());
        const std::optional<CommandOutcome> outcome = ExecEventParser::finishedOutcome(*parsed, outputSeen);
        QTEST(outcome ? static_cast<int>(outcome->known) : 0, "known");
        if (!outcome)
            return;
        QTEST(outcome->exitCode.value_or(-1), "exitCode");
        QCOMPARE(outcome->error.has_value(), outcome->known != CommandOutcome::Known::Exited);
        if (outcome->error)
            QCOMPARE(outcome->error->outcomeUnknown, outcome->known == CommandOutcome::Known::Unknown);
    }

    void endlessLine()
    {
        ExecEventParser parser;
        const QByteArray megabyte(1024 * 1024, 'x');
        for (int i = 0; i < 17 && !parser.overflowed(); ++i)
            QVERIFY(parser.feed(megabyte).isEmpty());
        QVERIFY(parser.overflowed());
        QVERIFY(parser.feed("\ndata: {\"exit_code\":0,\"finished\":true}\n\n").isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestExecEventParser)
#include "tst_execeventparser.moc"
