// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/sandbox/sandboxfixture.h"
#include "sandbox/commandsession.h"
#include "support/testmain.h"

#include <QPointer>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// Everything one session told.
struct Log {
    int started = 0;
    int finished = 0;
    QByteArray out;
    QByteArray err;
    bool orderWrong = false; ///< Something after finished, or output before started.
    CommandOutcome outcome;

    void watch(CommandSession *session, QObject *context)
    {
        QObject::connect(session, &CommandSession::started, context, [this] {
            orderWrong = orderWrong || finished > 0 || started > 0;
            ++started;
        });
        QObject::connect(session, &CommandSession::output, context,
                         [this](OutputChannel channel, const QByteArray &bytes) {
                             orderWrong = orderWrong || finished > 0 || started == 0;
                             (channel == OutputChannel::Stdout ? out : err) += bytes;
                         });
        QObject::connect(session, &CommandSession::finished, context, [this](const CommandOutcome &how) {
            ++finished;
            outcome = how;
        });
    }
    [[nodiscard]] QString known() const
    {
        switch (outcome.known) {
        case CommandOutcome::Known::Exited:
            return u"exited"_s;
        case CommandOutcome::Known::NotStarted:
            return u"not-started"_s;
        case CommandOutcome::Known::Unknown:
            return u"unknown"_s;
        }
        return {};
    }
};

CommandRequest command()
{
    CommandRequest request;
    request.command = u"run"_s;
    request.env = {{u"PH_CALL"_s, u"c-1"_s}};
    return request;
}

} // namespace

class TestExecSession : public Tests::Test {
    Q_OBJECT

    /// A service whose activate works and whose sockets are played by `socket` once upgraded.
    static void serve(SandboxFixture &f, std::function<void(LoopbackConnection *)> socket)
    {
        f.server.setHandler([socket = std::move(socket), tokens = 0](const LoopbackRequest &request,
                                                                     LoopbackConnection *connection) mutable {
            if (request.path().endsWith("/activate"))
                return connection->respond(
                    200, SandboxFixture::sandbox("active", "tok-" + QByteArray::number(++tokens)));
            if (!request.isWebSocketUpgrade())
                return connection->respond(404, "sandbox not found", {{"Content-Type", "text/plain"}});
            connection->acceptWebSocket(request, "superserve.exec.v1");
            socket(connection);
        });
    }

    /// As serve(), and `play` runs when the first frame has come.
    static void serveFrames(SandboxFixture &f, QList<QPair<int, QByteArray>> *frames,
                            std::function<void(LoopbackConnection *)> play)
    {
        serve(f, [frames, play = std::move(play)](LoopbackConnection *connection) {
            connect(connection, &LoopbackConnection::frameReceived, connection,
                    [frames, play, connection](int opcode, const QByteArray &payload) {
                        frames->append({opcode, payload});
                        if (frames->size() == 2)
                            play(connection);
                    });
        });
    }

    void run(SandboxFixture &f, Log &log, const CommandRequest &request = command())
    {
        CommandSession *session = f.client->startCommand(u"sb-1"_s, request, &f.context);
        log.watch(session, &f.context);
        QCOMPARE(log.started + log.finished, 0);
        QTRY_COMPARE_WITH_TIMEOUT(log.finished, 1, 10000);
        QVERIFY(!log.orderWrong);
        if (log.outcome.known == CommandOutcome::Known::Exited) {
            QVERIFY(log.outcome.exitCode.has_value());
            QVERIFY(!log.outcome.error);
        } else {
            QVERIFY(!log.outcome.exitCode);
            QVERIFY(log.outcome.error.has_value());
            QCOMPARE(log.outcome.error->outcomeUnknown, log.outcome.known == CommandOutcome::Known::Unknown);
            QVERIFY(!log.outcome.error->message.isEmpty());
        }
    }

private Q_SLOTS:
    void wholeSession()
    {
        SandboxFixture f;
        QList<QPair<int, QByteArray>> frames;
        const QByteArray halves = "\xE4\xBD\xA0"; // One character over two frames.
        serveFrames(f, &frames, [&](LoopbackConnection *connection) {
            connection->sendBinary(QByteArray("\1") + halves.left(1));
            connection->sendBinary(QByteArray("\2err\0or", 7));
            connection->sendBinary(QByteArray("\1") + halves.mid(1));
            connection->sendBinary("\3other");
            connection->sendBinary("");
            connection->sendText("{\"type\":\"news\"}");
            connection->sendText("not json");
            connection->sendText("{\"exit_code\":7,\"finished\":true}");
            connection->sendClose(1000, "command exited");
        });
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"exited"_s);
        QCOMPARE(log.outcome.exitCode.value_or(-1), 7);
        QCOMPARE(log.out, halves);
        QCOMPARE(log.err, QByteArray("err\0or", 6));
        QCOMPARE(log.started, 1);
        QCOMPARE(frames.size(), 2);
        QCOMPARE(frames[0].first, 1);
        QCOMPARE(frames[0].second,
                 QByteArray("{\"command\":\"run\",\"env\":{\"PH_CALL\":\"c-1\"},\"timeout_s\":60}"));
        QCOMPARE(frames[1].second, QByteArray("{\"type\":\"stdin_close\"}"));
        const LoopbackRequest upgrade = f.server.requests()[1];
        QCOMPARE(upgrade.target, QByteArray("/exec/connect"));
        QCOMPARE(upgrade.header("X-Superserve-Sandbox-Id"), QByteArray("sb-1"));
        QCOMPARE(upgrade.header("Sec-WebSocket-Protocol"), QByteArray("superserve.exec.v1, token.tok-1"));
        QVERIFY(!upgrade.hasHeader("Origin"));
        QVERIFY(!upgrade.hasHeader("X-API-Key"));
        QVERIFY(!upgrade.hasHeader("X-Access-Token"));
    }

    void megabytesAreExact()
    {
        SandboxFixture f;
        QByteArray sent;
        for (int i = 0; i < 4096; ++i)
            sent += QByteArray::number(i * 2654435761U) + static_cast<char>(i);
        sent = sent.repeated(50);
        QList<QPair<int, QByteArray>> frames;
        serveFrames(f, &frames, [&](LoopbackConnection *connection) {
            for (qsizetype at = 0; at < sent.size(); at += 32768)
                connection->sendBinary(QByteArray("\1") + sent.mid(at, 32768));
            connection->sendText("{\"exit_code\":0,\"finished\":true}");
        });
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"exited"_s);
        QVERIFY(log.out == sent);
    }

    /// Ends that are none, and ends that say why.
    void ends_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<bool>("outputFirst");
        QTest::addColumn<QString>("known");
        QTest::addColumn<QString>("words");
        for (const bool output : {false, true}) {
            const auto row = [output](const char *how, const QString &known, const QString &words = {}) {
                QTest::addRow("%s, output %d", how, output)
                    << QString::fromLatin1(how) << output << known << words;
            };
            row("drop", u"unknown"_s, u"lost"_s);
            row("reset", u"unknown"_s, u"lost"_s);
            row("close 1000", u"unknown"_s, u"lost"_s); // No finished frame: no end.
            row("close 1001", u"unknown"_s, u"lost"_s);
            row("close 1011", u"unknown"_s, u"because"_s);
            row("close 1008", output ? u"unknown"_s : u"not-started"_s, u"because"_s);
            row("close 1009", u"unknown"_s, u"lost"_s);
            row("long, close 1009", output ? u"unknown"_s : u"not-started"_s,
                output ? u"lost"_s : u"too long"_s);
            row("exec_failed", output ? u"unknown"_s : u"not-started"_s, u"no such directory"_s);
            row("no exit code", u"unknown"_s, u"not how"_s);
        }
    }
    void ends()
    {
        QFETCH(QString, how);
        QFETCH(bool, outputFirst);
        QFETCH(QString, words);
        SandboxFixture f;
        QList<QPair<int, QByteArray>> frames;
        serveFrames(f, &frames, [&](LoopbackConnection *connection) {
            if (outputFirst)
                connection->sendBinary("\1some");
            if (how == u"drop")
                return connection->close();
            if (how == u"reset")
                return connection->reset();
            if (how.contains(u"close"))
                return connection->sendClose(how.last(4).toInt(), "because");
            if (how == u"exec_failed") {
                connection->sendText(
                    "{\"error\":\"no such directory\",\"code\":\"exec_failed\",\"finished\":true}");
                return connection->sendClose(1011);
            }
            connection->sendText("{\"finished\":true}");
        });
        CommandRequest request = command();
        if (how.startsWith(u"long"))
            request.command = QString(70000, u'x');
        Log log;
        run(f, log, request);
        QTEST(log.known(), "known");
        QVERIFY2(log.outcome.error->message.contains(words), qPrintable(log.outcome.error->message));
        // A reset may take bytes with it that were not read yet.
        if (how != u"reset")
            QCOMPARE(log.out, outputFirst ? QByteArray("some") : QByteArray());
        QCOMPARE(log.started, 1);
        // Never a second time: one socket, no /exec/stream.
        QCOMPARE(f.server.count("GET", "/exec/connect"), 1);
        QCOMPARE(f.server.count("POST", "/exec/stream"), 0);
    }

    void refusedDialActivatesAndDialsOnceMore_data()
    {
        QTest::addColumn<int>("status"); // 0: closed without an answer
        for (const int status : {0, 401, 404, 429, 503})
            QTest::addRow("%d", status) << status;
    }
    void refusedDialActivatesAndDialsOnceMore()
    {
        QFETCH(int, status);
        SandboxFixture f;
        f.server.setHandler([&, tokens = 0, dials = 0](const LoopbackRequest &request,
                                                       LoopbackConnection *connection) mutable {
            if (request.path().endsWith("/activate"))
                return connection->respond(
                    200, SandboxFixture::sandbox("active", "tok-" + QByteArray::number(++tokens)));
            if (++dials == 1)
                return status ? connection->respond(status, "no", {{"Content-Type", "text/plain"}})
                              : connection->close();
            connection->acceptWebSocket(request, "superserve.exec.v1");
            connect(connection, &LoopbackConnection::frameReceived, connection,
                    [connection] { connection->sendText("{\"exit_code\":0,\"finished\":true}"); });
        });
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"exited"_s);
        QCOMPARE(log.started, 1);
        QCOMPARE(f.server.count("POST", "/sandboxes/sb-1/activate"), 2);
        QCOMPARE(f.server.count("GET", "/exec/connect"), 2);
        QCOMPARE(f.server.requests().last().header("Sec-WebSocket-Protocol"),
                 QByteArray("superserve.exec.v1, token.tok-2"));
    }

    void withoutSocketsTheStreamServes()
    {
        SandboxFixture f;
        f.server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            if (request.isWebSocketUpgrade())
                return connection->respond(502, "<html>no upgrades here</html>",
                                           {{"Content-Type", "text/html"}});
            connection->sendHead(200);
            connection->sendChunk(": keepalive\n\ndata: {\"stdout\":\"o\"}\n\nda");
            connection->sendChunk("ta: {\"stderr\":\"e\"}\n\ndata: {\"exit_code\":3,\"finished\":true}\n\n");
            connection->endChunks();
        });
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"exited"_s);
        QCOMPARE(log.outcome.exitCode.value_or(-1), 3);
        QCOMPARE(log.out + log.err, QByteArray("oe"));
        QCOMPARE(f.server.count("GET", "/exec/connect"), 2);
        QCOMPARE(f.server.count("POST", "/exec/stream"), 1);
        const LoopbackRequest stream = f.server.requests().last();
        QCOMPARE(stream.body,
                 QByteArray("{\"command\":\"run\",\"env\":{\"PH_CALL\":\"c-1\"},\"timeout_s\":60}"));
        QCOMPARE(stream.header("X-Access-Token"), QByteArray("tok-1"));
        QVERIFY(!stream.hasHeader("X-API-Key"));
    }

    void streamEnds_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("known");
        QTest::addColumn<QString>("category");
        QTest::addColumn<int>("posts");
        QTest::newRow("end without result") << u"end"_s << u"unknown"_s << u"truncated"_s << 1;
        QTest::newRow("cut chunk") << u"cut"_s << u"unknown"_s << u"truncated"_s << 1;
        QTest::newRow("read and closed") << u"close"_s << u"unknown"_s << u"network"_s << 1;
        QTest::newRow("finished with an error") << u"error"_s << u"unknown"_s << u"server"_s << 1;
        QTest::newRow("404") << u"404"_s << u"not-started"_s << u"not_found"_s << 1;
        QTest::newRow("400") << u"400"_s << u"not-started"_s << u"invalid_request"_s << 1;
        QTest::newRow("500") << u"500"_s << u"not-started"_s << u"server"_s << 1;
        QTest::newRow("502") << u"502"_s << u"unknown"_s << u"server"_s << 1;
        QTest::newRow("503 twice") << u"503"_s << u"not-started"_s << u"overloaded"_s << 2;
    }
    void streamEnds()
    {
        QFETCH(QString, how);
        QFETCH(int, posts);
        SandboxFixture f;
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            if (request.isWebSocketUpgrade())
                return connection->close();
            if (how == u"close")
                return connection->close();
            if (const int status = how.toInt())
                return connection->respond(status, "sandbox says no", {{"Content-Type", "text/plain"}});
            connection->sendHead(200);
            connection->sendChunk("data: {\"stdout\":\"partial\"}\n\n");
            if (how == u"error")
                connection->sendChunk(
                    "data: {\"error\":\"broken\",\"code\":\"exec_failed\",\"finished\":true}\n\n");
            how == u"cut" ? connection->close() : connection->endChunks();
        });
        Log log;
        run(f, log);
        QTEST(log.known(), "known");
        QTEST(categoryName(log.outcome.error->category), "category");
        QCOMPARE(f.server.count("POST", "/exec/stream"), posts);
        if (how == u"end" || how == u"cut" || how == u"error")
            QCOMPARE(log.out, QByteArray("partial")); // What came stays.
    }

    void failedActivateEndsIt()
    {
        SandboxFixture f;
        f.server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            connection->respond(request.path().endsWith("/activate") ? 404 : 500,
                                "{\"error\":{\"code\":\"not_found\",\"message\":\"sandbox not found\"}}");
        });
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"not-started"_s);
        QCOMPARE(categoryName(log.outcome.error->category), u"not_found"_s);
        QCOMPARE(log.started, 0);
        QCOMPARE(f.server.requests().size(), 1);
    }

    void nothingListens()
    {
        SandboxFixture f;
        f.server.stopListening();
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"not-started"_s);
        QCOMPARE(categoryName(log.outcome.error->category), u"network"_s);
    }

    void refusedHere()
    {
        SandboxFixture f;
        Log bad;
        bad.watch(f.client->startCommand(u"a/b"_s, command(), &f.context), &f.context);
        CommandRequest empty;
        Log none;
        none.watch(f.client->startCommand(u"sb-1"_s, empty, &f.context), &f.context);
        QTRY_COMPARE(bad.finished + none.finished, 2);
        QCOMPARE(bad.known(), u"not-started"_s);
        QCOMPARE(none.known(), u"not-started"_s);
        QCOMPARE(f.server.connectionCount(), 0);
    }

    void signalTravels_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("short") << u"TERM"_s;
        QTest::newRow("long") << u"SIGTERM"_s;
    }
    void signalTravels()
    {
        QFETCH(QString, name);
        SandboxFixture f;
        QList<QByteArray> frames;
        serve(f, [&](LoopbackConnection *connection) {
            connect(connection, &LoopbackConnection::frameReceived, connection,
                    [&, connection](int, const QByteArray &payload) {
                        frames.append(payload);
                        if (frames.size() == 3)
                            connection->sendText("{\"exit_code\":143,\"finished\":true}");
                    });
        });
        Log log;
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command(), &f.context);
        log.watch(session, &f.context);
        QTRY_COMPARE(log.started, 1);
        session->sendSignal(name);
        QTRY_COMPARE(log.finished, 1);
        QCOMPARE(frames.last(), QByteArray("{\"type\":\"signal\",\"name\":\"SIGTERM\"}"));
        QCOMPARE(log.outcome.exitCode.value_or(-1), 143);
    }

    void closing()
    {
        SandboxFixture f;
        int dropped = 0;
        serve(f, [&](LoopbackConnection *connection) {
            connect(connection, &LoopbackConnection::closed, &f.context, [&dropped] { ++dropped; });
        });
        Log running;
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command(), &f.context);
        running.watch(session, &f.context);
        QTRY_COMPARE(running.started, 1);
        session->close();
        session->close();
        QCOMPARE(running.finished, 0); // On a later turn.
        QTRY_COMPARE(running.finished, 1);
        QCOMPARE(running.known(), u"unknown"_s);
        QTRY_COMPARE(dropped, 1);

        Log early;
        CommandSession *before = f.client->startCommand(u"sb-1"_s, command(), &f.context);
        early.watch(before, &f.context);
        before->close();
        QTRY_COMPARE(early.finished, 1);
        QCOMPARE(early.known(), u"not-started"_s);

        Log quiet;
        QPointer<CommandSession> destroyed(f.client->startCommand(u"sb-1"_s, command(), &f.context));
        quiet.watch(destroyed, &f.context);
        QTRY_COMPARE(quiet.started, 1);
        delete destroyed;
        QTRY_COMPARE(dropped, 2);
        QCOMPARE(quiet.finished, 0);
    }

    void mayBeDestroyedInItsOwnSignals()
    {
        for (const int at : {0, 1, 2}) {
            SandboxFixture f;
            QList<QPair<int, QByteArray>> frames;
            serveFrames(f, &frames, [](LoopbackConnection *connection) {
                connection->sendBinary("\1a");
                connection->sendText("{\"exit_code\":0,\"finished\":true}");
            });
            QPointer<CommandSession> session(f.client->startCommand(u"sb-1"_s, command(), &f.context));
            const auto destroy = [session] { delete session; };
            if (at == 0)
                connect(session, &CommandSession::started, &f.context, destroy);
            else if (at == 1)
                connect(session, &CommandSession::output, &f.context, destroy);
            else
                connect(session, &CommandSession::finished, &f.context, destroy);
            QTRY_VERIFY(!session);
        }
    }

    void silentServices_data()
    {
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("known");
        QTest::addColumn<QString>("category");
        QTest::newRow("handshake") << u"dial"_s << u"not-started"_s << u"not_found"_s;
        QTest::newRow("no life") << u"life"_s << u"unknown"_s << u"truncated"_s;
        QTest::newRow("never ends") << u"deadline"_s << u"unknown"_s << u"timeout"_s;
    }
    void silentServices()
    {
        QFETCH(QString, where);
        LoopbackServer server;
        QPointer<LoopbackConnection> open;
        server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().endsWith("/activate"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            if (!request.isWebSocketUpgrade())
                return connection->respond(404, "sandbox not found");
            if (where == u"dial")
                return;
            connection->acceptWebSocket(request, "superserve.exec.v1");
        });
        SandboxEndpoint endpoint;
        endpoint.control = QUrl(u"http://127.0.0.1:%1"_s.arg(server.port()));
        endpoint.apiKey = Secret("ss_test_key_1");
        SandboxTiming timing = SandboxFixture::timing();
        if (where == u"dial")
            timing.dial = 60ms;
        timing.sessionGrace = where == u"deadline" ? -700ms : 30000ms; // timeout_s is at least 1.
        timing.ping = where == u"life" ? 40ms : 30000ms;
        NetworkAccess network;
        SandboxClient client(&network, endpoint, nullptr, timing);
        QObject context;
        Log log;
        CommandRequest request = command();
        request.timeout = 1ms;
        CommandSession *session = client.startCommand(u"sb-1"_s, request, &context);
        log.watch(session, &context);
        if (where == u"life") {
            // The loopback server answers pings by itself: stop it by closing nothing and reading nothing
            // more.
            QTRY_COMPARE(log.started, 1);
            server.stopReading();
        }
        QTRY_COMPARE(log.finished, 1);
        QTEST(log.known(), "known");
        QTEST(categoryName(log.outcome.error->category), "category");
    }

    void serverPingsAreAnswered()
    {
        SandboxFixture f;
        int pongs = 0;
        serve(f, [&](LoopbackConnection *connection) {
            connection->sendFrame(9, "beat");
            connect(connection, &LoopbackConnection::frameReceived, connection,
                    [&, connection](int opcode, const QByteArray &payload) {
                        if (opcode == 10 && payload == "beat") {
                            ++pongs;
                            connection->sendText("{\"exit_code\":0,\"finished\":true}");
                        }
                    });
        });
        Log log;
        run(f, log);
        QCOMPARE(pongs, 1);
        QCOMPARE(log.known(), u"exited"_s);
    }

    void hugeFramesEndTheSession()
    {
        SandboxFixture f;
        QList<QPair<int, QByteArray>> frames;
        serveFrames(f, &frames, [](LoopbackConnection *connection) {
            // Only the head of a frame of 17 MiB: it must be refused by its length.
            connection->send(QByteArray("\x82\x7f\0\0\0\0\x01\x10\0\0\1abc", 14));
        });
        Log log;
        run(f, log);
        QCOMPARE(log.known(), u"unknown"_s);
        QVERIFY(log.out.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestExecSession)
#include "tst_execsession.moc"
