// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxfiles.h"
#include "util/error.h"
#include "util/result.h"

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QStringList>

#include <functional>

namespace Pilothouse {

/// Which machine. An empty backend is the default one.
struct MachinePlace {
    QString backend;
    QString sandboxId;
    bool operator==(const MachinePlace &) const = default;
};

/// Why a file call failed, as far as callers must tell cases apart, and the words for people.
struct FileFault {
    enum class Kind {
        Other = 1,
        Missing, ///< Not there (any more).
        Exists, ///< Something of that name is there; nothing was replaced.
        NotFolder,
        TooLarge,
        NotActive, ///< The machine is paused or in between; it was not woken.
        MachineGone,
        OutcomeUnknown, ///< Sent, and no answer came.
        Cancelled,
    };
    Kind kind = Kind::Other;
    Error error;
};

struct TransferProgress {
    qint64 bytesDone = 0;
    qint64 bytesTotal = -1; ///< -1: not known (yet).
    int filesDone = 0;
    int filesTotal = -1; ///< -1: not known (yet).
    QByteArray current; ///< Name of the file at work, raw bytes.
};

/// What a transfer did. Files that could not be taken do not stop the others.
struct TransferSum {
    int files = 0;
    int folders = 0;
    qint64 bytes = 0;
    int linksSkipped = 0; ///< Links and special files are never followed or copied.
    int failed = 0;
    QStringList failures; ///< "NAME: why", the first few, plain text.
    QByteArrayList made; ///< Upload: paths of the files that were written, bounded.
    QString place; ///< Download: the file or folder that was made.
};

/// Something of the machine to be downloaded.
struct RemoteItem {
    QByteArray path; ///< Absolute, exact bytes.
    bool isFolder = false;
};

/// Files of machines as windows use them. Paths are exact bytes. No call starts a paused machine. Calls
/// return at once; the reply runs exactly once, later, in the caller's thread, unless the context is
/// destroyed.
class FilesService {
public:
    using Call = quint64;
    template <typename T>
    using Reply = std::function<void(const Result<T, FileFault> &)>;
    using Some = std::function<void(const QList<FileEntry> &)>;
    using Progress = std::function<void(const TransferProgress &)>;

    FilesService() = default;
    virtual ~FilesService();
    Q_DISABLE_COPY_MOVE(FilesService)

    virtual Call list(const MachinePlace &place, const QByteArray &path, QObject *context, Some some,
                      Reply<FileListEnd> reply) = 0;
    /// See SandboxFiles::survey().
    virtual Call survey(const MachinePlace &place, const QByteArray &root, double since, QObject *context,
                        Reply<FileSurvey> reply) = 0;
    virtual Call read(const MachinePlace &place, const QByteArray &path, qint64 offset, qint64 length,
                      QObject *context, Reply<FilePart> reply) = 0;
    virtual Call makeFolder(const MachinePlace &place, const QByteArray &path, QObject *context,
                            Reply<Done> reply) = 0;
    virtual Call rename(const MachinePlace &place, const QByteArray &from, const QByteArray &to,
                        QObject *context, Reply<Done> reply) = 0;
    virtual Call remove(const MachinePlace &place, const QByteArray &path, QObject *context,
                        Reply<Done> reply) = 0;
    /// Files and folders of this computer into `folder` of the machine; what is there is replaced.
    virtual Call upload(const MachinePlace &place, const QStringList &localPaths, const QByteArray &folder,
                        QObject *context, Progress progress, Reply<TransferSum> reply) = 0;
    /// Into `localFolder`, each item under its own name (made safe; a number is added where it is taken).
    /// With `fileName` (one item that is a file) under that name, replacing what is there. Nothing is ever
    /// written outside `localFolder`.
    virtual Call download(const MachinePlace &place, const QList<RemoteItem> &items,
                          const QString &localFolder, const QString &fileName, QObject *context,
                          Progress progress, Reply<TransferSum> reply) = 0;
    /// The reply comes with Cancelled. A change that was sent may have happened.
    virtual void cancel(Call call) = 0;
};

} // namespace Pilothouse
