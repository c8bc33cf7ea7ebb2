// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"
#include "util/result.h"

#include <QString>

namespace Pilothouse {

/// What a person sees of a call's arguments before allowing it: all of it, inert.
struct ApprovalText {
    QString shown; ///< The command, or every argument by name. Lines are cut into pieces that a text field
                   ///< can bear.
    QString further; ///< With a command: the other arguments, one line each.
    QString editable; ///< What "Edit and run" starts with: the command, or the arguments as JSON.
    bool isCommand = false;
    bool hasHidden = false; ///< Characters that do not show are written out.
};

[[nodiscard]] ApprovalText approvalText(const Json &args);
/// A call as it is spoken: "bash: make test". One inert, bounded line; the command's field has the whole.
[[nodiscard]] QString spokenCall(const QString &toolName, const ApprovalText &text);

/// The arguments that run after an edit, as JSON text: the command put in its place, or the edited JSON. The
/// failure is a sentence for the person.
[[nodiscard]] Result<QByteArray, QString> editedArguments(const Json &args, const QString &edited);

} // namespace Pilothouse
