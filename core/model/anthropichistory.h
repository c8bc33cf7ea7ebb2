// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/callledger.h"
#include "util/json.h"

#include <QByteArray>
#include <QList>

namespace Pilothouse {

/// History to the messages of the Anthropic protocol. Used once per request by AnthropicRequest, which says
/// the rules.
class AnthropicHistory {
public:
    /// One message. `raw` is spliced as it stands; else `blocks` are joined.
    struct Message {
        bool isUser = true;
        QByteArray raw;
        QList<QByteArray> blocks; ///< Of user messages: complete JSON objects.
    };

    AnthropicHistory(QString provider, QString model);
    void add(const HistoryItem &item);
    [[nodiscard]] const QList<Message> &messages();

private:
    void addUser(const QString &text);
    void addAssistant(const HistoryItem &item);
    void addOwn(const HistoryItem &item, const Json &message);
    void addForeign(const HistoryItem &item);
    void addResults(const QList<ToolOutcome> &outcomes);
    void appendToUser(const QByteArray &block);

    QString m_provider;
    QString m_model;
    QList<Message> m_messages;
    CallLedger m_ledger{CallIdForm::Anthropic};
    bool m_isServerToolOpen = false;
};

} // namespace Pilothouse
