// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/journal.h"
#include "model/modelclient.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace Pilothouse {

/// A call as the model proposed it.
struct ProposedCall {
    QString callId; ///< Ours.
    QString providerCallId;
    QString toolName; ///< As the model wrote it.
    QByteArray args; ///< JSON object text; empty when the text did not parse.
    QString raw; ///< The text that did not parse.
    QString problem; ///< Why not.
    bool scriptedAsk = false;
};

/// How a model request ended, after all its attempts.
struct ModelStepEnd {
    bool failed = false;
    ApiError error; ///< When failed.
    StopReason reason = StopReason::Unknown;
    QString rawReason;
    QString explanation; ///< Of a refusal, for people.
    QString text; ///< Answer text of this step.
    QList<ProposedCall> calls;
    QByteArray replay;
    QByteArray replayWithoutCalls;
    Usage usage;
    int attempt = 1;
    qint64 modelMs = 0;
};

/// One model request with its retries: writes step-start, deltas, tool-call, retry and step-abandoned events.
/// A failed attempt is repeated while nothing was shown, and at most once after partial output, which is
/// withdrawn; calls of an unfinished answer are never run, so repeating is safe. A parameter that the service
/// refused and that the client leaves out from then on is worth one more request at once, which does not
/// count as an attempt after a failure.
class ModelStep : public QObject {
    Q_OBJECT
public:
    ModelStep(ModelClient *client, Journal *journal, int turn, int step, bool retries, QObject *parent);

    void start(const ModelRequest &request);
    /// For tests: the waits between attempts last so much less than what is told of them.
    void setWaitDivisor(int divisor) { m_waitDivisor = divisor; }
    void abort(); ///< Closes the stream or cancels the wait; quiet, finished() does not follow.
    [[nodiscard]] bool isWaiting() const { return m_wait.isActive(); }
    [[nodiscard]] const QString &textSoFar() const { return m_end.text; }
    [[nodiscard]] const QList<ProposedCall> &callsSoFar() const { return m_end.calls; }

Q_SIGNALS:
    void finished(const Pilothouse::ModelStepEnd &end);

private:
    void attempt();
    void onEvent(const StreamEvent &event);
    void onError(const ApiError &error, const QString &refusedParameter);
    void resetAttempt();

    ModelClient *m_client;
    Journal *m_journal;
    int m_turn;
    int m_step;
    bool m_retries;
    int m_attempt = 0;
    int m_partialRepeats = 0;
    int m_parameterRepeats = 0;
    int m_waitDivisor = 1;
    bool m_anyOutput = false;
    bool m_done = false;
    qint64 m_startedMs = 0;
    ModelRequest m_request;
    ModelStepEnd m_end;
    QPointer<ModelStream> m_stream;
    QTimer m_wait;
};

} // namespace Pilothouse

Q_DECLARE_METATYPE(Pilothouse::ModelStepEnd)
