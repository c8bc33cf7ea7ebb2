// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/responseshistory.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QByteArray message(QLatin1StringView role, QLatin1StringView type, const QString &text)
{
    const QByteArray part = JsonBuilder().add("type"_L1, type).add("text"_L1, text).take();
    return JsonBuilder().add("role"_L1, role).raw("content"_L1, QByteArray('[' + part + ']')).take();
}

} // namespace

ResponsesHistory::ResponsesHistory(const QString &provider, const QString &model)
    : HistoryWriter("openai-responses"_L1, provider, model, CallIdForm::Responses)
{ }

const QList<QByteArray> &ResponsesHistory::items()
{
    settle();
    return m_items;
}

void ResponsesHistory::addUser(const QString &text)
{
    m_items.append(message("user"_L1, "input_text"_L1, text));
}

void ResponsesHistory::openOwnCall(const Json &item)
{
    const QString type = item[u"type"].toString();
    if (type != "function_call"_L1 && type != "custom_tool_call"_L1)
        return;
    const QString id = ledger().open(item[u"call_id"].toString(), true);
    if (type == "custom_tool_call"_L1)
        m_customCalls.insert(id);
}

bool ResponsesHistory::addOwn(const HistoryItem &, const Json &record, bool isSameModel)
{
    if (!record.isArray())
        return false;
    for (const Json &element : record.elements()) {
        const QString type = element[u"type"].toString();
        if (isSameModel) {
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
    return true;
}

void ResponsesHistory::addForeign(const QList<AssistantPart> &parts)
{
    for (const AssistantPart &part : parts) {
        if (part.kind == AssistantPart::Kind::Text) {
            m_items.append(message("assistant"_L1, "output_text"_L1, part.text));
            continue;
        }
        m_items.append(JsonBuilder()
                           .add("type"_L1, "function_call"_L1)
                           .add("call_id"_L1, ledger().open(part.id, false))
                           .add("name"_L1, part.name)
                           .add("arguments"_L1, QString::fromUtf8(part.args))
                           .take());
    }
}

void ResponsesHistory::addResult(const CallLedger::Result &result)
{
    const bool isCustom = m_customCalls.remove(result.id);
    m_items.append(JsonBuilder()
                       .add("type"_L1, isCustom ? "custom_tool_call_output"_L1 : "function_call_output"_L1)
                       .add("call_id"_L1, result.id)
                       .add("output"_L1, result.forText())
                       .take());
}

} // namespace Pilothouse
