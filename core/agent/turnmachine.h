// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/journal.h"
#include "sandbox/sandboxclient.h"
#include "util/error.h"

#include <QObject>

#include <optional>

namespace Pilothouse {

enum class AfterTurn { Pause = 1, Keep, Delete };

[[nodiscard]] QString afterTurnName(AfterTurn action);
[[nodiscard]] AfterTurn afterTurnFromName(const QString &name, AfterTurn fallback);

/// What a conversation's sandbox is made with, and where it stands by the log.
struct MachineSetup {
    int turn = 0;
    QString backend; ///< local, superserve
    QString name; ///< For create.
    QString installId; ///< Metadata ph_install.
    QString conversation; ///< Metadata ph_conversation.
    QString sandboxId; ///< By the log; empty: none yet.
    QString madeWith; ///< Backend of the service that has it; empty: not known.
    QString origin; ///< SandboxEndpoint::machineOrigin() of the service that has it; empty: not known.
    QString createdAt; ///< As the service told when it was made; empty: not known.
    bool isAfterDelete = false; ///< An earlier turn had one, and it was deleted on purpose.
    bool isAfterRelease = false; ///< An earlier turn had one, and the person asked for another.
    QString openAttempt; ///< Attempt token of a `creating` without an outcome in the log; empty: none.
    std::optional<qint64> timeoutSeconds; ///< Backstops of create.
    std::optional<qint64> autoDeleteSeconds;
    QString fromTemplate; ///< For create; empty: the service's default.
    SandboxNetwork network; ///< For create.
};

/// The sandbox of one turn: create or activate before it, pause, keep or delete after it. Writes
/// sandbox-state events; `creating` is durable before the request leaves. A create whose answer was lost is
/// looked up by its attempt token before another is made. A sandbox that is gone is never replaced silently,
/// and one that was made at another address is not asked for.
class TurnMachine : public QObject {
    Q_OBJECT
public:
    TurnMachine(SandboxClient *client, Journal *journal, MachineSetup setup, QObject *parent);

    /// The service was started again and is reached by this one from now on; connectSandbox() follows.
    void setClient(SandboxClient *client) { m_client = client; }
    void connectSandbox(); ///< Then ready() or failed().
    void settle(AfterTurn action); ///< Then settled(), also when it did not work (the log says so).
    void freeze(const QString &why); ///< Pause now, whatever the after-turn action; then frozen(ok).
    /// Asks for the state after something went wrong, which wakes nothing; then looked(). What has changed
    /// behind our back is recorded and said.
    void look();
    /// What to say when a machine belongs to another service or address than `client` reaches; nothing if it
    /// is the same, or not known.
    [[nodiscard]] static std::optional<Error> bindingProblem(const QString &madeWith, const QString &origin,
                                                             const SandboxClient *client);
    /// The machine is not there any more; it is there but can never start again, `why`.
    [[nodiscard]] static Error goneError();
    [[nodiscard]] static Error lostError(const QString &why);
    [[nodiscard]] const QString &sandboxId() const { return m_setup.sandboxId; }

Q_SIGNALS:
    void ready();
    void failed(const Pilothouse::Error &error);
    void settled();
    void frozen(bool ok, const QString &problem);
    /// `isPaused`: it must be connected anew. `loss`: it cannot be used any more.
    void looked(bool isPaused, const std::optional<Pilothouse::Error> &loss);

private:
    void create();
    void lookUp(const QString &attemptToken, const ApiError &lost);
    void created(const SandboxInfo &info);
    void activate();
    [[nodiscard]] bool isOurs(const SandboxInfo &info) const;
    void record(const QString &state, const QString &detail = {}, const QString &attemptToken = {});
    void trouble(const QString &state, const QString &text); ///< Recorded and said to the person.
    void fail(ErrorKind kind, const QString &message, const QString &kept, const QString &todo);

    SandboxClient *m_client;
    Journal *m_journal;
    MachineSetup m_setup;
    int m_creates = 0; ///< Requests to make one, in this turn.
};

} // namespace Pilothouse
