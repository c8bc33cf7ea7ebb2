// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropichistory.h"

#include "model/assistantparts.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QByteArray textBlock(const QString &text)
{
    return JsonBuilder().add("type"_L1, "text"_L1).add("text"_L1, text).take();
}

QByteArray resultBlock(const QString &id, const QString &content, bool isError)
{
    JsonBuilder block;
    block.add("type"_L1, "tool_result"_L1).add("tool_use_id"_L1, id);
    // An error result must not be empty.
    block.add("content"_L1, isError && content.isEmpty() ? u"The call failed."_s : content);
    if (isError)
        block.add("is_error"_L1, true);
    return block.take();
}

} // namespace

AnthropicHistory::AnthropicHistory(QString provider, QString model)
    : m_provider(std::move(provider))
    , m_model(std::move(model))
{ }

void AnthropicHistory::add(const HistoryItem &item)
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

const QList<AnthropicHistory::Message> &AnthropicHistory::messages()
{
    addResults({});
    return m_messages;
}

void AnthropicHistory::appendToUser(const QByteArray &block)
{
    if (m_messages.isEmpty() || !m_messages.last().isUser)
        m_messages.append(Message());
    m_messages.last().blocks.append(block);
}

void AnthropicHistory::addUser(const QString &text)
{
    addResults({});
    if (isBlankText(text))
        return; // Refused by the service.
    if (m_isServerToolOpen && !m_messages.isEmpty() && m_messages.last().isUser) {
        // The message after an open server tool may hold results only.
        m_messages.append(Message());
        m_isServerToolOpen = false;
    }
    appendToUser(textBlock(text));
}

void AnthropicHistory::addAssistant(const HistoryItem &item)
{
    addResults({});
    if (m_messages.isEmpty())
        return; // A conversation begins with a user.
    m_isServerToolOpen = false;
    const bool isOwn = item.protocol == "anthropic-messages"_L1 && item.provider == m_provider;
    const Json message = isOwn ? parseJson(item.raw).value_or(Json()) : Json();
    if (message[u"content"].isArray())
        addOwn(item, message);
    else
        addForeign(item);
}

void AnthropicHistory::addOwn(const HistoryItem &item, const Json &message)
{
    const bool isSameModel = item.model == m_model;
    Json kept = Json::array();
    QStringList serverCalls;
    for (const Json &block : message[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (!isSameModel && (type == "thinking"_L1 || type == "redacted_thinking"_L1))
            continue;
        if (type == "tool_use"_L1)
            m_ledger.open(block[u"id"].toString(), true);
        else if (type == "server_tool_use"_L1)
            serverCalls.append(block[u"id"].toString());
        else if (type.endsWith("_tool_result"_L1))
            serverCalls.removeAll(block[u"tool_use_id"].toString());
        kept.append(block);
    }
    m_isServerToolOpen = !serverCalls.isEmpty();
    if (kept.size() == 0)
        return;
    if (isSameModel) {
        m_messages.append({false, item.raw, {}});
        return;
    }
    Json sent;
    sent.set(u"role"_s, Json::string(u"assistant"_s));
    sent.set(u"content"_s, kept);
    m_messages.append({false, sent.toJson(), {}});
}

void AnthropicHistory::addForeign(const HistoryItem &item)
{
    QList<QByteArray> blocks;
    for (const AssistantPart &part : assistantParts(item)) {
        if (part.kind == AssistantPart::Kind::Text) {
            blocks.append(textBlock(part.text));
            continue;
        }
        blocks.append(JsonBuilder()
                          .add("type"_L1, "tool_use"_L1)
                          .add("id"_L1, m_ledger.open(part.id, false))
                          .add("name"_L1, part.name)
                          .raw("input"_L1, part.args)
                          .take());
    }
    if (!blocks.isEmpty())
        m_messages.append({false, "{\"role\":\"assistant\",\"content\":[" + blocks.join(',') + "]}", {}});
}

void AnthropicHistory::addResults(const QList<ToolOutcome> &outcomes)
{
    const QStringList orphans = m_ledger.orphans(outcomes);
    const QList<CallLedger::Result> results = m_ledger.settle(outcomes);
    for (const CallLedger::Result &result : results)
        appendToUser(resultBlock(result.id, result.content, result.isError));
    for (const QString &orphan : orphans)
        appendToUser(textBlock(orphan));
}

} // namespace Pilothouse
