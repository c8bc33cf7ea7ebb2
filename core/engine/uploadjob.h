// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "engine/localtree.h"
#include "net/apierror.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>

#include <memory>

namespace Pilothouse {

class SandboxClient;

/// Files and folders of this computer into a machine. Small files go in one piece; large ones in pieces into
/// a hidden file that takes the target's place when it is complete. Lives in the engine thread; deleting it
/// stops it and asks the machine to remove what is unfinished.
class UploadJob : public QObject {
    Q_OBJECT
public:
    UploadJob(SandboxClient *client, QString sandboxId, QObject *parent);
    ~UploadJob() override;

    void start(const QStringList &localPaths, const QByteArray &folder, FilesService::Progress progress,
               FilesService::Reply<TransferSum> reply);

private:
    struct File {
        LocalTree::File local;
        QByteArray target;
        int fd = -1;
        qint64 done = 0;
        QByteArray temporary; ///< The hidden file, once it may exist.
        QByteArray piece; ///< The hidden piece, once it may exist.
        bool repeated = false;
        File() = default;
        ~File();
        Q_DISABLE_COPY_MOVE(File)
    };
    using FilePtr = std::shared_ptr<File>;

    void takeTree(const LocalTree &tree);
    void pump();
    void startFile(const FilePtr &file);
    void writeWhole(const FilePtr &file, const QByteArray &bytes);
    void sendPiece(const FilePtr &file);
    void pieceSent(const FilePtr &file, qint64 size);
    [[nodiscard]] std::optional<QByteArray> readPiece(const FilePtr &file, qint64 length);
    void succeed(const FilePtr &file);
    void failFile(const FilePtr &file, const FileFault &fault);
    void clean(const FilePtr &file);
    void report(const QByteArray &current);
    void finish();
    void abort(const FileFault &fault);

    QPointer<SandboxClient> m_client;
    SandboxFiles m_files;
    QString m_id;
    QByteArray m_folder;
    FilesService::Progress m_progress;
    FilesService::Reply<TransferSum> m_reply;
    QByteArrayList m_folders; ///< Still to be made: those that hold no file, which nothing else makes.
    QList<FilePtr> m_waiting;
    QList<FilePtr> m_atWork;
    QElapsedTimer m_sinceReport;
    TransferSum m_sum;
    std::optional<FileFault> m_lastFault;
    qint64 m_bytes = 0;
    qint64 m_bytesTotal = 0;
    int m_filesTotal = 0;
    bool m_makingFolder = false;
    bool m_over = false;
};

} // namespace Pilothouse
