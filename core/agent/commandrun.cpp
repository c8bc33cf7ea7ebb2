// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/commandrun.h"

#include "sandbox/commandsession.h"
#include "sandbox/sandboxclient.h"

#include <QTimer>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// What the model receives of one stream: enough for a build log's start and its errors, small beside a
// context window.
constexpr qsizetype ModelHeadBytes = 20 * 1024;
constexpr qsizetype ModelTailBytes = 12 * 1024;
// All output of one call goes to disk; past this a runaway command is stopped before it fills it.
constexpr qint64 LargestOutput = Q_INT64_C(256) * 1024 * 1024;
// The service says nothing but 124, which a command may also end with by itself: the time tells. Its timers
// may be 5 % early.
constexpr int TimeLimitExitCode = 124;
constexpr int EarlyPart = 20;
// Time from SIGTERM to SIGKILL, and from SIGKILL to giving up: commands clean up, persons wait.
constexpr auto TermGrace = 2s;
constexpr auto KillGrace = 3s;

} // namespace

CommandRun::CommandRun(const CommandRequest &request, const ToolContext &context, QObject *parent)
    : ToolRun(parent)
    , m_context(context)
    , m_stdout(ModelHeadBytes, ModelTailBytes)
    , m_stderr(ModelHeadBytes, ModelTailBytes)
    , m_timeLimit(request.timeout)
{
    m_sinceStart.start();
    m_session = context.sandbox->startCommand(context.sandboxId, request, this);
    connect(m_session, &CommandSession::output, this, &CommandRun::onOutput);
    connect(m_session, &CommandSession::finished, this, &CommandRun::onFinished);
}

void CommandRun::onOutput(OutputChannel channel, const QByteArray &bytes)
{
    if (m_finished || m_tooMuchOutput)
        return;
    (channel == OutputChannel::Stdout ? m_stdout : m_stderr).append(bytes);
    m_outputBytes += bytes.size();
    if (m_outputBytes > LargestOutput) {
        m_tooMuchOutput = true;
        Q_EMIT receipt(
            u"output-limit"_s,
            u"The command printed more than 256 MiB and is being stopped. The output so far is kept."_s);
        stop(u"Stopped: the command printed more than 256 MiB."_s);
        return;
    }
    Q_EMIT output(channel, bytes);
}

QByteArray CommandRun::resultJson(const std::optional<int> &exitCode, const QString &problem) const
{
    Json result = Json::object();
    result.set(u"stdout"_s, Json::string(m_stdout.toText()));
    result.set(u"stderr"_s, Json::string(m_stderr.toText()));
    result.set(u"exitCode"_s, exitCode ? Json::number(qint64(*exitCode)) : Json());
    if (!problem.isEmpty())
        result.set(u"note"_s, Json::string(problem));
    return result.toJson();
}

void CommandRun::onFinished(const CommandOutcome &outcome)
{
    if (m_finished)
        return;
    ToolEnd end;
    end.truncated = m_stdout.isTruncated() || m_stderr.isTruncated() || outcome.outputCut;
    end.leftOutBytes = m_stdout.leftOutBytes() + m_stderr.leftOutBytes();
    end.stopped = m_stopping;
    switch (outcome.known) {
    case CommandOutcome::Known::Exited:
        end.exitCode = outcome.exitCode;
        if (m_stopping)
            Q_EMIT receipt(u"exit-seen"_s,
                           u"The command ended with exit code %1."_s.arg(outcome.exitCode.value_or(-1)));
        end.isError = m_tooMuchOutput;
        end.timedOut = !m_stopping && wasTimeLimit(outcome);
        if (end.timedOut) {
            const qint64 seconds = std::chrono::ceil<std::chrono::seconds>(m_timeLimit).count();
            Q_EMIT receipt(u"time-limit"_s,
                           u"The time limit of one call, %1 s, ended the command."_s.arg(seconds));
            end.result = resultJson(
                outcome.exitCode,
                u"Time limit: the command was still running after %1 s, the most one call may take, and was "
                u"killed. Exit code 124 is not its own. Split longer work into several calls."_s.arg(
                    seconds));
        } else {
            end.result = resultJson(outcome.exitCode, m_stopReason);
        }
        break;
    case CommandOutcome::Known::NotStarted: {
        end.isError = true;
        end.machineInDoubt = true;
        const QString why = outcome.error ? outcome.error->message : QString();
        end.result = Json::string(u"The command did not start: "_s + why).toJson();
        break;
    }
    case CommandOutcome::Known::Unknown:
        end.isError = true;
        end.outcomeKnown = false;
        end.machineInDoubt = true;
        end.result = resultJson(
            {},
            u"Outcome unknown: the connection to the sandbox was lost while the command ran. It may "
            "have finished, and it may still be running. Look before you repeat it."_s);
        break;
    }
    finish(end);
}

bool CommandRun::wasTimeLimit(const CommandOutcome &outcome) const
{
    const auto ran = std::chrono::milliseconds(m_sinceStart.elapsed());
    return outcome.exitCode == TimeLimitExitCode && m_timeLimit.count() > 0
        && ran >= m_timeLimit - m_timeLimit / EarlyPart;
}

void CommandRun::stop(const QString &why)
{
    if (m_finished || m_stopping)
        return;
    m_stopping = true;
    m_stopReason = why.isEmpty() ? u"The user stopped this command."_s : why;
    Q_EMIT receipt(u"signalled"_s, u"SIGTERM was sent to the command."_s);
    if (m_session)
        m_session->sendSignal(u"TERM"_s);
    QTimer::singleShot(TermGrace, this, &CommandRun::force);
}

void CommandRun::force()
{
    if (m_finished)
        return;
    // Written before it is sent: the end of the command may be seen before the answer to this call.
    Q_EMIT receipt(u"killed"_s, u"SIGKILL was sent to every process of the command."_s);
    m_context.sandbox->signalCall(
        m_context.sandboxId, m_context.callId, u"KILL"_s, this, [this](const Result<int, ApiError> &reply) {
            if (!m_finished && !reply)
                Q_EMIT receipt(u"kill-failed"_s, u"SIGKILL could not be sent: "_s + reply.error().message);
        });
    QTimer::singleShot(KillGrace, this, &CommandRun::giveUp);
}

void CommandRun::giveUp()
{
    if (m_finished)
        return;
    ToolEnd end;
    end.isError = true;
    end.stopped = true;
    end.outcomeKnown = false;
    end.truncated = m_stdout.isTruncated() || m_stderr.isTruncated();
    end.leftOutBytes = m_stdout.leftOutBytes() + m_stderr.leftOutBytes();
    end.result = resultJson({}, u"Outcome unknown: the command was told to stop and its end was not seen."_s);
    finish(end);
}

void CommandRun::finish(const ToolEnd &end)
{
    m_finished = true;
    if (m_session) {
        m_session->disconnect(this);
        m_session->deleteLater();
    }
    Q_EMIT finished(end);
}

} // namespace Pilothouse
