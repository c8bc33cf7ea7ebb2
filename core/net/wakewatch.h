// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/routes.h"
#include "util/clock.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>

namespace Pilothouse {

/// Notices that the computer slept or that its address changed: after either, open connections may be dead
/// without anybody having said so. Sleep is seen as wall time that passed while monotonic time did not; a
/// clock set forward by hand looks the same, and costs only a check.
///
/// One coarse timer runs while something is in flight, because nothing would be read from a connection that
/// has died quietly; monotonic timers stand still during sleep, so it fires within its interval after
/// waking. With nothing in flight there is no timer: check() before the next request is enough.
class WakeWatch final : public QObject {
    Q_OBJECT
public:
    using Routes = std::function<RouteState()>;
    WakeWatch(std::shared_ptr<const Clock> clock, Routes routes, std::chrono::milliseconds interval,
              QObject *parent = nullptr);

    void setBusy(bool busy);
    [[nodiscard]] bool isBusy() const { return m_timer.isActive(); }
    void check(); ///< Now.

Q_SIGNALS:
    /// `slept` is 0 when only the address changed.
    void noticed(std::chrono::milliseconds slept);
    /// There is a way into the network, so what is silent now can be told from what is dead. Follows
    /// noticed(), at once or when the network is back.
    void reachable();

private:
    std::shared_ptr<const Clock> m_clock;
    Routes m_routes;
    QTimer m_timer;
    RouteState m_last; ///< When there was a way.
    qint64 m_offset; ///< Wall time less monotonic time.
    bool m_isPending = false; ///< Noticed, and no way yet.
};

} // namespace Pilothouse
