// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicrequest.h"
#include "model/refusedparameters.h"
#include "support/testmain.h"
#include "turnrig.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(ModelProtocol)

namespace {

struct Refusal {
    QByteArray name;
    ModelProtocol protocol;
    QString provider;
    QString parameter;
    int status;
    QByteArray body;
    QByteArray instead; ///< What the next request has in its place.
};

QList<Refusal> refusals()
{
    const auto anthropic = ModelProtocol::Anthropic;
    const auto responses = ModelProtocol::Responses;
    const auto chat = ModelProtocol::Chat;
    return {
        {"by param",
         chat,
         u"generic"_s,
         u"stream_options"_s,
         400,
         "{\"error\":{\"message\":\"Unknown field.\",\"type\":\"invalid_request_error\",\"param\":"
         "\"stream_options.include_usage\",\"code\":\"unknown_parameter\"}}",
         {}},
        {"by message",
         chat,
         u"generic"_s,
         u"stream_options"_s,
         400,
         "{\"object\":\"error\",\"message\":\"[{'type': 'extra_forbidden', 'loc': ('body', "
         "'stream_options')}]\",\"code\":400}",
         {}},
        {"old limit", chat, u"generic"_s, u"max_tokens"_s, 400,
         "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with this model. "
         "Use "
         "'max_completion_tokens' instead.\",\"param\":\"max_tokens\",\"code\":\"unsupported_parameter\"}}",
         "\"max_completion_tokens\":777"},
        {"new limit, listed", chat, u"openai"_s, u"max_completion_tokens"_s, 422,
         "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"max_completion_tokens\"],\"msg\":"
         "\"Extra inputs are not permitted\",\"input\":777}]}",
         "\"max_tokens\":777"},
        {"bare text",
         chat,
         u"generic"_s,
         u"tool_choice"_s,
         400,
         "{\"error\":\"tool_choice is not known here\"}",
         {}},
        {"cache key",
         chat,
         u"openai"_s,
         u"prompt_cache_key"_s,
         400,
         "{\"error\":{\"message\":\"Unrecognized request argument supplied: prompt_cache_key\"}}",
         {}},
        {"thinking in the history",
         chat,
         u"deepseek"_s,
         u"reasoning_content"_s,
         400,
         "{\"error\":{\"message\":\"no such field\",\"param\":\"messages[2].reasoning_content\"}}",
         {}},
        {"parallel calls",
         responses,
         u"openai"_s,
         u"parallel_tool_calls"_s,
         400,
         "{\"error\":{\"message\":\"Unsupported parameter: parallel_tool_calls\",\"code\":"
         "\"unsupported_parameter\"}}",
         {}},
        {"include",
         responses,
         u"other"_s,
         u"include"_s,
         400,
         "{\"error\":{\"message\":\"Unknown parameter: 'include'.\"}}",
         {}},
        {"output limit",
         responses,
         u"other"_s,
         u"max_output_tokens"_s,
         400,
         "{\"error\":{\"message\":\"no\",\"param\":\"max_output_tokens\"}}",
         {}},
        {"cache key of responses",
         responses,
         u"openai"_s,
         u"prompt_cache_key"_s,
         400,
         "{\"error\":{\"message\":\"no\",\"param\":\"prompt_cache_key\"}}",
         {}},
        {"choice of responses",
         responses,
         u"other"_s,
         u"tool_choice"_s,
         400,
         "{\"error\":{\"message\":\"no\",\"param\":\"tool_choice\"}}",
         {}},
        {"choice of messages",
         anthropic,
         u"anthropic"_s,
         u"tool_choice"_s,
         400,
         "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"tool_choice: Extra "
         "inputs are not permitted\"}}",
         {}},
    };
}

QByteArray member(const QString &parameter) { return '"' + parameter.toLatin1() + "\":"; }

} // namespace

/// A parameter that a service refuses is left out, visibly, and stays left out.
class TestRefusedParameters : public Tests::Test {
    Q_OBJECT

private Q_SLOTS:
    void leftOut_data()
    {
        QTest::addColumn<int>("at");
        const QList<Refusal> all = refusals();
        for (int i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name.constData()) << i;
    }
    void leftOut()
    {
        QFETCH(int, at);
        const Refusal refusal = refusals().at(at);
        const QByteArray refused = member(refusal.parameter);
        TurnRig rig(refusal.protocol, refusal.provider);
        rig.maxTokens = 777;
        int refusedCount = 0;
        int failures = 2;
        rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.body.contains(refused)) {
                ++refusedCount;
                connection->respond(refusal.status, refusal.body);
            } else if (refusedCount > 0 && failures-- > 0) {
                connection->respond(500, "{\"error\":{\"message\":\"busy\"}}");
            } else {
                rig.sendGood(request, connection);
            }
        });
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"finished"_s);
        QCOMPARE(refusedCount, 1);
        QCOMPARE(rig.tool->runs.size(), 1);

        // It is told, at once, and does not use up the attempts after a failure: two of those follow it.
        const QList<Json> retries = rig.journal.payloads(EventKind::Retry);
        QCOMPARE(retries.size(), 3);
        QCOMPARE(retries[0][u"without"].toString(), refusal.parameter);
        QVERIFY(retries[0][u"reason"].toString().contains(refusal.parameter));
        QCOMPARE(retries[0][u"waitMs"].toInteger(-1), 0);
        QVERIFY(!retries[1].contains(u"without") && !retries[2].contains(u"without"));

        const qsizetype first = refusal.parameter == "reasoning_content"_L1 ? 1 : 0;
        const QByteArray before = rig.model.requests()[first].body;
        const QByteArray after = rig.model.requests()[first + 1].body;
        QVERIFY(before.contains(refused) && !after.contains(refused));
        QVERIFY(after.contains(refusal.instead));
        // Nothing else is changed.
        const Json was = parseJson(before).value_or(Json());
        const Json is = parseJson(after).value_or(Json());
        const bool isReplaced = !refusal.instead.isEmpty() || first > 0;
        QCOMPARE(is.size(), was.size() - (isReplaced ? 0 : 1));
        for (const Json::Member &kept : is.members()) {
            if (was.contains(kept.key) && kept.key != "messages"_L1)
                QVERIFY2(kept.value == was[kept.key], qPrintable(kept.key));
        }

        // Remembered for the next turn, which has a client of its own.
        rig.run(u"Go on."_s);
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"finished"_s);
        QCOMPARE(refusedCount, 1);
        rig.scan({});
    }

    void anotherModelStillGetsIt()
    {
        RefusedParameters memory;
        memory.add(refusalPlace(QUrl(u"https://a.example/v1/chat/completions"_s), u"m"_s),
                   u"stream_options"_s);
        QVERIFY(memory.at(refusalPlace(QUrl(u"https://a.example/v1/chat/completions"_s), u"n"_s)).isEmpty());
        QVERIFY(memory.at(refusalPlace(QUrl(u"https://b.example/v1/chat/completions"_s), u"m"_s)).isEmpty());
        QCOMPARE(memory.at(refusalPlace(QUrl(u"https://a.example/v1/chat/completions"_s), u"m"_s)),
                 QSet<QString>{u"stream_options"_s});
    }

    void otherErrorsAreNoReasonToAskAgain_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("about nothing") << 400 << QByteArray("{\"error\":{\"message\":\"bad request\"}}");
        QTest::newRow("about what must be there")
            << 400 << QByteArray("{\"error\":{\"message\":\"no\",\"param\":\"messages[0].content\"}}");
        QTest::newRow("a longer word")
            << 400 << QByteArray("{\"error\":{\"message\":\"my_tool_choice_2 is wrong\"}}");
        QTest::newRow("another status")
            << 403 << QByteArray("{\"error\":{\"message\":\"no\",\"param\":\"tool_choice\"}}");
        QTest::newRow("not JSON") << 400 << QByteArray("tool_choice");
    }
    void otherErrorsAreNoReasonToAskAgain()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        TurnRig rig(ModelProtocol::Chat);
        rig.model.setHandler([&](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(status, body);
        });
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"model-error"_s);
        QCOMPARE(rig.model.requests().size(), 1);
    }

    /// A service that names one parameter after the other is not followed without end.
    void aServiceThatRefusesEverything()
    {
        TurnRig rig(ModelProtocol::Chat, u"openai"_s);
        rig.maxTokens = 777;
        rig.model.setHandler([](const LoopbackRequest &request, LoopbackConnection *connection) {
            for (const char *name : {"stream_options", "tool_choice", "max_completion_tokens", "max_tokens",
                                     "prompt_cache_key"}) {
                if (request.body.contains(QByteArray(QByteArray("\"") + name + "\":")))
                    return connection->respond(
                        400, "{\"error\":{\"message\":\"no\",\"param\":\"" + QByteArray(name) + "\"}}");
            }
            connection->respond(400, "{\"error\":{\"message\":\"no\"}}");
        });
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"model-error"_s);
        QCOMPARE(rig.model.requests().size(), 4);
    }

    void ordinaryWordsCountInQuotesOnly()
    {
        const QStringList sent{u"include"_s, u"tool_choice"_s};
        QCOMPARE(RefusedParameters::named("{\"error\":{\"message\":\"We include no such model\"}}", sent),
                 QString());
        QCOMPARE(RefusedParameters::named("{\"error\":{\"message\":\"unknown: `include`\"}}", sent),
                 u"include"_s);
        QCOMPARE(RefusedParameters::named("[{\"error\":{\"message\":\"tool_choice, 'include'\"}}]", sent),
                 u"tool_choice"_s);
        QCOMPARE(RefusedParameters::named("{\"error\":{\"message\":\"tool_choice\"}}", {}), QString());
    }

    void cacheMarkers()
    {
        HistoryItem item;
        item.text = u"Hi"_s;
        ModelRequest request;
        request.model = u"m"_s;
        request.history = {item};
        AnthropicRequest builder;
        builder.maxTokens = 9;
        builder.hasCacheMarkers = true;
        QVERIFY(builder.body(request)->contains("cache_control"));
        builder.without = {u"cache_control"_s};
        QVERIFY(!builder.body(request)->contains("cache_control"));
        QVERIFY(AnthropicRequest::optional().contains(u"cache_control"_s));
    }

    /// What models refuse most often is never sent in the first place.
    void noSamplingParameters_data()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        QTest::newRow("anthropic") << ModelProtocol::Anthropic;
        QTest::newRow("responses") << ModelProtocol::Responses;
        QTest::newRow("chat") << ModelProtocol::Chat;
    }
    void noSamplingParameters()
    {
        QFETCH(ModelProtocol, protocol);
        TurnRig rig(protocol);
        rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            rig.sendGood(request, connection);
        });
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.model.requests().size(), 2);
        for (const LoopbackRequest &request : rig.model.requests()) {
            for (const char *name : {"temperature", "top_p", "top_k", "stop", "seed", "reasoning_effort"})
                QVERIFY2(!parseJson(request.body)->contains(QString::fromLatin1(name)), name);
        }
    }
};

QTEST_GUILESS_MAIN(TestRefusedParameters)
#include "tst_refusedparameters.moc"
