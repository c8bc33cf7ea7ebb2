// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/logreader.h"
#include "support/signals.h"
#include "support/testmain.h"
#include "util/json.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <memory>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 30'000;

} // namespace

/// The window program from outside: its command line, its end by a signal, a second one on the same data.
class TestProgram : public Tests::Test {
    Q_OBJECT

    struct Ran {
        int exitCode = -1;
        QByteArray out;
        QByteArray err;
    };

    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] QString dataDir() const { return m_folder->filePath(u"data"_s); }

    void prepare(QProcess &process, const QStringList &arguments, bool screen = true) const
    {
        process.setProgram(QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse"_s);
        process.setArguments(arguments);
        QStringList environment = {u"HOME="_s + m_folder->path(), u"XDG_RUNTIME_DIR="_s + m_folder->path(),
                                   u"LC_ALL=C.UTF-8"_s, u"NO_AT_BRIDGE=1"_s, u"QT_ACCESSIBILITY=0"_s};
        for (const char *name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
            if (qEnvironmentVariableIsSet(name))
                environment.append(QString::fromLatin1(name) + u'=' + qEnvironmentVariable(name));
        }
        if (screen)
            environment.append(u"QT_QPA_PLATFORM=offscreen"_s);
        process.setEnvironment(environment);
    }

    [[nodiscard]] Ran run(const QStringList &arguments, bool screen = true) const
    {
        QProcess process;
        prepare(process, arguments, screen);
        process.start();
        if (!process.waitForFinished(Patience)) {
            process.kill();
            process.waitForFinished();
            return {-1, {}, "did not end"};
        }
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                process.readAllStandardOutput(), process.readAllStandardError()};
    }

    /// Who stands in the lock file of the data folder; 0: nobody.
    [[nodiscard]] qint64 owner() const
    {
        QFile file(dataDir() + u"/owner.lock"_s);
        if (!file.open(QIODevice::ReadOnly))
            return 0;
        return parseJson(file.readAll()).value_or(Json())[u"pid"].toInteger(0);
    }

    /// What a program may say that has nothing to report.
    static QByteArray complaints(QProcess &process)
    {
        QByteArray text;
        for (const QByteArray &line : process.readAllStandardError().split('\n')) {
            if (!line.isEmpty() && !line.contains("propagateSizeHints"))
                text += line + '\n';
        }
        return text;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_folder = std::make_unique<QTemporaryDir>();
    }
    void cleanup()
    {
        QFile endpoint(dataDir() + u"/sandboxd/endpoint.json"_s);
        if (endpoint.open(QIODevice::ReadOnly)) {
            const qint64 pid = parseJson(endpoint.readAll()).value_or(Json())[u"pid"].toInteger(0);
            if (pid > 1)
                (void)Tests::sendSignal(pid, SIGKILL);
        }
        m_folder.reset();
    }

    void commandLine_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char *name, const QStringList &arguments, int exitCode, const char *words) {
            QTest::newRow(name) << arguments << exitCode << QByteArray(words);
        };
        row("help", {u"--help"_s}, 0, "--data-dir DIR");
        row("version", {u"--version"_s}, 0, "pilothouse " PILOTHOUSE_VERSION "\n");
        row("unknown option", {u"--fly"_s}, 2, "fly");
        row("no value", {u"--data-dir"_s}, 2, "data-dir");
        row("argument", {u"letter.txt"_s}, 2, "letter.txt");
        row("backend", {u"--sandbox"_s, u"moon"_s}, 2, "local or superserve");
        row("model", {u"--model"_s, u"nameless"_s}, 2, "provider/model");
    }
    void commandLine()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, words);
        for (const bool screen : {true, false}) { // None of them needs one.
            const Ran ran = run(arguments, screen);
            QCOMPARE(ran.exitCode, exitCode);
            const QByteArray &said = exitCode == 0 ? ran.out : ran.err;
            QVERIFY2(said.contains(words), said.constData());
            QVERIFY2((exitCode == 0 ? ran.err : ran.out).isEmpty(), ran.err.constData());
        }
    }

    void withoutAScreenItSaysSo()
    {
        const Ran ran = run({u"--data-dir"_s, dataDir()}, false);
        QCOMPARE(ran.exitCode, 1);
        QVERIFY2(ran.err.contains("there is no display") && ran.err.contains("pilothouse-cli"),
                 ran.err.constData());
        QVERIFY(!QFile::exists(dataDir())); // Nothing was started.
    }

    void aSignalEndsItInOrder_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void aSignalEndsItInOrder()
    {
        QFETCH(int, signal);
        QProcess process;
        prepare(process, {u"--data-dir"_s, dataDir()});
        process.start();
        QVERIFY(process.waitForStarted(Patience));
        QTRY_COMPARE_WITH_TIMEOUT(owner(), process.processId(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(dataDir() + u"/log.db"_s), Patience); // Made after the lock.
        QVERIFY(Tests::sendSignal(process, signal));
        QVERIFY(process.waitForFinished(Patience));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(complaints(process), QByteArray());
        QCOMPARE(owner(), 0); // Given back.
    }

    /// With a turn that runs, the signal stops it by the ladder first: the log has its end.
    void aSignalEndsTheRunningTurnToo()
    {
        const QString script = m_folder->filePath(u"slow.json"_s);
        QFile file(script);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "{\"format\":1,\"name\":\"slow\",\"pace\":{\"charsPerSecond\":0},\"turns\":[{\"steps\":["
            "{\"events\":[{\"call\":{\"name\":\"bash\",\"args\":{\"command\":\"echo up; sleep 600\"}}}]},"
            "{\"events\":[{\"text\":\"Slept.\"}]}]}]}");
        file.close();
        QProcess process;
        prepare(process,
                {u"--data-dir"_s, dataDir(), u"--sandbox"_s, u"local"_s, u"--demo-script"_s, script,
                 u"--tour"_s});
        process.start();
        const auto summary = [this] {
            auto reader = LogReader::open(dataDir());
            const auto all = reader ? (*reader)->conversations()
                                    : Result<QList<ConversationSummary>, Error>(QList<ConversationSummary>());
            return all && !all->isEmpty() ? all->first() : ConversationSummary();
        };
        QTRY_VERIFY_WITH_TIMEOUT(summary().state == "calling"_L1, Patience);
        QVERIFY(Tests::sendSignal(process, SIGTERM));
        QVERIFY(process.waitForFinished(Patience));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(complaints(process), QByteArray());
        QCOMPARE(summary().openTurnSeq, 0);
        QCOMPARE(summary().stateDetail, u"closed"_s); // Not by a person.
        QCOMPARE(summary().sandboxState, u"paused"_s);
    }

    /// It reads along, changes nothing, and leaves the owner alone.
    void aSecondOneLeavesTheFirstAlone()
    {
        QProcess first;
        prepare(first, {u"--data-dir"_s, dataDir()});
        first.start();
        QTRY_VERIFY_WITH_TIMEOUT(first.processId() > 0 && owner() == first.processId(), Patience);
        QProcess second;
        prepare(second, {u"--data-dir"_s, dataDir()});
        second.start();
        QVERIFY(second.waitForStarted(Patience));
        // It holds the log open for reading once it has given up owning it.
        const auto readsTheLog = [&second, this] {
            const QString folder = u"/proc/%1/fd"_s.arg(second.processId());
            const QFileInfoList entries = QDir(folder).entryInfoList(QDir::Files | QDir::System);
            return std::any_of(entries.begin(), entries.end(), [this](const QFileInfo &entry) {
                return entry.symLinkTarget() == dataDir() + u"/log.db"_s;
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(readsTheLog(), Patience);
        QCOMPARE(owner(), first.processId());
        QVERIFY(Tests::sendSignal(second, SIGTERM));
        QVERIFY(second.waitForFinished(Patience));
        QCOMPARE(second.exitStatus(), QProcess::NormalExit);
        QCOMPARE(second.exitCode(), 0);
        QCOMPARE(owner(), first.processId());
        QVERIFY(Tests::sendSignal(first, SIGTERM));
        QVERIFY(first.waitForFinished(Patience));
        QCOMPARE(first.exitCode(), 0);
    }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
