// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QFont>

namespace Pilothouse {

/// The font of commands, code and output: of those that are there the first one that shows every character as
/// it is. In this order: JetBrains Mono, the desktop's fixed font, fonts that are known to be plain. GUI
/// thread.
[[nodiscard]] QFont monoFont();

/// Whether this font draws two characters that stand side by side as a third one ("!=" as one sign): a
/// command must look as it will run.
[[nodiscard]] bool formsLigatures(const QFont &font);

} // namespace Pilothouse
