// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// How this computer would reach the internet now: its own address on the way there, by family. Empty: there
/// is no way.
struct RouteState {
    QString v4;
    QString v6;

    [[nodiscard]] bool isOffline() const { return v4.isEmpty() && v6.isEmpty(); }
    /// Whether connections made under `before` have lost their own address.
    [[nodiscard]] bool hasLeft(const RouteState &before) const
    {
        return (!before.v4.isEmpty() && v4 != before.v4) || (!before.v6.isEmpty() && v6 != before.v6);
    }
};

/// Asks the system's routing table; sends nothing and does not block.
[[nodiscard]] RouteState currentRoutes();

} // namespace Pilothouse
