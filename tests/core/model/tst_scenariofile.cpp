// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelresources.h"
#include "model/scenariofile.h"
#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

QByteArray withStep(const QByteArray &step)
{
    return "{\"format\":1,\"name\":\"x\",\"turns\":[{\"steps\":[" + step + "]}]}";
}

} // namespace

class TestScenarioFile : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void everyMember()
    {
        const QByteArray json =
            "{\"format\":1,\"name\":\"n\",\"title\":\"t\",\"about\":\"a\",\"maxSteps\":9,\"pace\":{"
            "\"charsPerSecond\":50},"
            "\"turns\":[{\"steps\":[{\"events\":[{\"delayMs\":5},{\"reasoning\":\"r\"},{\"text\":\"x\"},"
            "{\"call\":{\"name\":\"bash\",\"args\":{\"z\":1.0,\"a\":2},\"ask\":true}},"
            "{\"call\":{\"name\":\"bash\",\"rawArgs\":\"{oops\"}}],"
            "\"usage\":{\"input\":7,\"reasoning\":null},\"fault\":{\"kind\":\"overloaded\",\"status\":529,"
            "\"after\":2,\"times\":3,"
            "\"retryAfterMs\":40}},"
            "{\"events\":[],\"pace\":{\"charsPerSecond\":0},\"stop\":\"max_tokens\",\"expect\":\"failed\","
            "\"unexpected\":[{\"text\":\"u\"}]}]}],"
            "\"otherwise\":{\"steps\":[{\"events\":[{\"text\":\"o\"}],\"fault\":{\"kind\":\"silence\"}}]}}";
        const auto parsed = ScenarioFile::parse(json, u"f.json"_s);
        QVERIFY2(parsed, parsed ? "" : qPrintable(parsed.error().message));
        QCOMPARE(parsed->name, u"n"_s);
        QCOMPARE(parsed->maxSteps, 9);
        const ScenarioStep &first = parsed->turns[0].steps[0];
        QCOMPARE(first.events.size(), 5);
        QCOMPARE(first.events[0].delayMs, 5);
        QCOMPARE(first.events[1].kind, ScenarioEvent::Kind::Reasoning);
        QCOMPARE(first.events[3].text, u"{\"z\":1.0,\"a\":2}"_s);
        QVERIFY(first.events[3].ask && !first.events[4].ask);
        QCOMPARE(first.events[4].text, u"{oops"_s);
        QCOMPARE(first.charsPerSecond, 50.0);
        QCOMPARE(first.usage.input, 7);
        QVERIFY(!first.usage.output && !first.usage.reasoning);
        QCOMPARE(first.fault->after, 2);
        QCOMPARE(first.fault->times, 3);
        QCOMPARE(first.fault->error->category, ApiError::Category::Overloaded);
        QCOMPARE(first.fault->error->status, 529);
        QCOMPARE(first.fault->error->retryAfterMs, 40);
        const ScenarioStep &second = parsed->turns[0].steps[1];
        QCOMPARE(second.charsPerSecond, 0.0);
        QCOMPARE(second.stop, StopReason::MaxTokens);
        QCOMPARE(second.expect, ScenarioStep::Expectation::Failed);
        QCOMPARE(second.unexpected.size(), 1);
        QVERIFY(!parsed->otherwise.steps[0].fault->error);
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("place");
        const auto row = [](const char *name, const QByteArray &json, const QString &place) {
            QTest::newRow(name) << json << place;
        };
        row("empty", "", u"line 1, column 1 (byte 0)"_s);
        row("broken", "{\n \"format\": 1,\n oops}", u"line 3, column 2 (byte 17)"_s);
        row("cut", "{\"format\":1", u"line 1, column 12"_s);
        row("not an object", "[]", u"at the top"_s);
        row("twice", "{\"format\":1,\"format\":1}", u"\"format\" appears twice"_s);
        row("other form", "{\"format\":2,\"name\":\"x\",\"turns\":[]}", u"at format"_s);
        row("no name", "{\"format\":1,\"turns\":[{\"steps\":[{\"events\":[]}]}]}", u"at name"_s);
        row("no turns", "{\"format\":1,\"name\":\"x\"}", u"at turns"_s);
        row("empty turns", "{\"format\":1,\"name\":\"x\",\"turns\":[]}", u"at turns: the list is empty"_s);
        row("slip of the pen", "{\"format\":1,\"name\":\"x\",\"turn\":[]}", u"at turn:"_s);
        row("maxSteps", "{\"format\":1,\"name\":\"x\",\"maxSteps\":0,\"turns\":[]}", u"at maxSteps"_s);
        row("no events", withStep("{}"), u"at turns[0].steps[0].events"_s);
        row("two members", withStep("{\"events\":[{\"text\":\"a\",\"delayMs\":1}]}"),
            u"events[0]: expected exactly one"_s);
        row("empty event", withStep("{\"events\":[{}]}"), u"events[0]: expected exactly one"_s);
        row("text is a number", withStep("{\"events\":[{\"text\":\"a\"},{\"text\":1}]}"),
            u"events[1].text"_s);
        row("empty text", withStep("{\"events\":[{\"text\":\"\"}]}"), u"events[0].text"_s);
        row("delay", withStep("{\"events\":[{\"delayMs\":600001}]}"),
            u"delayMs: expected a whole number from 0 to 600000"_s);
        row("delay null", withStep("{\"events\":[{\"delayMs\":null}]}"), u"delayMs"_s);
        row("call without args", withStep("{\"events\":[{\"call\":{\"name\":\"a\"}}]}"),
            u"call: expected either"_s);
        row("args are a list", withStep("{\"events\":[{\"call\":{\"name\":\"a\",\"args\":[]}}]}"),
            u"call.args"_s);
        row("ask is a word",
            withStep("{\"events\":[{\"call\":{\"name\":\"a\",\"args\":{},\"ask\":\"yes\"}}]}"),
            u"call.ask"_s);
        row("pace", withStep("{\"events\":[],\"pace\":{\"charsPerSecond\":-1}}"), u"pace.charsPerSecond"_s);
        row("usage", withStep("{\"events\":[],\"usage\":{\"input\":-1}}"), u"usage.input"_s);
        row("usage member", withStep("{\"events\":[],\"usage\":{\"in\":1}}"), u"usage.in"_s);
        row("stop", withStep("{\"events\":[],\"stop\":\"later\"}"), u"stop: expected one of end_turn"_s);
        row("fault kind", withStep("{\"events\":[],\"fault\":{\"kind\":\"fire\"}}"),
            u"fault.kind: expected one of silence"_s);
        row("fault after the end", withStep("{\"events\":[],\"fault\":{\"kind\":\"server\",\"after\":1}}"),
            u"fault.after"_s);
        row("expect", withStep("{\"events\":[],\"expect\":\"luck\"}"), u"expect"_s);
        row("unexpected alone", withStep("{\"events\":[],\"unexpected\":[]}"), u"unexpected"_s);
        row("otherwise",
            "{\"format\":1,\"name\":\"x\",\"turns\":[{\"steps\":[{\"events\":[]}]}],\"otherwise\":{}}",
            u"at otherwise.steps"_s);
        row("deep", QByteArray(5000, '['), u"nested too deeply"_s);
    }
    void refuses()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, place);
        const auto parsed = ScenarioFile::parse(json, u"my/file.json"_s);
        QVERIFY(!parsed);
        const Error &error = parsed.error();
        QVERIFY2(error.message.contains(u"my/file.json"_s) && error.message.contains(place),
                 qPrintable(error.message));
        QVERIFY(!error.todo.isEmpty());
        QCOMPARE(error.kind, ErrorKind::Model);
    }

    void files()
    {
        const auto missing = ScenarioFile::load(u"/no/such/file.json"_s);
        QVERIFY(!missing);
        QVERIFY(missing.error().message.contains(u"/no/such/file.json"_s));

        QTemporaryDir dir;
        QFile large(dir.filePath(u"large.json"_s));
        QVERIFY(large.open(QIODevice::WriteOnly));
        QVERIFY(large.resize(ScenarioFile::LargestFile + 1));
        large.close();
        const auto tooLarge = ScenarioFile::load(large.fileName());
        QVERIFY(!tooLarge);
        QVERIFY(tooLarge.error().message.contains(u"8 MiB"_s));
        QVERIFY(!ScenarioFile::load(dir.path()));
    }

    void everyShippedScenarioIsValid()
    {
        QVERIFY(ModelResources::scenarioNames().contains(u"tour"_s));
        for (const QString &name : ModelResources::scenarioNames()) {
            const auto scenario = ScenarioFile::load(ModelResources::scenarioPath(name));
            QVERIFY2(scenario, scenario ? "" : qPrintable(scenario.error().message));
            QCOMPARE(scenario->name, name);
        }
    }

    void theExampleInTheDocumentIsValid()
    {
        QFile page(QStringLiteral(PH_SOURCE_DIR "/docs/demo-scenarios.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        const auto match =
            QRegularExpression(u"```json\n(.*?)```"_s, QRegularExpression::DotMatchesEverythingOption)
                .match(text);
        QVERIFY(match.hasMatch());
        const auto scenario = ScenarioFile::parse(match.captured(1).toUtf8(), u"example"_s);
        QVERIFY2(scenario, scenario ? "" : qPrintable(scenario.error().message));
    }
};

QTEST_GUILESS_MAIN(TestScenarioFile)
#include "tst_scenariofile.moc"
