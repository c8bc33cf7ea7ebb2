// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/scriptedstream.h"

#include "model/toolarguments.h"

#include <QPointer>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

// Events handed out in one turn of the event loop when a script has no pace, so that a long one starves
// nobody.
constexpr int MostPerTurn = 256;

} // namespace

ScriptedStream::ScriptedStream(const QString &model, const ScenarioStep &step, int answer, QObject *parent)
    : ModelStream(parent)
    , m_model(model)
    , m_step(step)
    , m_answer(answer)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &ScriptedStream::advance);
    m_clock.start();
    m_timer.start(0);
}

void ScriptedStream::abort()
{
    m_phase = Phase::Over;
    m_timer.stop();
}

void ScriptedStream::advance()
{
    const QPointer<ScriptedStream> guard(this);
    for (int given = 0; given < MostPerTurn; ++given) {
        const double early = m_dueMs - static_cast<double>(m_clock.elapsed());
        if (early > 0) {
            m_timer.start(static_cast<int>(std::ceil(early)));
            return;
        }
        const bool goesOn = playNext();
        if (!guard || !goesOn)
            return;
    }
    m_timer.start(0);
}

// Emits at most one event, as the last thing it does; members must not be touched after give().
bool ScriptedStream::playNext()
{
    switch (m_phase) {
    case Phase::Start: {
        m_phase = Phase::Event;
        StreamEvent event;
        event.type = Type::Start;
        event.id = u"scripted-%1"_s.arg(m_answer);
        event.name = m_model;
        give(event);
        return true;
    }
    case Phase::Event:
        if (m_step.fault && m_event >= m_step.fault->after) {
            m_phase = Phase::Over;
            if (!m_step.fault->error)
                return false; // Silence: only abort() ends it.
            StreamEvent event;
            event.type = Type::Error;
            event.error = *m_step.fault->error;
            event.error.partial = m_hasContent;
            give(event);
            return false;
        }
        if (m_event >= m_step.events.size()) {
            m_phase = Phase::Finish;
            return true;
        }
        beginEvent(m_step.events[m_event]);
        return true;
    case Phase::Piece:
        playPiece(m_step.events[m_event]);
        return true;
    case Phase::EndOfEvent:
        endEvent(m_step.events[m_event]);
        return true;
    case Phase::Finish:
        finish();
        return false;
    case Phase::Over:
        return false;
    }
    return false;
}

void ScriptedStream::beginEvent(const ScenarioEvent &scripted)
{
    m_offset = 0;
    m_phase = Phase::Piece;
    switch (scripted.kind) {
    case ScenarioEvent::Kind::Delay:
        m_dueMs = std::max(m_dueMs, static_cast<double>(m_clock.elapsed())) + scripted.delayMs;
        ++m_event;
        m_phase = Phase::Event;
        break;
    case ScenarioEvent::Kind::Call: {
        ++m_call;
        m_hasContent = true;
        StreamEvent event;
        event.type = Type::ToolCallBegin;
        event.part = m_part;
        event.id = callId();
        event.name = scripted.toolName;
        give(event);
        break;
    }
    case ScenarioEvent::Kind::Text:
    case ScenarioEvent::Kind::Reasoning:
        m_hasContent = true;
        break;
    }
}

void ScriptedStream::playPiece(const ScenarioEvent &scripted)
{
    // Without a pace an event is one piece.
    const qsizetype length = m_step.charsPerSecond > 0 ? scenarioPieceLength(scripted.text, m_offset)
                                                       : scripted.text.size() - m_offset;
    if (length == 0) {
        m_phase = Phase::EndOfEvent;
        return;
    }
    StreamEvent event;
    switch (scripted.kind) {
    case ScenarioEvent::Kind::Reasoning:
        event.type = Type::ThinkingDelta;
        break;
    case ScenarioEvent::Kind::Call:
        event.type = Type::ToolArgsDelta;
        event.id = callId();
        break;
    case ScenarioEvent::Kind::Text:
    case ScenarioEvent::Kind::Delay:
        event.type = Type::TextDelta;
        break;
    }
    event.part = m_part;
    event.text = scripted.text.mid(m_offset, length);
    m_offset += length;
    m_dueMs += scenarioPieceMs(m_step, scripted.kind, length);
    give(event);
}

void ScriptedStream::endEvent(const ScenarioEvent &scripted)
{
    StreamEvent event;
    event.part = m_part;
    ++m_part;
    ++m_event;
    m_phase = Phase::Event;
    if (scripted.kind == ScenarioEvent::Kind::Reasoning) {
        event.type = Type::ThinkingEnd;
        give(event);
    } else if (scripted.kind == ScenarioEvent::Kind::Call) {
        m_hasCalls = true;
        event.type = Type::ToolCall;
        event.id = callId();
        event.name = scripted.toolName;
        const ToolArguments checked = ToolArguments::check(scripted.text);
        event.args = checked.args;
        if (event.args.isEmpty()) {
            event.raw = scripted.text;
            event.problem = checked.problem;
        }
        if (scripted.ask)
            event.json.set(u"ask"_s, Json::boolean(true));
        give(event);
    }
}

void ScriptedStream::finish()
{
    if (m_step.usage != Usage()) {
        StreamEvent event;
        event.type = Type::Usage;
        event.usage = m_step.usage;
        const QPointer<ScriptedStream> guard(this);
        give(event);
        if (!guard || m_phase == Phase::Over)
            return;
    }
    m_phase = Phase::Over;
    StreamEvent event;
    event.type = Type::Stop;
    event.reason = m_step.stop.value_or(StopReason::EndTurn);
    if (m_hasCalls && event.reason == StopReason::EndTurn)
        event.reason = StopReason::ToolUse;
    event.rawReason = stopReasonName(event.reason);
    if (event.reason != StopReason::Refusal && event.reason != StopReason::ContentFilter) {
        event.replay = replay(true);
        event.replayWithoutCalls = replay(false);
    }
    give(event);
}

QString ScriptedStream::callId() const { return u"call_%1_%2"_s.arg(m_answer).arg(m_call); }

// The normalized form of an answer: text and calls in order, nothing that only one provider understands. It
// is never empty, since the position in the script is found by counting answers.
QByteArray ScriptedStream::replay(bool withCalls) const
{
    Json content = Json::array();
    int call = 0;
    for (const ScenarioEvent &event : m_step.events) {
        Json block;
        if (event.kind == ScenarioEvent::Kind::Text) {
            block.set(u"type"_s, Json::string(u"text"_s));
            block.set(u"text"_s, Json::string(event.text));
        } else if (event.kind == ScenarioEvent::Kind::Call && withCalls) {
            ++call;
            block.set(u"type"_s, Json::string(u"tool_use"_s));
            block.set(u"id"_s, Json::string(u"call_%1_%2"_s.arg(m_answer).arg(call)));
            block.set(u"name"_s, Json::string(event.toolName));
            const ToolArguments checked = ToolArguments::check(event.text);
            block.set(u"input"_s,
                      checked.args.isEmpty() ? Json().set(u"INVALID_JSON"_s, Json::string(event.text))
                                             : Json::raw(checked.args));
        } else {
            continue;
        }
        content.append(block);
    }
    Json message;
    message.set(u"role"_s, Json::string(u"assistant"_s));
    message.set(u"content"_s, content);
    return message.toJson();
}

void ScriptedStream::give(const StreamEvent &event) { Q_EMIT eventReceived(event); }

} // namespace Pilothouse
