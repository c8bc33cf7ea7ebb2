// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// True for characters that a terminal or a text view obeys instead of showing: control characters (C0 but
/// for line feed and tab, DEL, C1), direction overrides and isolates, line and paragraph separators,
/// interlinear marks, tag characters, a byte order mark, lone surrogates.
[[nodiscard]] bool isUnsafeToShow(char32_t c);

/// `text` with every unsafe character written out as \u{HEX}. Line feeds and tabs stay.
[[nodiscard]] QString inertText(QStringView text);

/// The first line with something in it, unsafe characters dropped, runs of white space made one space, at
/// most `maxLength` UTF-16 units, a cut marked by "…". For titles and one-line summaries.
[[nodiscard]] QString inertLine(QStringView text, qsizetype maxLength);

} // namespace Pilothouse
