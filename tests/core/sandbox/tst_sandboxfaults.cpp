// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/sandbox/sandboxfixture.h"
#include "sandbox/commandsession.h"
#include "sandbox/sandboxfiles.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QSignalSpy>

#include <algorithm>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// What must never be seen outside of its header.
const QByteArray Key = "ss_test_KEYKEYKEY_0123456789";
const QByteArray Token = "tok-TOKENTOKEN-";

/// What a row must end in.
struct Expected {
    QString category; ///< "ok", or the name of the error's category.
    int attempts = 1; ///< Requests to the faulty call; -1: until the time is used up.
    bool unknown = false; ///< The outcome of a call that changes something.
};

/// A call of the client. `kind` chooses the column of the fault table.
struct Endpoint {
    enum class Kind {
        Look = 1, ///< GET of the control plane.
        Act, ///< POST and PATCH of the control plane, with a body.
        Wake, ///< POST without a body that may be done twice.
        Read, ///< GET of the data plane.
        Run ///< POST of the data plane.
    };
    QByteArray name;
    Kind kind = Kind::Look;
    QByteArray method;
    QByteArray path;
    QByteArray good; ///< A body that would do.
    int goodStatus = 200;
    bool readsAnswer = true; ///< The answer's body is looked into.
};

QList<Endpoint> endpoints()
{
    using Kind = Endpoint::Kind;
    const QByteArray sandbox = SandboxFixture::sandbox("active", Token + "9");
    return {
        {"create", Kind::Act, "POST", "/sandboxes", sandbox, 201, true},
        {"get", Kind::Look, "GET", "/sandboxes/sb-1", sandbox, 200, true},
        {"list", Kind::Look, "GET", "/sandboxes", "[" + SandboxFixture::sandbox("active", "") + "]", 200,
         true},
        {"patch", Kind::Act, "PATCH", "/sandboxes/sb-1", "", 204, false},
        {"resume", Kind::Wake, "POST", "/sandboxes/sb-1/resume", sandbox, 200, true},
        {"activate", Kind::Wake, "POST", "/sandboxes/sb-1/activate", sandbox, 200, true},
        {"pause", Kind::Wake, "POST", "/sandboxes/sb-1/pause", "", 204, false},
        {"delete", Kind::Look, "DELETE", "/sandboxes/sb-1", "", 204, false},
        {"health", Kind::Look, "GET", "/health", "{\"status\":\"ok\"}", 200, true},
        {"exec", Kind::Run, "POST", "/exec", "{\"stdout\":\"o\",\"stderr\":\"\",\"exit_code\":0}", 200, true},
        {"write", Kind::Run, "POST", "/files", "{\"path\":\"/a\",\"size\":3}", 200, false},
        {"read", Kind::Read, "GET", "/files", "bytes", 200, false},
        {"part", Kind::Read, "GET", "/files", "bytes", 200, false},
    };
}

/// Something that goes wrong. `play` is the answer to each request of the faulty call.
struct Fault {
    QByteArray name;
    std::function<void(const Endpoint &, LoopbackConnection *)> play;
    QString category;
    bool isRetried = false; ///< By calls that only look.
    bool isUnknown = false; ///< To calls that act.
    bool isSilence = false; ///< Ends by a time limit of ours; the limits are shortened.
};

QByteArray wholeAnswer(const Endpoint &to)
{
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
        + QByteArray::number(to.good.size() + 64) + "\r\n\r\n" + to.good + QByteArray(64, ' ');
}

QByteArray chunkHead()
{
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
}

/// One byte now and then until the other side gives up.
void drip(LoopbackConnection *connection, const QByteArray &bytes)
{
    auto *timer = new QTimer(connection);
    QObject::connect(connection, &LoopbackConnection::closed, timer, &QTimer::stop);
    QObject::connect(timer, &QTimer::timeout, connection, [connection, bytes, at = qsizetype(0)]() mutable {
        if (at < bytes.size())
            connection->send(bytes.mid(at++, 1));
    });
    timer->start(20ms);
}

/// An error of the service; it gives back the secret that it was sent.
QByteArray echo(const Endpoint &to)
{
    if (to.name == "health") // It is sent none.
        return "{\"error\":{\"code\":\"c\",\"message\":\"no\"}}";
    const bool isData = to.kind == Endpoint::Kind::Read || to.kind == Endpoint::Kind::Run;
    return "{\"error\":{\"code\":\"c\",\"message\":\"no: " + (isData ? QByteArray(Token + '1') : Key)
        + "\"}}";
}

QList<Fault> faults(const QUrl &elsewhere)
{
    const auto status = [](int code, const LoopbackHeaders &headers = {}) {
        return [code, headers](const Endpoint &to, LoopbackConnection *connection) {
            connection->respond(code, echo(to), headers);
        };
    };
    const QByteArray other = elsewhere.toEncoded();
    QList<Fault> all{
        {"refused", {}, u"network"_s, true, false},
        {"reset", [](const Endpoint &, LoopbackConnection *c) { c->reset(); }, u"network"_s, true, true},
        {"closed", [](const Endpoint &, LoopbackConnection *c) { c->close(); }, u"network"_s, true, true},
        {"silent", [](const Endpoint &, LoopbackConnection *) {}, u"timeout"_s, false, true, true},
        {"silent in the answer",
         [](const Endpoint &to, LoopbackConnection *c) { c->send(wholeAnswer(to).chopped(60)); },
         u"timeout"_s, false, true, true},
        {"dripping head", [](const Endpoint &to, LoopbackConnection *c) { drip(c, wholeAnswer(to)); },
         u"timeout"_s, false, true, true},
        {"dripping body",
         [](const Endpoint &to, LoopbackConnection *c) {
             const QByteArray whole = wholeAnswer(to);
             const qsizetype body = whole.indexOf("\r\n\r\n") + 4;
             c->send(whole.left(body));
             drip(c, whole.mid(body));
         },
         u"timeout"_s, false, true, true},
        {"head cut",
         [](const Endpoint &, LoopbackConnection *c) {
             c->send("HTTP/1.1 200 OK\r\nContent-Ty");
             c->close();
         },
         u"network"_s, true, true},
        {"body cut",
         [](const Endpoint &to, LoopbackConnection *c) {
             c->send(wholeAnswer(to).chopped(60));
             c->close();
         },
         u"truncated"_s, true, true},
        {"body reset",
         [](const Endpoint &to, LoopbackConnection *c) {
             c->send(wholeAnswer(to).chopped(60));
             c->reset();
         },
         u"truncated"_s, true, true},
        {"chunks cut",
         [](const Endpoint &, LoopbackConnection *c) {
             c->send(chunkHead() + "5\r\n[   \r\n");
             c->close();
         },
         u"truncated"_s, true, true},
        // Qt takes a size that is none for the end: the answer counts as empty.
        {"bad chunk",
         [](const Endpoint &, LoopbackConnection *c) {
             c->send(chunkHead() + "zz\r\n[]\r\n");
             c->close();
         },
         u"protocol"_s, false, true},
        {"redirect 302", [other](const Endpoint &, LoopbackConnection *c) { c->redirect(302, other); },
         u"redirect"_s},
        {"redirect 307", [other](const Endpoint &, LoopbackConnection *c) { c->redirect(307, other); },
         u"redirect"_s},
        {"page with 502",
         [](const Endpoint &, LoopbackConnection *c) {
             c->respond(502, "<html><body><h1>Bad gateway</h1>" + Key + "</body></html>",
                        {{"Content-Type", "text/html"}});
         },
         u"server"_s, true, true},
        {"page with 200",
         [](const Endpoint &, LoopbackConnection *c) {
             c->respond(200, "<html><body>Log in</body></html>", {{"Content-Type", "text/html"}});
         },
         u"protocol"_s, false, true},
        {"wrong type",
         [](const Endpoint &to, LoopbackConnection *c) {
             c->respond(to.goodStatus, to.good, {{"Content-Type", "image/png"}});
         },
         u"ok"_s},
        {"not UTF-8",
         [](const Endpoint &to, LoopbackConnection *c) {
             QByteArray bytes = to.good;
             bytes.replace("o", "\xff");
             c->respond(to.goodStatus, bytes);
         },
         u"protocol"_s, false, true},
        {"401", status(401), u"auth"_s},
        {"403", status(403), u"permission"_s},
        {"404", status(404), u"not_found"_s},
        {"409", status(409), u"conflict"_s},
        {"410", status(410), u"gone"_s},
        {"413", status(413), u"too_large"_s},
        {"429", status(429), u"rate_limit"_s, true},
        {"429 later", status(429, {{"Retry-After", "1"}}), u"rate_limit"_s, true},
        {"429 never", status(429, {{"Retry-After", "soon"}}), u"rate_limit"_s, true},
        {"500", status(500), u"server"_s},
        {"502", status(502), u"server"_s, true, true},
        {"503", status(503, {{"Retry-After", "20"}}), u"overloaded"_s, true},
        {"504", status(504), u"timeout"_s, true, true},
        {"529", status(529), u"overloaded"_s},
    };
    return all;
}

Expected expected(const Endpoint &to, const Fault &fault)
{
    using Kind = Endpoint::Kind;
    const bool isLook = to.kind == Kind::Look || to.kind == Kind::Read;
    Expected want{fault.category, isLook && fault.isRetried ? 3 : 1,
                  fault.isUnknown && (to.kind == Kind::Act || to.kind == Kind::Run)};
    const QByteArray &how = fault.name;
    // Only 204 means that it is paused; after any other success the state is looked at.
    if (to.name == "pause" && (how == "page with 200" || how == "bad chunk"))
        return {u"conflict"_s};
    // An answer that nobody reads may hold anything.
    if (!to.readsAnswer && (how == "page with 200" || how == "not UTF-8" || how == "bad chunk"))
        return {u"ok"_s};
    if (to.kind == Kind::Read || to.kind == Kind::Run) {
        // Said before anything was done: one activate, one repeat, which is final.
        if (how == "401" || how == "403")
            want.attempts = 2;
        if (how == "503")
            want.attempts = to.kind == Kind::Read ? 4 : 2;
    }
    if (to.name == "delete") {
        if (how == "404")
            return {u"ok"_s};
        if (how == "409")
            want.attempts = -1; // Again and again until the time is used up.
    }
    if (to.name == "activate" && how == "409")
        want.attempts = 3; // Three rounds.
    if (to.name == "pause" && how == "409")
        want.attempts = 3; // It is active by then, so it is asked again.
    return want;
}

/// Everything that was logged, for the scan.
QByteArray *s_logged = nullptr;
QtMessageHandler s_before = nullptr;

void keepLog(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (s_logged)
        *s_logged += text.toUtf8() + '\n';
    if (s_before && type != QtDebugMsg && type != QtInfoMsg)
        s_before(type, context, text);
}

} // namespace

/// The fault table of the sandbox service: every call, every way in which it can go wrong.
class TestSandboxFaults : public Tests::Test {
    Q_OBJECT

    QByteArray m_log;

    static SandboxTiming timing(bool silence)
    {
        SandboxTiming timing = SandboxFixture::timing();
        if (silence) {
            timing.call = 200ms;
            timing.longCall = 200ms;
            timing.execGrace = 200ms;
            timing.idle = 200ms;
            timing.body = 200ms;
            timing.slowestLine = qint64(1) << 40;
        }
        timing.pollTotal = 150ms;
        timing.pauseGrace = 30ms;
        return timing;
    }

    static bool isOf(const Endpoint &to, const LoopbackRequest &request)
    {
        return request.method == to.method && request.path() == to.path;
    }

    /// No key and no token where it does not belong.
    void scan(const LoopbackServer &server, const LoopbackServer &elsewhere, const ApiError &error)
    {
        QCOMPARE(elsewhere.connectionCount(), 0);
        for (const LoopbackRequest &request : server.requests()) {
            const bool isData = request.path() == "/exec" || request.path() == "/files"
                || request.path().startsWith("/exec/");
            for (const auto &[name, value] : request.headers) {
                if (value.contains(Key))
                    QVERIFY2(name.toLower() == "x-api-key" && !isData, name.constData());
                if (value.contains(Token)) {
                    QVERIFY2(isData
                                 && (name.toLower() == "x-access-token"
                                     || name.toLower() == "sec-websocket-protocol"),
                             name.constData());
                }
            }
            QVERIFY(!request.target.contains(Key) && !request.target.contains(Token));
            QVERIFY(!request.body.contains(Key) && !request.body.contains(Token));
        }
        for (const QString &text : {error.message, error.code, error.requestId})
            QVERIFY2(!text.contains(QLatin1StringView(Key)) && !text.contains(QLatin1StringView(Token)),
                     qPrintable(text));
        QVERIFY2(!m_log.contains(Key) && !m_log.contains(Token), m_log.constData());
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_log.clear();
        s_logged = &m_log;
        s_before = qInstallMessageHandler(keepLog);
        QLoggingCategory::setFilterRules(u"pilothouse.*=true"_s);
    }
    void cleanup()
    {
        qInstallMessageHandler(s_before);
        s_logged = nullptr;
        QLoggingCategory::setFilterRules({});
    }

    void calls_data()
    {
        QTest::addColumn<int>("endpoint");
        QTest::addColumn<int>("fault");
        const QList<Endpoint> all = endpoints();
        const QList<Fault> table = faults(QUrl());
        for (int e = 0; e < all.size(); ++e) {
            for (int i = 0; i < table.size(); ++i)
                QTest::addRow("%s: %s", all[e].name.constData(), table[i].name.constData()) << e << i;
        }
    }
    void calls()
    {
        QFETCH(int, endpoint);
        QFETCH(int, fault);
        LoopbackServer elsewhere;
        SandboxFixture f(Key);
        const Endpoint to = endpoints()[endpoint];
        const Fault how = faults(elsewhere.url("/stolen"))[fault];
        const Expected want = expected(to, how);
        f.client =
            std::make_unique<SandboxClient>(&f.network, f.client->endpoint(), nullptr, timing(how.isSilence));
        f.server.setHandler([&to, &how](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (how.play && isOf(to, request))
                return how.play(to, connection);
            connection->respond(200, SandboxFixture::sandbox("active", Token + '1'));
        });
        if (!how.play)
            f.server.stopListening();

        QElapsedTimer clock;
        clock.start();
        int replies = 0;
        ApiError error;
        bool ok = false;
        const auto reply = [&](const auto &result) {
            ++replies;
            ok = bool(result);
            if (!result)
                error = result.error();
        };
        const QString id = u"sb-1"_s;
        CommandRequest command;
        command.command = u"touch once"_s;
        command.timeout = 100ms;
        CreateSandbox create;
        create.name = u"n"_s;
        PatchSandbox patch;
        patch.timeoutSeconds = std::optional<qint64>();
        if (to.name == "create")
            f.client->create(create, &f.context, reply);
        else if (to.name == "get")
            f.client->get(id, &f.context, reply);
        else if (to.name == "list")
            f.client->list({}, &f.context, reply);
        else if (to.name == "patch")
            f.client->patch(id, patch, &f.context, reply);
        else if (to.name == "resume")
            f.client->resume(id, &f.context, reply);
        else if (to.name == "activate")
            f.client->activate(id, &f.context, reply);
        else if (to.name == "pause")
            f.client->pause(id, &f.context, reply);
        else if (to.name == "delete")
            f.client->remove(id, &f.context, reply);
        else if (to.name == "health")
            f.client->health(&f.context, reply);
        else if (to.name == "exec")
            f.client->exec(id, command, &f.context, reply);
        else if (to.name == "write")
            f.client->writeFile(id, u"/home/user/a"_s, "abc", &f.context, reply);
        else if (to.name == "read")
            f.client->readFile(id, u"/home/user/a"_s, 1000, &f.context, reply);
        else
            SandboxFiles(f.client.get()).read(id, "/home/user/a", 0, 1000, &f.context, reply);

        QTRY_COMPARE_WITH_TIMEOUT(replies, 1, 15000);
        // The stated time: the limits above, twice a Retry-After of one second, and the polls.
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        const QString category = ok ? u"ok"_s : categoryName(error.category);
        QVERIFY2(category == want.category, qPrintable(QString(category + u": "_s + error.message)));
        if (!ok) {
            QVERIFY(!error.message.isEmpty() && error.message.size() <= 500);
            QVERIFY2(!error.message.contains(u'<'), qPrintable(error.message));
            QCOMPARE(error.outcomeUnknown, want.unknown);
        }
        int sent = 0;
        for (const LoopbackRequest &request : f.server.requests())
            sent += isOf(to, request);
        // Qt repeats a request without a body by itself, up to three times, when it was not answered at all:
        // harmless, as only what may be done twice has none.
        const bool mayDouble = to.method != "PATCH" && to.kind != Endpoint::Kind::Act
            && to.kind != Endpoint::Kind::Run
            && (how.name == "reset" || how.name == "closed" || how.name == "head cut");
        if (!how.play)
            QCOMPARE(sent, 0);
        else if (want.attempts < 0)
            QVERIFY(sent > 3);
        else if (mayDouble)
            QVERIFY2(sent >= want.attempts && sent <= 4 * want.attempts, qPrintable(QString::number(sent)));
        else
            QCOMPARE(sent, want.attempts);
        scan(f.server, elsewhere, error);
    }

    /// A part of a file says how long it is: what is shorter was cut, however it looks.
    void shortParts_data()
    {
        QTest::addColumn<QByteArray>("range");
        QTest::addColumn<QString>("category");
        QTest::newRow("whole") << QByteArray("bytes 0-4/5") << u"ok"_s;
        QTest::newRow("cut") << QByteArray("bytes 0-9/10") << u"truncated"_s;
        QTest::newRow("too long") << QByteArray("bytes 0-2/10") << u"truncated"_s;
        QTest::newRow("another part") << QByteArray("bytes 1-5/10") << u"protocol"_s;
        QTest::newRow("no numbers") << QByteArray("bytes 0-x/10") << u"truncated"_s;
    }
    void shortParts()
    {
        QFETCH(QByteArray, range);
        SandboxFixture f;
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() != "/files")
                return connection->respond(200, SandboxFixture::sandbox("active"));
            connection->sendHead(206, {{"Content-Range", range}});
            connection->sendChunk("bytes");
            connection->send("zz\r\n");
            connection->close();
        });
        Got<FilePart> got;
        SandboxFiles(f.client.get()).read(u"sb-1"_s, "/a", 0, 100, &f.context, got.reply());
        QTRY_COMPARE(got.count, 1);
        QTEST(got.category(), "category");
    }

    /// The handshake of the socket goes wrong in every way: the command runs once, over the stream.
    void handshakes_data()
    {
        QTest::addColumn<int>("fault");
        const QList<Fault> table = faults(QUrl());
        for (int i = 1; i < table.size(); ++i) // Not "refused": nothing else is there then either.
            QTest::addRow("%s", table[i].name.constData()) << i;
    }
    void handshakes()
    {
        QFETCH(int, fault);
        LoopbackServer elsewhere;
        SandboxFixture f(Key);
        const Endpoint to{"socket", Endpoint::Kind::Read, "GET", "/exec/connect", "none", 200, true};
        const Fault how = faults(elsewhere.url("/stolen"))[fault];
        SandboxTiming limits = timing(false);
        limits.dial = 300ms;
        f.client = std::make_unique<SandboxClient>(&f.network, f.client->endpoint(), nullptr, limits);
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (isOf(to, request))
                return how.play(to, connection);
            if (request.path() == "/exec/stream") {
                connection->sendHead(200, {{"Content-Type", "text/event-stream"}});
                connection->sendChunk(
                    "data: {\"stdout\":\"once\"}\n\ndata: {\"exit_code\":3,\"finished\":true}\n\n");
                return connection->endChunks();
            }
            connection->respond(200, SandboxFixture::sandbox("active", Token + '1'));
        });
        QByteArray out;
        std::optional<CommandOutcome> outcome;
        CommandRequest command;
        command.command = u"touch once"_s;
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command, &f.context);
        connect(session, &CommandSession::output, &f.context,
                [&](OutputChannel, const QByteArray &bytes) { out += bytes; });
        connect(session, &CommandSession::finished, &f.context,
                [&](const CommandOutcome &end) { outcome = end; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), 10000);
        QCOMPARE(outcome->known, CommandOutcome::Known::Exited);
        QCOMPARE(outcome->exitCode.value_or(-1), 3);
        QCOMPARE(out, QByteArray("once"));
        QCOMPARE(f.server.count("POST", "/exec/stream"), 1);
        QCOMPARE(f.server.count("POST", "/exec"), 0);
        scan(f.server, elsewhere, ApiError());
    }

    /// The stream that serves when there is no socket.
    void streams_data()
    {
        QTest::addColumn<int>("fault");
        const QList<Fault> table = faults(QUrl());
        for (int i = 1; i < table.size(); ++i)
            QTest::addRow("%s", table[i].name.constData()) << i;
        QTest::addRow("405") << -405;
        QTest::addRow("501") << -501;
    }
    void streams()
    {
        QFETCH(int, fault);
        LoopbackServer elsewhere;
        SandboxFixture f(Key);
        const Endpoint to{"stream",
                          Endpoint::Kind::Run,
                          "POST",
                          "/exec/stream",
                          "data: {\"stdout\":\"o\"}\n\ndata: {\"exit_code\":3,\"finished\":true}\n\n",
                          200,
                          true};
        Fault how;
        if (fault > 0) {
            how = faults(elsewhere.url("/stolen"))[fault];
        } else {
            how.name = QByteArray::number(-fault);
            how.play = [fault](const Endpoint &, LoopbackConnection *c) { c->respond(-fault, "not here"); };
        }
        SandboxTiming limits = timing(how.isSilence);
        limits.sessionGrace = how.isSilence ? 400ms : 5000ms;
        f.client = std::make_unique<SandboxClient>(&f.network, f.client->endpoint(), nullptr, limits);
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (isOf(to, request))
                return how.play(to, connection);
            if (request.path() == "/exec")
                return connection->respond(200, "{\"stdout\":\"o\",\"stderr\":\"e\",\"exit_code\":4}");
            if (request.isWebSocketUpgrade())
                return connection->respond(404, "no sockets");
            connection->respond(200, SandboxFixture::sandbox("active", Token + '1'));
        });
        std::optional<CommandOutcome> outcome;
        QByteArray out;
        CommandRequest command;
        command.command = u"touch once"_s;
        command.timeout = how.isSilence ? 1ms : 1000ms;
        QElapsedTimer clock;
        clock.start();
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command, &f.context);
        connect(session, &CommandSession::output, &f.context,
                [&](OutputChannel, const QByteArray &bytes) { out += bytes; });
        connect(session, &CommandSession::finished, &f.context,
                [&](const CommandOutcome &end) { outcome = end; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), 15000);
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        const ApiError error = outcome->error.value_or(ApiError());
        // Said before anything ran: one activate and one repeat; no such call: over /exec.
        const bool isRepeated = how.name == "401" || how.name == "403" || how.name == "503";
        const bool isElsewhere = how.name == "404" || how.name == "405" || how.name == "501";
        QCOMPARE(f.server.count("POST", "/exec/stream"), isRepeated ? 2 : 1);
        QCOMPARE(f.server.count("POST", "/exec"), isElsewhere ? 1 : 0);
        const bool isEnd = how.name == "wrong type" || how.name == "not UTF-8" || how.name == "body cut"
            || how.name == "body reset" || how.name == "silent in the answer" || how.name == "dripping body";
        if (isElsewhere) {
            QCOMPARE(outcome->exitCode.value_or(-1), 4);
            QCOMPARE(out, QByteArray("oe"));
        } else if (how.name == "wrong type") {
            QCOMPARE(outcome->exitCode.value_or(-1), 3);
        } else if (!isEnd) {
            const bool unknown = how.isUnknown || how.name == "page with 200";
            QCOMPARE(outcome->known,
                     unknown ? CommandOutcome::Known::Unknown : CommandOutcome::Known::NotStarted);
            QCOMPARE(error.outcomeUnknown, unknown);
        }
        scan(f.server, elsewhere, error);
    }

    /// A page of something between us says nothing about whether the command ran: no second one is sent.
    void pagesAreNoWordOfTheService_data()
    {
        QTest::addColumn<int>("status");
        for (const int status : {401, 403, 500, 503})
            QTest::addRow("%d", status) << status;
    }
    void pagesAreNoWordOfTheService()
    {
        QFETCH(int, status);
        SandboxFixture f(Key);
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.isWebSocketUpgrade())
                return connection->respond(404, "no sockets");
            if (request.path() == "/exec/stream")
                return connection->respond(status, "<html><body>Try later</body></html>",
                                           {{"Content-Type", "text/html"}});
            connection->respond(200, SandboxFixture::sandbox("active", Token + '1'));
        });
        std::optional<CommandOutcome> outcome;
        CommandRequest command;
        command.command = u"touch once"_s;
        command.timeout = 1s;
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command, &f.context);
        connect(session, &CommandSession::finished, &f.context,
                [&](const CommandOutcome &end) { outcome = end; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), 15000);
        QCOMPARE(outcome->known, CommandOutcome::Known::Unknown);
        QVERIFY(outcome->error && outcome->error->outcomeUnknown);
        QCOMPARE(f.server.count("POST", "/exec/stream"), 1);
        QCOMPARE(f.server.count("POST", "/exec"), 0);
    }

    /// A stream is cut at every border of its events and inside of them, in every way. Without the last event
    /// the outcome is unknown; with it, it is known, whatever comes behind.
    void cuts_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<int>("at");
        QTest::addColumn<bool>("isWhole");
        const QList<QByteArray> events = streamEvents();
        for (const char *how : {"close", "reset", "end", "bad chunk", "silence"}) {
            int at = 0;
            for (int i = 0; i < events.size(); ++i) {
                QTest::addRow("%s, before event %d", how, i) << QByteArray(how) << at << false;
                QTest::addRow("%s, in event %d", how, i)
                    << QByteArray(how) << at + int(events[i].size() / 2) << false;
                at += int(events[i].size());
            }
            QTest::addRow("%s, at the end", how) << QByteArray(how) << at << true;
        }
    }
    static QList<QByteArray> streamEvents()
    {
        return {"data: {\"timestamp\":\"t\",\"stdout\":\"one\"}\n\n", ": keepalive\n\n",
                "data: {\"timestamp\":\"t\",\"stderr\":\"two\"}\n\n",
                "data: {\"timestamp\":\"t\",\"exit_code\":0,\"finished\":true}\n\n"};
    }
    void cuts()
    {
        QFETCH(QByteArray, how);
        QFETCH(int, at);
        QFETCH(bool, isWhole);
        SandboxFixture f(Key);
        SandboxTiming limits = timing(false);
        if (how == "silence") {
            limits.execGrace = 200ms;
            limits.sessionGrace = 5s;
        }
        f.client = std::make_unique<SandboxClient>(&f.network, f.client->endpoint(), nullptr, limits);
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.isWebSocketUpgrade())
                return connection->respond(404, "no sockets");
            if (request.path() != "/exec/stream")
                return connection->respond(200, SandboxFixture::sandbox("active", Token + '1'));
            connection->sendHead(200, {{"Content-Type", "text/event-stream"}});
            connection->sendChunk(streamEvents().join().left(at));
            if (how == "close")
                connection->close();
            else if (how == "reset")
                connection->reset();
            else if (how == "end")
                connection->endChunks();
            else if (how == "bad chunk")
                connection->send("zz\r\nxx\r\n");
        });
        std::optional<CommandOutcome> outcome;
        CommandRequest command;
        command.command = u"touch once"_s;
        command.timeout = 100ms;
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command, &f.context);
        connect(session, &CommandSession::finished, &f.context,
                [&](const CommandOutcome &end) { outcome = end; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), 10000);
        // A reset may take bytes with it that were not read yet.
        if (how != "reset" || !isWhole) {
            QCOMPARE(outcome->known,
                     isWhole ? CommandOutcome::Known::Exited : CommandOutcome::Known::Unknown);
        }
        QCOMPARE(f.server.count("POST", "/exec/stream"), 1);
        QCOMPARE(f.server.count("POST", "/exec"), 0);
    }

    /// The same for the frames of a socket.
    void frames_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<int>("whole"); // Frames before the cut.
        QTest::addColumn<bool>("inside");
        for (const char *how : {"close", "reset", "silence"}) {
            for (int whole = 0; whole <= 3; ++whole) {
                QTest::addRow("%s, before frame %d", how, whole) << QByteArray(how) << whole << false;
                if (whole < 3)
                    QTest::addRow("%s, in frame %d", how, whole) << QByteArray(how) << whole << true;
            }
        }
    }
    void frames()
    {
        QFETCH(QByteArray, how);
        QFETCH(int, whole);
        QFETCH(bool, inside);
        SandboxFixture f(Key);
        SandboxTiming limits = timing(false);
        if (how == "silence")
            limits.sessionGrace = 100ms;
        f.client = std::make_unique<SandboxClient>(&f.network, f.client->endpoint(), nullptr, limits);
        f.server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (!request.isWebSocketUpgrade())
                return connection->respond(200, SandboxFixture::sandbox("active", Token + '1'));
            connection->acceptWebSocket(request, "superserve.exec.v1");
            connect(connection, &LoopbackConnection::frameReceived, connection,
                    [&, connection, seen = 0](int, const QByteArray &) mutable {
                        if (++seen != 2)
                            return;
                        const QList<QPair<char, QByteArray>> all{
                            {char(2), "\1one"},
                            {char(2), "\2two"},
                            {char(1), "{\"exit_code\":0,\"finished\":true}"}};
                        QByteArray bytes;
                        for (int i = 0; i < std::min<int>(whole + 1, 3); ++i) {
                            QByteArray frame;
                            frame.append(char(0x80 | all[i].first)).append(char(all[i].second.size()));
                            frame += all[i].second;
                            bytes += i < whole ? frame : inside ? frame.left(frame.size() / 2) : QByteArray();
                        }
                        if (!bytes.isEmpty())
                            connection->send(bytes);
                        if (how == "close")
                            connection->close();
                        else if (how == "reset")
                            connection->reset();
                    });
        });
        std::optional<CommandOutcome> outcome;
        CommandRequest command;
        command.command = u"touch once"_s;
        command.timeout = 100ms;
        CommandSession *session = f.client->startCommand(u"sb-1"_s, command, &f.context);
        connect(session, &CommandSession::finished, &f.context,
                [&](const CommandOutcome &end) { outcome = end; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), 10000);
        if (how != "reset" || whole < 3) {
            QCOMPARE(outcome->known,
                     whole == 3 ? CommandOutcome::Known::Exited : CommandOutcome::Known::Unknown);
        }
        QCOMPARE(f.server.count("GET", "/exec/connect"), 1);
        QCOMPARE(f.server.count("POST", "/exec/stream") + f.server.count("POST", "/exec"), 0);
    }
};

QTEST_GUILESS_MAIN(TestSandboxFaults)
#include "tst_sandboxfaults.moc"
