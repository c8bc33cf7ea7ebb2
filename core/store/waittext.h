// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// "in 18 s", in seconds that were begun; empty for a wait below one second.
[[nodiscard]] inline QString waitText(qint64 ms)
{
    using namespace Qt::StringLiterals;
    return ms < 1000 ? QString() : u"in %1 s"_s.arg((ms + 999) / 1000);
}

} // namespace Pilothouse
