// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/callid.h"

#include <QLatin1StringView>
#include <QUrl>

namespace Pilothouse {

/// How a server that speaks Chat Completions differs from the others. Data only; there is one table.
struct ChatDialect {
    QLatin1StringView id; ///< Of the provider, or of the kind of local server.
    QLatin1StringView host; ///< Where it is found under another name; empty: only by id.
    int port = 0; ///< On loopback; 0: none of its own.
    bool needsKey = true;
    QLatin1StringView maxTokens{"max_tokens"}; ///< Name of the limit.
    bool takesStreamOptions = true; ///< Counters have to be asked for.
    bool takesToolChoice = true;
    bool takesCacheKey = false;
    /// Thinking goes back in the field in which it came. Some refuse a request that has it, others one that
    /// has not.
    bool returnsReasoning = true;
    CallIdForm idForm = CallIdForm::Chat;
    bool tellsTools = false; ///< Says of each model whether it can call tools, when asked for it.

    /// By id, else by the host of `base`, else by its port on loopback, else the common form.
    [[nodiscard]] static const ChatDialect &find(const QString &id, const QUrl &base);
};

} // namespace Pilothouse
