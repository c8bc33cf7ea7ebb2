// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "posix.h"

#include <QtGlobal>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>

namespace Pilothouse {

/// The service's only loop; everything runs on its one thread. Nothing here blocks and nothing throws.
class EventLoop {
public:
    EventLoop();
    ~EventLoop();
    Q_DISABLE_COPY_MOVE(EventLoop)

    void run(); ///< Until stop().
    void stop();
    void post(std::function<void()> work); ///< Runs `work` in a later turn.
    /// Calls `handler` for each arrival of one of `signals`. Call once.
    void onSignals(std::initializer_list<int> signals, std::function<void(int)> handler);
    [[nodiscard]] void *native(); ///< The boost::asio::io_context, for the HTTP server.

private:
    class Private;
    std::unique_ptr<Private> d;
};

/// A one-shot timer. Destroying or starting it again cancels what was set before.
class Timer {
public:
    explicit Timer(EventLoop &loop);
    ~Timer();
    Q_DISABLE_COPY_MOVE(Timer)

    void start(std::chrono::milliseconds delay, std::function<void()> handler);
    void cancel();

private:
    class Private;
    std::shared_ptr<Private> d;
};

/// Owns a descriptor that can be polled (pipe, socket, pidfd) and tells once when it is ready. Wait again for
/// more. Destroying it closes the descriptor; no handler runs afterwards.
class FdWatcher {
public:
    FdWatcher(EventLoop &loop, UniqueFd fd);
    ~FdWatcher();
    Q_DISABLE_COPY_MOVE(FdWatcher)

    [[nodiscard]] int fd() const;
    void waitReadable(std::function<void()> handler); ///< Also called at end of file and on errors.
    void waitWritable(std::function<void()> handler);

private:
    class Private;
    std::shared_ptr<Private> d;
};

} // namespace Pilothouse
