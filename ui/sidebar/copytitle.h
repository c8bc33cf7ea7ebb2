// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

#include <functional>

namespace Pilothouse {

/// The title of a copy of what is called `title`: "Name (copy)", then "Name (copy 2)" and so on, also of a
/// copy; the first that is not taken. At most `longest` UTF-16 units (more than 20), cut in the name, never
/// in a character.
[[nodiscard]] QString copyTitle(const QString &title, qsizetype longest,
                                const std::function<bool(const QString &)> &isTaken);

} // namespace Pilothouse
