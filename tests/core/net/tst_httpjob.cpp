// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <optional>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// What a job left behind; the job deletes itself.
struct Outcome {
    int finished = 0;
    int headers = 0;
    int status = 0;
    QByteArray streamed;
    QByteArray body;
    QByteArray errorBody;
    QByteArray contentType;
    std::optional<ApiError> error;

    [[nodiscard]] QString category() const { return error ? categoryName(error->category) : u"ok"_s; }
};

} // namespace

class TestHttpJob : public Tests::Test {
    Q_OBJECT

    HttpJob *start(const RequestSpec &spec, Outcome &outcome, Lane lane = Lane::Control)
    {
        HttpJob *job = m_network->start(spec, lane, this);
        connect(job, &HttpJob::headersReceived, this, [&outcome] { ++outcome.headers; });
        connect(job, &HttpJob::bodyReceived, this, [&outcome](const QByteArray &bytes) {
            QVERIFY(!bytes.isEmpty());
            outcome.streamed += bytes;
        });
        connect(job, &HttpJob::finished, this, [&outcome, job] {
            ++outcome.finished;
            outcome.status = job->status();
            outcome.body = job->body();
            outcome.errorBody = job->errorBody();
            outcome.error = job->error();
            outcome.contentType = job->header("content-TYPE");
        });
        return job;
    }

    void run(const RequestSpec &spec, Outcome &outcome, Lane lane = Lane::Control)
    {
        const QPointer<HttpJob> job(start(spec, outcome, lane));
        QTRY_COMPARE_WITH_TIMEOUT(outcome.finished, 1, 10000);
        QTRY_VERIFY(!job); // It deletes itself.
        QCOMPARE(outcome.finished, 1);
    }

    RequestSpec get(const QByteArray &path = "/")
    {
        RequestSpec spec;
        spec.url = m_server->url(path);
        return spec;
    }

    RequestSpec post(const QByteArray &body, bool repeatable)
    {
        RequestSpec spec = get("/exec");
        spec.method = "POST";
        spec.body = body;
        spec.repeatable = repeatable;
        return spec;
    }

    RequestSpec streamSpec()
    {
        RequestSpec spec = get("/stream");
        spec.stream = true;
        return spec;
    }

private Q_SLOTS:
    void cleanup()
    {
        m_network = std::make_unique<NetworkAccess>(); // A fresh pair for each test.
        m_server = std::make_unique<LoopbackServer>();
    }

    void getJson()
    {
        m_server->enqueueResponse(200, "{\"a\":1}");
        Outcome outcome;
        run(get("/x?y=%2B"), outcome);
        QCOMPARE(outcome.category(), u"ok"_s);
        QCOMPARE(outcome.status, 200);
        QCOMPARE(outcome.headers, 1);
        QCOMPARE(outcome.body, QByteArray("{\"a\":1}"));
        QCOMPARE(outcome.contentType, QByteArray("application/json"));
        const LoopbackRequest request = m_server->requests().constFirst();
        QCOMPARE(request.target, QByteArray("/x?y=%2B"));
        QCOMPARE(request.header("User-Agent"), NetworkAccess::userAgent());
        QVERIFY(!request.hasHeader("Cookie"));
        QVERIFY(!request.hasHeader("Upgrade")); // No offer of HTTP/2.
    }

    void methodsAndBodies_data()
    {
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("repeatable");
        for (const bool repeatable : {true, false}) {
            for (const char *method : {"POST", "PATCH"}) {
                for (const qsizetype size : {0, 2, 100000, 3000000}) {
                    QTest::addRow("%s %lld %d", method, static_cast<long long>(size), repeatable)
                        << QByteArray(method) << QByteArray(size, 'x') << repeatable;
                }
            }
        }
        QTest::newRow("DELETE") << QByteArray("DELETE") << QByteArray() << true;
    }
    void methodsAndBodies()
    {
        QFETCH(QByteArray, method);
        QFETCH(QByteArray, body);
        QFETCH(bool, repeatable);
        m_server->enqueueResponse(204);
        RequestSpec spec = post(body, repeatable);
        spec.method = method;
        Outcome outcome;
        run(spec, outcome);
        QCOMPARE(outcome.category(), u"ok"_s);
        const LoopbackRequest request = m_server->requests().constFirst();
        QCOMPARE(request.method, method);
        QVERIFY(request.body == body);
        if (method != "DELETE")
            QCOMPARE(request.header("Content-Length"), QByteArray::number(body.size()));
        QVERIFY(!request.hasHeader("Transfer-Encoding"));
    }

    void streamArrivesWhole_data()
    {
        QTest::addColumn<qsizetype>("piece");
        QTest::newRow("one byte") << qsizetype(1);
        QTest::newRow("seven bytes") << qsizetype(7);
        QTest::newRow("whole") << qsizetype(100000);
    }
    void streamArrivesWhole()
    {
        QFETCH(qsizetype, piece);
        const QByteArray body =
            "data: {\"text\":\"\xE4\xBD\xA0\xE5\xA5\xBD\"}\r\n\r\n: keepalive\n\ndata: [DONE]\n\n";
        m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            for (qsizetype at = 0; at < body.size(); at += piece)
                connection->sendChunk(body.mid(at, piece));
            connection->endChunks();
        });
        Outcome outcome;
        run(streamSpec(), outcome, Lane::Stream);
        QCOMPARE(outcome.category(), u"ok"_s);
        QCOMPARE(outcome.streamed, body);
        QVERIFY(outcome.body.isEmpty());
        QCOMPARE(m_server->requests().constFirst().header("Accept-Encoding"), QByteArray("identity"));
    }

    /// Every way a body can be cut, and what can be known of it.
    void cutBodies_data()
    {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<bool>("reset");
        QTest::addColumn<QString>("category");
        const QByteArray chunked = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        const QByteArray length = "Content-Length: 10\r\n\r\nhello";
        const QByteArray bare = "\r\nhello";
        QTest::newRow("chunked") << chunked << false << u"truncated"_s;
        QTest::newRow("chunked, reset") << chunked << true << u"truncated"_s;
        QTest::newRow("length") << length << false << u"truncated"_s;
        QTest::newRow("length, reset") << length << true << u"truncated"_s;
        // Nothing marks the end of such a body, so a cut one is no error here; clients ask for their end
        // marker.
        QTest::newRow("neither") << bare << false << u"ok"_s;
    }
    void cutBodies()
    {
        QFETCH(QByteArray, head);
        QFETCH(bool, reset);
        LoopbackConnection *open = nullptr;
        m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + head);
            open = connection;
        });
        RequestSpec spec = post("{}", false);
        spec.stream = true;
        Outcome outcome;
        start(spec, outcome, Lane::Stream);
        QTRY_COMPARE(outcome.streamed, QByteArray("hello"));
        if (reset)
            open->reset();
        else
            open->close();
        QTRY_COMPARE(outcome.finished, 1);
        QTEST(outcome.category(), "category");
        QCOMPARE(outcome.status, 200);
        if (outcome.error) {
            QVERIFY(outcome.error->partial);
            QVERIFY(outcome.error->outcomeUnknown);
            QVERIFY(outcome.error->retryable);
        }
        QCOMPARE(m_server->requests().size(), 1);
    }

    /// The server reads the request and closes: Qt alone would send it again.
    void closedWithoutAnswerIsSentOnce_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("reset");
        QTest::addColumn<bool>("reused");
        for (const qsizetype size : {2, 100000, 3000000}) {
            for (const bool reset : {false, true}) {
                for (const bool reused : {false, true})
                    QTest::addRow("%lld reset %d reused %d", static_cast<long long>(size), reset, reused)
                        << QByteArray(size, 'x') << reset << reused;
            }
        }
    }
    void closedWithoutAnswerIsSentOnce()
    {
        QFETCH(QByteArray, body);
        QFETCH(bool, reset);
        QFETCH(bool, reused);
        if (reused) {
            m_server->enqueueResponse(200, "{}");
            Outcome first;
            run(get(), first);
        }
        const qsizetype before = m_server->requests().size();
        m_server->setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            reset ? connection->reset() : connection->close();
        });
        Outcome outcome;
        run(post(body, false), outcome);
        QCOMPARE(outcome.category(), u"network"_s);
        QVERIFY(outcome.error->outcomeUnknown);
        QVERIFY(!outcome.error->retryable);
        QCOMPARE(m_server->requests().size() - before, 1);
    }

    /// A repeatable request may be sent again by Qt; it is still no unknown outcome.
    void repeatableLossIsNoUnknownOutcome()
    {
        m_server->setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->close(); });
        Outcome outcome;
        run(post("{}", true), outcome);
        QCOMPARE(outcome.category(), u"network"_s);
        QVERIFY(!outcome.error->outcomeUnknown);
    }

    void refusedConnectionIsKnown()
    {
        const RequestSpec spec = post("{}", false);
        m_server->stopListening();
        Outcome outcome;
        run(spec, outcome);
        QCOMPARE(outcome.category(), u"network"_s);
        QVERIFY(!outcome.error->outcomeUnknown);
        QVERIFY(!outcome.error->retryable); // Loopback: nothing listens, waiting does not help.
        QCOMPARE(outcome.status, 0);
    }

    void redirectsStayHome_data()
    {
        QTest::addColumn<int>("status");
        for (const int status : {301, 302, 303, 307, 308})
            QTest::addRow("%d", status) << status;
    }
    void redirectsStayHome()
    {
        QFETCH(int, status);
        LoopbackServer other;
        m_server->setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->redirect(status, other.url("/stolen").toEncoded());
        });
        for (RequestSpec spec : {get(), post("{}", true), post("{}", false)}) {
            spec.secretHeaders.append({"X-API-Key", Secret("very-secret-key")});
            Outcome outcome;
            run(spec, outcome);
            QCOMPARE(outcome.category(), u"redirect"_s);
            QCOMPARE(outcome.error->status, status);
            QVERIFY(!outcome.error->outcomeUnknown);
        }
        QCOMPARE(other.connectionCount(), 0);
        QCOMPARE(m_server->requests().constFirst().header("X-API-Key"), QByteArray("very-secret-key"));
    }

    void timeouts_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("words");
        QTest::newRow("first byte") << u"first"_s << u"did not answer"_s;
        QTest::newRow("idle") << u"idle"_s << u"sent nothing"_s;
        QTest::newRow("total") << u"total"_s << u"not complete"_s;
    }
    void timeouts()
    {
        QFETCH(QString, kind);
        QFETCH(QString, words);
        RequestSpec spec = post("{}", false);
        spec.stream = true;
        QTimer ticks;
        if (kind == u"first") {
            spec.firstByteTimeout = 150ms;
            m_server->enqueue([](const LoopbackRequest &, LoopbackConnection *) {});
        } else {
            if (kind == u"idle")
                spec.idleTimeout = 300ms;
            else
                spec.totalTimeout = 500ms;
            m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
                connection->sendHead(200);
                connection->sendChunk("data: 1\n\n");
                if (kind == u"total") {
                    connect(&ticks, &QTimer::timeout, connection,
                            [connection] { connection->sendChunk(": hb\n\n"); });
                    ticks.start(10);
                }
            });
        }
        QSignalSpy closed(m_server.get(), &LoopbackServer::connectionClosed);
        Outcome outcome;
        run(spec, outcome, Lane::Stream);
        QCOMPARE(outcome.category(), u"timeout"_s);
        QVERIFY2(outcome.error->message.contains(words), qPrintable(outcome.error->message));
        QVERIFY(outcome.error->outcomeUnknown);
        QVERIFY(outcome.error->retryable);
        QCOMPARE(outcome.error->partial, kind != u"first");
        QTRY_COMPARE(closed.size(), 1);
    }

    void anyByteKeepsAStreamAlive()
    {
        RequestSpec spec = streamSpec();
        spec.idleTimeout = 700ms;
        QTimer ticks;
        int sent = 0;
        m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connect(&ticks, &QTimer::timeout, connection, [&, connection] {
                connection->sendChunk(": keepalive\n\n");
                if (++sent == 20)
                    connection->endChunks();
            });
            ticks.start(50); // One second in all, more than the limit.
        });
        Outcome outcome;
        run(spec, outcome, Lane::Stream);
        QCOMPARE(outcome.category(), u"ok"_s);
    }

    void cancelSaysSoAndAbandonIsQuiet()
    {
        m_server->setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk("data: 1\n\n");
        });
        QSignalSpy closed(m_server.get(), &LoopbackServer::connectionClosed);
        Outcome cancelled;
        const QPointer<HttpJob> first(start(streamSpec(), cancelled, Lane::Stream));
        QTRY_VERIFY(!cancelled.streamed.isEmpty());
        first->cancel();
        first->cancel();
        QCOMPARE(cancelled.finished, 0); // On the next turn, not inside the call.
        QTRY_COMPARE(cancelled.finished, 1);
        QCOMPARE(cancelled.category(), u"cancelled"_s);
        QVERIFY(!cancelled.error->outcomeUnknown);
        QTRY_COMPARE(closed.size(), 1);

        Outcome quiet;
        const QPointer<HttpJob> second(start(streamSpec(), quiet, Lane::Stream));
        QTRY_VERIFY(!quiet.streamed.isEmpty());
        second->cancel();
        second->abandon(); // Also the finished() that cancel() has queued.
        QTRY_VERIFY(!second);
        QCOMPARE(quiet.finished, 0);
        QTRY_COMPARE(closed.size(), 2);

        Outcome before;
        const QPointer<HttpJob> third(start(streamSpec(), before, Lane::Stream));
        third->abandon(); // Before it began.
        QTRY_VERIFY(!third);
        QCOMPARE(before.finished, 0);
        QCOMPARE(m_server->requests().size(), 2);
    }

    void mayBeDestroyedInItsOwnSignals()
    {
        m_server->setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk("data: 1\n\n");
            connection->endChunks();
        });
        for (const int at : {0, 1, 2}) {
            auto *owner = new QObject(this);
            const QPointer<HttpJob> job(m_network->start(streamSpec(), Lane::Stream, owner));
            const auto destroy = [owner] { delete owner; };
            if (at == 0)
                connect(job, &HttpJob::headersReceived, this, destroy);
            else if (at == 1)
                connect(job, &HttpJob::bodyReceived, this, destroy);
            else
                connect(job, &HttpJob::finished, this, destroy);
            QTRY_VERIFY(!job);
        }
    }

    void errorBodies_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("category");
        QTest::addColumn<QString>("message");
        QTest::newRow("529") << 529
                             << QByteArray("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                                           "\"message\":\"Overloaded\"}}")
                             << u"overloaded"_s << u"Overloaded"_s;
        QTest::newRow("html") << 502 << QByteArray("<html><h1>Bad Gateway</h1></html>") << u"server"_s
                              << u"API error (502)"_s;
        QTest::newRow("empty") << 500 << QByteArray() << u"server"_s << u"API error (500)"_s;
        QTest::newRow("plain") << 401 << QByteArray("invalid access token") << u"auth"_s
                               << u"invalid access token"_s;
        QTest::newRow("echoed key") << 403 << QByteArray("{\"error\":\"key sk-topsecret-1 is blocked\"}")
                                    << u"permission"_s << u"key [redacted] is blocked"_s;
    }
    void errorBodies()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        for (const bool stream : {false, true}) {
            m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
                connection->sendHead(
                    status,
                    {{"Content-Type", "text/whatever"}, {"Request-Id", "req_1"}, {"Retry-After", "3"}});
                for (const char byte : body)
                    connection->sendChunk(QByteArray(1, byte));
                connection->endChunks();
            });
            RequestSpec spec = stream ? streamSpec() : get();
            spec.secretHeaders.append({"Authorization", Secret("Bearer sk-topsecret-1")});
            Outcome outcome;
            run(spec, outcome, stream ? Lane::Stream : Lane::Control);
            QTEST(outcome.category(), "category");
            QTEST(outcome.error->message, "message");
            QCOMPARE(outcome.error->status, status);
            QCOMPARE(outcome.error->requestId, u"req_1"_s);
            QCOMPARE(outcome.error->retryAfterMs.value_or(-1), 3000);
            QVERIFY(outcome.streamed.isEmpty());
            QVERIFY(outcome.body.isEmpty());
            QVERIFY(!outcome.errorBody.contains("topsecret"));
            QCOMPARE(outcome.errorBody.isEmpty(), body.isEmpty());
        }
    }

    void errorBodyIsCut()
    {
        m_server->enqueue([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(500);
            for (int i = 0; i < 100; ++i)
                connection->sendChunk(QByteArray(4096, 'x')); // And no end.
        });
        Outcome outcome;
        run(get(), outcome);
        QCOMPARE(outcome.category(), u"server"_s);
        QCOMPARE(outcome.errorBody.size(), 65536);
    }

    void tooLarge_data()
    {
        QTest::addColumn<bool>("announced");
        QTest::addColumn<bool>("stream");
        QTest::newRow("announced") << true << false;
        QTest::newRow("counted") << false << false;
        QTest::newRow("counted on a stream") << false << true;
    }
    void tooLarge()
    {
        QFETCH(bool, announced);
        QFETCH(bool, stream);
        m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            if (announced)
                return connection->sendHead(200, {{"Content-Length", "1001"}});
            connection->sendHead(200);
            for (int i = 0; i < 11; ++i)
                connection->sendChunk(QByteArray(100, 'x'));
        });
        RequestSpec spec = post("{}", false);
        spec.stream = stream;
        spec.maxBytes = 1000;
        Outcome outcome;
        run(spec, outcome, stream ? Lane::Stream : Lane::Control);
        QCOMPARE(outcome.category(), u"too_large"_s);
        QVERIFY(outcome.streamed.size() <= 1000);
        QVERIFY(outcome.error->outcomeUnknown);
    }

    void exactlyTheLimitIsFine()
    {
        m_server->enqueueResponse(200, QByteArray(1000, 'x'));
        RequestSpec spec = get();
        spec.maxBytes = 1000;
        Outcome outcome;
        run(spec, outcome);
        QCOMPARE(outcome.category(), u"ok"_s);
    }

    void compressionOnStreamsIsRefused()
    {
        m_server->setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "\x1f\x8b garbage", {{"Content-Encoding", "gzip"}});
        });
        Outcome outcome;
        run(streamSpec(), outcome, Lane::Stream);
        QCOMPARE(outcome.category(), u"protocol"_s);
        QVERIFY(outcome.streamed.isEmpty());
    }

    void brokenCompressionElsewhereIsAnError()
    {
        m_server->setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "\x1f\x8b garbage that is no gzip stream",
                                {{"Content-Encoding", "gzip"}});
        });
        Outcome outcome;
        run(get(), outcome);
        QCOMPARE(outcome.category(), u"protocol"_s);
    }

    void notHttp()
    {
        m_server->setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
            connection->close();
        });
        Outcome outcome;
        run(post("{}", false), outcome);
        QVERIFY(outcome.error.has_value());
        QVERIFY(outcome.error->outcomeUnknown);
        QCOMPARE(m_server->requests().size(), 1);
    }

    void keepAliveIsReused()
    {
        m_server->setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->respond(200, "{}"); });
        for (int i = 0; i < 3; ++i) {
            Outcome control;
            run(post("{}", false), control);
            QCOMPARE(control.category(), u"ok"_s);
            Outcome stream;
            run(streamSpec(), stream, Lane::Stream);
            QCOMPARE(stream.category(), u"ok"_s);
        }
        QCOMPARE(m_server->requests().size(), 6);
        QCOMPARE(m_server->connectionCount(), 2); // One per manager.
    }

    void anIdleConnectionClosedByTheServerDoesNoHarm()
    {
        m_server->setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->respond(200, "{}"); });
        QSignalSpy closed(m_server.get(), &LoopbackServer::connectionClosed);
        LoopbackConnection *open = nullptr;
        m_server->enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{}");
            open = connection;
        });
        Outcome first;
        run(post("{}", false), first);
        open->halfClose();
        QTRY_COMPARE(closed.size(), 1); // Qt has noticed.
        Outcome second;
        run(post("{}", false), second);
        QCOMPARE(second.category(), u"ok"_s);
        QCOMPARE(m_server->requests().size(), 2);
    }

private:
    std::unique_ptr<LoopbackServer> m_server = std::make_unique<LoopbackServer>();
    std::unique_ptr<NetworkAccess> m_network = std::make_unique<NetworkAccess>();
};

QTEST_GUILESS_MAIN(TestHttpJob)
#include "tst_httpjob.moc"
