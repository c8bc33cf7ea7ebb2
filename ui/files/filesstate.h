// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QString>

#include <optional>

namespace Pilothouse {

class FilesSession;

/// What stands instead of a tree, in words; all empty: the tree itself.
struct FilesState {
    QString headline;
    QString text;
    QString action; ///< Of a button; empty: none.
    std::optional<Error> fault; ///< Shown as an error block instead.

    /// `session` null or without a conversation: there is no machine yet.
    [[nodiscard]] static FilesState of(FilesSession *session);
};

/// What stands above a tree that is not true any more; empty: it is.
[[nodiscard]] QString staleTreeWords(FilesSession *session);
/// Whether "no changes" can be said: there is a machine, it was looked at, and something has begun.
[[nodiscard]] bool knowsChanges(FilesSession *session);
/// Why nothing can be done with the machine's files now, for somebody who wanted to. `kept`: what did not
/// happen.
[[nodiscard]] Error cannotWorkError(FilesSession *session, const QString &kept);

} // namespace Pilothouse
