// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/callledger.h"
#include "model/chatdialect.h"
#include "util/json.h"

namespace Pilothouse {

/// History to the messages of the Chat Completions protocol. Used once per request by ChatRequest, which says
/// the rules.
class ChatHistory {
public:
    ChatHistory(QString provider, QString model, const ChatDialect &dialect);
    void add(const HistoryItem &item);
    [[nodiscard]] const QList<QByteArray> &messages(); ///< JSON texts.

private:
    void addUser(const QString &text);
    void addAssistant(const HistoryItem &item);
    void addOwn(const HistoryItem &item, Json message);
    void addForeign(const HistoryItem &item);
    void addResults(const QList<ToolOutcome> &outcomes);

    QString m_provider;
    QString m_model;
    const ChatDialect &m_dialect;
    CallLedger m_ledger;
    QList<QByteArray> m_messages;
};

} // namespace Pilothouse
