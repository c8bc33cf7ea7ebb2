// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"
#include "model/streamevent.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace Pilothouse {

/// One thing that a scripted answer does.
struct ScenarioEvent {
    enum class Kind { Text = 1, Reasoning, Call, Delay };
    Kind kind = Kind::Text;
    QString text; ///< Text, Reasoning. Call: argument text, sent as it stands and checked like any model's.
    QString toolName; ///< Call.
    bool ask = false; ///< Call: the window asks a person first; unattended runs just run it.
    int delayMs = 0; ///< Delay.
};

/// A failure that a step plays, so that retries can be watched and tested.
struct ScenarioFault {
    std::optional<ApiError> error; ///< Empty: silence; the stream neither goes on nor ends.
    int after = 0; ///< Events of the step that are played before it.
    int times =
        1; ///< Requests of the step that fail, counted while the program runs; then the step plays through.
};

/// One scripted answer: what the model does in one request.
struct ScenarioStep {
    enum class Expectation { Anything = 1, Passed, Failed };
    QList<ScenarioEvent> events;
    double charsPerSecond = 0; ///< Of text; argument text is four times as fast. 0: all at once.
    Usage usage;
    std::optional<StopReason> stop; ///< Empty: by whether there are calls.
    std::optional<ScenarioFault> fault;
    /// What the results of the step before must have been; if they were not, `unexpected` is played instead.
    Expectation expect = Expectation::Anything;
    QList<ScenarioEvent> unexpected; ///< Empty: a sentence that says that the script ends here.
};

struct ScenarioTurn {
    QList<ScenarioStep> steps;
};

/// A script for the demo provider. A plain value: read from a file (ScenarioFile), or made in memory for
/// tests and benchmarks.
struct Scenario {
    QString name;
    QString title;
    QString about;
    std::optional<int> maxSteps; ///< Empty: the engine's default.
    QList<ScenarioTurn> turns; ///< One for each prompt, in order.
    ScenarioTurn otherwise; ///< For every further prompt.

    /// Where a request stands, by its history alone, so that a script goes on after a restart. A turn begins
    /// with a user text at the start or after an answer; a user text that follows tool results or another
    /// user text belongs to the turn that runs.
    struct Position {
        int turn = -1; ///< From 0; -1 if there is no user text yet.
        int step = 0; ///< From 0: answers already given in this turn.
        int answers = 0; ///< Answers in the whole history.
    };
    [[nodiscard]] static Position position(const QList<HistoryItem> &history);
    /// The step to play, with `events` already chosen between expected and unexpected. Past the end of the
    /// script: an answer that says so.
    [[nodiscard]] ScenarioStep stepFor(const QList<HistoryItem> &history) const;
    /// True if a result of the last tool results was an error or had an exit code other than 0.
    [[nodiscard]] static bool lastResultsFailed(const QList<HistoryItem> &history);
};

/// Length of the piece of `text` from `offset` that is handed out at once: about a word.
[[nodiscard]] qsizetype scenarioPieceLength(const QString &text, qsizetype offset);
/// Milliseconds that `length` characters of an event of `kind` take at the step's pace.
[[nodiscard]] double scenarioPieceMs(const ScenarioStep &step, ScenarioEvent::Kind kind, qsizetype length);
/// Milliseconds that the whole step takes.
[[nodiscard]] double scenarioStepMs(const ScenarioStep &step);

} // namespace Pilothouse
