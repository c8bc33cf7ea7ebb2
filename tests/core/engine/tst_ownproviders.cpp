// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/appsettings.h"
#include "engine/machinechoices.h"
#include "enginefixture.h"
#include "support/loopbackserver.h"
#include "support/memorykeychain.h"
#include "support/testmain.h"

#include <QDirIterator>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using namespace Pilothouse::Tests;

namespace {
constexpr int Patience = 30'000;
constexpr auto OwnKey = "sk-own-0123456789-0123456789-0123456789-abcd";
} // namespace

/// Providers of a person's own, servers on this computer, and what new machines are made with.
class TestOwnProviders : public Tests::Test {
    Q_OBJECT
    std::unique_ptr<EngineFixture> f;
    std::unique_ptr<LoopbackServer> m_server;

    QString replied(const std::function<void(std::function<void(const Result<Done, Error> &)>)> &call)
    {
        QString text;
        call([&text](const Result<Done, Error> &done) { text = done ? u"ok"_s : done.error().toText(); });
        return QTest::qWaitFor([&] { return !text.isEmpty(); }, Patience) ? text : u"no reply"_s;
    }
    QString set(const CustomProvider &provider, bool isNew = true)
    {
        return replied([&](auto reply) { f->engine->setProvider(provider, isNew, f.get(), reply); });
    }
    QString remove(const QString &id)
    {
        return replied([&](auto reply) { f->engine->removeProvider(id, f.get(), reply); });
    }
    QString enterKey(const QString &id)
    {
        return replied([&](auto reply) {
            f->engine->enterKey(id, {}, Secret(QByteArray(OwnKey)), KeyRing::Place::Keychain, f.get(), reply);
        });
    }
    QString tested(const QString &id)
    {
        QString text;
        f->engine->testService(id, f.get(), [&text](const Result<ServiceTest, Error> &result) {
            text = result ? result->seen : result.error().toText();
        });
        return QTest::qWaitFor([&] { return !text.isEmpty(); }, Patience) ? text : u"no reply"_s;
    }
    QList<FoundServer> look()
    {
        std::optional<QList<FoundServer>> found;
        f->engine->findLocalServers(f.get(),
                                    [&found](const QList<FoundServer> &servers) { found = servers; });
        (void)QTest::qWaitFor([&] { return found.has_value(); }, Patience);
        return found.value_or(QList<FoundServer>());
    }
    ServiceInfo service(const QString &id)
    {
        QList<ServiceInfo> services;
        f->engine->services(f.get(), [&services](const QList<ServiceInfo> &found) { services = found; });
        (void)QTest::qWaitFor([&] { return !services.isEmpty(); }, Patience);
        for (const ServiceInfo &info : std::as_const(services)) {
            if (info.id == id)
                return info;
        }
        return {};
    }
    ConversationSettings defaults()
    {
        std::optional<ConversationSettings> out;
        f->engine->defaults(f.get(), [&out](const ConversationSettings &settings) { out = settings; });
        (void)QTest::qWaitFor([&] { return out.has_value(); }, Patience);
        return out.value_or(ConversationSettings());
    }
    [[nodiscard]] CustomProvider mine(const QString &id = u"my-server"_s) const
    {
        return {id, u"My server"_s, u"openai-chat"_s, m_server->url("/v1").toString(), {}, {}};
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

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        m_server = std::make_unique<LoopbackServer>();
        m_server->setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(
                200,
                "{\"object\":\"list\",\"data\":["
                "{\"id\":\"able\",\"supported_parameters\":[\"tools\"],\"context_length\":9000},"
                "{\"id\":\"unable\",\"supported_parameters\":[\"temperature\"]}]}");
        });
        f->options.keychain = [contents = std::make_shared<MemoryKeychain::Contents>()] {
            return std::make_unique<MemoryKeychain>(contents);
        };
    }
    void cleanup()
    {
        f->closeEngine();
        f.reset();
        m_server.reset();
    }

    void oneIsAddedAskedKeptAndRemoved()
    {
        f->openEngine();
        QCOMPARE(set(mine()), u"ok"_s);
        QVERIFY2(set(mine()).contains(u"already"_s), qPrintable(set(mine())));
        ServiceInfo info = service(u"my-server"_s);
        QVERIFY(info.isOwn);
        QCOMPARE(info.name, u"My server"_s);
        QCOMPARE(info.keySource, ServiceInfo::KeySource::NotNeeded);
        QCOMPARE(info.keyVariables, QStringList(u"MY_SERVER_API_KEY"_s));

        QVERIFY2(tested(u"my-server"_s).startsWith(u"answers, 2 models"_s),
                 qPrintable(tested(u"my-server"_s)));
        QVERIFY(!m_server->requests().last().hasHeader("Authorization"));
        info = service(u"my-server"_s);
        QCOMPARE(info.models, (QStringList{u"able"_s, u"unable"_s}));
        QCOMPARE(info.withoutTools, QStringList(u"unable"_s));
        QCOMPARE(info.contextOf(u"able"_s), std::optional<qint64>(9000));
        QVERIFY(!info.contextOf(u"unable"_s));

        QCOMPARE(enterKey(u"my-server"_s), u"ok"_s);
        QVERIFY(tested(u"my-server"_s).startsWith(u"answers"_s));
        QCOMPARE(m_server->requests().last().header("Authorization"), QByteArray("Bearer ") + OwnKey);

        // All of it is there after a new start, and no file holds the key.
        f->closeEngine();
        QVERIFY(!allFiles().contains(OwnKey));
        QVERIFY(allFiles().contains("my-server"));
        f->openEngine();
        QTRY_COMPARE_WITH_TIMEOUT(service(u"my-server"_s).keySource, ServiceInfo::KeySource::Keychain,
                                  Patience);
        QCOMPARE(service(u"my-server"_s).models, (QStringList{u"able"_s, u"unable"_s}));
        QCOMPARE(service(u"my-server"_s).withoutTools, QStringList(u"unable"_s));

        QCOMPARE(remove(u"my-server"_s), u"ok"_s);
        QVERIFY(service(u"my-server"_s).id.isEmpty());
        QVERIFY(remove(u"my-server"_s).contains(u"no such provider"_s));
        QCOMPARE(set(mine()), u"ok"_s); // Another one of that name begins without a key.
        QCOMPARE(service(u"my-server"_s).keySource, ServiceInfo::KeySource::NotNeeded);
    }

    // A key stays with the address it was given for.
    void anotherAddressGetsNoKey()
    {
        f->environment[u"MY_SERVER_API_KEY"_s] = QString::fromLatin1(OwnKey);
        f->openEngine();
        QCOMPARE(set(mine()), u"ok"_s);
        QVERIFY(tested(u"my-server"_s).startsWith(u"answers"_s));
        QVERIFY(!m_server->requests().last().hasHeader("Authorization")); // One of the environment.
        QCOMPARE(enterKey(u"my-server"_s), u"ok"_s);
        LoopbackServer other;
        other.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{\"data\":[{\"id\":\"x\"}]}");
        });
        CustomProvider moved = mine();
        moved.url = other.url("/v1").toString();
        QCOMPARE(set(moved, false), u"ok"_s);
        QVERIFY(tested(u"my-server"_s).startsWith(u"answers"_s));
        QCOMPARE(other.requests().size(), 1);
        QVERIFY(!other.requests().last().hasHeader("Authorization"));
        QCOMPARE(service(u"my-server"_s).models, QStringList(u"x"_s));
        QCOMPARE(set(mine(), false), u"ok"_s); // And back.
        QVERIFY(tested(u"my-server"_s).startsWith(u"answers"_s));
        QVERIFY(m_server->requests().last().hasHeader("Authorization"));
    }

    void whatIsWrongIsNamed_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("said");
        const QString chat = u"openai-chat"_s;
        const QString url = u"https://models.example.org/v1"_s;
        QTest::newRow("capital") << u"My"_s << chat << url << u"short name"_s;
        QTest::newRow("shipped") << u"anthropic"_s << chat << url << u"taken"_s;
        QTest::newRow("sandboxes") << u"superserve"_s << chat << url << u"taken"_s;
        QTest::newRow("local") << u"local"_s << chat << url << u"taken"_s;
        QTest::newRow("demo") << u"demo"_s << chat << url << u"short name"_s;
        // GOOGLE_GENERATIVE_AI_API_KEY is the key of another service.
        QTest::newRow("key of another") << u"google.generative-ai"_s << chat << url << u"taken"_s;
        QTest::newRow("protocol") << u"mine"_s << u"smtp"_s << url << u"protocol"_s;
        QTest::newRow("plain http") << u"mine"_s << chat << u"http://models.example.org/v1"_s
                                    << u"base URL"_s;
        QTest::newRow("password") << u"mine"_s << chat << u"https://a:b@example.org/v1"_s << u"base URL"_s;
        QTest::newRow("file") << u"mine"_s << chat << u"file:///etc/passwd"_s << u"base URL"_s;
        QTest::newRow("nothing") << u"mine"_s << chat << QString() << u"base URL"_s;
    }
    void whatIsWrongIsNamed()
    {
        QFETCH(QString, id);
        QFETCH(QString, protocol);
        QFETCH(QString, url);
        QFETCH(QString, said);
        f->openEngine();
        const QString reply = set({id, u"Name"_s, protocol, url, {}, {}});
        QVERIFY2(reply.contains(said) && reply.contains(u"Nothing was changed."_s), qPrintable(reply));
        QVERIFY2(!reply.contains(u"a:b"_s), qPrintable(reply));
        QVERIFY(AppSettings(f->options.dataDir).providers().isEmpty());
    }

    void twoCannotShareAKey()
    {
        f->openEngine();
        QCOMPARE(set(mine(u"my-server"_s)), u"ok"_s);
        QVERIFY(set(mine(u"my.server"_s)).contains(u"taken"_s)); // MY_SERVER_API_KEY, both.
        CustomProvider odd = mine(u"other"_s);
        odd.models = {u"fine"_s, u"not fine"_s};
        QVERIFY(set(odd).contains(u"no name of a model"_s));
        QVERIFY(set(mine(u"third"_s), false).contains(u"no provider"_s));
    }

    // Only what was pressed for: the places that are named, once each, without a key.
    void serversOnThisComputerAreFound()
    {
        LoopbackServer silent;
        silent.setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->respond(404, "{}"); });
        f->environment[u"OLLAMA_BASE_URL"_s] = m_server->url("/v1").toString();
        f->options.localModelUrls = {m_server->url("/v1").toString(), silent.url("/v1").toString()};
        f->openEngine();
        QVERIFY(m_server->requests().isEmpty());
        QList<FoundServer> found = look();
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.first().service, u"ollama"_s);
        QCOMPARE(found.first().models, (QStringList{u"able"_s, u"unable"_s}));
        QCOMPARE(found.first().withoutTools, QStringList(u"unable"_s));
        QCOMPARE(m_server->requests().size(), 1);
        QCOMPARE(silent.requests().size(), 1);
        QCOMPARE(service(u"ollama"_s).models, (QStringList{u"able"_s, u"unable"_s}));

        // At an address that nobody has it becomes one of the person's own.
        f->closeEngine();
        f->environment.remove(u"OLLAMA_BASE_URL"_s);
        f->openEngine();
        found = look();
        QCOMPARE(found.size(), 1);
        QVERIFY(found.first().service.isEmpty());
        QCOMPARE(set(found.first().proposed), u"ok"_s);
        QCOMPARE(service(found.first().proposed.id).withoutTools, QStringList(u"unable"_s));
        found = look();
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.first().service, u"local-%1"_s.arg(m_server->port()));
    }

    void lengthsOfTime_data()
    {
        QTest::addColumn<bool>("paused");
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("seconds"); // -2: nobody chose; -3: refused.
        QTest::newRow("nothing") << false << u"  "_s << qint64(-2);
        QTest::newRow("seconds") << false << u"90s"_s << qint64(90);
        QTest::newRow("minutes") << false << u"30 min"_s << qint64(1800);
        QTest::newRow("hours") << false << u"2H"_s << qint64(7200);
        QTest::newRow("a week") << false << u"7d"_s << qint64(604800);
        QTest::newRow("more") << false << u"8d"_s << qint64(-3);
        QTest::newRow("none at all") << false << u"0s"_s << qint64(-3);
        QTest::newRow("at once") << true << u"0s"_s << qint64(0);
        QTest::newRow("30 days") << true << u"30d"_s << qint64(2592000);
        QTest::newRow("31 days") << true << u"31d"_s << qint64(-3);
        QTest::newRow("never") << true << u"Never"_s << ConversationSettings::NoLimit;
        QTest::newRow("no unit") << false << u"90"_s << qint64(-3);
        QTest::newRow("minus") << false << u"-5m"_s << qint64(-3);
        QTest::newRow("huge") << false << u"99999999999d"_s << qint64(-3);
        QTest::newRow("words") << false << u"an hour"_s << qint64(-3);
    }
    void lengthsOfTime()
    {
        QFETCH(bool, paused);
        QFETCH(QString, text);
        QFETCH(qint64, seconds);
        const TimeLimit which = paused ? TimeLimit::Paused : TimeLimit::Active;
        const auto checked = checkedTimeLimit(which, text);
        QCOMPARE(checked ? checked->value_or(-2) : -3, seconds);
        if (checked) // Written and read again it is the same.
            QCOMPARE(checkedTimeLimit(which, timeLimitText(*checked)).value_or(std::nullopt), *checked);
        else
            QVERIFY(!checked.error().todo.isEmpty());
    }

    void hosts()
    {
        const auto good = checkedHosts(u"PyPI.org, *.pythonhosted.org\n203.0.113.7; 10.0.0.0/8 pypi.org"_s);
        QVERIFY(good);
        QCOMPARE(*good,
                 (QStringList{u"pypi.org"_s, u"*.pythonhosted.org"_s, u"203.0.113.7"_s, u"10.0.0.0/8"_s}));
        QVERIFY(checkedHosts({})->isEmpty());
        for (const QString &bad : {u"https://pypi.org"_s, u"pypi.org/simple"_s, u"pypi.org:443"_s, u"*"_s,
                                   u"*.*.org"_s, u"-x.org"_s, u"300.1.1.1"_s, u"1.2.3"_s, u"10.0.0.0/33"_s,
                                   u"10.0.0.0/"_s, u"::1"_s, u"a..b"_s, u"b\u00fccher.example"_s}) {
            const auto checked = checkedHosts(u"fine.example "_s + bad);
            QVERIFY2(!checked, qPrintable(bad));
            QVERIFY2(checked.error().message.contains(bad), qPrintable(checked.error().message));
        }
        QVERIFY(checkedTemplate(u" superserve/python-3.11 "_s).value_or({}) == "superserve/python-3.11"_L1);
        QVERIFY(checkedTemplate({}));
        for (const QString &bad : {u"a b"_s, u"../x"_s, u"a/b/c"_s, u"/a"_s, QString(u"x"_s.repeated(200))})
            QVERIFY2(!checkedTemplate(bad), qPrintable(bad));
    }

    // What is stored is for machines of the hosted service, and for nothing else.
    void choicesGoIntoNewConversations()
    {
        MachineChoices choices{
            u"superserve/base"_s, 7200, ConversationSettings::NoLimit, true, {u"pypi.org"_s}};
        f->startServices();
        f->openEngine();
        AppSettings(f->options.dataDir).setMachines(choices);
        QCOMPARE(AppSettings(f->options.dataDir).machines(), choices);
        const ConversationSettings settings = defaults();
        QCOMPARE(settings.backend, u"superserve"_s);
        QCOMPARE(settings.sandboxTemplate, u"superserve/base"_s);
        QCOMPARE(settings.sandboxTimeoutSeconds, std::optional<qint64>(7200));
        QCOMPARE(settings.network.allowOut, QStringList(u"pypi.org"_s));
        QCOMPARE(settings.network.denyOut, QStringList(u"0.0.0.0/0"_s));

        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(EngineFixture::settings(u"s"_s, {}, {u"bash"_s}, u"keep"_s), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        const Json body = parseJson(f->body("POST")).value_or(Json());
        QCOMPARE(body[u"timeout_seconds"].toInteger(0), 7200);
        QVERIFY(!body.contains(u"auto_delete_seconds"));
        QCOMPARE(body[u"network"].toJson(),
                 QByteArray("{\"allow_out\":[\"pypi.org\"],\"deny_out\":[\"0.0.0.0/0\"]}"));

        choices.allowed.clear(); // Only these, and there are none.
        AppSettings(f->options.dataDir).setMachines(choices);
        QCOMPARE(AppSettings(f->options.dataDir).machines(), choices);
        QCOMPARE(defaults().network, (SandboxNetwork{{}, {u"0.0.0.0/0"_s}}));
        AppSettings(f->options.dataDir).setBackend(u"local"_s);
        QCOMPARE(defaults().backend, u"local"_s);
        QVERIFY(defaults().sandboxTemplate.isEmpty());
        QCOMPARE(defaults().network, SandboxNetwork());
    }
};

QTEST_GUILESS_MAIN(TestOwnProviders)
#include "tst_ownproviders.moc"
