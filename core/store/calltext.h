// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QString>

namespace Pilothouse {

/// A call as one bounded line a person can read: "bash: pytest -q". The argument shown is the command or path
/// if there is one, else the first string, else the arguments as JSON.
[[nodiscard]] QString callLine(const QString &toolName, const Json &args);

/// All strings inside `args`, a line each, bounded; what the search index knows of a call.
[[nodiscard]] QString callSearchText(const Json &args);

/// `args` small enough for a row of the read model: long strings are cut (marked by "…"), arguments that are
/// still too large are left out (null). `isCut` tells that the tool-call event holds more.
[[nodiscard]] Json boundedArgs(const Json &args, bool *isCut);

} // namespace Pilothouse
