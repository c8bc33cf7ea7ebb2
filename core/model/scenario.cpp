// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/scenario.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double ArgumentsFaster = 4; // Nobody reads argument text as it is written.
constexpr qsizetype LongestPiece = 40;

QList<ScenarioEvent> sentence(const QString &text)
{
    ScenarioEvent event;
    event.text = text;
    return {event};
}

bool isFailed(const ToolOutcome &outcome)
{
    if (outcome.isError)
        return true;
    const Result<Json, JsonError> json = parseJson(outcome.content.toUtf8());
    return json && (*json)[u"exitCode"].isNumber() && (*json)[u"exitCode"].toInteger(-1) != 0;
}

} // namespace

Scenario::Position Scenario::position(const QList<HistoryItem> &history)
{
    Position position;
    bool isTurnOpen = false; // The item before leaves room for a user text within the same turn.
    for (const HistoryItem &item : history) {
        switch (item.kind) {
        case HistoryItem::Kind::User:
            if (!isTurnOpen) {
                ++position.turn;
                position.step = 0;
            }
            isTurnOpen = true;
            break;
        case HistoryItem::Kind::Assistant:
            ++position.step;
            ++position.answers;
            isTurnOpen = false;
            break;
        case HistoryItem::Kind::ToolResults:
            isTurnOpen = true;
            break;
        }
    }
    return position;
}

bool Scenario::lastResultsFailed(const QList<HistoryItem> &history)
{
    for (auto item = history.crbegin(); item != history.crend(); ++item) {
        if (item->kind == HistoryItem::Kind::Assistant)
            return false;
        if (item->kind != HistoryItem::Kind::ToolResults)
            continue;
        for (const ToolOutcome &outcome : item->outcomes) {
            if (isFailed(outcome))
                return true;
        }
        return false;
    }
    return false;
}

ScenarioStep Scenario::stepFor(const QList<HistoryItem> &history) const
{
    const Position at = position(history);
    ScenarioStep step;
    if (at.turn >= turns.size() && otherwise.steps.isEmpty()) {
        step.events =
            sentence(u"I am a script, not an AI, and this script has no answer to a further prompt. "
                     "Choose another model to go on with this conversation."_s);
        return step;
    }
    const QList<ScenarioStep> &steps = at.turn < turns.size() ? turns[at.turn].steps : otherwise.steps;
    if (at.step >= steps.size()) {
        step.events = sentence(u"I am a script, not an AI, and the script ends here."_s);
        return step;
    }
    step = steps[at.step];
    const bool failed = lastResultsFailed(history);
    const bool isUnexpected = (step.expect == ScenarioStep::Expectation::Passed && failed)
        || (step.expect == ScenarioStep::Expectation::Failed && !failed);
    if (isUnexpected) {
        step.events = step.unexpected;
        step.stop.reset();
        if (step.events.isEmpty())
            step.events =
                sentence(u"The last result is not the one that my script foresees, and a script cannot "
                         "think about it. I stop here; everything that was done is kept."_s);
    }
    return step;
}

qsizetype scenarioPieceLength(const QString &text, qsizetype offset)
{
    qsizetype end = offset;
    while (end < text.size() && end - offset < LongestPiece && !text[end].isSpace())
        ++end;
    while (end < text.size() && end - offset < LongestPiece && text[end].isSpace())
        ++end;
    if (end < text.size() && end > offset + 1 && text[end].isLowSurrogate()
        && text[end - 1].isHighSurrogate())
        --end;
    return end - offset;
}

double scenarioPieceMs(const ScenarioStep &step, ScenarioEvent::Kind kind, qsizetype length)
{
    if (step.charsPerSecond <= 0)
        return 0;
    const double ms = static_cast<double>(length) * 1000 / step.charsPerSecond;
    return kind == ScenarioEvent::Kind::Call ? ms / ArgumentsFaster : ms;
}

double scenarioStepMs(const ScenarioStep &step)
{
    double ms = 0;
    for (const ScenarioEvent &event : step.events)
        ms += event.delayMs + scenarioPieceMs(step, event.kind, event.text.size());
    return ms;
}

} // namespace Pilothouse
