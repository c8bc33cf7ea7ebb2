// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/chatdialect.h"
#include "model/modelrequest.h"
#include "util/result.h"

#include <QByteArray>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QUrl>

namespace Pilothouse {

/// The pure part of asking in the OpenAI Chat Completions protocol.
struct ChatRequest {
    QString provider; ///< Answers of the same provider and model go back untouched.
    const ChatDialect &dialect;
    QSet<QString> without = {}; ///< Of optional(): what the service refused.

    /// The body, byte for byte the same for the same input; a later request of a conversation extends an
    /// earlier one up to the end of `messages`. What is wrong with the request is the error text.
    ///
    /// Each call gets its tool message right after the answer, in the order of the calls; one without a
    /// result gets an error text. Arguments are texts, there is never an empty list of calls. Answers of
    /// another model lose their thinking; of another provider or protocol, all but text and calls, with ids
    /// in the dialect's form. Results whose call is gone become a user message. An answer without anything is
    /// left out.
    [[nodiscard]] Result<QByteArray, QString> body(const ModelRequest &request) const;

    /// Parameters that a request can do without, should a service refuse them.
    [[nodiscard]] static QStringList optional();
    /// `base` with or without a slash, or already the full path.
    [[nodiscard]] static QUrl completionsUrl(const QUrl &base);
};

} // namespace Pilothouse
