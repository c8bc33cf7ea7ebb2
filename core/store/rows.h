// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QString>

#include <optional>

namespace Pilothouse {

/// One conversation as a list shows it. Derived from the log.
struct ConversationSummary {
    QString id;
    QString title;
    QString provider;
    QString model;
    QString backend; ///< local, superserve
    QString state; ///< idle, connecting, thinking, writing, calling, waiting, retrying, stopping,
                   ///< interrupted, failed, finished
    QString stateDetail; ///< Last action or reason, one bounded line ("bash: pytest -q").
    qint64 stateSinceMs = 0;
    QString sandboxId; ///< Empty: none yet.
    QString sandboxState; ///< As in sandbox-state events.
    QString afterTurn; ///< pause, keep, delete
    qint64 createdMs = 0;
    qint64 updatedMs = 0;
    qint64 lastSeq = 0;
    int turns = 0;
    int steps = 0; ///< Of the last turn.
    int maxSteps = 0;
    std::optional<qint64> inputTokens;
    std::optional<qint64> outputTokens;
    std::optional<qint64> costNanos;
    bool archived = false;
    bool deleted = false;
    qint64 openTurnSeq = 0; ///< seq of turn-start of a turn without turn-finish; 0: none.
};

/// One line of the transcript read model. Closed rows never change.
struct TranscriptRow {
    enum class Kind { User = 1, Text, Reasoning, Call, Step, Notice, Error, TurnEnd };
    QString conversation;
    qint64 row = 0; ///< From 1, rising.
    Kind kind = Kind::Notice;
    int turn = 0;
    int step = 0;
    qint64 firstSeq = 0;
    qint64 lastSeq = 0;
    qint64 atMs = 0;
    bool closed = false;
    bool withdrawn = false; ///< Belongs to an abandoned attempt.
    QString text; ///< User, Text, Reasoning: the whole text; others: one line.
    /// Call: {callId, toolName, args, state, exitCode, durationMs, outcome, stdoutBytes, stderrBytes,
    /// lastLine, error, startedMs, askedMs (UTC milliseconds, when known), resultLines (of a file that was
    /// read), approval, timedOut (when true), outputRuns (lengths of the
    /// last output in the order of arrival, those of stderr negative), receipt (what stopping it did last)};
    /// states: proposed, waiting, approved, running, done, failed, denied, stopped, unknown, not-run.
    /// Reasoning: {attempt, part, endMs (of its last piece)}. Step, TurnEnd, Error, Notice: members of the
    /// event they stand for.
    Json data;
};

} // namespace Pilothouse
