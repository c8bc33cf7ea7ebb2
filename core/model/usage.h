// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <optional>

namespace Pilothouse {

/// Tokens of one model request. Empty means the provider did not say; it is never taken for 0.
struct Usage {
    std::optional<qint64> input; ///< Every prompt token, cached ones included.
    std::optional<qint64> output; ///< Reasoning included.
    std::optional<qint64> cacheRead; ///< Part of input.
    std::optional<qint64> cacheWrite; ///< Part of input.
    std::optional<qint64> reasoning; ///< Part of output.

    [[nodiscard]] Json toJson()
        const; ///< {input, output, cacheRead, cacheWrite, reasoning}, null where unknown.
    [[nodiscard]] static Usage fromJson(const Json &json);
    /// The sum over steps: a figure that one step does not know is unknown in the sum.
    [[nodiscard]] static Usage sum(const QList<Usage> &steps);
    bool operator==(const Usage &) const = default;
};

/// Takes over a counter as a provider sends it: a running total, of which the last one counts. What is no
/// sensible figure is ignored.
void overlayCounter(std::optional<qint64> &counter, const Json &value);

} // namespace Pilothouse
