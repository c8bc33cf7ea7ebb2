// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QStringBuilder>

namespace Pilothouse {

/// Of one transfer of files, in either direction: how many faults are told one by one, the others are
/// counted.
inline constexpr qsizetype MostFailuresTold = 20;
/// Milliseconds between two reports of progress; faster than anyone reads.
inline constexpr qint64 ReportEveryMs = 50;

/// The path of `name` in `folder`, both bytes of the machine's file system.
[[nodiscard]] inline QByteArray joinedPath(const QByteArray &folder, const QByteArray &name)
{
    return folder.endsWith('/') ? QByteArray(folder + name) : QByteArray(folder + '/' + name);
}

/// The name at the end of a path; slashes after it do not count.
[[nodiscard]] inline QByteArray lastSegment(const QByteArray &path)
{
    qsizetype end = path.size();
    while (end > 1 && path[end - 1] == '/')
        --end;
    const QByteArray trimmed = path.first(end);
    return trimmed.sliced(trimmed.lastIndexOf('/') + 1);
}

} // namespace Pilothouse
