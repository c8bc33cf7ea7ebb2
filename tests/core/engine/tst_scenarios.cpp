// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "support/requestview.h"
#include "support/testmain.h"

#include <QDir>
#include <QDirIterator>
#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(ModelProtocol)

namespace {

const auto S2Instructions = u"Use the bash tool to inspect the sandbox before answering."_s;
const auto S2Prompt = u"List the files in /tmp and tell me how many there are."_s;
const QStringList S2Order{u"POST /sandboxes"_s, u"model"_s, u"START"_s, u"model"_s,
                          u"DELETE /sandboxes/ID"_s};

const QByteArray BashHead = "\"name\":\"bash\",\"description\":\"Run a shell command in the sandbox.\",";
const QByteArray BashSchema =
    "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\",\"properties\":{"
    "\"command\":{\"type\":\"string\"}},\"required\":[\"command\"],\"additionalProperties\":false}";

QByteArray quoted(const QString &text) { return Json::string(text).toJson(); }

} // namespace

/// The acceptance scenarios S1 to S5: order and bodies of every request, over every protocol.
class TestScenarios : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    ConversationSettings s2(int maxSteps = 5) const
    {
        return f->onWire(
            EngineFixture::settings(u"agent-runtime"_s, S2Instructions, {u"bash"_s}, u"delete"_s, maxSteps));
    }
    ConversationSettings s3() const
    {
        return f->onWire(EngineFixture::settings(
            u"code-runner"_s,
            u"You are a coding assistant. Save code under /home/user, run it with the bash tool, and "
            "report the real output. Use python3, not python."_s,
            {u"bash"_s, u"writeFile"_s, u"readFile"_s}, u"delete"_s, 10));
    }
    /// The n-th request, from 0.
    RequestView request(qsizetype n) const { return {f->protocol, f->model.requests().value(n)}; }

    /// The whole body of S2's requests, as each vendor wants it. `more`: what follows the first message.
    QByteArray body(const QByteArray &more = {}) const
    {
        const QByteArray model = "{\"model\":" + quoted(EngineFixture::modelOf(f->protocol));
        const QByteArray prompt = quoted(S2Prompt);
        const QByteArray instructions = quoted(S2Instructions);
        switch (f->protocol) {
        case ModelProtocol::Anthropic:
            return model + ",\"max_tokens\":128000,\"system\":[{\"type\":\"text\",\"text\":" + instructions
                + "}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":" + prompt
                + "}]}" + more + "],\"tools\":[{" + BashHead + "\"input_schema\":" + BashSchema
                + "}],\"tool_choice\":{\"type\":\"auto\"},\"stream\":true}";
        case ModelProtocol::Responses:
            return model + ",\"instructions\":" + instructions
                + ",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":" + prompt
                + "}]}" + more + "],\"tools\":[{\"type\":\"function\"," + BashHead
                + "\"parameters\":" + BashSchema
                + ",\"strict\":false}],\"tool_choice\":\"auto\",\"parallel_tool_calls\":true,\"include\":["
                  "\"reasoning.encrypted_content\"],\"prompt_cache_key\":"
                + quoted(f->lastConversation) + ",\"store\":false,\"stream\":true}";
        case ModelProtocol::Chat:
            return model + ",\"messages\":[{\"role\":\"system\",\"content\":" + instructions
                + "},{\"role\":\"user\",\"content\":" + prompt + "}" + more
                + "],\"tools\":[{\"type\":\"function\",\"function\":{" + BashHead
                + "\"parameters\":" + BashSchema
                + "}}],\"tool_choice\":\"auto\",\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
        }
        return {};
    }
    /// The answer and the result of S2's call, as they go back.
    QByteArray callAndResult(const QByteArray &result) const
    {
        const QByteArray text = quoted(u"I'll check."_s);
        const QByteArray args = "{\"command\":\"ls -A /tmp\"}";
        const QByteArray argText = quoted(QString::fromLatin1(args));
        const QByteArray resultText = quoted(QString::fromUtf8(result));
        switch (f->protocol) {
        case ModelProtocol::Anthropic:
            return ",{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":" + text
                + "},{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"bash\",\"input\":" + args
                + "}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
                  "\"toolu_1\",\"content\":"
                + resultText + "}]}";
        case ModelProtocol::Responses:
            return ",{\"id\":\"msg_1_0\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":"
                   "\"output_text\",\"annotations\":[],\"text\":"
                + text
                + "}]},{\"id\":\"fc_1_1\",\"type\":\"function_call\",\"call_id\":\"toolu_1\",\"name\":"
                  "\"bash\",\"arguments\":"
                + argText + "},{\"type\":\"function_call_output\",\"call_id\":\"toolu_1\",\"output\":"
                + resultText + "}";
        case ModelProtocol::Chat:
            return ",{\"role\":\"assistant\",\"content\":" + text
                + ",\"tool_calls\":[{\"id\":\"toolu_1\",\"type\":\"function\",\"function\":{\"name\":"
                  "\"bash\",\"arguments\":"
                + argText + "}}]},{\"role\":\"tool\",\"tool_call_id\":\"toolu_1\",\"content\":" + resultText
                + "}";
        }
        return {};
    }

private Q_SLOTS:
    void initTestCase_data()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        QTest::newRow("anthropic") << ModelProtocol::Anthropic;
        QTest::newRow("responses") << ModelProtocol::Responses;
        QTest::newRow("chat") << ModelProtocol::Chat;
    }
    void init()
    {
        Test::init();
        QFETCH_GLOBAL(ModelProtocol, protocol);
        f = std::make_unique<EngineFixture>(protocol);
        f->startServices();
        f->openEngine();
    }
    void cleanup()
    {
        // Whatever a scenario did: the service found every request well formed, and no key left its place.
        QCOMPARE(f->model.complaints(), QStringList());
        const QByteArray modelKey =
            f->environment.value(EngineFixture::keyVariableOf(f->protocol)).toLatin1();
        const QByteArray sandboxKey = f->sandboxd.key();
        if (f->proxy)
            QVERIFY(!f->proxy->everything().contains(modelKey));
        QList<QByteArray> tokens{modelKey, sandboxKey};
        f->closeEngine();
        for (const EventDelivery &delivery : std::as_const(f->events)) {
            for (const QByteArray &token : tokens)
                QVERIFY(!delivery.event->payload.contains(token));
        }
        for (const QByteArray &body : f->model.bodies())
            QVERIFY(!body.contains(sandboxKey));
        QDirIterator files(f->folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            for (const QByteArray &token : tokens)
                QVERIFY2(!bytes.contains(token), qPrintable(file.fileName()));
        }
        f.reset();
    }

    // S1
    void s1_missingSandboxKeyIsAnErrorBeforeAnyRequest()
    {
        f->closeEngine();
        f->environment.remove(u"SUPERSERVE_API_KEY"_s);
        f->openEngine();
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        QCOMPARE(f->calls(), QStringList());
        QVERIFY(f->payloads(EventKind::Error).first()[u"todo"].toString().contains(u"SUPERSERVE_API_KEY"_s));
        f->environment[u"SUPERSERVE_API_KEY"_s] = QString::fromLatin1(f->sandboxd.key());
    }

    void s1_missingModelKeyEndsTheRunAfterTheSandboxAndKillsIt()
    {
        f->closeEngine();
        const QString variable = EngineFixture::keyVariableOf(f->protocol);
        const QString key = f->environment.take(variable);
        f->openEngine();
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QCOMPARE(f->calls(), QStringList({u"POST /sandboxes"_s, u"DELETE /sandboxes/ID"_s}));
        const Json error = f->payloads(EventKind::Error).first();
        QVERIFY(error.toJson().contains(variable.toLatin1()));
        f->environment[variable] = key;
    }

    // S2
    void s2_agentWithBash()
    {
        f->model.enqueue(ModelReply()
                             .text(u"I'll check."_s)
                             .call(u"toolu_1"_s, u"bash"_s, "{\"command\":\"ls -A /tmp\"}"));
        f->model.enqueue(ModelReply().text(u"There are none."_s));
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(), S2Order);

        const Json create = *parseJson(f->body("POST"));
        QCOMPARE(create[u"name"].toString(), u"agent-runtime"_s);
        QVERIFY(create[u"timeout_seconds"].toInteger(0) > 0);
        QVERIFY(create[u"auto_delete_seconds"].toInteger(0) > 0);
        QCOMPARE(create[u"metadata"][u"ph_conversation"].toString(), f->lastConversation);
        QVERIFY(!create[u"metadata"][u"ph_install"].toString().isEmpty());
        QVERIFY(!create[u"metadata"][u"ph_attempt"].toString().isEmpty());

        QCOMPARE(f->model.bodies().value(0), body());
        const QString callId = f->payloads(EventKind::ToolCall).first()[u"callId"].toString();
        QCOMPARE(f->body("START"),
                 "{\"command\":\"ls -A /tmp\",\"env\":{\"PH_CALL\":" + quoted(callId)
                     + "},\"timeout_s\":60}");

        const QByteArray printed = f->output(callId, u"stdout"_s);
        const QByteArray result =
            "{\"stdout\":" + quoted(QString::fromUtf8(printed)) + ",\"stderr\":\"\",\"exitCode\":0}";
        // The second request is the first one, and what happened since.
        QCOMPARE(f->model.bodies().value(1), body(callAndResult(result)));

        const Json finish = f->payloads(EventKind::TurnFinish).first();
        QCOMPARE(finish[u"text"].toString(), u"There are none."_s);
        QCOMPARE(finish[u"steps"].toInteger(0), 2);
        QCOMPARE(finish[u"usage"][u"input"].toInteger(0), 20);
        QCOMPARE(finish[u"usage"][u"output"].toInteger(0), 10);
    }

    void s2_exitCodeIsAnOrdinaryResult()
    {
        f->model.enqueue(ModelReply().call(u"t"_s, u"bash"_s, "{\"command\":\"echo no >&2; exit 3\"}"));
        f->model.enqueue(ModelReply().text(u"It failed."_s));
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(), S2Order);
        const RequestView::Result result = request(1).results().value(0);
        QCOMPARE(result.text, u"{\"stdout\":\"\",\"stderr\":\"no\\n\",\"exitCode\":3}"_s);
        QVERIFY(!result.isError);
        QCOMPARE(f->payloads(EventKind::ToolResult).first()[u"exitCode"].toInteger(0), 3);
    }

    void s2_unknownToolAndBadArgumentsAreAnsweredAndNotRun()
    {
        f->model.enqueue(ModelReply()
                             .call(u"t1"_s, u"shell"_s, "{\"command\":\"id\"}")
                             .call(u"t2"_s, u"bash"_s, "{\"command\":7}")
                             .call(u"t3"_s, u"bash"_s, "{}"));
        f->model.enqueue(ModelReply().text(u"Sorry."_s));
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(),
                 QStringList({u"POST /sandboxes"_s, u"model"_s, u"model"_s, u"DELETE /sandboxes/ID"_s}));
        const QList<RequestView::Result> results = request(1).results();
        QCOMPARE(results.size(), 3);
        QVERIFY(results[0].text.contains(u"bash"_s)); // The names there are.
        QVERIFY(results[0].isError);
        const Json refusal = *parseJson(results[1].text.toUtf8());
        QVERIFY(refusal[u"error"].toBool());
        QVERIFY(refusal[u"validationErrors"][u"fields"][u"command"][u"errors"].size() > 0);
        QCOMPARE(f->payloads(EventKind::ToolError).size(), 3);
        QCOMPARE(f->payloads(EventKind::ToolStart).size(), 0);
    }

    void s2_answersAtOnce()
    {
        f->model.enqueue(ModelReply().text(u"I know already."_s));
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(), QStringList({u"POST /sandboxes"_s, u"model"_s, u"DELETE /sandboxes/ID"_s}));
    }

    void s2_alwaysCallsEndsAtTheStepLimit()
    {
        int n = 0;
        f->model.setHandler([&n](const Json &) {
            return ModelReply().call(u"t%1"_s.arg(++n), u"bash"_s, "{\"command\":\"true\"}");
        });
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"step-limit"_s);
        QCOMPARE(f->calls().count(u"model"_s), 5);
        QCOMPARE(f->calls().count(u"START"_s), 5);
        QCOMPARE(f->calls().last(), u"DELETE /sandboxes/ID"_s);
        QCOMPARE(f->payloads(EventKind::LimitHit).first()[u"limit"].toString(), u"steps"_s);
    }

    void s2_modelErrorIsOneAttemptAndTheSandboxIsKilled()
    {
        f->model.enqueue(ModelReply::failure(500, "api_error", "internal trouble"));
        f->begin(s2(), S2Prompt);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QCOMPARE(f->calls(), QStringList({u"POST /sandboxes"_s, u"model"_s, u"DELETE /sandboxes/ID"_s}));
        QVERIFY(f->payloads(EventKind::Error).first()[u"message"].toString().contains(u"internal trouble"_s));
    }

    // S3
    void s3_fileTools()
    {
        const QByteArray code = "n, found = 2, []\nwhile len(found) < 10:\n    if all(n % p for p in "
                                "found):\n        found.append(n)\n"
                                "    n += 1\nprint(*found)\n";
        f->model.enqueue(ModelReply().call(
            u"t1"_s, u"writeFile"_s,
            "{\"path\":\"/home/user/primes.py\",\"content\":" + quoted(QString::fromUtf8(code)) + "}"));
        f->model.enqueue(
            ModelReply().call(u"t2"_s, u"bash"_s, "{\"command\":\"python3 /home/user/primes.py\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(
            s3(),
            u"Write a Python script that prints the first 10 prime numbers, run it, and show me the output."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(
            f->calls(),
            QStringList({u"POST /sandboxes"_s, u"model"_s, u"POST /files?path=%2Fhome%2Fuser%2Fprimes.py"_s,
                         u"model"_s, u"START"_s, u"model"_s, u"DELETE /sandboxes/ID"_s}));
        QCOMPARE(f->body("POST", 1), code);
        QCOMPARE(request(0).tools().size(), 3);
        QCOMPARE(request(0).tools().at(1).name, u"writeFile"_s);
        QCOMPARE(request(0).tools().at(1).description,
                 u"Write a text file in the sandbox. Use an absolute path."_s);
        QCOMPARE(request(1).results().value(0).text,
                 u"Wrote %1 characters to /home/user/primes.py"_s.arg(code.size()));
        QCOMPARE(f->payloads(EventKind::ToolResult).at(1)[u"result"].toJson(),
                 QByteArray("{\"stdout\":\"2 3 5 7 11 13 17 19 23 29\\n\",\"stderr\":\"\",\"exitCode\":0}"));

        QStringList lines;
        for (const Json &call : f->payloads(EventKind::ToolCall))
            lines.append(u"> "_s + call[u"toolName"].toString() + u' '
                         + QString::fromUtf8(call[u"args"].toJson()));
        QCOMPARE(lines.value(0),
                 u"> writeFile {\"path\":\"/home/user/primes.py\",\"content\":"_s
                     + QString::fromUtf8(quoted(QString::fromUtf8(code))) + u'}');
        QCOMPARE(lines.value(1), u"> bash {\"command\":\"python3 /home/user/primes.py\"}"_s);
    }

    void s3_charactersAreUtf16Units()
    {
        f->model.enqueue(
            ModelReply().call(u"t1"_s, u"write-file"_s, "{\"path\":\"/home/user/x\",\"content\":\"é😀\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(s3(), u"Write."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        // A call by the tool's id is served, and listed under the name that the model wrote.
        QCOMPARE(f->payloads(EventKind::ToolResult).first()[u"result"].toString(),
                 u"Wrote 3 characters to /home/user/x"_s);
        QCOMPARE(f->payloads(EventKind::ToolCall).first()[u"toolName"].toString(), u"write-file"_s);
    }

    void s3_pathRulesAndMissingFiles()
    {
        f->model.enqueue(ModelReply()
                             .call(u"t1"_s, u"readFile"_s, "{\"path\":\"notes.txt\"}")
                             .call(u"t2"_s, u"writeFile"_s, "{\"path\":\"/home/user/../x\",\"content\":\"\"}")
                             .call(u"t3"_s, u"readFile"_s, "{\"path\":\"/home/user/nope\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(s3(), u"Read."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls().filter(u"/files"_s), QStringList{u"GET /files?path=%2Fhome%2Fuser%2Fnope"_s});
        const QList<RequestView::Result> results = request(1).results();
        QCOMPARE(results.size(), 3);
        QVERIFY(results[0].text.contains(u"absolute"_s));
        QVERIFY(results[1].text.contains(u".."_s));
        QVERIFY(results[2].text.contains(u"file not found"_s));
        for (const RequestView::Result &result : results)
            QVERIFY(result.isError);
    }

    void s3_parallelCallsAnswerInCallOrder()
    {
        f->model.enqueue(
            ModelReply()
                .call(u"t1"_s, u"bash"_s,
                      "{\"command\":\"while [ ! -e /tmp/go ]; do sleep 0.05; done; echo first\"}")
                .call(u"t2"_s, u"bash"_s, "{\"command\":\"echo second; touch /tmp/go\"}"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(s3(), u"Both."_s);
        QCOMPARE(f->waitForEnd(),
                 u"finished"_s); // The first waits for the second: they really run side by side.
        const QList<RequestView::Result> results = request(1).results();
        QCOMPARE(results.size(), 2);
        QVERIFY(results[0].callId == "t1"_L1 && results[0].text.contains(u"first"_s));
        QVERIFY(results[1].callId == "t2"_L1 && results[1].text.contains(u"second"_s));
    }

    // S4
    void s4_streaming()
    {
        f->model.enqueue(
            ModelReply()
                .text(u"Checking now."_s)
                .call(u"t1"_s, u"bash"_s, "{\"command\":\"cat /etc/os-release; python3 --version\"}"));
        f->model.enqueue(ModelReply().text(u"That is all."_s));
        f->begin(s2(), u"Which Linux distribution and Python version does this machine run?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(), S2Order);
        QString text;
        for (const EventDelivery &delivery : std::as_const(f->events)) {
            const Json payload = delivery.event->json();
            if (delivery.event->kind == EventKind::TextDelta)
                text += payload[u"text"].toString();
            else if (delivery.event->kind == EventKind::ToolCall)
                text += u"\n> "_s + payload[u"toolName"].toString() + u' '
                    + QString::fromUtf8(payload[u"args"].toJson()) + u'\n';
            else if (delivery.event->kind == EventKind::ToolResult)
                text += QString::fromUtf8(payload[u"result"].toJson()) + u'\n';
        }
        const QString callId = f->payloads(EventKind::ToolCall).first()[u"callId"].toString();
        const QString printed = QString::fromUtf8(f->output(callId, u"stdout"_s));
        QVERIFY(printed.contains(u"NAME="_s));
        QVERIFY(printed.contains(u"Python 3"_s));
        QCOMPARE(
            text,
            u"Checking now.\n> bash {\"command\":\"cat /etc/os-release; python3 --version\"}\n{\"stdout\":"_s
                + QString::fromUtf8(quoted(printed)) + u",\"stderr\":\"\",\"exitCode\":0}\nThat is all."_s);
    }

    // S5
    void s5_oneSandboxPerConversation()
    {
        f->model.enqueue(ModelReply().call(
            u"t1"_s, u"bash"_s, "{\"command\":\"printf 'a\\\\nb\\\\nc\\\\n' > /home/user/todo.txt\"}"));
        f->model.enqueue(ModelReply().text(u"Created."_s));
        f->model.enqueue(ModelReply().call(
            u"t2"_s, u"bash"_s, "{\"command\":\"echo d >> /home/user/todo.txt; cat /home/user/todo.txt\"}"));
        f->model.enqueue(ModelReply().text(u"Four items."_s));
        const ConversationSettings settings = f->onWire(EngineFixture::settings(
            u"chat-session"_s, u"Use the bash tool to work in the sandbox."_s, {u"bash"_s}, u"pause"_s, 10));
        const QString id = f->begin(settings, u"Create /home/user/todo.txt with three short items."_s);
        // One turn at a time: a second one is refused at once and touches nothing.
        f->submit(id, u"Another."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->refusals, QStringList{u"A turn is already running."_s});
        f->submit(id, u"Add a fourth item to /home/user/todo.txt, then print the file."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);

        bool removed = false;
        f->engine->remove(id, true, f.get(),
                          [&removed](const Result<Done, Error> &done) { removed = done.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(removed, 10000);
        QCOMPARE(
            f->calls(),
            QStringList({u"POST /sandboxes"_s, u"model"_s, u"START"_s, u"model"_s,
                         u"POST /sandboxes/ID/pause"_s, u"POST /sandboxes/ID/activate"_s, u"model"_s,
                         u"START"_s, u"model"_s, u"POST /sandboxes/ID/pause"_s, u"DELETE /sandboxes/ID"_s}));
        QCOMPARE(request(2).entries().size(), 5); // Earlier turns are replayed.
        QCOMPARE(request(2).results().value(0).text, u"{\"stdout\":\"\",\"stderr\":\"\",\"exitCode\":0}"_s);
        QCOMPARE(request(2).userTexts().last(),
                 u"Add a fourth item to /home/user/todo.txt, then print the file."_s);
        QCOMPARE(request(2).assistantTexts(), QStringList{u"Created."_s});
        QVERIFY(request(3).results().value(1).text.contains(u"a\\nb\\nc\\nd\\n"_s));
    }

    void s5_pauseHappensAlsoWhenTheModelFails()
    {
        f->model.enqueue(ModelReply::failure(500, "api_error", "trouble"));
        f->begin(f->onWire(
                     EngineFixture::settings(u"chat-session"_s, S2Instructions, {u"bash"_s}, u"pause"_s, 10)),
                 u"Hello."_s);
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        QCOMPARE(f->calls(), QStringList({u"POST /sandboxes"_s, u"model"_s, u"POST /sandboxes/ID/pause"_s}));
    }
};

QTEST_GUILESS_MAIN(TestScenarios)
#include "tst_scenarios.moc"
