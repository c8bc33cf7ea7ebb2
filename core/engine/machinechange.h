// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse {

/// What a person can do to a machine while no turn runs on it.
enum class MachineChange { Pause = 1, Resume, Delete };

} // namespace Pilothouse
