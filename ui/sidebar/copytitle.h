// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

#include <functional>

namespace Pilothouse {

/// The title of a copy of what is called `title`: "Copy of Name", then "Copy 2 of Name" and so on, also of a
/// copy; the first that is not taken. What tells them apart stands first, as a list cuts long titles at their
/// end. At most `longest` UTF-16 units (more than 20), never cut in a character.
[[nodiscard]] QString copyTitle(const QString &title, qsizetype longest,
                                const std::function<bool(const QString &)> &isTaken);

} // namespace Pilothouse
