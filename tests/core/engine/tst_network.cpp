// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/historyservice.h"
#include "enginefixture.h"
#include "net/networksetup.h"
#include "support/connectproxy.h"
#include "support/memorykeychain.h"
#include "support/sleepyclock.h"
#include "support/testmain.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QTest>

#include <atomic>
#include <limits>
#include <memory>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;
constexpr qint64 NinetyMinutes = 90LL * 60 * 1000;
const QByteArray Work =
    "{\"command\":\"echo once >> /home/user/count; echo up; sleep 1; echo done; sleep 600\"}";
const QByteArray Count = "{\"command\":\"wc -l < /home/user/count\"}";

} // namespace

/// The network around a whole engine: a lid that closes, a company's proxy, no network at all.
class TestNetwork : public Tests::Test {
    Q_OBJECT
    std::unique_ptr<EngineFixture> f;
    std::shared_ptr<SleepyClock> m_clock;
    std::shared_ptr<NetworkSetup> m_setup;
    std::shared_ptr<std::atomic<int>> m_place; ///< 0: offline, else a network.

    [[nodiscard]] QStringList notes() const
    {
        QStringList all;
        for (const Json &payload : f->payloads(EventKind::Note)) {
            if (payload[u"about"].toString() == "connection"_L1)
                all.append(payload[u"text"].toString());
        }
        return all;
    }
    QString end()
    {
        const QString reason = f->waitForEnd();
        if (reason == "did not end"_L1) {
            for (const EventDelivery &delivery : std::as_const(f->events))
                qInfo("%s %s", qPrintable(eventKindName(delivery.event->kind)),
                      delivery.event->payload.left(300).constData());
        }
        return reason;
    }
    QByteArray allFiles() const
    {
        QByteArray all;
        QDirIterator files(f->folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.open(QIODevice::ReadOnly))
                all += file.readAll();
        }
        return all;
    }
    std::optional<Result<ServiceTest, Error>> testService()
    {
        std::optional<Result<ServiceTest, Error>> out;
        f->engine->testService(u"anthropic"_s, f.get(),
                               [&out](const Result<ServiceTest, Error> &result) { out = result; });
        (void)QTest::qWaitFor([&] { return out.has_value(); }, Patience);
        return out;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        m_clock = std::make_shared<SleepyClock>();
        m_place = std::make_shared<std::atomic<int>>(1);
        m_setup = std::make_shared<NetworkSetup>();
        m_setup->clock = m_clock;
        m_setup->routes = [place = m_place] {
            const int now = *place;
            return RouteState{now == 0 ? QString() : u"192.0.2.%1"_s.arg(now), {}};
        };
        m_setup->checksLoopback = true;
        f->options.network = m_setup;
        f->options.retries = true;
    }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f->closeEngine();
        f.reset();
    }

    /// The command ended while nobody could hear it. That is said, and it is not run again.
    void commandAcrossSleep()
    {
        f->startServices();
        f->openEngine();
        QSignalSpy reconnecting(f->engine.get(), &Engine::reconnecting);
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, Work));
        f->model.enqueue(ModelReply().call(u"t2"_s, u"bash"_s, Count));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        const QString conversation = f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s, 9), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::ToolOutput).isEmpty(), Patience);
        f->proxy->fallSilent();
        QElapsedTimer since;
        since.start();
        m_clock->sleep(NinetyMinutes);
        *m_place = 2;
        QTRY_COMPARE_WITH_TIMEOUT(notes().size(), 1, Patience);
        QVERIFY2(since.elapsed() < 5000, qPrintable(QString::number(since.elapsed())));
        QVERIFY2(notes().constFirst().contains(u"90 minutes"_s), qPrintable(notes().constFirst()));
        QVERIFY(notes().constFirst().contains(u"Reconnecting"_s));
        QTRY_COMPARE_WITH_TIMEOUT(reconnecting.size(), 2, Patience);
        QVERIFY2(since.elapsed() < 9000, qPrintable(QString::number(since.elapsed())));
        QVERIFY(reconnecting[0][0].toBool());
        QVERIFY(!reconnecting[1][0].toBool());
        QCOMPARE(end(), u"finished"_s);
        const QList<Json> results = f->payloads(EventKind::ToolResult);
        QCOMPARE(results.size(), 2);
        QCOMPARE(results[0][u"outcome"].toString(), u"unknown"_s);
        QCOMPARE(results[1][u"result"][u"stdout"].toString().trimmed(), u"1"_s);
        QCOMPARE(f->log.count(u"START"_s), 2);
        QVERIFY(f->model.bodies()[1].contains("Outcome unknown"));

        f->model.enqueue(ModelReply().text(u"Here I am."_s));
        f->submit(conversation, u"Are you there?"_s);
        QCOMPARE(end(), u"finished"_s);
        QCOMPARE(f->model.requests().size(), 4);
        QCOMPARE(f->log.count(u"START"_s), 2);
        QCOMPARE(f->payloads(EventKind::UserMessage).size(), 2);
    }

    /// A short nap: the connection is still there, and so is the command.
    void commandThatOutlivesSleep()
    {
        f->startServices();
        f->openEngine();
        QSignalSpy reconnecting(f->engine.get(), &Engine::reconnecting);
        f->model.enqueue(
            ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo up; sleep 6; echo done\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s, 9), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::ToolOutput).isEmpty(), Patience);
        m_clock->sleep(60'000);
        QTRY_COMPARE_WITH_TIMEOUT(reconnecting.size(), 2, Patience);
        QVERIFY(!reconnecting[1][0].toBool());
        QVERIFY(f->payloads(EventKind::ToolResult).isEmpty());
        QCOMPARE(end(), u"finished"_s);
        QCOMPARE(f->payloads(EventKind::ToolResult).constFirst()[u"outcome"].toString(), u"known"_s);
        QCOMPARE(f->payloads(EventKind::ToolResult).constFirst()[u"exitCode"].toInteger(-1), 0);
    }

    /// The answer broke off in the middle: it is asked for once more, and shown once.
    void answerAcrossSleep()
    {
        f->startServices();
        f->openEngine();
        f->model.enqueue(ModelReply().text(u"Half an answer"_s).holdBefore(4));
        f->model.enqueue(ModelReply().text(u"A whole answer."_s));
        f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s, 9), u"Go."_s);
        QTRY_VERIFY_WITH_TIMEOUT(!f->payloads(EventKind::TextDelta).isEmpty(), Patience);
        QElapsedTimer since;
        since.start();
        m_clock->sleep(NinetyMinutes);
        *m_place = 2;
        QTRY_COMPARE_WITH_TIMEOUT(notes().size(), 1, Patience);
        QVERIFY2(since.elapsed() < 5000, qPrintable(QString::number(since.elapsed())));
        QCOMPARE(end(), u"finished"_s);
        QCOMPARE(f->model.requests().size(), 2);
        QCOMPARE(f->model.bodies()[0], f->model.bodies()[1]);
        QCOMPARE(f->payloads(EventKind::Retry).size(), 1);
        QCOMPARE(f->payloads(EventKind::StepAbandoned).size(), 1);
        QCOMPARE(f->payloads(EventKind::TurnFinish).constFirst()[u"text"].toString(), u"A whole answer."_s);
        QCOMPARE(f->payloads(EventKind::UserMessage).size(), 1);
    }

    /// Nothing was running when the lid closed.
    void firstMessageAfterSleep()
    {
        f->startServices();
        f->openEngine();
        f->model.enqueue(ModelReply().text(u"One."_s));
        const QString conversation = f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s, 9), u"Go."_s);
        QCOMPARE(end(), u"finished"_s);
        f->proxy->fallSilent(); // What was kept for reuse is dead.
        m_clock->sleep(NinetyMinutes);
        *m_place = 2;
        f->model.enqueue(ModelReply().text(u"Two."_s));
        QElapsedTimer since;
        since.start();
        f->submit(conversation, u"Good morning."_s);
        QCOMPARE(end(), u"finished"_s);
        QVERIFY2(since.elapsed() < 5000, qPrintable(QString::number(since.elapsed())));
        QCOMPARE(f->model.requests().size(), 2);
        QCOMPARE(notes(), QStringList());
    }

    void proxyLogin_data()
    {
        QTest::addColumn<QString>("from");
        QTest::newRow("asked for and kept") << u"person"_s;
        QTest::newRow("declined") << u"declined"_s;
        QTest::newRow("from the environment") << u"environment"_s;
        QTest::newRow("wrong in the environment") << u"wrong environment"_s;
    }
    void proxyLogin()
    {
        QFETCH(QString, from);
        const QSslConfiguration before = QSslConfiguration::defaultConfiguration();
        const auto restore = qScopeGuard([&] { QSslConfiguration::setDefaultConfiguration(before); });
        QSslConfiguration trusting = before;
        trusting.setCaCertificates(QSslCertificate::fromData(testData(u"tls/root.pem"_s)));
        QSslConfiguration::setDefaultConfiguration(trusting);
        LoopbackServer service(testData(u"tls/service.pem"_s), testData(u"tls/service.key"_s));
        service.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{\"data\":[],\"has_more\":false}");
        });
        ConnectProxy proxy(service.port());
        proxy.setLogin("ann", "s3cret-word");
        m_setup->proxyFor = [setting = proxy.proxy()](const QUrl &) { return setting; };
        const QString origin = u"http://127.0.0.1:%1"_s.arg(proxy.port());
        f->environment[u"ANTHROPIC_BASE_URL"_s] = u"https://service.test"_s;
        auto contents = std::make_shared<MemoryKeychain::Contents>();
        f->options.keychain = [contents] { return std::make_unique<MemoryKeychain>(contents); };
        f->options.asksForProxyLogin = from == "person"_L1 || from == "declined"_L1;
        if (from.endsWith(u"environment"_s)) {
            f->environment[u"PILOTHOUSE_PROXY_USER"_s] = u"ann"_s;
            f->environment[u"PILOTHOUSE_PROXY_PASSWORD"_s] =
                from == "environment"_L1 ? u"s3cret-word"_s : u"wrong-word"_s;
        }
        f->openEngine();
        QList<bool> questions;
        connect(f->engine.get(), &Engine::proxyLoginWanted, f.get(), [&](const QString &who, bool refused) {
            QCOMPARE(who, origin);
            questions.append(refused);
            if (from == "declined"_L1)
                f->engine->declineProxy(who);
            else
                f->engine->answerProxy(who, u"ann"_s, Secret(refused ? "s3cret-word" : "wrong-word"),
                                       KeyRing::Place::Keychain);
        });
        const auto first = testService();
        QVERIFY(first.has_value());
        const QString words = *first ? QString() : first->error().toText();
        if (from == "person"_L1) {
            QVERIFY2(*first, qPrintable(words));
            QCOMPARE(questions, QList<bool>({false, true}));
            const KeyName name{u"proxy"_s, origin};
            QTRY_COMPARE_WITH_TIMEOUT(contents->keys.value(name), QByteArray("ann:s3cret-word"), Patience);
            f->closeEngine(); // The next start finds it, and asks nobody.
            f->options.asksForProxyLogin = false;
            f->openEngine();
            const auto second = testService();
            QVERIFY(second && *second);
            QCOMPARE(questions.size(), 2);
        } else if (from == "environment"_L1) {
            QVERIFY2(*first, qPrintable(words));
        } else {
            QVERIFY(!*first);
            QVERIFY2(words.contains(u"network proxy 127.0.0.1"_s), qPrintable(words));
            (void)testService(); // What a person begins anew may ask anew.
            QCOMPARE(questions.size(), from == "declined"_L1 ? 2 : 0);
            QVERIFY(service.requests().isEmpty());
        }
        // A wrong one was sent once and never again: accounts are locked for less.
        QCOMPARE(proxy.wrongLogins(), from == "person"_L1 || from == "wrong environment"_L1 ? 1 : 0);
        for (const char *secret : {"s3cret-word", "wrong-word"}) {
            QVERIFY(!words.contains(QString::fromLatin1(secret)));
            QVERIFY(!allFiles().contains(secret));
        }
    }

    /// What was said can be read, listed and exported; what needs a network says why it does not work.
    void offline()
    {
        f->startServices();
        f->openEngine();
        f->model.enqueue(ModelReply().text(u"Remember this."_s));
        const QString conversation = f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s, 9), u"Go."_s);
        QCOMPARE(end(), u"finished"_s);
        f->closeEngine();
        f->environment[u"ANTHROPIC_BASE_URL"_s] = u"https://models.pilothouse.invalid"_s;
        f->environment[u"SUPERSERVE_BASE_URL"_s] = u"https://sandbox.pilothouse.invalid"_s;
        m_setup->proxyFor = [](const QUrl &) { return QNetworkProxy(QNetworkProxy::NoProxy); };
        *m_place = 0;
        f->openEngine();

        HistoryService history(f->options.dataDir);
        std::optional<QList<ConversationSummary>> list;
        history.conversations(this, [&list](const Result<QList<ConversationSummary>, Error> &found) {
            list = found.value_or(QList<ConversationSummary>());
        });
        QTRY_VERIFY_WITH_TIMEOUT(list.has_value(), Patience);
        QCOMPARE(list->size(), 1);
        QString text;
        history.rowsBefore(conversation, std::numeric_limits<qint64>::max(), 100, this,
                           [&text](const Result<RowPage, Error> &page) {
                               for (const TranscriptRow &row : page ? page->rows : QList<TranscriptRow>())
                                   text += row.text;
                           });
        QTRY_VERIFY_WITH_TIMEOUT(text.contains(u"Remember this."_s), Patience);
        const QString file = f->folder.filePath(u"out.md"_s);
        bool isExported = false;
        history.exportConversation(
            conversation, HistoryService::ExportFormat::Markdown, file, this,
            [&isExported](const Result<Done, Error> &done) { isExported = done.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(isExported, Patience);
        QFile exported(file);
        QVERIFY(exported.open(QIODevice::ReadOnly));
        QVERIFY(exported.readAll().contains("Remember this."));

        f->events.clear();
        f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s, 9), u"And now?"_s);
        QCOMPARE(end(), u"sandbox-error"_s);
        const QList<Json> errors = f->payloads(EventKind::Error);
        QCOMPARE(errors.size(), 1);
        QVERIFY2(errors.constFirst()[u"message"].toString().contains(u"This computer is offline"_s),
                 errors.constFirst().toJson().constData());
        const auto tested = testService();
        QVERIFY(tested && !*tested);
        QVERIFY2(tested->error().toText().contains(u"offline"_s), qPrintable(tested->error().toText()));
    }
};

QTEST_GUILESS_MAIN(TestNetwork)
#include "tst_network.moc"
