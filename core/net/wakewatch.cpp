// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/wakewatch.h"

namespace Pilothouse {

using namespace std::chrono_literals;

namespace {

// Shorter than any sleep that breaks connections, longer than what time servers correct at once.
constexpr auto ShortestSleep = 10s;

} // namespace

WakeWatch::WakeWatch(std::shared_ptr<const Clock> clock, Routes routes, std::chrono::milliseconds interval,
                     QObject *parent)
    : QObject(parent)
    , m_clock(clock ? std::move(clock) : std::make_shared<SystemClock>())
    , m_routes(routes ? std::move(routes) : Routes(&currentRoutes))
    , m_offset(m_clock->utcMs() - m_clock->monotonicMs())
{
    m_timer.setTimerType(Qt::CoarseTimer);
    m_timer.setInterval(interval);
    connect(&m_timer, &QTimer::timeout, this, &WakeWatch::check);
}

void WakeWatch::setBusy(bool busy)
{
    if (busy == m_timer.isActive())
        return;
    if (!busy) {
        m_timer.stop();
        return;
    }
    check();
    m_timer.start();
}

void WakeWatch::check()
{
    const qint64 offset = m_clock->utcMs() - m_clock->monotonicMs();
    const auto slept = std::chrono::milliseconds(offset - m_offset);
    m_offset = offset; // Each time, so that slow corrections do not add up.
    const RouteState routes = m_routes();
    const bool hasMoved = !routes.isOffline() && routes.hasLeft(m_last);
    if (!routes.isOffline())
        m_last = routes;
    if (slept >= ShortestSleep || hasMoved) {
        m_isPending = true;
        Q_EMIT noticed(slept >= ShortestSleep ? slept : 0ms);
    }
    // Where there never was a way into the internet, its absence says nothing of the network that is there.
    if (m_isPending && (!routes.isOffline() || m_last.isOffline())) {
        m_isPending = false;
        Q_EMIT reachable();
    }
}

} // namespace Pilothouse
