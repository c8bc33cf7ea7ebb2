// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "scriptedfiles.h"

#include "files/filename.h"

#include <QFileInfo>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

FileFault fault(FileFault::Kind kind, const QString &text)
{
    return {kind, Error{ErrorKind::Sandbox, text, {}, {}}};
}

ScriptedFiles::ScriptedFiles() { addFolder("/home/user"); }

void ScriptedFiles::addFolder(const QByteArray &path)
{
    for (QByteArray at = path; at.size() > 1; at = parentPath(at)) {
        if (!things.contains(at))
            things.insert(at, {u'd', {}, 4096, 1000, 0});
    }
}

void ScriptedFiles::add(const QByteArray &path, const QByteArray &bytes, double modified)
{
    addFolder(parentPath(path));
    things.insert(path, {u'f', bytes, -1, modified, 0});
}

void ScriptedFiles::erase(const QByteArray &path)
{
    things.removeIf([&path](const auto &thing) { return isInside(thing.key(), path); });
}

int ScriptedFiles::count(const QString &begin) const
{
    return int(std::count_if(log.begin(), log.end(),
                             [&begin](const QString &line) { return line.startsWith(begin); }));
}

FileEntry ScriptedFiles::entry(const QByteArray &path, const QByteArray &name) const
{
    const Thing &thing = things[path];
    FileEntry entry;
    entry.name = name;
    entry.type = thing.type;
    entry.size = thing.size >= 0 ? thing.size : thing.bytes.size();
    entry.modified = thing.modified;
    entry.born = thing.born;
    entry.mode = 0644;
    if (thing.type == u'l')
        entry.linkTarget = thing.bytes;
    return entry;
}

std::optional<FileFault> ScriptedFiles::note(const QString &what, const QByteArray &path)
{
    const QString line = what + u' ' + QString::fromUtf8(path);
    log.append(line);
    const auto fault = faults.constFind(what.toUtf8() + ' ' + path);
    return fault == faults.cend() ? std::nullopt : std::optional(*fault);
}

template <typename T>
void ScriptedFiles::answer(QObject *context, const Reply<T> &reply, const Result<T, FileFault> &result)
{
    QMetaObject::invokeMethod(
        context, [reply, result] { reply(result); }, Qt::QueuedConnection);
}

FilesService::Call ScriptedFiles::list(const MachinePlace &, const QByteArray &path, QObject *context,
                                       Some some, Reply<FileListEnd> reply)
{
    if (const auto problem = note(u"list"_s, path)) {
        answer<FileListEnd>(context, reply, fail(*problem));
        return ++m_last;
    }
    if (!things.contains(path) && path != "/") {
        answer<FileListEnd>(context, reply, fail(fault(FileFault::Kind::Missing, u"gone"_s)));
        return ++m_last;
    }
    QList<FileEntry> entries;
    for (auto thing = things.cbegin(); thing != things.cend(); ++thing) {
        if (thing.key() != path && parentPath(thing.key()) == path)
            entries.prepend(entry(thing.key(), lastSegment(thing.key()))); // Not sorted.
    }
    constexpr qsizetype Piece = 500;
    for (qsizetype at = 0; at < entries.size(); at += Piece) {
        QMetaObject::invokeMethod(
            context, [some, piece = entries.mid(at, Piece)] { some(piece); }, Qt::QueuedConnection);
    }
    FileListEnd end;
    end.complete = true;
    end.count = entries.size();
    end.machineClock = clock;
    answer<FileListEnd>(context, reply, end);
    return ++m_last;
}

FilesService::Call ScriptedFiles::survey(const MachinePlace &, const QByteArray &root, double,
                                         QObject *context, Reply<FileSurvey> reply)
{
    if (const auto problem = note(u"survey"_s, root)) {
        answer<FileSurvey>(context, reply, fail(*problem));
        return ++m_last;
    }
    FileSurvey survey;
    survey.machineClock = clock;
    survey.cut = surveyIsCut;
    survey.complete = !surveyIsCut;
    for (auto thing = things.cbegin(); thing != things.cend() && !surveyIsCut; ++thing) {
        if (thing.key() != root && isInside(thing.key(), root))
            survey.entries.append(entry(thing.key(), thing.key().sliced(root == "/" ? 1 : root.size() + 1)));
    }
    answer<FileSurvey>(context, reply, survey);
    return ++m_last;
}

FilesService::Call ScriptedFiles::read(const MachinePlace &, const QByteArray &path, qint64 offset,
                                       qint64 length, QObject *context, Reply<FilePart> reply)
{
    largestRead = std::max(largestRead, length);
    if (const auto problem = note(u"read"_s, path)) {
        answer<FilePart>(context, reply, fail(*problem));
    } else if (!things.contains(path)) {
        answer<FilePart>(context, reply, fail(fault(FileFault::Kind::Missing, u"gone"_s)));
    } else {
        const Thing &thing = things[path];
        FilePart part;
        part.bytes = thing.bytes.mid(offset, length);
        part.total = thing.size >= 0 ? thing.size : thing.bytes.size();
        answer<FilePart>(context, reply, part);
    }
    return ++m_last;
}

FilesService::Call ScriptedFiles::makeFolder(const MachinePlace &, const QByteArray &path, QObject *context,
                                             Reply<Done> reply)
{
    if (const auto problem = note(u"makeFolder"_s, path)) {
        answer<Done>(context, reply, fail(*problem));
        return ++m_last;
    }
    addFolder(path);
    answer<Done>(context, reply, Done());
    return ++m_last;
}

FilesService::Call ScriptedFiles::rename(const MachinePlace &, const QByteArray &from, const QByteArray &to,
                                         QObject *context, Reply<Done> reply)
{
    const auto problem = note(u"rename"_s, from);
    log.last() += u" "_s + QString::fromLatin1(to.toHex());
    if (problem) {
        answer<Done>(context, reply, fail(*problem));
        return ++m_last;
    }
    things.insert(to, things.take(from));
    answer<Done>(context, reply, Done());
    return ++m_last;
}

FilesService::Call ScriptedFiles::remove(const MachinePlace &, const QByteArray &path, QObject *context,
                                         Reply<Done> reply)
{
    if (const auto problem = note(u"remove"_s, path)) {
        answer<Done>(context, reply, fail(*problem));
        return ++m_last;
    }
    erase(path);
    answer<Done>(context, reply, Done());
    return ++m_last;
}

FilesService::Call ScriptedFiles::holdTransfer(QObject *context, const Progress &progress,
                                               const Reply<TransferSum> &reply)
{
    m_heldContext = context;
    m_heldProgress = progress;
    m_heldReply = reply;
    m_held = ++m_last;
    return m_held;
}

FilesService::Call ScriptedFiles::upload(const MachinePlace &, const QStringList &localPaths,
                                         const QByteArray &folder, QObject *context, Progress progress,
                                         Reply<TransferSum> reply)
{
    const auto problem = note(u"upload"_s, folder);
    log.last() += u' ' + localPaths.join(u' ');
    if (problem) {
        answer<TransferSum>(context, reply, fail(*problem));
        return ++m_last;
    }
    TransferSum sum;
    for (const QString &path : localPaths) {
        const QByteArray target = joinedPath(folder, QFileInfo(path).fileName().toUtf8());
        add(target, "uploaded", clock);
        sum.made.append(target);
        ++sum.files;
        sum.bytes += 8;
    }
    if (holdTransfers)
        return holdTransfer(context, progress, reply);
    answer<TransferSum>(context, reply, sum);
    return ++m_last;
}

FilesService::Call ScriptedFiles::download(const MachinePlace &, const QList<RemoteItem> &items,
                                           const QString &localFolder, const QString &fileName,
                                           QObject *context, Progress progress, Reply<TransferSum> reply)
{
    [[maybe_unused]] const auto none = note(u"download"_s, items.first().path);
    log.last() += u" "_s + localFolder + u" "_s + fileName;
    if (holdTransfers)
        return holdTransfer(context, progress, reply);
    TransferSum sum;
    sum.files = int(items.size());
    sum.bytes = 12;
    answer<TransferSum>(context, reply, sum);
    return ++m_last;
}

void ScriptedFiles::releaseTransfer(const Result<TransferSum, FileFault> &result)
{
    if (m_heldContext)
        answer<TransferSum>(m_heldContext, m_heldReply, result);
    m_held = 0;
}

void ScriptedFiles::progressTransfer(const TransferProgress &progress)
{
    if (m_heldContext)
        m_heldProgress(progress);
}

void ScriptedFiles::cancel(Call call)
{
    log.append(u"cancel"_s);
    if (call != 0 && call == m_held)
        releaseTransfer(fail(fault(FileFault::Kind::Cancelled, u"Cancelled."_s)));
}

} // namespace Pilothouse::Tests
