// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/journal.h"
#include "sandbox/sandboxclient.h"
#include "util/error.h"

#include <QObject>

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
    bool isAfterDelete = false; ///< An earlier turn had one, and it was deleted on purpose.
    QString openAttempt; ///< Attempt token of a `creating` without an outcome in the log; empty: none.
    std::optional<qint64> timeoutSeconds; ///< Backstops of create.
    std::optional<qint64> autoDeleteSeconds;
};

/// The sandbox of one turn: create or activate before it, pause, keep or delete after it. Writes
/// sandbox-state events; `creating` is durable before the request leaves. A create whose answer was lost is
/// looked up by its attempt token before another is made. A sandbox that is gone is never replaced silently.
class TurnMachine : public QObject {
    Q_OBJECT
public:
    TurnMachine(SandboxClient *client, Journal *journal, MachineSetup setup, QObject *parent);

    /// The service was started again and is reached by this one from now on; connectSandbox() follows.
    void setClient(SandboxClient *client) { m_client = client; }
    void connectSandbox(); ///< Then ready() or failed().
    void settle(AfterTurn action); ///< Then settled(), also when it did not work (the log says so).
    void freeze(const QString &why); ///< Pause now, whatever the after-turn action; then frozen(ok).
    [[nodiscard]] const QString &sandboxId() const { return m_setup.sandboxId; }

Q_SIGNALS:
    void ready();
    void failed(const Pilothouse::Error &error);
    void settled();
    void frozen(bool ok, const QString &problem);

private:
    void create();
    void lookUp(const QString &attemptToken, const ApiError &lost);
    void created(const SandboxInfo &info);
    void activate();
    void record(const QString &state, const QString &detail = {}, const QString &attemptToken = {});
    void trouble(const QString &state, const QString &text); ///< Recorded and said to the person.
    void fail(ErrorKind kind, const QString &message, const QString &kept, const QString &todo);

    SandboxClient *m_client;
    Journal *m_journal;
    MachineSetup m_setup;
};

} // namespace Pilothouse
