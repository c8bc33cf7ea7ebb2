// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/historywriter.h"

namespace Pilothouse {

HistoryWriter::HistoryWriter(QLatin1StringView protocol, QString provider, QString model, CallIdForm idForm)
    : m_protocol(protocol)
    , m_provider(std::move(provider))
    , m_model(std::move(model))
    , m_ledger(idForm)
{ }

void HistoryWriter::add(const HistoryItem &item)
{
    switch (item.kind) {
    case HistoryItem::Kind::User:
        settle();
        if (!isBlankText(item.text)) // Refused by the services.
            addUser(item.text);
        break;
    case HistoryItem::Kind::Assistant:
        settle();
        if (!isEmpty()) // A conversation begins with a user.
            addAssistant(item);
        break;
    case HistoryItem::Kind::ToolResults:
        settle(item.outcomes);
        break;
    }
}

void HistoryWriter::addAssistant(const HistoryItem &item)
{
    const bool isOwn = item.protocol == m_protocol && item.provider == m_provider;
    const Json record = isOwn ? parseJson(item.raw).value_or(Json()) : Json();
    if (!isOwn || !addOwn(item, record, item.model == m_model))
        addForeign(assistantParts(item));
}

void HistoryWriter::settle(const QList<ToolOutcome> &outcomes)
{
    const QStringList orphans = m_ledger.orphans(outcomes);
    const QList<CallLedger::Result> results = m_ledger.settle(outcomes);
    for (const CallLedger::Result &result : results)
        addResult(result);
    for (const QString &orphan : orphans)
        addUser(orphan);
}

} // namespace Pilothouse
