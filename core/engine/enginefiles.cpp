// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/enginefiles.h"

#include "engine/backends.h"
#include "engine/downloadjob.h"
#include "engine/enginecore.h"
#include "engine/filefault.h"
#include "engine/uploadjob.h"
#include "sandbox/sandboxclient.h"

#include <QHash>
#include <QPointer>

namespace Pilothouse {

struct EngineFiles::Running {
    struct Entry {
        QPointer<QObject> scope;
        std::function<void()> cancelled;
    };
    QHash<Call, Entry> calls;

    /// True once for each call: its reply may go out.
    [[nodiscard]] bool end(Call call)
    {
        const auto entry = calls.find(call);
        if (entry == calls.end())
            return false;
        if (entry->scope)
            entry->scope->deleteLater(); // This may run inside one of its children.
        calls.erase(entry);
        return true;
    }
};

EngineFiles::EngineFiles(EngineCore *core, QObject *parent)
    : QObject(parent)
    , m_core(core)
    , m_running(std::make_shared<Running>())
{ }

EngineFiles::~EngineFiles() = default;

template <typename Function>
void EngineFiles::post(const QPointer<QObject> &context, Function call)
{
    QMetaObject::invokeMethod(
        this,
        [context, call] {
            if (context)
                call();
        },
        Qt::QueuedConnection);
}

template <typename T, typename Start>
FilesService::Call EngineFiles::begin(const MachinePlace &place, QObject *context, Reply<T> reply,
                                      Start start)
{
    const Call call = ++m_last;
    const QPointer<QObject> guard(context);
    const auto answer = [this, guard, reply](const Result<T, FileFault> &result) {
        post(guard, [reply, result] { reply(result); });
    };
    // Who asked is gone: nobody waits for the rest.
    connect(context, &QObject::destroyed, this, [this, call] { cancel(call); });
    QMetaObject::invokeMethod(
        m_core,
        [core = m_core, running = m_running, place, call, answer, start] {
            auto *scope = new QObject(core);
            running->calls.insert(call, {scope, [answer] { answer(fail(cancelledFault())); }});
            const auto done = [running, call, answer](const Result<T, FileFault> &result) {
                if (running->end(call))
                    answer(result);
            };
            Backends *backends = core->backends();
            const QString backend = place.backend.isEmpty() ? backends->defaultBackend() : place.backend;
            backends->client(backend, scope,
                             [core, place, scope, start, done](const Result<SandboxClient *, Error> &client) {
                                 if (!client)
                                     return done(fail(fileFaultOf(client.error())));
                                 if (const auto problem = core->bindingProblem(place.sandboxId, *client))
                                     return done(fail(fileFaultOf(*problem)));
                                 start(*client, scope, done);
                             });
        },
        Qt::QueuedConnection);
    return call;
}

namespace {

/// A reply for the sandbox layer that passes everything on.
template <typename T, typename DoneFunction>
Reply<T> passedOn(DoneFunction done)
{
    return [done](const Result<T, ApiError> &result) {
        if (result)
            done(*result);
        else
            done(fail(fileFaultOf(result.error())));
    };
}

} // namespace

FilesService::Call EngineFiles::list(const MachinePlace &place, const QByteArray &path, QObject *context,
                                     Some some, Reply<FileListEnd> reply)
{
    const QPointer<QObject> guard(context);
    const auto pieces = [this, guard, some](const QList<FileEntry> &entries) {
        post(guard, [some, entries] { some(entries); });
    };
    return begin<FileListEnd>(place, context, std::move(reply),
                              [place, path, pieces](SandboxClient *client, QObject *scope, auto done) {
                                  SandboxFiles(client).list(place.sandboxId, path, scope, pieces,
                                                            passedOn<FileListEnd>(done));
                              });
}

FilesService::Call EngineFiles::survey(const MachinePlace &place, const QByteArray &root, double since,
                                       QObject *context, Reply<FileSurvey> reply)
{
    return begin<FileSurvey>(place, context, std::move(reply),
                             [place, root, since](SandboxClient *client, QObject *scope, auto done) {
                                 SandboxFiles(client).survey(place.sandboxId, root, since, scope,
                                                             passedOn<FileSurvey>(done));
                             });
}

FilesService::Call EngineFiles::read(const MachinePlace &place, const QByteArray &path, qint64 offset,
                                     qint64 length, QObject *context, Reply<FilePart> reply)
{
    return begin<FilePart>(place, context, std::move(reply),
                           [place, path, offset, length](SandboxClient *client, QObject *scope, auto done) {
                               SandboxFiles(client).read(place.sandboxId, path, offset, length, scope,
                                                         passedOn<FilePart>(done));
                           });
}

FilesService::Call EngineFiles::makeFolder(const MachinePlace &place, const QByteArray &path,
                                           QObject *context, Reply<Done> reply)
{
    return begin<Done>(
        place, context, std::move(reply), [place, path](SandboxClient *client, QObject *scope, auto done) {
            SandboxFiles(client).makeFolder(place.sandboxId, path, scope, passedOn<Done>(done));
        });
}

FilesService::Call EngineFiles::rename(const MachinePlace &place, const QByteArray &from,
                                       const QByteArray &to, QObject *context, Reply<Done> reply)
{
    return begin<Done>(place, context, std::move(reply),
                       [place, from, to](SandboxClient *client, QObject *scope, auto done) {
                           SandboxFiles(client).rename(place.sandboxId, from, to, scope,
                                                       passedOn<Done>(done));
                       });
}

FilesService::Call EngineFiles::remove(const MachinePlace &place, const QByteArray &path, QObject *context,
                                       Reply<Done> reply)
{
    return begin<Done>(place, context, std::move(reply),
                       [place, path](SandboxClient *client, QObject *scope, auto done) {
                           SandboxFiles(client).remove(place.sandboxId, path, scope, passedOn<Done>(done));
                       });
}

FilesService::Call EngineFiles::upload(const MachinePlace &place, const QStringList &localPaths,
                                       const QByteArray &folder, QObject *context, Progress progress,
                                       Reply<TransferSum> reply)
{
    const QPointer<QObject> guard(context);
    const auto told = [this, guard, progress](const TransferProgress &state) {
        post(guard, [progress, state] { progress(state); });
    };
    return begin<TransferSum>(
        place, context, std::move(reply),
        [place, localPaths, folder, told](SandboxClient *client, QObject *scope, auto done) {
            (new UploadJob(client, place.sandboxId, scope))->start(localPaths, folder, told, done);
        });
}

FilesService::Call EngineFiles::download(const MachinePlace &place, const QList<RemoteItem> &items,
                                         const QString &localFolder, const QString &fileName,
                                         QObject *context, Progress progress, Reply<TransferSum> reply)
{
    const QPointer<QObject> guard(context);
    const auto told = [this, guard, progress](const TransferProgress &state) {
        post(guard, [progress, state] { progress(state); });
    };
    return begin<TransferSum>(
        place, context, std::move(reply),
        [place, items, localFolder, fileName, told](SandboxClient *client, QObject *scope, auto done) {
            (new DownloadJob(client, place.sandboxId, scope))
                ->start(items, localFolder, fileName, told, done);
        });
}

void EngineFiles::cancel(Call call)
{
    QMetaObject::invokeMethod(
        m_core,
        [running = m_running, call] {
            const auto entry = running->calls.constFind(call);
            if (entry == running->calls.cend())
                return;
            const auto cancelled = entry->cancelled;
            if (running->end(call))
                cancelled();
        },
        Qt::QueuedConnection);
}

} // namespace Pilothouse
