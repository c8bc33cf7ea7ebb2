// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"

#include <QString>

namespace Pilothouse {

/// A conversation's state as a person reads it: "Waiting for you". Unknown words are shown as they are,
/// inert.
[[nodiscard]] QString stateWord(const QString &state);
/// What the state is about: "bash: pytest -q", "step limit reached". May be empty.
[[nodiscard]] QString stateDetailText(const ConversationSummary &summary);
/// Title or "New conversation".
[[nodiscard]] QString titleText(const ConversationSummary &summary);
/// The same within a sentence: set apart, so that a title keeps its direction and leaves the sentence its
/// own.
[[nodiscard]] QString quotedTitle(const ConversationSummary &summary);
/// "Scripted, not an AI: demo/tour" (the warning first, as the end may be cut) or "provider/model".
[[nodiscard]] QString modelText(const QString &provider, const QString &model);
/// True for models that play a script.
[[nodiscard]] bool isScripted(const QString &provider);
/// "Local sandbox on this computer", "Superserve".
[[nodiscard]] QString backendText(const QString &backend);

} // namespace Pilothouse
