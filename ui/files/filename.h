// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace Pilothouse {

/// A file name of a machine as a person may see it: bytes that are not UTF-8 as \x{FF}, characters that a
/// view would obey (line feeds, direction marks, …) as \u{HEX}. Different names give different texts, but for
/// names that hold such texts themselves.
[[nodiscard]] QString shownName(const QByteArray &name);
/// `path` with every segment as shownName(); with `home` at its begin written as "~".
[[nodiscard]] QString shownPath(const QByteArray &path, const QByteArray &home = {});

/// `name` for an editor, so that nameFromEdit() gives back exactly `name`: as it is if it can be shown as it
/// is, else written out with backslashes escaped too.
[[nodiscard]] QString nameForEdit(const QByteArray &name);
/// The bytes of an edited name; `original` decides whether escapes are meant. Empty if it cannot be the name
/// of a file: empty, ".", "..", a slash, a NUL, more than 255 bytes, or a broken escape.
[[nodiscard]] std::optional<QByteArray> nameFromEdit(const QString &text, const QByteArray &original);
/// Why nameFromEdit() gave nothing.
[[nodiscard]] QString nameProblem(const QString &text);

[[nodiscard]] QByteArray joinedPath(const QByteArray &folder, const QByteArray &name);
[[nodiscard]] QByteArray parentPath(const QByteArray &path); ///< "/" of "/" and "/a".
[[nodiscard]] QByteArray lastSegment(const QByteArray &path);
/// Whether `path` is `folder` or stands below it.
[[nodiscard]] bool isInside(const QByteArray &path, const QByteArray &folder);

} // namespace Pilothouse
