// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/agentloop.h"
#include "engine/conversationlog.h"
#include "engine/engineoptions.h"
#include "engine/machinechange.h"

#include <QObject>
#include <QPointer>

#include <memory>

namespace Pilothouse {

class Backends;
class KeyRing;
class ModelCatalog;

enum class Delivery { Now = 1, AfterStep, AfterTurn };
[[nodiscard]] QString deliveryName(Delivery delivery);

/// One conversation that is open in the engine: its log, its queue and the turn that runs, if any. One lane:
/// turns run one after the other, whoever submits. Engine thread.
class Conversation : public QObject {
    Q_OBJECT
public:
    struct Services {
        const EngineOptions *options = nullptr;
        Backends *backends = nullptr;
        ModelCatalog *catalog = nullptr;
        const KeyRing *keys = nullptr;
        EventPipe *pipe = nullptr;
        const Clock *clock = nullptr;
        QString installId;
    };

    Conversation(std::unique_ptr<ConversationLog> log, const Services &services, QObject *parent);
    ~Conversation() override;

    /// Empty when taken, else why not: Busy for `now` during a turn, Usage for text that cannot be sent.
    [[nodiscard]] std::optional<Error> submit(const QString &text, Delivery delivery);
    void stop(StopCause cause = StopCause::Person);
    void stopCall(const QString &callId);
    [[nodiscard]] QString decide(const QString &callId, const ApprovalDecision &decision);
    void changeSettings(
        const QByteArray &members); ///< JSON object with the changed members; holds for the next turn.
    void rename(const QString &title);
    void archive(bool archived);
    /// Stops a running turn, then deletes (or keeps) the sandbox and marks the conversation deleted.
    void remove(bool withSandbox, QObject *context, std::function<void(const Result<Done, Error> &)> reply);
    /// Refused (Busy) while a turn runs. Resume wakes the machine, which then costs again; Delete loses its
    /// files, and the next turn makes a new one. What happens stands in the log.
    void changeMachine(MachineChange change, QObject *context,
                       std::function<void(const Result<Done, Error> &)> reply);
    /// Gives the machine up, whatever state it is in: it is left as it is, nothing is sent, and the next turn
    /// makes a new, empty one. Refused (Busy) while a turn runs, and (NotFound) without a machine.
    [[nodiscard]] std::optional<Error> releaseMachine();
    void storageFailed(const Error &error);

    [[nodiscard]] bool isRunning() const { return m_loop != nullptr; }
    [[nodiscard]] ConversationLog &log() { return *m_log; }

Q_SIGNALS:
    void turnEnded(const QString &conversation, Pilothouse::TurnEnd end);
    void removed(const QString &conversation);

private:
    void startTurn(const QStringList &messageIds);
    void recordMachine(const QString &sandboxId, const QString &state, const QString &detail);
    [[nodiscard]] std::optional<Error> bindingProblem(const SandboxClient *client) const;
    void onTurnFinished();
    [[nodiscard]] QStringList messagesAfter(TurnEnd end);
    void removeSandbox(bool withSandbox, QPointer<QObject> context,
                       std::function<void(const Result<Done, Error> &)> reply);
    void writeDeleted(const QString &sandbox, QPointer<QObject> context,
                      std::function<void(const Result<Done, Error> &)> reply);

    std::unique_ptr<ConversationLog> m_log;
    Services m_services;
    AgentLoop *m_loop = nullptr;
    bool m_changingMachine = false;
    std::function<void()> m_afterTurn; ///< Removal that waits for the running turn.
};

} // namespace Pilothouse
