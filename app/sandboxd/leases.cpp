// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "leases.h"

#include <utility>

namespace Pilothouse {

using namespace std::chrono_literals;

namespace {

constexpr auto AliveInterval = 15s;

} // namespace

Leases::Leases(EventLoop &loop, std::chrono::seconds idleLimit, bool fromStart, std::function<void()> onIdle)
    : m_loop(loop)
    , m_idleLimit(idleLimit)
    , m_onIdle(std::move(onIdle))
    , m_idleTimer(loop)
{
    if (fromStart)
        armIdle();
}

void Leases::armIdle()
{
    if (m_idleLimit > 0s)
        m_idleTimer.start(m_idleLimit, [this] { m_onIdle(); });
}

void Leases::add(const HttpExchangePtr &exchange)
{
    ++m_count;
    m_idleTimer.cancel();
    const auto timer = std::make_shared<Timer>(m_loop);
    exchange->onGone([this, timer] {
        timer->cancel();
        if (--m_count == 0)
            armIdle();
    });
    exchange->begin({200, {{"Content-Type", "application/x-ndjson"}, {"Cache-Control", "no-cache"}}, {}},
                    std::nullopt);
    exchange->write("{\"lease\":true}\n");
    keepAlive(exchange, timer);
}

void Leases::keepAlive(const HttpExchangePtr &exchange, const std::shared_ptr<Timer> &timer)
{
    timer->start(AliveInterval, [this, exchange, weak = std::weak_ptr(timer)] {
        exchange->write("{\"alive\":true}\n");
        if (const auto same = weak.lock())
            keepAlive(exchange, same);
    });
}

} // namespace Pilothouse
