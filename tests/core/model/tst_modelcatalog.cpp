// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelcatalog.h"
#include "model/providerregistry.h"
#include "model/scenario.h"
#include "net/networkaccess.h"
#include "support/testmain.h"

#include <QTemporaryFile>
#include <QTest>

#include <limits>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

using Variables = QHash<QString, QString>;

Usage makeUsage(qint64 input, qint64 output, std::optional<qint64> read = {},
                std::optional<qint64> write = {})
{
    Usage usage;
    usage.input = input;
    usage.output = output;
    usage.cacheRead = read;
    usage.cacheWrite = write;
    return usage;
}

} // namespace

class TestModelCatalog : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void names()
    {
        const auto name = ModelName::parse(u"openrouter/anthropic/claude"_s);
        QVERIFY(name);
        QCOMPARE(name->provider, u"openrouter"_s);
        QCOMPARE(name->model, u"anthropic/claude"_s);
        QCOMPARE(name->toString(), u"openrouter/anthropic/claude"_s);
        for (const QString &bad : {u""_s, u"claude"_s, u"/x"_s, u"x/"_s}) {
            const auto parsed = ModelName::parse(bad);
            QVERIFY(!parsed);
            QCOMPARE(parsed.error().kind, ErrorKind::Usage);
        }
    }

    void clients_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("kind"); // empty: a client
        QTest::addColumn<QString>("words");
        const auto row = [](const QString &name, const QString &variable, const QString &value,
                            const QString &kind, const QString &words) {
            QTest::addRow("%s %s %s", qPrintable(name), qPrintable(variable), qPrintable(value))
                << name << variable << value << kind << words;
        };
        row(u"demo/tour"_s, {}, {}, {}, u"scripted"_s);
        row(u"demo/nothing"_s, {}, {}, u"model"_s, u"demo/tour"_s);
        row(u"demo/../tour"_s, {}, {}, u"model"_s, u"no demo"_s);
        row(u"anthropic/claude-sonnet-5-5"_s, u"ANTHROPIC_API_KEY"_s, u"sk-test"_s, {},
            u"anthropic-messages"_s);
        row(u"anthropic/any-new-model"_s, u"ANTHROPIC_API_KEY"_s, u"sk-test"_s, {}, u"anthropic-messages"_s);
        row(u"anthropic/claude-sonnet-5-5"_s, {}, {}, u"key-missing"_s, u"ANTHROPIC_API_KEY"_s);
        row(u"anthropic/claude-sonnet-5-5"_s, u"ANTHROPIC_API_KEY"_s, u"  "_s, u"key-missing"_s,
            u"ANTHROPIC_API_KEY"_s);
        row(u"moonshotai/kimi-k3"_s, u"MOONSHOT_API_KEY"_s, u"k"_s, {}, u"anthropic-messages"_s);
        row(u"openai/gpt-5.5"_s, u"OPENAI_API_KEY"_s, u"k"_s, {}, u"openai-responses"_s);
        row(u"openai/gpt-5.5"_s, {}, {}, u"key-missing"_s, u"OPENAI_API_KEY"_s);
        row(u"google/gemini-3"_s, u"GOOGLE_API_KEY"_s, u"k"_s, {}, u"openai-chat"_s);
        row(u"openrouter/a/b"_s, u"OPENROUTER_API_KEY"_s, u"k"_s, {}, u"openai-chat"_s);
        row(u"ollama/qwen3:8b"_s, {}, {}, {}, u"openai-chat"_s);
        row(u"openai-compatible/x"_s, {}, {}, u"model"_s, u"OPENAI_COMPATIBLE_BASE_URL"_s);
        row(u"openai-compatible/x"_s, u"OPENAI_COMPATIBLE_BASE_URL"_s, u"http://127.0.0.1:9"_s, {},
            u"openai-chat"_s);
        row(u"nobody/x"_s, {}, {}, u"model"_s, u"anthropic"_s);
    }
    void clients()
    {
        QFETCH(QString, name);
        QFETCH(QString, variable);
        QFETCH(QString, value);
        QFETCH(QString, kind);
        QFETCH(QString, words);
        NetworkAccess network;
        ModelCatalog catalog(&network,
                             [&](const QString &asked) { return asked == variable ? value : QString(); }, {});
        const auto client = catalog.client(ModelName::parse(name).value());
        QCOMPARE(client.has_value(), kind.isEmpty());
        if (client) {
            QCOMPARE((*client)->protocol(), words);
            QCOMPARE((*client)->provider(), name.section(u'/', 0, 0));
        } else {
            QCOMPARE(errorKindName(client.error().kind), kind);
            QVERIFY2(client.error().toText().contains(words), qPrintable(client.error().toText()));
            QVERIFY(!client.error().todo.isEmpty());
        }
    }

    void badBaseUrls()
    {
        NetworkAccess network;
        QString base;
        ModelCatalog catalog(
            &network,
            [&](const QString &asked) { return asked == u"ANTHROPIC_BASE_URL"_s ? base : u"sk-secret"_s; },
            {});
        const ModelName name{u"anthropic"_s, u"x"_s};
        for (const QString &bad :
             {u"api.anthropic.com"_s, u"ftp://x"_s, u"https://"_s, u"https://me:pw@x.example"_s,
              u"https://x.example/?key=sk-secret"_s, u"http://x.example/#a"_s, u"sk-secret"_s}) {
            base = bad;
            const auto client = catalog.client(name);
            QVERIFY2(!client, qPrintable(bad));
            QVERIFY(client.error().message.contains(u"ANTHROPIC_BASE_URL"_s));
            QVERIFY(!client.error().toText().contains(u"secret"_s)
                    && !client.error().toText().contains(u"pw"_s));
        }
        for (const QString &good : {u""_s, u"http://127.0.0.1:1/"_s, u"https://x.example/anthropic/v1"_s}) {
            base = good;
            QVERIFY2(catalog.client(name), qPrintable(good));
        }
    }

    void defaults()
    {
        NetworkAccess network;
        Variables variables;
        ModelCatalog catalog(&network, [&](const QString &asked) { return variables.value(asked); }, {});
        QCOMPARE(catalog.defaultModel().toString(), u"demo/tour"_s);
        variables.insert(u"OPENAI_API_KEY"_s, u"k"_s);
        QCOMPARE(catalog.defaultModel().toString(), u"openai/gpt-5.5"_s);
        variables.insert(u"ANTHROPIC_API_KEY"_s, u"k"_s);
        QCOMPARE(catalog.defaultModel().toString(), u"anthropic/claude-sonnet-5-5"_s);
    }

    void customProviders_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("words"); // empty: fine
        const auto row = [](const QString &id, const QString &protocol, const QString &url,
                            const QString &words) {
            QTest::addRow("%s %s %s", qPrintable(id), qPrintable(protocol), qPrintable(url))
                << id << protocol << url << words;
        };
        const QString chat = u"openai-chat"_s;
        row(u"my-server"_s, chat, u"https://models.example.org/v1"_s, {});
        row(u"my-server"_s, u"openai-responses"_s, u"http://localhost:8000"_s, {});
        row(u"my-server"_s, u"anthropic-messages"_s, u" http://[::1]:9/a "_s, {});
        row(u"my-server"_s, chat, u"http://models.example.org"_s, u"base URL"_s);
        row(u"my-server"_s, chat, u"https://me:secret@x.example"_s, u"base URL"_s);
        row(u"my-server"_s, chat, u"https://x.example/?k=secret"_s, u"base URL"_s);
        row(u"my-server"_s, chat, u"secret"_s, u"base URL"_s);
        row(u"my-server"_s, u"google-generative"_s, u"https://x.example"_s, u"protocol"_s);
        row(u"My Server"_s, chat, u"https://x.example"_s, u"short name"_s);
        row(u"demo"_s, chat, u"https://x.example"_s, u"short name"_s);
        row(u""_s, chat, u"https://x.example"_s, u"short name"_s);
    }
    void customProviders()
    {
        QFETCH(QString, id);
        QFETCH(QString, protocol);
        QFETCH(QString, url);
        QFETCH(QString, words);
        const auto made = makeCustomProvider(id, u"Mine"_s, protocol, url);
        QCOMPARE(made.has_value(), words.isEmpty());
        if (!made) {
            QVERIFY2(made.error().message.contains(words), qPrintable(made.error().message));
            QVERIFY(!made.error().toText().contains(u"secret"_s) && !made.error().todo.isEmpty());
            return;
        }
        QCOMPARE(made->keyVariables, QStringList({u"MY_SERVER_API_KEY"_s}));
        NetworkAccess network;
        Variables variables{{u"MY_SERVER_API_KEY"_s, u"k"_s}};
        ModelCatalog catalog(&network, [&](const QString &asked) { return variables.value(asked); }, {});
        QVERIFY(!catalog.client({id, u"x"_s}));
        QVERIFY(catalog.addProvider(*made));
        QCOMPARE(catalog.client({id, u"x"_s}).value()->protocol(), protocol);
        QCOMPARE(catalog.endpoint(*made).value().key.reveal(), QByteArray("k"));
        variables.clear();
        QVERIFY(catalog.endpoint(*made).value().key.isEmpty());
        ProviderInfo taken = *made;
        taken.id = u"anthropic"_s;
        QVERIFY(!catalog.addProvider(taken));
        QVERIFY(!catalog.provider(u"anthropic"_s)->isCustom);
        taken.id = id;
        taken.name = u"Changed"_s;
        QVERIFY(catalog.addProvider(taken));
        QCOMPARE(catalog.provider(id)->name, u"Changed"_s);
    }

    void keysAreTriedInOrder()
    {
        NetworkAccess network;
        Variables variables{{u"GOOGLE_GENERATIVE_AI_API_KEY"_s, u"second"_s}};
        ModelCatalog catalog(&network, [&](const QString &asked) { return variables.value(asked); }, {});
        QCOMPARE(catalog.keyOf(*catalog.provider(u"google"_s)).reveal(), QByteArray("second"));
        variables.insert(u"GOOGLE_API_KEY"_s, u"first"_s);
        QCOMPARE(catalog.keyOf(*catalog.provider(u"google"_s)).reveal(), QByteArray("first"));
        QVERIFY(!catalog.provider(u"nobody"_s));
        QCOMPARE(catalog.provider(u"demo"_s)->protocol, u"scripted"_s);
    }

    void scriptsFromFiles()
    {
        NetworkAccess network;
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write(
            "{\"format\":1,\"name\":\"mine\",\"maxSteps\":7,\"turns\":[{\"steps\":[{\"events\":[]}]}]}");
        file.flush();
        ModelCatalog catalog(&network, {}, file.fileName());
        const auto client = catalog.client({u"demo"_s, u"script"_s});
        QVERIFY(client);
        QCOMPARE((*client)->ownMaxSteps(), 7);
        QVERIFY(catalog.client({u"demo"_s, u"script"_s}).value()
                == *client); // it counts the faults it has played

        ModelCatalog broken(&network, {}, u"/no/such/file.json"_s);
        const auto missing = broken.client({u"demo"_s, u"tour"_s});
        QVERIFY(!missing);
        QVERIFY(missing.error().message.contains(u"/no/such/file.json"_s));
    }

    void scenariosInMemory()
    {
        NetworkAccess network;
        ModelCatalog catalog(&network, {}, {});
        Scenario scenario;
        scenario.name = u"bench"_s;
        scenario.maxSteps = 200;
        catalog.addScenario(scenario);
        QCOMPARE(catalog.client({u"demo"_s, u"bench"_s}).value()->ownMaxSteps(), 200);
    }

    void cost_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Usage>("usage");
        QTest::addColumn<qint64>("nanos"); // -1: empty
        const QString sonnet =
            u"anthropic/claude-sonnet-5-5"_s; // in 2, out 10, read 0.1, write 2.5 dollars per million
        QTest::newRow("plain") << sonnet << makeUsage(1000, 10) << Q_INT64_C(2'100'000);
        QTest::newRow("cached") << sonnet << makeUsage(1000, 10, 800, 100)
                                << Q_INT64_C(200'000 + 80'000 + 250'000 + 100'000);
        QTest::newRow("nothing") << sonnet << makeUsage(0, 0, 0, 0) << Q_INT64_C(0);
        QTest::newRow("no usage") << sonnet << Usage() << Q_INT64_C(-1);
        QTest::newRow("more cached than there is") << sonnet << makeUsage(5, 1, 6) << Q_INT64_C(-1);
        QTest::newRow("overflow") << sonnet << makeUsage(std::numeric_limits<qint64>::max() / 2, 1)
                                  << Q_INT64_C(-1);
        QTest::newRow("dated id") << u"anthropic/claude-opus-4-5-20991231"_s << makeUsage(1, 0)
                                  << Q_INT64_C(5000);
        QTest::newRow("unknown model") << u"anthropic/claude-next"_s << makeUsage(1, 1) << Q_INT64_C(-1);
        QTest::newRow("unknown provider") << u"nobody/x"_s << makeUsage(1, 1) << Q_INT64_C(-1);
        // 3 dollars in and no price for writing: five quarters of it
        QTest::newRow("write price by rule")
            << u"moonshotai/kimi-k3"_s << makeUsage(100, 0, 0, 100) << Q_INT64_C(375'000);
        QTest::newRow("rounded") << u"minimax-cn/MiniMax-M3"_s << makeUsage(1, 0) << Q_INT64_C(314); // 0.3137
        QTest::newRow("demo") << u"demo/tour"_s << Usage() << Q_INT64_C(0);
    }
    void cost()
    {
        QFETCH(QString, name);
        QFETCH(Usage, usage);
        QFETCH(qint64, nanos);
        NetworkAccess network;
        const ModelCatalog catalog(&network, {}, {});
        QCOMPARE(catalog.costNanos(ModelName::parse(name).value(), usage).value_or(-1), nanos);
    }

    void registryIsSound()
    {
        const ProviderRegistry registry;
        QVERIFY(registry.providers().size() > 10);
        QStringList ids;
        for (const ProviderInfo &info : registry.providers()) {
            QVERIFY(!ids.contains(info.id));
            ids.append(info.id);
            QVERIFY(!info.name.isEmpty() && !info.keyVariables.isEmpty());
            QVERIFY2(QStringList({u"anthropic-messages"_s, u"openai-responses"_s, u"openai-chat"_s})
                         .contains(info.protocol),
                     qPrintable(info.id));
            const bool isLocal = NetworkAccess::isLoopback(info.baseUrl);
            QVERIFY2(info.baseUrl.isEmpty() ? !info.baseUrlVariable.isEmpty()
                                            : isLocal || info.baseUrl.scheme() == "https"_L1,
                     qPrintable(info.id));
            QCOMPARE(info.needsKey, !isLocal && !info.baseUrl.isEmpty());
            QVERIFY(!info.isCustom);
        }
        for (const QString &local : {u"ollama"_s, u"llamacpp"_s, u"vllm"_s, u"lmstudio"_s})
            QVERIFY(registry.provider(local)->isCommon);
        const ModelFacts *facts = registry.model({u"anthropic"_s, u"claude-sonnet-5-5"_s});
        QCOMPARE(facts->context, 1'000'000);
        QVERIFY(facts->images.value_or(false) && facts->reasoning.value_or(false));
        QCOMPARE(registry.model({u"anthropic"_s, u"claude-haiku-4-5"_s})->maxOutput, 64'000);
    }
};

QTEST_GUILESS_MAIN(TestModelCatalog)
#include "tst_modelcatalog.moc"
