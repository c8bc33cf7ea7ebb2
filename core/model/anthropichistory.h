// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QStringList>

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
    enum class Fidelity { Whole = 1, WithoutThinking, TextAndCalls };

    void addUser(const QString &text);
    void addAssistant(const HistoryItem &item);
    void addResults(const QList<ToolOutcome> &outcomes);
    void answerOpenCalls();
    void appendToUser(const QByteArray &block);
    [[nodiscard]] Fidelity fidelityOf(const HistoryItem &item) const;

    QString m_provider;
    QString m_model;
    QList<Message> m_messages;
    QStringList m_openCalls; ///< Ids in the last assistant message that have no result yet, as they are sent.
    QHash<QString, QString>
        m_sentIds; ///< Recorded id to sent id, where the protocol does not allow the recorded one.
    bool m_isServerToolOpen = false;
};

} // namespace Pilothouse
