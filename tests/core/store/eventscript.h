// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/event.h"
#include "util/ids.h"

#include <QHash>

namespace Pilothouse::Tests {

/// Builds the events of a conversation with rising seq, one by one.
class EventScript {
public:
    explicit EventScript(QString conversation = newId())
        : m_conversation(std::move(conversation))
    { }

    [[nodiscard]] const QString &conversation() const { return m_conversation; }
    [[nodiscard]] const EventBatch &all() const { return m_all; }
    [[nodiscard]] qint64 lastSeq() const { return m_all.size(); }

    EventDelivery add(EventKind kind, const QByteArray &payload, const QByteArray &bytes = {})
    {
        auto event = std::make_shared<Event>();
        event->conversation = m_conversation;
        event->seq = m_all.size() + 1;
        event->atMs = 1'700'000'000'000 + event->seq;
        event->kind = kind;
        event->payload = payload;
        m_all.append({event, bytes});
        return m_all.last();
    }

    /// Output of a call, at the end of what the channel has.
    EventDelivery addOutput(int turn, int step, const QString &callId, const QByteArray &bytes,
                            const QByteArray &channel = "stdout")
    {
        qint64 &offset = m_offsets[callId + QString::fromLatin1(channel)];
        const QByteArray payload = "{\"turn\":" + QByteArray::number(turn)
            + ",\"step\":" + QByteArray::number(step) + ",\"callId\":\"" + callId.toUtf8()
            + "\",\"channel\":\"" + channel + "\",\"offset\":" + QByteArray::number(offset)
            + ",\"length\":" + QByteArray::number(bytes.size()) + "}";
        offset += bytes.size();
        return add(EventKind::ToolOutput, payload, bytes);
    }

    void addCreated()
    {
        add(EventKind::ConversationCreated,
            "{\"title\":\"\",\"provider\":\"demo\",\"model\":\"tour\",\"backend\":\"local\",\"sandboxName\":"
            "\"s\","
            "\"instructions\":\"\",\"tools\":[\"bash\"],\"afterTurn\":\"pause\",\"maxSteps\":5,\"approval\":"
            "\"ask\"}");
    }

    /// A turn as the engine writes it: two steps; in the first a call that is asked for and runs, one that is
    /// denied and one whose tool is not known; the second step needs two attempts and answers.
    void addTurn(int turn);
    /// The ids of the last addTurn()'s calls: ran, denied, unknown tool.
    [[nodiscard]] const QStringList &calls() const { return m_calls; }

private:
    QString m_conversation;
    EventBatch m_all;
    QHash<QString, qint64> m_offsets;
    QStringList m_calls;
};

inline void EventScript::addTurn(int turn)
{
    const QByteArray t = "{\"turn\":" + QByteArray::number(turn);
    const QByteArray s1 = t + ",\"step\":1";
    const QByteArray s2 = t + ",\"step\":2";
    const QByteArray a1 = s1 + ",\"attempt\":1";
    const QByteArray message = newId().toUtf8();
    m_calls = {newId(), newId(), newId()};
    const QByteArray ran = ",\"callId\":\"" + m_calls[0].toUtf8() + "\"";
    const QByteArray denied = ",\"callId\":\"" + m_calls[1].toUtf8() + "\"";
    const QByteArray odd = ",\"callId\":\"" + m_calls[2].toUtf8() + "\"";
    const QByteArray usage = ",\"usage\":{\"input\":100,\"output\":20,\"cacheRead\":null,\"cacheWrite\":null,"
                             "\"reasoning\":null},\"costNanos\":1500";
    add(EventKind::UserMessage,
        "{\"messageId\":\"" + message + "\",\"text\":\"Fix the tests\\nplease\",\"delivery\":\"now\"}");
    add(EventKind::TurnStart,
        t + ",\"parent\":null,\"messageIds\":[\"" + message
            + "\"],\"provider\":\"demo\",\"model\":\"tour\",\"maxSteps\":5,\"afterTurn\":\"pause\"}");
    add(EventKind::SandboxState,
        "{\"state\":\"creating\",\"sandboxId\":null,\"backend\":\"local\",\"name\":\"s\",\"attemptToken\":\""
            + message + "\",\"detail\":\"\"}");
    add(EventKind::SandboxState, "{\"state\":\"active\",\"sandboxId\":\"sb-1\",\"backend\":\"local\"}");
    add(EventKind::StepStart, a1 + "}");
    add(EventKind::ReasoningDelta, a1 + ",\"part\":0,\"text\":\"Let me \"}");
    add(EventKind::ReasoningDelta, a1 + ",\"part\":0,\"text\":\"think.\"}");
    add(EventKind::TextDelta, a1 + ",\"part\":1,\"text\":\"I run \"}");
    add(EventKind::TextDelta, a1 + ",\"part\":1,\"text\":\"pytest.\"}");
    add(EventKind::ToolCall,
        a1 + ran + ",\"providerCallId\":\"p1\",\"toolName\":\"bash\",\"args\":{\"command\":\"pytest -q\"}}");
    add(EventKind::ToolCall,
        a1 + denied
            + ",\"providerCallId\":\"p2\",\"toolName\":\"bash\",\"args\":{\"command\":\"rm -rf /\"}}");
    add(EventKind::ToolCall,
        a1 + odd + ",\"providerCallId\":\"p3\",\"toolName\":\"teleport\",\"args\":null,\"raw\":\"{\"}");
    add(EventKind::ModelMessage,
        a1
            + ",\"protocol\":\"demo\",\"provider\":\"demo\",\"model\":\"tour\",\"raw\":\"{}\",\"calls\":[],"
              "\"finishReason\":\"tool-calls\",\"rawReason\":\"tool_use\""
            + usage + ",\"modelMs\":12}");
    add(EventKind::ToolError,
        s1 + odd + ",\"toolName\":\"teleport\",\"error\":\"no such tool\",\"reason\":\"unknown-tool\"}");
    add(EventKind::ToolApproval,
        s1 + ran + ",\"state\":\"asked\",\"by\":\"policy\",\"rule\":\"*\",\"reason\":\"\"}");
    add(EventKind::ToolApproval,
        s1 + denied + ",\"state\":\"asked\",\"by\":\"policy\",\"rule\":\"*\",\"reason\":\"\"}");
    add(EventKind::ToolApproval,
        s1 + ran + ",\"state\":\"approved\",\"by\":\"user\",\"rule\":\"\",\"reason\":\"\"}");
    add(EventKind::ToolStart, s1 + ran + ",\"toolName\":\"bash\",\"args\":{\"command\":\"pytest -q\"}}");
    addOutput(turn, 1, m_calls[0], "collected 3 items\n");
    addOutput(turn, 1, m_calls[0], "warning: \x1b[33mslow\x1b[0m\n", "stderr");
    addOutput(turn, 1, m_calls[0], "1 failed, 2 pas");
    addOutput(turn, 1, m_calls[0], "sed\n");
    add(EventKind::ToolApproval,
        s1 + denied + ",\"state\":\"denied\",\"by\":\"user\",\"rule\":\"\",\"reason\":\"no\"}");
    add(EventKind::ToolError,
        s1 + denied + ",\"toolName\":\"bash\",\"error\":\"denied: no\",\"reason\":\"denied\"}");
    add(EventKind::ToolResult,
        s1 + ran
            + ",\"toolName\":\"bash\",\"result\":{\"exitCode\":1},\"exitCode\":1,\"durationMs\":900,"
              "\"truncated\":false,\"outcome\":\"known\",\"stdoutBytes\":37,\"stderrBytes\":23}");
    add(EventKind::StepFinish,
        a1 + ",\"finishReason\":\"tool-calls\",\"rawReason\":\"tool_use\"" + usage
            + ",\"modelMs\":12,\"toolMs\":900}");
    add(EventKind::StepStart, s2 + ",\"attempt\":1}");
    add(EventKind::TextDelta, s2 + ",\"attempt\":1,\"part\":0,\"text\":\"Half an ans\"}");
    add(EventKind::StepAbandoned, s2 + ",\"attempt\":1,\"reason\":\"connection lost\"}");
    add(EventKind::Retry,
        s2 + ",\"what\":\"model\",\"attempt\":2,\"waitMs\":500,\"reason\":\"connection lost\"}");
    add(EventKind::StepStart, s2 + ",\"attempt\":2}");
    add(EventKind::TextDelta, s2 + ",\"attempt\":2,\"part\":0,\"text\":\"One test \"}");
    add(EventKind::TextDelta, s2 + ",\"attempt\":2,\"part\":0,\"text\":\"fails.\"}");
    add(EventKind::ModelMessage,
        s2
            + ",\"attempt\":2,\"protocol\":\"demo\",\"provider\":\"demo\",\"model\":\"tour\",\"raw\":\"{}\","
              "\"calls\":[],\"finishReason\":\"stop\",\"rawReason\":\"end_turn\""
            + usage + ",\"modelMs\":8}");
    add(EventKind::StepFinish,
        s2 + ",\"attempt\":2,\"finishReason\":\"stop\",\"rawReason\":\"end_turn\"" + usage
            + ",\"modelMs\":8,\"toolMs\":0}");
    add(EventKind::SandboxState, "{\"state\":\"paused\",\"sandboxId\":\"sb-1\",\"backend\":\"local\"}");
    add(EventKind::TurnFinish,
        t
            + ",\"reason\":\"finished\",\"text\":\"One test "
              "fails.\",\"steps\":2,\"usage\":{\"input\":200,\"output\":40,"
              "\"cacheRead\":null,\"cacheWrite\":null,\"reasoning\":null},\"costNanos\":3000}");
}

} // namespace Pilothouse::Tests
