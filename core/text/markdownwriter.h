// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"

#include <QString>

namespace Pilothouse {

/// Writes a text anew as Markdown for other programs: the blocks and styles that a transcript shows, and
/// nothing else. Everything that is not one of these marks is escaped, so that no viewer obeys it: no HTML,
/// no pictures that would be fetched, no links but web and mail ones, no definitions that reach other parts
/// of the document, no fence that is left open. Headings begin `headings` levels further down (0 to 5). The
/// last line ends with a line end; empty for an empty text.
[[nodiscard]] QString writeMarkdown(QStringView text, MarkdownBlocks::Dialect dialect, int headings);

/// One line of words that mean nothing but themselves, without a line end: only what would be read as a mark
/// where it stands is escaped. `text` is made inert and bounded to `maxLength` before; it also ends no
/// heading.
[[nodiscard]] QString writeMarkdownLine(QStringView text, qsizetype maxLength);

/// A fenced block around `text`, whose fence is longer than any in it. `language` may be hostile.
[[nodiscard]] QString writeFence(QStringView text, QStringView language);

} // namespace Pilothouse
