// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "collect.h"
#include "model/modelresources.h"
#include "model/scenariofile.h"
#include "model/scriptedclient.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

HistoryItem user(const QString &text)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::User;
    item.text = text;
    return item;
}

HistoryItem assistant(const QByteArray &raw = "{}")
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::Assistant;
    item.protocol = u"scripted"_s;
    item.provider = u"demo"_s;
    item.raw = raw;
    return item;
}

HistoryItem results(const QString &content, bool isError = false)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::ToolResults;
    item.outcomes = {{u"call_1_1"_s, u"bash"_s, content, isError}};
    return item;
}

Scenario parse(const QByteArray &json)
{
    const auto parsed = ScenarioFile::parse(json, u"test"_s);
    if (!parsed)
        qFatal("%s", qPrintable(parsed.error().message));
    return *parsed;
}

// Two turns; the first has three steps named a, b, c, the second one step.
Scenario threeSteps()
{
    return parse("{\"format\":1,\"name\":\"x\",\"turns\":[{\"steps\":[{\"events\":[{\"text\":\"a\"}]},{"
                 "\"events\":[{\"text\":\"b\"}]},"
                 "{\"events\":[{\"text\":\"c\"}]}]},{\"steps\":[{\"events\":[{\"text\":\"d\"}]}]}],"
                 "\"otherwise\":{\"steps\":[{\"events\":[{\"text\":\"o\"}]}]}}");
}

QString firstText(const ScenarioStep &step)
{
    return step.events.isEmpty() ? QString() : step.events[0].text;
}

} // namespace

class TestScriptedClient : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void stepByHistory_data()
    {
        QTest::addColumn<QList<HistoryItem>>("history");
        QTest::addColumn<QString>("text");
        const HistoryItem ok = results(u"{\"exitCode\":0}"_s);
        using History = QList<HistoryItem>;
        QTest::newRow("first") << History{user(u"1"_s)} << u"a"_s;
        QTest::newRow("second step") << History{user(u"1"_s), assistant(), ok} << u"b"_s;
        QTest::newRow("steered") << History{user(u"1"_s), assistant(), ok, user(u"faster"_s)} << u"b"_s;
        QTest::newRow("third step") << History{user(u"1"_s),      assistant(), ok,
                                               user(u"faster"_s), assistant(), ok}
                                    << u"c"_s;
        QTest::newRow("asked again after a failure") << History{user(u"1"_s), user(u"1 again"_s)} << u"a"_s;
        QTest::newRow("second turn") << History{user(u"1"_s), assistant(), user(u"2"_s)} << u"d"_s;
        QTest::newRow("third turn") << History{user(u"1"_s), assistant(), user(u"2"_s), assistant(),
                                               user(u"3"_s)}
                                    << u"o"_s;
        QTest::newRow("fourth turn") << History{user(u"1"_s), assistant(), user(u"2"_s), assistant(),
                                                user(u"3"_s), assistant(), user(u"4"_s)}
                                     << u"o"_s;
    }
    void stepByHistory()
    {
        QFETCH(QList<HistoryItem>, history);
        QFETCH(QString, text);
        QCOMPARE(firstText(threeSteps().stepFor(history)), text);
    }

    void pastTheEndItSaysSo()
    {
        const HistoryItem ok = results(u"done"_s);
        const ScenarioStep end = threeSteps().stepFor(
            {user(u"1"_s), assistant(), ok, assistant(), ok, assistant(), ok, assistant(), ok});
        QVERIFY(firstText(end).contains(u"script ends here"_s));
        Scenario short_ = threeSteps();
        short_.turns.resize(1);
        short_.otherwise = {};
        QVERIFY(firstText(short_.stepFor({user(u"1"_s), assistant(), user(u"2"_s)}))
                    .contains(u"script, not an AI"_s));
    }

    void expectation_data()
    {
        QTest::addColumn<QString>("content");
        QTest::addColumn<bool>("isError");
        QTest::addColumn<bool>("failed");
        QTest::newRow("exit 0") << u"{\"stdout\":\"\",\"exitCode\":0}"_s << false << false;
        QTest::newRow("exit 3") << u"{\"stdout\":\"\",\"exitCode\":3}"_s << false << true;
        QTest::newRow("exit unknown") << u"{\"exitCode\":null}"_s << false << false;
        QTest::newRow("text") << u"Wrote 3 characters"_s << false << false;
        QTest::newRow("error") << u"denied"_s << true << true;
    }
    void expectation()
    {
        QFETCH(QString, content);
        QFETCH(bool, isError);
        QFETCH(bool, failed);
        const Scenario scenario = parse("{\"format\":1,\"name\":\"x\",\"turns\":[{\"steps\":[{\"events\":[]},"
                                        "{\"expect\":\"passed\",\"events\":[{\"text\":\"good\"}],"
                                        "\"unexpected\":[{\"text\":\"bad\"}]}]}]}");
        const QList<HistoryItem> history{user(u"1"_s), assistant(), results(content, isError)};
        QCOMPARE(Scenario::lastResultsFailed(history), failed);
        QCOMPARE(firstText(scenario.stepFor(history)), failed ? u"bad"_s : u"good"_s);
    }

    void oneAnswer()
    {
        ScriptedClient client(parse("{\"format\":1,\"name\":\"x\",\"maxSteps\":3,\"turns\":[{\"steps\":[{"
                                    "\"events\":[{\"reasoning\":\"hm\"},{\"text\":\"Hi \xF0\x9F\x98\x80\"},"
                                    "{\"call\":{\"name\":\"bash\",\"args\":{\"z\":1.0,\"command\":\"ls\"},"
                                    "\"ask\":true}},{\"call\":{\"name\":\"f\",\"rawArgs\":\"{\"}}],"
                                    "\"usage\":{\"input\":5,\"output\":6}}]}]}"));
        QCOMPARE(client.provider(), u"demo"_s);
        QCOMPARE(client.protocol(), u"scripted"_s);
        QCOMPARE(client.ownMaxSteps(), 3);
        ModelRequest request;
        request.history = {user(u"go"_s)};
        QObject parent;
        Collector got(client.start(request, &parent));
        QVERIFY(got.events.isEmpty()); // nothing before the next turn of the event loop
        QTRY_VERIFY(got.isOver());
        QList<Type> types;
        for (const StreamEvent &event : got.events)
            types.append(event.type);
        const QList<Type> expected{Type::Start,     Type::ThinkingDelta, Type::ThinkingEnd,
                                   Type::TextDelta, Type::ToolCallBegin, Type::ToolArgsDelta,
                                   Type::ToolCall,  Type::ToolCallBegin, Type::ToolArgsDelta,
                                   Type::ToolCall,  Type::Usage,         Type::Stop};
        QCOMPARE(types, expected);
        const auto calls = got.ofType(Type::ToolCall);
        QCOMPARE(calls[0].args, QByteArray("{\"z\":1.0,\"command\":\"ls\"}"));
        QCOMPARE(calls[0].json.toJson(), QByteArray("{\"ask\":true}"));
        QVERIFY(calls[1].json.isNull());
        QVERIFY(calls[1].args.isEmpty());
        QCOMPARE(calls[1].raw, u"{"_s);
        QVERIFY(!calls[1].problem.isEmpty());
        QVERIFY(calls[0].id != calls[1].id);
        const StreamEvent stop = got.events.last();
        QCOMPARE(stop.reason, StopReason::ToolUse);
        QCOMPARE(stop.replay,
                 QByteArray("{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hi "
                            "\xF0\x9F\x98\x80\"},{\"type\":\"tool_use\",\"id\":\"")
                     + calls[0].id.toUtf8()
                     + "\",\"name\":\"bash\",\"input\":{\"z\":1.0,\"command\":\"ls\"}},{\"type\":\"tool_"
                       "use\",\"id\":\""
                     + calls[1].id.toUtf8() + "\",\"name\":\"f\",\"input\":{\"INVALID_JSON\":\"{\"}}]}");
        QVERIFY(!stop.replayWithoutCalls.contains("tool_use"));
        QCOMPARE(got.ends, 1);
    }

    void callIdsAreUniqueInTheConversation()
    {
        ScriptedClient client(parse("{\"format\":1,\"name\":\"x\",\"turns\":[{\"steps\":[{\"events\":[{"
                                    "\"call\":{\"name\":\"a\",\"args\":{}}}]},"
                                    "{\"events\":[{\"call\":{\"name\":\"a\",\"args\":{}}}]}]}]}"));
        QObject parent;
        ModelRequest request;
        request.history = {user(u"go"_s)};
        Collector first(client.start(request, &parent));
        QTRY_VERIFY(first.isOver());
        request.history += {assistant(first.events.last().replay), results(u"{}"_s)};
        Collector second(client.start(request, &parent));
        QTRY_VERIFY(second.isOver());
        QVERIFY(first.ofType(Type::ToolCall)[0].id != second.ofType(Type::ToolCall)[0].id);
    }

    void paceSplitsTextIntoPieces()
    {
        ScriptedClient client(
            parse("{\"format\":1,\"name\":\"x\",\"pace\":{\"charsPerSecond\":2000},\"turns\":[{\"steps\":[{"
                  "\"events\":"
                  "[{\"text\":\"one two three four five six seven eight nine ten\"},{\"delayMs\":20}]}]}]}"));
        QObject parent;
        ModelRequest request;
        request.history = {user(u"go"_s)};
        QElapsedTimer timer;
        timer.start();
        Collector got(client.start(request, &parent));
        QTRY_VERIFY(got.isOver());
        QVERIFY(timer.elapsed() >= 40); // 49 characters and a delay; an upper limit would measure the machine
        QCOMPARE(got.ofType(Type::TextDelta).size(), 10);
        QCOMPARE(got.text(), u"one two three four five six seven eight nine ten"_s);
    }

    void piecesNeverCutACharacter()
    {
        const QString text = QString(39, u'x') + u"😀😀 日本語"_s;
        QString joined;
        for (qsizetype at = 0; at < text.size();) {
            const qsizetype length = scenarioPieceLength(text, at);
            QVERIFY(length > 0);
            const QString piece = text.mid(at, length);
            QVERIFY(!piece.front().isLowSurrogate() && !piece.back().isHighSurrogate());
            joined += piece;
            at += length;
        }
        QCOMPARE(joined, text);
    }

    void faultsAreCounted()
    {
        ScriptedClient client(
            parse("{\"format\":1,\"name\":\"x\",\"turns\":[{\"steps\":[{\"events\":[{\"text\":\"half\"},{"
                  "\"text\":\"rest\"}],"
                  "\"fault\":{\"kind\":\"overloaded\",\"status\":529,\"after\":1,\"times\":2}}]}]}"));
        QObject parent;
        ModelRequest request;
        request.history = {user(u"go"_s)};
        for (int attempt = 1; attempt <= 2; ++attempt) {
            Collector got(client.start(request, &parent));
            QTRY_VERIFY(got.isOver());
            QCOMPARE(got.events.last().type, Type::Error);
            QCOMPARE(got.events.last().error.category, ApiError::Category::Overloaded);
            QVERIFY(got.events.last().error.retryable);
            QVERIFY(got.events.last().error.partial);
            QCOMPARE(got.text(), u"half"_s);
        }
        Collector third(client.start(request, &parent));
        QTRY_VERIFY(third.isOver());
        QCOMPARE(third.text(), u"halfrest"_s);
        request.conversation = u"another"_s;
        Collector other(client.start(request, &parent));
        QTRY_VERIFY(other.isOver());
        QCOMPARE(other.events.last().type, Type::Error);
    }

    void withoutAMessageItEndsInAnError()
    {
        ScriptedClient client(threeSteps());
        QObject parent;
        Collector got(client.start({}, &parent));
        QTRY_VERIFY(got.isOver());
        QCOMPARE(got.events.last().error.category, ApiError::Category::Local);
    }

    void abortIsQuiet()
    {
        ScriptedClient client(threeSteps());
        QObject parent;
        ModelRequest request;
        request.history = {user(u"go"_s)};
        Collector atOnce(client.start(request, &parent));
        atOnce.stream->abort();
        // From inside an event, and by deletion from inside an event.
        Collector inside(client.start(request, &parent));
        connect(inside.stream, &ModelStream::eventReceived, this, [&] { inside.stream->abort(); });
        Collector deleted(client.start(request, &parent));
        connect(deleted.stream, &ModelStream::eventReceived, this, [&] { delete deleted.stream.data(); });
        Collector last(client.start(request, &parent));
        QTRY_VERIFY(last.isOver());
        QVERIFY(atOnce.events.isEmpty());
        QCOMPARE(inside.events.size(), 1);
        QCOMPARE(deleted.events.size(), 1);
        QVERIFY(deleted.stream.isNull());
    }

    void longInstantAnswersLeaveRoomForOthers()
    {
        Scenario scenario;
        scenario.name = u"long"_s;
        ScenarioStep step;
        for (int i = 0; i < 2000; ++i)
            step.events.append({ScenarioEvent::Kind::Text, u"x"_s, {}, false, 0});
        scenario.turns = {{{step}}};
        ScriptedClient client(scenario);
        QObject parent;
        ModelRequest request;
        request.history = {user(u"go"_s)};
        Collector got(client.start(request, &parent));
        QTimer other;
        qsizetype seenByTimer = -1;
        connect(&other, &QTimer::timeout, this, [&] {
            if (seenByTimer < 0 && !got.events.isEmpty())
                seenByTimer = got.events.size();
        });
        other.start(0);
        QTRY_VERIFY(got.isOver());
        QVERIFY(seenByTimer > 0 && seenByTimer < 2000);
        QCOMPARE(got.text().size(), 2000);
    }

    // The tour against a real shell: what its text claims must be what the commands print.
    void tour_data()
    {
        QTest::addColumn<bool>("isAllowed");
        QTest::newRow("allowed") << true;
        QTest::newRow("the asked call is denied") << false;
    }
    void tour()
    {
        QFETCH(bool, isAllowed);
        const auto loaded = ScenarioFile::load(ModelResources::scenarioPath(u"tour"_s));
        QVERIFY(loaded);
        double ms = 0;
        for (const ScenarioStep &step : loaded->turns[0].steps)
            ms += scenarioStepMs(step);
        QVERIFY2(ms > 20'000 && ms < 35'000, qPrintable(QString::number(ms)));

        Scenario scenario = *loaded;
        for (ScenarioTurn *turn : {&scenario.turns[0], &scenario.otherwise}) {
            for (ScenarioStep &step : turn->steps) {
                step.charsPerSecond = 0;
                for (ScenarioEvent &event : step.events)
                    event.delayMs = 0;
            }
        }
        ScriptedClient client(scenario);
        QTemporaryDir home;
        ModelRequest request;
        request.history = {user(u"Show me."_s)};
        QString allText;
        QList<int> exitCodes;
        QStringList outputs;
        int asked = 0;
        int steps = 0;
        QObject parent;
        for (;;) {
            QVERIFY(++steps <= scenario.maxSteps.value());
            Collector got(client.start(request, &parent));
            QTRY_VERIFY(got.isOver());
            const StreamEvent stop = got.events.last();
            QCOMPARE(stop.type, Type::Stop);
            QVERIFY(got.ofType(Type::Usage).value(0).usage.output.value_or(0) > 0);
            if (steps == 1) // Honest from the first sentence on.
                QVERIFY(got.text().left(120).contains(u"not an AI"_s));
            allText += got.text() + u'\n';
            request.history += assistant(stop.replay);
            if (stop.reason == StopReason::EndTurn)
                break;
            HistoryItem item;
            item.kind = HistoryItem::Kind::ToolResults;
            const auto calls = got.ofType(Type::ToolCall);
            for (const StreamEvent &call : calls) {
                ToolOutcome outcome{call.id, call.name, {}, false};
                if (call.json[u"ask"].toBool())
                    ++asked;
                if (call.json[u"ask"].toBool() && !isAllowed) {
                    outcome.isError = true;
                    outcome.content = u"denied"_s;
                } else {
                    runTool(call, home.path(), outcome, exitCodes, outputs);
                }
                item.outcomes.append(outcome);
            }
            request.history += item;
        }
        QCOMPARE(steps, 9);
        QCOMPARE(asked, 1);
        QVERIFY(outputs[1].contains(u"FAIL  4: expected IV, got IIII\n"_s));
        QVERIFY(outputs[1].contains(u"FAIL  1994: expected MCMXCIV, got MCMXCIIII\n"_s));
        QVERIFY(outputs[1].endsWith(u"2 failed\n"_s));
        QVERIFY(outputs[2].endsWith(u"0 failed\n"_s));
        QVERIFY(outputs.last().contains(u"MCMLXXXVII\n"_s));
        const QList<int> expected = isAllowed ? QList<int>{0, 1, 0, 0, 0} : QList<int>{0, 1, 0, 0};
        QCOMPARE(exitCodes, expected);
        QCOMPARE(QFile::exists(home.filePath(u"bin/roman"_s)), isAllowed);
        QVERIFY(allText.contains(u"Done."_s));

        // A follow-up is answered honestly, and ends.
        request.history += user(u"And now in Rust."_s);
        Collector more(client.start(request, &parent));
        QTRY_VERIFY(more.isOver());
        QVERIFY(more.text().contains(u"not an AI"_s));
        request.history += {assistant(more.events.last().replay), results(u"{\"exitCode\":0}"_s)};
        Collector end(client.start(request, &parent));
        QTRY_VERIFY(end.isOver());
        QCOMPARE(end.events.last().reason, StopReason::EndTurn);
    }

private:
    // bash, writeFile and readFile with `home` in the place of /home/user.
    static void runTool(const StreamEvent &call, const QString &home, ToolOutcome &outcome,
                        QList<int> &exitCodes, QStringList &outputs)
    {
        const Json args = parseJson(QByteArray(call.args).replace("/home/user", home.toUtf8())).value();
        const QString path = args[u"path"].toString();
        if (call.name == "bash"_L1) {
            QProcess shell;
            shell.start(u"/bin/sh"_s, {u"-c"_s, args[u"command"].toString()});
            if (!shell.waitForFinished())
                qFatal("no shell");
            exitCodes.append(shell.exitCode());
            outputs.append(QString::fromUtf8(shell.readAllStandardOutput()));
            Json result;
            result.set(u"stdout"_s, Json::string(outputs.last()));
            result.set(u"stderr"_s, Json::string(QString::fromUtf8(shell.readAllStandardError())));
            result.set(u"exitCode"_s, Json::number(qint64(shell.exitCode())));
            outcome.content = QString::fromUtf8(result.toJson());
            if (!result[u"stderr"].toString().isEmpty())
                qFatal("the tour printed an error: %s", qPrintable(outcome.content));
        } else if (call.name == "writeFile"_L1) {
            QFile file(path);
            const QByteArray content = args[u"content"].toString().toUtf8();
            if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
                qFatal("cannot write %s", qPrintable(path));
            outcome.content = u"Wrote %1 characters to %2"_s.arg(content.size()).arg(path);
        } else if (call.name == "readFile"_L1) {
            QFile file(path);
            if (!file.open(QIODevice::ReadOnly))
                qFatal("cannot read %s", qPrintable(path));
            Json result;
            result.set(u"content"_s, Json::string(QString::fromUtf8(file.readAll())));
            outcome.content = QString::fromUtf8(result.toJson());
        } else {
            qFatal("a tool that does not exist: %s", qPrintable(call.name));
        }
    }
};

QTEST_GUILESS_MAIN(TestScriptedClient)
#include "tst_scriptedclient.moc"
