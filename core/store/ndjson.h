// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/event.h"

#include <QByteArray>

namespace Pilothouse {

class LogReader;

/// The NDJSON line of a stored event, without the line end: as eventToNdjson(), with the text of a
/// tool-output read from its spill file. If the file is gone or shorter than the event says, `text` has what
/// there is and the payload gets `missing` (bytes).
[[nodiscard]] QByteArray ndjsonLine(LogReader &reader, const Event &event);

} // namespace Pilothouse
