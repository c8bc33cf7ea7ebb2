// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace Pilothouse {

/// A tool as the model is told of it.
struct ToolSpec {
    QString name; ///< The key on the wire: ^[a-zA-Z0-9_-]{1,64}$
    QString description;
    QByteArray inputSchema; ///< JSON Schema draft-07 object, JSON text, member order kept.
};

/// What the model receives for one call.
struct ToolOutcome {
    QString providerCallId;
    QString toolName;
    QString content; ///< Compact JSON text of an object result, or the text itself. Bounded by the tool.
    bool isError = false;
};

/// One entry of the conversation as the log gives it. Never edited between requests: a later request extends
/// an earlier one byte for byte.
struct HistoryItem {
    enum class Kind { User = 1, Assistant, ToolResults };
    Kind kind = Kind::User;
    QString text; ///< User.
    QString protocol; ///< Assistant: where `raw` came from.
    QString provider;
    QString model;
    QByteArray raw; ///< Assistant: exactly as it must be sent back.
    QList<ToolOutcome> outcomes; ///< ToolResults: all calls of the step, in call order.
};

struct ModelRequest {
    QString model; ///< Without the provider part; passed on unchecked.
    QString instructions; ///< System text; may be empty.
    QList<ToolSpec> tools;
    QList<HistoryItem> history;
    QString conversation; ///< Opaque key for prompt caches.
    int maxTokens = 0; ///< 0: the model's maximum, as far as it is known.
};

} // namespace Pilothouse
