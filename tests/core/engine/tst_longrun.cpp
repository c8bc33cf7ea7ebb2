// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "support/requestview.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(ModelProtocol)

/// Twelve steps of one conversation that goes through all protocols, with parallel calls, thinking and
/// errors; each service refuses what its vendor would. Then back to where it began.
class TestLongRun : public Tests::Test {
    Q_OBJECT

    struct Leg {
        ModelProtocol protocol;
        ModelServer *server;
    };

    static QString mark(ModelProtocol protocol, int step)
    {
        return u"%1%2"_s.arg(EngineFixture::providerOf(protocol)).arg(step);
    }

    /// Four steps: two calls side by side; three of which one has no such tool, one ends with 3, one finds no
    /// file; one call; the end.
    static void enqueue(const Leg &leg)
    {
        const auto say = [&leg](int step) {
            const QString name = mark(leg.protocol, step);
            return ModelReply().thinking(u"think-"_s + name, u"SIG-"_s + name).text(u"text-"_s + name);
        };
        const auto id = [&leg](int step, int call) {
            // As unlike each other as the vendors' own.
            const QString name = mark(leg.protocol, step) + u"-%1"_s.arg(call);
            return leg.protocol == ModelProtocol::Anthropic ? QString(u"toolu_"_s + name + QString(60, u'a'))
                : leg.protocol == ModelProtocol::Responses  ? QString(u"call:"_s + name)
                                                            : QString(u"chatcmpl."_s + name);
        };
        leg.server->enqueue(say(1)
                                .call(id(1, 1), u"bash"_s, "{\"command\":\"echo one\"}")
                                .call(id(1, 2), u"bash"_s, "{\"command\":\"echo two\"}"));
        leg.server->enqueue(say(2)
                                .call(id(2, 1), u"shell"_s, "{\"command\":\"id\"}")
                                .call(id(2, 2), u"bash"_s, "{\"command\":\"exit 3\"}")
                                .call(id(2, 3), u"readFile"_s, "{\"path\":\"/home/user/none\"}"));
        leg.server->enqueue(say(3).call(id(3, 1), u"bash"_s, "{\"command\":\"echo three\"}"));
        leg.server->enqueue(say(4));
    }

    static QByteArray members(ModelProtocol protocol)
    {
        return JsonBuilder()
            .add("provider"_L1, EngineFixture::providerOf(protocol))
            .add("model"_L1, EngineFixture::modelOf(protocol))
            .take();
    }

private Q_SLOTS:
    void twelveStepsOverAllProtocols_data()
    {
        QTest::addColumn<QList<ModelProtocol>>("order");
        using P = ModelProtocol;
        QTest::newRow("anthropic, responses, chat")
            << QList<ModelProtocol>{P::Anthropic, P::Responses, P::Chat};
        QTest::newRow("responses, chat, anthropic")
            << QList<ModelProtocol>{P::Responses, P::Chat, P::Anthropic};
        QTest::newRow("chat, anthropic, responses")
            << QList<ModelProtocol>{P::Chat, P::Anthropic, P::Responses};
    }
    void twelveStepsOverAllProtocols()
    {
        QFETCH(QList<ModelProtocol>, order);
        EngineFixture f(order.first());
        f.startServices();
        ModelServer second(order[1]);
        ModelServer third(order[2]);
        const QList<Leg> legs{{order[0], &f.model}, {order[1], &second}, {order[2], &third}};
        for (const Leg &leg : legs) {
            f.environment[EngineFixture::keyVariableOf(leg.protocol)] = u"sk-ant-test-0123456789"_s;
            f.environment[EngineFixture::urlVariableOf(leg.protocol)] = leg.server->baseUrl().toString();
            enqueue(leg);
        }
        f.openEngine();
        f.begin(f.onWire(EngineFixture::settings(u"long"_s, u"Work."_s, {u"bash"_s, u"readFile"_s},
                                                 u"pause"_s, 10)),
                u"Turn 1."_s);
        QCOMPARE(f.waitForEnd(), u"finished"_s);
        for (int turn = 2; turn <= 3; ++turn) {
            bool isChanged = false;
            f.engine->changeSettings(f.lastConversation, members(legs[turn - 1].protocol), &f,
                                     [&](const Result<Done, Error> &done) { isChanged = done.has_value(); });
            QTRY_VERIFY_WITH_TIMEOUT(isChanged, 10'000);
            f.submit(f.lastConversation, u"Turn %1."_s.arg(turn));
            QCOMPARE(f.waitForEnd(), u"finished"_s);
        }
        QCOMPARE(f.payloads(EventKind::StepFinish).size(), 12);

        QStringList texts; // All that was said before the request that is looked at.
        qsizetype results = 0;
        for (int leg = 0; leg < 3; ++leg) {
            const ModelProtocol protocol = legs[leg].protocol;
            const ModelServer &server = *legs[leg].server;
            QCOMPARE(server.complaints(), QStringList());
            QCOMPARE(server.requests().size(), 4);
            for (int step = 1; step <= 4; ++step) {
                const RequestView view(protocol, server.requests()[step - 1]);
                QCOMPARE(view.assistantTexts(), texts);
                QCOMPARE(view.results().size(), results);
                QCOMPARE(view.userTexts().last(), u"Turn %1."_s.arg(leg + 1));
                // Every call has its result, in the order of the calls.
                QStringList answered;
                for (const RequestView::Result &result : view.results())
                    answered.append(result.callId);
                QCOMPARE(answered, view.callIds());
                const QByteArray body = server.bodies()[step - 1];
                for (const Leg &other : legs) {
                    const int known = other.protocol == protocol ? step - 1 : 0;
                    for (int said = 1; said <= 4; ++said) {
                        // Thinking goes back to the model that thought it, whole, and to no other one.
                        const QByteArray name = mark(other.protocol, said).toLatin1();
                        const bool isBack = said <= known;
                        QVERIFY2(body.contains(QByteArray("think-" + name)) == isBack, body.constData());
                        const bool isSigned = isBack && protocol != ModelProtocol::Chat;
                        QVERIFY2(body.contains(QByteArray("SIG-" + name)) == isSigned, body.constData());
                    }
                }
                texts.append(u"text-"_s + mark(protocol, step));
                results += step == 1 ? 2 : step == 2 ? 3 : step == 3 ? 1 : 0;
            }
            const QList<RequestView::Result> two = RequestView(protocol, server.requests()[1]).lastResults();
            QCOMPARE(two.size(), 2);
            QVERIFY(two[0].text.contains(u"one"_s) && !two[0].isError);
            QVERIFY(two[1].text.contains(u"two"_s) && !two[1].isError);
            const QList<RequestView::Result> three =
                RequestView(protocol, server.requests()[2]).lastResults();
            QCOMPARE(three.size(), 3);
            QVERIFY(three[0].isError && three[0].text.contains(u"no tool named"_s));
            QVERIFY(!three[1].isError && three[1].text.contains(u"\"exitCode\":3"_s));
            QVERIFY(three[2].isError && three[2].text.contains(u"file not found"_s));
        }

        // Back to the first: its own answers go back with their thinking, as they came.
        bool isChanged = false;
        f.engine->changeSettings(f.lastConversation, members(order.first()), &f,
                                 [&](const Result<Done, Error> &done) { isChanged = done.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(isChanged, 10'000);
        f.model.enqueue(ModelReply().text(u"The end."_s));
        f.submit(f.lastConversation, u"Turn 4."_s);
        QCOMPARE(f.waitForEnd(), u"finished"_s);
        QCOMPARE(f.model.complaints(), QStringList());
        const RequestView last(order.first(), f.model.requests().last());
        QCOMPARE(last.assistantTexts(), texts);
        QCOMPARE(last.userTexts(), QStringList({u"Turn 1."_s, u"Turn 2."_s, u"Turn 3."_s, u"Turn 4."_s}));
        QCOMPARE(last.results().size(), 18);
        QCOMPARE(f.model.bodies().last().count("think-"), 4);
    }
};

QTEST_GUILESS_MAIN(TestLongRun)
#include "tst_longrun.moc"
