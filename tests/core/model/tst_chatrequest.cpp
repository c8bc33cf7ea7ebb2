// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "history.h"
#include "model/chatrequest.h"
#include "support/modelcomplaint.h"
#include "support/testmain.h"
#include "util/json.h"

#include <QRegularExpression>
#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

const QString Model = u"qwen3-coder"_s;

HistoryItem assistant(const QByteArray &members, const QString &model = Model,
                      const QString &provider = u"generic"_s)
{
    return answerItem(u"openai-chat"_s, provider, model, "{\"role\":\"assistant\"," + members + "}");
}

ModelRequest requestOf(const QList<HistoryItem> &history)
{
    ModelRequest request;
    request.model = Model;
    request.history = history;
    return request;
}

QByteArray bodyOf(const ModelRequest &request, const QString &provider = u"generic"_s)
{
    const ChatRequest builder{provider, ChatDialect::find(provider, QUrl())};
    const auto body = builder.body(request);
    if (!body)
        qFatal("%s", qPrintable(body.error()));
    const QString complaint = chatComplaint(parseJson(*body).value());
    if (!complaint.isEmpty())
        qFatal("%s", qPrintable(complaint));
    return *body;
}

const QByteArray Call =
    "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"a\\\": 1}\"}}";
const QByteArray SecondCall =
    "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{}\"}}";

QByteArray answer(const QByteArray &members) { return "{\"role\":\"assistant\"," + members + "}"; }
QByteArray userText(const QByteArray &text) { return "{\"role\":\"user\",\"content\":\"" + text + "\"}"; }
QByteArray tool(const QByteArray &id, const QByteArray &text)
{
    return "{\"role\":\"tool\",\"tool_call_id\":\"" + id + "\",\"content\":\"" + text + "\"}";
}

} // namespace

class TestChatRequest : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void secondRequestOfALoop()
    {
        ModelRequest request = requestOf({userItem(u"List \"/tmp\"."_s)});
        request.instructions = u"Use the bash tool."_s;
        request.tools = {{u"bash"_s, u"Run."_s, "{\"type\":\"object\",\"properties\":{}}"}};
        const QByteArray head =
            "{\"model\":\"qwen3-coder\",\"messages\":[{\"role\":\"system\",\"content\":\"Use the bash "
            "tool.\"},{\"role\":\"user\",\"content\":\"List \\\"/tmp\\\".\"}";
        const QByteArray tail =
            "],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"bash\",\"description\":\"Run.\","
            "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}],\"tool_choice\":\"auto\",\"stream\":"
            "true,\"stream_options\":{\"include_usage\":true}}";
        QCOMPARE(bodyOf(request), QByteArray(head + tail));
        const QByteArray members = "\"content\":null,\"tool_calls\":[" + Call + "],\"reasoning\":\"hm\"";
        request.history += {assistant(members), resultsItem({{u"c1"_s, u"bash"_s, u"a\n"_s}})};
        QCOMPARE(bodyOf(request), QByteArray(head + "," + answer(members) + "," + tool("c1", "a\\n") + tail));
    }

    void dialects()
    {
        ModelRequest request = requestOf({userItem(u"Hi"_s)});
        request.tools = {{u"f"_s, {}, "{\"type\":\"object\"}"}};
        request.maxTokens = 7;
        request.conversation = u"k"_s;
        QVERIFY(bodyOf(request, u"openai"_s).contains("\"max_completion_tokens\":7"));
        QVERIFY(bodyOf(request, u"openai"_s).contains("prompt_cache_key"));
        QVERIFY(bodyOf(request).contains("\"max_tokens\":7"));
        QVERIFY(!bodyOf(request).contains("prompt_cache_key"));
        QVERIFY(!bodyOf(request, u"ollama"_s).contains("tool_choice"));
        QVERIFY(!bodyOf(request, u"mistral"_s).contains("stream_options"));
        const auto idOf = [](const QString &id, const QString &base) {
            return QString(ChatDialect::find(id, QUrl(base)).id);
        };
        QCOMPARE(idOf(u"mine"_s, u"https://api.deepseek.com"_s), u"deepseek"_s);
        QCOMPARE(idOf(u"mine"_s, u"http://localhost:11434/v1"_s), u"ollama"_s);
        QCOMPARE(idOf(u"mine"_s, u"http://localhost:5000/v1"_s), u"local"_s);
        QCOMPARE(idOf(u"mine"_s, u"https://x.example:11434/v1"_s), u"generic"_s);
        QCOMPARE(idOf(u"groq"_s, u"https://x.example"_s), u"groq"_s);
        QVERIFY(!ChatDialect::find(u"lmstudio"_s, {}).needsKey);
    }

    void messages_data()
    {
        QTest::addColumn<QList<HistoryItem>>("history");
        QTest::addColumn<QByteArray>("messages");
        const auto row = [](const char *name, const QList<HistoryItem> &history,
                            const QList<QByteArray> &messages) {
            QTest::newRow(name) << history << QByteArray('[' + messages.join(',') + ']');
        };
        const ToolOutcome first{u"c1"_s, u"bash"_s, u"done"_s, false};
        const ToolOutcome second{u"c2"_s, u"bash"_s, u"no"_s, true};
        const QByteArray both = "\"content\":null,\"tool_calls\":[" + Call + "," + SecondCall + "]";
        const QByteArray one = "\"content\":null,\"tool_calls\":[" + Call + "]";
        const QByteArray text = "\"content\":\"Hello.\"";
        row("results in the order of the calls",
            {userItem(u"a"_s), assistant(both), resultsItem({second, first})},
            {userText("a"), answer(both), tool("c1", "done"), tool("c2", "Error: no")});
        row("a call without a result", {userItem(u"a"_s), assistant(one), userItem(u"b"_s)},
            {userText("a"), answer(one), tool("c1", "Error: This call was not run."), userText("b")});
        row("an empty result",
            {userItem(u"a"_s), assistant(one), resultsItem({{u"c1"_s, u"bash"_s, {}, false}})},
            {userText("a"), answer(one), tool("c1", "(no output)")});
        row("an empty error",
            {userItem(u"a"_s), assistant(one), resultsItem({{u"c1"_s, u"bash"_s, {}, true}})},
            {userText("a"), answer(one), tool("c1", "Error: The call failed.")});
        row("a result without its call", {userItem(u"a"_s), assistant(text), resultsItem({first})},
            {userText("a"), answer(text), userText("Result of an earlier call of bash:\\ndone")});
        row("an empty answer", {userItem(u"a"_s), assistant("\"content\":null"), userItem(u"b"_s)},
            {userText("a"), userText("b")});
        row("another model loses its thinking",
            {userItem(u"a"_s),
             assistant("\"content\":[{\"type\":\"thinking\",\"thinking\":[]},{\"type\":\"text\",\"text\":"
                       "\"x\"}],\"reasoning_content\":\"hm\",\"reasoning_details\":[]",
                       u"other"_s),
             userItem(u"b"_s)},
            {userText("a"), answer("\"content\":[{\"type\":\"text\",\"text\":\"x\"}]"), userText("b")});
        row("another provider",
            {userItem(u"a"_s),
             assistant(text + ",\"tool_calls\":[" + Call + "],\"reasoning\":\"hm\"", Model, u"groq"_s),
             resultsItem({first})},
            {userText("a"), answer(text + ",\"tool_calls\":[" + QByteArray(Call).replace(": 1", ":1") + "]"),
             tool("c1", "done")});
        HistoryItem broken = assistant(text);
        broken.raw = "{broken";
        broken.text = u"Hi."_s;
        row("a broken record", {userItem(u"a"_s), broken, userItem(u" "_s)},
            {userText("a"), answer("\"content\":\"Hi.\"")});
    }
    void messages()
    {
        QFETCH(QList<HistoryItem>, history);
        QFETCH(QByteArray, messages);
        const Json body = parseJson(bodyOf(requestOf(history))).value();
        QCOMPARE(QString::fromUtf8(body[u"messages"].toJson()),
                 QString::fromUtf8(parseJson(messages).value().toJson()));
    }

    void reasoningByDialect()
    {
        const auto hasReasoning = [](const QString &provider) {
            return bodyOf(requestOf(
                              {userItem(u"a"_s),
                               assistant("\"content\":\"x\",\"reasoning_content\":\"hm\"", Model, provider)}),
                          provider)
                .contains("hm");
        };
        QVERIFY(hasReasoning(u"deepseek"_s));
        QVERIFY(!hasReasoning(u"groq"_s));
    }

    void idsInTheDialectsForm()
    {
        const QByteArray longId = QByteArray(70, 'x');
        const HistoryItem other =
            answerItem(u"anthropic-messages"_s, u"anthropic"_s, u"claude"_s,
                       "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" + longId
                           + "\",\"name\":\"my.tool\",\"input\":{}}]}");
        const QList<HistoryItem> history{
            userItem(u"a"_s), other,
            resultsItem({{QString::fromLatin1(longId), u"my.tool"_s, u"ok"_s, false}})};
        for (const auto &[provider, pattern] : {std::pair(u"generic"_s, u"^[a-zA-Z0-9_-]{1,40}$"_s),
                                                std::pair(u"mistral"_s, u"^[a-zA-Z0-9]{9}$"_s)}) {
            const Json messages = parseJson(bodyOf(requestOf(history), provider)).value()[u"messages"];
            const QString id = messages.at(1)[u"tool_calls"].at(0)[u"id"].toString();
            QVERIFY2(QRegularExpression(pattern).match(id).hasMatch(), qPrintable(id));
            QCOMPARE(messages.at(2)[u"tool_call_id"].toString(), id);
            QCOMPARE(messages.at(2)[u"content"].toString(), u"ok"_s);
            QCOMPARE(messages.at(1)[u"tool_calls"].at(0)[u"function"][u"name"].toString(), u"my_tool"_s);
        }
    }

    void baseUrls_data()
    {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("url");
        const auto row = [](const QString &base, const QString &url) {
            QTest::newRow(qPrintable(base)) << base << url;
        };
        row(u"https://api.openai.com/v1/"_s, u"https://api.openai.com/v1/chat/completions"_s);
        row(u"https://api.deepseek.com"_s, u"https://api.deepseek.com/chat/completions"_s);
        row(u"http://127.0.0.1:1234/"_s, u"http://127.0.0.1:1234/v1/chat/completions"_s);
        row(u"https://x.example/v1/chat/completions"_s, u"https://x.example/v1/chat/completions"_s);
    }
    void baseUrls()
    {
        QFETCH(QString, base);
        QFETCH(QString, url);
        QCOMPARE(ChatRequest::completionsUrl(QUrl(base)).toString(QUrl::FullyEncoded), url);
    }

    void refusals()
    {
        const ChatRequest builder{u"generic"_s, ChatDialect::find({}, {})};
        QVERIFY(!builder.body(requestOf({})));
        QVERIFY(!builder.body(requestOf({userItem(u"  "_s)})));
        const auto large = builder.body(requestOf({userItem(QString(40 * 1024 * 1024, u'x'))}));
        QVERIFY(!large && large.error().contains(u"40 MiB"_s));
    }
};

QTEST_GUILESS_MAIN(TestChatRequest)
#include "tst_chatrequest.moc"
