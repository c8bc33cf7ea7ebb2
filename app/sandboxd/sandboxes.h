// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox.h"

#include <QByteArray>
#include <QHash>
#include <QList>

#include <functional>
#include <memory>

namespace Pilothouse {

/// All sandboxes of the data folder, with the timers that pause and delete them.
class Sandboxes {
public:
    explicit Sandboxes(SandboxContext &context);
    ~Sandboxes();
    Q_DISABLE_COPY_MOVE(Sandboxes)

    /// Reads what an earlier service left: files and facts stay, processes are gone.
    void load();
    /// Makes a sandbox of checked facts and starts it. It is listed as `starting` at once.
    void create(SandboxMeta meta, std::function<void(Result<SandboxPtr, ApiFailure>)> done);
    [[nodiscard]] SandboxPtr find(const QByteArray &id) const; ///< Null if there is none or it is deleted.
    [[nodiscard]] QList<SandboxPtr> all() const; ///< Newest first.
    /// 429 if one more would be active than is allowed, else nothing.
    [[nodiscard]] std::optional<ApiFailure> checkActiveLimit() const;
    void pauseAll(std::function<void()> done); ///< What is active; best effort.
    void endAll(std::function<void()> done); ///< Kills every process; the service ends then.

private:
    void watch(const SandboxPtr &sandbox);
    void onChanged(const std::weak_ptr<Sandbox> &sandbox);
    void reap(); // Pauses and deletes what is due, then arms the timer for the next one.
    void sweepTrash();

    SandboxContext &m_context;
    QHash<QByteArray, SandboxPtr> m_sandboxes;
    Timer m_reaper;
    std::unique_ptr<FdWatcher> m_sweeper; // pidfd of a running deletion.
    pid_t m_sweeperPid = -1;
    bool m_reapPosted = false;
    bool m_isEnding = false;
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
};

} // namespace Pilothouse
