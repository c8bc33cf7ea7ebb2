// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/networksetup.h"
#include "shell/proxydialog.h"
#include "support/connectproxy.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"
#include "windowfixture.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QScopeGuard>
#include <QSslCertificate>
#include <QSslConfiguration>

#include <optional>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = WindowFixture::Patience;

QByteArray tlsFile(const QString &name)
{
    QFile file(QStringLiteral(PH_TEST_DATA) + u"/tls/"_s + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// A company's proxy that wants a name: asked for in the window.
class TestProxyLogin : public Tests::Test {
    Q_OBJECT
    using Outcome = std::optional<Result<ServiceTest, Error>>;

    static ProxyDialog *dialog(const WindowFixture &window)
    {
        for (auto *found : window.window()->findChildren<ProxyDialog *>()) {
            if (found->isVisible() && found->isAncestorOf(QApplication::focusWidget()))
                return found;
        }
        return nullptr;
    }

    /// One request to a service behind the proxy.
    static void testService(const WindowFixture &window, Outcome *outcome)
    {
        Engine *engine = window.workspace()->engine();
        engine->setProvider({u"mine"_s, u"Mine"_s, u"openai-chat"_s, u"https://service.test/v1"_s, {}, {}},
                            true, window.window(), [](const Result<Done, Error> &) {});
        engine->testService(u"mine"_s, window.window(),
                            [outcome](const Result<ServiceTest, Error> &result) { *outcome = result; });
    }

private Q_SLOTS:
    void askedUntilItIsRight()
    {
        const QSslConfiguration before = QSslConfiguration::defaultConfiguration();
        const auto restore = qScopeGuard([&] { QSslConfiguration::setDefaultConfiguration(before); });
        QSslConfiguration trusting = before;
        trusting.setCaCertificates(QSslCertificate::fromData(tlsFile(u"root.pem"_s)));
        QSslConfiguration::setDefaultConfiguration(trusting);
        LoopbackServer service(tlsFile(u"service.pem"_s), tlsFile(u"service.key"_s));
        service.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{\"data\":[]}");
        });
        ConnectProxy proxy(service.port());
        proxy.setLogin("ann", "s3cret-word");
        auto setup = std::make_shared<NetworkSetup>();
        setup->proxyFor = [setting = proxy.proxy()](const QUrl &) { return setting; };

        WindowFixture window;
        window.options()->network = setup;
        QVERIFY(window.start({}));
        Outcome outcome;
        testService(window, &outcome);
        QTRY_VERIFY_WITH_TIMEOUT(dialog(window), Patience);
        ProxyDialog *asked = dialog(window);
        QCOMPARE(asked->windowTitle(), u"The proxy wants a login"_s);
        QVERIFY(asked->accessibleDescription().contains(u"http://127.0.0.1:%1"_s.arg(proxy.port())));
        QVERIFY(!asked->findChild<QCheckBox *>()); // There is no keychain here.
        QTest::keyClicks(QApplication::focusWidget(), u"ann"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QCOMPARE(qobject_cast<QLineEdit *>(QApplication::focusWidget())->echoMode(), QLineEdit::Password);
        QTest::keyClicks(QApplication::focusWidget(), u"wrong"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);

        const auto askedAgain = [&] {
            ProxyDialog *now = dialog(window);
            return now && now->windowTitle() == u"The proxy refused that login"_s;
        };
        QTRY_VERIFY_WITH_TIMEOUT(askedAgain(), Patience);
        QTest::keyClicks(QApplication::focusWidget(), u"ann"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QTest::keyClicks(QApplication::focusWidget(), u"s3cret-word"_s);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), Patience);
        QVERIFY2(*outcome, *outcome ? "" : qPrintable((*outcome).error().toText()));
        QCOMPARE(proxy.wrongLogins(), 1);
        QVERIFY(!dialog(window));
    }

    void declinedByEscape()
    {
        ConnectProxy proxy(1);
        proxy.setLogin("ann", "s3cret-word");
        auto setup = std::make_shared<NetworkSetup>();
        setup->proxyFor = [setting = proxy.proxy()](const QUrl &) { return setting; };
        WindowFixture window;
        window.options()->network = setup;
        QVERIFY(window.start({}));
        Outcome outcome;
        testService(window, &outcome);
        QTRY_VERIFY_WITH_TIMEOUT(dialog(window), Patience);
        QTest::keyClick(dialog(window), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), Patience);
        QVERIFY(!*outcome);
        QVERIFY2(outcome->error().toText().contains(u"network proxy 127.0.0.1"_s),
                 qPrintable(outcome->error().toText()));
        QVERIFY(!dialog(window));
    }
};

QTEST_MAIN(TestProxyLogin)
#include "tst_proxylogin.moc"
