// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "transcript/callcard.h"
#include "transcript/calloutput.h"
#include "transcript/rowtext.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

TranscriptRow callRow(const QByteArray &members)
{
    TranscriptRow row;
    row.kind = TranscriptRow::Kind::Call;
    row.text = u"bash: pytest -q"_s;
    row.data = parseJson(members).value_or(Json());
    return row;
}

TranscriptRow rowOf(TranscriptRow::Kind kind, const QString &text, const QByteArray &members = "{}")
{
    TranscriptRow row;
    row.kind = kind;
    row.text = text;
    row.data = parseJson(members).value_or(Json());
    return row;
}

} // namespace

namespace {

CallBytes stdoutOf(const QByteArray &bytes, qint64 total)
{
    CallBytes out;
    out.bytes[0] = bytes;
    out.total[0] = total;
    out.from[0] = total - bytes.size();
    return out;
}

QStringList linesOf(const CallOutput &output)
{
    QStringList lines;
    for (const LineStore::Row &row : output.lines) {
        QString line = row.channel == LineStore::Channel::Stderr ? u"!"_s : QString();
        for (const AnsiSpan &span : row.spans)
            line += span.text;
        lines.append(line);
    }
    return lines;
}

} // namespace

class TestRowText : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void callStates_data()
    {
        QTest::addColumn<QByteArray>("members");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("glyph");
        QTest::addColumn<QString>("right"); // Result and time.
        QTest::addColumn<QString>("second");
        const auto add = [](const char *name, const QByteArray &members, const QString &word,
                            const QString &glyph, const QString &right, const QString &second) {
            QTest::newRow(name) << members << word << glyph << right << second;
        };
        add("writing", "{\"toolName\":\"bash\",\"state\":\"proposed\"}", u"Writing"_s, u"proposed"_s, u"|"_s,
            {});
        add("waiting", "{\"toolName\":\"bash\",\"state\":\"waiting\",\"askedMs\":1000}", u"Waiting for you"_s,
            u"approval"_s, u"|1m"_s, {});
        add("running",
            "{\"toolName\":\"bash\",\"state\":\"running\",\"startedMs\":1000,\"lastLine\":\"3 of 9\"}",
            u"Running"_s, u"calling"_s, u"|1m 12s"_s, u"3 of 9"_s);
        add("done", "{\"toolName\":\"bash\",\"state\":\"done\",\"exitCode\":0,\"durationMs\":400}", {},
            u"finished"_s, u"|0.4 s"_s, {});
        add("done, with words",
            "{\"state\":\"done\",\"exitCode\":0,\"durationMs\":400,\"lastLine\":\"24 passed\"}", {},
            u"finished"_s, u"24 passed|0.4 s"_s, {});
        add("read", "{\"state\":\"done\",\"resultLines\":57,\"durationMs\":100}", {}, u"finished"_s,
            u"57 lines|0.1 s"_s, {});
        add("written", "{\"state\":\"done\",\"args\":{\"content\":\"a\\nb\\n\"},\"durationMs\":100}", {},
            u"finished"_s, u"wrote 2 lines|0.1 s"_s, {});
        add("edited",
            "{\"state\":\"done\",\"exitCode\":0,\"approval\":{\"state\":\"edited\"},\"durationMs\":1900}", {},
            u"finished"_s, u"edited by you|1.9 s"_s, {});
        add("exit 1",
            "{\"state\":\"failed\",\"exitCode\":1,\"durationMs\":24100,\"lastLine\":\"9 of 240 failed\"}",
            u"exit 1"_s, u"exitbad"_s, u"9 of 240 failed|24.1 s"_s, {});
        add("failed", "{\"state\":\"failed\",\"exitCode\":null,\"error\":\"no such tool\"}", u"Tool failed"_s,
            u"failed"_s, u"|"_s, u"no such tool"_s);
        add("denied",
            "{\"state\":\"denied\",\"approval\":{\"by\":\"user\",\"reason\":\"too broad\"},\"error\":\"x\"}",
            u"Denied by you"_s, u"denied"_s, u"|"_s, u"“too broad”"_s);
        add("denied by rule", "{\"state\":\"denied\",\"approval\":{\"by\":\"policy\"}}",
            u"Denied by a rule"_s, u"denied"_s, u"|"_s, {});
        add("unknown", "{\"state\":\"unknown\",\"exitCode\":0}", u"Outcome unknown"_s, u"interrupted"_s,
            u"|"_s, u"The program ended while it ran"_s);
        add("stopped",
            "{\"state\":\"stopped\",\"exitCode\":130,\"durationMs\":41000,\"stdoutBytes\":2100000}",
            u"Stopped"_s, u"stopping"_s, u"|41.0 s"_s, u"exit 130; 2.1 MB of output kept"_s);
        add("stopped, its end was seen",
            "{\"state\":\"stopped\",\"exitCode\":143,\"receipt\":\"The command ended with exit code 143.\","
            "\"stdoutBytes\":297}",
            u"Stopped"_s, u"stopping"_s, u"|"_s,
            u"The command ended with exit code 143; 297 B of output kept"_s);
        add("stopped, another receipt",
            "{\"state\":\"stopped\",\"exitCode\":14,\"receipt\":\"It ended with exit code 143.\"}",
            u"Stopped"_s, u"stopping"_s, u"|"_s, u"It ended with exit code 143; exit 14"_s);
        add("told to end", "{\"state\":\"running\",\"receipt\":\"SIGTERM was sent to the command.\"}",
            u"Running"_s, u"calling"_s, u"|"_s, u"SIGTERM was sent to the command"_s);
        add("not run", "{\"state\":\"not-run\"}", u"Not run"_s, u"denied"_s, u"|"_s, {});
        add("from a newer version", "{\"state\":\"dreaming\"}", u"dreaming"_s, u"proposed"_s, u"|"_s, {});
    }
    void callStates()
    {
        QFETCH(QByteArray, members);
        const CallCard card = callCard(callRow(members), 73'999);
        QTEST(card.look.word, "word");
        QTEST(card.look.glyph, "glyph");
        QTEST(QString(card.result + u'|' + card.time), "right");
        QTEST(card.second, "second");
    }

    void unknownNeverLooksLikeSuccessOrFailure()
    {
        const TranscriptRow row = callRow("{\"state\":\"unknown\",\"exitCode\":0}");
        const QString words = callStateText(row);
        QVERIFY(!words.contains(u"Done"_s) && !words.contains(u"exit"_s) && !words.contains(u"Failed"_s));
        QVERIFY(callCard(row, 0).look.glyph != u"finished"_s);
    }

    void aCallHasItsArguments()
    {
        const TranscriptRow row = callRow(
            "{\"toolName\":\"bash\",\"state\":\"done\",\"args\":{\"timeout\":5,\"command\":\"a\\nb\"}}");
        QCOMPARE(callCard(row, 0).arguments, u"a\nb\ntimeout: 5"_s);
        QCOMPARE(callCard(row, 0).argument, u"pytest -q"_s);
        QCOMPARE(rowCopy(row), u"a\nb\ntimeout: 5"_s);
        QVERIFY(rowSpoken(row).startsWith(u"Tool call, bash, pytest -q, Done"_s));
    }

    void textIsInertAndBounded()
    {
        const TranscriptRow row =
            rowOf(TranscriptRow::Kind::Text, QString(u"a\u202Eb\u0007"_s + QString(200'000, u'x')));
        QVERIFY(!rowSpoken(row).contains(QChar(0x202E)));
        QVERIFY(!rowSpoken(row).contains(QChar(7)));
        QVERIFY(rowSpoken(row).size() <= 2000);
        QVERIFY(!rowCopy(row).contains(QChar(0x202E)));
        const TranscriptRow odd = callRow("{\"toolName\":\"b\\u202Eash\",\"state\":\"\\u202Ex\",\"lastLine\":"
                                          "\"\\u0007\",\"args\":{\"a\":\"\\u202E\"}}");
        const CallCard card = callCard(odd, 0);
        for (const QString &text : {card.tool, card.look.word, card.arguments, card.result, card.second})
            QVERIFY(!text.contains(QChar(0x202E)) && !text.contains(QChar(7)));
    }

    void thoughtsSayHowLong()
    {
        TranscriptRow row = rowOf(TranscriptRow::Kind::Reasoning, u"First.\nSecond."_s, "{\"endMs\":7000}");
        row.atMs = 1000;
        QCOMPARE(thoughtText(row), u"Thinking"_s);
        row.closed = true;
        QCOMPARE(thoughtText(row), u"Thought for 6 s"_s);
        row.data = Json::object();
        QCOMPARE(thoughtText(row), u"Thought"_s);
    }

    void messagesSayWhereTheyWait()
    {
        TranscriptRow row =
            rowOf(TranscriptRow::Kind::User, u"x"_s, "{\"state\":\"queued\",\"delivery\":\"after-step\"}");
        QVERIFY(messageHead(row).where.contains(u"end of the step"_s));
        QVERIFY(isShown(row));
        row.data.set(u"state"_s, Json::string(u"moved"_s));
        QVERIFY(!isShown(row));
        QVERIFY(rowSpoken(row).isEmpty());
    }

    void stepsSayWhatTheyCost()
    {
        const TranscriptRow row = rowOf(TranscriptRow::Kind::Step, u"Step 2"_s,
                                        "{\"usage\":{\"input\":18200,\"output\":640,\"cacheRead\":16600},"
                                        "\"costNanos\":21000000,\"modelMs\":6000,"
                                        "\"toolMs\":1400}");
        QCOMPARE(figures(row),
                 (QStringList{u"18k in, 91 % cached"_s, u"640 out"_s, u"$0.021"_s, u"7.4 s"_s}));
        QVERIFY(figures(rowOf(TranscriptRow::Kind::Step, {})).isEmpty());
    }

    void errorsSayWhatWasKept()
    {
        const TranscriptRow row = rowOf(TranscriptRow::Kind::Error, u"It broke"_s,
                                        "{\"kept\":\"All of it.\",\"todo\":\"Try again.\"}");
        QCOMPARE(errorText(row).head, u"It broke"_s);
        QCOMPARE(errorText(row).body, u"All of it.\nTry again."_s);
    }

    void theEndOfOutputIsShown()
    {
        QByteArray bytes;
        for (int i = 1; i <= 40; ++i)
            bytes += "\x1b[32mline " + QByteArray::number(i) + "\x1b[0m\n";
        const CallOutput output = lastLines(stdoutOf(bytes, bytes.size()), {});
        QCOMPARE(linesOf(output).size(), 12);
        QCOMPARE(linesOf(output).last(), u"line 40"_s);
        QCOMPARE(linesOf(output).first(), u"line 29"_s);
        QCOMPARE(output.lines.front().spans.front().style.foreground, 2); // Green.
        QCOMPARE(output.linesAbove, 28);
        QVERIFY(!output.isCut);
        QVERIFY(lastLines(stdoutOf(bytes, 1'000'000), {}).isCut);
        QCOMPARE(linesOf(lastLines(stdoutOf("a\nb", 3), {})), (QStringList{u"a"_s, u"b"_s}));
        QVERIFY(lastLines(stdoutOf("\n", 1), {}).lines.size() <= 1);
        QVERIFY(lastLines(stdoutOf("", 0), {}).lines.empty());
        QCOMPARE(linesOf(lastLines(stdoutOf("10%\r20%\r30%", 11), {})), QStringList{u"30%"_s});
    }

    // Both channels in the order in which they came, as far as it is known.
    void bothChannelsInterleave()
    {
        CallBytes bytes;
        bytes.bytes[0] = "one\ntwo\nthree\n";
        bytes.bytes[1] = "bad\nworse\n";
        bytes.total[0] = 14;
        bytes.total[1] = 10;
        Json runs = Json::array();
        for (const qint64 length : {4, -4, 4, -6, 6})
            runs.append(Json::number(length));
        QCOMPARE(linesOf(lastLines(bytes, runs)),
                 (QStringList{u"one"_s, u"!bad"_s, u"two"_s, u"!worse"_s, u"three"_s}));
        // Only the last runs are known: what was before stands first.
        Json last = Json::array();
        last.append(Json::number(qint64(-6)));
        last.append(Json::number(qint64(6)));
        QCOMPARE(linesOf(lastLines(bytes, last)),
                 (QStringList{u"one"_s, u"two"_s, u"!bad"_s, u"!worse"_s, u"three"_s}));
        // Only the ends were read, and of one channel less than there is.
        bytes.from[0] = 8;
        bytes.bytes[0] = "thr";
        bytes.from[1] = 4;
        bytes.bytes[1] = "worse\n";
        const CallOutput cut = lastLines(bytes, runs);
        QCOMPARE(linesOf(cut), (QStringList{u"!worse"_s, u"thr"_s}));
        QVERIFY(cut.isCut);
        QCOMPARE(cut.read, 9);
        // Nonsense is shown somehow.
        Json odd = Json::array();
        odd.append(Json::number(std::numeric_limits<qint64>::min() + 1));
        odd.append(Json::string(u"x"_s));
        QVERIFY(!lastLines(bytes, odd).lines.empty());
    }

    void aTimeLimitIsSaid()
    {
        TranscriptRow row;
        row.kind = TranscriptRow::Kind::Call;
        row.data = Json::object();
        row.data.set(u"toolName"_s, Json::string(u"bash"_s));
        row.data.set(u"state"_s, Json::string(u"failed"_s));
        row.data.set(u"exitCode"_s, Json::number(qint64(124)));
        row.data.set(u"durationMs"_s, Json::number(qint64(60'210)));
        QCOMPARE(callStateText(row), u"exit 124"_s);
        row.data.set(u"timedOut"_s, Json::boolean(true));
        QCOMPARE(callStateText(row), u"timed out after 60 s"_s);
        QCOMPARE(callCard(row, 0).look.word, u"timed out after 60 s"_s);
        QVERIFY(rowSpoken(row).contains(u"timed out after 60 s"_s));
    }
};

QTEST_MAIN(TestRowText)
#include "tst_rowtext.moc"
