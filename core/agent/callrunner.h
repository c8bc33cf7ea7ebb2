// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/journal.h"
#include "agent/modelstep.h"
#include "agent/tool.h"

#include <QElapsedTimer>
#include <QHash>
#include <QList>
#include <QObject>

namespace Pilothouse {

/// A call that may run.
struct ApprovedCall {
    ProposedCall proposed;
    const Tool *tool = nullptr;
    Json args; ///< Checked; as they will run.
};

/// Runs the approved calls of one step: at most 10 side by side, an exclusive tool alone. Each call's
/// tool-start is durable before it leaves the process. Writes tool-start, tool-output, tool-result and stop
/// receipts.
class CallRunner : public QObject {
    Q_OBJECT
public:
    CallRunner(SandboxClient *client, QString sandboxId, Journal *journal, int turn, int step,
               QObject *parent);

    void add(const ApprovedCall &call); ///< May be called while others run.
    void setClient(SandboxClient *client) { m_client = client; } ///< For the calls that start from now on.
    /// Waiting ones end as stopped with the error `notRun`; running ones by the ladder, with `why` as what
    /// the model is told (empty: the user stopped it). idle() follows if any ran.
    void stopAll(const QString &notRun, const QString &why);
    void stopCall(const QString &callId, const QString &why);
    [[nodiscard]] bool isIdle() const
    {
        return m_waiting.isEmpty() && m_starting == 0 && m_running.isEmpty();
    }
    /// A call whose end was not seen when it was stopped: only freezing the machine ends it for certain.
    [[nodiscard]] bool leftSomethingRunning() const { return m_leftRunning; }
    /// A call ended in a way that may be due to the machine's own state.
    [[nodiscard]] bool isMachineInDoubt() const { return m_machineInDoubt; }

Q_SIGNALS:
    void idle(); ///< The last running call ended, on a later event-loop turn.

private:
    void launch();
    void run(const ApprovedCall &call);
    void onFinished(const QString &callId, const ToolEnd &end);
    void receipt(const QString &callId, const QString &rung, const QString &text);
    void endStopped(const ApprovedCall &call, const QString &error);
    void checkIdle();

    struct Running {
        ApprovedCall call;
        ToolRun *run = nullptr;
        QElapsedTimer timer;
        qint64 stdoutBytes = 0;
        qint64 stderrBytes = 0;
    };

    SandboxClient *m_client;
    QString m_sandboxId;
    Journal *m_journal;
    int m_turn;
    int m_step;
    QList<ApprovedCall> m_waiting;
    QHash<QString, Running> m_running; ///< By callId.
    int m_starting = 0; ///< tool-start written, commit not confirmed yet.
    bool m_exclusive = false;
    bool m_stopping = false;
    QString m_notRun; ///< Error of calls that a stop kept from running.
    bool m_leftRunning = false;
    bool m_machineInDoubt = false;
    bool m_idleQueued = false;
};

} // namespace Pilothouse
