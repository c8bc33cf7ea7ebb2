// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QString>

#include <optional>

namespace Pilothouse {

/// A state as it is shown: word, shape and colour always go together.
struct StateLook {
    QString glyph; ///< For iconPixmap().
    Role color = Role::Text2;
    QString word; ///< May be empty: the result itself says it.
};

/// Of a conversation, by ConversationSummary::state ("stopping" included). An unknown state is shown as its
/// word.
[[nodiscard]] StateLook conversationLook(const QString &state);
/// The same where the group already says that a person is awaited: "Approval", "Limit". `detail` is
/// ConversationSummary::stateDetail.
[[nodiscard]] StateLook conversationLook(const QString &state, const QString &detail);
/// Of a call, by the state in its transcript row.
[[nodiscard]] StateLook callLook(const QString &state, std::optional<int> exitCode);
/// Of a machine, by the state of sandbox-state events; empty: there is none yet.
[[nodiscard]] StateLook machineLook(const QString &sandboxState);

} // namespace Pilothouse
