// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "clirunner.h"
#include "support/loopbackserver.h"
#include "support/signals.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QProcess>
#include <QTcpServer>
#include <QTest>

#include <csignal>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

/// The program as scripts use it: exit codes, NDJSON, files, isolation, bad input.
class TestCli : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<CliRunner> cli;

    CliResult play(const QStringList &commands, const QStringList &more = {})
    {
        const QString script = cli->writeFile(u"quick.json"_s, quickScenario(commands));
        return cli->run(QStringList{u"run"_s, u"--json"_s, u"--model"_s, u"demo/quick"_s, u"--demo-script"_s,
                                    script, u"Go."_s}
                        + more);
    }
    static QList<Json> payloads(const CliResult &result, const QString &kind)
    {
        QList<Json> all;
        for (const Json &line : result.lines()) {
            if (line[u"kind"].toString() == kind)
                all.append(line[u"payload"]);
        }
        return all;
    }

    qint64 servicePid() const
    {
        QFile endpoint(QDir(cli->dataDir()).filePath(u"sandboxd/endpoint.json"_s));
        if (!endpoint.open(QIODevice::ReadOnly))
            return 0;
        return parseJson(endpoint.readAll()).value_or(Json())[u"pid"].toInteger(0);
    }

    /// A command line of /bin/sh in which $0 is the program and $1 the data folder.
    CliResult inShell(const QString &line)
    {
        QProcess process;
        process.setProgram(u"/bin/sh"_s);
        process.setArguments(
            {u"-c"_s, line, QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-cli"_s, cli->dataDir()});
        process.start();
        const bool ended = process.waitForFinished(30000);
        return CliResult{ended ? process.exitCode() : -2, process.exitStatus() == QProcess::CrashExit,
                         process.readAllStandardOutput(), process.readAllStandardError()};
    }

    /// The command with a full, small /tmp that holds a file "keep" and a data folder that is elsewhere;
    /// what is in "keep" afterwards comes as output.
    CliResult onFullDisk(const QString &command)
    {
        QProcess process;
        process.setProgram(u"bwrap"_s);
        process.setArguments(
            {u"--dev-bind"_s, u"/"_s, u"/"_s, u"--bind"_s, cli->dataDir(), u"/mnt"_s, u"--size"_s,
             u"1048576"_s, u"--tmpfs"_s, u"/tmp"_s, u"--"_s, u"/bin/sh"_s, u"-c"_s,
             u"printf kept > /tmp/keep; head -c 2000000 /dev/zero > /tmp/rest 2>/dev/null; \"$0\" "_s
                 + command + u" --data-dir /mnt; code=$?; cat /tmp/keep; exit $code"_s,
             QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-cli"_s});
        process.start();
        (void)process.waitForFinished(30000);
        return CliResult{process.exitCode(), process.exitStatus() == QProcess::CrashExit,
                         process.readAllStandardOutput(), process.readAllStandardError()};
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        cli = std::make_unique<CliRunner>();
    }
    void cleanup() { cli.reset(); }

    void aTurnWithoutAnyKey()
    {
        const CliResult result = play({u"echo hello > /home/user/out.txt; cat /home/user/out.txt"_s});
        QVERIFY2(result.exitCode == 0, result.err.constData());
        qint64 last = 0;
        for (const Json &line : result.lines()) {
            QCOMPARE(line[u"seq"].toInteger(0), last + 1);
            last = line[u"seq"].toInteger(0);
            QVERIFY(line[u"at_ms"].toInteger(0) > 0);
            QVERIFY(line[u"payload"].isObject());
        }
        QCOMPARE(payloads(result, u"turn-finish"_s).first()[u"reason"].toString(), u"finished"_s);
        const Json output = payloads(result, u"tool-output"_s).first();
        QCOMPARE(output[u"text"].toString(), u"hello\n"_s);
        QCOMPARE(output[u"bytes"].toInteger(0), 6);

        const CliResult list = cli->run({u"sandbox"_s, u"list"_s, u"--json"_s});
        const Json sandboxes = parseJson(list.out).value_or(Json());
        QCOMPARE(sandboxes.size(), 1);
        QCOMPARE(sandboxes.at(0)[u"status"].toString(), u"paused"_s);
        const QString id = sandboxes.at(0)[u"id"].toString();
        QCOMPARE(cli->run({u"sandbox"_s, u"resume"_s, id}).exitCode, 0);
        const CliResult ls = cli->run({u"sandbox"_s, u"ls"_s, id, u"/home/user"_s});
        QVERIFY(ls.out.contains("out.txt"));
        QCOMPARE(cli->run({u"sandbox"_s, u"exec"_s, id, u"exit 9"_s}).exitCode, 9);

        // What was printed is what is kept.
        const QString conversation = result.lines().first()[u"conversation"].toString();
        const CliResult show = cli->run({u"show"_s, conversation.left(8), u"--json"_s});
        QCOMPARE(show.out, result.out);
        const CliResult exported = cli->run({u"export"_s, conversation, u"--format"_s, u"json"_s});
        const Json array = parseJson(exported.out).value_or(Json());
        QCOMPARE(array.size(), result.lines().size());
        QVERIFY(array.at(3) == result.lines().at(3));

        QCOMPARE(cli->run({u"delete"_s, conversation}).exitCode, 0);
        QCOMPARE(parseJson(cli->run({u"sandbox"_s, u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 0);
        QCOMPARE(parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 0);
    }

    void aMachineIsLetGo()
    {
        const CliResult first = play({u"echo one > /home/user/f"_s});
        QCOMPARE(first.exitCode, 0);
        const QString conversation = first.lines().first()[u"conversation"].toString();
        const auto machines = [this] {
            return parseJson(cli->run({u"sandbox"_s, u"list"_s, u"--json"_s}).out).value_or(Json());
        };
        const QString machine = machines().at(0)[u"id"].toString();
        QCOMPARE(cli->run({u"sandbox"_s, u"kill"_s, machine}).exitCode, 0);
        QCOMPARE(play({u"cat /home/user/f"_s}, {u"--conversation"_s, conversation}).exitCode, 4);
        const CliResult released = cli->run({u"sandbox"_s, u"release"_s, conversation.left(8)});
        QVERIFY2(released.exitCode == 0, released.err.constData());
        QVERIFY2(released.err.contains("nothing was sent"), released.err.constData());
        const CliResult again = cli->run({u"sandbox"_s, u"release"_s, conversation});
        QCOMPARE(again.exitCode, 4);
        QVERIFY2(again.err.contains("has no machine"), again.err.constData());
        QCOMPARE(play({u"ls /home/user"_s}, {u"--conversation"_s, conversation}).exitCode, 0);
        QCOMPARE(machines().size(), 1);
        QVERIFY(machines().at(0)[u"id"].toString() != machine);

        QCOMPARE(cli->run({u"sandbox"_s, u"release"_s}).exitCode, 2);
        QVERIFY(cli->run({u"sandbox"_s, u"release"_s, u"nonesuch"_s}).exitCode != 0);
    }

    void machinesAreChosenOnTheCommandLine()
    {
        const QList<std::pair<QStringList, QByteArray>> wrong{
            {{u"--template"_s, u"a b"_s}, "--template"},
            {{u"--timeout"_s, u"soon"_s}, "no length of time"},
            {{u"--timeout"_s, u"8d"_s}, "seven days"},
            {{u"--auto-delete"_s, u"31d"_s}, "30 days"},
            {{u"--allow"_s, u"https://pypi.org"_s}, "neither a domain"},
            {{u"--allow"_s, u","_s}, "needs a host"},
            {{u"--allow"_s, u"pypi.org"_s, u"--no-network"_s}, "exclude one another"},
            // The local sandbox has none of it, and no turn begins as if it had.
            {{u"--sandbox"_s, u"local"_s, u"--no-network"_s}, "machines of Superserve"},
            {{u"--timeout"_s, u"2h"_s}, "machines of Superserve"},
        };
        for (const auto &[options, said] : wrong) {
            const CliResult result = play({u"true"_s}, options);
            QVERIFY2(result.exitCode == 2, result.err.constData());
            QVERIFY2(result.err.contains(said), result.err.constData());
        }
        QCOMPARE(parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 0);
        // Into the log of a conversation that goes on: they hold for its next machine.
        const CliResult first = play({u"true"_s});
        const QString conversation = first.lines().first()[u"conversation"].toString();
        const CliResult second =
            play({u"true"_s},
                 {u"--conversation"_s, conversation, u"--timeout"_s, u"2h"_s, u"--auto-delete"_s, u"never"_s,
                  u"--allow"_s, u"pypi.org,*.example.org"_s, u"--allow"_s, u"10.0.0.1"_s});
        QVERIFY2(second.exitCode == 0, second.err.constData());
        const Json settings = payloads(second, u"conversation-settings"_s).value(0);
        QCOMPARE(settings[u"sandboxTimeoutSeconds"].toInteger(0), 7200);
        QCOMPARE(settings[u"sandboxAutoDeleteSeconds"].toInteger(0), -1);
        QCOMPARE(settings[u"networkAllow"].toJson(),
                 QByteArray("[\"pypi.org\",\"*.example.org\",\"10.0.0.1\"]"));
        QCOMPARE(settings[u"networkDeny"].toJson(), QByteArray("[\"0.0.0.0/0\"]"));
    }

    void nothingOfTheHostIsVisible()
    {
        QTemporaryDir outside;
        QFile secret(outside.filePath(u"secret.txt"_s));
        QVERIFY(secret.open(QIODevice::WriteOnly));
        secret.write("host secret");
        secret.close();
        QTcpServer service;
        QVERIFY(service.listen(QHostAddress::LocalHost));
        cli->extraEnvironment << u"PH_CANARY=visible"_s;
        const CliResult result = play(
            {u"cat "_s + secret.fileName() + u"; ls "_s + outside.path(), u"env"_s,
             u"for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done"_s,
             u"(exec 3<>/dev/tcp/127.0.0.1/%1) 2>&1 || bash -c 'exec 3<>/dev/tcp/127.0.0.1/%1' 2>&1"_s.arg(
                 service.serverPort()),
             u"echo x > /usr/x; echo x > /etc/x; ls /etc/shadow /etc/ssh /root/.ssh /home"_s});
        QVERIFY2(result.exitCode == 0, result.err.constData());
        QVERIFY(!result.out.contains("host secret"));
        const QList<Json> results = payloads(result, u"tool-result"_s);
        QCOMPARE(results.size(), 5);
        QVERIFY(results[0][u"result"][u"stderr"].toString().contains(u"No such file"_s));
        QVERIFY(!results[1][u"result"][u"stdout"].toString().contains(u"CANARY"_s));
        const QString processes = results[2][u"result"][u"stdout"].toString();
        QVERIFY2(!processes.contains(u"pilothouse-cli"_s) && !processes.contains(u"sandboxd"_s)
                     && !processes.contains(u"tst_"_s),
                 qPrintable(processes));
        QVERIFY(results[3][u"exitCode"].toInteger(0) != 0);
        QVERIFY(!service.hasPendingConnections());
        const QString last = results[4][u"result"][u"stderr"].toString();
        QVERIFY(last.contains(u"/usr/x"_s));
        QVERIFY2(last.contains(u"/etc/shadow"_s) && last.contains(u"/root/.ssh"_s), qPrintable(last));
        QCOMPARE(results[4][u"result"][u"stdout"].toString(), u"/home:\nuser\n"_s);
    }

    void aSecondProgramReadsAndDoesNotRun()
    {
        const QString script = cli->writeFile(u"slow.json"_s, quickScenario({u"echo ready; sleep 600"_s}));
        auto first = cli->start(
            {u"run"_s, u"--json"_s, u"--demo-script"_s, script, u"--model"_s, u"demo/slow"_s, u"Go."_s});
        QByteArray out;
        QTRY_VERIFY_WITH_TIMEOUT((out += first->readAllStandardOutput()).contains("\"tool-output\""), 20000);
        QCOMPARE(cli->run({u"list"_s}).exitCode, 0);
        const Json listed = parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json());
        QCOMPARE(listed.size(), 1);
        QCOMPARE(listed.at(0)[u"state"].toString(), u"calling"_s);
        const QString id = listed.at(0)[u"id"].toString();
        QCOMPARE(cli->run({u"show"_s, id, u"--json"_s}).exitCode, 0);
        QCOMPARE(cli->run({u"export"_s, id, u"--format"_s, u"json"_s}).exitCode, 0);
        QCOMPARE(cli->run({u"search"_s, u"Go"_s}).exitCode, 0);
        QCOMPARE(cli->run({u"export"_s, id, u"--format"_s, u"html"_s}).exitCode, 0);
        // Looking at sandboxes and the self-check need no ownership; changes do.
        const CliResult doctor = cli->run({u"doctor"_s});
        QCOMPARE(doctor.exitCode, 0);
        QVERIFY2(doctor.out.contains("in use by pilothouse-cli")
                     && doctor.out.contains(QByteArray::number(first->processId())),
                 doctor.out.constData());
        const CliResult sandboxes = cli->run({u"sandbox"_s, u"list"_s, u"--json"_s});
        QCOMPARE(sandboxes.exitCode, 0);
        const QString sandbox = parseJson(sandboxes.out).value_or(Json()).at(0)[u"id"].toString();
        QVERIFY(cli->run({u"sandbox"_s, u"ls"_s, sandbox.left(8), u"/home"_s}).out.contains("user/"));
        for (const QString &verb : {u"kill"_s, u"pause"_s})
            QCOMPARE(cli->run({u"sandbox"_s, verb, sandbox}).exitCode, 8);
        const CliResult second = cli->run({u"run"_s, u"Go."_s});
        QCOMPARE(second.exitCode, 8);
        QVERIFY2(second.err.contains("pilothouse-cli")
                     && second.err.contains(QByteArray::number(first->processId())),
                 second.err.constData());
        // Ctrl-C once stops by the ladder.
        QVERIFY(sendSignal(*first, SIGINT));
        QVERIFY(first->waitForFinished(20000));
        QCOMPARE(first->exitCode(), 7);
        out += first->readAllStandardOutput();
        QVERIFY(out.contains("\"reason\":\"stopped\""));
        QVERIFY(out.contains("\"exitCode\":143"));
    }

    void exitCodes()
    {
        QCOMPARE(cli->run({}).exitCode, 2);
        QCOMPARE(cli->run({u"fly"_s}).exitCode, 2);
        QCOMPARE(cli->run({u"run"_s}).exitCode, 2);
        QCOMPARE(cli->run({u"run"_s, u"--max-steps"_s, u"0"_s, u"Go."_s}).exitCode, 2);
        QCOMPARE(cli->run({u"run"_s, u"--after-turn"_s, u"burn"_s, u"Go."_s}).exitCode, 2);
        QCOMPARE(cli->run({u"show"_s, u"12345678"_s}).exitCode, 2);
        QCOMPARE(cli->run({u"sandbox"_s, u"exec"_s, u"no-such-id"_s, u"true"_s}).exitCode, 125);
        const CliResult keyless =
            cli->run({u"run"_s, u"--model"_s, u"anthropic/claude-sonnet-5-5"_s, u"Go."_s});
        QCOMPARE(keyless.exitCode, 3);
        QVERIFY(keyless.err.contains("ANTHROPIC_API_KEY"));
        const CliResult superserve = cli->run({u"run"_s, u"--sandbox"_s, u"superserve"_s, u"Go."_s});
        QCOMPARE(superserve.exitCode, 4);
        QVERIFY(superserve.err.contains("SUPERSERVE_API_KEY"));
        QCOMPARE(play({u"true"_s, u"true"_s, u"true"_s}, {u"--max-steps"_s, u"2"_s}).exitCode, 5);
        QCOMPARE(play({u"true"_s}, {u"--ask"_s}).exitCode, 6);
        QCOMPARE(play({u"true"_s}, {u"--deny"_s}).exitCode, 0);
        // Going on does not loosen what the conversation was set to; the script has a second call for it.
        const CliResult asking = play({u"true"_s, u"true"_s}, {u"--ask"_s});
        QCOMPARE(asking.exitCode, 6);
        const QString same = asking.lines().first()[u"conversation"].toString();
        QCOMPARE(play({u"true"_s, u"true"_s}, {u"--conversation"_s, same}).exitCode, 6);
        QCOMPARE(cli->run({u"doctor"_s}).exitCode, 0);
        QCOMPARE(cli->run({u"--version"_s}).exitCode, 0);
    }

    /// A mistyped id is never a success, and the text says which one it was.
    void unknownSandboxes()
    {
        const QString file = cli->writeFile(u"f"_s, "x");
        const QString whole = u"00000000-0000-4000-8000-000000000000"_s;
        for (const QString &id : {u"nope"_s, whole}) {
            const QList<QStringList> all = {{u"kill"_s, id},
                                            {u"pause"_s, id},
                                            {u"resume"_s, id},
                                            {u"ls"_s, id, u"/"_s},
                                            {u"get"_s, id, u"/f"_s, file},
                                            {u"put"_s, id, file, u"/home/user/f"_s},
                                            {u"exec"_s, id, u"true"_s}};
            for (const QStringList &words : all) {
                const CliResult result = cli->run(QStringList{u"sandbox"_s} + words);
                QVERIFY2(result.exitCode == (words.first() == u"exec"_s ? 125 : 4),
                         QByteArray(words.join(u' ').toUtf8() + ": " + QByteArray::number(result.exitCode)
                                    + ' ' + result.err)
                             .constData());
                QVERIFY2(result.err.contains(id.toUtf8()), result.err.constData());
            }
        }
    }

    void aShortIdWillDoIfItFitsOne()
    {
        QStringList ids;
        QHash<QString, int> count;
        QString twice; // Sixteen first characters: the seventeenth sandbox at the latest.
        while (twice.isEmpty() && ids.size() < 17) {
            const CliResult made = cli->run({u"sandbox"_s, u"create"_s});
            QCOMPARE(made.exitCode, 0);
            ids.append(QString::fromUtf8(made.out).trimmed());
            if (++count[ids.last().left(1)] == 2)
                twice = ids.last().left(1);
        }
        const CliResult ambiguous = cli->run({u"sandbox"_s, u"kill"_s, twice});
        QCOMPARE(ambiguous.exitCode, 2);
        QVERIFY2(ambiguous.err.contains("2 sandboxes"), ambiguous.err.constData());
        const QString shortId = ids.last().left(12);
        QCOMPARE(cli->run({u"sandbox"_s, u"exec"_s, shortId, u"exit 9"_s}).exitCode, 9);
        const QString file = cli->writeFile(u"f"_s, "kept");
        QCOMPARE(cli->run({u"sandbox"_s, u"put"_s, shortId, file, u"/home/user/f"_s}).exitCode, 0);
        QCOMPARE(cli->run({u"sandbox"_s, u"get"_s, shortId, u"/home/user/f"_s, file + u".back"_s}).exitCode,
                 0);
        QFile back(file + u".back"_s);
        QVERIFY(back.open(QIODevice::ReadOnly));
        QCOMPARE(back.readAll(), QByteArray("kept"));
        const CliResult missing =
            cli->run({u"sandbox"_s, u"get"_s, shortId, u"/home/user/gone"_s, file + u".gone"_s});
        QCOMPARE(missing.exitCode, 4);
        QVERIFY2(missing.err.contains("/home/user/gone"), missing.err.constData());
        QVERIFY2(missing.err.contains(QString(file + u".gone here is as it was"_s).toUtf8())
                     && missing.err.contains("sandbox ls"),
                 missing.err.constData());
        QCOMPARE(cli->run({u"sandbox"_s, u"kill"_s, shortId}).exitCode, 0);
        const Json left = parseJson(cli->run({u"sandbox"_s, u"list"_s, u"--json"_s}).out).value_or(Json());
        QCOMPARE(left.size(), ids.size() - 1);
        for (const Json &one : left.elements())
            QVERIFY(one[u"id"].toString() != ids.last());
    }

    /// What is frozen stays frozen while somebody only looks; a command or an upload wakes it and says so.
    void lookingWakesNoSandbox()
    {
        const QString id = QString::fromUtf8(cli->run({u"sandbox"_s, u"create"_s}).out).trimmed();
        const QString file = cli->writeFile(u"f"_s, "kept");
        const auto status = [&] {
            return parseJson(cli->run({u"sandbox"_s, u"list"_s, u"--json"_s}).out)
                .value_or(Json())
                .at(0)[u"status"]
                .toString();
        };
        QCOMPARE(cli->run({u"sandbox"_s, u"pause"_s, id}).exitCode, 0);
        const QList<QStringList> looks = {{u"ls"_s, id, u"/"_s}, {u"get"_s, id, u"/etc/passwd"_s, file}};
        for (const QStringList &look : looks) {
            const CliResult result = cli->run(QStringList{u"sandbox"_s} + look);
            QCOMPARE(result.exitCode, 4);
            QVERIFY2(result.err.contains("is paused")
                         && result.err.contains(QByteArray("pilothouse-cli sandbox resume " + id.toUtf8())),
                     result.err.constData());
            QCOMPARE(status(), u"paused"_s);
        }
        QFile untouched(file);
        QVERIFY(untouched.open(QIODevice::ReadOnly));
        QCOMPARE(untouched.readAll(), QByteArray("kept"));
        const CliResult ran = cli->run({u"sandbox"_s, u"exec"_s, id, u"exit 9"_s});
        QCOMPARE(ran.exitCode, 9);
        QVERIFY2(ran.err.contains("was paused") && ran.err.contains(id.toUtf8()), ran.err.constData());
        QCOMPARE(status(), u"active"_s);
        QCOMPARE(cli->run({u"sandbox"_s, u"exec"_s, id, u"true"_s}).err, QByteArray());
        QCOMPARE(cli->run({u"sandbox"_s, u"pause"_s, id}).exitCode, 0);
        const CliResult put = cli->run({u"sandbox"_s, u"put"_s, id, file, u"/home/user/f"_s});
        QCOMPARE(put.exitCode, 0);
        QVERIFY2(put.err.contains("was paused"), put.err.constData());
        QVERIFY(cli->run({u"sandbox"_s, u"ls"_s, id, u"/home/user"_s}).out.contains("f\n"));
    }

    /// A sandbox whose description is damaged is told by every command that meets it, and can be removed.
    void aDamagedSandboxIsTold()
    {
        QCOMPARE(play({u"echo kept > /home/user/f"_s}).exitCode, 0);
        const Json list = parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json());
        const QString conversation = list.at(0)[u"id"].toString();
        const QString id = list.at(0)[u"sandboxId"].toString();
        const qint64 pid = servicePid();
        QVERIFY(pid > 1);
        QVERIFY(sendSignal(pid, SIGTERM));
        QTRY_VERIFY_WITH_TIMEOUT(!sendSignal(pid, 0), 10000);
        const QString meta = cli->dataDir() + u"/sandboxd/sandboxes/"_s + id + u"/meta.json"_s;
        QFile file(meta);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("{\"id\":");
        file.close();
        const CliResult sandboxes = cli->run({u"sandbox"_s, u"list"_s});
        QVERIFY2(sandboxes.out.contains(QByteArray(id.toUtf8() + "  failed"))
                     && sandboxes.out.contains(meta.toUtf8()),
                 sandboxes.out.constData());
        const CliResult doctor = cli->run({u"doctor"_s});
        QCOMPARE(doctor.exitCode, 4);
        QVERIFY2(doctor.out.contains(QByteArray("problem  sandbox   " + id.toUtf8())),
                 doctor.out.constData());
        const CliResult run = play({u"true"_s}, {u"--conversation"_s, conversation});
        QCOMPARE(run.exitCode, 4);
        QVERIFY2(run.out.contains(meta.toUtf8()), run.out.constData());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("{\"id\":"));
        QCOMPARE(cli->run({u"sandbox"_s, u"kill"_s, id}).exitCode, 0);
        QCOMPARE(cli->run({u"sandbox"_s, u"list"_s}).out, QByteArray());
        QCOMPARE(cli->run({u"doctor"_s}).exitCode, 0);
    }

    /// A folder that may only be read (a mounted backup) can be read.
    void aReadOnlyDataFolderCanBeRead()
    {
        QCOMPARE(play({u"echo kept"_s}).exitCode, 0);
        const auto sealed = [this](const QStringList &arguments) {
            QProcess process;
            process.setProgram(u"bwrap"_s);
            process.setArguments(QStringList{u"--dev-bind"_s, u"/"_s, u"/"_s, u"--ro-bind"_s, cli->dataDir(),
                                             cli->dataDir(), u"--"_s,
                                             QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-cli"_s}
                                 + arguments + QStringList{u"--data-dir"_s, cli->dataDir()});
            process.start();
            (void)process.waitForFinished(30000);
            return CliResult{process.exitCode(), process.exitStatus() == QProcess::CrashExit,
                             process.readAllStandardOutput(), process.readAllStandardError()};
        };
        const CliResult list = sealed({u"list"_s, u"--json"_s});
        QVERIFY2(list.exitCode == 0, list.err.constData());
        const Json all = parseJson(list.out).value_or(Json());
        QCOMPARE(all.size(), 1);
        const QString id = all.at(0)[u"id"].toString();
        const CliResult show = sealed({u"show"_s, id});
        QVERIFY2(show.exitCode == 0 && show.out.contains("kept"), show.err.constData());
        QCOMPARE(sealed({u"export"_s, id, u"--format"_s, u"json"_s}).exitCode, 0);
        QCOMPARE(sealed({u"search"_s, u"Go"_s}).exitCode, 0);
        const CliResult run = sealed({u"run"_s, u"Go."_s});
        QCOMPARE(run.exitCode, 8);
        QVERIFY2(run.err.contains("Read-only file system"), run.err.constData());
        const CliResult doctor = sealed({u"doctor"_s});
        QCOMPARE(doctor.exitCode, 8);
        QVERIFY2(doctor.out.contains("problem  store"), doctor.out.constData());
    }

    void badPrompts()
    {
        const CliResult big = cli->run({u"run"_s, u"-"_s}, QByteArray(40 * 1024 * 1024, 'x'));
        QCOMPARE(big.exitCode, 2);
        QVERIFY2(big.err.contains("MB"), big.err.left(300).constData());
        const CliResult nul = cli->run({u"run"_s, u"-"_s}, QByteArray("a\0b", 3));
        QCOMPARE(nul.exitCode, 2);
        QVERIFY2(nul.err.contains("NUL"), nul.err.constData());
        QCOMPARE(cli->run({u"run"_s, u"-"_s}, "  \n").exitCode, 2);
        // None of them left a conversation behind.
        QCOMPARE(parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 0);
    }

    void badInstructions()
    {
        const QList<std::pair<QByteArray, QByteArray>> all = {
            {QByteArray("be\0brief", 8), "NUL"}, {"be \xff brief", "UTF-8"}, {"cut \xe2\x82", "UTF-8"}};
        for (const auto &[bytes, word] : all) {
            const QString file = cli->writeFile(u"instructions"_s, bytes);
            const CliResult result = cli->run({u"run"_s, u"--instructions-file"_s, file, u"Go."_s});
            QCOMPARE(result.exitCode, 2);
            QVERIFY2(result.err.contains(word), result.err.constData());
        }
        QCOMPARE(cli->run({u"run"_s, u"-"_s}, "\xff").exitCode, 2);
        QCOMPARE(parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 0);
    }

    /// What a terminal would obey never comes as it is, also in JSON, and JSON says the same all the same.
    void jsonIsInert()
    {
        const CliResult run =
            play({u"printf 'a\\302\\233b\\177c\\342\\200\\256d\\363\\240\\201\\201\\303\\244'"_s});
        QCOMPARE(run.exitCode, 0);
        const QString text = payloads(run, u"tool-output"_s).first()[u"text"].toString();
        QCOMPARE(text,
                 QString::fromUtf8("a\xc2\x9b"
                                   "b\x7f"
                                   "c\xe2\x80\xae"
                                   "d\xf3\xa0\x81\x81\xc3\xa4"));
        const QString id = run.lines().first()[u"conversation"].toString();
        const CliResult show = cli->run({u"show"_s, id, u"--json"_s});
        QCOMPARE(show.out, run.out);
        const CliResult document = cli->run({u"export"_s, id, u"--format"_s, u"json"_s});
        QVERIFY(parseJson(document.out).value_or(Json()).at(3) == run.lines().at(3));
        for (const QByteArray &out : {run.out, document.out}) {
            QVERIFY(out.contains("\xc3\xa4")); // Letters stay as they are.
            for (const char *raw : {"\xc2\x9b", "\x7f", "\xe2\x80\xae", "\xf3\xa0\x81\x81"})
                QVERIFY(!out.contains(raw));
        }
    }

    /// Results that come in another order than their calls say whose they are.
    void parallelResultsAreLabelled()
    {
        const QString script = cli->writeFile(
            u"two.json"_s,
            "{\"format\":1,\"name\":\"two\",\"pace\":{\"charsPerSecond\":0},\"turns\":[{\"steps\":[{"
            "\"events\":["
            "{\"call\":{\"name\":\"bash\",\"args\":{\"command\":\"until [ -e /tmp/b ]; do sleep 0.05; done; "
            "echo a1\"}}},"
            "{\"call\":{\"name\":\"bash\",\"args\":{\"command\":\"echo b1; touch /tmp/b\"}}}]},"
            "{\"events\":[{\"text\":\"Done.\"}]}]}]}");
        const CliResult result =
            cli->run({u"run"_s, u"--model"_s, u"demo/two"_s, u"--demo-script"_s, script, u"Go."_s});
        QVERIFY2(result.exitCode == 0, result.err.constData());
        const QList<QByteArray> lines = result.out.split('\n');
        QCOMPARE(lines.size(), 8);
        QVERIFY2(lines[2].startsWith("< bash") && lines[2].contains("echo b1"), result.out.constData());
        QVERIFY2(lines[3].contains("b1\\n"), result.out.constData());
        QVERIFY2(lines[4].startsWith("< bash") && lines[4].contains("echo a1"), result.out.constData());
        QVERIFY2(lines[5].contains("a1\\n"), result.out.constData());
        // One at a time needs no label.
        const CliResult single =
            cli->run({u"run"_s, u"--model"_s, u"demo/quick"_s, u"--demo-script"_s,
                      cli->writeFile(u"one.json"_s, quickScenario({u"true"_s})), u"Go."_s});
        QVERIFY2(!single.out.contains("< bash"), single.out.constData());
    }

    /// A closed terminal ends the turn in order; it signals twice. The command that does not heed the first
    /// rung of the ladder keeps the program there for the second.
    void aHangUpStopsTheTurn()
    {
        const QString script =
            cli->writeFile(u"slow.json"_s, quickScenario({u"trap '' INT TERM; echo ready; sleep 600"_s}));
        auto run = cli->start(
            {u"run"_s, u"--json"_s, u"--demo-script"_s, script, u"--model"_s, u"demo/slow"_s, u"Go."_s});
        QByteArray out;
        QTRY_VERIFY_WITH_TIMEOUT((out += run->readAllStandardOutput()).contains("\"tool-output\""), 20000);
        QVERIFY(sendSignal(*run, SIGHUP));
        QByteArray err;
        QTRY_VERIFY_WITH_TIMEOUT((err += run->readAllStandardError()).contains("stopping"), 10000);
        QVERIFY(sendSignal(*run, SIGHUP));
        QVERIFY(run->waitForFinished(20000));
        QCOMPARE(run->exitStatus(), QProcess::NormalExit);
        QCOMPARE(run->exitCode(), 7);
        QVERIFY(QByteArray(out + run->readAllStandardOutput()).contains("\"reason\":\"stopped\""));
        QVERIFY(cli->run({u"sandbox"_s, u"list"_s}).out.contains("paused"));
    }

    void aNewSandboxAfterADeletedOneIsTold()
    {
        const CliResult first = play({u"true"_s}, {u"--after-turn"_s, u"delete"_s});
        QCOMPARE(first.exitCode, 0);
        QVERIFY(payloads(first, u"note"_s).isEmpty());
        const CliResult second =
            play({u"true"_s}, {u"--conversation"_s, first.lines().first()[u"conversation"].toString()});
        QCOMPARE(second.exitCode, 0);
        QCOMPARE(payloads(second, u"note"_s).size(), 1);
        QVERIFY(
            payloads(second, u"note"_s).first()[u"text"].toString().contains(u"deleted with its files"_s));
    }

    void aRefusedKeyIsNamed()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(401,
                                "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\","
                                "\"message\":\"invalid x-api-key\"}}");
        });
        cli->extraEnvironment << u"ANTHROPIC_API_KEY=k"_s
                              << u"ANTHROPIC_BASE_URL=http://127.0.0.1:%1"_s.arg(server.port());
        auto run = cli->start({u"run"_s, u"Go."_s});
        QTRY_VERIFY_WITH_TIMEOUT(run->state() == QProcess::NotRunning, 20000);
        QCOMPARE(run->exitCode(), 3);
        const QByteArray err = run->readAllStandardError();
        QVERIFY2(err.contains("ANTHROPIC_API_KEY") && err.contains("invalid x-api-key"), err.constData());
    }

    void nothingWrittenIsNotSaidToStay()
    {
        LoopbackServer server;
        bool isAsked = false;
        server.setHandler([&](const LoopbackRequest &, LoopbackConnection *) { isAsked = true; });
        cli->extraEnvironment << u"ANTHROPIC_API_KEY=k"_s
                              << u"ANTHROPIC_BASE_URL=http://127.0.0.1:%1"_s.arg(server.port());
        auto run = cli->start({u"run"_s, u"Go."_s});
        QTRY_VERIFY_WITH_TIMEOUT(isAsked, 20000);
        QVERIFY(sendSignal(*run, SIGINT));
        QTRY_VERIFY_WITH_TIMEOUT(run->state() == QProcess::NotRunning, 20000);
        QCOMPARE(run->exitCode(), 7);
        const QByteArray err = run->readAllStandardError();
        QVERIFY2(err.contains("stream was closed") && !err.contains("stays visible"), err.constData());
    }

    void brokenScenario()
    {
        const QString file = cli->writeFile(u"broken.json"_s, "{\"format\":1,\n\"turns\":[}");
        const CliResult result =
            cli->run({u"run"_s, u"--demo-script"_s, file, u"--model"_s, u"demo/x"_s, u"Go."_s});
        QCOMPARE(result.exitCode, 3);
        QVERIFY2(result.err.contains("broken.json"), result.err.constData());
        // A script that cannot play costs no sandbox.
        QCOMPARE(parseJson(cli->run({u"sandbox"_s, u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 0);
        const CliResult missing = cli->run({u"run"_s, u"--demo-script"_s, file + u"x"_s, u"Go."_s});
        QCOMPARE(missing.exitCode, 2);
        QVERIFY2(missing.err.contains("broken.jsonx"), missing.err.constData());
    }

    void pipesAndDevicesAreWrittenIntoNotReplaced()
    {
        QCOMPARE(play({u"echo kept > /home/user/f"_s}).exitCode, 0);
        const Json list = parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json());
        const QString id = list.at(0)[u"id"].toString();
        const QString fifo = QDir(cli->dataDir()).filePath(u"fifo"_s);
        QCOMPARE(::mkfifo(fifo.toLocal8Bit().constData(), 0600), 0);
        const int reader = ::open(fifo.toLocal8Bit().constData(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        QCOMPARE(cli->run({u"export"_s, id, u"--format"_s, u"json"_s, u"-o"_s, fifo}).exitCode, 0);
        char byte = 0;
        QCOMPARE(::read(reader, &byte, 1), 1);
        QCOMPARE(byte, '[');
        ::close(reader);
        QVERIFY(!QFileInfo(fifo).isFile());
        QCOMPARE(cli->run({u"export"_s, id, u"-o"_s, cli->dataDir()}).exitCode, 2); // A folder.
    }

    /// A full disk costs nobody the file that was there, whatever the size of the new one.
    void aFullDiskLeavesTheOldFile_data()
    {
        QTest::addColumn<int>("size");
        QTest::newRow("fits a buffer") << 4000;
        QTest::newRow("larger") << 3 * 1024 * 1024;
    }
    void aFullDiskLeavesTheOldFile()
    {
        QFETCH(int, size);
        const QString id = QString::fromUtf8(cli->run({u"sandbox"_s, u"create"_s}).out).trimmed();
        const QString local = cli->writeFile(u"new"_s, QByteArray(size, 'x'));
        QCOMPARE(cli->run({u"sandbox"_s, u"put"_s, id, local, u"/home/user/f"_s}).exitCode, 0);
        const auto ran = onFullDisk(u"sandbox get "_s + id + u" /home/user/f /tmp/keep"_s);
        QCOMPARE(ran.exitCode, 8);
        QVERIFY2(ran.err.contains("/tmp/keep") && ran.err.contains("No space left")
                     && ran.err.contains("untouched"),
                 ran.err.constData());
        QCOMPARE(ran.out, QByteArray("kept"));
    }

    void aFullDiskBehindStandardOutputIsSaid()
    {
        QCOMPARE(play({u"true"_s}).exitCode, 0);
        const Json list = parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json());
        const QString id = list.at(0)[u"id"].toString();
        const QStringList commands = {u"list"_s,
                                      u"list --json"_s,
                                      QString(u"show "_s + id),
                                      u"search Go"_s,
                                      QString(u"export "_s + id),
                                      QString(u"export --format json "_s + id),
                                      QString(u"export --format html "_s + id)};
        for (const QString &command : commands) {
            for (const QString &place : {u"> /dev/full"_s, u">&-"_s}) {
                const CliResult result =
                    inShell(u"exec \"$0\" "_s + command + u" --data-dir \"$1\" "_s + place);
                const QByteArray what = QString(command + u' ' + place).toUtf8() + ": " + result.err;
                QVERIFY2(result.exitCode == 1, what.constData());
                QVERIFY2(result.err.contains("standard output"), what.constData());
                QVERIFY2(result.err.count("could not be written") == 1, what.constData());
            }
        }
        // A reader that has seen enough is no error.
        const CliResult left =
            inShell(u"\"$0\" export --format html "_s + id + u" --data-dir \"$1\" | true"_s);
        QCOMPARE(left.err, QByteArray());
    }

    /// A command that prints without end stops when nobody reads it, and leaves nothing running.
    void execEndsWithItsReader_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("head") << u"(\"$0\" sandbox exec %1 yes --data-dir \"$1\"; echo $? >&2) | head -1"_s;
        QTest::newRow("full") << u"\"$0\" sandbox exec %1 yes --data-dir \"$1\" > /dev/full; echo $? >&2"_s;
        QTest::newRow("errors")
            << u"\"$0\" sandbox exec %1 'yes >&2' --data-dir \"$1\" 2> /dev/full; echo $? >&2"_s;
    }
    void execEndsWithItsReader()
    {
        QFETCH(QString, line);
        const QString id = QString::fromUtf8(cli->run({u"sandbox"_s, u"create"_s}).out).trimmed();
        const CliResult result = inShell(line.arg(id));
        QVERIFY2(result.exitCode == 0, QByteArray::number(result.exitCode).constData());
        QVERIFY2(result.err.endsWith("125\n"), result.err.constData());
        QTRY_COMPARE_WITH_TIMEOUT(cli->run({u"sandbox"_s, u"exec"_s, id, u"pgrep -x yes; true"_s}).out,
                                  QByteArray(), 10000);
    }

    void aRelativeDataFolderWorks()
    {
        QTemporaryDir folder;
        const QString script = cli->writeFile(u"quick.json"_s, quickScenario({u"true"_s}));
        QProcess process;
        process.setProgram(QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-cli"_s);
        process.setArguments({u"run"_s, u"--model"_s, u"demo/quick"_s, u"--demo-script"_s, script,
                              u"--data-dir"_s, u"rel"_s, u"--after-turn"_s, u"delete"_s, u"Go."_s});
        process.setWorkingDirectory(folder.path());
        process.start();
        QVERIFY(process.waitForFinished(30000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QFile endpoint(folder.filePath(u"rel/sandboxd/endpoint.json"_s));
        QVERIFY(endpoint.open(QIODevice::ReadOnly));
        const qint64 pid = parseJson(endpoint.readAll()).value_or(Json())[u"pid"].toInteger(0);
        QVERIFY(pid > 1);
        QVERIFY(sendSignal(pid, SIGTERM));
    }

    void newerLogIsRefusedUntouched()
    {
        QCOMPARE(play({u"true"_s}).exitCode, 0);
        // user_version lies at offset 60 of the file, four bytes, big endian.
        QFile file(QDir(cli->dataDir()).filePath(u"log.db"_s));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.seek(60));
        file.write(QByteArray::fromHex("00000fff"));
        file.close();
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray before = file.readAll();
        file.close();
        const CliResult result = cli->run({u"run"_s, u"Go."_s});
        QCOMPARE(result.exitCode, 8);
        QVERIFY2(result.err.contains("newer"), result.err.constData());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), before);
    }

    void withoutBubblewrap()
    {
        // A PATH with everything but bwrap.
        QTemporaryDir tools;
        QVERIFY(QFile::link(u"/bin/sh"_s, tools.filePath(u"sh"_s)));
        cli->extraEnvironment << u"PATH="_s + tools.path();
        const CliResult result = play({u"true"_s});
        QCOMPARE(result.exitCode, 4);
        QVERIFY2(result.err.contains("bubblewrap") || result.out.contains("bubblewrap"),
                 QByteArray(result.err + result.out.right(600)).constData());
        // The prompt is kept.
        QCOMPARE(parseJson(cli->run({u"list"_s, u"--json"_s}).out).value_or(Json()).size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
