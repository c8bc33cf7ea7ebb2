// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

#include <optional>

namespace Pilothouse {

/// Bytes that output may still take on the disk of `folder`: what is free, less what the log itself needs to
/// tell how things ended and to delete something. Never negative; nothing if the system does not say.
[[nodiscard]] std::optional<qint64> roomForOutput(const QString &folder);

/// A file that holds some space of the data folder's disk. Given up when the disk is full, so that the last
/// events of a turn, or a deletion, can still be written. Lives in the store thread.
class DiskReserve {
public:
    explicit DiskReserve(const QString &folder);

    void take(); ///< Makes the file if it is not there and the disk has plenty.
    /// Removes the file if the disk is nearly full. True if that made room.
    [[nodiscard]] bool release();

private:
    QString m_folder;
    QByteArray m_fileName;
};

} // namespace Pilothouse
