// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// What a protocol takes as the id of a call.
enum class CallIdForm {
    Anthropic = 1, ///< ^[a-zA-Z0-9_-]+$
    Responses, ///< The same, at most 64 characters.
    Chat, ///< The same, at most 40 characters.
    NineAlphanumerics, ///< Mistral.
};

/// `id` itself where the form allows it, else a digest of it in that form: the same for the same id, so that
/// call and result still match.
[[nodiscard]] QString callIdFor(const QString &id, CallIdForm form);

/// `name` as every protocol takes it, ^[a-zA-Z0-9_-]{1,64}$: a model may have made up another.
[[nodiscard]] QString callNameFor(const QString &name);

} // namespace Pilothouse
