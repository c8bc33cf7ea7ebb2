// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/callrunner.h"
#include "agent/modelstep.h"
#include "agent/policy.h"
#include "agent/toolset.h"
#include "agent/turnmachine.h"
#include "model/modelcatalog.h"
#include "util/error.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

/// How a turn ended; words of turn-finish by turnEndName().
enum class TurnEnd {
    Finished = 1,
    StepLimit,
    Limit,
    ModelError,
    SandboxError,
    Stopped,
    Waiting,
    Interrupted
};
[[nodiscard]] QString turnEndName(TurnEnd end);

/// Who or what stopped a turn; what is told of it differs.
enum class StopCause {
    Person = 1,
    ProgramClosed, ///< Turns still ran when the program was ended.
};

/// Everything a turn needs. The functions are called in the engine thread.
struct TurnSetup {
    int turn = 1;
    QString conversation;
    ModelName model;
    QString providerName; ///< For people; empty: the id in `model` is used.
    QString keyHint; ///< Whose key this is and where it stands, as the subject of a sentence. May be empty.
    QString instructions;
    ToolSet tools;
    std::function<QList<HistoryItem>()>
        history; ///< By the log as it stands; asked before each model request.
    int maxSteps = 5;
    AfterTurn afterTurn = AfterTurn::Pause;
    Policy policy;
    bool endWhenAsked =
        false; ///< Nobody can answer: a call that must be asked about ends the turn as waiting.
    bool retries = true;
    int waitDivisor = 1; ///< For tests: waits between attempts last so much less.
    MachineSetup machine;
    /// Time in Waiting before the machine is paused; 0: never.
    std::chrono::milliseconds pauseWhileWaiting{20000};
    std::function<void(QObject *context, std::function<void(const Result<SandboxClient *, Error> &)>)>
        sandboxClient;
    /// True once the service behind the client is known to have ended; sandboxClient then starts it again.
    std::function<bool(const SandboxClient *)> isSandboxLost;
    std::function<Result<std::shared_ptr<ModelClient>, Error>()> modelClient;
    /// What is known against this model before anything is sent; replies once, on this or a later turn of the
    /// event loop. May be empty.
    std::function<void(QObject *context, std::function<void(const std::optional<Error> &)>)> modelProblem;
    std::function<std::optional<qint64>(const Usage &)> costNanos;
};

/// A person's answer to a call that waits.
struct ApprovalDecision {
    enum class Kind { Approve = 1, Edit, Deny };
    Kind kind = Kind::Deny;
    QString by; ///< user, cli
    QString reason; ///< For Deny.
    QByteArray args; ///< For Edit: the arguments that will run, JSON object text.
};

/// One turn, from the recorded user message to turn-finish. Engine thread; event driven.
///
// clang-format off
/// | state      | entered when                       | event → next                                                        |
/// |------------|------------------------------------|---------------------------------------------------------------------|
/// | Idle       | made                               | start → Recording                                                   |
/// | Recording  | turn-start written                 | durable → Connecting                                                |
/// | Connecting | model and sandbox asked for        | ready → Thinking · failed → Settling(sandbox-error)                 |
/// | Thinking   | model request (with its retries)   | answer with calls → Calling · answer → Draining · error → Settling  |
/// | Calling    | calls judged; allowed ones run     | all ended → Draining · a call waits and none runs → Waiting         |
/// | Waiting    | only unanswered calls are left     | decide → Calling (after Waking if the machine was paused)           |
/// | Waking     | machine started for an answer      | ready → Calling · failed → Settling(sandbox-error)                  |
/// | Draining   | step-finish written                | steering or results → Thinking · limit or nothing → Settling        |
/// | Stopping   | stop() while calls run             | calls ended → Settling(stopped) · end not seen → Freezing           |
/// | Freezing   | machine paused to end a call       | frozen → Settling(stopped), machine left as it is                   |
/// | Settling   | after-turn action                  | settled → Finished                                                  |
/// | Finished   | turn-finish written and durable    | finished() was emitted                                              |
// clang-format on
///
/// A local sandbox service that has ended is started again once in a turn, for the calls that come next
/// (Calling → Waking), and for the after-turn action. A call that was running then has an unknown outcome
/// and is not repeated. A machine that was paused, deleted or lost behind our back is found by a look when
/// calls have failed for it (still Calling): paused, it is woken for the next calls; else the turn ends.
///
/// stop() in Recording and Connecting is remembered and acted on at the next step; in Thinking it closes the
/// stream; in Waiting it ends the waiting calls; in Settling and Finished it does nothing.
class AgentLoop : public QObject {
    Q_OBJECT
public:
    enum class State {
        Idle = 1,
        Recording,
        Connecting,
        Thinking,
        Calling,
        Waiting,
        Waking,
        Draining,
        Stopping,
        Freezing,
        Settling,
        Finished
    };
    Q_ENUM(State)

    AgentLoop(TurnSetup setup, Journal *journal, QObject *parent);

    void start(); ///< turn-start has been written by the caller.
    void stop(StopCause cause = StopCause::Person);
    /// `why` is what the model is told; empty: the user stopped it.
    void stopCall(const QString &callId, const QString &why = {});
    /// A message for after the current step; its user-message event has been written.
    void steer(const QString &messageId, const QString &text);
    /// Empty when taken; else why not (no such call, arguments that do not fit), and the call goes on
    /// waiting.
    [[nodiscard]] QString decide(const QString &callId, const ApprovalDecision &decision);
    /// The store cannot write: nothing more may leave the process.
    void storageFailed(const Error &error);

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] TurnEnd end() const { return m_end; }
    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    [[nodiscard]] QStringList undeliveredMessages() const; ///< Ids of steering messages that no step took.

Q_SIGNALS:
    void stateChanged(Pilothouse::AgentLoop::State state);
    void finished();

private:
    void setState(State state);
    void checkModel();
    void connectMachine();
    void think();
    void onAnswer(const ModelStepEnd &answer);
    void onModelError(const ModelStepEnd &answer);
    void judge();
    void approve(const ApprovedCall &call, const QString &state, const QString &by, const QString &rule);
    void refuse(const ProposedCall &call, const QString &toolName, const QString &error,
                const QString &reason);
    void runCalls(const QList<ApprovedCall> &calls);
    void wake();
    /// Runs `then` at once, or, if the service behind the client has ended, when it was started again; with
    /// the error if it could not be.
    void withService(std::function<void(const std::optional<Error> &)> then);
    void onMachineReady();
    void onMachineFailed(const Error &error);
    [[nodiscard]] bool isServiceLost() const;
    void checkCalls();
    void onMachineLooked(bool isPaused, const std::optional<Error> &loss);
    void finishStep();
    void drain();
    [[nodiscard]] QString notRunText()
        const; ///< What the model is told of a call that a stop kept from running.
    void endTurn(TurnEnd end);
    void writeTurnFinish();
    void fail(TurnEnd end, const Error &error);
    void note(const QString &about, const QString &text, const QString &rung = {});

    TurnSetup m_setup;
    Journal *m_journal;
    State m_state = State::Idle;
    std::shared_ptr<ModelClient> m_model;
    SandboxClient *m_client = nullptr;
    TurnMachine *m_machine = nullptr;
    ModelStep *m_modelStep = nullptr;
    CallRunner *m_runner = nullptr;
    ModelStepEnd m_answer;
    QList<ApprovedCall> m_waiting; ///< Asked about and not answered.
    QList<ApprovedCall> m_onWaking; ///< Approved while the machine was paused.
    QList<QPair<QString, QString>> m_steering;
    QTimer m_waitingTimer;
    qint64 m_callsStartedMs = 0;
    int m_step = 0;
    int m_pauses = 0;
    int m_badCalls = 0;
    int m_restarts = 0; ///< Of the sandbox service, for calls of this turn.
    QString m_text;
    QList<Usage> m_usages;
    std::optional<qint64> m_costNanos = 0;
    TurnEnd m_end = TurnEnd::Finished;
    std::optional<Error> m_error;
    bool m_stopRequested = false;
    StopCause m_stopCause = StopCause::Person;
    bool m_machinePaused = false;
    enum class Look { NotYet = 1, Asked, Done };
    Look m_look = Look::NotYet; ///< At the machine, after calls of this step that failed.
    std::optional<Error> m_machineLoss;
    bool m_keepMachine = false;
    bool m_connected = false;
};

} // namespace Pilothouse
