// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/modelserver.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

/// The scripted service is the judge of other tests, so its judgement is tested too.
class TestModelServer : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void complaints_data()
    {
        QTest::addColumn<QByteArray>("messages");
        QTest::addColumn<QString>("complaint"); // empty: none
        const auto row = [](const char *name, const QByteArray &messages, const QString &complaint) {
            QTest::newRow(name) << messages << complaint;
        };
        const QByteArray user = "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}";
        const QByteArray call = "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\","
                                "\"name\":\"f\",\"input\":{}}]}";
        const QByteArray result = "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
                                  "\"t\",\"content\":\"\"}]}";
        row("one", user, {});
        row("a loop", user + "," + call + "," + result, {});
        row("none", "", u"at least one"_s);
        row("assistant first", call, u"first message"_s);
        row("twice the user", user + "," + user, u"alternate"_s);
        row("no result", user + "," + call + "," + user, u"without tool_result"_s);
        row("a result too many", user + "," + call + "," + result + "," + call + "," + user,
            u"without tool_result"_s);
        row("an unknown result", result, u"unexpected tool_use_id"_s);
        row("assistant last", user + "," + call, u"last message"_s);
        const QByteArray paused =
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"s\"}]}";
        row("a paused answer", user + "," + paused, {});
        row("a paused answer that went on", user + "," + paused + "," + paused, {});
        row("blank text", QByteArray(user).replace("\"a\"", "\" \""), u"non-empty"_s);
        row("text before results",
            user + "," + call + ","
                + QByteArray(result).replace("[{", "[{\"type\":\"text\",\"text\":\"x\"},{"),
            u"first"_s);
        row("a bad id", user + "," + QByteArray(call).replace("\"t\"", "\"a:b\"") + "," + result,
            u"pattern"_s);
    }
    void complaints()
    {
        QFETCH(QByteArray, messages);
        QFETCH(QString, complaint);
        const auto request =
            parseJson(QByteArray("{\"model\":\"m\",\"max_tokens\":1,\"messages\":[" + messages + "]}"));
        QVERIFY(request);
        const QString got = anthropicComplaint(*request);
        QVERIFY2(complaint.isEmpty() ? got.isEmpty() : got.contains(complaint), qPrintable(got));
    }

    void otherMembers()
    {
        const auto complaintOf = [](const QByteArray &members) {
            return anthropicComplaint(parseJson(QByteArray("{" + members
                                                           + ",\"messages\":[{\"role\":\"user\",\"content\":["
                                                             "{\"type\":\"text\",\"text\":\"a\"}]}]}"))
                                          .value());
        };
        QVERIFY(complaintOf("\"model\":\"m\",\"max_tokens\":1").isEmpty());
        QVERIFY(complaintOf("\"model\":\"m\"").contains(u"max_tokens"_s));
        QVERIFY(complaintOf("\"max_tokens\":1").contains(u"model"_s));
        QVERIFY(complaintOf("\"model\":\"m\",\"max_tokens\":1,\"temperature\":1").contains(u"temperature"_s));
        QVERIFY(complaintOf("\"model\":\"m\",\"max_tokens\":1,\"tools\":[{\"name\":\"a b\"}]")
                    .contains(u"tools"_s));
    }

    void responses_data()
    {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QString>("complaint"); // empty: none
        const auto row = [](const char *name, const QList<QByteArray> &input, const QString &complaint) {
            QTest::newRow(name) << input.join(',') << complaint;
        };
        const QByteArray user = "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"a\"}]}";
        const QByteArray answer =
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]}";
        const QByteArray call = "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
                                "\"arguments\":\"{}\"}";
        const QByteArray result = "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"\"}";
        const QByteArray reasoning = "{\"type\":\"reasoning\",\"id\":\"rs\",\"encrypted_content\":\"E\"}";
        const auto with = [](QByteArray item, const char *before, const char *after) {
            return item.replace(before, after);
        };
        row("one", {user}, {});
        row("a loop", {user, reasoning, answer, call, result}, {});
        row("none", {}, u"one item"_s);
        row("no result", {user, call, user}, u"No tool output"_s);
        row("no result at the end", {user, call}, u"No tool output"_s);
        row("a result too many", {user, call, result, result}, u"No tool call"_s);
        row("an unknown result", {user, result}, u"No tool call"_s);
        row("a result by the item's id", {user, call, with(result, "\"c\"", "\"fc\"")}, u"No tool call"_s);
        row("a result without text", {user, call, with(result, "\"output\":\"\"", "\"output\":{}")},
            u"output"_s);
        row("reasoning without follower", {user, reasoning, user}, u"required following item"_s);
        row("reasoning at the end", {user, reasoning}, u"required following item"_s);
        row("reasoning without its content", {user, with(reasoning, "encrypted_content", "x"), answer},
            u"not persisted"_s);
        row("a user part in an answer", {user, with(answer, "output_text", "input_text")}, u"no type for"_s);
        row("an answer part of a user", {with(user, "input_text", "output_text")}, u"no type for"_s);
        row("an unknown role", {with(user, "\"user\"", "\"tool\"")}, u"role"_s);
        row("an empty message", {"{\"role\":\"user\",\"content\":[]}"}, u"content"_s);
        row("arguments as an object", {user, with(call, "\"{}\"", "{}"), result}, u"arguments"_s);
        row("broken arguments", {user, with(call, "\"{}\"", "\"{\""), result}, u"arguments"_s);
        row("a call without an id", {user, with(call, "\"c\"", "\"\"")}, u"call_id"_s);
        row("one id twice", {user, call, call}, u"repeated"_s);
        row("a bad name", {user, with(call, "\"f\"", "\"f g\"")}, u"name"_s);
        row("free text without input",
            {user, "{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"f\"}"}, u"input"_s);
    }
    void responses()
    {
        QFETCH(QByteArray, input);
        QFETCH(QString, complaint);
        const auto request =
            parseJson(QByteArray("{\"model\":\"m\",\"store\":false,\"input\":[" + input + "]}"));
        QVERIFY(request);
        const QString got = responsesComplaint(*request);
        QVERIFY2(complaint.isEmpty() ? got.isEmpty() : got.contains(complaint), qPrintable(got));
    }

    void responsesMembers()
    {
        const auto complaintOf = [](const QByteArray &members) {
            return responsesComplaint(
                parseJson(QByteArray("{" + members + ",\"input\":[{\"role\":\"user\",\"content\":\"a\"}]}"))
                    .value());
        };
        const QByteArray good = "\"model\":\"m\",\"store\":false";
        const QByteArray tool = "{\"type\":\"function\",\"name\":\"f\",\"parameters\":{\"type\":\"object\"}";
        QVERIFY(complaintOf(good).isEmpty());
        QVERIFY(complaintOf(good + ",\"tools\":[" + tool + ",\"strict\":false}]").isEmpty());
        QVERIFY(complaintOf(good + ",\"tools\":[" + tool + "}]").contains(u"strict"_s));
        QVERIFY(complaintOf(good + ",\"tools\":[{\"strict\":false,\"function\":{\"name\":\"f\"}}]")
                    .contains(u"tools"_s));
        QVERIFY(complaintOf("\"store\":false").contains(u"model"_s));
        QVERIFY(complaintOf("\"model\":\"m\"").contains(u"store"_s));
        QVERIFY(complaintOf(good + ",\"temperature\":1").contains(u"temperature"_s));
        QVERIFY(complaintOf(good + ",\"tool_choice\":\"auto\"").contains(u"tool_choice"_s));
    }

    void chat_data()
    {
        QTest::addColumn<QByteArray>("messages");
        QTest::addColumn<QString>("complaint"); // empty: none
        const auto row = [](const char *name, const QList<QByteArray> &messages, const QString &complaint) {
            QTest::newRow(name) << messages.join(',') << complaint;
        };
        const QByteArray system = "{\"role\":\"system\",\"content\":\"s\"}";
        const QByteArray user = "{\"role\":\"user\",\"content\":\"a\"}";
        const QByteArray answer = "{\"role\":\"assistant\",\"content\":\"a\"}";
        const QByteArray call =
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":"
            "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}";
        const QByteArray result = "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"x\"}";
        const auto with = [](QByteArray message, const char *before, const char *after) {
            return message.replace(before, after);
        };
        row("one", {user}, {});
        row("a loop", {system, user, call, result, answer, user}, {});
        row("none", {}, u"too short"_s);
        row("no result", {user, call, user}, u"followed by tool messages"_s);
        row("no result at the end", {user, call}, u"followed by tool messages"_s);
        row("a result too many", {user, call, result, result}, u"response to a preceding"_s);
        row("an unknown result", {user, result}, u"response to a preceding"_s);
        row("an empty result", {user, call, with(result, "\"x\"", "\"\"")}, u"tool: content"_s);
        row("no calls", {user, "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]}"},
            u"too short"_s);
        row("content is missing", {user, with(call, "\"content\":null,", "")}, u"content: required"_s);
        row("nothing", {user, with(answer, "\"a\"", "null")}, u"needs content"_s);
        row("a refusal", {user, "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}"}, {});
        row("arguments as an object", {user, with(call, "\"{}\"", "{}")}, u"arguments"_s);
        row("broken arguments", {user, with(call, "\"{}\"", "\"{\"")}, u"arguments"_s);
        row("no id", {user, with(call, "\"c\"", "\"\"")}, u"id"_s);
        row("a long id", {user, with(call, "\"c\"", "\"01234567890123456789012345678901234567890\"")},
            u"40 characters"_s);
        row("no type", {user, with(call, "\"type\":\"function\",", "")}, u"type"_s);
        row("a bad name", {user, with(call, "\"f\"", "\"f.g\"")}, u"name"_s);
        row("a late system message", {user, system}, u"come first"_s);
        row("an unknown role", {with(user, "\"user\"", "\"human\"")}, u"role"_s);
        row("an empty user", {with(user, "\"a\"", "\"\"")}, u"content"_s);
    }
    void chat()
    {
        QFETCH(QByteArray, messages);
        QFETCH(QString, complaint);
        const auto request = parseJson(QByteArray("{\"model\":\"m\",\"messages\":[" + messages + "]}"));
        QVERIFY(request);
        const QString got = chatComplaint(*request);
        QVERIFY2(complaint.isEmpty() ? got.isEmpty() : got.contains(complaint), qPrintable(got));
    }

    void chatMembers()
    {
        const auto complaintOf = [](const QByteArray &members) {
            return chatComplaint(
                parseJson(
                    QByteArray("{" + members + ",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}"))
                    .value());
        };
        QVERIFY(complaintOf("\"model\":\"m\",\"stream\":true,\"stream_options\":{}").isEmpty());
        QVERIFY(complaintOf("\"model\":\"m\",\"stream_options\":{}").contains(u"stream_options"_s));
        QVERIFY(complaintOf("\"stream\":true").contains(u"model"_s));
        QVERIFY(complaintOf("\"model\":\"m\",\"tools\":[]").contains(u"too short"_s));
        QVERIFY(complaintOf("\"model\":\"m\",\"tool_choice\":\"auto\"").contains(u"tool_choice"_s));
        QVERIFY(complaintOf("\"model\":\"m\",\"top_p\":1").contains(u"top_p"_s));
        QVERIFY(complaintOf("\"model\":\"m\",\"tools\":[{\"name\":\"f\"}]").contains(u"tools"_s));
    }
};

QTEST_GUILESS_MAIN(TestModelServer)
#include "tst_modelserver.moc"
