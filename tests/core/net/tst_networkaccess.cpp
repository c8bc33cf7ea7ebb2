// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QNetworkProxy>
#include <QPointer>
#include <QSignalSpy>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslServer>
#include <QSslSocket>
#include <QTest>
#include <QWebSocket>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestNetworkAccess : public Tests::Test {
    Q_OBJECT

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
        [&] { QTRY_VERIFY_WITH_TIMEOUT(finished, 10000); }();
        return error;
    }

private Q_SLOTS:
    void loopback_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<bool>("loopback");
        QTest::newRow("127.0.0.1") << u"http://127.0.0.1:1/x"_s << true;
        QTest::newRow("127.9.9.9") << u"http://127.9.9.9/"_s << true;
        QTest::newRow("::1") << u"http://[::1]:80/"_s << true;
        QTest::newRow("localhost") << u"ws://LOCALHOST/"_s << true;
        QTest::newRow("sub.localhost") << u"http://a.localhost/"_s << false;
        QTest::newRow("name") << u"http://127.0.0.1.example.com/"_s << false;
        QTest::newRow("private") << u"http://192.168.0.1/"_s << false;
        QTest::newRow("empty") << u""_s << false;
    }
    void loopback()
    {
        QFETCH(QString, url);
        QTEST(NetworkAccess::isLoopback(QUrl(url)), "loopback");
    }

    void refusedHere_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QByteArray>("secret");
        QTest::newRow("no host") << u"http:///x"_s << QByteArray();
        QTest::newRow("relative") << u"/x"_s << QByteArray();
        QTest::newRow("file") << u"file:///etc/passwd"_s << QByteArray();
        QTest::newRow("ftp") << u"ftp://127.0.0.1/"_s << QByteArray();
        QTest::newRow("password in url") << u"http://a:b@127.0.0.1/"_s << QByteArray();
        QTest::newRow("key over http") << u"http://example.com/"_s << QByteArray("key-123456");
        QTest::newRow("line break in key") << u"http://127.0.0.1/"_s << QByteArray("key\r\nX-Evil: 1");
    }
    void refusedHere()
    {
        QFETCH(QString, url);
        QFETCH(QByteArray, secret);
        NetworkAccess network;
        RequestSpec spec;
        spec.url = QUrl(url);
        if (!secret.isEmpty())
            spec.secretHeaders.append({"X-API-Key", Secret(secret)});
        const std::optional<ApiError> error = errorOf(network, spec);
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"local"_s);
        QVERIFY(!error->message.isEmpty());
        QVERIFY(!error->outcomeUnknown);
    }

    /// Six connections per host is Qt's limit for one manager; endless streams must not use them up.
    void streamsDoNotBlockControlCalls()
    {
        LoopbackServer server;
        NetworkAccess network;
        server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() == "/stream") {
                connection->sendHead(200);
                connection->sendChunk(": open\n\n");
            } else {
                connection->respond(200, "{}");
            }
        });
        QObject owner;
        RequestSpec stream;
        stream.url = server.url("/stream");
        stream.stream = true;
        int open = 0;
        for (int i = 0; i < 10; ++i) {
            HttpJob *job = network.start(stream, Lane::Stream, &owner);
            connect(job, &HttpJob::bodyReceived, this, [&open] { ++open; });
        }
        QTRY_COMPARE(open, 10);
        RequestSpec control;
        control.url = server.url("/control");
        QVERIFY(!errorOf(network, control));
        QVERIFY(!errorOf(network, control, Lane::Transfer));
    }

    void streamsAreBoundedAndReused()
    {
        LoopbackServer server;
        NetworkAccess network;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk(": open\n\n");
        });
        auto owner = std::make_unique<QObject>();
        RequestSpec stream;
        stream.url = server.url("/stream");
        stream.stream = true;
        int open = 0;
        for (int i = 0; i < 64; ++i) {
            HttpJob *job = network.start(stream, Lane::Stream, owner.get());
            connect(job, &HttpJob::bodyReceived, this, [&open] { ++open; });
        }
        QTRY_COMPARE_WITH_TIMEOUT(open, 64, 20000);
        const std::optional<ApiError> error = errorOf(network, stream, Lane::Stream);
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"local"_s);
        QCOMPARE(server.requests().size(), 64);

        owner = std::make_unique<QObject>(); // All of them are given back.
        for (int i = 0; i < 8; ++i) {
            HttpJob *job = network.start(stream, Lane::Stream, owner.get());
            connect(job, &HttpJob::bodyReceived, this, [&open] { ++open; });
        }
        QTRY_COMPARE(open, 72);
    }

    void loopbackIgnoresTheProxy()
    {
        LoopbackServer proxy;
        LoopbackServer server;
        server.enqueueResponse(200, "{}");
        NetworkSetup setup;
        setup.proxyFor = [port = proxy.port()](const QUrl &) {
            return QNetworkProxy(QNetworkProxy::HttpProxy, u"127.0.0.1"_s, port);
        };
        NetworkAccess network(setup);
        RequestSpec spec;
        spec.url = server.url();
        const std::optional<ApiError> error = errorOf(network, spec);

        // And the internet does not: the proxy gets the request for a name that only it could know.
        proxy.enqueueResponse(200, "{}");
        RequestSpec hosted;
        hosted.url = QUrl(u"http://pilothouse.invalid/x"_s);
        const std::optional<ApiError> viaProxy = errorOf(network, hosted);
        QVERIFY(!error);
        QVERIFY(!viaProxy);
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(proxy.requests().size(), 1);
        QCOMPARE(proxy.requests().constFirst().target, QByteArray("http://pilothouse.invalid/x"));
    }

    void unknownNameIsWorthARetry()
    {
        NetworkAccess network;
        RequestSpec spec;
        spec.method = "POST";
        spec.body = "{}";
        spec.repeatable = false;
        spec.url = QUrl(u"https://pilothouse.invalid/"_s);
        const std::optional<ApiError> error = errorOf(network, spec);
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"network"_s);
        QVERIFY(error->retryable);
        QVERIFY(!error->outcomeUnknown);
    }

    void unknownCertificateIsRefused()
    {
        if (!QSslSocket::supportsSsl())
            QSKIP("This Qt has no TLS");
        QSslServer tls;
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        const QList<QSslCertificate> certificates =
            QSslCertificate::fromData(testData(u"tls/selfsigned.pem"_s));
        configuration.setLocalCertificate(certificates.constFirst());
        configuration.setPrivateKey(QSslKey(testData(u"tls/selfsigned.key"_s), QSsl::Ec));
        tls.setSslConfiguration(configuration);
        QVERIFY(tls.listen(QHostAddress::LocalHost));
        NetworkAccess network;
        RequestSpec spec;
        spec.method = "POST";
        spec.body = "{}";
        spec.repeatable = false;
        spec.url = QUrl(u"https://127.0.0.1:%1/"_s.arg(tls.serverPort()));
        spec.secretHeaders.append({"X-API-Key", Secret("key-123456")});
        const std::optional<ApiError> error = errorOf(network, spec);
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"tls"_s);
        QVERIFY(!error->outcomeUnknown);
        QVERIFY2(error->message.contains(u"loopback.test"_s), qPrintable(error->message));
        const QByteArray digest =
            certificates.constFirst().digest(QCryptographicHash::Sha256).toHex(':').toUpper();
        QVERIFY(error->message.contains(QString::fromLatin1(digest)));
    }

    void webSocketHasNoOrigin()
    {
        LoopbackServer server;
        NetworkAccess network;
        server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            connection->acceptWebSocket(request);
            connection->sendBinary(QByteArray("\1hi", 3));
        });
        QUrl url = server.url("/exec/connect");
        url.setScheme(u"ws"_s);
        QWebSocket *socket = network.makeWebSocket(url, this);
        QSignalSpy binary(socket, &QWebSocket::binaryMessageReceived);
        socket->open(url);
        QTRY_COMPARE(binary.size(), 1);
        QCOMPARE(binary.constFirst().constFirst().toByteArray(), QByteArray("\1hi", 3));
        QVERIFY(server.requests().constFirst().isWebSocketUpgrade());
        QVERIFY(!server.requests().constFirst().hasHeader("Origin"));
        delete socket;
    }
};

QTEST_GUILESS_MAIN(TestNetworkAccess)
#include "tst_networkaccess.moc"
