// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QNetworkRequest>
#include <QRandomGenerator>
#include <QTest>
#include <QWebSocket>
#include <QWebSocketHandshakeOptions>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

/// A client of /exec/connect that keeps all it gets.
class Session {
public:
    Session(const SandboxdFixture &service, const SandboxRef &sandbox)
    {
        QObject::connect(&m_socket, &QWebSocket::binaryMessageReceived, &m_socket,
                         [this](const QByteArray &frame) {
                             (frame.startsWith('\x01') ? out : err) += frame.mid(1);
                             kinds.insert(frame.isEmpty() ? -1 : frame.at(0));
                         });
        QObject::connect(&m_socket, &QWebSocket::textMessageReceived, &m_socket,
                         [this](const QString &text) { texts.append(text); });
        QObject::connect(&m_socket, &QWebSocket::connected, &m_socket, [this] { isOpen = true; });
        QObject::connect(&m_socket, &QWebSocket::disconnected, &m_socket, [this] { isClosed = true; });
        QNetworkRequest request(QUrl(u"ws://127.0.0.1:%1/exec/connect"_s.arg(service.port())));
        request.setRawHeader("X-Superserve-Sandbox-Id", sandbox.id);
        QWebSocketHandshakeOptions options;
        options.setSubprotocols({u"superserve.exec.v1"_s, u"token."_s + QString::fromLatin1(sandbox.token)});
        m_socket.open(request, options);
    }

    [[nodiscard]] QWebSocket &socket() { return m_socket; }
    [[nodiscard]] int closeCode() const { return int(m_socket.closeCode()); }
    void start(const QByteArray &body) { m_socket.sendTextMessage(QString::fromUtf8(body)); }
    void closeInput() { m_socket.sendTextMessage(u"{\"type\":\"stdin_close\"}"_s); }
    void signal(const QString &name)
    {
        m_socket.sendTextMessage(u"{\"type\":\"signal\",\"name\":\"%1\"}"_s.arg(name));
    }

    QByteArray out;
    QByteArray err;
    QSet<int> kinds;
    QStringList texts;
    bool isOpen = false;
    bool isClosed = false;

private:
    QWebSocket m_socket;
};

} // namespace

/// GET /exec/connect.
class TestSession : public Test {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(m_service.start(), m_service.errorText().constData());
        m_sandbox = ApiClient(m_service).create();
        QVERIFY(!m_sandbox.id.isEmpty());
        m_silent =
            std::make_unique<Session>(m_service, m_sandbox); // Sends nothing; the last test looks at it.
        m_silentTimer.start();
    }

    void runsCommand()
    {
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        QCOMPARE(session.socket().subprotocol(), u"superserve.exec.v1"_s);
        session.start("{\"command\":\"echo out; echo err >&2; exit 5\"}");
        QTRY_VERIFY(session.isClosed);
        QCOMPARE(session.out, QByteArray("out\n"));
        QCOMPARE(session.err, QByteArray("err\n"));
        QCOMPARE(session.texts, QStringList({u"{\"exit_code\":5,\"finished\":true}"_s}));
        QCOMPARE(session.closeCode(), 1000);
        QCOMPARE(session.socket().closeReason(), u"command exited"_s);
    }

    void echoesBytesExactly()
    {
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        session.start("{\"command\":\"cat\"}");
        QByteArray bytes(1024 * 1024, Qt::Uninitialized);
        QRandomGenerator generator(1);
        for (char &byte : bytes)
            byte = char(generator.bounded(256));
        for (qsizetype i = 0; i < bytes.size(); i += 32 * 1024)
            session.socket().sendBinaryMessage(QByteArray(1, '\0') + bytes.mid(i, 32 * 1024));
        session.socket().sendBinaryMessage({}); // Ignored, and so is another first byte.
        session.socket().sendBinaryMessage("\x07junk");
        QTRY_COMPARE_WITH_TIMEOUT(session.out.size(), bytes.size(), 10000);
        QVERIFY(!session.isClosed);
        session.closeInput();
        QTRY_VERIFY(session.isClosed);
        QVERIFY(session.out == bytes);
        QCOMPARE(session.kinds, QSet<int>({1}));
        QCOMPARE(session.texts.value(0), u"{\"exit_code\":0,\"finished\":true}"_s);
    }

    void deliversSignals_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("INT") << u"SIGINT"_s << 130;
        QTest::newRow("TERM") << u"SIGTERM"_s << 143;
        QTest::newRow("HUP") << u"SIGHUP"_s << 129;
        QTest::newRow("QUIT") << u"SIGQUIT"_s << 131;
    }
    void deliversSignals()
    {
        QFETCH(QString, name);
        QFETCH(int, exitCode);
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        session.start("{\"command\":\"echo ready; exec sleep 30\"}");
        QTRY_COMPARE(session.out, QByteArray("ready\n"));
        session.signal(u"SIGKILL"_s); // Ignored, as the API does.
        session.signal(u"SIGUSR1"_s);
        session.socket().sendTextMessage(u"{\"type\":\"other\"}"_s);
        session.socket().sendTextMessage(u"not JSON"_s);
        session.signal(name);
        QTRY_VERIFY(session.isClosed);
        QCOMPARE(session.texts.value(0), u"{\"exit_code\":%1,\"finished\":true}"_s.arg(exitCode));
    }

    void refusesBadStart_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("binary");
        QTest::addColumn<int>("closeCode");
        QTest::newRow("binary") << QString() << QByteArray("\x00{}", 3) << 1003;
        QTest::newRow("malformed") << u"{"_s << QByteArray() << 1008;
        QTest::newRow("no command") << u"{}"_s << QByteArray() << 1008;
        QTest::newRow("5 MiB") << QString() << QByteArray(5 * 1024 * 1024, 'x') << 1009;
    }
    void refusesBadStart()
    {
        QFETCH(QString, text);
        QFETCH(QByteArray, binary);
        QFETCH(int, closeCode);
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        if (text.isEmpty())
            session.socket().sendBinaryMessage(binary);
        else
            session.socket().sendTextMessage(text);
        QTRY_VERIFY(session.isClosed);
        QCOMPARE(session.closeCode(), closeCode);
        QVERIFY(session.texts.isEmpty());
    }

    void reportsFailedStart()
    {
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        session.start("{\"command\":\"true\",\"working_dir\":\"/nope\"}");
        QTRY_VERIFY(session.isClosed);
        const auto frame = parseJson(session.texts.value(0).toUtf8());
        QVERIFY(bool(frame));
        QCOMPARE((*frame)[u"code"].toString(), u"exec_failed"_s);
        QVERIFY((*frame)[u"finished"].toBool());
        QVERIFY(!frame->contains(u"exit_code"));
        QCOMPARE(session.closeCode(), 1011);
    }

    void refusesBeforeUpgrade()
    {
        Session wrongToken(m_service, {m_sandbox.id, QByteArray(64, '0')});
        QTRY_VERIFY(wrongToken.socket().errorString().contains("401"_L1));
        QVERIFY(!wrongToken.isOpen);
        const ApiClient client(m_service);
        const SandboxRef paused = client.create();
        QCOMPARE(client.control("POST", "/sandboxes/" + paused.id + "/pause").status, 204);
        Session onPaused(m_service, paused);
        QTRY_VERIFY(onPaused.socket().errorString().contains("503"_L1));
        QCOMPARE(client.control("DELETE", "/sandboxes/" + paused.id).status, 204);
        Session onGone(m_service, paused);
        QTRY_VERIFY(onGone.socket().errorString().contains("404"_L1));
        QCOMPARE(client
                     .data(m_sandbox, "GET", "/exec/connect", {},
                           {{"Sec-WebSocket-Protocol", "token." + m_sandbox.token}})
                     .status,
                 400);
    }

    void killsGroupWhenSocketDrops()
    {
        const ApiClient client(m_service);
        const QString isThere = u"test -d /proc/$(cat /tmp/dropped); echo $?"_s;
        {
            Session session(m_service, m_sandbox);
            QTRY_VERIFY(session.isOpen);
            session.start("{\"command\":\"sleep 44444 & echo $! >/tmp/dropped; echo ready; wait\"}");
            QTRY_COMPARE(session.out, QByteArray("ready\n"));
            QCOMPARE(client.exec(m_sandbox, isThere)[u"stdout"].toString(), u"0\n"_s);
            session.socket().abort();
        }
        QTRY_COMPARE_WITH_TIMEOUT(client.exec(m_sandbox, isThere)[u"stdout"].toString(), u"1\n"_s, 2000);
    }

    void isCutByPause()
    {
        const ApiClient client(m_service);
        const SandboxRef sandbox = client.create();
        Session session(m_service, sandbox);
        QTRY_VERIFY(session.isOpen);
        session.start("{\"command\":\"echo ready; sleep 30\"}");
        QTRY_COMPARE(session.out, QByteArray("ready\n"));
        QCOMPARE(client.control("POST", "/sandboxes/" + sandbox.id + "/pause").status, 204);
        QTRY_VERIFY(session.isClosed);
        QVERIFY(session.texts.isEmpty()); // No finished frame: the outcome is unknown.
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
    }

    void passesEnvironmentToProcessGroup()
    {
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        session.start("{\"command\":\"sleep 30 & wait\",\"env\":{\"PH_CALL\":\"call-4711\"}}");
        const ApiClient client(m_service);
        QTRY_VERIFY_WITH_TIMEOUT(
            client
                .exec(m_sandbox,
                      u"grep -lz '^PH_CALL=call-4711$' /proc/[0-9]*/environ 2>/dev/null"_s)[u"stdout"]
                .toString()
                .contains("/proc/"_L1),
            5000);
        session.signal(u"SIGTERM"_s);
        QTRY_VERIFY(session.isClosed);
    }

    void holdsBackInputThatNobodyReads()
    {
        Session session(m_service, m_sandbox);
        QTRY_VERIFY(session.isOpen);
        session.start("{\"command\":\"echo ready; sleep 1; wc -c\"}");
        QTRY_COMPARE(session.out, QByteArray("ready\n"));
        const QByteArray part(32 * 1024, 'x');
        for (int i = 0; i < 200; ++i) // 6.25 MiB, more than is queued anywhere.
            session.socket().sendBinaryMessage(QByteArray(1, '\0') + part);
        session.closeInput();
        QTRY_VERIFY_WITH_TIMEOUT(session.isClosed, 10000);
        QCOMPARE(session.out, QByteArray("ready\n6553600\n"));
    }

    void needsStartFrameWithinTenSeconds()
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_silent->isClosed, 12000);
        QCOMPARE(m_silent->closeCode(), 1008);
    }

private:
    SandboxdFixture m_service;
    SandboxRef m_sandbox;
    std::unique_ptr<Session> m_silent;
    QElapsedTimer m_silentTimer;
};

} // namespace Pilothouse::Tests

QTEST_GUILESS_MAIN(Pilothouse::Tests::TestSession)
#include "tst_session.moc"
