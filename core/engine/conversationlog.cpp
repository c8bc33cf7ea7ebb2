// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/conversationlog.h"

#include "engine/eventpipe.h"
#include "util/clock.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
// Output on its way to the disk. A disk is faster than any connection; past this it has stopped, and memory
// must not pay.
constexpr qint64 MostPendingOutput = 128 * 1024 * 1024;
// UTF-16 units. A picture may come as megabytes at once: whoever reads events, a window say, gets them in
// pieces that take a millisecond each.
constexpr qsizetype LongestDelta = 64 * 1024;
} // namespace

ConversationLog::ConversationLog(QString conversation, qint64 lastSeq, EventPipe *pipe, const Clock *clock)
    : m_conversation(std::move(conversation))
    , m_lastSeq(lastSeq)
    , m_pipe(pipe)
    , m_clock(clock)
{ }

ConversationLog::~ConversationLog()
{
    closePending();
    m_pipe->forget(this);
}

void ConversationLog::write(EventKind kind, const QByteArray &payload, const QByteArray &bytes)
{
    auto event = std::make_shared<Event>();
    event->conversation = m_conversation;
    event->seq = ++m_lastSeq;
    event->atMs = m_clock->utcMs();
    event->kind = kind;
    event->payload = payload;
    replay(*event);
    m_pipe->push({std::move(event), bytes});
}

void ConversationLog::replay(const Event &event)
{
    m_history.apply(event);
    m_state.apply(event);
}

void ConversationLog::append(EventKind kind, const QByteArray &payload)
{
    closePending();
    if (!m_delta.text.isEmpty())
        closeDelta(); // A lone half that no other half followed.
    if (kind == EventKind::ToolResult || kind == EventKind::ToolError) {
        const QString callId = parseJson(payload).value_or(Json())[u"callId"].toString();
        m_offsets.remove(callId);
        m_overrunCalls.remove(callId);
        m_cutCalls.remove(callId);
    }
    write(kind, payload);
}

void ConversationLog::appendDelta(EventKind kind, int turn, int step, int attempt, int part,
                                  const QString &text)
{
    if (text.isEmpty())
        return;
    const bool same = m_delta.kind == kind && m_delta.turn == turn && m_delta.step == step
        && m_delta.attempt == attempt && m_delta.part == part;
    if (!m_delta.text.isEmpty() && !same)
        closeDelta();
    if (!same || m_delta.text.isEmpty())
        m_delta = {kind, turn, step, attempt, part, QString()};
    m_delta.text += text;
    m_pipe->markDirty(this);
}

bool ConversationLog::appendOutput(int turn, int step, const QString &callId, OutputChannel channel,
                                   const QByteArray &bytes)
{
    if (bytes.isEmpty())
        return true;
    if (m_cutCalls.contains(callId))
        return false;
    if (!m_pipe->takesOutput(bytes.size())) {
        m_cutCalls.insert(callId);
        if (m_overrun)
            m_overrun(callId, Overrun::DiskFull);
        return false;
    }
    if (m_overrun && m_pipe->pendingBytes() > MostPendingOutput && !m_overrunCalls.contains(callId)) {
        m_overrunCalls.insert(callId);
        m_overrun(callId, Overrun::TooFast);
    }
    for (qsizetype i = 0; i < m_outputs.size(); ++i) {
        if (m_outputs[i].callId != callId)
            continue;
        if (m_outputs[i].channel == channel) {
            m_outputs[i].bytes += bytes;
            return true;
        }
        closeOutput(m_outputs.takeAt(i)); // The other channel spoke: keeps the order between the two.
        break;
    }
    m_outputs.append({callId, channel, turn, step, bytes});
    m_pipe->markDirty(this);
    return true;
}

void ConversationLog::whenDurable(QObject *context, std::function<void()> then)
{
    m_pipe->markDirty(this);
    m_pipe->whenDurable(context, std::move(then));
}

void ConversationLog::closeDelta()
{
    const PendingDelta delta = std::exchange(m_delta, {});
    for (qsizetype at = 0; at < delta.text.size();) {
        qsizetype length = std::min(LongestDelta, delta.text.size() - at);
        if (at + length < delta.text.size() && delta.text[at + length - 1].isHighSurrogate())
            --length;
        write(delta.kind,
              JsonBuilder()
                  .add("turn"_L1, delta.turn)
                  .add("step"_L1, delta.step)
                  .add("attempt"_L1, delta.attempt)
                  .add("part"_L1, delta.part)
                  .add("text"_L1, delta.text.mid(at, length))
                  .take());
        at += length;
    }
}

void ConversationLog::closeOutput(const PendingOutput &output)
{
    Offsets &offsets = m_offsets[output.callId];
    const bool isOut = output.channel == OutputChannel::Stdout;
    qint64 &offset = isOut ? offsets.out : offsets.err;
    write(EventKind::ToolOutput,
          JsonBuilder()
              .add("turn"_L1, output.turn)
              .add("step"_L1, output.step)
              .add("callId"_L1, output.callId)
              .add("channel"_L1, isOut ? "stdout"_L1 : "stderr"_L1)
              .add("offset"_L1, offset)
              .add("length"_L1, qint64(output.bytes.size()))
              .take(),
          output.bytes);
    offset += output.bytes.size();
}

void ConversationLog::closePending()
{
    // A pair of surrogates must not be cut between two events: each half alone has no UTF-8 form.
    if (!m_delta.text.isEmpty()) {
        const QChar last = m_delta.text.back();
        if (last.isHighSurrogate() && m_delta.text.size() > 1) {
            PendingDelta rest = m_delta;
            rest.text = last;
            m_delta.text.chop(1);
            closeDelta();
            m_delta = rest;
        } else if (!last.isHighSurrogate()) {
            closeDelta();
        }
    }
    for (const PendingOutput &output : std::exchange(m_outputs, {}))
        closeOutput(output);
}

} // namespace Pilothouse
