// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QString>

#include <memory>

namespace Pilothouse {

/// Ownership of a data folder: DATA/owner.lock, held by flock(2) for as long as the object lives. The kernel
/// lets go of it when the process dies, however it dies; the content only tells people who owns the folder.
class OwnerLock {
public:
    /// Errors: NotOwner (names program and process of the owner), Storage (the folder cannot be used).
    [[nodiscard]] static Result<std::unique_ptr<OwnerLock>, Error> take(const QString &dataDir,
                                                                        const QString &program);
    ~OwnerLock();
    /// Whether some program, this one included, owns the folder now. Takes nothing and makes nothing; a
    /// folder that cannot be looked at counts as owned, because then nothing may be concluded about its
    /// turns.
    [[nodiscard]] static bool isHeld(const QString &dataDir);
    Q_DISABLE_COPY_MOVE(OwnerLock)

private:
    explicit OwnerLock(int fd)
        : m_fd(fd)
    { }
    int m_fd;
};

} // namespace Pilothouse
