// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "inspector/callmodel.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace Pilothouse {

/// `json` laid out for people, a member a line, with the colours of a terminal. Line feeds inside of strings
/// begin a new line as well and stay written as \n. Bytes are as a program would print them: UTF-8.
[[nodiscard]] QByteArray jsonForShow(const Json &json);

/// What a call is about, in its own terms.
struct CallSubject {
    QString label; ///< "Command", "File", "Arguments"
    QByteArray text; ///< The whole command, the path, or the arguments.
    QString bodyLabel; ///< Of the first tab: "Output", "Text".
    std::optional<QByteArray>
        body; ///< Text that takes the place of the output: of a file, of a plain result.
};
[[nodiscard]] CallSubject callSubject(const CallFacts &facts);

/// What the model received, for show; empty if nothing yet.
[[nodiscard]] QByteArray modelReceived(const CallFacts &facts);
/// One sentence about it: how much, and how much was left out. Empty if nothing yet.
[[nodiscard]] QString modelReceivedNote(const CallFacts &facts, qint64 outputBytes);

/// How the call came to run, or not: "allowed by you", "this conversation asks before every call".
[[nodiscard]] QString approvalWords(const CallFacts &facts);

} // namespace Pilothouse
