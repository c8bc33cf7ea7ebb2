// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/downloadjob.h"

#include "engine/filefault.h"
#include "engine/inworker.h"
#include "engine/transferbounds.h"
#include "engine/zipfile.h"
#include "text/inerttext.h"

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 PartSize = 8 * 1024 * 1024; // Held in memory, some at a time.
constexpr int MostReadsAtOnce = 4; // Qt has six connections per host; others want some too.
constexpr int MostFiles = 200000; // A tree that makes itself must not fill the disk for ever.
constexpr int DeepestFolder = 200; // A path of the machine has at most 4096 bytes.

FileFault storageFault(const Error &error) { return {FileFault::Kind::Other, error}; }

} // namespace

DownloadJob::DownloadJob(SandboxClient *client, QString sandboxId, QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_files(client)
    , m_id(std::move(sandboxId))
    , m_stop(std::make_shared<std::atomic_bool>(false))
{ }

DownloadJob::~DownloadJob() { *m_stop = true; }

void DownloadJob::start(const QList<RemoteItem> &items, const QString &localFolder, const QString &fileName,
                        FilesService::Progress progress, FilesService::Reply<TransferSum> reply)
{
    m_progress = std::move(progress);
    m_reply = std::move(reply);
    m_sinceReport.start();
    const auto root = LocalFolder::open(localFolder);
    if (!root)
        return abort(storageFault(root.error()));
    m_single = items.size() == 1 && !items.first().isFolder;
    for (const RemoteItem &item : items) {
        const QByteArray name = lastSegment(item.path);
        if (item.isFolder) {
            m_archives.append(
                {item.path, (*root)->freeName(name.isEmpty() ? QByteArray("machine") : name), *root, 0});
            continue;
        }
        auto file = std::make_shared<File>();
        file->path = item.path;
        file->folder = *root;
        file->replace = !fileName.isEmpty();
        // The wish is a name, never a path: only its last segment counts.
        file->name = file->replace ? LocalFolder::safeName(fileName.toUtf8()) : (*root)->freeName(name);
        m_waiting.append(file);
    }
    const QByteArray made = m_single ? m_waiting.first()->name
        : items.size() == 1          ? m_archives.first().name
                                     : QByteArray();
    m_sum.place = localFolder + (made.isEmpty() ? QString() : QString(u'/' + QString::fromUtf8(made)));
    QMetaObject::invokeMethod(this, &DownloadJob::pump, Qt::QueuedConnection);
}

void DownloadJob::pump()
{
    while (!m_over && m_active < MostReadsAtOnce && !m_waiting.isEmpty())
        startFile(m_waiting.takeFirst());
    if (m_over || m_active > 0 || m_listing || !m_waiting.isEmpty())
        return;
    if (m_folders.isEmpty() && !m_archives.isEmpty()) {
        const Folder next = m_archives.takeFirst();
        if (!m_noArchives)
            return fetchArchive(next);
        m_folders.append(next);
    }
    if (m_folders.isEmpty())
        return finish();
    listFolder(m_folders.takeLast());
}

void DownloadJob::fetchArchive(const Folder &folder)
{
    m_listing = true;
    report(folder.name);
    // Beside what it becomes: there is room for both, or for neither.
    m_archive = std::make_unique<QTemporaryFile>(
        QString(QFile::decodeName(folder.parent->path()) + u"/.pilothouse-XXXXXX.zip.part"_s));
    if (!m_archive->open())
        return endArchive(folder, false);
    m_archiveDownload = new ArchiveDownload(m_client, m_id, folder.path, this);
    m_archiveDownload->start(
        [this, name = folder.name](const QByteArray &bytes) {
            m_bytes += bytes.size();
            if (m_archive->write(bytes) != bytes.size())
                m_archive->resize(0); // No room: what is left is no archive, and the files are read alone.
            report(name);
        },
        [this, folder](const Result<TreeCount, ApiError> &result) { onArchive(folder, result); });
}

void DownloadJob::onArchive(const Folder &folder, const Result<TreeCount, ApiError> &result)
{
    m_archiveDownload->deleteLater();
    m_archiveDownload = nullptr;
    if (!result) {
        const FileFault fault = fileFaultOf(result.error());
        m_noArchives = m_noArchives || result.error().status == 501;
        if (endsEverything(fault.kind))
            return abort(fault);
        return endArchive(folder, false);
    }
    if (!m_archive->flush())
        return endArchive(folder, false);
    unpack(folder, *result);
}

void DownloadJob::unpack(const Folder &folder, const TreeCount &count)
{
    struct Outcome {
        bool isUsable = false; ///< Else nothing was written.
        Result<ZipFile::Contents, Error> contents = ZipFile::Contents();
    };
    const QByteArray root = lastSegment(folder.path);
    const auto work = [path = m_archive->fileName(), root, folder, count, stop = m_stop] {
        Outcome outcome;
        const auto seen = ZipFile::check(path, root);
        // Fewer than there were: the service left some out without a word. More: some were made meanwhile.
        if (!seen || seen->files < count.files || seen->folders < count.folders || *stop)
            return outcome;
        const auto into = folder.parent->makeFolder(folder.name);
        if (!into)
            return outcome;
        outcome.isUsable = true;
        outcome.contents = ZipFile::unpack(path, root, *into, *stop);
        return outcome;
    };
    inWorker(this, work, [this, folder, count](const Outcome &outcome) {
        if (m_over)
            return;
        if (!outcome.isUsable)
            return endArchive(folder, false);
        ++m_sum.folders;
        m_sum.linksSkipped += int(count.others);
        if (!outcome.contents) {
            failFile(folder.name, storageFault(outcome.contents.error()));
            return endArchive(folder, true);
        }
        m_sum.files += int(outcome.contents->files);
        m_sum.folders += int(outcome.contents->folders);
        m_sum.bytes += outcome.contents->bytes;
        m_sum.failed += int(outcome.contents->failed);
        m_sum.failures += outcome.contents->failures;
        endArchive(folder, true);
    });
}

void DownloadJob::endArchive(const Folder &folder, bool isDone)
{
    m_archive.reset();
    m_listing = false;
    if (!isDone) {
        m_bytes = m_sum.bytes;
        m_folders.append(folder);
    }
    QMetaObject::invokeMethod(this, &DownloadJob::pump, Qt::QueuedConnection);
}

void DownloadJob::listFolder(const Folder &folder)
{
    const auto local = folder.parent->makeFolder(folder.name);
    if (!local) {
        failFile(folder.name, storageFault(local.error()));
        QMetaObject::invokeMethod(this, &DownloadJob::pump, Qt::QueuedConnection);
        return;
    }
    ++m_sum.folders;
    m_listing = true;
    report(folder.name);
    const std::shared_ptr<LocalFolder> into = *local;
    m_files.list(
        m_id, folder.path, this,
        [this, folder, into](const QList<FileEntry> &entries) { takeEntries(folder, into, entries); },
        [this, folder](const Result<FileListEnd, ApiError> &end) {
            if (m_over)
                return;
            m_listing = false;
            if (!end)
                failFile(folder.name, fileFaultOf(end.error()));
            else if (!end->complete)
                failFile(
                    folder.name,
                    {FileFault::Kind::Other,
                     Error{ErrorKind::Sandbox, u"Not everything in this folder could be listed."_s, {}, {}}});
            pump();
        });
}

void DownloadJob::takeEntries(const Folder &folder, const std::shared_ptr<LocalFolder> &local,
                              const QList<FileEntry> &entries)
{
    for (const FileEntry &entry : entries) {
        if (entry.type == u'd') {
            if (folder.depth + 1 >= DeepestFolder) {
                failFile(entry.name,
                         {FileFault::Kind::Other,
                          Error{ErrorKind::Limit, u"The folders are nested too deeply."_s, {}, {}}});
                continue;
            }
            m_folders.append({joinedPath(folder.path, entry.name), LocalFolder::safeName(entry.name), local,
                              folder.depth + 1});
        } else if (entry.type == u'f') {
            if (m_sum.files + m_waiting.size() >= MostFiles) {
                failFile(entry.name,
                         {FileFault::Kind::Other,
                          Error{ErrorKind::Limit,
                                u"More than 200,000 files are not downloaded at once."_s,
                                {},
                                {}}});
                continue;
            }
            auto file = std::make_shared<File>();
            file->path = joinedPath(folder.path, entry.name);
            file->name = LocalFolder::safeName(entry.name);
            file->folder = local;
            file->executable = (entry.mode & 0111) != 0;
            m_waiting.append(file);
        } else {
            ++m_sum.linksSkipped;
        }
    }
}

void DownloadJob::startFile(const FilePtr &file)
{
    auto out = LocalFolder::makeFile(file->folder, file->name, file->executable);
    if (!out) {
        failFile(file->name, storageFault(out.error()));
        QMetaObject::invokeMethod(this, &DownloadJob::pump, Qt::QueuedConnection);
        return;
    }
    ++m_active;
    file->out = std::move(*out);
    file->done = 0;
    file->total = -1;
    report(file->name);
    readMore(file);
}

void DownloadJob::readMore(const FilePtr &file)
{
    m_files.read(m_id, file->path, file->done, PartSize, this,
                 [this, file](const Result<FilePart, ApiError> &part) {
                     if (m_over)
                         return;
                     if (part)
                         return takePart(file, *part);
                     failFile(file->name, fileFaultOf(part.error()));
                     endFile(file);
                 });
}

void DownloadJob::takePart(const FilePtr &file, const FilePart &part)
{
    const bool isFirst = file->done == 0;
    if (!isFirst && (part.total != file->total || part.version != file->version))
        return readAnew(file);
    file->total = part.total;
    file->version = part.version;
    if (const std::optional<Error> problem = file->out->write(part.bytes)) {
        failFile(file->name, storageFault(*problem));
        return endFile(file);
    }
    file->done += part.bytes.size();
    m_bytes += part.bytes.size();
    report(file->name);
    const bool isWhole = file->total < 0 ? part.bytes.size() < PartSize : file->done >= file->total;
    if (!isWhole) {
        if (part.bytes.isEmpty())
            return readAnew(file); // Shorter than it was.
        return readMore(file);
    }
    if (const std::optional<Error> problem = file->out->finish(file->replace)) {
        failFile(file->name, storageFault(*problem));
    } else {
        ++m_sum.files;
        m_sum.bytes += file->done;
    }
    endFile(file);
}

void DownloadJob::readAnew(const FilePtr &file)
{
    m_bytes -= file->done;
    file->out.reset();
    if (std::exchange(file->retried, true)) {
        failFile(file->name,
                 {FileFault::Kind::Other,
                  Error{ErrorKind::Sandbox, u"It changed while it was read."_s, u"No part of it was kept."_s,
                        u"Try again when nothing writes to it."_s}});
    } else {
        m_waiting.prepend(file);
    }
    endFile(file);
}

void DownloadJob::endFile(const FilePtr &file)
{
    file->out.reset();
    --m_active;
    pump();
}

void DownloadJob::failFile(const QByteArray &name, const FileFault &fault)
{
    if (m_over)
        return;
    ++m_sum.failed;
    m_lastFault = fault;
    if (m_sum.failures.size() < MostFailuresTold)
        m_sum.failures.append(
            QString(inertLine(QString::fromUtf8(name), 200) + u": "_s + fault.error.message));
    if (endsEverything(fault.kind))
        abort(fault);
}

void DownloadJob::report(const QByteArray &current)
{
    if (!m_progress || (m_sinceReport.elapsed() < ReportEveryMs && m_sum.files > 0))
        return;
    m_sinceReport.restart();
    TransferProgress progress;
    progress.bytesDone = m_bytes;
    progress.filesDone = m_sum.files;
    progress.filesTotal = m_listing || !m_folders.isEmpty() || !m_archives.isEmpty()
        ? -1
        : int(m_sum.files + m_active + m_waiting.size() + m_sum.failed);
    progress.current = current;
    m_progress(progress);
}

void DownloadJob::finish()
{
    if (m_single && m_lastFault)
        return abort(*m_lastFault);
    m_over = true;
    m_reply(m_sum);
}

void DownloadJob::abort(const FileFault &fault)
{
    m_over = true;
    FileFault told = fault;
    if (m_sum.files > 0)
        told.error.kept = u"%1 files were downloaded before; they are kept."_s.arg(m_sum.files);
    m_reply(fail(told));
}

} // namespace Pilothouse
