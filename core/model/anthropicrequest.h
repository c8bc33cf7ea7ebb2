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

/// The pure part of asking in the Anthropic Messages protocol.
struct AnthropicRequest {
    QString provider; ///< Answers of the same provider and model go back untouched.
    int maxTokens = 0; ///< The protocol wants a number; thinking is included.
    /// Mark what the service may cache: the last tool, the system text, the last block of the two newest user
    /// messages. Markers are no part of history. Only for the vendor itself; other servers need not know
    /// them.
    bool hasCacheMarkers = false;
    QSet<QString> without; ///< Of optional(): what the service refused.

    /// The body, byte for byte the same for the same input; a later request of a conversation extends an
    /// earlier one, but for markers. What is wrong with the request is the error text: no message, or too
    /// large.
    ///
    /// User texts become text blocks. Tool results become one user message with a result for each call of the
    /// answer before, in order; a call without a result gets an error result, since the service refuses the
    /// whole conversation otherwise. A user text after results is the last block of their message (of an own
    /// message while a server tool is open). Answers of another model lose their thinking; of another
    /// provider or of a script, all but text and calls; of an unknown protocol, all but HistoryItem::text.
    /// Results whose call is gone become text.
    [[nodiscard]] Result<QByteArray, QString> body(const ModelRequest &request) const;

    /// Parameters that a request can do without, should a service refuse them.
    [[nodiscard]] static QStringList optional();
    /// `base` with or without /v1 and slashes at its end, as the vendor's own library and its gateways want
    /// it.
    [[nodiscard]] static QUrl messagesUrl(const QUrl &base);
    /// True for the vendor's own origin.
    [[nodiscard]] static bool isVendor(const QUrl &base);
    /// The output limit of the vendor's models: 64000 for Haiku 4.5 and Opus 4.5, 128000 for others and
    /// unknown ones.
    [[nodiscard]] static int vendorMaxTokens(const QString &model);
};

} // namespace Pilothouse
