// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxjobs.h"

#include "sandbox/sandboxclient.h"
#include "sandbox/sandboxwire.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds CallTime{20};
// One variable of a process holds at most 128 KiB.
constexpr qsizetype LongestCommand = 100 * 1024;
constexpr qsizetype LongestName = 64;
constexpr int JobExists = 17;
constexpr int JobMissing = 44;

// The folder is made without -p, so that of two starts only one goes on. All three descriptors are redirected
// and the session is new, so that nothing of this call holds the job and nothing of the job holds this call.
// The exit code appears under its name when it is whole. Done when the process has told its id.
constexpr auto StartScript = R"sh(mkdir -p -- "${SS_JOB%/*}" || exit 1
mkdir -- "$SS_JOB" 2>/dev/null || { [ -d "$SS_JOB" ] && exit 17; exit 1; }
setsid sh -c 'echo $$ >"$SS_JOB/pid.new"; mv "$SS_JOB/pid.new" "$SS_JOB/pid"
  sh -c "$SS_CMD" >"$SS_JOB/out" 2>"$SS_JOB/err" </dev/null
  echo $? >"$SS_JOB/rc.new"; mv "$SS_JOB/rc.new" "$SS_JOB/rc"' </dev/null >/dev/null 2>&1 &
n=0
while [ ! -s "$SS_JOB/pid" ] && [ "$n" -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
[ -s "$SS_JOB/pid" ])sh"_L1;

// The exit code is looked for again after the processes: it may have come in between.
constexpr auto LookScript = R"sh([ -d "$SS_JOB" ] || exit 44
state=vanished
if [ -s "$SS_JOB/rc" ]; then state=ended
elif [ ! -s "$SS_JOB/pid" ]; then state=running
elif kill -s 0 -- "-$(cat "$SS_JOB/pid")" 2>/dev/null; then state=running
elif [ -s "$SS_JOB/rc" ]; then state=ended; fi
code=-
[ "$state" != ended ] || code=$(cat "$SS_JOB/rc")
out=$(wc -c 2>/dev/null <"$SS_JOB/out" || echo 0)
err=$(wc -c 2>/dev/null <"$SS_JOB/err" || echo 0)
echo $state $code ${out:-0} ${err:-0})sh"_L1;

constexpr auto JobSignalScript = R"sh([ -d "$SS_JOB" ] || exit 44
[ -s "$SS_JOB/pid" ] || exit 0
kill -s "$SS_SIG" -- "-$(cat "$SS_JOB/pid")" 2>/dev/null
exit 0)sh"_L1;

constexpr auto JobRemoveScript = R"sh([ -d "$SS_JOB" ] || exit 44
[ ! -s "$SS_JOB/pid" ] || kill -s KILL -- "-$(cat "$SS_JOB/pid")" 2>/dev/null
rm -rf -- "$SS_JOB")sh"_L1;

ApiError refusal(const ExecResult &result)
{
    if (result.exitCode == JobMissing) {
        return SandboxWire::makeError(ApiError::Category::NotFound,
                                      u"There is no such job on this machine."_s);
    }
    if (result.exitCode == JobExists) {
        ApiError error =
            SandboxWire::makeError(ApiError::Category::Conflict,
                                   u"A job of this name was started before; it was not started again."_s);
        error.code = u"exists"_s;
        return error;
    }
    const QString said = cleanErrorText(QString::fromUtf8(result.standardError));
    return SandboxWire::makeError(
        ApiError::Category::Server,
        said.isEmpty() ? u"The job could not be handled: exit code %1."_s.arg(result.exitCode) : said);
}

Reply<ExecResult> doneReply(Reply<Done> reply)
{
    return [reply = std::move(reply)](const Result<ExecResult, ApiError> &result) {
        if (!result)
            reply(fail(result.error()));
        else if (result->exitCode != 0)
            reply(fail(refusal(*result)));
        else
            reply(Done());
    };
}

} // namespace

bool SandboxJobs::isJobName(QStringView name)
{
    return !name.isEmpty() && name.size() <= LongestName
        && std::all_of(name.begin(), name.end(), [](QChar c) {
               return c == u'-' || c == u'_' || (c.unicode() < 0x80 && c.isLetterOrNumber());
           });
}

QString SandboxJobs::folder(const QString &name) { return u"/tmp/pilothouse-jobs/"_s + name; }

void SandboxJobs::run(const QString &id, const QString &name, const QString &script,
                      const QList<QPair<QString, QString>> &env, const QString &workingDir, Wake wake,
                      QObject *scope, const Reply<ExecResult> &reply) const
{
    if (!isJobName(name)) {
        QMetaObject::invokeMethod(
            scope,
            [reply] {
                reply(fail(SandboxWire::makeError(
                    ApiError::Category::Local,
                    u"The name of a job has up to 64 letters, digits, _ and -. Nothing was sent."_s)));
            },
            Qt::QueuedConnection);
        return;
    }
    CommandRequest request;
    request.command = script;
    request.env = env;
    request.env.append({u"SS_JOB"_s, folder(name)});
    request.workingDir = workingDir;
    request.timeout = CallTime;
    request.wake = wake;
    m_client->exec(id, request, scope, reply);
}

void SandboxJobs::start(const QString &id, const JobRequest &job, QObject *scope, Reply<Done> reply) const
{
    if (job.command.isEmpty() || job.command.toUtf8().size() > LongestCommand) {
        QMetaObject::invokeMethod(
            scope,
            [reply = std::move(reply)] {
                reply(fail(SandboxWire::makeError(
                    ApiError::Category::Local,
                    u"A job needs a command of at most 100 KiB. Nothing was sent."_s)));
            },
            Qt::QueuedConnection);
        return;
    }
    QList<QPair<QString, QString>> env = job.env;
    env.append({u"SS_CMD"_s, job.command});
    run(id, job.name, StartScript, env, job.workingDir, Wake::May, scope, doneReply(std::move(reply)));
}

void SandboxJobs::look(const QString &id, const QString &name, QObject *scope, Reply<JobStatus> reply) const
{
    const auto read = [reply = std::move(reply)](const Result<ExecResult, ApiError> &result) {
        if (!result)
            return reply(fail(result.error()));
        if (result->exitCode != 0)
            return reply(fail(refusal(*result)));
        const QList<QByteArray> words = result->standardOutput.trimmed().split(' ');
        JobStatus status;
        bool isCode = false;
        const int code = words.value(1).toInt(&isCode);
        if (words.value(0) == "ended" && isCode) {
            status.state = JobStatus::State::Ended;
            status.exitCode = code;
        } else if (words.value(0) == "vanished") {
            status.state = JobStatus::State::Vanished;
        } else if (words.value(0) != "running") {
            return reply(fail(SandboxWire::makeError(ApiError::Category::Protocol,
                                                     u"How the job stands could not be read."_s)));
        }
        status.outBytes = words.value(2).toLongLong();
        status.errBytes = words.value(3).toLongLong();
        reply(status);
    };
    run(id, name, LookScript, {}, {}, Wake::Never, scope, read);
}

void SandboxJobs::output(const QString &id, const QString &name, OutputChannel channel, qint64 offset,
                         qint64 length, QObject *scope, Reply<FilePart> reply) const
{
    // A bad name gives a path that the file call refuses or does not find; it never leaves the jobs' folder.
    const QString file = channel == OutputChannel::Stdout ? u"out"_s : u"err"_s;
    const QString path = isJobName(name) ? QString(folder(name) + u'/' + file) : QString();
    SandboxFiles(m_client).read(id, path.toUtf8(), offset, length, scope, std::move(reply));
}

void SandboxJobs::signal(const QString &id, const QString &name, const QString &signal, QObject *scope,
                         Reply<Done> reply) const
{
    const QString bare = signal.startsWith("SIG"_L1) ? signal.mid(3) : signal;
    run(id, name, JobSignalScript, {{u"SS_SIG"_s, bare}}, {}, Wake::Never, scope,
        doneReply(std::move(reply)));
}

void SandboxJobs::remove(const QString &id, const QString &name, QObject *scope, Reply<Done> reply) const
{
    run(id, name, JobRemoveScript, {}, {}, Wake::Never, scope, doneReply(std::move(reply)));
}

} // namespace Pilothouse
