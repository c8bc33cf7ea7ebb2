// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

class QIODevice;
class QString;

namespace Pilothouse {

class LogReader;

/// Writes a conversation's transcript as one HTML page that needs nothing else and does nothing: no script,
/// no link, no picture, and a policy in its head that forbids them all. Every text of a person, a model or a
/// tool is escaped and stands as it was written, Markdown included; control and direction characters are
/// written out as \u{HEX}. Long output is cut in the middle; the JSON export has all of it. Rows are read in
/// pages. Errors as exportMarkdown().
[[nodiscard]] Result<Done, Error> exportHtml(LogReader &reader, const QString &conversation,
                                             QIODevice &device);

} // namespace Pilothouse
