// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

class QIODevice;
class QString;

namespace Pilothouse {

class LogReader;

/// Writes a conversation as one JSON array of the objects that NDJSON has a line each for, event by event:
/// memory does not grow with the conversation. `out` is open for writing. Errors: NotFound, Storage (also
/// when `out` takes no more).
[[nodiscard]] Result<Done, Error> exportJson(LogReader &reader, const QString &conversation, QIODevice &out);

} // namespace Pilothouse
