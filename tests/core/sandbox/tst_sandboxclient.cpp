// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/sandbox/sandboxfixture.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QLocale>
#include <QSignalSpy>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestSandboxClient : public Tests::Test {
    Q_OBJECT

    static CommandRequest command(const QString &text = u"true"_s)
    {
        CommandRequest request;
        request.command = text;
        return request;
    }

private Q_SLOTS:
    void missingKeySendsNothing_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("blank inside") << QByteArray("ss live");
        QTest::newRow("line end") << QByteArray("key\r\nX: y");
        QTest::newRow("not ASCII") << QByteArray("k\xC3\xA4y");
    }
    void missingKeySendsNothing()
    {
        QFETCH(QByteArray, key);
        SandboxFixture f(key);
        Got<SandboxInfo> get;
        Got<ExecResult> exec;
        Got<SandboxInfo> activate;
        f.client->get(u"sb-1"_s, &f.context, get.reply());
        f.client->exec(u"sb-1"_s, command(), &f.context, exec.reply());
        f.client->activate(u"sb-1"_s, &f.context, activate.reply());
        QCOMPARE(get.count + exec.count + activate.count, 0); // Never inside the call.
        QTRY_COMPARE(get.count + exec.count + activate.count, 3);
        for (const ApiError &error : {get.error(), exec.error(), activate.error()}) {
            QCOMPARE(categoryName(error.category), u"auth"_s);
            QCOMPARE(error.status, 401);
        }
        QCOMPARE(f.server.connectionCount(), 0);
    }

    void credentialsStayOnTheirPlane()
    {
        SandboxFixture f;
        f.server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() == "/exec")
                return connection->respond(200, "{\"stdout\":\"o\",\"stderr\":\"\",\"exit_code\":7}");
            connection->respond(request.path() == "/sandboxes" ? 201 : 200,
                                SandboxFixture::sandbox("active"));
        });
        CreateSandbox create;
        create.name = u"n"_s;
        Got<SandboxInfo> created;
        f.client->create(create, &f.context, created.reply());
        QTRY_COMPARE(created.count, 1);
        QVERIFY(created.ok());
        CommandRequest request = command(u"exit 7"_s);
        request.timeout = 2500ms;
        Got<ExecResult> exec;
        f.client->exec(u"sb-1"_s, request, &f.context, exec.reply());
        QTRY_COMPARE(exec.count, 1);
        QVERIFY(exec.ok());
        QCOMPARE(exec.result->value().exitCode, 7);

        QCOMPARE(f.server.requests().size(), 2); // create's token serves exec: no activate.
        const LoopbackRequest control = f.server.requests()[0];
        QCOMPARE(control.header("X-API-Key"), QByteArray("ss_test_key_1"));
        QCOMPARE(control.header("Content-Type"), QByteArray("application/json"));
        QVERIFY(!control.hasHeader("X-Access-Token"));
        QVERIFY(!control.hasHeader("X-Superserve-Sandbox-Id"));
        QVERIFY(control.header("User-Agent").startsWith("Pilothouse/"));
        const LoopbackRequest data = f.server.requests()[1];
        QCOMPARE(data.header("X-Access-Token"), QByteArray("tok-1"));
        QCOMPARE(data.header("X-Superserve-Sandbox-Id"), QByteArray("sb-1"));
        QVERIFY(!data.hasHeader("X-API-Key"));
        QCOMPARE(data.body, QByteArray("{\"command\":\"exit 7\",\"timeout_s\":3}"));
    }

    void getAndDeleteAreTriedThreeTimes_data()
    {
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<int>("status"); // 0: the connection is lost
        for (const char *method : {"GET", "DELETE"}) {
            for (const int status : {0, 429, 502, 503, 504})
                QTest::addRow("%s %d", method, status) << QByteArray(method) << status;
        }
    }
    void getAndDeleteAreTriedThreeTimes()
    {
        QFETCH(QByteArray, method);
        QFETCH(int, status);
        SandboxFixture f;
        QList<qint64> times;
        QElapsedTimer clock;
        clock.start();
        f.server.setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            times.append(clock.elapsed());
            if (status == 0) {
                // A body that is cut: Qt does not resend what has begun to be answered.
                connection->send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
                connection->close();
            } else {
                connection->respond(status, "{\"error\":{\"code\":\"c\",\"message\":\"later\"}}",
                                    {{"Retry-After", status == 429 ? "0" : "20"}});
            }
        });
        Got<SandboxInfo> get;
        Got<Done> removed;
        if (method == "GET")
            f.client->get(u"sb-1"_s, &f.context, get.reply());
        else
            f.client->remove(u"sb-1"_s, &f.context, removed.reply());
        QTRY_COMPARE(get.count + removed.count, 1);
        QVERIFY(!get.ok() && !removed.ok());
        QCOMPARE(times.size(), 3);
        if (status == 429)
            return; // Retry-After: 0 replaces the waits.
        // Lower bounds only: a busy machine may be late, never early. 80 to 120 ms, then 160 to 240 ms.
        QVERIFY2(times[1] - times[0] >= 79, qPrintable(QString::number(times[1] - times[0])));
        QVERIFY2(times[2] - times[1] >= 159, qPrintable(QString::number(times[2] - times[1])));
    }

    void retryAfterIsHonoured()
    {
        SandboxFixture f;
        QElapsedTimer clock;
        clock.start();
        f.server.enqueueResponse(429, "{}", {{"Retry-After", "1"}});
        f.server.enqueueResponse(200, SandboxFixture::sandbox("active"));
        Got<SandboxInfo> get;
        f.client->get(u"sb-1"_s, &f.context, get.reply());
        QTRY_COMPARE(get.count, 1);
        QVERIFY(get.ok());
        QVERIFY(clock.elapsed() >= 990);
    }

    void finalStatusesAreNotRetried_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("category");
        QTest::newRow("400") << 400 << u"invalid_request"_s;
        QTest::newRow("401") << 401 << u"auth"_s;
        QTest::newRow("403") << 403 << u"permission"_s;
        QTest::newRow("404") << 404 << u"not_found"_s;
        QTest::newRow("409") << 409 << u"conflict"_s;
        QTest::newRow("410") << 410 << u"gone"_s;
        QTest::newRow("500") << 500 << u"server"_s;
        QTest::newRow("302") << 302 << u"redirect"_s;
    }
    void finalStatusesAreNotRetried()
    {
        QFETCH(int, status);
        SandboxFixture f;
        f.server.setHandler(
            [&](const LoopbackRequest &, LoopbackConnection *connection) { connection->respond(status); });
        Got<SandboxInfo> get;
        f.client->get(u"sb-1"_s, &f.context, get.reply());
        QTRY_COMPARE(get.count, 1);
        QTEST(get.category(), "category");
        QCOMPARE(f.server.requests().size(), 1);
    }

    /// POST, PATCH, upload and exec leave once, whatever comes back.
    void everythingElseIsSentOnce_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("status"); // 0: read and closed, -1: reset
        for (const char *call : {"create", "patch", "exec", "write"}) {
            for (const int status : {-1, 0, 429, 502, 504})
                QTest::addRow("%s %d", call, status) << QString::fromLatin1(call) << status;
        }
        QTest::newRow("create 503") << u"create"_s << 503;
        QTest::newRow("patch 503") << u"patch"_s << 503;
    }
    void everythingElseIsSentOnce()
    {
        QFETCH(QString, call);
        QFETCH(int, status);
        SandboxFixture f;
        QByteArray path;
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            path = request.path();
            if (status > 0)
                connection->respond(status, "{\"error\":\"no\"}");
            else
                status == 0 ? connection->close() : connection->reset();
        });
        Got<SandboxInfo> created;
        Got<Done> done;
        Got<ExecResult> exec;
        if (call == u"create") {
            CreateSandbox request;
            request.name = u"n"_s;
            f.client->create(request, &f.context, created.reply());
        } else if (call == u"patch") {
            PatchSandbox change;
            change.timeoutSeconds = std::optional<qint64>(60);
            f.client->patch(u"sb-1"_s, change, &f.context, done.reply());
        } else if (call == u"exec") {
            f.client->exec(u"sb-1"_s, command(), &f.context, exec.reply());
        } else {
            f.client->writeFile(u"sb-1"_s, u"/a"_s, "bytes", &f.context, done.reply());
        }
        QTRY_COMPARE(created.count + done.count + exec.count, 1);
        const ApiError error = call == u"create" ? created.error()
            : call == u"exec"                    ? exec.error()
                                                 : done.error();
        QCOMPARE(error.status, std::max(status, 0));
        QCOMPARE(error.outcomeUnknown, status <= 0 || status == 502 || status == 504);
        int sent = 0;
        for (const LoopbackRequest &request : f.server.requests())
            sent += request.path() == path ? 1 : 0;
        QCOMPARE(sent, 1);
    }

    void timeoutsAndAbortsAreNotRetried()
    {
        SandboxEndpoint endpoint;
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *) {});
        endpoint.control = QUrl(u"http://127.0.0.1:%1"_s.arg(server.port()));
        endpoint.apiKey = Secret("ss_test_key_1");
        SandboxTiming timing;
        timing.call = 400ms;
        NetworkAccess network;
        SandboxClient client(&network, endpoint, nullptr, timing);
        Got<SandboxInfo> get;
        QObject context;
        client.get(u"sb-1"_s, &context, get.reply());
        QTRY_COMPARE(get.count, 1);
        QCOMPARE(get.category(), u"timeout"_s);
        QCOMPARE(server.requests().size(), 1);

        // A context that dies takes its request along, quietly.
        QSignalSpy closed(&server, &LoopbackServer::connectionClosed);
        Got<SandboxInfo> abandoned;
        auto shortLived = std::make_unique<QObject>();
        client.get(u"sb-1"_s, shortLived.get(), abandoned.reply());
        QTRY_COMPARE(server.requests().size(), 2);
        shortLived.reset();
        QTRY_COMPARE(closed.size(), 1);
        QCOMPARE(abandoned.count, 0);
    }

    void staleTokens_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("refreshes");
        const QByteArray plain = "sandbox is paused";
        QTest::newRow("401") << 401 << plain << true;
        QTest::newRow("403") << 403 << plain << true;
        QTest::newRow("503") << 503 << plain << true;
        QTest::newRow("404 stale route")
            << 404 << QByteArray("{\"error\":{\"code\":\"sandbox_route_stale\",\"message\":\"m\"}}") << true;
        QTest::newRow("404") << 404 << QByteArray("sandbox not found") << false;
        for (const int status : {400, 409, 429, 500, 502, 504})
            QTest::addRow("%d", status) << status << plain << false;
    }
    void staleTokens()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(bool, refreshes);
        for (const bool healed : {true, false}) {
            SandboxFixture f;
            f.server.setHandler(
                [&, activates = 0](const LoopbackRequest &request, LoopbackConnection *connection) mutable {
                    if (request.path().endsWith("/activate")) {
                        ++activates;
                        return connection->respond(
                            200, SandboxFixture::sandbox("active", "tok-" + QByteArray::number(activates)));
                    }
                    if (healed && request.header("X-Access-Token") == "tok-2")
                        return connection->respond(200, "{\"stdout\":\"\",\"stderr\":\"\",\"exit_code\":0}");
                    connection->respond(status, body, {{"Content-Type", "text/plain"}});
                });
            Got<ExecResult> exec;
            f.client->exec(u"sb-1"_s, command(), &f.context, exec.reply());
            QTRY_COMPARE(exec.count, 1);
            // The first activate fetches the first token.
            QCOMPARE(f.server.count("POST", "/sandboxes/sb-1/activate"), refreshes ? 2 : 1);
            QCOMPARE(f.server.count("POST", "/exec"), refreshes ? 2 : 1);
            QCOMPARE(exec.ok(), refreshes && healed);
            if (!exec.ok())
                QCOMPARE(exec.error().status, status);
            for (const LoopbackRequest &request : f.server.requests()) {
                if (request.path().endsWith("/activate"))
                    QVERIFY(request.body.isEmpty() && request.header("Content-Length") == "0");
            }
        }
    }

    void concurrentRefreshesShareOneActivate()
    {
        SandboxFixture f;
        QList<QPointer<LoopbackConnection>> waiting;
        bool refuse = true;
        int activates = 0;
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate")) {
                ++activates;
                return connection->respond(
                    200, SandboxFixture::sandbox("active", "tok-" + QByteArray::number(activates)));
            }
            if (!refuse)
                return connection->respond(200, "{\"stdout\":\"\",\"stderr\":\"\",\"exit_code\":0}");
            waiting.append(connection); // All are refused together, when the last has come.
            if (waiting.size() < 5)
                return;
            refuse = false;
            for (const QPointer<LoopbackConnection> &each : std::as_const(waiting))
                each->respond(401, "invalid access token", {{"Content-Type", "text/plain"}});
        });
        QList<Got<ExecResult>> calls(5);
        for (Got<ExecResult> &call : calls)
            f.client->exec(u"sb-1"_s, command(), &f.context, call.reply());
        for (Got<ExecResult> &call : calls) {
            QTRY_COMPARE(call.count, 1);
            QVERIFY(call.ok());
        }
        QCOMPARE(activates, 2); // One for the first token, one for all five.
        QCOMPARE(f.server.count("POST", "/exec"), 10);
    }

    void failedActivateIsWhatTheCallerSees()
    {
        SandboxFixture f;
        f.server.setHandler([&, first = true](const LoopbackRequest &request,
                                              LoopbackConnection *connection) mutable {
            if (!request.path().endsWith("/activate"))
                return connection->respond(503, "sandbox is paused", {{"Content-Type", "text/plain"}});
            if (std::exchange(first, false))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            connection->respond(410, "{\"error\":{\"code\":\"gone\",\"message\":\"the machine is lost\"}}");
        });
        Got<ExecResult> exec;
        f.client->exec(u"sb-1"_s, command(), &f.context, exec.reply());
        QTRY_COMPARE(exec.count, 1);
        QCOMPARE(exec.category(), u"gone"_s);
        QCOMPARE(exec.error().message, u"the machine is lost"_s);
        QCOMPARE(f.server.count("POST", "/exec"), 1);
    }

    void abandonedRefreshIsStopped()
    {
        SandboxFixture f;
        f.server.setHandler([](const LoopbackRequest &, LoopbackConnection *) {}); // activate hangs
        QSignalSpy closed(&f.server, &LoopbackServer::connectionClosed);
        Got<ExecResult> one;
        Got<ExecResult> two;
        auto first = std::make_unique<QObject>();
        auto second = std::make_unique<QObject>();
        f.client->exec(u"sb-1"_s, command(), first.get(), one.reply());
        f.client->exec(u"sb-1"_s, command(), second.get(), two.reply());
        QTRY_COMPARE(f.server.requests().size(), 1);
        first.reset();
        QCOMPARE(f.server.openConnections(), 1); // The second still waits for it.
        second.reset();
        QTRY_COMPARE(closed.size(), 1);
        QCOMPARE(one.count + two.count, 0);
    }

    void createAnswers_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("category");
        QTest::newRow("whole") << SandboxFixture::sandbox("active") << u"ok"_s;
        QTest::newRow("no token") << SandboxFixture::sandbox("active", "") << u"protocol"_s;
        QTest::newRow("no json") << QByteArray("created!") << u"protocol"_s;
        QTest::newRow("empty") << QByteArray() << u"protocol"_s;
    }
    void createAnswers()
    {
        QFETCH(QByteArray, body);
        SandboxFixture f;
        f.server.enqueueResponse(201, body);
        CreateSandbox request;
        request.name = u"n"_s;
        Got<SandboxInfo> created;
        f.client->create(request, &f.context, created.reply());
        QTRY_COMPARE(created.count, 1);
        QTEST(created.category(), "category");
        if (!created.ok())
            QVERIFY(created.error().outcomeUnknown); // It may stand there; look by metadata.
    }

    void resumeNeedsLittle()
    {
        SandboxFixture f;
        f.server.enqueueResponse(200, "{\"id\":\"sb-1\",\"status\":\"active\",\"access_token\":\"tok-9\"}");
        f.server.enqueueResponse(200, "{\"stdout\":\"\",\"stderr\":\"\",\"exit_code\":0}");
        Got<SandboxInfo> resumed;
        f.client->resume(u"sb-1"_s, &f.context, resumed.reply());
        QTRY_COMPARE(resumed.count, 1);
        QVERIFY(resumed.ok());
        Got<ExecResult> exec;
        f.client->exec(u"sb-1"_s, command(), &f.context, exec.reply());
        QTRY_COMPARE(exec.count, 1);
        QCOMPARE(f.server.requests()[1].header("X-Access-Token"), QByteArray("tok-9"));
    }

    void patchWithoutChangeSendsNothing()
    {
        SandboxFixture f;
        Got<Done> none;
        f.client->patch(u"sb-1"_s, {}, &f.context, none.reply());
        QTRY_COMPARE(none.count, 1);
        QVERIFY(none.ok());
        QCOMPARE(f.server.requests().size(), 0);
        f.server.enqueueResponse(204);
        PatchSandbox change;
        change.autoDeleteSeconds = std::optional<qint64>();
        Got<Done> changed;
        f.client->patch(u"sb-1"_s, change, &f.context, changed.reply());
        QTRY_COMPARE(changed.count, 1);
        QVERIFY(changed.ok());
        QCOMPARE(f.server.requests()[0].method, QByteArray("PATCH"));
        QCOMPARE(f.server.requests()[0].body, QByteArray("{\"auto_delete_seconds\":null}"));
    }

    void listPages_data()
    {
        QTest::addColumn<bool>("counted");
        QTest::newRow("with X-Total-Count") << true;
        QTest::newRow("without") << false;
    }
    void listPages()
    {
        QFETCH(bool, counted);
        SandboxFixture f;
        // 450 sandboxes; between the pages one appears in front, so that each page repeats a row.
        f.server.setHandler(
            [&, shift = 0](const LoopbackRequest &request, LoopbackConnection *connection) mutable {
                const int offset =
                    request.target.mid(request.target.indexOf("offset=") + 7).split('&').first().toInt();
                QByteArray rows;
                for (int i = offset; i < std::min(offset + 200, 450 + shift); ++i) {
                    const QByteArray row =
                        "{\"id\":\"s" + QByteArray::number(i - shift + 10) + "\",\"status\":\"paused\"}";
                    rows += (rows.isEmpty() ? "" : ",") + row;
                }
                ++shift;
                LoopbackHeaders headers;
                if (counted)
                    headers.emplaceBack("X-Total-Count", "452");
                connection->respond(200, QByteArray('[' + rows + ']'), headers);
            });
        Got<QList<SandboxInfo>> list;
        ListSandboxes filter;
        filter.metadata = {{u"ph_install"_s, u"i 1"_s}};
        f.client->list(filter, &f.context, list.reply());
        QTRY_COMPARE(list.count, 1);
        QVERIFY(list.ok());
        QCOMPARE(list.result->value().size(), 450);
        QCOMPARE(f.server.requests().size(), 3);
        QCOMPARE(f.server.requests()[1].target,
                 QByteArray("/sandboxes?limit=200&offset=200&metadata.ph_install=i%201"));
    }

    void listThatNeverEnds()
    {
        SandboxFixture f;
        // An old service may ignore the offset: the same page again and again.
        QByteArray rows;
        for (int i = 0; i < 200; ++i)
            rows +=
                (i ? ",{\"id\":\"s" : "{\"id\":\"s") + QByteArray::number(i) + "\",\"status\":\"paused\"}";
        f.server.setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, QByteArray('[' + rows + ']'));
        });
        Got<QList<SandboxInfo>> list;
        f.client->list({}, &f.context, list.reply());
        QTRY_COMPARE(list.count, 1);
        QCOMPARE(list.result->value().size(), 200);
        QCOMPARE(f.server.requests().size(), 2);
    }

    void lostCreateIsFoundByMetadata()
    {
        SandboxFixture f;
        f.server.enqueue(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->close(); });
        f.server.enqueueResponse(
            200, "[{\"id\":\"sb-1\",\"status\":\"active\",\"metadata\":{\"ph_attempt\":\"x\"}}]");
        CreateSandbox request;
        request.name = u"n"_s;
        request.metadata = {{u"ph_attempt"_s, u"x"_s}};
        Got<SandboxInfo> created;
        f.client->create(request, &f.context, created.reply());
        QTRY_COMPARE(created.count, 1);
        QVERIFY(created.error().outcomeUnknown);
        Got<QList<SandboxInfo>> list;
        f.client->list({request.metadata, {}}, &f.context, list.reply());
        QTRY_COMPARE(list.count, 1);
        QCOMPARE(list.result->value().constFirst().metadataValue(u"ph_attempt"_s), u"x"_s);
        QCOMPARE(f.server.count("POST", "/sandboxes"), 1);
    }

    void healthNeedsNoKey()
    {
        SandboxFixture f("");
        f.server.enqueueResponse(200, "{\"status\":\"ok\"}");
        Got<Json> health;
        f.client->health(&f.context, health.reply());
        QTRY_COMPARE(health.count, 1);
        QVERIFY(health.ok());
        QCOMPARE(health.result->value()[u"status"].toString(), u"ok"_s);
        QVERIFY(!f.server.requests()[0].hasHeader("X-API-Key"));
    }

    void hostileIdsSendNothing()
    {
        SandboxFixture f;
        const QString id = u"../health"_s;
        Got<SandboxInfo> info;
        Got<Done> done;
        Got<ExecResult> exec;
        Got<FileListing> listing;
        Got<QByteArray> read;
        f.client->get(id, &f.context, info.reply());
        f.client->activate(id, &f.context, info.reply());
        f.client->resume(id, &f.context, info.reply());
        f.client->pause(id, &f.context, done.reply());
        f.client->remove(id, &f.context, done.reply());
        f.client->patch(id, {}, &f.context, done.reply());
        f.client->writeFile(id, u"/a"_s, {}, &f.context, done.reply());
        f.client->exec(id, command(), &f.context, exec.reply());
        f.client->listFiles(id, u"/"_s, &f.context, listing.reply());
        f.client->readFile(id, u"/a"_s, 10, &f.context, read.reply());
        QTRY_COMPARE(info.count + done.count + exec.count + listing.count + read.count, 10);
        QCOMPARE(info.category(), u"local"_s);
        QCOMPARE(done.category(), u"local"_s);
        QCOMPARE(exec.category(), u"local"_s);
        QCOMPARE(f.server.connectionCount(), 0);
    }

    void execAnswerIsBounded()
    {
        SandboxFixture f;
        f.server.enqueueResponse(200, SandboxFixture::sandbox("active"));
        f.server.enqueue([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            for (int i = 0; i < 11; ++i)
                connection->sendChunk(QByteArray(1024 * 1024, 'x'));
        });
        Got<ExecResult> exec;
        f.client->exec(u"sb-1"_s, command(), &f.context, exec.reply());
        QTRY_COMPARE(exec.count, 1);
        QCOMPARE(exec.category(), u"too_large"_s);
        QVERIFY(exec.error().outcomeUnknown);
    }

    void badPathsSendNothing()
    {
        SandboxFixture f;
        for (const QString &path : {u"a"_s, u"/a/../b"_s, QString()}) {
            Got<Done> written;
            Got<QByteArray> read;
            Got<FileListing> listing;
            f.client->writeFile(u"sb-1"_s, path, "x", &f.context, written.reply());
            f.client->readFile(u"sb-1"_s, path, 10, &f.context, read.reply());
            f.client->listFiles(u"sb-1"_s, path, &f.context, listing.reply());
            QTRY_COMPARE(written.count + read.count + listing.count, 3);
            QCOMPARE(written.category(), u"local"_s);
            QCOMPARE(read.category(), u"local"_s);
            QCOMPARE(listing.category(), u"local"_s);
        }
        QCOMPARE(f.server.connectionCount(), 0);
    }

    void filesRoundTrip()
    {
        SandboxFixture f;
        QByteArray stored;
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            if (request.method == "POST") {
                stored = request.body;
                return connection->respond(200, "{\"path\":\"/x\",\"size\":1}");
            }
            connection->respond(200, stored, {{"Content-Type", "application/octet-stream"}});
        });
        QByteArray all;
        for (int i = 0; i < 256; ++i)
            all += static_cast<char>(i);
        for (const QByteArray &bytes : {QByteArray(), all, all.repeated(4096)}) {
            Got<Done> written;
            f.client->writeFile(u"sb-1"_s, u"/a b+c%#&?\nä"_s, bytes, &f.context, written.reply());
            QTRY_COMPARE(written.count, 1);
            QVERIFY(written.ok());
            Got<QByteArray> read;
            f.client->readFile(u"sb-1"_s, u"/a b+c%#&?\nä"_s, 16 * 1024 * 1024, &f.context, read.reply());
            QTRY_COMPARE(read.count, 1);
            QVERIFY(read.ok());
            QVERIFY(read.result->value() == bytes);
        }
        const LoopbackRequest post = f.server.requests()[1];
        QCOMPARE(post.target, QByteArray("/files?path=%2Fa%20b%2Bc%25%23%26%3F%0A%C3%A4"));
        QCOMPARE(post.header("Content-Type"), QByteArray("application/octet-stream"));
        QCOMPARE(f.server.requests()[2].target, post.target);
        QVERIFY(!f.server.requests()[2].hasHeader("Content-Type"));
    }

    void fileErrors_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("category");
        QTest::addColumn<QString>("message");
        QTest::newRow("missing") << 404 << QByteArray("{\"error\":\"file not found\"}") << u"not_found"_s
                                 << u"file not found"_s;
        QTest::newRow("directory") << 400 << QByteArray("{\"error\":\"is a directory\"}")
                                   << u"invalid_request"_s << u"is a directory"_s;
        QTest::newRow("full")
            << 507
            << QByteArray("{\"error\":{\"code\":\"sandbox_storage_full\",\"message\":\"disk is full\"}}")
            << u"server"_s << u"disk is full"_s;
    }
    void fileErrors()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        SandboxFixture f;
        f.server.enqueueResponse(200, SandboxFixture::sandbox("active"));
        f.server.enqueueResponse(status, body);
        Got<QByteArray> read;
        f.client->readFile(u"sb-1"_s, u"/a"_s, 100, &f.context, read.reply());
        QTRY_COMPARE(read.count, 1);
        QTEST(read.category(), "category");
        QTEST(read.error().message, "message");
    }

    void shortAndLongFilesAreErrors()
    {
        SandboxFixture f;
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            if (request.target.endsWith("short")) {
                connection->send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                connection->close();
            } else {
                connection->respond(200, QByteArray(101, 'x'));
            }
        });
        Got<QByteArray> cut;
        f.client->readFile(u"sb-1"_s, u"/short"_s, 100, &f.context, cut.reply());
        QTRY_COMPARE(cut.count, 1);
        QCOMPARE(cut.category(), u"truncated"_s);
        Got<QByteArray> large;
        f.client->readFile(u"sb-1"_s, u"/long"_s, 100, &f.context, large.reply());
        QTRY_COMPARE(large.count, 1);
        QCOMPARE(large.category(), u"too_large"_s);
    }

    void lookingWakesNothing_data()
    {
        QTest::addColumn<bool>("lists");
        for (const bool lists : {false, true})
            QTest::newRow(lists ? "list" : "read") << lists;
    }
    void lookingWakesNothing()
    {
        QFETCH(bool, lists);
        SandboxFixture f;
        QByteArray status = "paused";
        bool falls = false; // Paused between the look and the call.
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().startsWith("/sandboxes/"))
                return connection->respond(200, SandboxFixture::sandbox(status));
            if (falls) {
                status = "pausing";
                return connection->respond(503, "sandbox is not running");
            }
            connection->respond(200,
                                lists
                                    ? QByteArray("{\"stdout\":\"cmMgMAA=\",\"stderr\":\"\",\"exit_code\":0}")
                                    : QByteArray("bytes"));
        });
        const auto look = [&] {
            Got<FileListing> listing;
            Got<QByteArray> read;
            if (lists)
                f.client->listFiles(u"sb-1"_s, u"/"_s, &f.context, listing.reply());
            else
                f.client->readFile(u"sb-1"_s, u"/a"_s, 100, &f.context, read.reply(), Wake::Never);
            (void)QTest::qWaitFor([&] { return listing.count + read.count == 1; });
            return lists ? std::pair(listing.category(), listing.error())
                         : std::pair(read.category(), read.error());
        };
        const auto sleeping = look();
        QCOMPARE(sleeping.first, u"conflict"_s);
        QCOMPARE(sleeping.second.code, u"sandbox_not_active"_s);
        QVERIFY2(sleeping.second.message.contains(u"sb-1 is paused"_s), qPrintable(sleeping.second.message));
        QCOMPARE(f.server.requests().size(), 1); // Read, and nothing else.
        status = "active";
        QCOMPARE(look().first, u"ok"_s);
        falls = true;
        const auto fallen = look();
        QCOMPARE(fallen.second.code, u"sandbox_not_active"_s);
        QVERIFY(fallen.second.message.contains(u"pausing"_s));
        for (const LoopbackRequest &request : f.server.requests())
            QVERIFY(!request.path().endsWith("/activate"));
    }

    /// The reply may destroy the context, the client, or both.
    void replyMayDestroyEverything()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, SandboxFixture::sandbox("paused"));
        });
        SandboxEndpoint endpoint;
        endpoint.control = QUrl(u"http://127.0.0.1:%1"_s.arg(server.port()));
        endpoint.apiKey = Secret("ss_test_key_1");
        NetworkAccess network;
        for (int call = 0; call < 5; ++call) {
            auto *client = new SandboxClient(&network, endpoint, nullptr, SandboxFixture::timing());
            auto *context = new QObject;
            int replies = 0;
            const auto reply = [&, client, context](const auto &) {
                ++replies;
                delete context;
                delete client;
            };
            switch (call) {
            case 0:
                client->get(u"sb-1"_s, context, reply);
                break;
            case 1:
                client->activate(u"sb-1"_s, context, reply);
                break;
            case 2:
                client->pause(u"sb-1"_s, context, reply);
                break;
            case 3:
                client->exec(u"sb-1"_s, command(), context, reply);
                break;
            case 4:
                client->get(u"../"_s, context, reply);
                break;
            }
            QTRY_COMPARE(replies, 1);
        }
    }

    void tenCommandsDoNotBlockAControlCall()
    {
        SandboxFixture f;
        f.server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.method == "GET" || request.path().endsWith("/activate"))
                connection->respond(200, SandboxFixture::sandbox("active"));
        });
        QList<Got<ExecResult>> calls(10);
        for (qsizetype i = 0; i < calls.size(); ++i)
            f.client->exec(u"sb-%1"_s.arg(i), command(), &f.context, calls[i].reply());
        QTRY_COMPARE(f.server.count("POST", "/exec"), 10);
        Got<SandboxInfo> get;
        f.client->get(u"sb-1"_s, &f.context, get.reply());
        QTRY_COMPARE(get.count, 1);
        QVERIFY(get.ok());
    }
};

QTEST_GUILESS_MAIN(TestSandboxClient)
#include "tst_sandboxclient.moc"
