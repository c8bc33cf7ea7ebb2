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
};

QTEST_GUILESS_MAIN(TestModelServer)
#include "tst_modelserver.moc"
