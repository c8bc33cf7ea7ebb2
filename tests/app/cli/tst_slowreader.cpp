// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "clirunner.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 60'000;
constexpr qint64 MostMemoryKib = 320 * 1024; // An endless answer took 0.8 GB before it was bounded.

} // namespace

/// Whoever reads the program's output does not read at all until the turn is over: the output must be whole
/// then, and its cost bounded.
class TestSlowReader : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<CliRunner> cli;
    int m_reader = -1;

    /// A run whose standard output is a pipe that nobody reads yet.
    std::unique_ptr<QProcess> startUnread(const QStringList &arguments)
    {
        const QString fifo = QDir(cli->dataDir()).filePath(u"out"_s);
        const QByteArray name = QFile::encodeName(fifo);
        if (::mkfifo(name.constData(), 0600) != 0)
            return {};
        m_reader = ::open(name.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        return cli->start(arguments, fifo);
    }
    /// Everything up to the end of the program.
    QByteArray readAll(QProcess &process) const
    {
        ::fcntl(m_reader, F_SETFL, 0);
        QByteArray all;
        QByteArray piece(1024 * 1024, Qt::Uninitialized);
        for (ssize_t got = 1; got > 0;) {
            got = ::read(m_reader, piece.data(), static_cast<size_t>(piece.size()));
            if (got > 0)
                all.append(piece.constData(), got);
        }
        (void)process.waitForFinished(Patience);
        return all;
    }
    /// "" if seq rises by one from line to line, else where not.
    static QString gap(const QByteArray &ndjson)
    {
        qint64 last = 0;
        for (const QByteArray &line : ndjson.split('\n')) {
            if (line.isEmpty())
                continue;
            const QByteArray begin = "{\"seq\":" + QByteArray::number(++last) + ',';
            if (!line.startsWith(begin))
                return QString::fromUtf8(line.left(60)) + u" is not number "_s + QString::number(last);
        }
        return last > 5 ? QString() : u"only %1 events"_s.arg(last);
    }
    static Json lastLine(const QByteArray &ndjson, int fromEnd = 1)
    {
        const QList<QByteArray> lines = ndjson.trimmed().split('\n');
        return parseJson(lines.value(lines.size() - fromEnd)).value_or(Json());
    }
    static qint64 peakKib(qint64 pid)
    {
        QFile status(u"/proc/%1/status"_s.arg(pid));
        if (!status.open(QIODevice::ReadOnly))
            return 0;
        for (const QByteArray &line : status.readAll().split('\n')) {
            if (line.startsWith("VmHWM:"))
                return line.mid(6).trimmed().split(' ').value(0).toLongLong();
        }
        return 0;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        cli = std::make_unique<CliRunner>();
    }
    void cleanup()
    {
        if (m_reader >= 0)
            ::close(m_reader);
        m_reader = -1;
        cli.reset();
    }

    void anEndlessAnswer()
    {
        LoopbackServer model;
        bool isClosed = false;
        const QByteArray delta = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                                 "\"text_delta\",\"text\":\""
            + QByteArray(200, 'x') + "\"}}\n\n";
        const QByteArray piece = delta.repeated(500);
        std::function<void(QPointer<LoopbackConnection>)> more = [&](const QPointer<LoopbackConnection> &to) {
            if (!to || isClosed)
                return;
            to->sendChunk(piece);
            to->whenSent([&more, to] { more(to); });
        };
        model.setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connect(connection, &LoopbackConnection::closed, this, [&isClosed] { isClosed = true; });
            connection->sendHead(200, {{"Content-Type", "text/event-stream"}});
            connection->sendChunk(
                "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\"}}\n\n"
                "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                "{\"type\":\"text\",\"text\":\"\"}}\n\n");
            more(connection);
        });
        cli->extraEnvironment << u"ANTHROPIC_API_KEY=sk-ant-test"_s
                              << u"ANTHROPIC_BASE_URL=http://127.0.0.1:%1"_s.arg(model.port());
        const auto process = startUnread({u"run"_s, u"--json"_s, u"--sandbox"_s, u"local"_s, u"--model"_s,
                                          u"anthropic/endless"_s, u"Go."_s});
        QVERIFY(process);
        QTRY_VERIFY_WITH_TIMEOUT(isClosed, Patience);
        const qint64 peak = peakKib(process->processId());
        const QByteArray out = readAll(*process);
        qInfo("peak %lld MiB", peak / 1024);
        QCOMPARE(process->exitCode(), 3);
        QCOMPARE(gap(out), QString());
        QCOMPARE(lastLine(out)[u"kind"].toString(), u"turn-finish"_s);
        QCOMPARE(lastLine(out)[u"payload"][u"reason"].toString(), u"model-error"_s);
        QVERIFY(out.contains("\"kind\":\"error\"") && out.contains("longer than any real one"));
#ifndef PILOTHOUSE_SANITIZED
        QVERIFY2(peak > 0 && peak < MostMemoryKib, QByteArray::number(peak).constData());
#endif
    }

    /// More than waits for a reader in memory: the rest comes from the log.
    void moreOutputThanIsHeldForAReader()
    {
        const QString script =
            cli->writeFile(u"loud.json"_s, quickScenario({u"head -c 80000000 /dev/zero | tr '\\\\0' x"_s}));
        const auto process = startUnread({u"run"_s, u"--json"_s, u"--sandbox"_s, u"local"_s, u"--model"_s,
                                          u"demo/quick"_s, u"--demo-script"_s, script, u"Go."_s});
        QVERIFY(process);
        const auto state = [this] {
            return parseJson(cli->run({u"list"_s, u"--json"_s}).out)
                .value_or(Json())
                .at(0)[u"state"]
                .toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(state(), u"finished"_s, Patience);
        const QByteArray out = readAll(*process);
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(gap(out), QString());
        QCOMPARE(lastLine(out)[u"kind"].toString(), u"turn-finish"_s);
        QVERIFY2(out.size() > 80'000'000, QByteArray::number(out.size()).constData());
    }
};

QTEST_GUILESS_MAIN(TestSlowReader)
#include "tst_slowreader.moc"
