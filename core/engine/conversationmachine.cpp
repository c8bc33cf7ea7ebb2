// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// What a person does to a conversation's machine between turns.

#include "engine/backends.h"
#include "engine/conversation.h"
#include "util/json.h"

#include <QPointer>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

Error machineError(const ApiError &error)
{
    if (error.category == ApiError::Category::NotFound)
        return TurnMachine::goneError();
    if (error.category == ApiError::Category::Gone)
        return TurnMachine::lostError(
            u"The conversation's sandbox is lost: the service can no longer start it."_s);
    return {ErrorKind::Sandbox,
            error.outcomeUnknown ? QString(u"Outcome unknown: "_s + error.message) : error.message,
            u"The conversation is untouched."_s,
            error.outcomeUnknown ? u"Look at the machine before you repeat it."_s : u"Try again."_s};
}

Error busyError(bool isTurn)
{
    return {ErrorKind::Busy, isTurn ? u"A turn runs on this machine."_s : u"The machine is being changed."_s,
            u"Nothing was changed."_s,
            isTurn ? u"Stop the turn first, or wait for its end."_s : u"Wait until that is done."_s};
}

Error noMachineError()
{
    return {ErrorKind::NotFound, u"This conversation has no machine."_s, {}, u"Its next turn makes one."_s};
}

QString stateAfter(MachineChange change)
{
    switch (change) {
    case MachineChange::Pause:
        return u"paused"_s;
    case MachineChange::Resume:
        return u"active"_s;
    case MachineChange::Delete:
        return u"deleted"_s;
    }
    return u"unknown"_s;
}

QString stateDuring(MachineChange change)
{
    switch (change) {
    case MachineChange::Pause:
        return u"pausing"_s;
    case MachineChange::Resume:
        return u"resuming"_s;
    case MachineChange::Delete:
        return u"deleting"_s;
    }
    return u"unknown"_s;
}

} // namespace

void Conversation::recordMachine(const QString &sandboxId, const QString &state, const QString &detail)
{
    const ConversationSettings &settings = m_log->state().settings;
    m_log->append(EventKind::SandboxState,
                  JsonBuilder()
                      .add("state"_L1, state)
                      .add("sandboxId"_L1, sandboxId)
                      .add("backend"_L1, settings.backend)
                      .add("name"_L1, settings.sandboxName)
                      .add("detail"_L1, detail)
                      .take());
}

std::optional<Error> Conversation::bindingProblem(const SandboxClient *client) const
{
    const ConversationState &state = m_log->state();
    return TurnMachine::bindingProblem(state.sandboxBackend, state.sandboxOrigin, client);
}

std::optional<Error> Conversation::releaseMachine()
{
    if (m_loop || m_changingMachine)
        return busyError(m_loop != nullptr);
    const ConversationState &state = m_log->state();
    if (state.sandboxId.isEmpty() && state.openAttempt.isEmpty())
        return noMachineError();
    const QString left = state.sandboxId.isEmpty()
        ? u"The attempt to make one, whose outcome is not known, is no longer followed."_s
        : u"The machine %1 was left as it is."_s.arg(state.sandboxId);
    recordMachine(QString(), u"released"_s, QString(u"by you: the next turn makes a new one. "_s + left));
    return {};
}

void Conversation::changeMachine(MachineChange change, QObject *context,
                                 std::function<void(const Result<Done, Error> &)> reply)
{
    const auto answer = [context = QPointer<QObject>(context),
                         reply = std::move(reply)](const Result<Done, Error> &result) {
        if (context)
            reply(result);
    };
    const QString sandboxId = m_log->state().sandboxId;
    const QString before = m_log->state().sandboxState;
    if (m_loop || m_changingMachine) {
        answer(fail(busyError(m_loop != nullptr)));
        return;
    }
    if (sandboxId.isEmpty()) {
        answer(fail(noMachineError()));
        return;
    }
    m_changingMachine = true;
    m_services.backends->client(
        m_log->state().settings.backend, this,
        [this, change, sandboxId, before, answer](const Result<SandboxClient *, Error> &client) {
            if (!client || m_loop) {
                m_changingMachine = false;
                answer(fail(client ? Error{ErrorKind::Busy,
                                           u"A turn has begun on this machine."_s,
                                           u"Nothing was changed."_s,
                                           {}}
                                   : client.error()));
                return;
            }
            if (const std::optional<Error> problem = bindingProblem(*client)) {
                m_changingMachine = false;
                answer(fail(*problem));
                return;
            }
            recordMachine(sandboxId, stateDuring(change), u"by you"_s);
            const auto ended = [this, change, sandboxId, before,
                                answer](const std::optional<ApiError> &error) {
                m_changingMachine = false;
                if (!error) {
                    recordMachine(sandboxId, stateAfter(change), u"by you"_s);
                    answer(Done());
                    return;
                }
                const bool gone = error->category == ApiError::Category::NotFound;
                const bool lost = error->category == ApiError::Category::Gone;
                recordMachine(sandboxId,
                              gone                        ? u"gone"_s
                                  : lost                  ? u"lost"_s
                                  : error->outcomeUnknown ? u"unknown"_s
                                                          : before,
                              error->message);
                answer(fail(machineError(*error)));
            };
            const auto done = [ended](const auto &result) {
                ended(result ? std::nullopt : std::optional<ApiError>(result.error()));
            };
            switch (change) {
            case MachineChange::Pause:
                (*client)->pause(sandboxId, this, done);
                return;
            case MachineChange::Resume:
                (*client)->activate(sandboxId, this, done);
                return;
            case MachineChange::Delete:
                (*client)->remove(sandboxId, this, done);
                return;
            }
        });
}

} // namespace Pilothouse
