// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "eventprinter.h"

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

void EventPrinter::print(const Event &event)
{
    const auto freshLine = [this] {
        if (!m_console->atLineStart())
            m_console->out("\n");
    };
    switch (event.kind) {
    case EventKind::TextDelta:
        m_console->outText(event.json()[u"text"].toString());
        break;
    case EventKind::ToolCall: {
        const Json payload = event.json();
        const QString args = payload[u"args"].isObject() ? QString::fromUtf8(payload[u"args"].toJson())
                                                         : payload[u"raw"].toString();
        const QString line = u"> "_s + payload[u"toolName"].toString() + u' ' + args;
        m_last = payload[u"callId"].toString();
        m_callLines.insert(m_last, line);
        m_open.insert(m_last);
        freshLine();
        m_console->outLine(line);
        break;
    }
    case EventKind::ToolResult: {
        const Json payload = event.json();
        freshLine();
        printWhose(payload[u"callId"].toString());
        m_console->outLine(QString::fromUtf8(payload[u"result"].toJson()));
        if (payload[u"outcome"].toString() == "unknown"_L1)
            m_console->err(u"Outcome unknown: this call may or may not have had its effect."_s);
        break;
    }
    case EventKind::ToolError: {
        const Json payload = event.json();
        freshLine();
        printWhose(payload[u"callId"].toString());
        m_console->outLine(u"! "_s + payload[u"toolName"].toString() + u": "_s
                           + payload[u"error"].toString());
        break;
    }
    case EventKind::StepFinish:
        freshLine();
        break;
    case EventKind::StepAbandoned:
        freshLine();
        m_console->err(u"(the text above is withdrawn, the step is asked again: %1)"_s.arg(
            event.json()[u"reason"].toString()));
        break;
    case EventKind::Retry: {
        const Json payload = event.json();
        m_console->err(u"retry in %1 s: %2"_s
                           .arg(static_cast<double>(payload[u"waitMs"].toInteger(0)) / 1000.0, 0, 'f', 1)
                           .arg(payload[u"reason"].toString()));
        break;
    }
    case EventKind::Note:
        m_console->err(u"note: "_s + event.json()[u"text"].toString());
        break;
    case EventKind::LimitHit: {
        const Json payload = event.json();
        m_console->err(
            u"limit: %1 %2 reached"_s.arg(payload[u"value"].toInteger(0)).arg(payload[u"limit"].toString()));
        break;
    }
    case EventKind::Error: {
        const Json payload = event.json();
        freshLine();
        m_console->error({ErrorKind::Internal, payload[u"message"].toString(), payload[u"kept"].toString(),
                          payload[u"todo"].toString()});
        break;
    }
    case EventKind::TurnStart:
        if (event.json()[u"provider"].toString() == "demo"_L1)
            m_console->err(
                u"demo models are scripted: the words are from a script, not from an AI; what the tools do is real."_s);
        break;
    case EventKind::TurnFinish:
        freshLine();
        break;
    case EventKind::ConversationCreated:
    case EventKind::ConversationRenamed:
    case EventKind::ConversationArchived:
    case EventKind::ConversationDeleted:
    case EventKind::ConversationSettings:
    case EventKind::UserMessage:
    case EventKind::QueueChanged:
    case EventKind::StepStart:
    case EventKind::ReasoningDelta:
    case EventKind::ToolApproval:
    case EventKind::ToolStart:
    case EventKind::ToolOutput:
    case EventKind::ModelMessage:
    case EventKind::SandboxState:
    case EventKind::HeadSet:
        break;
    }
}

void EventPrinter::printWhose(const QString &callId)
{
    const bool isOnly = m_open.size() == 1 && m_last == callId;
    m_open.remove(callId);
    m_last = callId;
    const QString line = m_callLines.value(callId);
    if (!isOnly && !line.isEmpty())
        m_console->outLine(u"< "_s + line.sliced(2));
}

QString EventPrinter::callLine(const QString &callId) const { return m_callLines.value(callId); }

} // namespace Pilothouse::Cli
