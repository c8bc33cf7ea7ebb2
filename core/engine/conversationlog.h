// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/historybuilder.h"
#include "agent/journal.h"
#include "engine/conversationstate.h"

#include <QHash>
#include <QSet>

#include <functional>

namespace Pilothouse {

class Clock;
class EventPipe;

/// The growing end of one conversation's log: assigns seq, joins deltas and output pieces, keeps the derived
/// history and state up to date, hands events to the pipe. Engine thread.
class ConversationLog final : public Journal {
public:
    ConversationLog(QString conversation, qint64 lastSeq, EventPipe *pipe, const Clock *clock);
    ~ConversationLog() override;

    void append(EventKind kind, const QByteArray &payload) override;
    void appendDelta(EventKind kind, int turn, int step, int attempt, int part, const QString &text) override;
    bool appendOutput(int turn, int step, const QString &callId, OutputChannel channel,
                      const QByteArray &bytes) override;
    void whenDurable(QObject *context, std::function<void()> then) override;

    /// Turns joined pieces into events. Called by the pipe at a flush and before any other event.
    void closePending();
    enum class Overrun {
        TooFast = 1, ///< Output comes faster than it can be written, and the bound is passed.
        DiskFull, ///< The disk would be filled; nothing of the call's output is kept from here on.
    };
    /// Called (once per call) when the call must be stopped. What came before is kept.
    void setOverrun(std::function<void(const QString &callId, Overrun why)> overrun)
    {
        m_overrun = std::move(overrun);
    }
    /// An event of the past, when a conversation is opened.
    void replay(const Event &event);

    [[nodiscard]] const QString &conversation() const { return m_conversation; }
    [[nodiscard]] const HistoryBuilder &history() const { return m_history; }
    [[nodiscard]] const ConversationState &state() const { return m_state; }

private:
    struct PendingDelta {
        EventKind kind = EventKind::TextDelta;
        int turn = 0;
        int step = 0;
        int attempt = 0;
        int part = 0;
        QString text;
    };
    struct PendingOutput {
        QString callId;
        OutputChannel channel = OutputChannel::Stdout;
        int turn = 0;
        int step = 0;
        QByteArray bytes;
    };
    struct Offsets {
        qint64 out = 0;
        qint64 err = 0;
    };
    void write(EventKind kind, const QByteArray &payload, const QByteArray &bytes = {});
    void closeDelta(); ///< As events of bounded size.
    void closeOutput(const PendingOutput &output);

    QString m_conversation;
    qint64 m_lastSeq;
    EventPipe *m_pipe;
    const Clock *m_clock;
    HistoryBuilder m_history;
    ConversationState m_state;
    PendingDelta m_delta;
    QList<PendingOutput> m_outputs; ///< At most one per running call.
    std::function<void(const QString &, Overrun)> m_overrun;
    QSet<QString> m_overrunCalls;
    QSet<QString> m_cutCalls; ///< Whose output is not kept any more.
    QHash<QString, Offsets> m_offsets; ///< By callId, of running calls.
};

} // namespace Pilothouse
