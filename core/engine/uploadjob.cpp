// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/uploadjob.h"

#include "engine/filefault.h"
#include "engine/inworker.h"
#include "engine/transferbounds.h"
#include "sandbox/sandboxclient.h"
#include "text/inerttext.h"
#include "util/ids.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 PieceSize = 8 * 1024 * 1024; // Held in memory, some at a time.
constexpr qint64 LargestFile = Q_INT64_C(4) * 1024 * 1024 * 1024; // The service's bound.
constexpr int MostWritesAtOnce = 3;
constexpr qsizetype MostMadeTold = 1000;

QByteArray parentOf(const QByteArray &path)
{
    return path.first(std::max<qsizetype>(1, path.lastIndexOf('/')));
}

FileFault localFault(const QString &text)
{
    return {FileFault::Kind::Other, Error{ErrorKind::Storage, text, {}, {}}};
}

} // namespace

UploadJob::File::~File()
{
    if (fd >= 0)
        ::close(fd);
}

UploadJob::UploadJob(SandboxClient *client, QString sandboxId, QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_files(client)
    , m_id(std::move(sandboxId))
{ }

UploadJob::~UploadJob()
{
    for (const FilePtr &file : std::as_const(m_atWork))
        clean(file);
}

void UploadJob::start(const QStringList &localPaths, const QByteArray &folder,
                      FilesService::Progress progress, FilesService::Reply<TransferSum> reply)
{
    m_folder = folder;
    m_progress = std::move(progress);
    m_reply = std::move(reply);
    m_sinceReport.start();
    QByteArrayList paths;
    for (const QString &path : localPaths)
        paths.append(QFile::encodeName(path));
    inWorker(
        this, [paths] { return LocalTree::read(paths); }, [this](const LocalTree &tree) { takeTree(tree); });
}

void UploadJob::takeTree(const LocalTree &tree)
{
    if (tree.tooMany) {
        return abort(
            {FileFault::Kind::TooLarge,
             Error{ErrorKind::Limit, u"More than 100,000 files and folders are not uploaded at once."_s,
                   u"Nothing was uploaded."_s, u"Pack them into an archive and upload that."_s}});
    }
    m_sum.linksSkipped = tree.skipped;
    m_sum.folders = tree.folders;
    m_sum.failed = tree.unreadableCount;
    for (const QByteArray &name : tree.unreadable) {
        m_lastFault =
            localFault(u"%1 cannot be read on this computer."_s.arg(inertLine(QString::fromUtf8(name), 200)));
        m_sum.failures.append(m_lastFault->error.message);
    }
    m_bytesTotal = tree.bytes;
    m_filesTotal = int(tree.files.size());
    for (const QByteArray &name : tree.emptyFolders)
        m_folders.append(joinedPath(m_folder, name));
    for (const LocalTree::File &local : tree.files) {
        auto file = std::make_shared<File>();
        file->local = local;
        file->target = joinedPath(m_folder, local.name);
        m_waiting.append(file);
    }
    pump();
}

void UploadJob::pump()
{
    while (!m_over && m_atWork.size() < MostWritesAtOnce && !m_waiting.isEmpty())
        startFile(m_waiting.takeFirst());
    if (m_over || m_makingFolder || !m_atWork.isEmpty() || !m_waiting.isEmpty())
        return;
    if (m_folders.isEmpty())
        return finish();
    m_makingFolder = true;
    const QByteArray folder = m_folders.takeFirst();
    m_files.ensureFolder(m_id, folder, this, [this, folder](const Result<Done, ApiError> &made) {
        if (m_over)
            return;
        m_makingFolder = false;
        if (!made) {
            auto file = std::make_shared<File>();
            file->target = folder;
            return failFile(file, fileFaultOf(made.error()));
        }
        pump();
    });
}

void UploadJob::startFile(const FilePtr &file)
{
    m_atWork.append(file);
    report(file->local.name);
    // Anything that is no plain file by now would block.
    file->fd = ::open(file->local.path.constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file->fd < 0) {
        const QString why = QString::fromLocal8Bit(::strerror(errno));
        return failFile(file, localFault(u"It cannot be read on this computer: %1."_s.arg(why)));
    }
    if (file->local.size > LargestFile)
        return failFile(file, localFault(u"It is larger than the service takes (4 GiB)."_s));
    if (file->local.size > PieceSize) {
        file->temporary = joinedPath(parentOf(file->target), ".ph-upload-" + newId().toLatin1());
        file->piece = file->temporary + ".piece";
        return sendPiece(file);
    }
    if (const auto bytes = readPiece(file, file->local.size))
        writeWhole(file, *bytes);
}

std::optional<QByteArray> UploadJob::readPiece(const FilePtr &file, qint64 length)
{
    QByteArray bytes(length, Qt::Uninitialized);
    qint64 done = 0;
    while (done < length) {
        const ssize_t count =
            ::pread(file->fd, bytes.data() + done, size_t(length - done), file->done + done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            failFile(file, localFault(u"It changed on this computer while it was read."_s));
            return std::nullopt;
        }
        done += count;
    }
    return bytes;
}

void UploadJob::writeWhole(const FilePtr &file, const QByteArray &bytes)
{
    m_files.write(m_id, file->target, bytes, this,
                  [this, file, bytes](const Result<Done, ApiError> &written) {
                      if (m_over)
                          return;
                      if (written) {
                          m_bytes += bytes.size();
                          return succeed(file);
                      }
                      // The same bytes at the same place do no harm.
                      if (written.error().outcomeUnknown && !std::exchange(file->repeated, true))
                          return writeWhole(file, bytes);
                      failFile(file, fileFaultOf(written.error()));
                  });
}

void UploadJob::sendPiece(const FilePtr &file)
{
    const qint64 size = std::min(PieceSize, file->local.size - file->done);
    const auto bytes = readPiece(file, size);
    if (!bytes)
        return;
    const bool isFirst = file->done == 0;
    m_files.write(m_id, isFirst ? file->temporary : file->piece, *bytes, this,
                  [this, file, size, isFirst](const Result<Done, ApiError> &written) {
                      if (m_over)
                          return;
                      if (!written)
                          return failFile(file, fileFaultOf(written.error()));
                      if (isFirst)
                          return pieceSent(file, size);
                      m_files.append(m_id, file->piece, file->temporary, this,
                                     [this, file, size](const Result<Done, ApiError> &added) {
                                         if (m_over)
                                             return;
                                         if (!added)
                                             return failFile(file, fileFaultOf(added.error()));
                                         pieceSent(file, size);
                                     });
                  });
}

void UploadJob::pieceSent(const FilePtr &file, qint64 size)
{
    file->done += size;
    m_bytes += size;
    report(file->local.name);
    if (file->done < file->local.size)
        return sendPiece(file);
    m_files.replace(m_id, file->temporary, file->target, this,
                    [this, file](const Result<Done, ApiError> &moved) {
                        if (m_over)
                            return;
                        if (!moved)
                            return failFile(file, fileFaultOf(moved.error()));
                        file->temporary.clear();
                        file->piece.clear();
                        succeed(file);
                    });
}

void UploadJob::succeed(const FilePtr &file)
{
    ++m_sum.files;
    m_sum.bytes += file->local.size;
    if (m_sum.made.size() < MostMadeTold)
        m_sum.made.append(file->target);
    m_atWork.removeOne(file);
    report(file->local.name);
    pump();
}

void UploadJob::failFile(const FilePtr &file, const FileFault &fault)
{
    if (m_over)
        return;
    clean(file);
    m_atWork.removeOne(file);
    ++m_sum.failed;
    m_lastFault = fault;
    if (m_sum.failures.size() < MostFailuresTold) {
        const QByteArray name = file->local.name.isEmpty() ? file->target : file->local.name;
        m_sum.failures.append(
            QString(inertLine(QString::fromUtf8(name), 200) + u": "_s + fault.error.message));
    }
    if (endsEverything(fault.kind))
        return abort(fault);
    QMetaObject::invokeMethod(this, &UploadJob::pump, Qt::QueuedConnection);
}

void UploadJob::clean(const FilePtr &file)
{
    if (!m_client)
        return;
    // Outlives the job: this is what is left of it.
    for (const QByteArray &path : {std::exchange(file->temporary, {}), std::exchange(file->piece, {})}) {
        if (path.isEmpty())
            continue;
        auto *scope = new QObject(m_client);
        m_files.remove(m_id, path, scope, [scope](const Result<Done, ApiError> &) { scope->deleteLater(); });
    }
}

void UploadJob::report(const QByteArray &current)
{
    if (!m_progress || (m_sinceReport.elapsed() < ReportEveryMs && m_sum.files > 0))
        return;
    m_sinceReport.restart();
    m_progress({m_bytes, m_bytesTotal, m_sum.files, m_filesTotal, current});
}

void UploadJob::finish()
{
    if (m_sum.files == 0 && m_sum.failed == 1 && m_lastFault)
        return abort(*m_lastFault);
    m_over = true;
    m_reply(m_sum);
}

void UploadJob::abort(const FileFault &fault)
{
    m_over = true;
    FileFault told = fault;
    if (m_sum.files > 0)
        told.error.kept = u"%1 files were uploaded before; they are kept."_s.arg(m_sum.files);
    m_reply(fail(told));
}

} // namespace Pilothouse
