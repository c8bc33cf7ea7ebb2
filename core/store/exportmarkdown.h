// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

class QIODevice;
class QString;

namespace Pilothouse {

class LogReader;

/// Writes a conversation's transcript as Markdown that no viewer obeys: every text of a person, a model or a
/// tool stands in a fence longer than any inside it, so there is no link, image or HTML; control and
/// direction characters are written out as \u{HEX}. Long output is cut in the middle; the JSON export has all
/// of it. Rows are read in pages. Errors as exportJson().
[[nodiscard]] Result<Done, Error> exportMarkdown(LogReader &reader, const QString &conversation,
                                                 QIODevice &device);

} // namespace Pilothouse
