// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QString>

#include <optional>

namespace Pilothouse {

/// Why a text cannot be sent as a message (too large, a NUL character, empty), or nothing.
[[nodiscard]] std::optional<Error> messageProblem(const QString &text);
/// Why a conversation with this model takes no message while a demo script was given (empty: none was): words
/// meant for the script must not go to a provider.
[[nodiscard]] std::optional<Error> scriptProblem(const QString &demoScript, const QString &provider,
                                                 const QString &model);

} // namespace Pilothouse
