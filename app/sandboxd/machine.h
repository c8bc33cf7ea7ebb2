// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "bubblewrap.h"
#include "eventloop.h"
#include "initprotocol.h"

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

#include <deque>
#include <functional>
#include <memory>

namespace Pilothouse {

/// What a command may use. 0 means no limit of its own.
struct ProcessLimits {
    quint64 processes = 512; ///< In one sandbox together. A build uses dozens; a fork bomb wants all.
    quint64 fileBytes = 4ULL * 1024 * 1024 * 1024; ///< One file; the upload limit of the API.
    quint64 addressSpace = 0; ///< Of one process. Off: runtimes reserve far more than they use.
    quint64 openFiles = 4096; ///< Of one process.
};

struct SpawnRequest {
    QByteArray workingDirectory;
    QList<QByteArray> arguments; ///< At least one.
    QList<QByteArray> environment; ///< KEY=VALUE
    ProcessLimits limits;
};

struct SpawnFailure {
    int error = 0; ///< errno; 0: it started.
    int stage = 0; ///< Init::SpawnStage
};

/// The running side of one sandbox: its namespaces, its first process and the way to talk to that. Destroying
/// it kills everything inside. Callbacks never run inside the call that sets them, and none runs after
/// destruction.
class Machine {
public:
    explicit Machine(EventLoop &loop);
    ~Machine();
    Q_DISABLE_COPY_MOVE(Machine)

    /// `done` gets an empty text when commands can be started, else what went wrong, bubblewrap's own words
    /// included.
    void start(const Confinement &confinement, const QByteArray &folder,
               std::function<void(QString error)> done);
    void onLost(std::function<void()> handler); ///< It ended by itself (killed from outside, out of memory).

    /// `exited` is called once with the exit code (128 + signal for a signal) or -1 if the machine is gone;
    /// never if the start failed. Returns a number for signal().
    quint32 spawn(const SpawnRequest &request, UniqueFd in, UniqueFd out, UniqueFd err,
                  std::function<void(SpawnFailure)> started, std::function<void(int code)> exited);
    void forget(quint32 id); ///< No callback for this command any more.
    void signalGroup(quint32 id, int number); ///< Nothing happens if it has ended.
    void freeze(
        std::function<void(int error)> done); ///< Until every process stands still. `error` is an errno.
    void thaw(std::function<void(int error)> done);
    /// Opens `path` as the sandbox sees it. The descriptor may be anything: check what it is before use.
    void open(Init::OpenKind kind, const QByteArray &path, std::function<void(Result<UniqueFd, int>)> done);
    void remove(const QByteArray &path); ///< Unlinks a file; best effort.
    void end(std::function<void()> done); ///< Kills all; `done` when the last process is gone. No onLost.

private:
    struct Outgoing {
        Init::Packet packet;
        QByteArray text;
        std::vector<UniqueFd> fds;
    };
    struct Pending {
        std::function<void(SpawnFailure)> started;
        std::function<void(int)> exited;
        std::function<void(int)> done;
        std::function<void(Result<UniqueFd, int>)> opened;
    };

    quint32 addPending(Pending pending);
    void send(Outgoing message);
    void flush();
    void waitControl();
    bool receive();
    void dispatch(const Init::Packet &packet, UniqueFd fd);
    void onHello(pid_t pid);
    void onControlClosed();
    void killAll();
    void onProcessesGone();
    [[nodiscard]] QString errorWords();

    EventLoop &m_loop;
    std::unique_ptr<FdWatcher> m_control;
    std::unique_ptr<FdWatcher> m_bwrapExit; // pidfd
    std::unique_ptr<FdWatcher> m_initExit; // pidfd; null before hello
    UniqueFd m_errors;
    pid_t m_bwrapPid = -1;
    Timer m_startTimer;
    std::deque<Outgoing> m_outgoing;
    QHash<quint32, Pending> m_pending;
    quint32 m_nextId = 1;
    std::function<void(QString)> m_started;
    std::function<void()> m_lost;
    std::function<void()> m_ended;
    bool m_isUp = false;
    bool m_isEnding = false;
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true); // For posted calls.
};

} // namespace Pilothouse
