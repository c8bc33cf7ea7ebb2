// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"
#include "util/event.h"

#include <QObject>

#include <functional>

namespace Pilothouse {

/// Where a turn writes its events. Implemented by the engine, which assigns seq and hands every event to the
/// store and to subscribers. Engine thread.
class Journal {
public:
    Journal() = default;
    virtual ~Journal() = default;
    Q_DISABLE_COPY_MOVE(Journal)

    virtual void append(EventKind kind, const QByteArray &payload) = 0;
    /// Text or reasoning of a part; consecutive pieces of the same part are joined into one event.
    virtual void appendDelta(EventKind kind, int turn, int step, int attempt, int part,
                             const QString &text) = 0;
    /// Bytes of a call's output; joined per channel, exact. False: not kept, and nothing of this call's
    /// output is from here on.
    virtual bool appendOutput(int turn, int step, const QString &callId, OutputChannel channel,
                              const QByteArray &bytes) = 0;
    /// Runs `then` on a later event-loop turn, once everything appended so far is committed and synced to
    /// disk (the write-ahead rule), unless `context` is destroyed first. When the store fails `then` does not
    /// run; the engine tells the turn by AgentLoop::storageFailed.
    virtual void whenDurable(QObject *context, std::function<void()> then) = 0;
};

} // namespace Pilothouse
