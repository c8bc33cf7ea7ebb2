// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Argument text of a tool call after the check: `args`, or `problem`.
struct ToolArguments {
    QByteArray args; ///< JSON object, as the model wrote it; empty when it is unusable.
    QString problem; ///< What the reader said, with the place.

    /// Blank text means no arguments: {}. Anything but a strictly valid JSON object without repeated members
    /// is unusable, also with an unpaired surrogate in a text; it is never repaired, since a shortened path
    /// or pattern would be another valid call. Only raw control characters inside strings are accepted,
    /// because their meaning is beyond doubt; `args` is written anew then.
    [[nodiscard]] static ToolArguments check(const QString &text);
};

} // namespace Pilothouse
