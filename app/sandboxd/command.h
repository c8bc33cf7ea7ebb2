// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "eventloop.h"
#include "machine.h"

#include <QByteArray>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

enum class Channel { Stdout = 1, Stderr };

struct CommandEnd {
    int exitCode = 0; ///< 124 after a time-out, 128 + N after signal N.
    bool isLost = false; ///< The machine went away: nobody knows how the command ended.
};

struct CommandHandlers {
    std::function<void(SpawnFailure)> started; ///< Once. After a failure nothing follows.
    std::function<void(Channel, const QByteArray &)> output; ///< Never empty, at most 32 KiB, any split.
    std::function<void(CommandEnd)> ended; ///< Once, after all output.
};

/// One attached command with its pipes. Owned by its transport; kill() or the end cuts the ties to the
/// handlers.
class Command : public std::enable_shared_from_this<Command> {
public:
    Command(EventLoop &loop, const std::shared_ptr<Machine> &machine);
    ~Command();
    Q_DISABLE_COPY_MOVE(Command)

    /// Without `withInput` stdin is /dev/null. No `timeout`: unlimited.
    void start(const SpawnRequest &request, bool withInput, std::optional<std::chrono::milliseconds> timeout,
               CommandHandlers handlers);
    void setReading(bool reading); ///< Off: the pipes fill and the command waits.
    void writeInput(const QByteArray &bytes);
    void closeInput(); ///< After what is queued.
    [[nodiscard]] qint64 inputQueued() const { return m_inputQueued; }
    void onInputDrained(
        std::function<void()> handler); ///< Each time all of it has been taken, or will never be.
    void signalGroup(int number);
    void kill(); ///< SIGKILL to the process group; no handler is called any more.

private:
    struct Source {
        Channel channel;
        std::unique_ptr<FdWatcher> pipe; // Null after its end.
        qsizetype leftAfterDeadline = -1; // Not negative: read at most this, then the end.
    };

    void wait(Source &source);
    void read(Source &source);
    void flushInput();
    void dropInput();
    void onExited(int code);
    void onDrainDeadline();
    void maybeFinish();
    void finish();

    EventLoop &m_loop;
    std::weak_ptr<Machine> m_machine;
    quint32 m_id = 0;
    CommandHandlers m_handlers;
    Source m_sources[2] = {{Channel::Stdout, nullptr}, {Channel::Stderr, nullptr}};
    std::unique_ptr<FdWatcher> m_input;
    QByteArray m_inputBuffer;
    qint64 m_inputQueued = 0;
    bool m_inputClosing = false;
    std::function<void()> m_onInputDrained;
    Timer m_timeoutTimer;
    Timer m_drainTimer;
    bool m_isReading = true;
    bool m_isOver = false;
    bool m_isTimedOut = false;
    std::optional<int> m_exitCode;
};

} // namespace Pilothouse
