// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "support/requestview.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(ModelProtocol)

namespace {

QByteArray chatChunk(const QByteArray &delta, const QByteArray &finish = "null")
{
    return "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":" + delta
        + ",\"finish_reason\":" + finish + "}]}\n\n";
}

QByteArray content(const QString &text)
{
    return chatChunk("{\"content\":" + Json::string(text).toJson() + "}");
}

/// A piece of the call at `index`; `head` are its members besides the arguments.
QByteArray callPiece(int index, const QByteArray &head, const QByteArray &name, const QString &args)
{
    const QByteArray named = name.isEmpty() ? QByteArray() : QByteArray("\"name\":\"" + name + "\",");
    return chatChunk("{\"tool_calls\":[{\"index\":" + QByteArray::number(index) + "," + head
                     + "\"function\":{" + named + "\"arguments\":" + Json::string(args).toJson() + "}}]}");
}

ModelReply streamOf(const QList<QByteArray> &chunks, const QByteArray &finish)
{
    return ModelReply::raw(chunks.join() + chatChunk("{}", '"' + finish + '"') + "data: [DONE]\n\n");
}

} // namespace

/// Answers that go round in circles, or are not what they should be.
class TestOddAnswers : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    void open(ModelProtocol protocol)
    {
        f = std::make_unique<EngineFixture>(protocol);
        f->startServices();
        f->openEngine();
    }
    void begin(int maxSteps = 5)
    {
        f->begin(f->onWire(EngineFixture::settings(u"odd"_s, u"Work."_s, {u"bash"_s, u"readFile"_s},
                                                   u"pause"_s, maxSteps)),
                 u"Go."_s);
    }
    QString joined(EventKind kind) const
    {
        QString text;
        for (const Json &payload : f->payloads(kind))
            text += payload[u"text"].toString();
        return text;
    }
    RequestView request(qsizetype n) const { return {f->protocol, f->model.requests().value(n)}; }

private Q_SLOTS:
    void init() { Test::init(); }
    void cleanup()
    {
        QCOMPARE(f->model.complaints(), QStringList());
        f.reset();
    }

    /// The step limit alone ends a run that would go on for ever: before the request that would pass it.
    void theStepLimit_data()
    {
        QTest::addColumn<int>("callsPerStep");
        QTest::addColumn<bool>("isVaried");
        QTest::newRow("the same call") << 1 << false;
        QTest::newRow("one character changes") << 1 << true;
        QTest::newRow("eight side by side") << 8 << false;
    }
    void theStepLimit()
    {
        QFETCH(int, callsPerStep);
        QFETCH(bool, isVaried);
        constexpr int Steps = 20;
        open(ModelProtocol::Anthropic);
        int made = 0;
        bool isDone = false;
        f->model.setHandler([&](const Json &) {
            ModelReply reply;
            if (isDone)
                return reply.text(u"Enough."_s);
            for (int i = 0; i < callsPerStep; ++i) {
                ++made;
                const QString path = isVaried ? u"/home/user/none%1"_s.arg(made) : u"/home/user/none"_s;
                reply.call(u"t%1"_s.arg(made), u"readFile"_s, JsonBuilder().add("path"_L1, path).take());
            }
            return reply;
        });
        begin(Steps);
        QTRY_COMPARE_WITH_TIMEOUT(f->ends, QStringList{u"step-limit"_s}, 60'000);
        QCOMPARE(f->model.requests().size(), Steps);
        QCOMPARE(made, Steps * callsPerStep);
        // Each call has its result, and each is an error that the model was told.
        QCOMPARE(f->payloads(EventKind::ToolStart).size(), Steps * callsPerStep);
        QCOMPARE(f->payloads(EventKind::ToolResult).size(), Steps * callsPerStep);
        for (const Json &result : f->payloads(EventKind::ToolResult))
            QVERIFY(result[u"isError"].toBool());
        // The reason stands at the last step.
        const QList<Json> limits = f->payloads(EventKind::LimitHit);
        QCOMPARE(limits.size(), 1);
        QCOMPARE(limits[0][u"limit"].toString(), u"steps"_s);
        QCOMPARE(limits[0][u"step"].toInteger(0), Steps);
        QCOMPARE(limits[0][u"value"].toInteger(0), Steps);
        QCOMPARE(f->payloads(EventKind::StepFinish).size(), Steps);
        QVERIFY(f->kinds().lastIndexOf(u"limit-hit"_s) > f->kinds().lastIndexOf(u"step-finish"_s));

        // A higher limit, and it goes on from there: nothing of what was done is lost or done again.
        bool isRaised = false;
        f->engine->changeSettings(f->lastConversation, "{\"maxSteps\":22}", f.get(),
                                  [&](const Result<Done, Error> &done) { isRaised = done.has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(isRaised, 10'000);
        isDone = true;
        f->submit(f->lastConversation, u"Go on."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->model.requests().size(), Steps + 1);
        QCOMPARE(request(Steps).results().size(), Steps * callsPerStep);
        QCOMPARE(request(Steps).userTexts(), QStringList({u"Go."_s, u"Go on."_s}));
        QCOMPARE(f->payloads(EventKind::ToolStart).size(), Steps * callsPerStep);
        QCOMPARE(f->payloads(EventKind::TurnStart).last()[u"maxSteps"].toInteger(0), 22);
    }

    void thinkingTagsInPieces()
    {
        open(ModelProtocol::Chat);
        f->model.enqueue(streamOf({content(u"<thi"_s), content(u"nk>pl"_s), content(u"an</th"_s),
                                   content(u"ink>"_s), content(u"Ans"_s), content(u"wer < 3."_s)},
                                  "stop"));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(joined(EventKind::ReasoningDelta), u"plan"_s);
        QCOMPARE(joined(EventKind::TextDelta).trimmed(), u"Answer < 3."_s);
        QCOMPARE(f->payloads(EventKind::TurnFinish).value(0)[u"text"].toString().trimmed(), u"Answer < 3."_s);
    }

    void aThinkingTagThatIsNeverClosed()
    {
        open(ModelProtocol::Chat);
        f->model.enqueue(streamOf({content(u"<think>on and"_s), content(u" on"_s)}, "stop"));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(joined(EventKind::ReasoningDelta), u"on and on"_s);
        QCOMPARE(joined(EventKind::TextDelta), QString());
        QVERIFY(joined(EventKind::Note).contains(u"empty answer"_s));
        // The conversation can go on.
        f->model.enqueue(ModelReply().text(u"Here."_s));
        f->submit(f->lastConversation, u"Well?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
    }

    void callsWrittenAsTextAreText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("JSON") << u"{\"name\":\"bash\",\"arguments\":{\"command\":\"touch /tmp/run\"}}"_s;
        QTest::newRow("fenced") << u"```json\n{\"tool\":\"bash\",\"command\":\"touch /tmp/run\"}\n```"_s;
        QTest::newRow("tagged")
            << u"<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"touch /tmp/run\"}}</tool_call>"_s;
        QTest::newRow("marked")
            << u"[TOOL_CALLS][{\"name\":\"bash\",\"arguments\":{\"command\":\"touch /tmp/run\"}}]"_s;
    }
    void callsWrittenAsTextAreText()
    {
        QFETCH(QString, text);
        open(ModelProtocol::Chat);
        f->model.enqueue(
            streamOf({content(text.left(text.size() / 2)), content(text.mid(text.size() / 2))}, "stop"));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls(), QStringList({u"POST /sandboxes"_s, u"model"_s, u"POST /sandboxes/ID/pause"_s}));
        QCOMPARE(f->payloads(EventKind::ToolCall).size(), 0);
        QCOMPARE(joined(EventKind::TextDelta), text);
    }

    void argumentsCutInTheMiddle()
    {
        open(ModelProtocol::Chat);
        f->model.enqueue(streamOf({callPiece(0, "\"id\":\"c1\",\"type\":\"function\",", "bash",
                                             u"{\"command\":\"rm -rf /home/us"_s)},
                                  "tool_calls"));
        f->model.enqueue(ModelReply().text(u"Sorry."_s));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->payloads(EventKind::ToolStart).size(), 0);
        QCOMPARE(f->payloads(EventKind::ToolError).value(0)[u"reason"].toString(), u"invalid-arguments"_s);
        const RequestView::Result result = request(1).results().value(0);
        QVERIFY(result.isError);
        QVERIFY2(result.text.contains(u"rm -rf /home/us"_s) && result.text.contains(u"was not run"_s),
                 qPrintable(result.text));
    }

    void interleavedCalls()
    {
        open(ModelProtocol::Chat);
        const QByteArray type = "\"type\":\"function\",";
        f->model.enqueue(streamOf({callPiece(3, "\"id\":\"c3\"," + type, "bash", u"{\"comm"_s),
                                   callPiece(7, "\"id\":\"c7\"," + type, "bash", u"{\"command\":"_s),
                                   callPiece(3, {}, {}, u"and\":\"echo three\""_s),
                                   callPiece(7, {}, {}, u"\"echo seven\""_s), callPiece(3, {}, {}, u"}"_s),
                                   callPiece(7, {}, {}, u"}"_s)},
                                  "tool_calls"));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        const QList<RequestView::Result> results = request(1).results();
        QCOMPARE(results.size(), 2);
        QVERIFY(results[0].callId == "c3"_L1 && results[0].text.contains(u"three\\n"_s));
        QVERIFY(results[1].callId == "c7"_L1 && results[1].text.contains(u"seven\\n"_s));
    }

    void anUnknownTool()
    {
        open(ModelProtocol::Chat);
        f->model.enqueue(ModelReply().call(u"c1"_s, u"format_disk"_s, "{}"));
        f->model.enqueue(ModelReply().text(u"Sorry."_s));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->payloads(EventKind::ToolError).value(0)[u"reason"].toString(), u"unknown-tool"_s);
        const RequestView::Result result = request(1).results().value(0);
        QVERIFY(result.isError && result.text.contains(u"bash, readFile"_s));
    }

    void anEmptyAnswer_data()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        QTest::newRow("anthropic") << ModelProtocol::Anthropic;
        QTest::newRow("responses") << ModelProtocol::Responses;
        QTest::newRow("chat") << ModelProtocol::Chat;
    }
    void anEmptyAnswer()
    {
        QFETCH(ModelProtocol, protocol);
        open(protocol);
        f->model.enqueue(ModelReply());
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->model.requests().size(), 1); // Not asked again by itself.
        QVERIFY(joined(EventKind::Note).contains(u"empty answer"_s));
        f->model.enqueue(ModelReply().text(u"Here."_s));
        f->submit(f->lastConversation, u"Well?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(request(1).userTexts().last(), u"Well?"_s);
    }

    /// A command that cannot be written as it stands is not run as another one.
    void halfACharacter()
    {
        open(ModelProtocol::Chat);
        f->model.enqueue(
            streamOf({callPiece(0, "\"id\":\"t1\",", "bash", u"{\"command\":\"echo \\ud800 x >half\"}"_s)},
                     "tool_calls"));
        f->model.enqueue(ModelReply().text(u"I see."_s));
        begin();
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->payloads(EventKind::ToolStart).size(), 0);
        const Json error = f->payloads(EventKind::ToolError).value(0);
        QVERIFY2(error[u"error"].toString().contains(u"half of a character"_s), error.toJson().constData());
    }

    /// It ended as if a tool were to run, and there is none to run.
    void aCallThatNeverCame()
    {
        open(ModelProtocol::Chat);
        f->model.enqueue(streamOf({}, "tool_calls"));
        begin();
        QCOMPARE(f->waitForEnd(), u"model-error"_s);
        const QString said = f->payloads(EventKind::Error).last()[u"message"].toString();
        QVERIFY2(said.contains(u"no whole call came"_s), qPrintable(said));
        f->model.enqueue(ModelReply().text(u"Here."_s));
        f->submit(f->lastConversation, u"Well?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
    }
};

QTEST_GUILESS_MAIN(TestOddAnswers)
#include "tst_oddanswers.moc"
