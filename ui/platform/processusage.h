// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

#include <optional>

namespace Pilothouse {

/// What this process has used. Reading takes some microseconds.
struct ProcessUsage {
    qint64 cpuMs = 0; ///< Processor time since the start, all threads.
    qint64 memoryBytes = 0; ///< Resident.

    /// Empty where the system does not tell.
    [[nodiscard]] static std::optional<ProcessUsage> read();
};

} // namespace Pilothouse
