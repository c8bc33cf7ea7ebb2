// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse {

/// Columns a code point takes in a grid of fixed cells: 0 for marks that sit on the character before, 2 for
/// wide East Asian characters and emoji, else 1.
[[nodiscard]] int charWidth(char32_t c);

} // namespace Pilothouse
