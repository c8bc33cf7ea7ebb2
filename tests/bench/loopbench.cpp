// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "agent/agentloop.h"
#include "engine/conversationlog.h"
#include "engine/eventpipe.h"
#include "model/scenario.h"
#include "model/scriptedclient.h"
#include "net/networkaccess.h"
#include "store/store.h"
#include "support/loopbackserver.h"
#include "util/clock.h"
#include "util/ids.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTemporaryFile>

#include <unistd.h>

namespace Pilothouse::Bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int Steps = 50;
constexpr int Turns = 7;
constexpr int Syncs = 100;
constexpr int CommitBytes = 20'000;
// Measured for a TypeScript agent loop with instant model and tool, 50 steps: overhead per step and memory of
// the process.
constexpr double PeerStepMs = 27;
constexpr double PeerMemoryMb = 215;

class InstantRun final : public ToolRun {
public:
    explicit InstantRun(QObject *parent)
        : ToolRun(parent)
    {
        QMetaObject::invokeMethod(
            this,
            [this] {
                Q_EMIT output(OutputChannel::Stdout, "ok\n");
                ToolEnd end;
                end.exitCode = 0;
                end.result = "{\"stdout\":\"ok\\n\",\"stderr\":\"\",\"exitCode\":0}";
                Q_EMIT finished(end);
            },
            Qt::QueuedConnection);
    }
    void stop(const QString &) override { }
};

class InstantTool final : public Tool {
public:
    QString name() const override { return u"bash"_s; }
    QString description() const override { return u"Answers at once."_s; }
    QByteArray inputSchema() const override
    {
        return "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"}},\"required\":["
               "\"command\"]}";
    }
    QString summary(const Json &) const override { return u"bash: instant"_s; }
    ToolRun *start(const Json &, const ToolContext &, QObject *parent) const override
    {
        return new InstantRun(parent);
    }
};

Scenario manySteps(int steps)
{
    Scenario scenario;
    scenario.name = u"bench"_s;
    ScenarioTurn turn;
    for (int i = 0; i < steps; ++i) {
        ScenarioStep step;
        ScenarioEvent text;
        text.text = u"Step %1: a short sentence before the call."_s.arg(i);
        ScenarioEvent call;
        call.kind = ScenarioEvent::Kind::Call;
        call.toolName = u"bash"_s;
        call.text = u"{\"command\":\"step %1\"}"_s.arg(i);
        step.events = {text, call};
        turn.steps.append(step);
    }
    ScenarioStep last;
    ScenarioEvent done;
    done.text = u"Done."_s;
    last.events = {done};
    turn.steps.append(last);
    scenario.turns = {turn};
    return scenario;
}

// Milliseconds per step of one turn: the real loop, log, store and synced commits; only model and tool answer
// at once.
double oneTurn()
{
    QTemporaryDir folder;
    auto store = Store::open(folder.path(), u"bench"_s);
    if (!store)
        qFatal("%s", qPrintable(store.error().toText()));
    Tests::LoopbackServer service;
    service.setHandler([](const Tests::LoopbackRequest &, Tests::LoopbackConnection *connection) {
        connection->respond(201,
                            "{\"id\":\"sb-1\",\"status\":\"active\",\"created_at\":\"2026-01-01T00:00:00Z\","
                            "\"access_token\":\"t\"}");
    });
    NetworkAccess network;
    SandboxEndpoint endpoint;
    endpoint.control = service.url("");
    endpoint.apiKey = Secret("bench-key");
    SandboxClient client(&network, endpoint);
    SystemClock clock;
    EventPipe pipe(store->get(), nullptr);
    QObject::connect(&pipe, &EventPipe::batch, &pipe, &EventPipe::acknowledge, Qt::QueuedConnection);
    const QString id = newId();
    auto log = std::make_unique<ConversationLog>(id, 0, &pipe, &clock);
    ConversationSettings settings;
    settings.provider = u"demo"_s;
    settings.model = u"bench"_s;
    log->append(EventKind::ConversationCreated, settings.toPayload());
    log->append(EventKind::UserMessage,
                "{\"messageId\":\"" + newId().toLatin1() + "\",\"text\":\"Go.\",\"delivery\":\"now\"}");
    log->append(EventKind::TurnStart,
                "{\"turn\":1,\"parent\":null,\"messageIds\":[],\"provider\":\"demo\",\"model\":\"bench\"}");

    TurnSetup setup;
    setup.conversation = id;
    setup.model = {u"demo"_s, u"bench"_s};
    setup.tools = ToolSet({std::make_shared<InstantTool>()});
    // The scripted model finds its place by the user's text; the log of this bench holds it under another id.
    setup.history = [&log] {
        QList<HistoryItem> items = log->history().history();
        HistoryItem user;
        user.text = u"Go."_s;
        items.prepend(user);
        return items;
    };
    setup.maxSteps = Steps + 1;
    setup.afterTurn = AfterTurn::Keep;
    setup.policy = Policy(ApprovalMode::Allow);
    setup.machine.backend = u"local"_s;
    setup.machine.name = u"bench"_s;
    setup.sandboxClient = [&client](QObject *, auto reply) { reply(&client); };
    auto model = std::make_shared<ScriptedClient>(manySteps(Steps));
    setup.modelClient = [model]() -> Result<std::shared_ptr<ModelClient>, Error> {
        return std::shared_ptr<ModelClient>(model);
    };
    setup.costNanos = [](const Usage &) { return std::optional<qint64>(); };

    AgentLoop loop(setup, log.get(), nullptr);
    QEventLoop wait;
    QElapsedTimer timer;
    double startedMs = 0;
    QObject::connect(&loop, &AgentLoop::stateChanged, &wait, [&](AgentLoop::State state) {
        if (state == AgentLoop::State::Thinking && startedMs == 0) {
            timer.start();
            startedMs = 1;
        }
    });
    double totalMs = 0;
    QObject::connect(&loop, &AgentLoop::finished, &wait, [&] {
        totalMs = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        wait.quit();
    });
    loop.start();
    wait.exec();
    log.reset();
    pipe.flush();
    store->reset();
    return totalMs / Steps;
}

// What the disk alone takes for a synced write of the size of a commit: two of them are in each step.
double syncMs()
{
    QTemporaryFile file;
    if (!file.open())
        qFatal("no temporary file");
    QList<double> all;
    const QByteArray commit(CommitBytes, 'x');
    for (int i = 0; i < Syncs; ++i) {
        if (::pwrite(file.handle(), commit.constData(), CommitBytes, static_cast<off_t>(i) * CommitBytes)
            != CommitBytes)
            qFatal("no write");
        QElapsedTimer timer;
        timer.start();
        if (::fdatasync(file.handle()) != 0)
            qFatal("no sync");
        all.append(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return percentile(all, 0.5);
}

} // namespace

QList<Figure> measureLoop()
{
    // The disk is shared with everything else: one turn alone says little.
    QList<double> turns;
    for (int i = 0; i < Turns; ++i)
        turns.append(oneTurn());
    return {
        {u"loop.step"_s, percentile(turns, 0.5), u"ms/step"_s, 2.7, false, u"TypeScript peer"_s, PeerStepMs},
        {u"loop.step.best"_s, percentile(turns, 0), u"ms/step"_s, {}, false, {}, {}},
        {u"loop.disksync"_s, syncMs(), u"ms"_s, {}, false, {}, {}},
        {u"loop.memory"_s, peakMemoryMb(), u"MB"_s, 60, false, u"TypeScript peer"_s, PeerMemoryMb}};
}

} // namespace Pilothouse::Bench
