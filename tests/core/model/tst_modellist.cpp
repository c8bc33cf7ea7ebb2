// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/localprobe.h"
#include "model/modellistjob.h"
#include "net/networkaccess.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QSignalSpy>
#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Category = ApiError::Category;

namespace {

const QString Chat = u"openai-chat"_s;
const QString Anthropic = u"anthropic-messages"_s;
const QByteArray Key = "sk-test-0123456789";

ModelEndpoint endpointOf(const QUrl &base, const QString &provider = u"mine"_s)
{
    ModelEndpoint endpoint;
    endpoint.provider = provider;
    endpoint.baseUrl = base;
    endpoint.key = Secret(Key);
    return endpoint;
}

/// The end of a job, which is gone afterwards.
struct Outcome {
    QList<ListedModel> models;
    std::optional<ApiError> error;
    bool isCut = false;
    bool isOver = false;
};

void follow(ModelListJob *job, Outcome &outcome)
{
    QObject::connect(job, &ModelListJob::finished, job, [job, &outcome] {
        outcome = {job->models(), job->error(), job->isCut(), true};
    });
}

} // namespace

class TestModelList : public Tests::Test {
    Q_OBJECT
private:
    NetworkAccess m_network;

private Q_SLOTS:
    void pages_data()
    {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("provider");
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("ids"); // empty: no list
        const auto row = [](const char *name, const QString &protocol, const QString &provider,
                            const QByteArray &json, const QString &ids) {
            QTest::newRow(name) << protocol << provider << json << ids;
        };
        row("plain", Chat, u"mine"_s, "{\"object\":\"list\",\"data\":[{\"id\":\"b\"},{\"id\":\"a\"}]}",
            u"b a"_s);
        row("a bare array", Chat, u"togetherai"_s, "[{\"id\":\"a\"}]", u"a"_s);
        row("other kinds", u"openai-responses"_s, u"openai"_s,
            "{\"data\":[{\"id\":\"gpt-6\"},{\"id\":\"text-embedding-3\"},{\"id\":\"whisper-1\"}]}",
            u"gpt-6"_s);
        row("not for chat", Chat, u"mistral"_s,
            "{\"data\":[{\"id\":\"a\",\"capabilities\":{\"completion_chat\":false}},{\"id\":\"b\","
            "\"capabilities\":{}}]}",
            u"b"_s);
        row("retired", Anthropic, u"anthropic"_s,
            "{\"data\":[{\"id\":\"a\",\"lifecycle\":\"retired\"},{\"id\":\"b\",\"lifecycle\":\"active\"}]}",
            u"b"_s);
        row("bad ids", Chat, u"mine"_s,
            "{\"data\":[{},{\"id\":5},{\"id\":\"\"},{\"id\":\"a "
            "b\"},{\"id\":\"x\\u0000\"},7,{\"id\":\"ok\"}]}",
            u"ok"_s);
        row("no list", Chat, u"mine"_s, "{\"data\":{}}", {});
        row("no JSON", Chat, u"mine"_s, "<html>", {});
    }
    void pages()
    {
        QFETCH(QString, protocol);
        QFETCH(QString, provider);
        QFETCH(QByteArray, json);
        QFETCH(QString, ids);
        const auto page = parseModelPage(protocol, provider, json);
        QCOMPARE(page.has_value(), !ids.isEmpty());
        if (!page)
            return;
        QStringList found;
        for (const ListedModel &model : page->models)
            found.append(model.id);
        QCOMPARE(found.join(u' '), ids);
    }

    void facts()
    {
        const auto only = [](const QString &protocol, const QByteArray &members) {
            return parseModelPage(protocol, u"mine"_s, "{\"data\":[{\"id\":\"a\"," + members + "}]}")
                ->models.value(0);
        };
        ListedModel model =
            only(Chat,
                 "\"name\":\"A\",\"context_length\":9,\"top_provider\":{\"max_completion_tokens\":4},"
                 "\"supported_parameters\":[\"tools\"],\"architecture\":{\"input_modalities\":[\"text\"]}");
        QCOMPARE(model.name, u"A"_s);
        QCOMPARE(model.context, 9);
        QCOMPARE(model.maxOutput, 4);
        QCOMPARE(model.tools, true);
        QCOMPARE(model.images, false);
        QCOMPARE(model.reasoning, false);
        QCOMPARE(only(Chat, "\"supported_parameters\":[]").tools, false);
        QCOMPARE(only(Chat, "\"capabilities\":{\"function_calling\":false,\"vision\":true}").tools, false);
        QCOMPARE(only(Chat, "\"max_model_len\":7").context, 7);
        QCOMPARE(only(Chat, "\"meta\":{\"n_ctx_train\":8}").context, 8);
        QVERIFY(!only(Chat, "\"context_length\":-1").context && !only(Chat, "\"x\":1").tools);
        model = only(
            Anthropic,
            "\"display_name\":\"Claude\",\"max_input_tokens\":5,\"max_tokens\":6,\"capabilities\":{\"image_"
            "input\":{\"supported\":true}}");
        QCOMPARE(model.name, u"Claude"_s);
        QCOMPARE(model.context, 5);
        QCOMPARE(model.maxOutput, 6);
        QCOMPARE(model.images, true);
    }

    void tooMany()
    {
        QByteArray json = "[{\"id\":\"first\"}";
        for (qsizetype i = 0; i < MostListedModels; ++i)
            json += ",{\"id\":\"m" + QByteArray::number(i) + "\"}";
        const auto page = parseModelPage(Chat, u"mine"_s, json + "]");
        QCOMPARE(page->models.size(), MostListedModels);
        QVERIFY(page->isCut);
    }

    void anthropicPages()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            const bool isFirst = !request.target.contains("after_id=a");
            connection->respond(200,
                                isFirst ? "{\"data\":[{\"id\":\"a\"}],\"has_more\":true,\"last_id\":\"a\"}"
                                        : "{\"data\":[{\"id\":\"b\"}],\"has_more\":false,\"last_id\":\"b\"}");
        });
        QObject parent;
        Outcome got;
        follow(ModelListJob::list(&m_network, Anthropic, endpointOf(server.url("")), &parent), got);
        QTRY_VERIFY(got.isOver);
        QVERIFY(!got.error && !got.isCut);
        QCOMPARE(got.models.size(), 2);
        const LoopbackRequest first = server.requests().first();
        QCOMPARE(first.target, QByteArray("/v1/models?limit=1000"));
        QCOMPARE(first.header("x-api-key"), Key);
        QVERIFY(!first.header("anthropic-version").isEmpty());
    }

    void endlessPagesEnd()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{\"data\":[{\"id\":\"a\"}],\"has_more\":true,\"last_id\":\"a\"}");
        });
        QObject parent;
        Outcome got;
        follow(ModelListJob::list(&m_network, Anthropic, endpointOf(server.url("")), &parent), got);
        QTRY_VERIFY(got.isOver);
        QVERIFY(got.isCut && !got.error);
        QCOMPARE(server.requests().size(), 5);
    }

    void failures_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("category");
        QTest::newRow("key") << 401 << QByteArray("{\"error\":{\"message\":\"bad key " + Key + "\"}}")
                             << u"auth"_s;
        QTest::newRow("quota") << 429 << QByteArray("{\"error\":{\"code\":\"insufficient_quota\"}}")
                               << u"billing"_s;
        QTest::newRow("page") << 404 << QByteArray("<html>") << u"not_found"_s;
        QTest::newRow("something else") << 200 << QByteArray("{\"hello\":1}") << u"protocol"_s;
        QTest::newRow("redirect") << 302 << QByteArray() << u"redirect"_s;
    }
    void failures()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QString, category);
        LoopbackServer server;
        server.enqueue([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(status, body);
        });
        QObject parent;
        Outcome got;
        follow(ModelListJob::list(&m_network, Chat, endpointOf(server.url("")), &parent), got);
        QTRY_VERIFY(got.isOver);
        QVERIFY(got.error);
        QCOMPARE(categoryName(got.error->category), category);
        QVERIFY(!got.error->message.contains(QString::fromLatin1(Key)));
        QCOMPARE(server.requests().first().header("authorization"), QByteArray("Bearer " + Key));
    }

    void silenceEnds()
    {
        LoopbackServer server;
        server.enqueue([](const LoopbackRequest &, LoopbackConnection *) {});
        QObject parent;
        Outcome got;
        follow(ModelListJob::list(&m_network, Chat, endpointOf(server.url("")), &parent,
                                  std::chrono::milliseconds(100)),
               got);
        QTRY_VERIFY(got.isOver);
        QCOMPARE(got.error->category, Category::Timeout);
    }

    void oneModel()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() == "/api/show")
                connection->respond(
                    200,
                    "{\"capabilities\":[\"completion\"],\"model_info\":{\"llama.context_length\":4096}}");
            else
                connection->respond(200,
                                    "{\"data\":[{\"id\":\"a\",\"supported_parameters\":[]},{\"id\":\"b\"}]}");
        });
        QObject parent;
        Outcome ollama;
        Outcome listed;
        Outcome missing;
        follow(ModelListJob::describe(&m_network, Chat, endpointOf(server.url("/v1"), u"ollama"_s), u"phi"_s,
                                      &parent),
               ollama);
        follow(ModelListJob::describe(&m_network, Chat, endpointOf(server.url("/v1")), u"a"_s, &parent),
               listed);
        follow(ModelListJob::describe(&m_network, Chat, endpointOf(server.url("/v1")), u"c"_s, &parent),
               missing);
        QTRY_VERIFY(ollama.isOver && listed.isOver && missing.isOver);
        QCOMPARE(ollama.models.value(0).tools, false);
        QCOMPARE(ollama.models.value(0).context, 4096);
        QCOMPARE(listed.models.size(), 1);
        QCOMPARE(listed.models.value(0).tools, false);
        QCOMPARE(missing.error->category, Category::NotFound);
    }

    void localServers()
    {
        LoopbackServer here;
        here.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{\"data\":[{\"id\":\"qwen\"}]}");
        });
        LoopbackServer page;
        page.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "<html>");
        });
        QUrl refused;
        {
            LoopbackServer gone;
            refused = gone.url("/v1");
        }
        QObject parent;
        auto *probe = new LocalProbe(
            &m_network, {refused, page.url("/v1"), here.url("/v1"), QUrl(u"https://models.example.org/v1"_s)},
            &parent);
        QList<LocalServer> found;
        QSignalSpy spy(probe, &LocalProbe::finished);
        connect(probe, &LocalProbe::finished, &parent,
                [&found](const QList<LocalServer> &servers) { found = servers; });
        QTRY_COMPARE(spy.count(), 1);
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.first().baseUrl, here.url("/v1"));
        QCOMPARE(found.first().kind, u"local"_s);
        QCOMPARE(found.first().models.value(0).id, u"qwen"_s);
        QVERIFY(!here.requests().first().hasHeader("authorization"));
        QCOMPARE(LocalProbe::usualUrls().size(), 4);

        auto *nothing = new LocalProbe(&m_network, {}, &parent);
        QSignalSpy none(nothing, &LocalProbe::finished);
        QTRY_COMPARE(none.count(), 1);
    }
};

QTEST_GUILESS_MAIN(TestModelList)
#include "tst_modellist.moc"
