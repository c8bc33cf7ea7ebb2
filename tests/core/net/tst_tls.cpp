// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "net/tlsrefusal.h"
#include "support/connectproxy.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QCoreApplication>
#include <QDir>
#include <QNetworkRequest>
#include <QProcess>
#include <QSignalSpy>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslError>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QWebSocket>
#include <QWebSocketHandshakeOptions>

#include <memory>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 10'000;
constexpr auto InsideVariable = "PILOTHOUSE_TEST_ROOT_IN_STORE";

QSslCertificate certificate(const QString &name)
{
    return QSslCertificate::fromData(testData(u"tls/"_s + name)).constFirst();
}

QString fingerprint(const QSslCertificate &certificate)
{
    return QString::fromLatin1(certificate.digest(QCryptographicHash::Sha256).toHex(':').toUpper());
}

} // namespace

/// Which certificates are taken, and what is said of those that are not. Names are reached through a proxy
/// that leads all of them to one server.
class TestTls : public Tests::Test {
    Q_OBJECT
    QSslConfiguration m_before;

    struct Site {
        std::unique_ptr<LoopbackServer> server;
        std::unique_ptr<ConnectProxy> proxy;
        NetworkSetup setup;
    };
    static Site site(const QString &shown, const QString &key)
    {
        Site made;
        made.server =
            std::make_unique<LoopbackServer>(testData(u"tls/"_s + shown), testData(u"tls/"_s + key));
        made.server->setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.isWebSocketUpgrade())
                connection->acceptWebSocket(request);
            else
                connection->respond(200, "{}");
        });
        made.proxy = std::make_unique<ConnectProxy>(made.server->port());
        made.setup.proxyFor = [proxy = made.proxy->proxy()](const QUrl &) { return proxy; };
        made.setup.routes = [] { return RouteState{u"192.0.2.9"_s, {}}; };
        return made;
    }
    std::optional<ApiError> errorOf(NetworkAccess &network, const QUrl &url)
    {
        RequestSpec spec;
        spec.method = "POST";
        spec.url = url;
        spec.body = "{}";
        spec.repeatable = false;
        spec.secretHeaders.append({"X-API-Key", Secret("key-123456")});
        std::optional<ApiError> error;
        HttpJob *job = network.start(spec, Lane::Control, this);
        bool finished = false;
        connect(job, &HttpJob::finished, this, [&] {
            error = job->error();
            finished = true;
        });
        [&] { QTRY_VERIFY_WITH_TIMEOUT(finished, Patience); }();
        return error;
    }
    static void trust(const QList<QSslCertificate> &roots)
    {
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        configuration.setCaCertificates(roots);
        QSslConfiguration::setDefaultConfiguration(configuration);
    }

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        m_before = QSslConfiguration::defaultConfiguration();
    }
    void cleanup() { QSslConfiguration::setDefaultConfiguration(m_before); }

    void refusals_data()
    {
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("host");
        QTest::addColumn<bool>("trustsRoot");
        QTest::addColumn<QString>("check");
        QTest::addColumn<QString>("issuer");
        QTest::addColumn<QString>("chain");
        const QString service = u"service.pem"_s;
        const QString key = u"service.key"_s;
        const QString root = u"Test root (Pilothouse tests)"_s;
        const QString chain = u"service.test (Pilothouse tests) ← Test root (Pilothouse tests) (not sent)"_s;
        QTest::newRow("wrong host") << service << key << u"other.test"_s << true
                                    << u"it is not for other.test but for "_s << root << QString();
        QTest::newRow("expired") << u"expired.pem"_s << key << u"service.test"_s << true
                                 << u"it has expired"_s << root << QString();
        QTest::newRow("unknown issuer") << service << key << u"service.test"_s << false
                                        << u"this system does not know its issuer"_s << root << chain;
        QTest::newRow("self-signed") << u"selfsigned.pem"_s << u"selfsigned.key"_s << u"loopback.test"_s
                                     << false << u"it is signed by itself"_s << u"loopback.test"_s
                                     << u"Chain: loopback.test"_s;
    }
    /// Over HTTP and over WebSockets; nothing gets to the server, the key above all.
    void refusals()
    {
        QFETCH(QString, shown);
        QFETCH(QString, key);
        QFETCH(QString, host);
        QFETCH(bool, trustsRoot);
        QFETCH(QString, check);
        QFETCH(QString, issuer);
        QFETCH(QString, chain);
        const Site site = this->site(shown, key);
        trust(trustsRoot ? QList<QSslCertificate>{certificate(u"root.pem"_s)} : QList<QSslCertificate>());
        NetworkAccess network(site.setup);
        const auto error = errorOf(network, QUrl(u"https://"_s + host + u"/v1/messages"_s));
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"tls"_s);
        QVERIFY(!error->retryable);
        QVERIFY(!error->outcomeUnknown);
        const QSslCertificate leaf = certificate(shown);
        QUrl socketUrl(u"wss://"_s + host + u"/exec/connect"_s);
        QWebSocket *socket = network.makeWebSocket(socketUrl, this);
        QSignalSpy ended(socket, &QWebSocket::disconnected);
        network.open(socket, QNetworkRequest(socketUrl), {});
        QTRY_VERIFY_WITH_TIMEOUT(!NetworkAccess::tlsRefusal(socket).isEmpty(), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, Patience);
        for (const QString &text : {error->message, NetworkAccess::tlsRefusal(socket)}) {
            QVERIFY2(text.contains(check), qPrintable(text));
            QVERIFY2(
                text.contains(u"Subject: "_s + leaf.subjectInfo(QSslCertificate::CommonName).constFirst()),
                qPrintable(text));
            QVERIFY2(text.contains(u"Issuer: "_s + issuer), qPrintable(text));
            QVERIFY2(text.contains(leaf.effectiveDate().toUTC().toString(u"yyyy-MM-dd"_s)), qPrintable(text));
            QVERIFY2(text.contains(leaf.expiryDate().toUTC().toString(u"yyyy-MM-dd"_s)), qPrintable(text));
            QVERIFY2(text.contains(fingerprint(leaf)), qPrintable(text));
            QVERIFY2(text.contains(chain.isEmpty() ? u"Chain: "_s : chain), qPrintable(text));
        }
        QVERIFY(site.server->requests().isEmpty());
        delete socket;
    }

    void trustedIsTaken()
    {
        const Site site = this->site(u"service.pem"_s, u"service.key"_s);
        trust({certificate(u"root.pem"_s)});
        NetworkAccess network(site.setup);
        QVERIFY(!errorOf(network, QUrl(u"https://service.test/"_s)));
        QVERIFY(!errorOf(network, QUrl(u"https://boxd-1.service.test/"_s)));
    }

    void hostileNamesAreBounded()
    {
        const QString text = describeRefusal(
            QString(u"a\nb\u202E"_s).repeated(2000),
            QList<QSslError>(50, QSslError(QSslError::HostNameMismatch, certificate(u"service.pem"_s))),
            QList<QSslCertificate>(500, certificate(u"service.pem"_s)));
        QVERIFY2(text.size() < 2000, qPrintable(QString::number(text.size())));
        QVERIFY(!text.contains(u'\n'));
        QVERIFY(!text.contains(QChar(0x202E)));
        QVERIFY(text.contains(fingerprint(certificate(u"service.pem"_s))));
        QCOMPARE(describeRefusal(u"x"_s, {}, {}), QString());
    }

    /// Nothing is set: the root stands in the folder of the system's store and nowhere else. Run again in a
    /// view of the file system in which that is so.
    void rootOfTheSystemStore()
    {
        if (qEnvironmentVariableIsSet(InsideVariable)) {
            const Site site = this->site(u"service.pem"_s, u"service.key"_s);
            NetworkAccess network(site.setup);
            const auto error = errorOf(network, QUrl(u"https://service.test/"_s));
            QVERIFY2(!error, error ? qPrintable(error->message) : "");
            QCOMPARE(site.server->requests().size(), 1);
            return;
        }
        const QString bwrap = QStandardPaths::findExecutable(u"bwrap"_s);
        QVERIFY2(!bwrap.isEmpty(), "bubblewrap is not installed");
        QTemporaryDir store;
        // Named by the hash of its subject, as c_rehash does; the hash stands beside the root.
        const QString hash = QString::fromLatin1(testData(u"tls/root.hash"_s)).trimmed();
        QFile root(store.filePath(hash + u".0"_s));
        QVERIFY(root.open(QIODevice::WriteOnly));
        root.write(testData(u"tls/root.pem"_s));
        root.close();
        QProcess inside;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QString::fromLatin1(InsideVariable), u"1"_s);
        inside.setProcessEnvironment(environment);
        inside.setProcessChannelMode(QProcess::MergedChannels);
        QSignalSpy finished(&inside, &QProcess::finished);
        inside.start(bwrap,
                     {u"--dev-bind"_s, u"/"_s, u"/"_s, u"--ro-bind"_s, store.path(), u"/etc/ssl/certs"_s,
                      QCoreApplication::applicationFilePath(), u"rootOfTheSystemStore"_s});
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 30'000);
        QVERIFY2(inside.exitCode() == 0, inside.readAll().constData());

        // And without it the same is refused: it is this store that counts.
        const Site site = this->site(u"service.pem"_s, u"service.key"_s);
        NetworkAccess network(site.setup);
        const auto error = errorOf(network, QUrl(u"https://service.test/"_s));
        QVERIFY(error.has_value());
        QCOMPARE(categoryName(error->category), u"tls"_s);
    }
};

QTEST_GUILESS_MAIN(TestTls)
#include "tst_tls.moc"
