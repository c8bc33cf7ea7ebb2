// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/appsettings.h"
#include "enginefixture.h"
#include "support/testmain.h"

#include <QTest>

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
};

QTEST_MAIN(TestHandwork)
#include "tst_handwork.moc"
