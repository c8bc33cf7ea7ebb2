// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/appsettings.h"
#include "engine/endpoints.h"
#include "enginefixture.h"
#include "support/testmain.h"

#include <QTest>

#include <optional>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {
constexpr int Patience = 20'000;
}

/// What a person does to conversations and their machines between turns.
class TestHandwork : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    QString finishedTurn()
    {
        f->model.enqueue(ModelReply().text(u"Done."_s));
        const QString id =
            f->begin(EngineFixture::settings(u"hand"_s, u"Work."_s, {u"bash"_s}, u"keep"_s, 7), u"Go."_s);
        if (f->waitForEnd() != "finished"_L1)
            qWarning("the turn did not finish");
        return id;
    }
    QString change(const QString &id, MachineChange what)
    {
        QString problem = u"no reply"_s;
        f->engine->changeMachine(id, what, f.get(), [&problem](const Result<Done, Error> &done) {
            problem = done ? QString() : done.error().message;
        });
        (void)QTest::qWaitFor([&] { return problem != u"no reply"_s; }, Patience);
        return problem;
    }
    ServiceInfo service(const QString &id)
    {
        std::optional<ServiceInfo> found;
        f->engine->services(f.get(), [&](const QList<ServiceInfo> &list) {
            found = ServiceInfo();
            for (const ServiceInfo &info : list) {
                if (info.id == id)
                    found = info;
            }
        });
        (void)QTest::qWaitFor([&] { return found.has_value(); }, Patience);
        return found.value_or(ServiceInfo());
    }
    QStringList machineStates() const
    {
        QStringList states;
        for (const Json &payload : f->payloads(EventKind::SandboxState))
            states.append(payload[u"state"].toString());
        return states;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        f->startServices();
        f->openEngine();
    }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f.reset();
    }

    void aDuplicateHasTheSettingsAndNothingElse()
    {
        const QString id = finishedTurn();
        QString copy;
        f->engine->duplicate(id, u"Work (copy)"_s, f.get(), [&copy](const Result<QString, Error> &made) {
            copy = made ? *made : made.error().message;
        });
        QTRY_VERIFY_WITH_TIMEOUT(!copy.isEmpty(), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::ConversationCreated).size(), 2, Patience);
        const Json first = f->payloads(EventKind::ConversationCreated).at(0);
        const Json second = f->payloads(EventKind::ConversationCreated).at(1);
        QCOMPARE(second[u"title"].toString(), u"Work (copy)"_s);
        for (const QString &member : {u"provider"_s, u"model"_s, u"backend"_s, u"instructions"_s, u"tools"_s,
                                      u"afterTurn"_s, u"maxSteps"_s, u"approval"_s})
            QCOMPARE(second[member].toJson(), first[member].toJson());
        int events = 0;
        for (const EventDelivery &delivery : f->events)
            events += delivery.event->conversation == copy;
        QCOMPARE(events, 1);
        f->engine->duplicate(
            u"00000000-0000-4000-8000-000000000000"_s, {}, f.get(),
            [&copy](const Result<QString, Error> &made) { copy = made ? u"made"_s : u"refused"_s; });
        QTRY_COMPARE_WITH_TIMEOUT(copy, u"refused"_s, Patience);
    }

    void aMachineIsPausedResumedAndDeletedAndTheLogSaysSo()
    {
        const QString id = finishedTurn();
        const qsizetype before = machineStates().size();
        QCOMPARE(change(id, MachineChange::Pause), QString());
        QCOMPARE(change(id, MachineChange::Resume), QString());
        QCOMPARE(change(id, MachineChange::Delete), QString());
        QTRY_COMPARE_WITH_TIMEOUT(
            machineStates().mid(before),
            (QStringList{u"pausing"_s, u"paused"_s, u"resuming"_s, u"active"_s, u"deleting"_s, u"deleted"_s}),
            Patience);
        QVERIFY(change(id, MachineChange::Pause).contains(u"no machine"_s));
        // The next turn makes a new one.
        f->model.enqueue(ModelReply().text(u"Again."_s));
        f->submit(id, u"Go on."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QVERIFY(machineStates().contains(u"creating"_s));
        QCOMPARE(machineStates().last(), u"active"_s);
    }

    void aMachineIsLeftAloneWhileATurnRuns()
    {
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"sleep 60\"}"));
        const QString id =
            f->begin(EngineFixture::settings(u"hand"_s, u"Work."_s, {u"bash"_s}, u"delete"_s, 7), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::ToolStart).size(), 1, Patience);
        const qsizetype before = machineStates().size();
        QVERIFY(change(id, MachineChange::Delete).contains(u"A turn runs"_s));
        QCOMPARE(machineStates().size(), before);
        f->engine->stop(id);
        QCOMPARE(f->waitForEnd(), u"stopped"_s);
    }

    void storedChoicesComeAfterTheEnvironment()
    {
        AppSettings stored(f->engine->dataDir());
        stored.setModel(u"demo/tour"_s);
        stored.setAfterTurn(u"keep"_s);
        stored.setMaxSteps(33);
        ConversationSettings got;
        f->engine->defaults(f.get(), [&got](const ConversationSettings &settings) { got = settings; });
        QTRY_COMPARE_WITH_TIMEOUT(got.afterTurn, u"keep"_s, Patience);
        QCOMPARE(got.maxSteps, 33);
        QCOMPARE(got.provider,
                 f->options.model.isEmpty() && !f->environment.contains(u"PILOTHOUSE_MODEL"_s)
                     ? u"demo"_s
                     : got.provider);
    }

    void aKeyOfTheSessionIsUsedAndForgotten()
    {
        QList<ServiceInfo> services;
        const auto read = [this, &services] {
            services.clear();
            f->engine->services(f.get(), [&services](const QList<ServiceInfo> &list) { services = list; });
            (void)QTest::qWaitFor([&] { return !services.isEmpty(); }, Patience);
        };
        const auto find = [&services](const QString &id) {
            for (const ServiceInfo &info : std::as_const(services)) {
                if (info.id == id)
                    return info;
            }
            return ServiceInfo();
        };
        read();
        QCOMPARE(find(u"moonshotai"_s).keySource, ServiceInfo::KeySource::None);
        const Secret key("sk-moon-0123456789-0123456789-0123456789-0123456789");
        f->engine->setSessionKey(u"MOONSHOT_API_KEY"_s, key, f.get(), [](const Result<Done, Error> &) {});
        read();
        QCOMPARE(find(u"moonshotai"_s).keySource, ServiceInfo::KeySource::Session);
        QCOMPARE(find(u"moonshotai"_s).keyHint, u"sk-moon…6789"_s);
        f->engine->setSessionKey(u"MOONSHOT_API_KEY"_s, {}, f.get(), [](const Result<Done, Error> &) {});
        read();
        QCOMPARE(find(u"moonshotai"_s).keySource, ServiceInfo::KeySource::None);
        QString seen;
        f->engine->testService(u"local"_s, f.get(), [&seen](const Result<ServiceTest, Error> &result) {
            seen = result ? result->seen : result.error().message;
        });
        QTRY_VERIFY_WITH_TIMEOUT(!seen.isEmpty(), Patience);
    }

    void anAddressThatIsNoneIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("plain http elsewhere") << u"http://api.example.com/v1"_s;
        QTest::newRow("looks like this computer") << u"http://localhost.example.com"_s;
        QTest::newRow("a password") << u"https://user:secret@api.example.com/v1"_s;
        QTest::newRow("a user") << u"https://user@api.example.com/v1"_s;
        QTest::newRow("an empty user") << u"https://@api.example.com/v1"_s;
        QTest::newRow("a question") << u"https://api.example.com/v1?key=1"_s;
        QTest::newRow("a fragment") << u"https://api.example.com/v1#x"_s;
        QTest::newRow("another scheme") << u"ftp://api.example.com/v1"_s;
        QTest::newRow("no scheme") << u"api.example.com/v1"_s;
        QTest::newRow("no host") << u"https:///v1"_s;
        QTest::newRow("a file") << u"file:///etc/passwd"_s;
        QTest::newRow("a script") << u"javascript:alert(1)"_s;
        QTest::newRow("words") << u"https://not an address"_s;
        QTest::newRow("a key") << u"sk-ant-0123456789"_s;
        QTest::newRow("too long") << QString(u"https://api.example.com/"_s + QString(1000, u'x'));
    }

    void anAddressThatIsNoneIsRefused()
    {
        QFETCH(QString, text);
        QVERIFY(!Endpoints::checked(text));
        std::optional<Error> error;
        f->engine->setEndpoint(u"moonshotai"_s, text, f.get(), [&error](const Result<Done, Error> &done) {
            error = done ? Error() : done.error();
        });
        QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), Patience);
        QVERIFY(!error->message.isEmpty() && !error->kept.isEmpty() && !error->todo.isEmpty());
        QVERIFY(!error->toText().contains(text)); // It could hold a key.
        QVERIFY(AppSettings(f->folder.path()).endpoint(u"moonshotai"_s).isEmpty());
        // Edited by hand it counts for nothing.
        f->closeEngine();
        AppSettings(f->folder.path()).setEndpoint(u"moonshotai"_s, text);
        f->openEngine();
        QVERIFY(!service(u"moonshotai"_s).endpointChosen);
    }

    void anAddressOfTheSettingsIsUsedAndKeysStayWithTheirs()
    {
        f->closeEngine();
        const QString own = f->environment.take(u"ANTHROPIC_BASE_URL"_s);
        f->environment[u"ANTHROPIC_API_KEY"_s] = u"sk-ant-of-the-environment"_s;
        f->openEngine();
        QCOMPARE(service(u"anthropic"_s).keySource, ServiceInfo::KeySource::Environment);
        const auto setTo = [this](const QString &address) {
            QString problem = u"no reply"_s;
            f->engine->setEndpoint(u"anthropic"_s, address, f.get(),
                                   [&problem](const Result<Done, Error> &done) {
                                       problem = done ? QString() : done.error().message;
                                   });
            (void)QTest::qWaitFor([&] { return problem != u"no reply"_s; }, Patience);
            return problem;
        };
        QCOMPARE(setTo(own), QString());
        ServiceInfo info = service(u"anthropic"_s);
        QCOMPARE(info.endpoint, own);
        QVERIFY(info.endpointChosen && info.endpointCanBeSet && info.endpointSource.isEmpty());
        // The key of the environment was not given for this address: it is asked for anew.
        QCOMPARE(info.keySource, ServiceInfo::KeySource::None);
        QCOMPARE(info.keyWithheld, u"ANTHROPIC_API_KEY"_s);
        const auto settings = EngineFixture::settings(u"hand"_s, u"Work."_s, {u"bash"_s}, u"keep"_s, 7);
        f->begin(settings, u"Go."_s);
        QVERIFY(f->waitForEnd() != u"finished"_s);
        QVERIFY(f->model.requests().isEmpty());

        const auto enter = [this](const QByteArray &key) {
            f->engine->setSessionKey(u"ANTHROPIC_API_KEY"_s, Secret(key), f.get(),
                                     [](const Result<Done, Error> &) {});
        };
        enter("sk-ant-for-this-address");
        QCOMPARE(service(u"anthropic"_s).keySource, ServiceInfo::KeySource::Session);
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(settings, u"Go."_s); // The next turn goes there.
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->model.requests().size(), 1);
        // Another address gets neither key, one of the same origin gets it.
        QCOMPARE(setTo(u"https://api.example.com/v1"_s), QString());
        info = service(u"anthropic"_s);
        QCOMPARE(info.keySource, ServiceInfo::KeySource::None);
        QCOMPARE(info.keyWithheld, u"ANTHROPIC_API_KEY"_s);
        QCOMPARE(setTo(QString(own + u"/elsewhere"_s)), QString());
        QCOMPARE(service(u"anthropic"_s).keySource, ServiceInfo::KeySource::Session);
        // Its own address again, however it is written: the key of the environment is for it.
        for (const QString &address :
             {QString(), u"https://api.anthropic.com/v1"_s, u"https://API.anthropic.com:443/"_s}) {
            QCOMPARE(setTo(address), QString());
            QCOMPARE(service(u"anthropic"_s).keySource, ServiceInfo::KeySource::Environment);
        }
        // Kept, and no more trusted after a start.
        QCOMPARE(setTo(own), QString());
        f->closeEngine();
        f->openEngine();
        info = service(u"anthropic"_s);
        QCOMPARE(info.endpoint, own);
        QCOMPARE(info.keySource, ServiceInfo::KeySource::None);
        // A variable comes first, with its key.
        f->closeEngine();
        f->environment[u"ANTHROPIC_BASE_URL"_s] = u"https://proxy.example.com"_s;
        f->openEngine();
        info = service(u"anthropic"_s);
        QCOMPARE(info.endpointSource, u"ANTHROPIC_BASE_URL"_s);
        QVERIFY(!info.endpointChosen && !info.endpointCanBeSet);
        QCOMPARE(info.keySource, ServiceInfo::KeySource::Environment);
    }

    void aSandboxAddressOfTheSettingsIsUsed()
    {
        f->closeEngine();
        const QString own = f->environment.take(u"SUPERSERVE_BASE_URL"_s);
        const QByteArray key = f->environment.value(u"SUPERSERVE_API_KEY"_s).toUtf8();
        f->openEngine();
        QString problem = u"no reply"_s;
        f->engine->setEndpoint(u"superserve"_s, own, f.get(), [&problem](const Result<Done, Error> &done) {
            problem = done ? QString() : done.error().message;
        });
        QTRY_COMPARE_WITH_TIMEOUT(problem, QString(), Patience);
        QCOMPARE(service(u"superserve"_s).keyWithheld, u"SUPERSERVE_API_KEY"_s);
        QCOMPARE(service(u"superserve"_s).endpoint, own);
        f->engine->setSessionKey(u"SUPERSERVE_API_KEY"_s, Secret(key), f.get(),
                                 [](const Result<Done, Error> &) {});
        finishedTurn();
        QVERIFY(f->calls().join(u' ').contains(u"/sandboxes"_s));
    }
};

QTEST_MAIN(TestHandwork)
#include "tst_handwork.moc"
