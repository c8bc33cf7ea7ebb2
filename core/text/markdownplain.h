// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// The first line of a Markdown text that says something, as plain words for a list: marks gone, of links
/// and pictures their words. Made inert and bounded as inertLine() does; empty if there is no such line.
/// Reads only the begin of the text, so that its length costs nothing.
[[nodiscard]] QString firstPlainLine(QStringView markdown, qsizetype maxLength);

} // namespace Pilothouse
