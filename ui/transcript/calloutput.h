// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/linestore.h"
#include "util/json.h"

#include <QByteArray>

#include <vector>

namespace Pilothouse {

/// The end of what a call printed, as bytes of its two channels. A part may be shorter than asked for: the
/// log is a moment behind what is shown.
struct CallBytes {
    QByteArray bytes[2]; ///< By LineStore::Channel.
    qint64 from[2] = {0, 0}; ///< Where they begin in their channel.
    qint64 total[2] = {0, 0}; ///< What the channel had when they were asked for.
};

/// The same as lines, in the order of arrival.
struct CallOutput {
    std::vector<LineStore::Row> lines; ///< At most CallOutputSegment::MostLines.
    qint64 linesAbove = 0; ///< Lines before them, if isCut is false.
    bool isCut = false; ///< Nobody counted the lines before them.
    bool isRead = false; ///< False: it was asked for and has not come yet.
    qint64 bytes = 0; ///< How much the call had printed when it was asked for.
    qint64 read = 0;

    /// How many bytes at the end of each channel are worth reading.
    static constexpr qint64 Wanted = 16 * 1024;
};

/// `runs`: as in the call's row (outputRuns); without them one channel follows the other.
[[nodiscard]] CallOutput lastLines(const CallBytes &bytes, const Json &runs);

} // namespace Pilothouse
