// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/turnmachine.h"

#include "util/ids.h"

#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// What a person can do when a machine is of no more use.
constexpr int MostCreates = 2; // In one turn: an answer that is lost twice will be lost again.
const auto Choices = u"Give the conversation a new machine, which begins empty, or go on in a new "
                     u"conversation; this one can be read and exported either way."_s;
// Some services round the times that they tell.
constexpr qint64 SameMomentMs = 1500;

} // namespace

QString afterTurnName(AfterTurn action)
{
    switch (action) {
    case AfterTurn::Pause:
        return u"pause"_s;
    case AfterTurn::Keep:
        return u"keep"_s;
    case AfterTurn::Delete:
        return u"delete"_s;
    }
    return u"pause"_s;
}

AfterTurn afterTurnFromName(const QString &name, AfterTurn fallback)
{
    for (const AfterTurn action : {AfterTurn::Pause, AfterTurn::Keep, AfterTurn::Delete}) {
        if (afterTurnName(action) == name)
            return action;
    }
    return fallback;
}

TurnMachine::TurnMachine(SandboxClient *client, Journal *journal, MachineSetup setup, QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_journal(journal)
    , m_setup(std::move(setup))
{ }

void TurnMachine::record(const QString &state, const QString &detail, const QString &attemptToken)
{
    JsonBuilder payload;
    payload.add("turn"_L1, m_setup.turn).add("state"_L1, state);
    if (m_setup.sandboxId.isEmpty())
        payload.addNull("sandboxId"_L1);
    else
        payload.add("sandboxId"_L1, m_setup.sandboxId);
    payload.add("backend"_L1, m_setup.backend).add("name"_L1, m_setup.name);
    if (!m_setup.origin.isEmpty())
        payload.add("origin"_L1, m_setup.origin);
    if (!m_setup.createdAt.isEmpty())
        payload.add("createdAt"_L1, m_setup.createdAt);
    if (!attemptToken.isEmpty())
        payload.add("attemptToken"_L1, attemptToken);
    if (!detail.isEmpty())
        payload.add("detail"_L1, detail);
    m_journal->append(EventKind::SandboxState, payload.take());
}

void TurnMachine::fail(ErrorKind kind, const QString &message, const QString &kept, const QString &todo)
{
    Q_EMIT failed(Error{kind, message, kept, todo});
}

std::optional<Error> TurnMachine::bindingProblem(const QString &madeWith, const QString &origin,
                                                 const SandboxClient *client)
{
    const QString backend = client->endpoint().backend;
    const QString here = client->endpoint().machineOrigin();
    const bool isOther = !madeWith.isEmpty() && madeWith != backend;
    if (!isOther && (origin.isEmpty() || origin == here))
        return {};
    const auto place = [](const QString &kind, const QString &address) {
        return address.isEmpty() ? (kind == "local"_L1 ? u"the local sandbox service"_s : kind) : address;
    };
    return Error{
        ErrorKind::Sandbox,
        u"This conversation's machine was made at %1. In use now is %2, which does not know it."_s.arg(
            place(madeWith, origin), place(backend, here)),
        u"Nothing was sent; the machine and the conversation are as they were."_s,
        u"Go back to where it was made, give the conversation a new machine, or go on in a new conversation."_s};
}

void TurnMachine::connectSandbox()
{
    if (!m_setup.sandboxId.isEmpty() || !m_setup.openAttempt.isEmpty()) {
        if (const std::optional<Error> problem = bindingProblem(m_setup.madeWith, m_setup.origin, m_client)) {
            QMetaObject::invokeMethod(
                this, [this, problem] { Q_EMIT failed(*problem); }, Qt::QueuedConnection);
            return;
        }
    }
    m_setup.origin = m_client->endpoint().machineOrigin();
    if (!m_setup.sandboxId.isEmpty())
        activate();
    else if (!m_setup.openAttempt.isEmpty())
        lookUp(m_setup.openAttempt, {});
    else
        create();
}

void TurnMachine::create()
{
    ++m_creates;
    const QString token = newId();
    m_setup.createdAt.clear();
    record(u"creating"_s, {}, token);
    m_journal->whenDurable(this, [this, token] {
        CreateSandbox request;
        request.name = m_setup.name;
        request.timeoutSeconds = m_setup.timeoutSeconds;
        request.autoDeleteSeconds = m_setup.autoDeleteSeconds;
        request.fromTemplate = m_setup.fromTemplate;
        request.network = m_setup.network;
        request.metadata = {{u"ph_install"_s, m_setup.installId},
                            {u"ph_conversation"_s, m_setup.conversation},
                            {u"ph_attempt"_s, token}};
        m_client->create(request, this, [this, token](const Result<SandboxInfo, ApiError> &reply) {
            if (reply) {
                created(*reply);
            } else if (reply.error().outcomeUnknown) {
                lookUp(token, reply.error());
            } else {
                record(u"failed"_s, reply.error().message, token);
                fail(ErrorKind::Sandbox, u"The sandbox could not be created: "_s + reply.error().message,
                     u"Your message is kept."_s, u"Send it again when the cause is mended."_s);
            }
        });
    });
}

void TurnMachine::lookUp(const QString &attemptToken, const ApiError &lost)
{
    ListSandboxes filter;
    filter.metadata = {{u"ph_attempt"_s, attemptToken}};
    m_client->list(filter, this, [this, attemptToken, lost](const Result<QList<SandboxInfo>, ApiError> &reply) {
        if (!reply) {
            record(u"unknown"_s,
                   u"The answer to create was lost, and the list could not be read: "_s
                       + reply.error().message,
                   attemptToken);
            fail(ErrorKind::Sandbox,
                 u"It is not known whether a sandbox was created: "_s
                     + (lost.message.isEmpty() ? reply.error().message : lost.message),
                 u"Your message and the attempt are kept."_s,
                 u"Send again: the next turn looks for that sandbox first."_s);
            return;
        }
        for (const SandboxInfo &info : *reply) {
            if (info.status == "deleted"_L1)
                continue;
            m_setup.sandboxId = info.id;
            m_setup.createdAt = info.createdAt;
            record(u"active"_s, u"Found by its attempt token after the answer to create was lost."_s,
                   attemptToken);
            activate();
            return;
        }
        // Listed and not there: the request had no effect, so making one is no repetition. But not for ever,
        // and not when the service said that it has made one and only the rest could not be read.
        const bool wasMade = lost.category == ApiError::Category::Protocol;
        if (!wasMade && m_creates < MostCreates) {
            create();
            return;
        }
        record(u"unknown"_s, u"The answer to create could not be read, and the list does not have it."_s,
               attemptToken);
        fail(
            ErrorKind::Sandbox,
            u"Outcome unknown: whether a sandbox was created is not known, and the list of sandboxes does "
            u"not have it. "_s
                + lost.message,
            u"Your message and the attempt are kept."_s,
            u"Look at the service's own list of sandboxes, then send again: the next turn looks for that one first."_s);
    });
}

void TurnMachine::created(const SandboxInfo &info)
{
    m_setup.sandboxId = info.id;
    m_setup.createdAt = info.createdAt;
    if (m_setup.isAfterRelease)
        trouble(u"active"_s,
                u"From here on the conversation has a new, empty machine, as you asked. Nothing of the "
                u"earlier one is in it."_s);
    else if (m_setup.isAfterDelete)
        trouble(
            u"active"_s,
            u"This turn has a new, empty sandbox: the one of earlier turns was deleted with its files."_s);
    else
        record(u"active"_s);
    Q_EMIT ready();
}

bool TurnMachine::isOurs(const SandboxInfo &info) const
{
    // Of the two spellings of an id one ends with the other.
    if (!info.id.endsWith(m_setup.sandboxId, Qt::CaseInsensitive)
        && !m_setup.sandboxId.endsWith(info.id, Qt::CaseInsensitive))
        return false;
    const QString conversation = info.metadataValue(u"ph_conversation"_s);
    if (!conversation.isEmpty() && conversation != m_setup.conversation)
        return false;
    const QDateTime then = QDateTime::fromString(m_setup.createdAt, Qt::ISODateWithMs);
    const QDateTime now = QDateTime::fromString(info.createdAt, Qt::ISODateWithMs);
    return !then.isValid() || !now.isValid() || qAbs(then.msecsTo(now)) <= SameMomentMs;
}

Error TurnMachine::goneError()
{
    return {ErrorKind::SandboxGone,
            u"The conversation's sandbox no longer exists: it was deleted outside this conversation."_s,
            u"The conversation and everything shown in it are kept."_s, Choices};
}

Error TurnMachine::lostError(const QString &why)
{
    return {ErrorKind::SandboxLost, why,
            u"The conversation and everything shown in it are kept; the sandbox's files are not."_s, Choices};
}

void TurnMachine::activate()
{
    m_client->activate(m_setup.sandboxId, this, [this](const Result<SandboxInfo, ApiError> &reply) {
        if (reply && !isOurs(*reply)) {
            record(u"lost"_s, u"Another machine has its place."_s);
            Q_EMIT failed(lostError(
                u"The conversation's sandbox was replaced outside this conversation: another machine "
                u"answers in its place. Nothing was run on that one."_s));
            return;
        }
        if (reply) {
            if (m_setup.createdAt.isEmpty())
                m_setup.createdAt = reply->createdAt;
            record(u"active"_s,
                   reply->processesLost ? u"Files are as they were; processes of before did not survive."_s
                                        : QString());
            Q_EMIT ready();
            return;
        }
        const ApiError &error = reply.error();
        if (error.category == ApiError::Category::NotFound) {
            record(u"gone"_s, error.message);
            Q_EMIT failed(goneError());
        } else if (error.category == ApiError::Category::Gone) {
            record(u"lost"_s, error.message);
            Q_EMIT failed(
                lostError(u"The conversation's sandbox is lost: the service can no longer start it."_s));
        } else {
            record(u"failed"_s, error.message);
            fail(ErrorKind::Sandbox, u"The sandbox could not be started: "_s + error.message,
                 u"Your message is kept."_s, u"Send it again when the cause is mended."_s);
        }
    });
}

void TurnMachine::look()
{
    m_client->get(m_setup.sandboxId, this, [this](const Result<SandboxInfo, ApiError> &reply) {
        if (!reply) {
            const ApiError &error = reply.error();
            if (error.category == ApiError::Category::NotFound) {
                trouble(u"gone"_s, u"The machine was deleted outside this conversation, during this turn."_s);
                Q_EMIT looked(false, goneError());
            } else if (error.category == ApiError::Category::Gone) {
                trouble(u"lost"_s, u"The machine was lost during this turn."_s);
                Q_EMIT looked(false, lostError(u"The conversation's sandbox is lost."_s));
            } else {
                Q_EMIT looked(false, {}); // Not known; what comes next will tell.
            }
            return;
        }
        const QString &status = reply->status;
        if (!isOurs(*reply)) {
            trouble(u"lost"_s, u"Another machine has the place of this conversation's one."_s);
            Q_EMIT looked(false, lostError(u"The conversation's sandbox was replaced during this turn."_s));
        } else if (status == "paused"_L1 || status == "pausing"_L1) {
            trouble(u"paused"_s,
                    u"The machine was paused outside this conversation, during this turn. What ran on it is "
                    u"frozen and goes on when it is woken; its output is no longer seen."_s);
            Q_EMIT looked(true, {});
        } else if (status == "failed"_L1) {
            trouble(u"lost"_s, u"The machine failed during this turn."_s);
            Q_EMIT looked(
                false,
                lostError(reply->problem.isEmpty()
                              ? u"The conversation's sandbox has failed and cannot be used."_s
                              : QString(u"The conversation's sandbox cannot be used: "_s + reply->problem)));
        } else {
            Q_EMIT looked(false, {});
        }
    });
}

void TurnMachine::settle(AfterTurn action)
{
    if (m_setup.sandboxId.isEmpty() || action == AfterTurn::Keep) {
        QMetaObject::invokeMethod(this, &TurnMachine::settled, Qt::QueuedConnection);
        return;
    }
    if (action == AfterTurn::Pause) {
        m_client->pause(m_setup.sandboxId, this, [this](const Result<Done, ApiError> &reply) {
            if (reply)
                record(u"paused"_s);
            else if (reply.error().category == ApiError::Category::NotFound)
                trouble(u"gone"_s,
                        u"The sandbox no longer exists: it was deleted outside this conversation."_s);
            else
                trouble(u"unknown"_s, u"The sandbox could not be paused: "_s + reply.error().message);
            Q_EMIT settled();
        });
        return;
    }
    record(u"deleting"_s);
    m_client->remove(m_setup.sandboxId, this, [this](const Result<Done, ApiError> &reply) {
        if (reply) {
            record(u"deleted"_s);
            m_setup.sandboxId.clear();
        } else {
            trouble(u"unknown"_s, u"The sandbox could not be deleted: "_s + reply.error().message);
        }
        Q_EMIT settled();
    });
}

void TurnMachine::trouble(const QString &state, const QString &text)
{
    record(state, text);
    if (state != "paused"_L1 && state != "active"_L1)
        return; // A transcript tells these states with their text as it is.
    m_journal->append(
        EventKind::Note,
        JsonBuilder().add("turn"_L1, m_setup.turn).add("about"_L1, "sandbox"_L1).add("text"_L1, text).take());
}

void TurnMachine::freeze(const QString &why)
{
    m_client->pause(m_setup.sandboxId, this, [this, why](const Result<Done, ApiError> &reply) {
        if (reply)
            record(u"paused"_s, why);
        else if (reply.error().category == ApiError::Category::NotFound)
            record(u"gone"_s, u"The machine was deleted outside this conversation, during this turn."_s);
        else
            record(u"unknown"_s, u"Freezing failed: "_s + reply.error().message);
        Q_EMIT frozen(reply.has_value(), reply ? QString() : reply.error().message);
    });
}

} // namespace Pilothouse
