// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "net/apierror.h"

#include <QObject>

#include <memory>

namespace Pilothouse {

class EngineCore;
class SandboxClient;

/// FilesService of a real engine: lives in the caller's thread, works in the engine's.
class EngineFiles final : public QObject, public FilesService {
    Q_OBJECT
public:
    /// `core` lives in the engine thread, which has ended before it or this object is destroyed.
    EngineFiles(EngineCore *core, QObject *parent);
    ~EngineFiles() override;

    Call list(const MachinePlace &place, const QByteArray &path, QObject *context, Some some,
              Reply<FileListEnd> reply) override;
    Call survey(const MachinePlace &place, const QByteArray &root, double since, QObject *context,
                Reply<FileSurvey> reply) override;
    Call read(const MachinePlace &place, const QByteArray &path, qint64 offset, qint64 length,
              QObject *context, Reply<FilePart> reply) override;
    Call makeFolder(const MachinePlace &place, const QByteArray &path, QObject *context,
                    Reply<Done> reply) override;
    Call rename(const MachinePlace &place, const QByteArray &from, const QByteArray &to, QObject *context,
                Reply<Done> reply) override;
    Call remove(const MachinePlace &place, const QByteArray &path, QObject *context,
                Reply<Done> reply) override;
    Call upload(const MachinePlace &place, const QStringList &localPaths, const QByteArray &folder,
                QObject *context, Progress progress, Reply<TransferSum> reply) override;
    Call download(const MachinePlace &place, const QList<RemoteItem> &items, const QString &localFolder,
                  const QString &fileName, QObject *context, Progress progress,
                  Reply<TransferSum> reply) override;
    void cancel(Call call) override;

private:
    struct Running; ///< The calls that run; only touched in the engine thread.

    /// Runs `start(client, scope, done)` in the engine thread; what lives as child of `scope` dies with the
    /// call.
    template <typename T, typename Start>
    Call begin(const MachinePlace &place, QObject *context, Reply<T> reply, Start start);
    /// `call` in this thread, if `context` lives by then.
    template <typename Function>
    void post(const QPointer<QObject> &context, Function call);

    EngineCore *m_core;
    std::shared_ptr<Running> m_running;
    Call m_last = 0;
};

} // namespace Pilothouse
