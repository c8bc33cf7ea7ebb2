// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QString>

#include <functional>

class QIODevice;

namespace Pilothouse::Cli {

/// Writes a file that a person named. A regular file is replaced whole or not at all; a device, pipe or
/// socket is written into and never replaced. `write` says what went wrong, or nothing; what it wrote is then
/// flushed and only a file that is whole on the disk takes the old one's place. Errors: Usage when the place
/// cannot be written at all, Storage when the bytes do not fit or cannot be stored.
[[nodiscard]] Result<Done, Error> writeOutputFile(
    const QString &path, const std::function<Result<Done, Error>(QIODevice &)> &write);

} // namespace Pilothouse::Cli
