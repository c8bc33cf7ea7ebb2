// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "apifailure.h"
#include "machine.h"
#include "sandboxmeta.h"
#include "util/clock.h"

#include <QByteArray>
#include <QHash>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Pilothouse {

/// What all sandboxes of a service share.
struct SandboxContext {
    EventLoop &loop;
    Confinement confinement;
    QByteArray dataFolder; ///< Sandboxes live in sandboxes/ID below it.
    ProcessLimits limits;
    std::chrono::milliseconds transitionDelay{0}; ///< For tests: makes transitions long enough to be seen.
    SystemClock clock;
};

/// One sandbox: its stored facts, its machine and the rules of its states. Callbacks get no value on success.
/// They run in a later turn or at once, each exactly once.
class Sandbox : public std::enable_shared_from_this<Sandbox> {
public:
    using Callback = std::function<void(std::optional<ApiFailure>)>;

    Sandbox(SandboxContext &context, SandboxMeta meta);
    ~Sandbox();
    Q_DISABLE_COPY_MOVE(Sandbox)

    [[nodiscard]] const SandboxMeta &meta() const { return m_meta; }
    [[nodiscard]] QByteArray folder() const;
    [[nodiscard]] const SandboxContext &context() const { return m_context; }
    /// Null without processes. Ask for the status too: a paused sandbox has a machine that stands still.
    [[nodiscard]] const std::shared_ptr<Machine> &machine() const { return m_machine; }
    [[nodiscard]] bool isInTransition() const;

    void create(Callback done); ///< Makes the folders and starts the machine.
    void activate(Callback done); ///< Waits out transitions; at once if active.
    void resume(Callback done); ///< Only from paused.
    void pause(Callback done); ///< Only from active.
    /// Kills everything and takes the folder away. 409 during a young transition.
    void destroy(Callback done);
    void endProcesses(std::function<void()> done); ///< At the end of the service; the status becomes paused.
    [[nodiscard]] Result<Done, int> store(bool durable); ///< Writes meta.json. The error is an errno.
    void change(const std::function<void(SandboxMeta &)> &edit); ///< Edits the facts and stores them.

    /// Registers a data-plane connection. `cut` is called when the sandbox stops being active; not after
    /// detach(). Empty if there are too many.
    [[nodiscard]] std::optional<quint64> attach(std::function<void()> cut);
    void detach(quint64 attachment);

    /// Monotonic milliseconds at which the active time is used up, if limited and active.
    [[nodiscard]] std::optional<qint64> pauseDeadlineMs() const;
    void onChanged(std::function<void()> handler); ///< After every change of status.

private:
    void setStatus(SandboxStatus status);
    void bringUp(SandboxStatus during, Callback done);
    void startMachine(Callback done);
    void finishBringUp(const QString &error, const Callback &done);
    void afterDelay(std::function<void()> work);
    void freeze(const Callback &done);
    void cutAll();
    void whenSettled(std::chrono::milliseconds limit, Callback done);
    void onMachineLost();
    void moveToTrash();

    SandboxContext &m_context;
    SandboxMeta m_meta;
    std::shared_ptr<Machine> m_machine;
    QHash<quint64, std::function<void()>> m_attachments;
    quint64 m_nextAttachment = 1;
    struct Waiter {
        std::unique_ptr<Timer> timer;
        Callback done;
    };
    std::vector<Waiter> m_waiters;
    Timer m_delayTimer;
    qint64 m_activeSinceMs = 0; // Monotonic.
    qint64 m_statusSinceMs = 0; // Monotonic.
    std::function<void()> m_onChanged;
};

using SandboxPtr = std::shared_ptr<Sandbox>;

/// "sandbox is paused" and its like.
[[nodiscard]] QString statusSentence(SandboxStatus status);

} // namespace Pilothouse
