// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "exitcodes.h"

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

int exitCodeOf(const Error &error)
{
    switch (error.kind) {
    case ErrorKind::Internal:
        return InternalError;
    case ErrorKind::Usage:
    case ErrorKind::NotFound:
    case ErrorKind::Busy:
        return UsageError;
    case ErrorKind::Storage:
    case ErrorKind::NotOwner:
        return StorageOrOwner;
    case ErrorKind::KeyMissing:
    case ErrorKind::Model:
        return ModelError;
    case ErrorKind::Sandbox:
    case ErrorKind::SandboxUnavailable:
    case ErrorKind::SandboxGone:
    case ErrorKind::SandboxLost:
        return SandboxError;
    case ErrorKind::Limit:
        return LimitReached;
    case ErrorKind::Denied:
        return DeniedOrWaiting;
    case ErrorKind::Interrupted:
        return Interrupted;
    }
    return InternalError;
}

int exitCodeOfTurn(const QString &reason)
{
    if (reason == "finished"_L1)
        return Finished;
    if (reason == "step-limit"_L1 || reason == "limit"_L1)
        return LimitReached;
    if (reason == "model-error"_L1)
        return ModelError;
    if (reason == "sandbox-error"_L1)
        return SandboxError;
    if (reason == "waiting"_L1)
        return DeniedOrWaiting;
    return Interrupted;
}

} // namespace Pilothouse::Cli
