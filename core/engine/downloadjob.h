// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "engine/localfolder.h"
#include "net/apierror.h"
#include "sandbox/archivedownload.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTemporaryFile>

#include <atomic>
#include <memory>

namespace Pilothouse {

class SandboxClient;

/// Files and folders of a machine onto this computer's disk. A folder comes as one archive where the service
/// makes such and the archive proves to be whole and harmless; else it lists, then reads every file part by
/// part, some at a time. Links are not followed, so loops end. A file gets its name only when all of it is
/// there. Lives in the engine thread; deleting it stops it and removes what is unfinished.
class DownloadJob : public QObject {
    Q_OBJECT
public:
    DownloadJob(SandboxClient *client, QString sandboxId, QObject *parent);
    ~DownloadJob() override;

    void start(const QList<RemoteItem> &items, const QString &localFolder, const QString &fileName,
               FilesService::Progress progress, FilesService::Reply<TransferSum> reply);

private:
    struct Folder {
        QByteArray path;
        QByteArray name;
        std::shared_ptr<LocalFolder> parent;
        int depth = 0;
    };
    struct File {
        QByteArray path;
        QByteArray name;
        std::shared_ptr<LocalFolder> folder;
        bool executable = false;
        bool replace = false;
        bool retried = false;
        // While it is read:
        std::unique_ptr<LocalFolder::File> out;
        qint64 done = 0;
        qint64 total = -1;
        QByteArray version;
    };
    using FilePtr = std::shared_ptr<File>;

    void pump();
    void fetchArchive(const Folder &folder);
    void onArchive(const Folder &folder, const Result<TreeCount, ApiError> &result);
    void unpack(const Folder &folder, const TreeCount &count);
    void endArchive(const Folder &folder, bool isDone);
    void listFolder(const Folder &folder);
    void takeEntries(const Folder &folder, const std::shared_ptr<LocalFolder> &local,
                     const QList<FileEntry> &entries);
    void startFile(const FilePtr &file);
    void readMore(const FilePtr &file);
    void takePart(const FilePtr &file, const FilePart &part);
    void readAnew(const FilePtr &file);
    void endFile(const FilePtr &file);
    void failFile(const QByteArray &name, const FileFault &fault);
    void report(const QByteArray &current);
    void finish();
    void abort(const FileFault &fault);

    SandboxClient *m_client;
    SandboxFiles m_files;
    QString m_id;
    FilesService::Progress m_progress;
    FilesService::Reply<TransferSum> m_reply;
    QList<Folder> m_folders; ///< Still to be listed; the last one first, which keeps few folders open.
    QList<Folder> m_archives; ///< Folders to be asked for as a whole first.
    std::unique_ptr<QTemporaryFile> m_archive;
    ArchiveDownload *m_archiveDownload = nullptr; ///< Child.
    std::shared_ptr<std::atomic_bool> m_stop; ///< Ends work in other threads.
    QList<FilePtr> m_waiting;
    QElapsedTimer m_sinceReport;
    TransferSum m_sum;
    std::optional<FileFault> m_lastFault;
    qint64 m_bytes = 0;
    int m_active = 0;
    bool m_single = false; ///< One file: its fault is the reply.
    bool m_listing = false;
    bool m_noArchives = false; ///< The service makes none.
    bool m_over = false;
};

} // namespace Pilothouse
