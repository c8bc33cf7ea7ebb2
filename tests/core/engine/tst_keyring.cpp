// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/appsettings.h"
#include "enginefixture.h"
#include "support/memorykeychain.h"
#include "support/testmain.h"

#include <QDirIterator>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::EngineFixture;
using Tests::MemoryKeychain;

namespace {

constexpr int Patience = 30'000;
constexpr auto Key = "sk-ant-kept-0123456789-0123456789-0123456789";
const auto Anthropic = u"anthropic"_s;
const auto Variable = u"ANTHROPIC_API_KEY"_s;

} // namespace

/// Keys in the engine: from where, for which address, and what a keychain that does not give one means.
class TestKeyRing : public Tests::Test {
    Q_OBJECT
    std::unique_ptr<EngineFixture> f;
    std::shared_ptr<MemoryKeychain::Contents> m_contents;

    void open()
    {
        f->options.keychain = [contents = m_contents] { return std::make_unique<MemoryKeychain>(contents); };
        f->openEngine();
    }
    ServiceInfo service(const QString &id = Anthropic)
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
    /// What the engine answered: empty for done.
    template <typename Call>
    std::optional<Error> answer(Call call)
    {
        std::optional<Result<Done, Error>> out;
        call([&out](const Result<Done, Error> &result) { out = result; });
        (void)QTest::qWaitFor([&] { return out.has_value(); }, Patience);
        if (!out)
            return Error{ErrorKind::Internal, u"no reply"_s, {}, {}};
        return *out ? std::nullopt : std::optional<Error>(out->error());
    }
    std::optional<Error> enter(const QByteArray &key, KeyRing::Place place)
    {
        return answer([&](auto reply) {
            f->engine->enterKey(Anthropic, Variable, Secret(key), place, f.get(), reply);
        });
    }
    std::optional<Error> forget()
    {
        return answer([&](auto reply) { f->engine->forgetKey(Anthropic, Variable, f.get(), reply); });
    }
    KeyName name() const
    {
        return {Anthropic, originOf(QUrl(f->environment.value(u"ANTHROPIC_BASE_URL"_s)))};
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
    QString turn()
    {
        f->model.enqueue(Tests::ModelReply().text(u"Done."_s));
        f->begin(EngineFixture::settings(u"keys"_s, u"Work."_s, {u"bash"_s}, u"keep"_s), u"Go."_s);
        return f->waitForEnd();
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        f->startServices();
        f->environment.remove(Variable);
        m_contents = std::make_shared<MemoryKeychain::Contents>();
    }
    void cleanup() { f.reset(); }

    void aKeptKeyIsThereAfterAStartAndGoesToItsAddressOnly()
    {
        open();
        QCOMPARE(service().keySource, ServiceInfo::KeySource::None);
        QVERIFY(service().canKeep);
        QVERIFY(!enter(Key, KeyRing::Place::Keychain));
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Keychain);
        QCOMPARE(m_contents->keys.value(name()), QByteArray(Key));
        QCOMPARE(turn(), u"finished"_s);
        f->closeEngine();
        QVERIFY(!allFiles().contains(Key));

        open(); // The first turn waits for the keychain.
        QCOMPARE(turn(), u"finished"_s);
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Keychain);
        QCOMPARE(m_contents->reads, 1);
        f->closeEngine();

        // The same service at another address has no key.
        const QString own = f->environment.value(u"ANTHROPIC_BASE_URL"_s);
        f->environment[u"ANTHROPIC_BASE_URL"_s] = u"https://proxy.example.com"_s;
        open();
        QCOMPARE(service().keySource, ServiceInfo::KeySource::None);
        QCOMPARE(service().keyWithheld, Variable);
        f->closeEngine();
        f->environment[u"ANTHROPIC_BASE_URL"_s] = own;
        open();
        QVERIFY(!forget());
        QVERIFY(m_contents->keys.isEmpty());
        QCOMPARE(service().keySource, ServiceInfo::KeySource::None);
        f->closeEngine();
        m_contents->reads = 0;
        open();
        QCOMPARE(service().keySource, ServiceInfo::KeySource::None);
        QCOMPARE(m_contents->reads, 0); // It is not asked for what it does not have.
    }

    void theEnvironmentComesBeforeTheKeychainAndTheSessionBeforeBoth()
    {
        open();
        QVERIFY(!enter(Key, KeyRing::Place::Keychain));
        f->closeEngine();
        f->environment[Variable] = u"sk-ant-environment"_s;
        open();
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Environment);
        QVERIFY(!enter("sk-ant-session", KeyRing::Place::Session));
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Session);
        QVERIFY(!forget()); // What was entered goes first.
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Environment);
        QCOMPARE(m_contents->keys.size(), 1);
        QVERIFY(!enter("sk-ant-session", KeyRing::Place::Session));
        std::optional<Error> problem =
            answer([&](auto reply) { f->engine->keepKey(Anthropic, Variable, f.get(), reply); });
        QVERIFY(!problem);
        QCOMPARE(m_contents->keys.value(name()), QByteArray("sk-ant-session"));
        problem = answer([&](auto reply) { f->engine->keepKey(Anthropic, Variable, f.get(), reply); });
        QVERIFY(problem && problem->message.contains(u"No key was entered"_s));
    }

    void whatTheKeychainRefusesIsSaidAndTheSessionGoesOn_data()
    {
        QTest::addColumn<KeychainFault::Kind>("kind");
        QTest::newRow("none") << KeychainFault::Kind::None;
        QTest::newRow("locked") << KeychainFault::Kind::Locked;
        QTest::newRow("dismissed") << KeychainFault::Kind::Dismissed;
        QTest::newRow("no result") << KeychainFault::Kind::NoResult;
        QTest::newRow("failed") << KeychainFault::Kind::Failed;
    }
    void whatTheKeychainRefusesIsSaidAndTheSessionGoesOn()
    {
        QFETCH(KeychainFault::Kind, kind);
        open();
        m_contents->fault = KeychainFault{kind, {}};
        std::optional<Error> problem = enter(Key, KeyRing::Place::Keychain);
        QVERIFY(problem);
        QCOMPARE(problem->message, keychainError({kind, {}}).message);
        QVERIFY(problem->kept.startsWith(u"The key is in use until the program ends."_s));
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Session);
        QCOMPARE(turn(), u"finished"_s);
        // "Try again", when it is open.
        m_contents->fault.reset();
        QVERIFY(!answer([&](auto reply) { f->engine->keepKey(Anthropic, Variable, f.get(), reply); }));
        QCOMPARE(service().keySource, ServiceInfo::KeySource::Keychain);
        f->closeEngine();

        // At a start: the turn says why there is no key, and that it is in the keychain.
        m_contents->fault = KeychainFault{kind, {}};
        open();
        f->begin(EngineFixture::settings(u"keys"_s, u"Work."_s, {u"bash"_s}, u"keep"_s), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        const QList<Json> errors = f->payloads(EventKind::Error);
        QVERIFY(!errors.isEmpty());
        QCOMPARE(errors.last()[u"message"].toString(), keychainError({kind, {}}).message);
        QVERIFY(service().keyProblem);
        QCOMPARE(service().keyWithheld, QString());
        // Forgetting fails as plainly, and nothing is lost.
        problem = forget();
        QVERIFY(problem && problem->kept.contains(u"still in the keychain"_s));
        QCOMPARE(m_contents->keys.size(), 1);
        m_contents->fault.reset();
        f->engine->loadKeys();
        QTRY_COMPARE_WITH_TIMEOUT(service().keySource, ServiceInfo::KeySource::Keychain, Patience);
        QCOMPARE(turn(), u"finished"_s);
    }

    // It hangs in a question to the person: nothing else waits for it.
    void aSilentKeychainHoldsNothingUp()
    {
        open();
        QVERIFY(!enter(Key, KeyRing::Place::Keychain));
        f->closeEngine();
        m_contents->isSilent = true;
        open();
        QTRY_VERIFY_WITH_TIMEOUT(service().isKeychainSlow, Patience);
        QVERIFY(service().keyProblem && service().keyProblem->message.contains(u"not answered yet"_s));
        f->begin(EngineFixture::settings(u"keys"_s, u"Work."_s, {u"bash"_s}, u"keep"_s), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QVERIFY(!enter("sk-ant-other", KeyRing::Place::Session)); // One of the three ways on.
        QCOMPARE(turn(), u"finished"_s);
        // To forget that one does not reach for the kept one, which nobody could read meanwhile.
        QVERIFY(!forget());
        QCOMPARE(m_contents->keys.value(name()), QByteArray(Key));
        QCOMPARE(service().keySource, ServiceInfo::KeySource::None);
    }

    // Of the many that come with the program a person sees those that she uses; a key fits each of them.
    void aProviderThatIsSeldomUsedTakesAKeyToo()
    {
        const auto Seldom = u"abacus"_s;
        open();
        QVERIFY(service(Seldom).id.isEmpty());
        AppSettings(f->options.dataDir).setShownProviders({Seldom, u"no-such"_s});
        QCOMPARE(service(Seldom).keySource, ServiceInfo::KeySource::None);
        QVERIFY(service(Seldom).isChosen);
        QVERIFY(!service(u"anthropic"_s).isChosen);
        QVERIFY(!answer([&](auto reply) {
            f->engine->enterKey(Seldom, {}, Secret("key-of-it"), KeyRing::Place::Keychain, f.get(), reply);
        }));
        QCOMPARE(service(Seldom).keySource, ServiceInfo::KeySource::Keychain);
        QVERIFY(!service(Seldom).isChosen); // Its key is reason enough.
        AppSettings(f->options.dataDir).setShownProviders({});
        QCOMPARE(service(Seldom).id, Seldom); // What has a key stays.
        AppSettings(f->options.dataDir).setModel(u"302ai/some-model"_s);
        QCOMPARE(service(u"302ai"_s).id, u"302ai"_s); // New conversations want its key.
    }
};

QTEST_GUILESS_MAIN(TestKeyRing)
#include "tst_keyring.moc"
