// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// The calls of a step: judged, asked about, answered, stopped.

#include "agent/agentloop.h"

#include "agent/schemavalidator.h"

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// A model that cannot write valid arguments three times in a row will not the fourth time.
constexpr int MostBadCallsInARow = 3;
constexpr qsizetype QuotedArgs = 400;

} // namespace

void AgentLoop::judge()
{
    setState(State::Calling);
    m_look = Look::NotYet;
    m_runner = new CallRunner(m_client, m_machine->sandboxId(), m_journal, m_setup.turn, m_step, this);
    connect(m_runner, &CallRunner::idle, this, &AgentLoop::checkCalls);
    // Every call is judged before any runs: a refusal or a question must not come after side effects of its
    // siblings.
    QList<ApprovedCall> allowed;
    bool anyAsked = false;
    bool allBad = true;
    for (const ProposedCall &proposed : std::as_const(m_answer.calls)) {
        const Tool *tool = m_setup.tools.find(proposed.toolName);
        if (!tool) {
            refuse(proposed, proposed.toolName,
                   u"There is no tool named \"%1\". The tools are: %2. Use one of these names exactly."_s.arg(
                       proposed.toolName.left(80), m_setup.tools.names().join(u", "_s)),
                   u"unknown-tool"_s);
            allBad = false;
            continue;
        }
        if (proposed.args.isEmpty()) {
            refuse(
                proposed, proposed.toolName,
                u"The arguments of %1 are not a JSON object (%2) and the call was not run. They began: %3"_s
                    .arg(proposed.toolName, proposed.problem, proposed.raw.left(QuotedArgs)),
                u"invalid-arguments"_s);
            continue;
        }
        Json args = parseJson(proposed.args).value_or(Json::object());
        const QList<SchemaProblem> problems = SchemaValidator::validate(tool->inputSchema(), args);
        if (!problems.isEmpty()) {
            refuse(proposed, proposed.toolName,
                   QString::fromUtf8(SchemaValidator::refusal(proposed.toolName, problems, proposed.args)),
                   u"invalid-arguments"_s);
            continue;
        }
        const QString problem = tool->argumentProblem(args);
        if (!problem.isEmpty()) {
            refuse(proposed, proposed.toolName, problem, u"invalid-arguments"_s);
            continue;
        }
        allBad = false;
        const ApprovedCall call{proposed, tool, args};
        const PolicyVerdict verdict = m_setup.policy.judge(tool->name(), args, proposed.scriptedAsk);
        switch (verdict.kind) {
        case PolicyVerdict::Kind::Allow:
            approve(call, u"approved"_s, u"policy"_s, verdict.rule);
            allowed.append(call);
            break;
        case PolicyVerdict::Kind::Ask:
            anyAsked = true;
            approve(call, u"asked"_s, u"policy"_s, verdict.rule);
            m_waiting.append(call);
            break;
        case PolicyVerdict::Kind::Deny:
            approve(call, u"denied"_s, u"policy"_s, verdict.rule);
            refuse(proposed, proposed.toolName, u"Denied: %1."_s.arg(verdict.rule), u"denied"_s);
            break;
        }
    }
    m_badCalls = allBad ? m_badCalls + 1 : 0;
    if (anyAsked && m_setup.endWhenAsked) {
        for (const ApprovedCall &call : std::exchange(m_waiting, {}))
            refuse(call.proposed, call.proposed.toolName,
                   u"Not run: it waited for an approval that nobody could give here."_s, u"not-run"_s);
        for (const ApprovedCall &call : std::as_const(allowed))
            refuse(call.proposed, call.proposed.toolName,
                   u"Not run: another call of this step waits for an approval."_s, u"not-run"_s);
        finishStep();
        endTurn(TurnEnd::Waiting);
        return;
    }
    runCalls(allowed);
}

void AgentLoop::approve(const ApprovedCall &call, const QString &state, const QString &by,
                        const QString &rule)
{
    m_journal->append(EventKind::ToolApproval,
                      JsonBuilder()
                          .add("turn"_L1, m_setup.turn)
                          .add("step"_L1, m_step)
                          .add("callId"_L1, call.proposed.callId)
                          .add("state"_L1, state)
                          .add("by"_L1, by)
                          .add("rule"_L1, rule)
                          .add("reason"_L1, QString())
                          .take());
}

void AgentLoop::refuse(const ProposedCall &call, const QString &toolName, const QString &error,
                       const QString &reason)
{
    m_journal->append(EventKind::ToolError,
                      JsonBuilder()
                          .add("turn"_L1, m_setup.turn)
                          .add("step"_L1, m_step)
                          .add("callId"_L1, call.callId)
                          .add("toolName"_L1, toolName)
                          .add("error"_L1, error)
                          .add("reason"_L1, reason)
                          .take());
}

QString AgentLoop::decide(const QString &callId, const ApprovalDecision &decision)
{
    qsizetype index = 0;
    while (index < m_waiting.size() && m_waiting[index].proposed.callId != callId)
        ++index;
    if (index == m_waiting.size())
        return u"This call no longer waits for an answer."_s;
    ApprovedCall call = m_waiting[index];
    JsonBuilder payload;
    payload.add("turn"_L1, m_setup.turn).add("step"_L1, m_step).add("callId"_L1, callId);
    if (decision.kind == ApprovalDecision::Kind::Deny) {
        m_waiting.removeAt(index);
        payload.add("state"_L1, "denied"_L1)
            .add("by"_L1, decision.by)
            .add("rule"_L1, QString())
            .add("reason"_L1, decision.reason);
        m_journal->append(EventKind::ToolApproval, payload.take());
        refuse(call.proposed, call.proposed.toolName,
               decision.reason.isEmpty()
                   ? u"The user did not approve this call. It was not run."_s
                   : u"The user did not approve this call. It was not run. Reason: %1"_s.arg(decision.reason),
               u"denied"_s);
        checkCalls();
        return {};
    }
    if (decision.kind == ApprovalDecision::Kind::Edit) {
        JsonParseOptions strict;
        strict.rejectDuplicates = true;
        const auto edited = parseJson(decision.args, strict);
        if (!edited || !edited->isObject())
            return u"The edited arguments are not a JSON object. The call still waits."_s;
        Json args = *edited;
        const QList<SchemaProblem> problems = SchemaValidator::validate(call.tool->inputSchema(), args);
        if (!problems.isEmpty())
            return u"The edited arguments do not fit the tool (%1: %2). The call still waits."_s.arg(
                problems.first().path.join(u'.'), problems.first().text);
        const QString problem = call.tool->argumentProblem(args);
        if (!problem.isEmpty())
            return problem + u" The call still waits."_s;
        call.args = args;
    }
    m_waiting.removeAt(index);
    const bool edited = decision.kind == ApprovalDecision::Kind::Edit;
    payload.add("state"_L1, edited ? "edited"_L1 : "approved"_L1)
        .add("by"_L1, decision.by)
        .add("rule"_L1, QString());
    payload.add("reason"_L1, decision.reason);
    if (edited)
        payload.add("args"_L1, call.args);
    m_journal->append(EventKind::ToolApproval, payload.take());
    m_waitingTimer.stop();
    if (m_state == State::Waking) {
        m_onWaking.append(call);
    } else if (m_machinePaused) {
        m_onWaking.append(call);
        wake();
    } else {
        runCalls({call});
    }
    return {};
}

void AgentLoop::checkCalls()
{
    if (m_state != State::Calling && m_state != State::Waiting && m_state != State::Stopping)
        return;
    if (!m_runner || !m_runner->isIdle())
        return;
    if (m_state == State::Stopping) {
        finishStep();
        if (m_runner->leftSomethingRunning()) {
            setState(State::Freezing);
            m_machine->freeze(u"Frozen to stop what did not end."_s);
        } else {
            endTurn(TurnEnd::Stopped);
        }
        return;
    }
    if (!m_waiting.isEmpty()) {
        setState(State::Waiting);
        if (m_setup.pauseWhileWaiting.count() > 0 && !m_machinePaused && !m_waitingTimer.isActive())
            m_waitingTimer.start(m_setup.pauseWhileWaiting);
        return;
    }
    if (!m_onWaking.isEmpty())
        return;
    m_waitingTimer.stop();
    if (m_runner->isMachineInDoubt() && m_look != Look::Done && !m_machinePaused && !isServiceLost()) {
        if (std::exchange(m_look, Look::Asked) == Look::NotYet)
            m_machine->look();
        return;
    }
    finishStep();
    if (m_machineLoss) {
        m_keepMachine = true; // There is nothing to pause.
        fail(TurnEnd::SandboxError, *m_machineLoss);
        return;
    }
    if (m_badCalls >= MostBadCallsInARow) {
        fail(TurnEnd::ModelError,
             {ErrorKind::Model, u"The model wrote unusable arguments three times in a row."_s,
              u"Everything it did before is kept."_s,
              u"Send a message that says what is wrong, or choose another model."_s});
        return;
    }
    drain();
}

void AgentLoop::onMachineLooked(bool isPaused, const std::optional<Error> &loss)
{
    m_look = Look::Done;
    m_machinePaused = m_machinePaused || isPaused;
    m_machineLoss = loss;
    checkCalls();
}

void AgentLoop::stopCall(const QString &callId, const QString &why)
{
    if (m_runner)
        m_runner->stopCall(callId, why);
}

QString AgentLoop::notRunText() const
{
    return m_stopCause == StopCause::ProgramClosed ? u"Not run: the program was closed during the turn."_s
                                                   : u"Not run: the user stopped the turn."_s;
}

void AgentLoop::stop(StopCause cause)
{
    if (m_stopRequested)
        return;
    m_stopCause = cause;
    switch (m_state) {
    case State::Idle:
    case State::Recording:
    case State::Connecting:
    case State::Draining:
        m_stopRequested = true;
        break;
    case State::Thinking:
        m_stopRequested = true;
        if (m_modelStep) {
            const QList<ProposedCall> calls = m_modelStep->callsSoFar();
            m_text = m_modelStep->textSoFar();
            m_modelStep->abort();
            m_modelStep->deleteLater();
            m_modelStep = nullptr;
            for (const ProposedCall &call : calls)
                refuse(call, call.toolName, notRunText(), u"stopped"_s);
            note(
                u"stop"_s,
                m_text.isEmpty()
                    ? u"The model's stream was closed before it had written anything."_s
                    : u"The model's stream was closed. What it had written stays visible and is not sent again."_s,
                u"model-closed"_s);
            endTurn(TurnEnd::Stopped);
        }
        break;
    case State::Calling:
    case State::Waiting:
    case State::Waking:
        m_stopRequested = true;
        m_waitingTimer.stop();
        for (const ApprovedCall &call : std::exchange(m_onWaking, {}))
            refuse(call.proposed, call.proposed.toolName, notRunText(), u"stopped"_s);
        for (const ApprovedCall &call : std::exchange(m_waiting, {}))
            refuse(call.proposed, call.proposed.toolName, notRunText(), u"stopped"_s);
        if (m_state == State::Waking) {
            finishStep(); // The machine is on its way; its ready or failed ends the turn.
            break;
        }
        setState(State::Stopping);
        m_runner->stopAll(notRunText(),
                          cause == StopCause::ProgramClosed
                              ? u"The program was closed, which stopped this command."_s
                              : QString());
        checkCalls();
        break;
    case State::Stopping:
    case State::Freezing:
    case State::Settling:
    case State::Finished:
        break;
    }
}

void AgentLoop::storageFailed(const Error &error)
{
    if (m_state == State::Settling || m_state == State::Finished)
        return;
    if (m_modelStep) {
        m_modelStep->abort();
        m_modelStep->deleteLater();
        m_modelStep = nullptr;
    }
    m_waiting.clear();
    m_onWaking.clear();
    if (m_runner) {
        m_runner->disconnect(this);
        const auto why = u"Stopped: the log could not be written."_s; // Nothing of it is recorded any more.
        m_runner->stopAll(why, why);
    }
    fail(TurnEnd::Interrupted, error);
}

} // namespace Pilothouse
