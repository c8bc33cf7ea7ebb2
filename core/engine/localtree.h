// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QByteArrayList>
#include <QList>

namespace Pilothouse {

/// What stands below some files and folders of this computer. Links are not followed and special files are
/// left out; both are counted. Names are exact bytes.
struct LocalTree {
    struct File {
        QByteArray path; ///< On this computer.
        QByteArray name; ///< Below the target: the chosen name, then the way down.
        qint64 size = 0;
    };
    static constexpr int MostEntries = 100000; ///< More at once is a mistake, or a job for an archive.

    QList<File> files;
    QByteArrayList emptyFolders;
    int folders = 0;
    int skipped = 0;
    qint64 bytes = 0;
    bool tooMany = false;
    QByteArrayList unreadable; ///< Names, the first few.
    int unreadableCount = 0;

    /// Reads the disk; for a worker thread.
    [[nodiscard]] static LocalTree read(const QByteArrayList &paths);
};

} // namespace Pilothouse
