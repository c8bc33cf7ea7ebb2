// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"
#include "util/event.h"

#include <QString>
#include <QStringList>

namespace Pilothouse {

/// What a conversation is set to. Members of conversation-created and conversation-settings.
struct ConversationSettings {
    QString title;
    QString provider;
    QString model;
    QString backend; ///< local, superserve
    QString sandboxName;
    QString instructions;
    QStringList tools; ///< Names, in the order the model is told of them.
    QString afterTurn; ///< pause, keep, delete
    int maxSteps = 0; ///< 0: nobody chose; the default, or a scenario's own limit.
    QString approval; ///< allow, ask, deny
    // What the conversation's machine is made with; a change holds for the next machine that is made.
    QString sandboxTemplate; ///< Empty: the service's default.
    std::optional<qint64> sandboxTimeoutSeconds; ///< Empty: the engine's own; NoLimit: none.
    std::optional<qint64> sandboxAutoDeleteSeconds; ///< The same; 0: with the first pause.
    SandboxNetwork network;

    static constexpr qint64 NoLimit = -1;

    [[nodiscard]] QByteArray toPayload() const;
    void applyMembers(const Json &payload); ///< Those that are there.
};

/// Where a conversation stands by its log, as far as the engine must know it to go on. Derived; feed events
/// in order.
struct ConversationState {
    ConversationSettings settings;
    QString sandboxId; ///< Empty: none, or deleted or given up on purpose.
    QString sandboxState;
    QString sandboxBackend; ///< Where the machine was made: the kind of service,
    QString sandboxOrigin; ///< its address (empty: local, or not known),
    QString sandboxCreatedAt; ///< and when, as the service told.
    QString openAttempt; ///< Attempt token of a create whose outcome is not in the log.
    bool deleted = false;
    bool archived = false;

    void apply(const Event &event);
    [[nodiscard]] static QList<EventKind> relevantKinds();
};

} // namespace Pilothouse
