// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/routes.h"
#include "util/clock.h"

#include <QNetworkProxy>
#include <QUrl>

#include <chrono>
#include <functional>
#include <memory>

namespace Pilothouse {

/// What NetworkAccess takes from the system, as seams. Empty members mean the system's own.
struct NetworkSetup {
    /// The proxy for an address; called in a thread of its own, since the system may run a script for it.
    std::function<QNetworkProxy(const QUrl &)> proxyFor;
    std::shared_ptr<const Clock> clock;
    std::function<RouteState()> routes;
    std::chrono::milliseconds watchInterval{2000}; ///< Between looks at clock and routes.
    /// Connections to this computer outlive its sleep and are not checked after it. Tests have no others.
    bool checksLoopback = false;
};

} // namespace Pilothouse
