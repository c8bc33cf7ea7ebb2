// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/responseshistory.h"

#include "model/assistantparts.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QByteArray message(QLatin1StringView role, QLatin1StringView type, const QString &text)
{
    const QByteArray part = JsonBuilder().add("type"_L1, type).add("text"_L1, text).take();
    return JsonBuilder().add("role"_L1, role).raw("content"_L1, QByteArray('[' + part + ']')).take();
}

} // namespace

ResponsesHistory::ResponsesHistory(QString provider, QString model)
    : m_provider(std::move(provider))
    , m_model(std::move(model))
{ }

void ResponsesHistory::add(const HistoryItem &item)
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

const QList<QByteArray> &ResponsesHistory::items()
{
    addResults({});
    return m_items;
}

void ResponsesHistory::addUser(const QString &text)
{
    addResults({});
    if (!isBlankText(text))
        m_items.append(message("user"_L1, "input_text"_L1, text));
}

void ResponsesHistory::addAssistant(const HistoryItem &item)
{
    addResults({});
    if (m_items.isEmpty())
        return; // A conversation begins with a user.
    const bool isOwn = item.protocol == "openai-responses"_L1 && item.provider == m_provider;
    const Json items = isOwn ? parseJson(item.raw).value_or(Json()) : Json();
    if (items.isArray())
        addOwn(item, items);
    else
        addForeign(item);
}

void ResponsesHistory::openOwnCall(const Json &item)
{
    const QString type = item[u"type"].toString();
    if (type != "function_call"_L1 && type != "custom_tool_call"_L1)
        return;
    const QString id = m_ledger.open(item[u"call_id"].toString(), true);
    if (type == "custom_tool_call"_L1)
        m_customCalls.insert(id);
}

void ResponsesHistory::addOwn(const HistoryItem &item, const Json &items)
{
    for (const Json &element : items.elements()) {
        const QString type = element[u"type"].toString();
        if (item.model == m_model) {
            openOwnCall(element);
            m_items.append(element.toJson());
            continue;
        }
        // Reasoning is void for another model, and ids may refer to it.
        if (type != "message"_L1 && type != "function_call"_L1 && type != "custom_tool_call"_L1)
            continue;
        openOwnCall(element);
        Json sent = element;
        sent.remove(u"id");
        m_items.append(sent.toJson());
    }
}

void ResponsesHistory::addForeign(const HistoryItem &item)
{
    for (const AssistantPart &part : assistantParts(item)) {
        if (part.kind == AssistantPart::Kind::Text) {
            m_items.append(message("assistant"_L1, "output_text"_L1, part.text));
            continue;
        }
        m_items.append(JsonBuilder()
                           .add("type"_L1, "function_call"_L1)
                           .add("call_id"_L1, m_ledger.open(part.id, false))
                           .add("name"_L1, part.name)
                           .add("arguments"_L1, QString::fromUtf8(part.args))
                           .take());
    }
}

void ResponsesHistory::addResults(const QList<ToolOutcome> &outcomes)
{
    const QStringList orphans = m_ledger.orphans(outcomes);
    const QList<CallLedger::Result> results = m_ledger.settle(outcomes);
    for (const CallLedger::Result &result : results) {
        const bool isCustom = m_customCalls.remove(result.id);
        m_items.append(
            JsonBuilder()
                .add("type"_L1, isCustom ? "custom_tool_call_output"_L1 : "function_call_output"_L1)
                .add("call_id"_L1, result.id)
                .add("output"_L1, result.forText())
                .take());
    }
    for (const QString &orphan : orphans)
        m_items.append(message("user"_L1, "input_text"_L1, orphan));
}

} // namespace Pilothouse
