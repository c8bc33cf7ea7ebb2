// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QString>

namespace Pilothouse::Cli {

/// Exit codes of pilothouse-cli; stable.
enum ExitCode {
    Finished = 0,
    InternalError = 1,
    UsageError = 2,
    ModelError = 3,
    SandboxError = 4,
    LimitReached = 5,
    DeniedOrWaiting = 6,
    Interrupted = 7,
    StorageOrOwner = 8,
    OurOwnFailure = 125, ///< `sandbox exec`: the command's code is passed on, this one is ours.
};

[[nodiscard]] int exitCodeOf(const Error &error);
/// By the reason of turn-finish.
[[nodiscard]] int exitCodeOfTurn(const QString &reason);

} // namespace Pilothouse::Cli
