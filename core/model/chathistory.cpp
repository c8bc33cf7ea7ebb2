// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chathistory.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

void removeReasoning(Json &message)
{
    for (const QLatin1StringView field : {"reasoning_content"_L1, "reasoning"_L1, "reasoning_details"_L1})
        message.remove(QString(field));
    Json *content = message.find(u"content");
    if (!content || !content->isArray())
        return;
    Json kept = Json::array();
    for (const Json &part : content->elements()) {
        if (part[u"type"].toString() != "thinking"_L1)
            kept.append(part);
    }
    *content = kept.size() > 0 ? kept : Json();
}

} // namespace

ChatHistory::ChatHistory(const QString &provider, const QString &model, const ChatDialect &dialect)
    : HistoryWriter("openai-chat"_L1, provider, model, dialect.idForm)
    , m_returnsReasoning(dialect.returnsReasoning)
{ }

const QList<QByteArray> &ChatHistory::messages()
{
    settle();
    return m_messages;
}

void ChatHistory::addUser(const QString &text)
{
    m_messages.append(JsonBuilder().add("role"_L1, "user"_L1).add("content"_L1, text).take());
}

bool ChatHistory::addOwn(const HistoryItem &, const Json &record, bool isSameModel)
{
    if (!record.isObject())
        return false;
    Json message = record;
    if (!isSameModel || !m_returnsReasoning)
        removeReasoning(message);
    const Json &calls = message[u"tool_calls"];
    const Json &content = message[u"content"];
    const bool isEmpty = content.isNull() || (content.isString() && content.toString().isEmpty());
    if (isEmpty && calls.size() == 0 && message[u"refusal"].toString().isEmpty())
        return true; // Refused by the service.
    for (const Json &call : calls.elements())
        ledger().open(call[u"id"].toString(), true);
    m_messages.append(message.toJson());
    return true;
}

void ChatHistory::addForeign(const QList<AssistantPart> &parts)
{
    QStringList texts;
    QList<QByteArray> calls;
    for (const AssistantPart &part : parts) {
        if (part.kind == AssistantPart::Kind::Text) {
            texts.append(part.text);
            continue;
        }
        const QByteArray function =
            JsonBuilder().add("name"_L1, part.name).add("arguments"_L1, QString::fromUtf8(part.args)).take();
        calls.append(JsonBuilder()
                         .add("id"_L1, ledger().open(part.id, false))
                         .add("type"_L1, "function"_L1)
                         .raw("function"_L1, function)
                         .take());
    }
    if (texts.isEmpty() && calls.isEmpty())
        return;
    JsonBuilder message;
    message.add("role"_L1, "assistant"_L1);
    if (texts.isEmpty())
        message.addNull("content"_L1);
    else
        message.add("content"_L1, texts.join(u"\n\n"_s));
    if (!calls.isEmpty())
        message.raw("tool_calls"_L1, QByteArray('[' + calls.join(',') + ']'));
    m_messages.append(message.take());
}

void ChatHistory::addResult(const CallLedger::Result &result)
{
    m_messages.append(JsonBuilder()
                          .add("role"_L1, "tool"_L1)
                          .add("tool_call_id"_L1, result.id)
                          .add("content"_L1, result.forText())
                          .take());
}

} // namespace Pilothouse
