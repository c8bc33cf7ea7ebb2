// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "clirunner.h"
#include "support/signals.h"
#include "support/testmain.h"

#include <QDateTime>
#include <QFile>
#include <QRandomGenerator>
#include <QTest>
#include <QTimer>

#include <csignal>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

// Deltas may reach the disk this much later than the screen; nothing else may.
constexpr qint64 AllowedLagMs = 250;

int rounds()
{
    return qEnvironmentVariableIsSet("PH_CRASH_ROUNDS") ? qEnvironmentVariableIntValue("PH_CRASH_ROUNDS") : 6;
}

// The tour, with a line written by each command that runs, so that a command that ran twice shows.
QByteArray countingTour()
{
    QFile file(QStringLiteral(PH_SOURCE_DIR) + u"/resources/demo/tour.json"_s);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no tour");
    return file.readAll()
        .replace("{\"command\": \"", "{\"command\": \"echo $PH_CALL >> /home/user/.ran; ")
        .replace("{\"command\":\"", "{\"command\":\"echo $PH_CALL >> /home/user/.ran; ");
}

} // namespace

/// kill -9 at random moments of the tour: nothing that was shown is lost, nothing runs twice, every call has
/// its end, the sandbox is there and can be paused.
class TestCrash : public Tests::Test {
    Q_OBJECT

    struct Round {
        CliRunner cli;
        std::unique_ptr<QProcess> process;
        QByteArray out;
        qint64 killedAtMs = 0;
    };

    void check(Round *round)
    {
        const QByteArray label = "killed at " + QByteArray::number(round->killedAtMs);
        QList<Json> shown;
        for (const QByteArray &line : round->out.split('\n')) {
            const auto parsed = parseJson(line);
            if (parsed) // The last line may be cut.
                shown.append(*parsed);
        }
        if (shown.isEmpty())
            return; // Killed before anything was shown: nothing to keep.
        const QString conversation = shown.first()[u"conversation"].toString();
        const QList<Json> kept = round->cli.run({u"show"_s, conversation, u"--json"_s}).lines();
        for (const Json &event : std::as_const(shown)) {
            if (event[u"at_ms"].toInteger(0) > round->killedAtMs - AllowedLagMs)
                continue;
            const qsizetype index = event[u"seq"].toInteger(0) - 1;
            QVERIFY2(index < kept.size(), QByteArray(label + ": lost " + event.toJson()).constData());
            QVERIFY2(kept[index] == event,
                     QByteArray(label + ": changed " + event.toJson() + " to " + kept[index].toJson())
                         .constData());
        }

        // The next owner closes the turn.
        const CliResult doctor = round->cli.run({u"doctor"_s});
        QVERIFY2(doctor.exitCode == 0, QByteArray(label + doctor.out + doctor.err).constData());
        const QList<Json> closed = round->cli.run({u"show"_s, conversation, u"--json"_s}).lines();
        QHash<QString, int> ends;
        QHash<QString, int> starts;
        QStringList calls;
        int turnEnds = 0;
        QString sandbox;
        for (const Json &event : closed) {
            const QString kind = event[u"kind"].toString();
            const QString callId = event[u"payload"][u"callId"].toString();
            if (kind == "tool-call"_L1)
                calls.append(callId);
            else if (kind == "tool-start"_L1)
                ++starts[callId];
            else if (kind == "tool-result"_L1 || kind == "tool-error"_L1)
                ++ends[callId];
            else if (kind == "turn-finish"_L1)
                ++turnEnds;
            else if (kind == "sandbox-state"_L1 && event[u"payload"][u"sandboxId"].isString())
                sandbox = event[u"payload"][u"sandboxId"].toString();
            if (event[u"seq"].toInteger(0) > kept.size())
                QVERIFY2(kind != "tool-start"_L1,
                         QByteArray(label + ": ran something after the crash").constData());
        }
        for (const QString &call : std::as_const(calls)) {
            QVERIFY2(ends.value(call) == 1,
                     QByteArray(label + ": ends " + QByteArray::number(ends.value(call))).constData());
            QVERIFY2(starts.value(call) <= 1, label.constData());
        }
        bool begun = false;
        for (const Json &event : closed)
            begun = begun || event[u"kind"].toString() == "turn-start"_L1;
        if (begun)
            QVERIFY2(turnEnds == 1,
                     QByteArray(label + ": turn ends " + QByteArray::number(turnEnds)).constData());

        const Json list =
            parseJson(round->cli.run({u"sandbox"_s, u"list"_s, u"--json"_s}).out).value_or(Json());
        QVERIFY2(list.size() <= 1, label.constData());
        if (!sandbox.isEmpty())
            QVERIFY2(list.size() == 1 && list.at(0)[u"id"].toString() == sandbox, label.constData());
        if (list.size() == 0)
            return;
        // Also one whose id never reached the log is found, by its metadata, and can be paused.
        const QString id = list.at(0)[u"id"].toString();
        QCOMPARE(list.at(0)[u"metadata"][u"ph_conversation"].toString(), conversation);
        QVERIFY2(round->cli.run({u"sandbox"_s, u"resume"_s, id}).exitCode == 0, label.constData());
        const CliResult ran = round->cli.run(
            {u"sandbox"_s, u"exec"_s, id, u"cat /home/user/.ran 2>/dev/null | sort | uniq -d"_s});
        QVERIFY2(ran.exitCode == 0 && ran.out.isEmpty(),
                 QByteArray(label + ": ran twice " + ran.out + ran.err).constData());
        const CliResult paused = round->cli.run({u"sandbox"_s, u"pause"_s, id});
        QVERIFY2(paused.exitCode == 0, QByteArray(label + paused.err).constData());
    }

private Q_SLOTS:
    void killAtRandomMoments()
    {
        const QByteArray scenario = countingTour();
        QRandomGenerator random(20261129);
        constexpr int SideBySide = 10;
        constexpr int TourMs = 24000;
        int left = rounds();
        while (left > 0) {
            std::vector<std::unique_ptr<Round>> batch;
            QList<QPair<int, Round *>> plan;
            for (int i = 0; i < SideBySide && left > 0; ++i, --left) {
                auto round = std::make_unique<Round>();
                const QString script = round->cli.writeFile(u"tour.json"_s, scenario);
                round->process = round->cli.start({u"run"_s, u"--json"_s, u"--model"_s, u"demo/tour"_s,
                                                   u"--demo-script"_s, script, u"Show me."_s});
                const int delay = random.bounded(TourMs);
                Round *raw = round.get();
                QTimer::singleShot(delay, this, [raw] {
                    raw->killedAtMs = QDateTime::currentMSecsSinceEpoch();
                    (void)sendSignal(*raw->process, SIGKILL); // It may have ended by itself.
                });
                batch.push_back(std::move(round));
            }
            const auto allKilled = [&batch] {
                for (const auto &round : batch) {
                    if (round->killedAtMs == 0 || round->process->state() != QProcess::NotRunning)
                        return false;
                }
                return true;
            };
            QTRY_VERIFY_WITH_TIMEOUT(allKilled(), TourMs + 20000);
            for (const auto &round : batch) {
                round->out = round->process->readAllStandardOutput();
                check(round.get());
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestCrash)
#include "tst_crash.moc"
