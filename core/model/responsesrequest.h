// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"
#include "util/result.h"

#include <QByteArray>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QUrl>

namespace Pilothouse {

/// The pure part of asking in the OpenAI Responses protocol, without any state at the service: every request
/// holds the whole conversation, and asks for the reasoning in the encrypted form that can go back.
struct ResponsesRequest {
    QString provider; ///< Answers of the same provider and model go back untouched.
    bool isVendor = false; ///< Send also what only the vendor knows: the key of the prompt cache.
    QSet<QString> without; ///< Of optional(): what the service refused.

    /// The body, byte for byte the same for the same input; a later request of a conversation extends an
    /// earlier one up to the end of `input`. What is wrong with the request is the error text.
    ///
    /// Items of an answer go back in order as they came. Each call gets its output by call_id, in the order
    /// of the calls; one without a result gets an error text. Answers of another model lose their reasoning
    /// and their ids; of another provider or protocol, all but text and calls. Results whose call is gone
    /// become a user message. No sampling parameters: reasoning models refuse them.
    [[nodiscard]] Result<QByteArray, QString> body(const ModelRequest &request) const;

    /// Parameters that a request can do without, should a service refuse them.
    [[nodiscard]] static QStringList optional();
    [[nodiscard]] static QUrl responsesUrl(const QUrl &base); ///< `base` with or without a slash at its end.
};

} // namespace Pilothouse
