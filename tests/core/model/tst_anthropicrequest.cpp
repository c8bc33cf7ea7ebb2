// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicrequest.h"
#include "support/modelserver.h"
#include "support/testmain.h"
#include "util/json.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

const QString Model = u"claude-sonnet-5-5"_s;

HistoryItem user(const QString &text)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::User;
    item.text = text;
    return item;
}

HistoryItem assistant(const QByteArray &content, const QString &model = Model,
                      const QString &provider = u"anthropic"_s,
                      const QString &protocol = u"anthropic-messages"_s)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::Assistant;
    item.protocol = protocol;
    item.provider = provider;
    item.model = model;
    item.raw = "{\"role\":\"assistant\",\"content\":[" + content + "]}";
    return item;
}

HistoryItem results(const QList<ToolOutcome> &outcomes)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::ToolResults;
    item.outcomes = outcomes;
    return item;
}

ToolSpec bashTool()
{
    return {u"bash"_s, u"Run a shell command in the sandbox."_s,
            "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"}},\"required\":["
            "\"command\"]}"};
}

QByteArray bodyOf(const ModelRequest &request, bool markers = false)
{
    AnthropicRequest builder;
    builder.provider = u"anthropic"_s;
    builder.maxTokens = AnthropicRequest::vendorMaxTokens(request.model);
    builder.hasCacheMarkers = markers;
    const auto body = builder.body(request);
    if (!body)
        qFatal("%s", qPrintable(body.error()));
    return *body;
}

QByteArray messagesOf(const QList<HistoryItem> &history)
{
    ModelRequest request;
    request.model = Model;
    request.history = history;
    const Json json = parseJson(bodyOf(request)).value();
    const QString complaint = anthropicComplaint(json);
    if (!complaint.isEmpty())
        qFatal("%s", qPrintable(complaint));
    return json[u"messages"].toJson();
}

const QByteArray Call =
    "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"bash\",\"input\":{\"command\": \"ls\"}}";
const QByteArray SecondCall = "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"bash\",\"input\":{}}";
const QByteArray Thinking = "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"S\"}";
const QByteArray Text = "{\"type\":\"text\",\"text\":\"I'll check.\"}";

QByteArray userText(const QByteArray &text)
{
    return "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
}

} // namespace

class TestAnthropicRequest : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void secondRequestOfALoop()
    {
        ModelRequest request;
        request.model = Model;
        request.instructions = u"Use the bash tool."_s;
        request.tools = {bashTool()};
        request.history = {user(u"List \"/tmp\"."_s)};
        const QByteArray head =
            "{\"model\":\"claude-sonnet-5-5\",\"max_tokens\":128000,\"system\":[{\"type\":\"text\",\"text\":"
            "\"Use the "
            "bash tool.\"}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"List "
            "\\\"/tmp\\\".\"}]}";
        const QByteArray tail = "],\"tools\":[{\"name\":\"bash\",\"description\":\"Run a shell command in "
                                "the sandbox.\",\"input_schema\":"
                                "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"}},"
                                "\"required\":[\"command\"]}}],"
                                "\"tool_choice\":{\"type\":\"auto\"},\"stream\":true}";
        QCOMPARE(bodyOf(request), QByteArray(head + tail));
        request.history +=
            {assistant(Thinking + "," + Text + "," + Call),
             results({{u"t1"_s, u"bash"_s, u"{\"stdout\":\"a\\n\",\"exitCode\":0}"_s, false}})};
        QCOMPARE(bodyOf(request),
                 QByteArray(head + ",{\"role\":\"assistant\",\"content\":[" + Thinking + "," + Text + ","
                            + Call
                            + "]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
                              "\"t1\",\"content\":"
                              "\"{\\\"stdout\\\":\\\"a\\\\n\\\",\\\"exitCode\\\":0}\"}]}"
                            + tail));
    }

    void leavesOutWhatIsNotThere()
    {
        ModelRequest request;
        request.model = u"claude-haiku-4-5-20251001"_s;
        request.history = {user(u"Hi"_s)};
        QCOMPARE(bodyOf(request),
                 QByteArray("{\"model\":\"claude-haiku-4-5-20251001\",\"max_tokens\":64000,\"messages\":["
                            + userText("Hi") + "],\"stream\":true}"));
        request.maxTokens = 5;
        QVERIFY(bodyOf(request).contains("\"max_tokens\":5,"));
    }

    void messages_data()
    {
        QTest::addColumn<QList<HistoryItem>>("history");
        QTest::addColumn<QByteArray>("messages");
        using History = QList<HistoryItem>;
        const auto assistantJson = [](const QByteArray &content) -> QByteArray {
            return "{\"role\":\"assistant\",\"content\":[" + content + "]}";
        };
        const QByteArray ok = "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"done\"}";
        const QByteArray bad =
            "{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"no\",\"is_error\":true}";
        const QByteArray notRun = "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"This call "
                                  "was not run.\",\"is_error\":true}";
        const ToolOutcome first{u"t1"_s, u"bash"_s, u"done"_s, false};
        const ToolOutcome second{u"t2"_s, u"bash"_s, u"no"_s, true};
        const auto userJson = [](const QByteArray &content) -> QByteArray {
            return "{\"role\":\"user\",\"content\":[" + content + "]}";
        };
        const QByteArray steer = "{\"type\":\"text\",\"text\":\"faster\"}";
        const auto row = [](const char *name, const History &history, const QList<QByteArray> &messages) {
            QTest::newRow(name) << history << QByteArray('[' + messages.join(',') + ']');
        };

        row("results in call order",
            {user(u"a"_s), assistant(Call + "," + SecondCall), results({first, second})},
            {userText("a"), assistantJson(Call + "," + SecondCall), userJson(ok + "," + bad)});
        row("steering follows the results",
            {user(u"a"_s), assistant(Call), results({first}), user(u"faster"_s)},
            {userText("a"), assistantJson(Call), userJson(ok + "," + steer)});
        row("a later turn", {user(u"a"_s), assistant(Text), user(u"b"_s)},
            {userText("a"), assistantJson(Text), userText("b")});
        row("asked again after a failure", {user(u"a"_s), user(u"b"_s)},
            {userJson("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}")});
        row("blank text is left out", {user(u"a"_s), user(u" \n"_s)}, {userText("a")});
        row("a call without a result", {user(u"a"_s), assistant(Call), user(u"faster"_s)},
            {userText("a"), assistantJson(Call), userJson(notRun + "," + steer)});
        row("one of two results is missing",
            {user(u"a"_s), assistant(Call + "," + SecondCall), results({second})},
            {userText("a"), assistantJson(Call + "," + SecondCall), userJson(notRun + "," + bad)});
        row("a call at the very end", {user(u"a"_s), assistant(Call)},
            {userText("a"), assistantJson(Call), userJson(notRun)});
        row("a result without its call", {user(u"a"_s), assistant(Text), results({first})},
            {userText("a"), assistantJson(Text),
             userJson("{\"type\":\"text\",\"text\":\"Result of an earlier call of bash:\\ndone\"}")});
        row("an empty error result",
            {user(u"a"_s), assistant(Call), results({{u"t1"_s, u"bash"_s, {}, true}})},
            {userText("a"), assistantJson(Call),
             userJson("{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"The call "
                      "failed.\",\"is_error\":true}")});
        row("another model loses thinking",
            {user(u"a"_s),
             assistant(Thinking + ",{\"type\":\"redacted_thinking\",\"data\":\"D\"}," + Text,
                       u"claude-opus-5-5"_s),
             user(u"b"_s)},
            {userText("a"), assistantJson(Text), userText("b")});
        row("only thinking of another model",
            {user(u"a"_s), assistant(Thinking, u"claude-opus-5-5"_s), user(u"b"_s)},
            {userJson("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}")});
        row("another provider keeps text and calls",
            {user(u"a"_s),
             assistant(Thinking + "," + Text
                           + ",{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":"
                             "{\"q\":1}},{\"type\":\"sketch\"},"
                           + Call,
                       Model, u"minimax"_s),
             results({first})},
            {userText("a"),
             assistantJson(Text
                           + ",{\"type\":\"text\",\"text\":\"[The provider ran web_search with "
                             "{\\\"q\\\":1}.]\"},"
                           + QByteArray(Call).replace(": \"ls\"", ":\"ls\"")),
             userJson(ok)});
        row("a script's answer",
            {user(u"a"_s), assistant(Text + "," + SecondCall, u"tour"_s, u"demo"_s, u"scripted"_s),
             results({second})},
            {userText("a"), assistantJson(Text + "," + SecondCall), userJson(bad)});
        row("an empty answer",
            {user(u"a"_s), assistant("", u"tour"_s, u"demo"_s, u"scripted"_s), user(u"b"_s)},
            {userJson("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}")});
        row("an answer before any user", {assistant(Text), user(u"a"_s)}, {userText("a")});
        HistoryItem other = assistant(Text, u"gpt-5.5"_s, u"openai"_s, u"openai-responses"_s);
        row("another protocol", {user(u"a"_s), other, results({first}), user(u"b"_s)},
            {userJson("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"Result of an earlier "
                      "call of bash:\\ndone\"},"
                      "{\"type\":\"text\",\"text\":\"b\"}")});
        other.text = u"Hello."_s;
        row("another protocol with text", {user(u"a"_s), other, user(u"b"_s)},
            {userText("a"), assistantJson("{\"type\":\"text\",\"text\":\"Hello.\"}"), userText("b")});
        HistoryItem broken = assistant(Text);
        broken.raw = "{broken";
        row("a broken record", {user(u"a"_s), broken, user(u"b"_s)},
            {userJson("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}")});
    }
    void messages()
    {
        QFETCH(QList<HistoryItem>, history);
        QFETCH(QByteArray, messages);
        QCOMPARE(QString::fromUtf8(messagesOf(history)),
                 QString::fromUtf8(parseJson(messages).value().toJson()));
    }

    void idsOfOtherProvidersAreMadeValid()
    {
        const QByteArray call = "{\"type\":\"tool_use\",\"id\":\"a:b\",\"name\":\"f\",\"input\":{}},{"
                                "\"type\":\"tool_use\",\"id\":\"a/b\",\"name\":\"f\",\"input\":{}}";
        const QByteArray json =
            messagesOf({user(u"a"_s), assistant(call, Model, u"minimax"_s),
                        results({{u"a:b"_s, u"f"_s, u"1"_s, false}, {u"a/b"_s, u"f"_s, u"2"_s, false}})});
        QVERIFY(!json.contains("a:b") && !json.contains("not run") && !json.contains("Result of"));
    }

    void openServerToolGetsResultsOnly()
    {
        const QByteArray open =
            "{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"web_search\",\"input\":{}}," + Call;
        ModelRequest request;
        request.model = Model;
        request.history = {user(u"a"_s), assistant(open), results({{u"t1"_s, u"bash"_s, u"done"_s, false}}),
                           user(u"faster"_s)};
        QVERIFY(bodyOf(request).contains("\"content\":\"done\"}]},{\"role\":\"user\",\"content\":[{\"type\":"
                                         "\"text\",\"text\":\"faster\"}]}]"));
        const QByteArray answered =
            open + ",{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":[]}";
        request.history[1] = assistant(answered);
        QVERIFY(bodyOf(request).contains("\"content\":\"done\"},{\"type\":\"text\",\"text\":\"faster\"}]}]"));
    }

    void cacheMarkers()
    {
        ModelRequest request;
        request.model = Model;
        request.instructions = u"I"_s;
        request.tools = {bashTool(), bashTool()};
        request.history = {user(u"a"_s), assistant(Text), user(u"b"_s), assistant(Call),
                           results({{u"t1"_s, u"bash"_s, u"x"_s, false}})};
        const QByteArray marker = ",\"cache_control\":{\"type\":\"ephemeral\"}";
        const QByteArray with = bodyOf(request, true);
        QCOMPARE(with.count(marker), 4);
        QVERIFY(with.contains(QByteArray("\"text\":\"I\"" + marker + "}]")));
        QVERIFY(with.contains(QByteArray("\"text\":\"b\"" + marker + "}]")));
        QVERIFY(with.contains(QByteArray("\"content\":\"x\"" + marker + "}]")));
        QVERIFY(with.contains(QByteArray("\"required\":[\"command\"]}" + marker + "}],\"tool_choice\"")));
        QVERIFY(parseJson(with));
        QCOMPARE(QByteArray(with).replace(marker, ""), bodyOf(request, false));
    }

    void onlyTheVendorGetsMarkers()
    {
        QVERIFY(AnthropicRequest::isVendor(QUrl(u"https://api.anthropic.com/v1"_s)));
        QVERIFY(AnthropicRequest::isVendor(QUrl(u"https://api.anthropic.com:443"_s)));
        for (const QString &url :
             {u"http://api.anthropic.com"_s, u"https://api.anthropic.com:8443"_s, u"http://127.0.0.1:9"_s,
              u"https://api.anthropic.com.example.org"_s, u"https://api.minimax.io/anthropic/v1"_s})
            QVERIFY2(!AnthropicRequest::isVendor(QUrl(url)), qPrintable(url));
    }

    void baseUrls_data()
    {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("url");
        QTest::newRow("bare") << u"https://api.anthropic.com"_s << u"https://api.anthropic.com/v1/messages"_s;
        QTest::newRow("slashes") << u"https://api.anthropic.com//"_s
                                 << u"https://api.anthropic.com/v1/messages"_s;
        QTest::newRow("v1") << u"https://api.anthropic.com/v1"_s
                            << u"https://api.anthropic.com/v1/messages"_s;
        QTest::newRow("v1 slash") << u"http://127.0.0.1:8080/v1/"_s << u"http://127.0.0.1:8080/v1/messages"_s;
        QTest::newRow("path") << u"https://x.example/anthropic"_s
                              << u"https://x.example/anthropic/v1/messages"_s;
        QTest::newRow("encoded path")
            << u"https://x.example/a%2Fb/v1"_s << u"https://x.example/a%2Fb/v1/messages"_s;
    }
    void baseUrls()
    {
        QFETCH(QString, base);
        QFETCH(QString, url);
        QCOMPARE(AnthropicRequest::messagesUrl(QUrl(base)).toString(QUrl::FullyEncoded), url);
    }

    void refusals()
    {
        AnthropicRequest builder;
        builder.provider = u"anthropic"_s;
        ModelRequest request;
        request.model = Model;
        QVERIFY(!builder.body(request));
        request.history = {user(u"  "_s)};
        QVERIFY(!builder.body(request));
        request.history = {user(QString(40 * 1024 * 1024, u'x'))};
        const auto large = builder.body(request);
        QVERIFY(!large);
        QVERIFY(large.error().contains(u"40 MiB"_s) && large.error().contains(u"32 MiB"_s));
    }
};

QTEST_GUILESS_MAIN(TestAnthropicRequest)
#include "tst_anthropicrequest.moc"
