// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxfiles.h"

#include <QObject>

namespace Pilothouse {

class SandboxClient;

/// Work of a machine that no connection holds: it goes on when everything of ours is closed, and after a
/// pause. Input is empty; the two outputs are files of the machine.
struct JobRequest {
    QString name; ///< [A-Za-z0-9_-]{1,64}; names the job from now on, and never two.
    QString command; ///< Shell text, at most 100 KiB.
    QList<QPair<QString, QString>> env;
    QString workingDir; ///< Empty: the service's default.
};

/// How a job stands.
struct JobStatus {
    enum class State {
        Running = 1,
        Ended, ///< exitCode is set.
        Vanished, ///< It was started, runs no more and left no exit code: killed, or the machine lost its
                  ///< processes.
    };
    State state = State::Running;
    std::optional<int> exitCode;
    qint64 outBytes = 0;
    qint64 errBytes = 0;
};

/// Detached jobs over plain commands. Every call lives as long as its `scope` and replies once, on a later
/// event-loop turn. Engine thread.
class SandboxJobs {
public:
    explicit SandboxJobs(SandboxClient *client)
        : m_client(client)
    { }

    /// Done when it runs. Conflict with code "exists": a job of that name was started before; so a start
    /// whose answer was lost (outcomeUnknown) can be asked for again, it never runs twice. Wakes the machine.
    void start(const QString &id, const JobRequest &job, QObject *scope, Reply<Done> reply) const;
    /// NotFound: no job of that name was ever started there. Wakes nothing, as the calls below.
    void look(const QString &id, const QString &name, QObject *scope, Reply<JobStatus> reply) const;
    /// What it has printed, from `offset` on.
    void output(const QString &id, const QString &name, OutputChannel channel, qint64 offset, qint64 length,
                QObject *scope, Reply<FilePart> reply) const;
    /// `signal` (TERM, KILL, …) to all of its processes; done as well if none is left.
    void signal(const QString &id, const QString &name, const QString &signal, QObject *scope,
                Reply<Done> reply) const;
    /// Away with its files; its processes are killed first.
    void remove(const QString &id, const QString &name, QObject *scope, Reply<Done> reply) const;

    [[nodiscard]] static bool isJobName(QStringView name);
    [[nodiscard]] static QString folder(const QString &name); ///< Of its files, in the machine.

private:
    void run(const QString &id, const QString &name, const QString &script,
             const QList<QPair<QString, QString>> &env, const QString &workingDir, Wake wake, QObject *scope,
             const Reply<ExecResult> &reply) const;

    SandboxClient *m_client;
};

} // namespace Pilothouse
