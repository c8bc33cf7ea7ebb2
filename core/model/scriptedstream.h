// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "model/scenario.h"

#include <QElapsedTimer>
#include <QTimer>

namespace Pilothouse {

/// One scripted answer being played.
class ScriptedStream final : public ModelStream {
    Q_OBJECT
public:
    /// `answer` is the number of this answer within the conversation, from 1; it makes call ids unique.
    ScriptedStream(const QString &model, const ScenarioStep &step, int answer, QObject *parent);

    void abort() override;

private:
    void advance();
    bool playNext(); ///< One event or wait; false when nothing follows by itself.
    void beginEvent(const ScenarioEvent &event);
    void playPiece(const ScenarioEvent &event);
    void endEvent(const ScenarioEvent &event);
    void give(const StreamEvent &event); ///< May delete this.
    void finish();
    [[nodiscard]] QByteArray replay(bool withCalls) const;
    [[nodiscard]] QString callId() const;

    enum class Phase { Start = 1, Event, Piece, EndOfEvent, Finish, Over };
    QString m_model;
    ScenarioStep m_step;
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_dueMs =
        0; ///< When the next thing is due, by m_clock. Kept exact so that any pace comes out right.
    Phase m_phase = Phase::Start;
    int m_answer;
    int m_event = 0;
    int m_part = 0;
    int m_call = 0;
    qsizetype m_offset = 0;
    bool m_hasCalls = false;
    bool m_hasContent = false;
};

} // namespace Pilothouse
