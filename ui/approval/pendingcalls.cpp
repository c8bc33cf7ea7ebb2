// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/pendingcalls.h"

#include <QSet>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

QList<EventKind> PendingCalls::relevantKinds()
{
    return {EventKind::TurnStart,  EventKind::ToolCall,  EventKind::ToolApproval, EventKind::ToolStart,
            EventKind::ToolResult, EventKind::ToolError, EventKind::TurnFinish};
}

void PendingCalls::takeEvents(const EventBatch &events)
{
    QSet<QString> touched;
    for (const EventDelivery &delivery : events) {
        if (apply(*delivery.event))
            touched.insert(delivery.event->conversation);
    }
    for (const QString &conversation : std::as_const(touched))
        Q_EMIT changed(conversation);
}

bool PendingCalls::apply(const Event &event)
{
    if (!relevantKinds().contains(event.kind))
        return false;
    const qsizetype before = m_waiting.size();
    if (event.kind == EventKind::TurnStart || event.kind == EventKind::TurnFinish) {
        m_waiting.removeIf([&](const PendingCall &call) { return call.conversation == event.conversation; });
        m_proposed.removeIf(
            [&](const auto &entry) { return entry.value().conversation == event.conversation; });
        return m_waiting.size() != before;
    }
    const Json payload = event.json();
    const QString callId = payload[u"callId"].toString();
    if (callId.isEmpty())
        return false;
    if (event.kind == EventKind::ToolCall) {
        PendingCall call;
        call.conversation = event.conversation;
        call.callId = callId;
        call.toolName = payload[u"toolName"].toString();
        call.args = payload[u"args"];
        m_proposed.insert(callId, call);
        return false;
    }
    if (event.kind == EventKind::ToolApproval && payload[u"state"].toString() == "asked"_L1) {
        PendingCall call = m_proposed.value(callId);
        if (call.callId.isEmpty() || call.conversation != event.conversation
            || std::any_of(m_waiting.cbegin(), m_waiting.cend(),
                           [&](const auto &w) { return w.callId == callId; }))
            return false;
        call.rule = payload[u"rule"].toString();
        call.reason = payload[u"reason"].toString();
        call.askedMs = event.atMs;
        m_waiting.append(call);
        return true;
    }
    drop(event.conversation, callId);
    return m_waiting.size() != before;
}

void PendingCalls::drop(const QString &conversation, const QString &callId)
{
    m_proposed.remove(callId);
    m_waiting.removeIf(
        [&](const PendingCall &call) { return call.callId == callId && call.conversation == conversation; });
}

QList<PendingCall> PendingCalls::of(const QString &conversation) const
{
    QList<PendingCall> out;
    for (const PendingCall &call : m_waiting) {
        if (call.conversation == conversation)
            out.append(call);
    }
    return out;
}

} // namespace Pilothouse
