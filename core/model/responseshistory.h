// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/historywriter.h"

namespace Pilothouse {

/// History to the input items of the Responses protocol, for ResponsesRequest, which says the rules.
class ResponsesHistory final : public HistoryWriter {
public:
    ResponsesHistory(const QString &provider, const QString &model);
    [[nodiscard]] const QList<QByteArray> &items(); ///< JSON texts.

private:
    [[nodiscard]] bool isEmpty() const override { return m_items.isEmpty(); }
    void addUser(const QString &text) override;
    void addResult(const CallLedger::Result &result) override;
    bool addOwn(const HistoryItem &item, const Json &record, bool isSameModel) override;
    void addForeign(const QList<AssistantPart> &parts) override;
    void openOwnCall(const Json &item);

    QSet<QString> m_customCalls; ///< Ids of open calls that take another kind of result.
    QList<QByteArray> m_items;
};

} // namespace Pilothouse
