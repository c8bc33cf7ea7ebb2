// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/spillfiles.h"

#include "store/database.h"
#include "util/ids.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxOpenFiles = 32; // Ten parallel calls with two channels each, and some room.

Result<Done, Error> makePrivateFolder(const QString &path)
{
    if (::mkdir(QFile::encodeName(path).constData(), 0700) == 0 || errno == EEXIST)
        return Done();
    return fail(storageError(errno, path));
}

} // namespace

QString spillFileName(const QString &dataDir, const QString &conversation, const QString &callId,
                      const QString &channel)
{
    if (!isId(conversation) || !isId(callId) || (channel != "stdout"_L1 && channel != "stderr"_L1))
        return {};
    return dataDir + u"/spill/"_s + conversation + u'/' + callId + u'.' + channel;
}

Result<QByteArray, Error> readSpill(const QString &fileName, qint64 offset, qint64 length)
{
    const int fd = ::open(QFile::encodeName(fileName).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        if (errno == ENOENT)
            return fail(Error{ErrorKind::NotFound,
                              u"The output of this call is not there any more."_s,
                              u"The log itself is complete."_s,
                              {}});
        return fail(storageError(errno, fileName));
    }
    struct stat info = {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        const int code = errno;
        ::close(fd);
        return fail(storageError(code, fileName));
    }
    const qint64 available = qBound(qint64(0), qint64(info.st_size) - offset, length);
    QByteArray bytes(offset >= 0 ? available : 0, Qt::Uninitialized);
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t got = ::pread(fd, bytes.data() + done, static_cast<size_t>(bytes.size() - done),
                                    static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const int code = errno;
            ::close(fd);
            return fail(storageError(code, fileName));
        }
        if (got == 0)
            break; // Cut off by the writer meanwhile.
        done += got;
    }
    ::close(fd);
    bytes.truncate(done);
    return bytes;
}

SpillWriter::SpillWriter(QString dataDir)
    : m_dataDir(std::move(dataDir))
{ }

SpillWriter::~SpillWriter()
{
    for (const OpenFile &file : std::as_const(m_files))
        ::close(file.fd);
}

Result<SpillWriter::OpenFile *, Error> SpillWriter::opened(const QString &fileName)
{
    for (qsizetype i = m_files.size() - 1; i >= 0; --i) {
        if (m_files[i].name == fileName) {
            m_files.append(m_files.takeAt(i));
            return &m_files.last();
        }
    }
    for (const QString &folder : {QString(m_dataDir + u"/spill"_s), QFileInfo(fileName).path()}) {
        const auto made = makePrivateFolder(folder);
        if (!made)
            return fail(made.error());
    }
    const int fd =
        ::open(QFile::encodeName(fileName).constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat info = {};
    if (fd < 0 || ::fstat(fd, &info) != 0) {
        const int code = errno;
        if (fd >= 0)
            ::close(fd);
        return fail(storageError(code, fileName));
    }
    if (m_files.size() >= MaxOpenFiles) {
        const OpenFile oldest = m_files.takeFirst();
        if (oldest.isDirty)
            ::fdatasync(oldest.fd); // Its turn in sync() would not come any more.
        ::close(oldest.fd);
    }
    m_files.append({fileName, fd, info.st_size, false});
    return &m_files.last();
}

Result<Done, Error> SpillWriter::write(const QString &fileName, qint64 offset, const QByteArray &bytes)
{
    const auto found = opened(fileName);
    if (!found)
        return fail(found.error());
    OpenFile &file = **found;
    if (offset < 0 || file.size < offset)
        return fail(Error{ErrorKind::Storage,
                          u"The output file "_s + fileName + u" has lost bytes that the log speaks of."_s,
                          u"The log was left as it is."_s,
                          {}});
    if (file.size > offset) {
        if (::ftruncate(file.fd, static_cast<off_t>(offset)) != 0)
            return fail(storageError(errno, fileName));
        file.size = offset;
    }
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t put = ::pwrite(file.fd, bytes.constData() + done,
                                     static_cast<size_t>(bytes.size() - done), static_cast<off_t>(file.size));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return fail(storageError(put < 0 ? errno : ENOSPC, fileName));
        file.isDirty = true;
        file.size += put;
        done += put;
    }
    return Done();
}

Result<Done, Error> SpillWriter::sync()
{
    for (OpenFile &file : m_files) {
        if (file.isDirty && ::fdatasync(file.fd) != 0)
            return fail(storageError(errno, file.name));
        file.isDirty = false;
    }
    return Done();
}

void SpillWriter::forget()
{
    for (OpenFile &file : m_files)
        file.isDirty = false;
}

Result<Done, Error> SpillWriter::remove(const QString &conversation)
{
    if (!isId(conversation))
        return fail(Error{ErrorKind::Internal, u"Not the id of a conversation."_s, {}, {}});
    const QString folder = m_dataDir + u"/spill/"_s + conversation;
    m_files.removeIf([&folder](const OpenFile &file) {
        if (!file.name.startsWith(QString(folder + u'/')))
            return false;
        ::close(file.fd);
        return true;
    });
    // A link in the place of the folder is removed as a link, never followed.
    const QFileInfo info(folder);
    if (info.isSymLink())
        return QFile::remove(folder) ? Result<Done, Error>(Done()) : fail(storageError(errno, folder));
    if (info.exists() && !QDir(folder).removeRecursively())
        return fail(Error{ErrorKind::Storage,
                          u"Some output files in "_s + folder + u" could not be removed."_s,
                          {},
                          u"Check the permissions of the data folder."_s});
    return Done();
}

} // namespace Pilothouse
