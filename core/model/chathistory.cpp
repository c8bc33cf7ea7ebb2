// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chathistory.h"

#include "model/assistantparts.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QByteArray textMessage(QLatin1StringView role, const QString &text)
{
    return JsonBuilder().add("role"_L1, role).add("content"_L1, text).take();
}

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

ChatHistory::ChatHistory(QString provider, QString model, const ChatDialect &dialect)
    : m_provider(std::move(provider))
    , m_model(std::move(model))
    , m_dialect(dialect)
    , m_ledger(dialect.idForm)
{ }

void ChatHistory::add(const HistoryItem &item)
{
    switch (item.kind) {
    case HistoryItem::Kind::User:
        addUser(item.text);
        break;
    case HistoryItem::Kind::Assistant:
        addAssistant(item);
        break;
    case HistoryItem::Kind::ToolResults:
        addResults(item.outcomes);
        break;
    }
}

const QList<QByteArray> &ChatHistory::messages()
{
    addResults({});
    return m_messages;
}

void ChatHistory::addUser(const QString &text)
{
    addResults({});
    if (!isBlankText(text))
        m_messages.append(textMessage("user"_L1, text));
}

void ChatHistory::addAssistant(const HistoryItem &item)
{
    addResults({});
    if (m_messages.isEmpty())
        return; // A conversation begins with a user.
    const bool isOwn = item.protocol == "openai-chat"_L1 && item.provider == m_provider;
    const Json message = isOwn ? parseJson(item.raw).value_or(Json()) : Json();
    if (message.isObject())
        addOwn(item, message);
    else
        addForeign(item);
}

void ChatHistory::addOwn(const HistoryItem &item, Json message)
{
    if (item.model != m_model || !m_dialect.returnsReasoning)
        removeReasoning(message);
    const Json &calls = message[u"tool_calls"];
    const Json &content = message[u"content"];
    const bool isEmpty = content.isNull() || (content.isString() && content.toString().isEmpty());
    if (isEmpty && calls.size() == 0 && message[u"refusal"].toString().isEmpty())
        return; // Refused by the service.
    for (const Json &call : calls.elements())
        m_ledger.open(call[u"id"].toString(), true);
    m_messages.append(message.toJson());
}

void ChatHistory::addForeign(const HistoryItem &item)
{
    QStringList texts;
    QList<QByteArray> calls;
    for (const AssistantPart &part : assistantParts(item)) {
        if (part.kind == AssistantPart::Kind::Text) {
            texts.append(part.text);
            continue;
        }
        const QByteArray function =
            JsonBuilder().add("name"_L1, part.name).add("arguments"_L1, QString::fromUtf8(part.args)).take();
        calls.append(JsonBuilder()
                         .add("id"_L1, m_ledger.open(part.id, false))
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

void ChatHistory::addResults(const QList<ToolOutcome> &outcomes)
{
    const QStringList orphans = m_ledger.orphans(outcomes);
    const QList<CallLedger::Result> results = m_ledger.settle(outcomes);
    for (const CallLedger::Result &result : results)
        m_messages.append(JsonBuilder()
                              .add("role"_L1, "tool"_L1)
                              .add("tool_call_id"_L1, result.id)
                              .add("content"_L1, result.forText())
                              .take());
    for (const QString &orphan : orphans)
        m_messages.append(textMessage("user"_L1, orphan));
}

} // namespace Pilothouse
