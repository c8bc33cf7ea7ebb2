// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/callrunner.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
// More would compete for the sandbox's own connections and processors without being faster.
constexpr int MostParallelCalls = 10;
} // namespace

CallRunner::CallRunner(SandboxClient *client, QString sandboxId, Journal *journal, int turn, int step,
                       QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_sandboxId(std::move(sandboxId))
    , m_journal(journal)
    , m_turn(turn)
    , m_step(step)
{ }

void CallRunner::add(const ApprovedCall &call)
{
    if (m_stopping) {
        endStopped(call, m_notRun);
        checkIdle();
        return;
    }
    m_waiting.append(call);
    launch();
}

void CallRunner::launch()
{
    QList<ApprovedCall> starting;
    while (!m_waiting.isEmpty()) {
        const qsizetype busy = m_running.size() + m_starting + starting.size();
        const bool exclusive = m_waiting.first().tool->isExclusive();
        if (m_exclusive || busy >= MostParallelCalls || (exclusive && busy > 0))
            break;
        m_exclusive = exclusive;
        starting.append(m_waiting.takeFirst());
    }
    if (starting.isEmpty())
        return;
    m_starting += static_cast<int>(starting.size());
    for (const ApprovedCall &call : std::as_const(starting)) {
        m_journal->append(EventKind::ToolStart,
                          JsonBuilder()
                              .add("turn"_L1, m_turn)
                              .add("step"_L1, m_step)
                              .add("callId"_L1, call.proposed.callId)
                              .add("toolName"_L1, call.proposed.toolName)
                              .add("args"_L1, call.args)
                              .add("summary"_L1, call.tool->summary(call.args))
                              .take());
    }
    m_journal->whenDurable(this, [this, starting] {
        m_starting -= static_cast<int>(starting.size());
        for (const ApprovedCall &call : starting) {
            if (m_stopping)
                endStopped(call, m_notRun);
            else
                run(call);
        }
        checkIdle();
    });
}

void CallRunner::run(const ApprovedCall &call)
{
    const QString callId = call.proposed.callId;
    Running running;
    running.call = call;
    running.timer.start();
    running.run = call.tool->start(call.args, {m_client, m_sandboxId, callId}, this);
    connect(
        running.run, &ToolRun::output, this, [this, callId](OutputChannel channel, const QByteArray &bytes) {
            const auto it = m_running.find(callId);
            if (it == m_running.end())
                return;
            // Counted first, as what is appended may end the run. What was not kept is nowhere to be seen.
            qint64 &count = channel == OutputChannel::Stdout ? it->stdoutBytes : it->stderrBytes;
            count += bytes.size();
            if (m_journal->appendOutput(m_turn, m_step, callId, channel, bytes))
                return;
            const auto still = m_running.find(callId);
            if (still != m_running.end())
                (channel == OutputChannel::Stdout ? still->stdoutBytes : still->stderrBytes) -= bytes.size();
        });
    connect(running.run, &ToolRun::receipt, this,
            [this, callId](const QString &rung, const QString &text) { receipt(callId, rung, text); });
    connect(running.run, &ToolRun::finished, this,
            [this, callId](const ToolEnd &end) { onFinished(callId, end); });
    m_running.insert(callId, running);
}

void CallRunner::onFinished(const QString &callId, const ToolEnd &end)
{
    const auto it = m_running.find(callId);
    if (it == m_running.end())
        return;
    const Running running = *it;
    m_running.erase(it);
    m_exclusive = false;
    running.run->deleteLater();
    if (end.stopped && !end.outcomeKnown)
        m_leftRunning = true;
    m_machineInDoubt = m_machineInDoubt || (end.machineInDoubt && !end.stopped);
    JsonBuilder payload;
    payload.add("turn"_L1, m_turn).add("step"_L1, m_step).add("callId"_L1, callId);
    payload.add("toolName"_L1, running.call.proposed.toolName).raw("result"_L1, end.result);
    payload.addOptional("exitCode"_L1, end.exitCode ? std::optional<qint64>(*end.exitCode) : std::nullopt);
    payload.add("durationMs"_L1, running.timer.elapsed()).add("truncated"_L1, end.truncated);
    payload.add("outcome"_L1, end.outcomeKnown ? "known"_L1 : "unknown"_L1);
    payload.add("stdoutBytes"_L1, running.stdoutBytes).add("stderrBytes"_L1, running.stderrBytes);
    if (end.truncated)
        payload.add("leftOutBytes"_L1, end.leftOutBytes);
    if (end.isError)
        payload.add("isError"_L1, true);
    if (end.stopped)
        payload.add("stopped"_L1, true);
    if (end.timedOut)
        payload.add("timedOut"_L1, true);
    m_journal->append(EventKind::ToolResult, payload.take());
    launch();
    checkIdle();
}

void CallRunner::stopAll(const QString &notRun, const QString &why)
{
    m_stopping = true;
    m_notRun = notRun;
    for (const ApprovedCall &call : std::exchange(m_waiting, {}))
        endStopped(call, m_notRun);
    // Copied: a run may end inside stop() and change the map.
    QList<ToolRun *> runs;
    for (const Running &running : std::as_const(m_running))
        runs.append(running.run);
    for (ToolRun *run : std::as_const(runs))
        run->stop(why);
    checkIdle();
}

void CallRunner::stopCall(const QString &callId, const QString &why)
{
    const auto it = m_running.find(callId);
    if (it != m_running.end()) {
        it->run->stop(why);
        return;
    }
    for (qsizetype i = 0; i < m_waiting.size(); ++i) {
        if (m_waiting[i].proposed.callId == callId) {
            endStopped(m_waiting.takeAt(i), u"Not run: the user stopped this call."_s);
            checkIdle();
            return;
        }
    }
}

void CallRunner::endStopped(const ApprovedCall &call, const QString &error)
{
    m_journal->append(EventKind::ToolError,
                      JsonBuilder()
                          .add("turn"_L1, m_turn)
                          .add("step"_L1, m_step)
                          .add("callId"_L1, call.proposed.callId)
                          .add("toolName"_L1, call.proposed.toolName)
                          .add("error"_L1, error)
                          .add("reason"_L1, "stopped"_L1)
                          .take());
}

void CallRunner::receipt(const QString &callId, const QString &rung, const QString &text)
{
    m_journal->append(EventKind::Note,
                      JsonBuilder()
                          .add("turn"_L1, m_turn)
                          .add("about"_L1, "stop"_L1)
                          .add("text"_L1, text)
                          .add("rung"_L1, rung)
                          .add("callId"_L1, callId)
                          .take());
}

void CallRunner::checkIdle()
{
    if (!isIdle() || m_idleQueued)
        return;
    m_idleQueued = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_idleQueued = false;
            if (isIdle())
                Q_EMIT idle();
        },
        Qt::QueuedConnection);
}

} // namespace Pilothouse
