// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QString>

#include <optional>

namespace Pilothouse {

/// Why a text cannot be sent as a message (too large, a NUL character, empty), or nothing.
[[nodiscard]] std::optional<Error> messageProblem(const QString &text);

} // namespace Pilothouse
