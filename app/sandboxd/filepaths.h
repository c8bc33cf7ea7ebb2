// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>

namespace Pilothouse {

/// Absolute, without NUL and without a ".." segment, not longer than the system takes. Paths are bytes.
[[nodiscard]] bool isSafePath(const QByteArray &path);
/// Without doubled slashes, "." segments and a slash at the end.
[[nodiscard]] QByteArray normalizedPath(const QByteArray &path);
/// The root itself, kernel file systems and the supervisor: no file to read or write.
[[nodiscard]] bool isBlockedPath(const QByteArray &path);

} // namespace Pilothouse
