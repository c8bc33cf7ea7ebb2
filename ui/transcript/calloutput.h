// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QStringList>

namespace Pilothouse {

/// The end of what a call printed, as lines that are safe to paint.
struct CallOutput {
    QStringList lines; ///< At most CallLinesSegment::MostLines.
    bool isCut = false; ///< More stands before them.
    bool isRead = false; ///< False: it was asked for and has not come yet.
    qint64 bytes = 0; ///< How much the call had printed when it was asked for.

    /// How many bytes at the end are worth reading.
    static constexpr qint64 Wanted = 16 * 1024;
};

/// The last lines of `bytes`, which are the end of a stream of `total` bytes: escape sequences dropped,
/// carriage returns obeyed, long lines cut.
[[nodiscard]] CallOutput lastLines(const QByteArray &bytes, qint64 total);

} // namespace Pilothouse
