// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"
#include "support/sandboxdfixture.h"
#include "support/signals.h"
#include "support/testmain.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QMessageAuthenticationCode>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <unistd.h>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

struct Ran {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
};

/// Runs the program to its end with exactly this environment.
Ran runProgram(const QStringList &arguments, const QStringList &environment)
{
    QProcess process;
    process.setEnvironment(environment);
    process.start(SandboxdFixture::programPath(), arguments);
    if (!process.waitForFinished(20000)) {
        process.kill();
        process.waitForFinished(5000);
        return {};
    }
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

void writeFile(const QString &name, const QByteArray &bytes, QFile::Permissions permissions)
{
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.setPermissions(permissions));
    file.write(bytes);
}

bool isAlive(qint64 pid) { return Tests::sendSignal(pid, 0); }

} // namespace

/// The program: how it starts, refuses, restarts and ends, and whom it lets in.
class TestService : public Test {
    Q_OBJECT
private Q_SLOTS:
    void refusesToStart_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("environment");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("words");
        const QStringList path = {u"PATH="_s + qEnvironmentVariable("PATH")};
        const QStringList key = path + QStringList({u"SUPERSERVE_API_KEY=k"_s});
        const QString folder = m_folder.filePath(u"refuse"_s);
        const QStringList data = {u"--data-dir"_s, folder};
        const auto row = [](const char *name, const QStringList &arguments, const QStringList &environment,
                            int code, const char *words) {
            QTest::newRow(name) << arguments << environment << code << QByteArray(words);
        };
        row("no key", data, path, 2, "SUPERSERVE_API_KEY");
        row("blank key", data, path + QStringList({u"SUPERSERVE_API_KEY= "_s}), 2, "SUPERSERVE_API_KEY");
        row("no folder", {}, key, 2, "--data-dir");
        row("unknown option", data + QStringList({u"--port"_s}), key, 2, "--port");
        row("missing value", {u"--data-dir"_s}, key, 2, "needs a value");
        row("not loopback", data + QStringList({u"--listen"_s, u"0.0.0.0:0"_s}), key, 2, "loopback");
        row("no address", data + QStringList({u"--listen"_s, u"8080"_s}), key, 2, "127.0.0.1:8080");
        row("key file missing", data + QStringList({u"--key-file"_s, folder + u"/none"_s}), key, 2,
            "No such file");
        row("no bubblewrap", data, {u"PATH=/nonexistent"_s, u"SUPERSERVE_API_KEY=k"_s}, 4,
            "apt install bubblewrap");
        row("folder not usable", {u"--data-dir"_s, u"/proc/nothing"_s}, key, 8, "/proc/nothing");
    }
    void refusesToStart()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QStringList, environment);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, words);
        const Ran ran = runProgram(arguments, environment);
        QCOMPARE(ran.exitCode, exitCode);
        QVERIFY2(ran.err.contains(words), ran.err.constData());
        QVERIFY(ran.out.isEmpty());
    }

    void refusesUnusableBubblewrap()
    {
        // Stands for a system that forbids namespaces: its own words must reach the person.
        QVERIFY(QDir().mkpath(m_folder.filePath(u"bin"_s)));
        writeFile(m_folder.filePath(u"bin/bwrap"_s),
                  "#!/bin/sh\necho 'bwrap: No permissions to create namespace' >&2\nexit 1\n",
                  QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ReadOther
                      | QFile::ExeOther);
        const Ran ran = runProgram({u"--data-dir"_s, m_folder.filePath(u"unusable"_s)},
                                   {u"PATH="_s + m_folder.filePath(u"bin"_s), u"SUPERSERVE_API_KEY=k"_s});
        QCOMPARE(ran.exitCode, 4);
        QVERIFY2(ran.err.contains("No permissions to create namespace"), ran.err.constData());
        QVERIFY(ran.err.contains("kernel.unprivileged_userns_clone"));
        QVERIFY(ran.out.isEmpty());
    }

    void printsHelpAndVersion()
    {
        QCOMPARE(runProgram({u"--version"_s}, {}).out,
                 QByteArray("pilothouse-sandboxd " PILOTHOUSE_VERSION "\n"));
        const Ran help = runProgram({u"--help"_s}, {});
        QCOMPARE(help.exitCode, 0);
        QVERIFY(help.out.contains("--idle-exit-seconds"));
    }

    void readsKeyFileOnlyIfPrivate()
    {
        const QString name = m_folder.filePath(u"key"_s);
        const QStringList path = {u"PATH="_s + qEnvironmentVariable("PATH")};
        writeFile(name, "file-key\n", QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup);
        const QStringList arguments = {u"--data-dir"_s, m_folder.filePath(u"keyed"_s), u"--key-file"_s, name};
        const Ran refused = runProgram(arguments, path);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.err.contains("0600"), refused.err.constData());
        QVERIFY(QFile::setPermissions(name, QFile::ReadOwner | QFile::WriteOwner));
        SandboxdFixture service;
        QVERIFY2(service.start({u"--key-file"_s, name}), service.errorText().constData());
        const ApiClient client(service);
        QCOMPARE(client.call("GET", "/sandboxes", {{"X-API-Key", "file-key"}}).status, 200);
        QCOMPARE(client.call("GET", "/sandboxes", {{"X-API-Key", service.key()}}).status,
                 401); // From the environment.
    }

    /// Started by hand, its paths are relative to where the person stands; what it starts stands elsewhere.
    void relativePathsWork()
    {
        QTemporaryDir place;
        writeFile(place.filePath(u"key"_s), "relative-key\n", QFile::ReadOwner | QFile::WriteOwner);
        SandboxdFixture service;
        service.setWorkingFolder(place.path());
        // The last --data-dir counts.
        QVERIFY2(service.start({u"--data-dir"_s, u"rel/data/"_s, u"--key-file"_s, u"key"_s,
                                u"--endpoint-file=rel/endpoint.json"_s}),
                 service.errorText().constData());
        QVERIFY(QFile::exists(place.filePath(u"rel/endpoint.json"_s)));
        const ApiClient client(service);
        const Answer made = client.call("POST", "/sandboxes",
                                        {{"X-API-Key", "relative-key"}, {"Content-Type", "application/json"}},
                                        "{\"name\":\"relative\"}");
        QCOMPARE(made.status, 201);
        const SandboxRef sandbox = {made.json()[u"id"].toString().toLatin1(),
                                    made.json()[u"access_token"].toString().toLatin1()};
        const Json ran = client.exec(sandbox, u"echo kept > /home/user/f; cat /home/user/f"_s);
        QCOMPARE(ran[u"stdout"].toString(), u"kept\n"_s);
        QVERIFY(QFile::exists(
            place.filePath(u"rel/data/sandboxes/"_s + QString::fromLatin1(sandbox.id) + u"/meta.json"_s)));
        service.stop();
        QCOMPARE(service.exitCode(), 0);
        QVERIFY(!QFile::exists(place.filePath(u"rel/endpoint.json"_s)));
    }

    void namesTakenPortAndOwner()
    {
        SandboxdFixture service;
        QVERIFY2(service.start(), service.errorText().constData());
        const QStringList environment = {u"PATH="_s + qEnvironmentVariable("PATH"),
                                         u"SUPERSERVE_API_KEY=k"_s};
        const Ran locked = runProgram({u"--data-dir"_s, service.dataFolder()}, environment);
        QCOMPARE(locked.exitCode, 8);
        QVERIFY2(locked.err.contains(QByteArray("process " + QByteArray::number(service.processId()))),
                 locked.err.constData());
        const Ran taken = runProgram({u"--data-dir"_s, m_folder.filePath(u"port"_s), u"--listen"_s,
                                      u"127.0.0.1:%1"_s.arg(service.port())},
                                     environment);
        QCOMPARE(taken.exitCode, 3);
        QVERIFY2(taken.err.contains(QByteArray::number(service.port())), taken.err.constData());
        QCOMPARE(ApiClient(service).call("GET", "/health", {}).status, 200);
    }

    void saysWhatItCannotDo()
    {
        SandboxdFixture service;
        QVERIFY2(service.start(), service.errorText().constData());
        const Answer answer = ApiClient(service).call("GET", "/health", {});
        QCOMPARE(answer.status, 200);
        const Json health = answer.json();
        QCOMPARE(health[u"status"].toString(), u"ok"_s);
        QCOMPARE(health[u"product"].toString(), u"pilothouse-sandboxd"_s);
        QCOMPARE(health[u"network"].toString(), u"loopback only"_s);
        QVERIFY(health[u"limits"].isObject());
        QVERIFY(health[u"unsupported"].size() > 0);
        QVERIFY(!health[u"version"].toString().isEmpty());
    }

    void checksHostAndOrigin_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QByteArray>("origin");
        QTest::addColumn<int>("status"); // Of a call without a key: 401 is past these checks.
        const auto row = [](const char *host, const char *origin, int status) {
            QTest::newRow(qPrintable(QString::fromLatin1(host) + u' ' + QString::fromLatin1(origin)))
                << QByteArray(host) << QByteArray(origin) << status;
        };
        row("127.0.0.1:PORT", "", 401);
        row("localhost:PORT", "", 401);
        row("LOCALHOST", "", 401);
        row("[::1]:PORT", "", 401);
        row("evil.example", "", 403);
        row("evil.example:PORT", "", 403);
        row("127.0.0.1.evil.example", "", 403);
        row("localhost.evil.example", "", 403);
        row("", "", 403);
        row("boxd-abc.localhost:PORT", "", 401);
        row("boxd-abc.evil.example", "", 403);
        row("boxd-.localhost", "", 400);
        row("other.localhost", "", 400);
        row("127.0.0.1:PORT", "http://evil.example", 403);
        row("127.0.0.1:PORT", "null", 403);
        row("127.0.0.1:PORT", "http://127.0.0.1:1", 403);
        row("127.0.0.1:PORT", "http://127.0.0.1:PORT", 401);
    }
    void checksHostAndOrigin()
    {
        QFETCH(QByteArray, host);
        QFETCH(QByteArray, origin);
        QFETCH(int, status);
        const QByteArray port = QByteArray::number(shared().port());
        Headers headers = {{"Host", host.replace("PORT", port)}};
        if (!origin.isEmpty())
            headers += {{"Origin", origin.replace("PORT", port)}};
        QCOMPARE(ApiClient(shared()).call("GET", "/sandboxes", headers).status, status);
    }

    void needsExactlyOneHost()
    {
        const ApiClient client(shared());
        QCOMPARE(client.call("GET", "/sandboxes", {{"Host", "localhost"}, {"Host", "localhost"}}).status,
                 400);
        QTcpSocket socket;
        socket.connectToHost(u"127.0.0.1"_s, shared().port());
        QVERIFY(socket.waitForConnected(5000));
        socket.write("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
        QCOMPARE(ApiClient::finish(socket).status, 400);
    }

    void routesByHostOrHeader()
    {
        const ApiClient client(shared());
        const SandboxRef sandbox = client.create();
        const Headers token = {{"X-Access-Token", sandbox.token}};
        const QByteArray body = execBody(u"true"_s);
        QCOMPARE(
            client.call("POST", "/exec", token + Headers{{"Host", "boxd-" + sandbox.id + ".localhost"}}, body)
                .status,
            200);
        const Headers both = {{"Host", "boxd-" + sandbox.id + ".localhost"},
                              {"X-Superserve-Sandbox-Id", sandbox.id}};
        QCOMPARE(client.call("POST", "/exec", token + both, body).status, 200);
        const Headers differ = {{"Host", "boxd-" + sandbox.id + ".localhost"},
                                {"X-Superserve-Sandbox-Id", "other"}};
        QCOMPARE(client.call("POST", "/exec", token + differ, body).status, 400);
        QCOMPARE(client.call("GET", "/", {{"Host", "3000-" + sandbox.id + ".localhost"}}).status, 501);
    }

    void boundsRequests()
    {
        const ApiClient client(shared());
        QCOMPARE(client.call("GET", "/health", {{"X-Long", QByteArray(20000, 'x')}}).status, 431);
        for (const char *text :
             {"nonsense\r\n\r\n", "GET /health HTTP/9.9\r\n\r\n",
              "GET health HTTP/1.1\r\nHost: localhost\r\n\r\n",
              "POST /sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"}) {
            QTcpSocket socket;
            socket.connectToHost(u"127.0.0.1"_s, shared().port());
            QVERIFY(socket.waitForConnected(5000));
            socket.write(text);
            QCOMPARE(ApiClient::finish(socket).status, 400);
        }
        QCOMPARE(client.call("GET", "/health", {}).status, 200);
    }

    void keepsConnectionsAlive()
    {
        QTcpSocket socket;
        socket.connectToHost(u"127.0.0.1"_s, shared().port());
        QVERIFY(socket.waitForConnected(5000));
        for (int i = 0; i < 3; ++i) {
            // An error with a body that the handler never looked at must not end the connection.
            socket.write("POST /sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{\"a\":");
            QByteArray answer;
            while (!answer.endsWith('}') && socket.waitForReadyRead(5000))
                answer += socket.readAll();
            QVERIFY(answer.startsWith("HTTP/1.1 401 "));
            QCOMPARE(socket.state(), QAbstractSocket::ConnectedState);
        }
    }

    void tokensLastOneToTwoHours()
    {
        const ApiClient client(shared());
        const SandboxRef sandbox = client.create();
        QFile file(shared().dataFolder() + u"/token.secret"_s);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        const QByteArray secret = file.readAll();
        const qint64 hour = QDateTime::currentSecsSinceEpoch() / 3600;
        const auto status = [&](qint64 at) {
            const QByteArray text = sandbox.id + '\n' + QByteArray::number(at);
            const QByteArray token =
                QMessageAuthenticationCode::hash(text, secret, QCryptographicHash::Sha256).toHex();
            return client.data({sandbox.id, token}, "POST", "/exec", execBody(u"true"_s)).status;
        };
        QCOMPARE(status(hour), 200);
        QCOMPARE(status(hour - 1), 200);
        QCOMPARE(status(hour - 3), 401); // Two would be one if the hour has just changed.
        QCOMPARE(status(hour + 2), 401);
        // The token is tested before the state: old 401, fresh 503.
        QCOMPARE(client.control("POST", "/sandboxes/" + sandbox.id + "/pause").status, 204);
        QCOMPARE(status(hour - 3), 401);
        QCOMPARE(status(hour), 503);
    }

    void keepsFilesOverRestart_data()
    {
        QTest::addColumn<bool>("crash");
        QTest::newRow("in order") << false;
        QTest::newRow("crash") << true;
    }
    void keepsFilesOverRestart()
    {
        QFETCH(bool, crash);
        SandboxdFixture service;
        QVERIFY2(service.start(), service.errorText().constData());
        const SandboxRef active =
            ApiClient(service).create(",\"metadata\":{\"k\":\"v\"},\"env_vars\":{\"E\":\"1\"}");
        const SandboxRef paused = ApiClient(service).create();
        const SandboxRef failed = ApiClient(service).create();
        QCOMPARE(ApiClient(service).data(active, "POST", "/files?path=/home/user/kept", "bytes").status, 200);
        QVERIFY(
            ApiClient(service)
                .exec(active, u"setsid sleep %1 >/dev/null 2>&1 & true"_s.arg(QLatin1StringView(unique(54))))
                .contains(u"exit_code"));
        QCOMPARE(ApiClient(service).control("POST", "/sandboxes/" + paused.id + "/pause").status, 204);
        QTRY_VERIFY_WITH_TIMEOUT(findProcess(unique(54)) > 0, 5000); // The shell did not wait until it began.
        const qint64 sleeper = findProcess(unique(54));
        if (crash)
            service.kill();
        else
            service.stop();
        QCOMPARE(service.exitCode(), crash ? -1 : 0);
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(sleeper), 5000);
        editMeta(service, failed, u"failed"_s);
        QVERIFY2(service.start(), service.errorText().constData());
        const ApiClient client(service);
        QCOMPARE(client.control("GET", "/sandboxes").json().size(), 3);
        for (const SandboxRef &sandbox : {active, paused}) {
            const Json object = client.control("GET", "/sandboxes/" + sandbox.id).json();
            QCOMPARE(object[u"status"].toString(), u"paused"_s);
            QVERIFY(object[u"processes_lost"].toBool());
        }
        QCOMPARE(client.data(active, "GET", "/files?path=/home/user/kept").status, 503);
        const Json woken = client.control("POST", "/sandboxes/" + active.id + "/activate").json();
        QVERIFY(woken[u"processes_lost"].toBool()); // Said once to the one who wakes it …
        const Json object = client.control("GET", "/sandboxes/" + active.id).json();
        QVERIFY(!object.contains(u"processes_lost")); // … and then no more.
        QCOMPARE(object[u"metadata"][u"k"].toString(), u"v"_s);
        QCOMPARE(client.data(active, "GET", "/files?path=/home/user/kept").body, QByteArray("bytes"));
        QCOMPARE(client.exec(active, u"echo $E"_s)[u"stdout"].toString(), u"1\n"_s);
        // A failed one: nothing but looking at it and deleting it.
        const QByteArray target = "/sandboxes/" + failed.id;
        QCOMPARE(client.status(failed), u"failed"_s);
        QCOMPARE(client.control("POST", target + "/activate").status, 409);
        QCOMPARE(client.control("POST", target + "/resume").status, 409);
        QCOMPARE(client.control("POST", target + "/pause").status, 409);
        QCOMPARE(client.control("PATCH", target, "{\"metadata\":{}}").status, 204);
        QCOMPARE(client.data(failed, "POST", "/exec", execBody(u"true"_s)).status, 503);
        QCOMPARE(client.control("DELETE", target).status, 204);
    }

    /// A sandbox whose description cannot be read is told, kept, and deleted by nobody but a person.
    void tellsOfDamagedDescriptions_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"id\":\"");
        QTest::newRow("zeros") << QByteArray(300, '\0');
        QTest::newRow("later version") << QByteArray("{\"id\":\"ID\",\"status\":\"dreaming\"}");
        QTest::newRow("of another") << QByteArray(
            "{\"id\":\"00000000-0000-4000-8000-000000000000\",\"status\":\"paused\"}");
        QTest::newRow("too long") << QByteArray(2 * 1024 * 1024, ' ');
        QTest::newRow("a folder") << QByteArray("folder");
    }
    void tellsOfDamagedDescriptions()
    {
        QFETCH(QByteArray, bytes);
        SandboxdFixture service;
        QVERIFY2(service.start(), service.errorText().constData());
        const SandboxRef broken = ApiClient(service).create();
        const SandboxRef whole = ApiClient(service).create();
        QCOMPARE(ApiClient(service).data(broken, "POST", "/files?path=/home/user/kept", "bytes").status, 200);
        service.stop();
        const QString folder = service.dataFolder() + u"/sandboxes/"_s + QString::fromLatin1(broken.id);
        const QString meta = folder + u"/meta.json"_s;
        QVERIFY(QFile::remove(meta));
        const bool isFolder = bytes == "folder";
        if (isFolder)
            QVERIFY(QDir().mkdir(meta));
        else
            writeFile(meta, bytes.replace("ID", broken.id), QFile::ReadOwner | QFile::WriteOwner);
        QVERIFY2(service.start(), service.errorText().constData());
        const ApiClient client(service);
        QCOMPARE(client.control("GET", "/sandboxes").json().size(), 2);
        QCOMPARE(client.status(whole), u"paused"_s);
        const QByteArray target = "/sandboxes/" + broken.id;
        const Json object = client.control("GET", target).json();
        QCOMPARE(object[u"status"].toString(), u"failed"_s);
        QVERIFY2(object[u"problem"].toString().contains(meta), qPrintable(object[u"problem"].toString()));
        for (const char *call : {"/activate", "/resume", "/pause"}) {
            const Answer answer = client.control("POST", target + call);
            QCOMPARE(answer.status, 409);
            QVERIFY2(answer.body.contains("meta.json"), answer.body.constData());
        }
        QCOMPARE(client.control("PATCH", target, "{\"metadata\":{}}").status, 409);
        service.stop();
        QVERIFY2(service.errorText().contains(meta.toUtf8()), service.errorText().constData());
        if (!isFolder) {
            QFile file(meta);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), bytes);
        }
        QVERIFY2(service.start(), service.errorText().constData());
        QCOMPARE(ApiClient(service).control("DELETE", target).status, 204);
        QCOMPARE(ApiClient(service).control("GET", "/sandboxes").json().size(), 1);
        QVERIFY(!QFileInfo::exists(folder));
    }

    void settlesTransitionsAfterCrash()
    {
        SandboxdFixture service;
        QVERIFY2(service.start({u"--test-transition-ms"_s, u"3000"_s}), service.errorText().constData());
        const auto pending =
            ApiClient(service).begin("POST", "/sandboxes", ApiClient(service).controlHeaders(),
                                     "{\"name\":\"half\",\"metadata\":{\"attempt\":\"1\"}}");
        QTRY_COMPARE_WITH_TIMEOUT(
            ApiClient(service).control("GET", "/sandboxes?status=starting").json().size(), 1, 2000);
        service.kill();
        QVERIFY2(service.start(), service.errorText().constData());
        // Its creator never heard of it, but finds it by what it said about it.
        const Json rows = ApiClient(service).control("GET", "/sandboxes?metadata.attempt=1").json();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.at(0)[u"status"].toString(), u"paused"_s);
        const QByteArray target = "/sandboxes/" + rows.at(0)[u"id"].toString().toLatin1();
        QCOMPARE(ApiClient(service).control("POST", target + "/activate").status, 200);
    }

    void noticesLostMachine()
    {
        SandboxdFixture service;
        QVERIFY2(service.start(), service.errorText().constData());
        const ApiClient client(service);
        const SandboxRef sandbox = client.create();
        const auto socket = client.begin("POST", "/exec", ApiClient::dataHeaders(sandbox),
                                         execBody(u"exec sleep %1"_s.arg(QLatin1StringView(unique(65))), 60));
        QTRY_VERIFY_WITH_TIMEOUT(findProcess(unique(65)) > 0, 5000);
        // As the kernel does when memory is out: the first process goes, and everything with it.
        const qint64 init = parentOf(findProcess(unique(65)));
        QVERIFY(init > 1);
        QVERIFY(sendSignal(init, SIGKILL));
        const Answer answer = ApiClient::finish(*socket);
        QCOMPARE(answer.status, 502); // Never taken for a result.
        QTRY_COMPARE_WITH_TIMEOUT(client.status(sandbox), u"paused"_s, 5000);
        QVERIFY(client.control("GET", "/sandboxes/" + sandbox.id).json()[u"processes_lost"].toBool());
        QCOMPARE(client.control("POST", "/sandboxes/" + sandbox.id + "/activate").status, 200);
        QCOMPARE(client.exec(sandbox, u"echo back"_s)[u"stdout"].toString(), u"back\n"_s);
        service.stop();
        QVERIFY(service.errorText().contains("ended unexpectedly"));
    }

    void endsWhenLastLeaseEnds()
    {
        SandboxdFixture service;
        const QString endpoint = m_folder.filePath(u"endpoint.json"_s);
        QVERIFY2(service.start({u"--idle-exit-seconds"_s, u"1"_s, u"--endpoint-file"_s, endpoint}),
                 service.errorText().constData());
        const ApiClient client(service);
        auto first = client.begin("GET", "/_local/lease", client.controlHeaders());
        QByteArray begin;
        while (!begin.contains("{\"lease\":true}\n") && first->waitForReadyRead(5000))
            begin += first->readAll();
        QVERIFY(begin.contains("application/x-ndjson"));
        QVERIFY(begin.contains("{\"lease\":true}\n"));
        auto second = client.begin("GET", "/_local/lease", client.controlHeaders());
        QVERIFY(second->waitForReadyRead(5000));
        // The file says where and who, to its owner only.
        QFile file(endpoint);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto json = parseJson(file.readAll().trimmed());
        QVERIFY(bool(json));
        QCOMPARE((*json)[u"base"].toString(), service.base().toString());
        QCOMPARE((*json)[u"pid"].toInteger(0), service.processId());
        QCOMPARE(file.permissions()
                     & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
                 QFile::Permissions());
        const SandboxRef sandbox = client.create();
        QVERIFY(
            client
                .exec(sandbox, u"setsid sleep %1 >/dev/null 2>&1 & true"_s.arg(QLatin1StringView(unique(76))))
                .contains(u"exit_code"));
        QTRY_VERIFY_WITH_TIMEOUT(findProcess(unique(76)) > 0, 5000);
        const qint64 sleeper = findProcess(unique(76));
        first->abort();
        QVERIFY(!service.waitForEnd(1500)); // One user is still there.
        second->abort();
        QVERIFY(service.waitForEnd(5000));
        QCOMPARE(service.exitCode(), 0);
        QVERIFY(!QFile::exists(endpoint));
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(sleeper), 5000);
    }

    void goesToBackground()
    {
        const QString folder = m_folder.filePath(u"detached"_s);
        const QString endpoint = m_folder.filePath(u"detached.json"_s);
        const Ran ran = runProgram({u"--detach"_s, u"--data-dir"_s, folder, u"--endpoint-file"_s, endpoint,
                                    u"--idle-exit-seconds"_s, u"30"_s},
                                   {u"PATH="_s + qEnvironmentVariable("PATH"), u"SUPERSERVE_API_KEY=k"_s});
        QCOMPARE(ran.exitCode, 0);
        QVERIFY(ran.out.startsWith("{\"ready\":true,"));
        QFile file(endpoint);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto json = parseJson(file.readAll().trimmed());
        QVERIFY(bool(json));
        const qint64 pid = (*json)[u"pid"].toInteger(0);
        QVERIFY(pid > 1 && isAlive(pid));
        QVERIFY(pid_t(pid) != ::getsid(0) && ::getsid(pid_t(pid)) == pid_t(pid));
        QVERIFY(sendSignal(pid, SIGTERM));
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(endpoint), 5000);
        const Ran refused =
            runProgram({u"--detach"_s, u"--data-dir"_s, u"/proc/nothing"_s},
                       {u"PATH="_s + qEnvironmentVariable("PATH"), u"SUPERSERVE_API_KEY=k"_s});
        QCOMPARE(refused.exitCode, 8);
        QVERIFY(refused.err.contains("/proc/nothing"));
    }

private:
    SandboxdFixture &shared()
    {
        if (!m_shared) {
            m_shared = std::make_unique<SandboxdFixture>();
            if (!m_shared->start())
                qFatal("the service does not start: %s", m_shared->errorText().constData());
        }
        return *m_shared;
    }

    /// A number that no other run of this test uses, to find one's own process among all of the host.
    static QByteArray unique(int n)
    {
        return QByteArray::number(n) + QByteArray::number(QCoreApplication::applicationPid());
    }

    /// The running `sleep` that has `word` as its argument, as the host sees it; 0 if there is none. Only
    /// what it runs at last counts: the processes before it have the word as well, and their arguments read
    /// as empty, or they are gone, a moment later.
    static qint64 findProcess(const QByteArray &word)
    {
        for (const QString &name : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
            QFile file(u"/proc/%1/cmdline"_s.arg(name));
            bool isNumber = false;
            const qint64 pid = name.toLongLong(&isNumber);
            if (isNumber && file.open(QIODevice::ReadOnly)
                && file.readAll() == "sleep" + QByteArray(1, '\0') + word + QByteArray(1, '\0'))
                return pid;
        }
        return 0;
    }

    static qint64 parentOf(qint64 pid)
    {
        QFile file(u"/proc/%1/stat"_s.arg(pid));
        if (!file.open(QIODevice::ReadOnly))
            return 0;
        const QByteArray text = file.readAll();
        return text.mid(text.lastIndexOf(')') + 2).split(' ').value(1).toLongLong();
    }

    static void editMeta(const SandboxdFixture &service, const SandboxRef &sandbox, const QString &status)
    {
        QFile file(service.dataFolder() + u"/sandboxes/"_s + QString::fromLatin1(sandbox.id)
                   + u"/meta.json"_s);
        QVERIFY(file.open(QIODevice::ReadWrite));
        auto meta = parseJson(file.readAll());
        QVERIFY(bool(meta));
        meta->set(u"status"_s, Json::string(status));
        QVERIFY(file.resize(0) && file.seek(0));
        file.write(meta->toJson());
    }

    QTemporaryDir m_folder;
    std::unique_ptr<SandboxdFixture> m_shared;
};

} // namespace Pilothouse::Tests

QTEST_GUILESS_MAIN(Pilothouse::Tests::TestService)
#include "tst_service.moc"
