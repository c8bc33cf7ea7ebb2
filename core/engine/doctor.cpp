// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/doctor.h"

#include "engine/backends.h"
#include "engine/enginecore.h"
#include "engine/services.h"
#include "model/modelcatalog.h"
#include "store/logdamage.h"
#include "store/logreader.h"

#include <QHash>
#include <QStorageInfo>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LittleSpace = Q_INT64_C(500) * 1000 * 1000;

/// Conversations of the log and the sandbox of each, empty if it has none by the log.
using KnownSandboxes = QHash<QString, QString>;

/// Only sandboxes that this installation made for a conversation can be its orphans. One that the log does
/// not know stays its conversation's own as long as that has no other: its create was interrupted, and the
/// next turn looks it up.
bool isOrphan(const SandboxInfo &info, const QString &installId, const KnownSandboxes &known)
{
    const QString conversation = info.metadataValue(u"ph_conversation"_s);
    if (installId.isEmpty() || info.metadataValue(u"ph_install"_s) != installId || conversation.isEmpty())
        return false;
    const auto owner = known.constFind(conversation);
    return owner == known.constEnd() || (!owner->isEmpty() && *owner != info.id);
}

/// False: the log could not be read, so nobody can say what is an orphan.
bool addStore(EngineCore *core, QList<DoctorLine> &lines, KnownSandboxes &known)
{
    const auto reader = LogReader::open(core->dataDir());
    const auto all =
        reader ? (*reader)->conversations() : Result<QList<ConversationSummary>, Error>(fail(reader.error()));
    const auto damage = reader ? (*reader)->check() : Result<QStringList, Error>(fail(reader.error()));
    if (!all || !damage || !damage->isEmpty()) {
        // One line: that nobody can write to a damaged log either is no second fault.
        const Error error = !all ? all.error() : !damage ? damage.error() : damagedLog(damage->join(u"; "_s));
        lines.append({DoctorLine::Verdict::Problem, u"store"_s, error.toText()});
        if (!all)
            return false;
    }
    const bool isSound = damage && damage->isEmpty();
    for (const ConversationSummary &summary : *all)
        known.insert(summary.id, summary.sandboxId);
    if (!isSound)
        return true;
    if (const std::optional<Error> &why = core->options().onlyLooks) {
        // An owner at work is no fault; a folder that nobody can write to is.
        lines.append(
            {why->kind == ErrorKind::NotOwner ? DoctorLine::Verdict::Warning : DoctorLine::Verdict::Problem,
             u"store"_s, why->toText()});
        if (why->kind != ErrorKind::NotOwner)
            return true;
    }
    const qint64 free = QStorageInfo(core->dataDir()).bytesAvailable();
    const bool little = free >= 0 && free < LittleSpace;
    lines.append({little ? DoctorLine::Verdict::Warning : DoctorLine::Verdict::Ok, u"store"_s,
                  u"%1 conversations in %2; %3 MB free on that disk"_s.arg(all->size())
                      .arg(core->dataDir())
                      .arg(free / 1000000)});
    return true;
}

void addKeys(EngineCore *core, QList<DoctorLine> &lines)
{
    QStringList found;
    QStringList entered;
    QStringList withheld;
    QStringList variables{u"SUPERSERVE_API_KEY"_s, u"ANTHROPIC_API_KEY"_s, u"OPENAI_API_KEY"_s};
    for (const ServiceInfo &service : listServices(core))
        variables += service.keyVariables;
    variables.removeDuplicates();
    for (const QString &name : std::as_const(variables)) {
        if (core->isKeyWithheld(name))
            withheld.append(name);
        if (core->environment(name).trimmed().isEmpty())
            continue;
        (core->hasSessionKey(name) ? entered : found).append(name);
    }
    QStringList told;
    if (!found.isEmpty())
        told.append(QString(u"keys from the environment: "_s + found.join(u", "_s)));
    if (!entered.isEmpty())
        told.append(QString(u"keys entered for this session: "_s + entered.join(u", "_s)));
    if (!withheld.isEmpty())
        told.append(QString(u"keys given for another address, not used: "_s + withheld.join(u", "_s)));
    lines.append({DoctorLine::Verdict::Ok, u"keychain"_s,
                  told.isEmpty()
                      ? u"no key in the environment; the tour (demo/tour) and local sandboxes need none"_s
                      : told.join(u"; "_s)});
    const ModelName model = core->catalog()->defaultModel();
    const auto client = core->catalog()->client(model);
    lines.append({client ? DoctorLine::Verdict::Ok : DoctorLine::Verdict::Problem, u"providers"_s,
                  client ? u"new conversations use %1"_s.arg(model.toString()) : client.error().toText()});
}

} // namespace

void runDoctor(EngineCore *core, std::function<void(const QList<DoctorLine> &)> reply)
{
    auto lines = std::make_shared<QList<DoctorLine>>();
    auto known = std::make_shared<KnownSandboxes>();
    addKeys(core, *lines);
    const bool isLogRead = addStore(core, *lines, *known);
    const QString backend = core->backends()->defaultBackend();
    core->backends()->client(
        backend, core,
        [core, lines, known, isLogRead, backend, reply](const Result<SandboxClient *, Error> &client) {
            if (!client) {
                lines->append({DoctorLine::Verdict::Problem, u"sandbox"_s, client.error().toText()});
                lines->append({DoctorLine::Verdict::Warning, u"orphans"_s,
                               u"not looked for: no sandbox service was reached"_s});
                reply(*lines);
                return;
            }
            (*client)->list(
                {}, core,
                [core, lines, known, isLogRead, backend,
                 reply](const Result<QList<SandboxInfo>, ApiError> &list) {
                    if (!list) {
                        lines->append({DoctorLine::Verdict::Problem, u"sandbox"_s,
                                       u"%1: %2"_s.arg(backend, list.error().message)});
                        reply(*lines);
                        return;
                    }
                    lines->append({DoctorLine::Verdict::Ok, u"sandbox"_s,
                                   u"%1 answers; it has %2 sandboxes"_s.arg(backend).arg(list->size())});
                    for (const SandboxInfo &info : *list) {
                        if (!info.problem.isEmpty())
                            lines->append({DoctorLine::Verdict::Problem, u"sandbox"_s,
                                           u"%1: %2 (pilothouse-cli sandbox kill deletes both)"_s.arg(
                                               info.id, info.problem)});
                    }
                    if (!isLogRead) {
                        lines->append({DoctorLine::Verdict::Warning, u"orphans"_s,
                                       u"not looked for: the log could not be read"_s});
                        reply(*lines);
                        return;
                    }
                    QStringList orphans;
                    for (const SandboxInfo &info : *list) {
                        if (isOrphan(info, core->installId(), *known))
                            orphans.append(info.id);
                    }
                    lines->append(
                        {orphans.isEmpty() ? DoctorLine::Verdict::Ok : DoctorLine::Verdict::Warning,
                         u"orphans"_s,
                         orphans.isEmpty()
                             ? u"no sandbox without its conversation"_s
                             : u"sandboxes without a conversation: %1 (pilothouse-cli sandbox kill ID removes one)"_s
                                   .arg(orphans.join(u", "_s))});
                    reply(*lines);
                });
        });
}

} // namespace Pilothouse
