// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "net/proxyfinder.h"
#include "net/proxylogins.h"
#include "support/connectproxy.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QHostInfo>
#include <QMutex>
#include <QNetworkRequest>
#include <QSemaphore>
#include <QSignalSpy>
#include <QSslConfiguration>
#include <QTcpServer>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QWebSocket>
#include <QWebSocketHandshakeOptions>

#include <memory>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 20'000; // A proxy is given 15 s.
const auto Body = "{\"ok\":true}";

} // namespace

/// Behind a company's proxy: what goes through it, what it says, and who is asked for a login.
class TestProxy : public Tests::Test {
    Q_OBJECT
    QSslConfiguration m_before;
    QMutex m_mutex; ///< Of the two below: settings are read in another thread.
    QNetworkProxy m_setting{QNetworkProxy::NoProxy};
    QList<QUrl> m_asked;
    RouteState m_routes{u"192.0.2.9"_s, {}};

    NetworkSetup setup()
    {
        NetworkSetup made;
        made.proxyFor = [this](const QUrl &url) {
            const QMutexLocker lock(&m_mutex);
            m_asked.append(url);
            return m_setting;
        };
        made.routes = [this] { return m_routes; };
        return made;
    }
    void setProxy(const QNetworkProxy &proxy)
    {
        const QMutexLocker lock(&m_mutex);
        m_setting = proxy;
    }
    std::unique_ptr<LoopbackServer> service()
    {
        auto server =
            std::make_unique<LoopbackServer>(testData(u"tls/service.pem"_s), testData(u"tls/service.key"_s));
        server->setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.isWebSocketUpgrade()) {
                connection->acceptWebSocket(request);
                connection->sendText("hello");
            } else {
                connection->respond(200, Body);
            }
        });
        return server;
    }
    static RequestSpec spec(const QString &url = u"https://service.test/v1/x"_s)
    {
        RequestSpec made;
        made.method = "POST";
        made.url = QUrl(url);
        made.body = "{}";
        made.repeatable = false;
        return made;
    }
    std::optional<ApiError> errorOf(NetworkAccess &network, const RequestSpec &spec,
                                    Lane lane = Lane::Control)
    {
        std::optional<ApiError> error;
        HttpJob *job = network.start(spec, lane, this);
        bool finished = false;
        connect(job, &HttpJob::finished, this, [&] {
            error = job->error();
            finished = true;
        });
        [&] { QTRY_VERIFY_WITH_TIMEOUT(finished, Patience); }();
        return error;
    }

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        m_before = QSslConfiguration::defaultConfiguration();
        QSslConfiguration trusting = m_before;
        trusting.setCaCertificates(QSslCertificate::fromData(testData(u"tls/root.pem"_s)));
        QSslConfiguration::setDefaultConfiguration(trusting);
    }
    void init()
    {
        Test::init();
        setProxy(QNetworkProxy(QNetworkProxy::NoProxy));
        m_asked.clear();
        m_routes = {u"192.0.2.9"_s, {}};
    }
    void cleanupTestCase()
    {
        QSslConfiguration::setDefaultConfiguration(m_before);
        Test::cleanupTestCase();
    }

    void tunnels()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        QVERIFY(!errorOf(network, spec()));
        QCOMPARE(proxy.tunnels(), 1);
        QVERIFY(proxy.heads().constFirst().startsWith("CONNECT service.test:443 "));
        QCOMPARE(server->requests().size(), 1);
        QCOMPARE(server->requests().constFirst().body, QByteArray("{}"));
    }

    void socketsTunnelToo()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        const QUrl url(u"wss://service.test/exec/connect"_s);
        QWebSocket *socket = network.makeWebSocket(url, this);
        QSignalSpy text(socket, &QWebSocket::textMessageReceived);
        network.open(socket, QNetworkRequest(url), {});
        QTRY_COMPARE_WITH_TIMEOUT(text.size(), 1, Patience);
        QCOMPARE(proxy.tunnels(), 1);
        delete socket;
    }

    void plainRequestsAreHandedOver()
    {
        LoopbackServer server;
        server.enqueueResponse(200, Body);
        ConnectProxy proxy(server.port());
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        QVERIFY(!errorOf(network, spec(u"http://pilothouse.invalid/x"_s)));
        QVERIFY(proxy.heads().constFirst().startsWith("POST http://pilothouse.invalid/x "));
    }

    void thisComputerIsReachedDirectly_data()
    {
        QTest::addColumn<QString>("host");
        QTest::newRow("127.0.0.1") << u"127.0.0.1"_s;
        QTest::newRow("localhost") << u"localhost"_s;
    }
    /// A local model server while the settings name a proxy.
    void thisComputerIsReachedDirectly()
    {
        QFETCH(QString, host);
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.isWebSocketUpgrade()) {
                connection->acceptWebSocket(request);
                connection->sendText("hello");
                return;
            }
            connection->sendHead(200);
            connection->sendChunk("data: {}\n\n");
            connection->endChunks();
        });
        ConnectProxy proxy(server.port());
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        QUrl url = server.url("/v1/chat/completions");
        url.setHost(host);
        RequestSpec stream = spec(url.toString());
        stream.stream = true;
        const std::optional<ApiError> error = errorOf(network, stream, Lane::Stream);
        if (QHostInfo::fromName(host).error() != QHostInfo::NoError) {
            // A root without /etc/hosts does not know its own name; the proxy is not asked for it all the
            // same.
            QVERIFY(error && !error->outcomeUnknown);
            QVERIFY(proxy.heads().isEmpty());
            const QMutexLocker lock(&m_mutex);
            QVERIFY(m_asked.isEmpty());
            return;
        }
        QVERIFY(!error);
        url.setScheme(u"ws"_s);
        QWebSocket *socket = network.makeWebSocket(url, this);
        QSignalSpy text(socket, &QWebSocket::textMessageReceived);
        network.open(socket, QNetworkRequest(url), {});
        QTRY_COMPARE_WITH_TIMEOUT(text.size(), 1, Patience);
        delete socket;
        QCOMPARE(server.requests().size(), 2);
        QVERIFY(proxy.heads().isEmpty());
        const QMutexLocker lock(&m_mutex);
        QVERIFY(m_asked.isEmpty()); // Nobody else was even asked about it.
    }

    /// The system's settings change while the program runs.
    void changeHoldsFromTheNextRequest()
    {
        auto server = service();
        ConnectProxy first(server->port());
        ConnectProxy second(server->port());
        setProxy(first.proxy());
        NetworkAccess network(setup());
        QVERIFY(!errorOf(network, spec()));
        setProxy(second.proxy());
        QVERIFY(!errorOf(network, spec()));
        QVERIFY(!errorOf(network, spec(), Lane::Stream));
        QCOMPARE(first.tunnels(), 1);
        QCOMPARE(second.tunnels(), 2); // One for each lane.
        setProxy(first.proxy());
        QVERIFY(!errorOf(network, spec()));
        QCOMPARE(second.tunnels(), 2);
    }

    /// What Qt makes of the system's settings; on Linux of the environment, if no desktop says more.
    void systemSettingsAreReadAnew()
    {
        const auto type = [](const char *url) {
            const QNetworkProxy proxy = ProxyFinder::systemProxy(QUrl(QString::fromLatin1(url)));
            if (proxy.type() == QNetworkProxy::NoProxy)
                return u"direct"_s;
            return QString(proxy.hostName() + u':' + QString::number(proxy.port()));
        };
        for (const char *name : {"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY",
                                 "NO_PROXY", "all_proxy", "ALL_PROXY"})
            qunsetenv(name);
        QCOMPARE(type("https://service.test/"), u"direct"_s);
        qputenv("https_proxy", "http://proxy.test:3128");
        QCOMPARE(type("https://service.test/"), u"proxy.test:3128"_s);
        QCOMPARE(type("wss://service.test/"), u"proxy.test:3128"_s);
        qputenv("https_proxy", "http://other.test:8080");
        QCOMPARE(type("https://service.test/"), u"other.test:8080"_s);
        QCOMPARE(type("wss://service.test/"), u"other.test:8080"_s);
        qputenv("no_proxy", "service.test");
        QCOMPARE(type("https://service.test/"), u"direct"_s);
        QCOMPARE(type("https://elsewhere.test/"), u"other.test:8080"_s);
        qunsetenv("https_proxy");
        qunsetenv("no_proxy");
        QCOMPARE(type("https://elsewhere.test/"), u"direct"_s);
    }

    /// Settings may hold a script that takes its time; the thread of the engine goes on.
    void slowSettingsBlockNothing()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        QSemaphore release;
        NetworkSetup slow = setup();
        QThread *asked = nullptr;
        slow.proxyFor = [&](const QUrl &) {
            asked = QThread::currentThread();
            release.acquire();
            return proxy.proxy();
        };
        LoopbackServer local;
        local.enqueueResponse(200, Body);
        NetworkAccess network(slow);
        HttpJob *job = network.start(spec(), Lane::Control, this);
        QSignalSpy finished(job, &HttpJob::finished);
        QVERIFY(!errorOf(network, spec(local.url().toString())));
        QCOMPARE(finished.size(), 0);
        release.release();
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
        QVERIFY(asked && asked != QThread::currentThread());

        RequestSpec hurried = spec();
        hurried.firstByteTimeout = 50ms;
        const auto error = errorOf(network, hurried);
        release.release();
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"timeout"_s);
        QVERIFY2(error->message.contains(u"proxy settings"_s), qPrintable(error->message));
        QVERIFY(!error->outcomeUnknown);
    }

    void loginIsAskedForOnce_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<bool>("closes");
        QTest::newRow("tunnel") << u"https://service.test/x"_s << false;
        QTest::newRow("tunnel, proxy that hangs up") << u"https://service.test/x"_s << true;
        QTest::newRow("plain") << u"http://service.test/x"_s << false;
    }
    void loginIsAskedForOnce()
    {
        QFETCH(QString, url);
        QFETCH(bool, closes);
        LoopbackServer plain;
        plain.setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->respond(200, Body); });
        auto secure = service();
        ConnectProxy proxy(url.startsWith(u"https"_s) ? secure->port() : plain.port());
        proxy.setLogin("ann", "s3cret-word");
        proxy.setClosesAfterRefusal(closes);
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        QList<ProxyQuestion> questions;
        ProxyLogins::Answer answer;
        network.proxyLogins()->setAsker([&](const ProxyQuestion &question, ProxyLogins::Answer reply) {
            questions.append(question);
            answer = std::move(reply);
        });
        QSignalSpy proven(network.proxyLogins(), &ProxyLogins::proven);
        RequestSpec request = spec(url);
        request.method = "GET";
        request.body.clear();
        QList<HttpJob *> jobs;
        int finished = 0;
        QStringList errors;
        for (int i = 0; i < 5; ++i) {
            HttpJob *job = network.start(request, i < 2 ? Lane::Control : Lane::Stream, this);
            connect(job, &HttpJob::finished, this, [&, job] {
                ++finished;
                if (job->error())
                    errors.append(job->error()->message);
            });
        }
        QTRY_VERIFY_WITH_TIMEOUT(answer != nullptr, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(proxy.refusals() >= 5, Patience);
        QCOMPARE(finished, 0);
        answer(ProxyLogin{u"ann"_s, Secret("s3cret-word")});
        QTRY_COMPARE_WITH_TIMEOUT(finished, 5, Patience);
        QCOMPARE(errors, QStringList());
        QCOMPARE(questions.size(), 1);
        QCOMPARE(questions.constFirst().origin,
                 QString(u"http://127.0.0.1:"_s + QString::number(proxy.port())));
        QVERIFY(!questions.constFirst().wasRefused);
        QCOMPARE(proven.size(), 1);
        QVERIFY(!errorOf(network, request, Lane::Transfer)); // And never again.
        QCOMPARE(questions.size(), 1);
    }

    /// A command or a message must not be lost or doubled because of it.
    void bodyIsSentOnceAfterLogin()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        proxy.setLogin("ann", "s3cret-word");
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        network.proxyLogins()->setAsker([](const ProxyQuestion &, const ProxyLogins::Answer &reply) {
            reply(ProxyLogin{u"ann"_s, Secret("s3cret-word")});
        });
        QVERIFY(!errorOf(network, spec()));
        QCOMPARE(server->requests().size(), 1);
        QCOMPARE(server->requests().constFirst().body, QByteArray("{}"));
        QVERIFY(!server->requests().constFirst().hasHeader("Proxy-Authorization"));

        const QUrl url(u"wss://service.test/exec/connect"_s);
        QWebSocket *socket = network.makeWebSocket(url, this);
        QSignalSpy text(socket, &QWebSocket::textMessageReceived);
        network.open(socket, QNetworkRequest(url), {});
        QTRY_COMPARE_WITH_TIMEOUT(text.size(), 1, Patience);
        delete socket;
    }

    void wrongLoginIsAskedForAgainAndNotForEver()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        proxy.setLogin("ann", "s3cret-word");
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        QList<bool> refused;
        QStringList passwords{u"wrong-word-1"_s, u"wrong-word-2"_s, u"s3cret-word"_s};
        network.proxyLogins()->setAsker([&](const ProxyQuestion &question, const ProxyLogins::Answer &reply) {
            refused.append(question.wasRefused);
            const QString next = passwords.isEmpty() ? u"wrong-word-3"_s : passwords.takeFirst();
            reply(ProxyLogin{u"ann"_s, Secret(next.toUtf8())});
        });
        QVERIFY(!errorOf(network, spec()));
        QCOMPARE(refused, QList<bool>({false, true, true}));

        proxy.setLogin("ann", "changed-word");
        NetworkAccess later(setup());
        int asked = 0;
        later.proxyLogins()->setAsker([&](const ProxyQuestion &, const ProxyLogins::Answer &reply) {
            ++asked;
            reply(ProxyLogin{u"ann"_s, Secret("wrong-word-3")});
        });
        const auto error = errorOf(later, spec());
        QVERIFY(error.has_value());
        QVERIFY2(asked < 6, qPrintable(QString::number(asked)));
        QVERIFY2(error->message.contains(u"refused the user name or the password"_s),
                 qPrintable(error->message));
        QVERIFY(!error->message.contains(u"wrong-word"_s));
        QVERIFY(!error->message.contains(u"ann"_s));
        QVERIFY(!error->outcomeUnknown);
        QCOMPARE(server->requests().size(), 1);
    }

    void nobodyKnowsALogin()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        proxy.setLogin("ann", "s3cret-word");
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        const auto error = errorOf(network, spec());
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"network"_s);
        QCOMPARE(error->code, u"proxy_login"_s);
        QVERIFY2(error->message.contains(u"asks for a user name"_s), qPrintable(error->message));
        QVERIFY(error->message.contains(u"PILOTHOUSE_PROXY_USER"_s));
        QVERIFY(!error->retryable);
        QVERIFY(!error->outcomeUnknown);
        QCOMPARE(proxy.refusals(), 1);
    }

    /// Some write the login into the settings themselves.
    void loginOfTheSettingsIsUsed()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        proxy.setLogin("ann", "s3cret-word");
        QNetworkProxy setting = proxy.proxy();
        setting.setUser(u"ann"_s);
        setting.setPassword(u"s3cret-word"_s);
        setProxy(setting);
        NetworkAccess network(setup());
        QVERIFY(!errorOf(network, spec()));
    }

    /// It refuses the login and hangs up a moment later, as a company's proxy does whose password has
    /// expired.
    void hangsUpAfterRefusal()
    {
        QTcpServer proxy;
        QVERIFY(proxy.listen(QHostAddress::LocalHost));
        connect(&proxy, &QTcpServer::newConnection, this, [&proxy] {
            QTcpSocket *socket = proxy.nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, socket, [socket] {
                if (!socket->readAll().endsWith("\r\n\r\n") || socket->property("told").toBool())
                    return;
                socket->setProperty("told", true);
                socket->write("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                              "Content-Length: 3\r\n\r\nno!");
                QTimer::singleShot(200ms, socket, [socket] { socket->disconnectFromHost(); });
            });
            connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        });
        setProxy(QNetworkProxy(QNetworkProxy::HttpProxy, u"127.0.0.1"_s, proxy.serverPort()));
        NetworkAccess network(setup());
        network.proxyLogins()->setAsker([](const ProxyQuestion &question, const ProxyLogins::Answer &reply) {
            reply(question.wasRefused ? std::nullopt
                                      : std::optional(ProxyLogin{u"ann"_s, Secret("expired")}));
        });
        for (int i = 0; i < 3; ++i) {
            RequestSpec request = spec();
            request.firstByteTimeout = 500ms;
            const auto error = errorOf(network, request, Lane::Stream);
            QVERIFY(error);
            QVERIFY(!error->outcomeUnknown);
            network.proxyLogins()->set(u"http://127.0.0.1:%1"_s.arg(proxy.serverPort()), {});
        }
    }

    void stoppingWhileAskingIsQuiet()
    {
        auto server = service();
        ConnectProxy proxy(server->port());
        proxy.setLogin("ann", "s3cret-word");
        setProxy(proxy.proxy());
        NetworkAccess network(setup());
        ProxyLogins::Answer answer;
        network.proxyLogins()->setAsker(
            [&](const ProxyQuestion &, ProxyLogins::Answer reply) { answer = std::move(reply); });
        HttpJob *job = network.start(spec(), Lane::Control, this);
        QSignalSpy finished(job, &HttpJob::finished);
        QTRY_VERIFY_WITH_TIMEOUT(answer != nullptr, Patience);
        job->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
        answer(ProxyLogin{u"ann"_s, Secret("s3cret-word")});
        QVERIFY(!errorOf(network, spec()));
        QCOMPARE(server->requests().size(), 1);
    }

    void refusalsHaveWordsOfTheirOwn_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("403") << 403 << u"proxy_refused"_s << u"does not allow connections to service.test"_s;
        QTest::newRow("404") << 404 << u"proxy_failed"_s << u"could not find service.test"_s;
        QTest::newRow("502") << 502 << u"proxy_failed"_s << u"did not make a connection to service.test"_s;
        QTest::newRow("503") << 503 << u"proxy_failed"_s << u"could not get a connection to service.test"_s;
        QTest::newRow("not there") << -1 << u"proxy_unreachable"_s << u"refused the connection"_s;
        QTest::newRow("hangs up") << -2 << u"proxy_unreachable"_s << u"did not make a connection"_s;
    }
    void refusalsHaveWordsOfTheirOwn()
    {
        QFETCH(int, status);
        QFETCH(QString, code);
        QFETCH(QString, words);
        auto server = service();
        ConnectProxy proxy(server->port());
        proxy.setAnswer(status);
        QTcpServer other;
        QVERIFY(other.listen(QHostAddress::LocalHost));
        QNetworkProxy setting = proxy.proxy();
        if (status < 0)
            setting.setPort(other.serverPort());
        if (status == -1)
            other.close();
        connect(&other, &QTcpServer::newConnection, this, [&other] { delete other.nextPendingConnection(); });
        setProxy(setting);
        NetworkAccess network(setup());
        const auto error = errorOf(network, spec());
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"network"_s);
        QCOMPARE(error->code, code);
        QVERIFY2(error->message.contains(words), qPrintable(error->message));
        QVERIFY2(error->message.contains(u"proxy 127.0.0.1:"_s), qPrintable(error->message));
        QVERIFY(error->message.contains(u"Nothing was sent"_s));
        QVERIFY(!error->outcomeUnknown);
        QVERIFY(server->requests().isEmpty());
    }

    void offlineIsSaidPlainly()
    {
        m_routes = {};
        NetworkAccess network(setup());
        const auto error = errorOf(network, spec(u"https://pilothouse.invalid/"_s));
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"network"_s);
        QCOMPARE(error->code, u"offline"_s);
        QVERIFY2(error->message.contains(u"This computer is offline"_s), qPrintable(error->message));
    }
};

QTEST_GUILESS_MAIN(TestProxy)
#include "tst_proxy.moc"
