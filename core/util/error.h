// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// What went wrong, as far as a caller must tell cases apart. Words of the log and of NDJSON by
/// errorKindName().
enum class ErrorKind {
    Internal = 1,
    Usage,
    Storage,
    NotOwner, ///< Another program owns the data folder.
    Busy, ///< A turn already runs in this conversation.
    NotFound,
    KeyMissing,
    Model,
    Sandbox,
    SandboxUnavailable, ///< No usable local sandbox service (bubblewrap missing, port taken).
    SandboxGone, ///< 404: deleted behind our back.
    SandboxLost, ///< 410: the machine is lost.
    Limit,
    Denied,
    Interrupted,
};

[[nodiscard]] QString errorKindName(ErrorKind kind);

/// An error as a person reads it: what happened, what was kept, what to do. No secret, no HTML, bounded.
struct Error {
    ErrorKind kind = ErrorKind::Internal;
    QString message; ///< What happened.
    QString kept; ///< What is safe; empty if nothing was at stake.
    QString todo; ///< What the person can do.

    [[nodiscard]] QString toText() const; ///< The three parts as sentences on one line.
};

} // namespace Pilothouse
