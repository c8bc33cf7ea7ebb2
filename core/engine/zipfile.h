// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/localfolder.h"
#include "util/error.h"
#include "util/result.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <atomic>

namespace Pilothouse {

/// What is unpacked of an archive from a machine.
struct ZipLimits {
    qint64 mostEntries = 100000;
    qint64 mostBytes = qint64(16) * 1024 * 1024 * 1024; ///< Unpacked.
    int deepest = 200;
    /// Unpacked against packed, when the whole is larger than `ratioFrom`: what is more was made to fill
    /// disks.
    qint64 mostRatio = 250;
    qint64 ratioFrom = 64 * 1024 * 1024;
};

/// A zip file that came from a machine, unpacked with guards: every name is hostile. Calls block; they belong
/// into a worker thread.
class ZipFile {
public:
    /// What it holds, or what was unpacked of it.
    struct Contents {
        qint64 files = 0;
        qint64 folders = 0; ///< Without the one at its root.
        qint64 bytes = 0;
        qint64 failed = 0;
        QStringList failures; ///< "NAME: why", the first few.
    };

    /// Reads the directory of the archive and nothing else. Errors: it is no zip file, is cut, or holds what
    /// is not written here: absolute names, "..", backslashes, drive letters, links, names outside `root`,
    /// more than the limits.
    [[nodiscard]] static Result<Contents, Error> check(const QString &path, const QByteArray &root,
                                                       const ZipLimits &limits = {});
    /// Unpacks what stands below `root` into `into`, after the same checks on every entry. Files that cannot
    /// be written or do not fit their checksum are failures, and the others go on. Ends early when `stop` is
    /// set.
    [[nodiscard]] static Result<Contents, Error> unpack(const QString &path, const QByteArray &root,
                                                        const std::shared_ptr<LocalFolder> &into,
                                                        const std::atomic_bool &stop,
                                                        const ZipLimits &limits = {});
};

} // namespace Pilothouse
