// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/callledger.h"
#include "util/json.h"

namespace Pilothouse {

/// History to the input items of the Responses protocol. Used once per request by ResponsesRequest, which
/// says the rules.
class ResponsesHistory {
public:
    ResponsesHistory(QString provider, QString model);
    void add(const HistoryItem &item);
    /// JSON texts, each of one or more items.
    [[nodiscard]] const QList<QByteArray> &items();

private:
    void addUser(const QString &text);
    void addAssistant(const HistoryItem &item);
    void addOwn(const HistoryItem &item, const Json &items);
    void addForeign(const HistoryItem &item);
    void addResults(const QList<ToolOutcome> &outcomes);
    void openOwnCall(const Json &item);

    QString m_provider;
    QString m_model;
    CallLedger m_ledger{CallIdForm::Responses};
    QSet<QString> m_customCalls; ///< Ids of open calls that take another kind of result.
    QList<QByteArray> m_items;
};

} // namespace Pilothouse
