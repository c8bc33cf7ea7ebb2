// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/historywriter.h"

namespace Pilothouse {

/// History to the messages of the Anthropic protocol, for AnthropicRequest, which says the rules.
class AnthropicHistory final : public HistoryWriter {
public:
    /// One message. `raw` is spliced as it stands; else `blocks` are joined.
    struct Message {
        bool isUser = true;
        QByteArray raw;
        QList<QByteArray> blocks; ///< Of user messages: complete JSON objects.
    };

    AnthropicHistory(const QString &provider, const QString &model);
    [[nodiscard]] const QList<Message> &messages();

private:
    [[nodiscard]] bool isEmpty() const override { return m_messages.isEmpty(); }
    void addUser(const QString &text) override;
    void addResult(const CallLedger::Result &result) override;
    bool addOwn(const HistoryItem &item, const Json &record, bool isSameModel) override;
    void addForeign(const QList<AssistantPart> &parts) override;
    void appendToUser(const QByteArray &block);

    QList<Message> m_messages;
    bool m_isServerToolOpen = false;
};

} // namespace Pilothouse
