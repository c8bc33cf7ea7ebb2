// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/fileoperations.h"

#include "files/filename.h"
#include "theme/units.h"

#include <QFileInfo>
#include <QLocale>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostEnded = 8; // Of what is done, of one conversation: the tree keeps its room.
constexpr qsizetype MostErrors = 20; // A person dismisses these; more at once nobody reads.
constexpr qsizetype MostEndedOfAll = 60; // Conversations that nobody comes back to.
constexpr qsizetype LongestSubject = 80;

QString quoted(const QByteArray &name)
{
    QString shown = shownName(name);
    if (shown.size() > LongestSubject)
        shown = shown.left(LongestSubject / 2) + u'…' + shown.right(LongestSubject / 2 - 1);
    return u'"' + shown + u'"';
}

QString countText(qint64 count) { return QLocale().toString(count); }

} // namespace

FileOperations::FileOperations(QObject *parent)
    : QObject(parent)
{ }

int FileOperations::running() const { return int(m_running.size()); }

FileOperation *FileOperations::find(quint64 id)
{
    for (FileOperation &operation : m_operations) {
        if (operation.id == id)
            return &operation;
    }
    return nullptr;
}

quint64 FileOperations::begin(FileOperation::Kind kind, const Target &target, const QString &subject)
{
    FileOperation operation;
    operation.id = ++m_last;
    operation.conversation = target.conversation;
    operation.kind = kind;
    switch (kind) {
    case FileOperation::Kind::Upload:
        operation.words = tr("Uploading %1").arg(subject);
        break;
    case FileOperation::Kind::Download:
        operation.words = tr("Downloading %1").arg(subject);
        break;
    case FileOperation::Kind::Rename:
        operation.words = tr("Renaming %1").arg(subject);
        break;
    case FileOperation::Kind::Delete:
        operation.words = tr("Deleting %1").arg(subject);
        break;
    case FileOperation::Kind::NewFolder:
        operation.words = tr("Making the folder %1").arg(subject);
        break;
    }
    m_operations.append(operation);
    m_running.insert(operation.id, {new QObject(this), target.service, 0, subject});
    bound();
    Q_EMIT changed();
    return operation.id;
}

void FileOperations::setCall(quint64 id, FilesService::Call call)
{
    if (const auto running = m_running.find(id); running != m_running.end())
        running->call = call;
}

void FileOperations::bound()
{
    QHash<QString, qsizetype> kept;
    QHash<QString, qsizetype> errors;
    qsizetype all = 0;
    for (qsizetype i = m_operations.size() - 1; i >= 0; --i) { // The newest stay.
        const FileOperation &operation = m_operations.at(i);
        if (operation.state == FileOperation::State::Running)
            continue;
        const bool isError = operation.error.has_value();
        qsizetype &same = (isError ? errors : kept)[operation.conversation];
        if (++same > (isError ? MostErrors : MostEnded) || ++all > MostEndedOfAll)
            m_operations.removeAt(i);
    }
}

void FileOperations::progress(quint64 id, const TransferProgress &state)
{
    FileOperation *operation = find(id);
    if (!operation || !m_running.contains(id))
        return;
    const bool isUpload = operation->kind == FileOperation::Kind::Upload;
    const QString name = state.current.isEmpty() ? m_running[id].subject : quoted(lastSegment(state.current));
    QString words = isUpload ? tr("Uploading %1").arg(name) : tr("Downloading %1").arg(name);
    if (state.filesTotal > 1)
        words += u", "_s + tr("%1 of %2 files").arg(countText(state.filesDone), countText(state.filesTotal));
    else if (state.filesTotal < 0 && state.filesDone > 0)
        words += u", "_s + countedText(state.filesDone, tr("1 file so far"), tr("%1 files so far"));
    if (state.bytesDone > 0)
        words += u", "_s + bytesText(state.bytesDone);
    operation->words = words;
    operation->part.reset();
    if (state.bytesTotal > 0)
        operation->part = double(state.bytesDone) / double(state.bytesTotal);
    else if (state.filesTotal > 1)
        operation->part = double(state.filesDone) / double(state.filesTotal);
    Q_EMIT progressed(id);
}

void FileOperations::succeed(quint64 id, const QString &words)
{
    FileOperation *operation = find(id);
    const Running running = m_running.take(id);
    if (running.context)
        running.context->deleteLater();
    if (!operation)
        return;
    operation->state = FileOperation::State::Done;
    operation->words = words;
    operation->part.reset();
    bound();
    Q_EMIT changed();
}

void FileOperations::failWith(quint64 id, const FileFault &fault, const QString &words)
{
    FileOperation *operation = find(id);
    const Running running = m_running.take(id);
    if (running.context)
        running.context->deleteLater();
    if (!operation)
        return;
    operation->part.reset();
    if (fault.kind == FileFault::Kind::Cancelled) {
        operation->state = FileOperation::State::Cancelled;
        operation->words = tr("Cancelled: %1").arg(operation->words);
    } else {
        operation->state = FileOperation::State::Failed;
        operation->words = words;
        Error error = fault.error;
        error.message = words + u' ' + error.message;
        operation->error = error;
    }
    bound();
    Q_EMIT changed();
}

void FileOperations::endTransfer(quint64 id, const Result<TransferSum, FileFault> &sum)
{
    FileOperation *operation = find(id);
    if (!operation || !m_running.contains(id))
        return;
    const bool isUpload = operation->kind == FileOperation::Kind::Upload;
    const QString subject = m_running[id].subject;
    if (!sum) {
        return failWith(id, sum.error(),
                        isUpload ? tr("%1 could not be uploaded.").arg(subject)
                                 : tr("%1 could not be downloaded.").arg(subject));
    }
    QString words = isUpload ? tr("Uploaded %1").arg(subject) : tr("Downloaded %1").arg(subject);
    if (sum->files != 1 || sum->folders > 0)
        words += u": "_s + countedText(sum->files, tr("1 file"), tr("%1 files"));
    words += u", "_s + bytesText(sum->bytes);
    if (sum->linksSkipped > 0)
        words += u", "_s
            + countedText(sum->linksSkipped, tr("1 link or special file left out"),
                          tr("%1 links and special files left out"));
    operation->place = sum->place;
    if (sum->failed == 0)
        return succeed(id, words);
    const Running running = m_running.take(id);
    if (running.context)
        running.context->deleteLater();
    operation->state = FileOperation::State::Partly;
    operation->words = words;
    operation->part.reset();
    Error error;
    error.kind = ErrorKind::Sandbox;
    const qint64 all = sum->failed + sum->files;
    if (all == 1)
        error.message =
            isUpload ? tr("The file could not be uploaded.") : tr("The file could not be downloaded.");
    else
        error.message = (isUpload ? tr("%1 of %2 files could not be uploaded.")
                                  : tr("%1 of %2 files could not be downloaded."))
                            .arg(countText(sum->failed), countText(all));
    if (sum->files > 0)
        error.kept = sum->files == 1 ? tr("The other one is complete.") : tr("The others are complete.");
    error.todo = sum->failures.join(u' ');
    operation->error = error;
    bound();
    Q_EMIT changed();
}

void FileOperations::upload(const Target &target, const QStringList &localPaths, const QByteArray &folder)
{
    const QString subject = localPaths.size() == 1 ? quoted(QFileInfo(localPaths.first()).fileName().toUtf8())
                                                   : tr("%1 things").arg(countText(localPaths.size()));
    const quint64 id = begin(FileOperation::Kind::Upload, target, subject);
    QByteArrayList targets;
    for (const QString &path : localPaths)
        targets.append(joinedPath(folder, QFileInfo(path).fileName().toUtf8()));
    Q_EMIT ownWritten(target.place, targets);
    setCall(id,
            target.service->upload(
                target.place, localPaths, folder, m_running[id].context,
                [this, id](const TransferProgress &state) { progress(id, state); },
                [this, id, place = target.place, folder,
                 first = localPaths.first()](const Result<TransferSum, FileFault> &sum) {
                    if (sum)
                        Q_EMIT ownWritten(place, sum->made);
                    endTransfer(id, sum);
                    // Whatever the outcome: something of it may be there.
                    Q_EMIT folderChanged(place, folder,
                                         sum ? joinedPath(folder, QFileInfo(first).fileName().toUtf8())
                                             : QByteArray());
                }));
}

void FileOperations::download(const Target &target, const QList<RemoteItem> &items,
                              const QString &localFolder, const QString &fileName)
{
    const QString subject = items.size() == 1 ? quoted(lastSegment(items.first().path))
                                              : tr("%1 things").arg(countText(items.size()));
    const quint64 id = begin(FileOperation::Kind::Download, target, subject);
    setCall(id,
            target.service->download(
                target.place, items, localFolder, fileName, m_running[id].context,
                [this, id](const TransferProgress &state) { progress(id, state); },
                [this, id](const Result<TransferSum, FileFault> &sum) { endTransfer(id, sum); }));
}

void FileOperations::rename(const Target &target, const QByteArray &path, const QByteArray &newName)
{
    const QString subject = quoted(lastSegment(path));
    const quint64 id = begin(FileOperation::Kind::Rename, target, subject);
    const QByteArray made = joinedPath(parentPath(path), newName);
    setCall(id,
            target.service->rename(target.place, path, made, m_running[id].context,
                                   [=, this](const Result<Done, FileFault> &done) {
                                       if (done) {
                                           Q_EMIT ownRenamed(target.place, path, made);
                                           succeed(id, tr("Renamed %1 to %2").arg(subject, quoted(newName)));
                                       } else {
                                           failWith(id, done.error(), tr("%1 was not renamed.").arg(subject));
                                       }
                                       Q_EMIT folderChanged(target.place, parentPath(path),
                                                            done ? made : QByteArray());
                                   }));
}

void FileOperations::remove(const Target &target, const QByteArrayList &paths)
{
    if (paths.isEmpty())
        return;
    const QString subject =
        paths.size() == 1 ? quoted(lastSegment(paths.first())) : tr("%1 things").arg(countText(paths.size()));
    const quint64 id = begin(FileOperation::Kind::Delete, target, subject);
    removeNext(id, target, paths, 0);
}

void FileOperations::removeNext(quint64 id, const Target &target, QByteArrayList paths, int done)
{
    if (!m_running.contains(id))
        return;
    const QString subject = m_running[id].subject;
    if (paths.isEmpty())
        return succeed(id, tr("Deleted %1").arg(subject));
    const QByteArray path = paths.takeFirst();
    setCall(id,
            target.service->remove(
                target.place, path, m_running[id].context, [=, this](const Result<Done, FileFault> &removed) {
                    // What was not there is as wanted.
                    const bool isGone = removed || removed.error().kind == FileFault::Kind::Missing;
                    if (isGone)
                        Q_EMIT ownRemoved(target.place, path);
                    Q_EMIT folderChanged(target.place, parentPath(path), {});
                    if (isGone)
                        return removeNext(id, target, paths, done + 1);
                    FileFault fault = removed.error();
                    if (done > 0)
                        fault.error.kept =
                            countedText(done, tr("1 was deleted before."), tr("%1 were deleted before."));
                    failWith(id, fault, tr("%1 was not deleted.").arg(quoted(lastSegment(path))));
                }));
}

void FileOperations::makeFolder(const Target &target, const QByteArray &path)
{
    const QString subject = quoted(lastSegment(path));
    const quint64 id = begin(FileOperation::Kind::NewFolder, target, subject);
    setCall(id,
            target.service->makeFolder(
                target.place, path, m_running[id].context, [=, this](const Result<Done, FileFault> &done) {
                    if (done)
                        succeed(id, tr("Made the folder %1").arg(subject));
                    else
                        failWith(id, done.error(), tr("The folder %1 was not made.").arg(subject));
                    Q_EMIT folderChanged(target.place, parentPath(path), done ? path : QByteArray());
                }));
}

void FileOperations::cancel(quint64 id)
{
    const auto running = m_running.constFind(id);
    if (running != m_running.cend())
        running->service->cancel(running->call); // Its reply ends the row.
}

void FileOperations::dismiss(quint64 id)
{
    if (m_running.contains(id))
        return;
    m_operations.removeIf([id](const FileOperation &operation) { return operation.id == id; });
    Q_EMIT changed();
}

void FileOperations::dismissDone(const QString &conversation)
{
    m_operations.removeIf([&conversation](const FileOperation &operation) {
        return operation.conversation == conversation && operation.isDone();
    });
    Q_EMIT changed();
}

} // namespace Pilothouse
