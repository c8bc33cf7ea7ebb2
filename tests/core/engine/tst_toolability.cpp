// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

/// A model that cannot use tools is known before the first message goes to it.
class TestToolAbility : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;
    QByteArray m_answer; ///< To the question what the model can do; empty: 404.
    int m_status = 200;
    QList<LoopbackRequest> m_asked;

    static void kinds()
    {
        QTest::addColumn<QString>("provider");
        QTest::newRow("ollama") << u"ollama"_s;
        QTest::newRow("openrouter") << u"openrouter"_s;
    }

    // The service's account of the model "vendor/small".
    static QByteArray account(const QString &provider, bool canTools)
    {
        if (provider == "ollama"_L1)
            return canTools ? "{\"capabilities\":[\"completion\",\"tools\"]}"
                            : "{\"capabilities\":[\"completion\"],\"details\":{}}";
        return QByteArray("{\"data\":[{\"id\":\"other\",\"supported_parameters\":[\"tools\"]},{\"id\":"
                          "\"vendor/small\",\"supported_parameters\":[\"max_tokens\"")
            + (canTools ? ",\"tools\"" : "") + "]}]}";
    }
    ConversationSettings settings(const QString &provider, const QStringList &tools = {u"bash"_s}) const
    {
        ConversationSettings made = EngineFixture::settings(u"able"_s, u"Work."_s, tools, u"delete"_s);
        made.provider = provider;
        made.model = u"vendor/small"_s;
        return made;
    }
    void open(const QString &provider)
    {
        f->environment[provider.toUpper() + u"_BASE_URL"_s] =
            QString(f->model.baseUrl().toString() + u"/v1"_s);
        f->environment[provider.toUpper() + u"_API_KEY"_s] = u"sk-able-0123456789"_s;
        f->openEngine();
    }
    QString check(const QString &model)
    {
        QString said;
        f->engine->checkModel(model, f.get(), [&said](const Result<Done, Error> &done) {
            said = done ? u"ok"_s : done.error().message;
        });
        return QTest::qWaitFor([&] { return !said.isEmpty(); }, 10'000) ? said : u"no reply"_s;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_status = 200;
        m_asked.clear();
        f = std::make_unique<EngineFixture>(ModelProtocol::Chat);
        f->startServices();
        f->model.setOther([this](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() != "/api/show" && request.path() != "/v1/models")
                return false;
            m_asked.append(request);
            connection->respond(m_status, m_answer);
            return true;
        });
    }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f.reset();
    }

    void cannot_data() { kinds(); }
    void cannot()
    {
        QFETCH(QString, provider);
        m_answer = account(provider, false);
        open(provider);
        f->begin(settings(provider), u"Hello."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        // No message went to the model, and no machine was made for it.
        QCOMPARE(f->calls(), QStringList());
        QCOMPARE(m_asked.size(), 1);
        const Json error = f->payloads(EventKind::Error).value(0);
        QVERIFY2(error[u"message"].toString().contains(u"vendor/small cannot use tools"_s),
                 error.toJson().constData());
        QCOMPARE(error[u"kept"].toString(), u"Nothing was sent to it."_s);
        QVERIFY(!error[u"todo"].toString().isEmpty());
        QCOMPARE(f->payloads(EventKind::UserMessage).size(), 1);
        // A window can know it earlier still.
        QVERIFY(check(u"%1/vendor/small"_s.arg(provider)).contains(u"cannot use tools"_s));
        QCOMPARE(f->calls(), QStringList());

        // The model may have been replaced by one that can: asked anew.
        m_answer = account(provider, true);
        f->model.enqueue(ModelReply().text(u"Hello."_s));
        f->submit(f->lastConversation, u"Now?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
    }

    void can_data() { kinds(); }
    void can()
    {
        QFETCH(QString, provider);
        m_answer = account(provider, true);
        open(provider);
        QCOMPARE(check(u"%1/vendor/small"_s.arg(provider)), u"ok"_s);
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"true\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(settings(provider), u"Hello."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(m_asked.size(), 1); // Known from then on.
        QCOMPARE(m_asked[0].header("authorization"), QByteArray("Bearer sk-able-0123456789"));
    }

    /// What cannot be learned is no reason to refuse.
    void notTold_data()
    {
        QTest::addColumn<QString>("provider");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("an older server") << u"ollama"_s << 200 << QByteArray("{\"details\":{}}");
        QTest::newRow("no such address") << u"ollama"_s << 404 << QByteArray("{\"error\":\"not found\"}");
        QTest::newRow("not JSON") << u"ollama"_s << 200 << QByteArray("<html>");
        QTest::newRow("not listed") << u"openrouter"_s << 200
                                    << QByteArray("{\"data\":[{\"id\":\"other\"}]}");
        QTest::newRow("listed without")
            << u"openrouter"_s << 200 << QByteArray("{\"data\":[{\"id\":\"vendor/small\"}]}");
        QTest::newRow("busy") << u"openrouter"_s << 503 << QByteArray();
    }
    void notTold()
    {
        QFETCH(QString, provider);
        QFETCH(int, status);
        QFETCH(QByteArray, answer);
        m_status = status;
        m_answer = answer;
        open(provider);
        QCOMPARE(check(u"%1/vendor/small"_s.arg(provider)), u"ok"_s);
        f->model.enqueue(ModelReply().text(u"Hello."_s));
        f->begin(settings(provider), u"Hello."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->model.requests().size(), 1);
    }

    void otherServicesAreNotAsked()
    {
        m_answer = account(u"ollama"_s, false);
        open(u"ollama"_s);
        f->environment[u"DEEPSEEK_BASE_URL"_s] = f->model.baseUrl().toString();
        f->model.enqueue(ModelReply().text(u"Hello."_s));
        f->begin(f->onWire(settings({})), u"Hello."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(m_asked.size(), 0);
    }

    void anUnknownNameIsRefused()
    {
        open(u"ollama"_s);
        QVERIFY(check(u"nobody/x"_s).contains(u"not known"_s));
        QVERIFY(check(u"plain"_s).contains(u"not the name of a model"_s));
        QCOMPARE(check(u"demo/tour"_s), u"ok"_s);
        QCOMPARE(m_asked.size(), 0);
    }
};

QTEST_GUILESS_MAIN(TestToolAbility)
#include "tst_toolability.moc"
