// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/chatdialect.h"
#include "model/historywriter.h"

namespace Pilothouse {

/// History to the messages of the Chat Completions protocol, for ChatRequest, which says the rules.
class ChatHistory final : public HistoryWriter {
public:
    ChatHistory(const QString &provider, const QString &model, const ChatDialect &dialect);
    [[nodiscard]] const QList<QByteArray> &messages(); ///< JSON texts.

private:
    [[nodiscard]] bool isEmpty() const override { return m_messages.isEmpty(); }
    void addUser(const QString &text) override;
    void addResult(const CallLedger::Result &result) override;
    bool addOwn(const HistoryItem &item, const Json &record, bool isSameModel) override;
    void addForeign(const QList<AssistantPart> &parts) override;

    bool m_returnsReasoning;
    QList<QByteArray> m_messages;
};

} // namespace Pilothouse
