// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QString>

namespace Pilothouse {

/// Whether `fileName` (DATA/log.db) is there with content; looks only. Nothing there, or a folder that does
/// not exist yet, is false: a person starts anew. What cannot be looked at, and an emptied log beside what
/// only a log with content leaves behind (its write-ahead file, outputs of calls), is a Storage error,
/// because starting anew there would hide that something was lost.
[[nodiscard]] Result<bool, Error> hasLog(const QString &fileName);

} // namespace Pilothouse
