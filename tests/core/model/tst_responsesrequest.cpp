// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "history.h"
#include "model/responsesrequest.h"
#include "support/modelserver.h"
#include "support/testmain.h"
#include "util/json.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

const QString Model = u"gpt-6.2-sol"_s;

HistoryItem assistant(const QByteArray &items, const QString &model = Model,
                      const QString &provider = u"openai"_s)
{
    return answerItem(u"openai-responses"_s, provider, model, '[' + items + ']');
}

ModelRequest requestOf(const QList<HistoryItem> &history)
{
    ModelRequest request;
    request.model = Model;
    request.history = history;
    return request;
}

QByteArray bodyOf(const ModelRequest &request, bool isVendor = false)
{
    ResponsesRequest builder;
    builder.provider = u"openai"_s;
    builder.isVendor = isVendor;
    const auto body = builder.body(request);
    if (!body)
        qFatal("%s", qPrintable(body.error()));
    const QString complaint = responsesComplaint(parseJson(*body).value());
    if (!complaint.isEmpty())
        qFatal("%s", qPrintable(complaint));
    return *body;
}

const QByteArray Reasoning =
    "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"E\"}";
const QByteArray Text = "{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"phase\":"
                        "\"commentary\",\"content\":[{\"type\":\"output_text\",\"text\":\"I'll look.\"}]}";
const QByteArray Call = "{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"c1\",\"name\":\"bash\","
                        "\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}";
const QByteArray SecondCall = "{\"type\":\"function_call\",\"id\":\"fc_2\",\"call_id\":\"c2\",\"name\":"
                              "\"bash\",\"arguments\":\"{}\"}";

QByteArray userText(const QByteArray &text)
{
    return "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"" + text + "\"}]}";
}

QByteArray output(const QByteArray &id, const QByteArray &text)
{
    return "{\"type\":\"function_call_output\",\"call_id\":\"" + id + "\",\"output\":\"" + text + "\"}";
}

QByteArray withoutIds(QByteArray items)
{
    for (const char *id : {"\"id\":\"msg_1\",", "\"id\":\"fc_1\",", "\"id\":\"fc_2\","})
        items.replace(id, "");
    return items;
}

} // namespace

class TestResponsesRequest : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void secondRequestOfALoop()
    {
        ModelRequest request = requestOf({userItem(u"List \"/tmp\"."_s)});
        request.instructions = u"Use the bash tool."_s;
        request.conversation = u"conv-1"_s;
        request.tools = {{u"bash"_s, u"Run."_s, "{\"type\":\"object\",\"properties\":{}}"}};
        const QByteArray head =
            "{\"model\":\"gpt-6.2-sol\",\"instructions\":\"Use the bash tool.\",\"input\":"
            "[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"List "
            "\\\"/tmp\\\".\"}]}";
        const QByteArray tail =
            "],\"tools\":[{\"type\":\"function\",\"name\":\"bash\",\"description\":\"Run.\",\"parameters\":{"
            "\"type\":\"object\",\"properties\":{}},\"strict\":false}],\"tool_choice\":\"auto\",\"parallel_"
            "tool_calls\":true,\"include\":[\"reasoning.encrypted_content\"],\"prompt_cache_key\":\"conv-1\","
            "\"store\":false,\"stream\":true}";
        QCOMPARE(bodyOf(request, true), QByteArray(head + tail));
        request.history +=
            {assistant(Reasoning + "," + Text + "," + Call), resultsItem({{u"c1"_s, u"bash"_s, u"a\n"_s}})};
        QCOMPARE(
            bodyOf(request, true),
            QByteArray(head + "," + Reasoning + "," + Text + "," + Call + "," + output("c1", "a\\n") + tail));
        QVERIFY(!bodyOf(request, false).contains("prompt_cache_key"));
    }

    void leavesOutWhatIsNotThere()
    {
        ModelRequest request = requestOf({userItem(u"Hi"_s)});
        QCOMPARE(bodyOf(request),
                 QByteArray("{\"model\":\"gpt-6.2-sol\",\"input\":[" + userText("Hi")
                            + "],\"include\":[\"reasoning.encrypted_content\"],\"store\":false,\"stream\":"
                              "true}"));
        request.maxTokens = 5;
        QVERIFY(bodyOf(request).contains("\"max_output_tokens\":5,"));
    }

    void items_data()
    {
        QTest::addColumn<QList<HistoryItem>>("history");
        QTest::addColumn<QByteArray>("items");
        const auto row = [](const char *name, const QList<HistoryItem> &history,
                            const QList<QByteArray> &items) {
            QTest::newRow(name) << history << QByteArray('[' + items.join(',') + ']');
        };
        const ToolOutcome first{u"c1"_s, u"bash"_s, u"done"_s, false};
        const ToolOutcome second{u"c2"_s, u"bash"_s, u"no"_s, true};
        const QByteArray notRun = output("c1", "Error: This call was not run.");
        row("results in the order of the calls",
            {userItem(u"a"_s), assistant(Call + "," + SecondCall), resultsItem({second, first})},
            {userText("a"), Call, SecondCall, output("c1", "done"), output("c2", "Error: no")});
        row("a call without a result", {userItem(u"a"_s), assistant(Call), userItem(u"b"_s)},
            {userText("a"), Call, notRun, userText("b")});
        row("a call at the very end", {userItem(u"a"_s), assistant(Call)}, {userText("a"), Call, notRun});
        row("an empty result",
            {userItem(u"a"_s), assistant(Call), resultsItem({{u"c1"_s, u"bash"_s, {}, false}})},
            {userText("a"), Call, output("c1", "(no output)")});
        row("a result without its call", {userItem(u"a"_s), assistant(Text), resultsItem({first})},
            {userText("a"), Text, userText("Result of an earlier call of bash:\\ndone")});
        row("a free-text call",
            {userItem(u"a"_s),
             assistant("{\"type\":\"custom_tool_call\",\"call_id\":\"c1\",\"name\":\"p\",\"input\":\"x\"}"),
             resultsItem({first})},
            {userText("a"),
             "{\"type\":\"custom_tool_call\",\"call_id\":\"c1\",\"name\":\"p\",\"input\":\"x\"}",
             "{\"type\":\"custom_tool_call_output\",\"call_id\":\"c1\",\"output\":\"done\"}"});
        row("another model loses reasoning and ids",
            {userItem(u"a"_s),
             assistant(Reasoning + "," + Text + ",{\"type\":\"web_search_call\",\"id\":\"ws\"}," + Call,
                       u"gpt-5.5"_s),
             resultsItem({first})},
            {userText("a"), withoutIds(Text), withoutIds(Call), output("c1", "done")});
        row("another provider keeps text and calls",
            {userItem(u"a"_s),
             assistant(Reasoning + "," + Text
                           + ",{\"type\":\"web_search_call\",\"id\":\"ws\",\"action\":{\"query\":\"x\"}},"
                           + Call,
                       Model, u"xai"_s),
             resultsItem({first})},
            {userText("a"),
             "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"I'll look.\"}]}",
             "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"[The provider ran "
             "web_search with {\\\"query\\\":\\\"x\\\"}.]\"}]}",
             withoutIds(Call).replace("\\\": \\\"ls", "\\\":\\\"ls"), output("c1", "done")});
        HistoryItem broken = assistant(Text);
        broken.raw = "{broken";
        broken.text = u"Hello."_s;
        row("a broken record", {userItem(u"a"_s), broken, userItem(u" "_s)},
            {userText("a"),
             "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello.\"}]}"});
        row("an answer before any user", {assistant(Text), userItem(u"a"_s)}, {userText("a")});
    }
    void items()
    {
        QFETCH(QList<HistoryItem>, history);
        QFETCH(QByteArray, items);
        const Json body = parseJson(bodyOf(requestOf(history))).value();
        QCOMPARE(QString::fromUtf8(body[u"input"].toJson()),
                 QString::fromUtf8(parseJson(items).value().toJson()));
    }

    void baseUrls_data()
    {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("url");
        const auto row = [](const QString &base, const QString &url) {
            QTest::newRow(qPrintable(base)) << base << url;
        };
        row(u"https://api.openai.com/v1"_s, u"https://api.openai.com/v1/responses"_s);
        row(u"https://api.openai.com/v1//"_s, u"https://api.openai.com/v1/responses"_s);
        row(u"http://localhost:11434"_s, u"http://localhost:11434/v1/responses"_s);
        row(u"https://x.example/a%2Fb"_s, u"https://x.example/a%2Fb/responses"_s);
    }
    void baseUrls()
    {
        QFETCH(QString, base);
        QFETCH(QString, url);
        QCOMPARE(ResponsesRequest::responsesUrl(QUrl(base)).toString(QUrl::FullyEncoded), url);
    }

    void refusals()
    {
        ResponsesRequest builder;
        builder.provider = u"openai"_s;
        QVERIFY(!builder.body(requestOf({})));
        QVERIFY(!builder.body(requestOf({userItem(u"  "_s)})));
        const auto large = builder.body(requestOf({userItem(QString(40 * 1024 * 1024, u'x'))}));
        QVERIFY(!large && large.error().contains(u"40 MiB"_s));
    }
};

QTEST_GUILESS_MAIN(TestResponsesRequest)
#include "tst_responsesrequest.moc"
