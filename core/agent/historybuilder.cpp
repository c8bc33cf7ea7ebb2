// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/historybuilder.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QList<EventKind> HistoryBuilder::relevantKinds()
{
    return {EventKind::UserMessage, EventKind::QueueChanged, EventKind::TurnStart, EventKind::ModelMessage,
            EventKind::ToolResult,  EventKind::ToolError,    EventKind::HeadSet};
}

void HistoryBuilder::apply(const Event &event)
{
    const auto removeQueued = [this](const QString &messageId) {
        m_queue.removeIf([&](const Queued &queued) { return queued.messageId == messageId; });
    };
    const auto userEntry = [this](const QString &messageId) {
        Entry entry;
        entry.item.kind = HistoryItem::Kind::User;
        entry.item.text = m_messages.value(messageId);
        return entry;
    };
    switch (event.kind) {
    case EventKind::UserMessage: {
        const Json payload = event.json();
        const QString id = payload[u"messageId"].toString();
        m_messages.insert(id, payload[u"text"].toString());
        const QString delivery = payload[u"delivery"].toString();
        if (delivery != "now"_L1)
            m_queue.append({id, payload[u"text"].toString(), delivery, m_lastTurn});
        break;
    }
    case EventKind::QueueChanged: {
        const Json payload = event.json();
        const QString id = payload[u"messageId"].toString();
        removeQueued(id);
        const int turn = static_cast<int>(payload[u"turn"].toInteger(0));
        if (payload[u"state"].toString() == "delivered"_L1 && m_turns.contains(turn))
            m_turns[turn].entries.append(userEntry(id));
        break;
    }
    case EventKind::TurnStart: {
        const Json payload = event.json();
        const int number = static_cast<int>(payload[u"turn"].toInteger(0));
        Turn turn;
        turn.parent = static_cast<int>(payload[u"parent"].toInteger(0));
        for (const Json &id : payload[u"messageIds"].elements()) {
            removeQueued(id.toString());
            turn.entries.append(userEntry(id.toString()));
        }
        m_turns.insert(number, turn);
        m_lastTurn = std::max(m_lastTurn, number);
        m_headTurn = number;
        break;
    }
    case EventKind::ModelMessage: {
        const Json payload = event.json();
        Entry entry;
        entry.item.kind = HistoryItem::Kind::Assistant;
        entry.item.protocol = payload[u"protocol"].toString();
        entry.item.provider = payload[u"provider"].toString();
        entry.item.model = payload[u"model"].toString();
        entry.item.raw = payload[u"raw"].toString().toUtf8();
        for (const Json &call : payload[u"calls"].elements())
            entry.calls.append({call[u"callId"].toString(), call[u"providerCallId"].toString(),
                                call[u"toolName"].toString()});
        if (!entry.item.raw.isEmpty())
            m_turns[static_cast<int>(payload[u"turn"].toInteger(0))].entries.append(entry);
        break;
    }
    case EventKind::ToolResult: {
        const Json payload = event.json();
        const Json &result = payload[u"result"];
        m_outcomes.insert(payload[u"callId"].toString(),
                          {result.isString() ? result.toString() : QString::fromUtf8(result.toJson()),
                           payload[u"isError"].toBool()});
        break;
    }
    case EventKind::ToolError: {
        const Json payload = event.json();
        m_outcomes.insert(payload[u"callId"].toString(), {payload[u"error"].toString(), true});
        break;
    }
    case EventKind::HeadSet:
        m_headTurn = static_cast<int>(event.json()[u"turn"].toInteger(0));
        break;
    case EventKind::ConversationCreated:
    case EventKind::ConversationRenamed:
    case EventKind::ConversationArchived:
    case EventKind::ConversationDeleted:
    case EventKind::ConversationSettings:
    case EventKind::StepStart:
    case EventKind::StepAbandoned:
    case EventKind::StepFinish:
    case EventKind::TurnFinish:
    case EventKind::ReasoningDelta:
    case EventKind::TextDelta:
    case EventKind::ToolCall:
    case EventKind::ToolApproval:
    case EventKind::ToolStart:
    case EventKind::ToolOutput:
    case EventKind::SandboxState:
    case EventKind::LimitHit:
    case EventKind::Retry:
    case EventKind::Note:
    case EventKind::Error:
        break;
    }
}

QList<HistoryItem> HistoryBuilder::history(int turn) const
{
    QList<int> chain;
    for (int number = turn > 0 ? turn : m_headTurn; number > 0 && m_turns.contains(number);) {
        chain.prepend(number);
        const int parent = m_turns[number].parent;
        if (parent >= number)
            break; // A parent is always older; anything else would never end.
        number = parent;
    }
    QList<HistoryItem> items;
    for (const int number : chain) {
        for (const Entry &entry : m_turns[number].entries) {
            items.append(entry.item);
            if (entry.calls.isEmpty())
                continue;
            HistoryItem results;
            results.kind = HistoryItem::Kind::ToolResults;
            for (const Call &call : entry.calls) {
                const auto outcome = m_outcomes.constFind(call.callId);
                const bool known = outcome != m_outcomes.constEnd();
                results.outcomes.append(
                    {call.providerCallId, call.toolName,
                     known ? outcome->content : u"No result: the program ended before this call did."_s,
                     known ? outcome->isError : true});
            }
            items.append(results);
        }
    }
    return items;
}

} // namespace Pilothouse
