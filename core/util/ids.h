// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// A fresh lower-case UUIDv4 without braces, for every id of ours (conversation, call, message, attempt
/// token).
[[nodiscard]] QString newId();
/// True for the form of newId(). Ids from outside (arguments, folder names) are checked with it before use in
/// a path.
[[nodiscard]] bool isId(QStringView text);

} // namespace Pilothouse
