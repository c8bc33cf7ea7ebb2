// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropichistory.h"

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

AnthropicHistory::AnthropicHistory(const QString &provider, const QString &model)
    : HistoryWriter("anthropic-messages"_L1, provider, model, CallIdForm::Anthropic)
{ }

const QList<AnthropicHistory::Message> &AnthropicHistory::messages()
{
    settle();
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
    if (m_isServerToolOpen && !m_messages.isEmpty() && m_messages.last().isUser) {
        // The message after an open server tool may hold results only.
        m_messages.append(Message());
        m_isServerToolOpen = false;
    }
    appendToUser(textBlock(text));
}

bool AnthropicHistory::addOwn(const HistoryItem &item, const Json &record, bool isSameModel)
{
    m_isServerToolOpen = false;
    if (!record[u"content"].isArray())
        return false;
    Json kept = Json::array();
    QStringList serverCalls;
    for (const Json &block : record[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (!isSameModel && (type == "thinking"_L1 || type == "redacted_thinking"_L1))
            continue;
        if (type == "tool_use"_L1)
            ledger().open(block[u"id"].toString(), true);
        else if (type == "server_tool_use"_L1)
            serverCalls.append(block[u"id"].toString());
        else if (type.endsWith("_tool_result"_L1))
            serverCalls.removeAll(block[u"tool_use_id"].toString());
        kept.append(block);
    }
    m_isServerToolOpen = !serverCalls.isEmpty();
    if (kept.size() == 0)
        return true;
    if (isSameModel) {
        m_messages.append({false, item.raw, {}});
        return true;
    }
    Json sent;
    sent.set(u"role"_s, Json::string(u"assistant"_s));
    sent.set(u"content"_s, kept);
    m_messages.append({false, sent.toJson(), {}});
    return true;
}

void AnthropicHistory::addForeign(const QList<AssistantPart> &parts)
{
    m_isServerToolOpen = false;
    QList<QByteArray> blocks;
    for (const AssistantPart &part : parts) {
        if (part.kind == AssistantPart::Kind::Text) {
            blocks.append(textBlock(part.text));
            continue;
        }
        blocks.append(JsonBuilder()
                          .add("type"_L1, "tool_use"_L1)
                          .add("id"_L1, ledger().open(part.id, false))
                          .add("name"_L1, part.name)
                          .raw("input"_L1, part.args)
                          .take());
    }
    if (!blocks.isEmpty())
        m_messages.append({false, "{\"role\":\"assistant\",\"content\":[" + blocks.join(',') + "]}", {}});
}

void AnthropicHistory::addResult(const CallLedger::Result &result)
{
    appendToUser(resultBlock(result.id, result.content, result.isError));
}

} // namespace Pilothouse
