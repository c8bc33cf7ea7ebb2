// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int KeepAliveMs = 200;

/// A shell line that prints how many processes have `word` in their command line. It does not count itself.
QString countOf(const QString &word)
{
    return u"n=0; for f in /proc/[0-9]*/cmdline; do tr '\\000' ' ' <$f 2>/dev/null | grep -q '[%1]%2' && "
           u"n=$((n+1)); "
           "done; echo $n"_s.arg(word.left(1), word.mid(1));
}

} // namespace

/// POST /exec and /exec/stream.
class TestExec : public Test {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(m_service.start({u"--test-keepalive-ms"_s, QString::number(KeepAliveMs)}),
                 m_service.errorText().constData());
        m_sandbox = ApiClient(m_service).create(",\"env_vars\":{\"LAYER\":\"sandbox\",\"KEEP\":\"1\"}");
        QVERIFY(!m_sandbox.id.isEmpty());
        // Runs beside the other tests; the last one looks at the answer.
        m_default = ApiClient(m_service).begin("POST", "/exec", ApiClient::dataHeaders(m_sandbox),
                                               execBody(u"sleep 40"_s));
        m_defaultTimer.start();
    }

    void runs_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QString>("err");
        QTest::addColumn<int>("exitCode");
        const auto row = [](const char *name, const QByteArray &body, const QString &out, const QString &err,
                            int code) { QTest::newRow(name) << body << out << err << code; };
        row("both streams", "{\"command\":\"echo o; echo e >&2\"}", u"o\n"_s, u"e\n"_s, 0);
        row("exit code", "{\"command\":\"exit 7\"}", {}, {}, 7);
        row("signal", "{\"command\":\"kill -9 $$\"}", {}, {}, 137);
        row("time-out", "{\"command\":\"echo a; sleep 9\",\"timeout_s\":1}", u"a\n"_s, {}, 124);
        row("arguments", "{\"command\":\"printf\",\"args\":[\"%s|\",\"a b\",\"$x\"]}", u"a b|$x|"_s, {}, 0);
        row("folder", "{\"command\":\"pwd\",\"working_dir\":\"/tmp\"}", u"/tmp\n"_s, {}, 0);
        row("default folder", "{\"command\":\"pwd\"}", u"/home/user\n"_s, {}, 0);
        row("layers of variables",
            "{\"command\":\"echo $LAYER $KEEP $HOME $USER\",\"env\":{\"LAYER\":\"call\"}}",
            u"call 1 /root root\n"_s, {}, 0);
        row("no input", "{\"command\":\"cat; echo end\"}", u"end\n"_s, {}, 0);
        row("invalid UTF-8", "{\"command\":\"printf 'a\\\\377b\\\\303'\"}", u"a\uFFFDb\uFFFD"_s, {}, 0);
        row("split character", "{\"command\":\"printf '\\\\303'; sleep 0.2; printf '\\\\244'\"}", u"\u00E4"_s,
            {}, 0);
    }
    void runs()
    {
        QFETCH(QByteArray, body);
        QFETCH(QString, out);
        QFETCH(QString, err);
        QFETCH(int, exitCode);
        const Answer answer = ApiClient(m_service).data(m_sandbox, "POST", "/exec", body);
        QCOMPARE(answer.status, 200);
        const Json result = answer.json();
        QCOMPARE(result[u"stdout"].toString(), out);
        QCOMPARE(result[u"stderr"].toString(), err);
        QCOMPARE(result[u"exit_code"].toInteger(-1), exitCode);
        QVERIFY(!result.contains(u"truncated"));
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no command") << QByteArray("{}") << 400 << QByteArray("command is required\n");
        QTest::newRow("empty command")
            << QByteArray("{\"command\":\"\"}") << 400 << QByteArray("command is required\n");
        QTest::newRow("malformed") << QByteArray("{") << 400 << QByteArray("invalid JSON body\n");
        QTest::newRow("unknown program")
            << QByteArray("{\"command\":\"nope\",\"args\":[\"a\"]}") << 400
            << QByteArray("resolve \"nope\": executable file not found in $PATH\n");
        QTest::newRow("missing folder")
            << QByteArray("{\"command\":\"true\",\"working_dir\":\"/nope\"}") << 500
            << QByteArray("working directory \"/nope\": No such file or directory\n");
        QTest::newRow("not executable") << QByteArray("{\"command\":\"/etc/passwd\",\"args\":[\"a\"]}") << 500
                                        << QByteArray("start \"/etc/passwd\": Permission denied\n");
        QTest::newRow("time-out too long")
            << QByteArray("{\"command\":\"true\",\"timeout_s\":4000001}") << 400
            << QByteArray("timeout_s must be an integer from 0 to 4000000\n");
        QTest::newRow("too many arguments")
            << QByteArray("{\"command\":\"true\",\"args\":[\"" + QByteArray(200000, 'x') + "\"]}") << 500
            << QByteArray("start \"true\": Argument list too long\n");
    }
    void refuses()
    {
        QFETCH(QByteArray, body);
        QFETCH(int, status);
        QFETCH(QByteArray, text);
        const ApiClient client(m_service);
        for (const char *path : {"/exec", "/exec/stream"}) {
            const Answer answer = client.data(m_sandbox, "POST", path, body);
            QCOMPARE(answer.status, status);
            QCOMPARE(answer.body, text);
        }
    }

    void truncatesLongOutput()
    {
        const Json result =
            ApiClient(m_service).exec(m_sandbox, u"head -c 9437184 /dev/zero | tr '\\000' a; echo e >&2"_s);
        QVERIFY(result[u"truncated"].toBool());
        QCOMPARE(result[u"stdout"].toString().size(), 8 * 1024 * 1024);
        QCOMPARE(result[u"stdout"].toString().count(u'a'), 8 * 1024 * 1024);
        QVERIFY(result[u"stderr"].toString().contains("[superserve] output truncated"_L1));
        QCOMPARE(result[u"exit_code"].toInteger(-1), 0);
    }

    void killsWholeGroupOnTimeout()
    {
        const ApiClient client(m_service);
        const Json result =
            client.exec(m_sandbox, u"trap '' TERM; (trap '' TERM; sleep 77777) & sleep 77777"_s, 1);
        QCOMPARE(result[u"exit_code"].toInteger(-1), 124);
        QCOMPARE(client.exec(m_sandbox, countOf(u"sleep 77777"_s))[u"stdout"].toString(), u"0\n"_s);
    }

    void killsGroupWhenClientLeaves()
    {
        const ApiClient client(m_service);
        for (const char *path : {"/exec", "/exec/stream"}) {
            const auto socket = client.begin(
                "POST", path, ApiClient::dataHeaders(m_sandbox),
                execBody(
                    u"setsid sleep 66666 </dev/null >/dev/null 2>&1 & echo $! >/tmp/own; sleep 55555 & sleep 55555"_s,
                    60));
            const QString running = countOf(u"sleep 55555"_s);
            QTRY_VERIFY_WITH_TIMEOUT(client.exec(m_sandbox, running)[u"stdout"].toString() > u"1"_s, 5000);
            socket->abort();
            QTRY_COMPARE_WITH_TIMEOUT(client.exec(m_sandbox, running)[u"stdout"].toString(), u"0\n"_s, 2000);
            // A session of its own survives.
            QCOMPARE(client.exec(m_sandbox, countOf(u"sleep 66666"_s))[u"stdout"].toString(), u"1\n"_s);
            QCOMPARE(client.exec(m_sandbox, u"kill $(cat /tmp/own)"_s)[u"exit_code"].toInteger(-1), 0);
        }
    }

    void doesNotWaitForStragglers()
    {
        QElapsedTimer timer;
        timer.start();
        const Json result = ApiClient(m_service).exec(m_sandbox, u"echo a; (sleep 5; echo late) &"_s);
        QCOMPARE(result[u"stdout"].toString(), u"a\n"_s);
        QCOMPARE(result[u"exit_code"].toInteger(-1), 0);
        QVERIFY(timer.elapsed() < 4000);
    }

    void streamsEvents()
    {
        const ApiClient client(m_service);
        const Answer answer = client.data(m_sandbox, "POST", "/exec/stream",
                                          execBody(u"echo one; echo two >&2; sleep 0.7; exit 3"_s, 60));
        QCOMPARE(answer.status, 200);
        QVERIFY(answer.isWhole);
        QCOMPARE(answer.header("Content-Type"), QByteArray("text/event-stream"));
        QCOMPARE(answer.header("Cache-Control"), QByteArray("no-cache"));
        QVERIFY(!answer.body.contains('\r'));
        QVERIFY(answer.body.count(": keepalive\n\n") >= 2);
        QList<Json> events;
        for (const QByteArray &line : answer.body.split('\n')) {
            if (line.startsWith("data: "))
                events.append(*parseJson(line.sliced(6)));
            else
                QVERIFY(line.isEmpty() || line == ": keepalive");
        }
        QCOMPARE(events.size(), 3);
        QString out;
        QString err;
        for (const Json &event : events.first(2)) {
            QVERIFY(event.contains(u"timestamp"));
            out += event[u"stdout"].toString();
            err += event[u"stderr"].toString();
        }
        QCOMPARE(out, u"one\n"_s);
        QCOMPARE(err, u"two\n"_s);
        QCOMPARE(events.last()[u"exit_code"].toInteger(-1), 3);
        QVERIFY(events.last()[u"finished"].toBool());
    }

    void holdsBackForSlowReader()
    {
        const ApiClient client(m_service);
        const auto socket =
            client.begin("POST", "/exec/stream", ApiClient::dataHeaders(m_sandbox),
                         execBody(u"echo $$ >/tmp/slow; exec head -c 40000000 /dev/zero"_s, 60));
        socket->setReadBufferSize(64 * 1024); // Otherwise the event loop reads all there is.
        // Nobody reads: the command must come to a stop with most of its output not yet written.
        QTRY_VERIFY_WITH_TIMEOUT(
            client
                .exec(m_sandbox,
                      u"cat /proc/$(cat /tmp/slow)/wchan; grep -l . /proc/$(cat /tmp/slow)/stat"_s)[u"stdout"]
                .toString()
                .contains("pipe"_L1),
            20'000);
        const Json io = client.exec(m_sandbox, u"grep ^wchar /proc/$(cat /tmp/slow)/io | cut -d' ' -f2"_s);
        const qint64 written = io[u"stdout"].toString().trimmed().toLongLong();
        QVERIFY2(written > 0 && written < 20000000, QByteArray::number(written).constData());
        const Answer answer = ApiClient::finish(*socket);
        QVERIFY(answer.isWhole);
        QCOMPARE(answer.body.count("\\u0000"), 40000000);
    }

    void limitsConnections()
    {
        const ApiClient client(m_service);
        const SandboxRef sandbox = client.create();
        std::vector<std::unique_ptr<QTcpSocket>> sockets;
        for (int i = 0; i < 200; ++i) {
            sockets.push_back(client.begin("POST", "/exec/stream", ApiClient::dataHeaders(sandbox),
                                           execBody(u"echo on; exec sleep 60"_s, 60)));
            QVERIFY(sockets.back()->waitForReadyRead(10000));
        }
        const Answer refused = client.data(sandbox, "POST", "/exec", execBody(u"true"_s));
        QCOMPARE(refused.status, 429);
        QCOMPARE(refused.body, QByteArray("too many connections to sandbox\n"));
        sockets.clear();
        QTRY_COMPARE_WITH_TIMEOUT(client.data(sandbox, "POST", "/exec", execBody(u"true"_s)).status, 200,
                                  5000);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
    }

    void refusesWrongMethodsAndTokens()
    {
        const ApiClient client(m_service);
        const Answer get = client.data(m_sandbox, "GET", "/exec");
        QCOMPARE(get.status, 405);
        QCOMPARE(get.header("Allow"), QByteArray("POST"));
        const QByteArray body = execBody(u"true"_s);
        const Headers route = {{"X-Superserve-Sandbox-Id", m_sandbox.id}};
        QCOMPARE(client.call("POST", "/exec", route, body).body,
                 QByteArray("missing X-Access-Token header\n"));
        const SandboxRef wrong = {m_sandbox.id, QByteArray(64, '0')};
        QCOMPARE(client.data(wrong, "POST", "/exec", body).body, QByteArray("invalid access token\n"));
        QCOMPARE(client.data(wrong, "POST", "/exec", body).status, 401);
        QCOMPARE(client.call("POST", "/exec", {{"X-Access-Token", m_sandbox.token}}, body).status, 400);
        // The account's key opens no sandbox.
        QCOMPARE(client.call("POST", "/exec", route + client.controlHeaders(), body).status, 401);
    }

    void defaultTimeoutIsThirtySeconds()
    {
        const Answer answer = ApiClient::finish(*m_default, 45000);
        QCOMPARE(answer.json()[u"exit_code"].toInteger(-1), 124);
        QVERIFY(m_defaultTimer.elapsed() >= 29500);
    }

private:
    SandboxdFixture m_service;
    SandboxRef m_sandbox;
    std::unique_ptr<QTcpSocket> m_default;
    QElapsedTimer m_defaultTimer;
};

} // namespace Pilothouse::Tests

QTEST_GUILESS_MAIN(Pilothouse::Tests::TestExec)
#include "tst_exec.moc"
