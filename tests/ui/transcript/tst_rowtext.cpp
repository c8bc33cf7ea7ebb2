// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
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

} // namespace

class TestRowText : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void callStates_data()
    {
        QTest::addColumn<QByteArray>("members");
        QTest::addColumn<QString>("side");
        QTest::addColumn<QString>("second");
        QTest::newRow("waiting") << QByteArray("{\"toolName\":\"bash\",\"state\":\"waiting\"}")
                                 << u"Waiting for you"_s << QString();
        QTest::newRow("running") << QByteArray(
            "{\"toolName\":\"bash\",\"state\":\"running\",\"startedMs\":1000,\"lastLine\":\"3 of 9\"}")
                                 << u"Running  1m 12s"_s << u"3 of 9"_s;
        QTest::newRow("done") << QByteArray(
            "{\"toolName\":\"bash\",\"state\":\"done\",\"exitCode\":0,\"durationMs\":400}")
                              << u"Done  0.4 s"_s << QString();
        QTest::newRow("exit 1") << QByteArray(
            "{\"toolName\":\"bash\",\"state\":\"failed\",\"exitCode\":1,\"durationMs\":24100}")
                                << u"exit 1  24.1 s"_s << QString();
        QTest::newRow("failed") << QByteArray(
            "{\"toolName\":\"bash\",\"state\":\"failed\",\"exitCode\":null,\"error\":\"no such tool\"}")
                                << u"Failed"_s << u"no such tool"_s;
        QTest::newRow("denied") << QByteArray("{\"toolName\":\"bash\",\"state\":\"denied\",\"approval\":{"
                                              "\"by\":\"user\",\"reason\":\"too broad\"},\"error\":\"x\"}")
                                << u"Denied by you"_s << u"“too broad”"_s;
        QTest::newRow("denied by rule")
            << QByteArray("{\"toolName\":\"bash\",\"state\":\"denied\",\"approval\":{\"by\":\"policy\"}}")
            << u"Denied by a rule"_s << QString();
        QTest::newRow("unknown") << QByteArray("{\"toolName\":\"bash\",\"state\":\"unknown\"}")
                                 << u"Outcome unknown"_s
                                 << u"Nobody saw how it ended; look at the machine before you repeat it."_s;
        QTest::newRow("stopped") << QByteArray("{\"toolName\":\"bash\",\"state\":\"stopped\"}")
                                 << u"Stopped"_s << QString();
        QTest::newRow("not run") << QByteArray("{\"toolName\":\"bash\",\"state\":\"not-run\"}")
                                 << u"Not run"_s << QString();
        QTest::newRow("from a newer version")
            << QByteArray("{\"toolName\":\"bash\",\"state\":\"dreaming\"}") << u"dreaming"_s << QString();
        QTest::newRow("no data") << QByteArray("null") << QString() << QString();
    }
    void callStates()
    {
        QFETCH(QByteArray, members);
        const RowText text = rowText(callRow(members), false, 73'999);
        QTEST(text.side, "side");
        QTEST(text.second, "second");
        QCOMPARE(text.look, RowText::Look::Call);
        QVERIFY(text.body.isEmpty());
    }

    void unknownNeverLooksLikeSuccessOrFailure()
    {
        const QString words = callStateText(callRow("{\"state\":\"unknown\",\"exitCode\":0}"));
        QVERIFY(!words.contains(u"Done"_s) && !words.contains(u"exit"_s) && !words.contains(u"Failed"_s));
    }

    void aCallUnfoldsToItsArguments()
    {
        const TranscriptRow row = callRow(
            "{\"toolName\":\"bash\",\"state\":\"done\",\"args\":{\"timeout\":5,\"command\":\"a\\nb\"}}");
        QCOMPARE(rowText(row, true, 0).body, u"a\nb\ntimeout: 5"_s);
        QCOMPARE(rowCopy(row), u"a\nb\ntimeout: 5"_s);
    }

    void textIsInertAndBounded()
    {
        TranscriptRow row;
        row.kind = TranscriptRow::Kind::Text;
        row.text = QString(u"a\u202Eb\u0007"_s + QString(200'000, u'x'));
        const RowText text = rowText(row, false, 0);
        QVERIFY(!text.body.contains(QChar(0x202E)));
        QVERIFY(!text.body.contains(QChar(7)));
        QVERIFY(text.body.size() < MostShownChars + 200);
        QVERIFY(text.body.contains(u"more characters"_s));
        QVERIFY(rowSpoken(row).size() <= 2000);
        row.text = u"<b>bold</b> & ![x](file:///etc/passwd)"_s;
        QCOMPARE(rowText(row, false, 0).body, row.text); // As text, nothing is interpreted.
    }

    void reasoningIsOneLineUntilUnfolded()
    {
        TranscriptRow row;
        row.kind = TranscriptRow::Kind::Reasoning;
        row.text = u"First.\nSecond."_s;
        row.closed = true;
        QCOMPARE(rowText(row, false, 0).line, u"First."_s);
        QVERIFY(rowText(row, false, 0).body.isEmpty());
        QCOMPARE(rowText(row, true, 0).body, row.text);
    }

    void messagesSayWhereTheyWait()
    {
        TranscriptRow row;
        row.kind = TranscriptRow::Kind::User;
        row.data = parseJson("{\"state\":\"queued\",\"delivery\":\"after-step\"}").value_or(Json());
        QVERIFY(rowText(row, false, 0).head.contains(u"end of the step"_s));
        row.data.set(u"state"_s, Json::string(u"moved"_s));
        QCOMPARE(rowText(row, false, 0).look, RowText::Look::Hidden);
    }

    void durations_data()
    {
        QTest::addColumn<qint64>("ms");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << qint64(0) << u"0.0 s"_s;
        QTest::newRow("tenths") << qint64(449) << u"0.4 s"_s;
        QTest::newRow("whole") << qint64(48'000) << u"48 s"_s;
        QTest::newRow("minutes") << qint64(72'000) << u"1m 12s"_s;
        QTest::newRow("hours") << qint64(7'500'000) << u"2h 5m"_s;
    }
    void durations()
    {
        QFETCH(qint64, ms);
        QTEST(durationText(ms), "text");
    }
};

QTEST_MAIN(TestRowText)
#include "tst_rowtext.moc"
