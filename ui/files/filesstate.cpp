// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filesstate.h"

#include "files/filename.h"
#include "files/filessession.h"

#include <QCoreApplication>
#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text) { return QCoreApplication::translate("FilesState", text); }

FilesState noMachine()
{
    return {tr("No machine yet"), tr("The first message makes one; its files appear here."), {}, {}};
}

FilesState active(FilesSession *session)
{
    if (!session->service()) {
        return {
            tr("The files cannot be looked at"), tr("Another program works with this data folder."), {}, {}};
    }
    if (!session->rootFault())
        return {tr("Listing…"), {}, {}, {}};
    if (session->rootFault()->kind != FileFault::Kind::Missing)
        return {{}, {}, {}, session->rootFault()->error};
    const QString root = shownPath(session->model()->root(), FilesSession::home());
    return {tr("There is no folder %1").arg(root),
            tr("This machine keeps its files elsewhere."),
            tr("Show the whole machine"),
            {}};
}

} // namespace

FilesState FilesState::of(FilesSession *session)
{
    if (!session || session->objectName().isEmpty())
        return noMachine();
    if (session->model()->rowCount() > 0)
        return {};
    if (session->hasTree() && session->canAsk())
        return {tr("This folder is empty"), tr("Drop files here to upload them."), {}, {}};
    switch (session->machine()) {
    case FilesSession::Machine::None:
        break;
    case FilesSession::Machine::Active:
        return active(session);
    case FilesSession::Machine::Busy:
        return {tr("The machine is not ready"), tr("Its files appear here as soon as it is active."), {}, {}};
    case FilesSession::Machine::Paused:
        return {tr("The machine is paused"),
                session->hasTree() ? tr("This folder was empty when it was last looked at.")
                                   : tr("Its files were not looked at while it was awake."),
                tr("Wake"),
                {}};
    case FilesSession::Machine::Gone:
        return {tr("The machine is gone"), tr("Its files went with it."), {}, {}};
    case FilesSession::Machine::Unknown:
        return {tr("The state of the machine is not known"), tr("Looking does not wake it."), tr("Look"), {}};
    }
    return noMachine();
}

QString staleTreeWords(FilesSession *session)
{
    if (!session || session->model()->rowCount() == 0 || session->canAsk())
        return {};
    const QString when = session->seenMs() > 0
        ? tr("as seen at %1")
              .arg(QDateTime::fromMSecsSinceEpoch(session->seenMs()).time().toString(u"HH:mm"_s))
        : tr("only files the agent wrote are known");
    switch (session->machine()) {
    case FilesSession::Machine::Paused:
        return tr("Machine paused: %1").arg(when);
    case FilesSession::Machine::Busy:
        return tr("Machine not ready: %1").arg(when);
    case FilesSession::Machine::Gone:
        return tr("Machine gone: %1").arg(when);
    case FilesSession::Machine::Unknown:
    case FilesSession::Machine::None:
    case FilesSession::Machine::Active:
        break;
    }
    return tr("Machine not in reach: %1").arg(when);
}

bool knowsChanges(FilesSession *session)
{
    if (!session || session->seenMs() == 0
        || session->changes()->since(FileChanges::Scope::Conversation) <= 0)
        return false;
    switch (session->machine()) {
    case FilesSession::Machine::None:
    case FilesSession::Machine::Gone:
        return false;
    case FilesSession::Machine::Active:
    case FilesSession::Machine::Busy:
    case FilesSession::Machine::Paused:
    case FilesSession::Machine::Unknown:
        break;
    }
    return true;
}

Error cannotWorkError(FilesSession *session, const QString &kept)
{
    Error error;
    error.kind = ErrorKind::Sandbox;
    error.kept = kept;
    if (session && !session->service()) {
        error.message = tr("Another program works with this data folder.");
        return error;
    }
    switch (session ? session->machine() : FilesSession::Machine::None) {
    case FilesSession::Machine::None:
        error.message = tr("There is no machine yet.");
        error.todo = tr("Send a first message; that makes one.");
        break;
    case FilesSession::Machine::Paused:
        error.message = tr("The machine is paused.");
        error.todo = tr("Wake it, then try again.");
        break;
    case FilesSession::Machine::Gone:
        error.message = tr("The machine is gone.");
        break;
    case FilesSession::Machine::Busy:
    case FilesSession::Machine::Unknown:
    case FilesSession::Machine::Active:
        error.message = tr("The machine is not ready.");
        error.todo = tr("Try again when it is active.");
        break;
    }
    return error;
}

} // namespace Pilothouse
