// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "posix.h"
#include "util/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>
#include <sys/types.h>

namespace Pilothouse {

/// How a sandbox is confined. One value per service, found by probing at start; there is no unconfined one.
struct Confinement {
    QByteArray bwrap; ///< Absolute path.
    QByteArray init; ///< Absolute path of pilothouse-sandbox-init on the host.
    /// Host user that owns what runs inside. Set only when the service is root: root of the host then stays
    /// out of the sandbox, and the limit on processes, from which the kernel excepts root, holds. Else it is
    /// the own user.
    std::optional<uid_t> hostUser;
};

/// A bubblewrap that has been started; whether it came up is known when the supervisor says hello.
struct BubblewrapProcess {
    pid_t pid = -1; ///< A child of ours.
    UniqueFd control; ///< Our end of the pair to the supervisor, non-blocking, with SO_PASSCRED.
    UniqueFd errors; ///< What bubblewrap says on stderr, non-blocking.
};

/// Folders of one sandbox below its own: what is writable inside.
struct SandboxFolder {
    const char *name; ///< Below the sandbox's folder.
    const char *inside;
};
[[nodiscard]] const QList<SandboxFolder> &sandboxFolders();

[[nodiscard]] std::optional<QByteArray> findBubblewrap(); ///< In PATH.
[[nodiscard]] std::optional<QByteArray> findSandboxInit(); ///< Beside this program, or in
                                                           ///< ../libexec/pilothouse.

/// Ways to confine that are worth a try on this system, best first.
[[nodiscard]] QList<Confinement> confinementCandidates(const QByteArray &bwrap, const QByteArray &init);

/// Makes the folders of a sandbox with their owner; fine if they exist. The error is an errno.
[[nodiscard]] Result<Done, int> makeSandboxFolders(const Confinement &confinement, const QByteArray &folder);

/// Starts bubblewrap for the sandbox in `folder`. The error is a sentence.
[[nodiscard]] Result<BubblewrapProcess, QString> startBubblewrap(const Confinement &confinement,
                                                                 const QByteArray &folder);

} // namespace Pilothouse
