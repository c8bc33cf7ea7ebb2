// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "eventloop.h"
#include "httptypes.h"

#include <chrono>
#include <functional>

namespace Pilothouse {

/// Who still needs the service: each user holds one connection open. Tells when none has been there for a
/// while.
class Leases {
public:
    /// `idleLimit` 0: never idle. With `fromStart` the time also counts before the first lease.
    Leases(EventLoop &loop, std::chrono::seconds idleLimit, bool fromStart, std::function<void()> onIdle);

    void add(const HttpExchangePtr &exchange); ///< Answers it with a stream that stays open.

private:
    void keepAlive(const HttpExchangePtr &exchange, const std::shared_ptr<Timer> &timer);
    void armIdle();

    EventLoop &m_loop;
    std::chrono::seconds m_idleLimit;
    std::function<void()> m_onIdle;
    Timer m_idleTimer;
    int m_count = 0;
};

} // namespace Pilothouse
