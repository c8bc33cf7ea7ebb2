// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/localfolder.h"

#include "text/inerttext.h"
#include "util/ids.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestFileName = 255; // Of the usual file systems, in bytes.
constexpr int MostNumbers = 1000;
constexpr mode_t NewFolder = 0777; // The person's umask decides, as with any download.
constexpr mode_t NewFile = 0666;
constexpr mode_t NewProgram = 0777;

Error systemError(const QString &what, const QByteArray &name)
{
    const int number = errno;
    const QString shown = inertLine(QString::fromUtf8(name), 200);
    return Error{
        ErrorKind::Storage,
        QString(what + u" \""_s + shown + u"\": "_s + QString::fromLocal8Bit(::strerror(number)) + u'.'),
        {},
        number == ENOSPC ? u"Free some space, then try again."_s
                         : u"Choose another folder, then try again."_s};
}

bool isSafe(const QByteArray &name)
{
    return !name.isEmpty() && name != "." && name != ".." && !name.contains('/') && !name.contains('\0')
        && name.size() <= LongestFileName;
}

/// Not in the middle of a character, where the name is UTF-8.
QByteArray cutName(const QByteArray &name, qsizetype length)
{
    if (name.size() <= length)
        return name;
    qsizetype at = length;
    while (at > length - 4 && at > 0 && (uchar(name[at]) & 0xC0) == 0x80)
        --at;
    return name.first(at);
}

} // namespace

Result<std::shared_ptr<LocalFolder>, Error> LocalFolder::open(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    const int fd = ::open(name.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail(systemError(u"Cannot open the folder"_s, name));
    return std::shared_ptr<LocalFolder>(new LocalFolder(fd, name));
}

LocalFolder::~LocalFolder() { ::close(m_fd); }

QByteArray LocalFolder::safeName(const QByteArray &name)
{
    QByteArray last = name.sliced(name.lastIndexOf('/') + 1);
    last.replace('\0', '_');
    last = cutName(last, LongestFileName);
    return isSafe(last) ? last : QByteArray("unnamed");
}

bool LocalFolder::isTaken(const QByteArray &name) const
{
    struct stat info = {};
    return ::fstatat(m_fd, name.constData(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

QByteArray LocalFolder::freeName(const QByteArray &name) const
{
    const QByteArray safe = safeName(name);
    if (!isTaken(safe))
        return safe;
    const qsizetype dot = safe.lastIndexOf('.');
    const QByteArray stem = dot > 0 ? safe.first(dot) : safe;
    const QByteArray ending = dot > 0 ? safe.sliced(dot) : QByteArray();
    for (int i = 2; i < MostNumbers; ++i) {
        const QByteArray number = " (" + QByteArray::number(i) + ')';
        const qsizetype room = std::max<qsizetype>(1, LongestFileName - ending.size() - number.size());
        const QByteArray candidate = cutName(cutName(stem, room) + number + ending, LongestFileName);
        if (!isTaken(candidate))
            return candidate;
    }
    return cutName(stem, LongestFileName - 40) + ' ' + newId().toLatin1();
}

Result<std::shared_ptr<LocalFolder>, Error> LocalFolder::makeFolder(const QByteArray &name) const
{
    if (!isSafe(name)) {
        errno = EINVAL;
        return fail(systemError(u"Cannot make the folder"_s, name));
    }
    if (::mkdirat(m_fd, name.constData(), NewFolder) != 0)
        return fail(systemError(u"Cannot make the folder"_s, name));
    return openFolder(name);
}

Result<std::shared_ptr<LocalFolder>, Error> LocalFolder::openFolder(const QByteArray &name) const
{
    if (!isSafe(name)) {
        errno = EINVAL;
        return fail(systemError(u"Cannot open the folder"_s, name));
    }
    const int fd = ::openat(m_fd, name.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return fail(systemError(u"Cannot open the folder"_s, name));
    return std::shared_ptr<LocalFolder>(new LocalFolder(fd, QByteArray(m_path + '/' + name)));
}

Result<std::unique_ptr<LocalFolder::File>, Error> LocalFolder::makeFile(
    const std::shared_ptr<const LocalFolder> &folder, const QByteArray &name, bool executable)
{
    std::unique_ptr<File> file(new File);
    file->m_folder = folder;
    file->m_name = name;
    file->m_temporary = ".pilothouse-" + newId().toLatin1() + ".part";
    if (isSafe(name)) {
        file->m_fd =
            ::openat(folder->m_fd, file->m_temporary.constData(),
                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, executable ? NewProgram : NewFile);
    } else {
        errno = EINVAL;
    }
    if (file->m_fd < 0)
        return fail(systemError(u"Cannot write the file"_s, name));
    return file;
}

LocalFolder::File::~File()
{
    if (m_fd < 0)
        return;
    ::close(m_fd);
    ::unlinkat(m_folder->m_fd, m_temporary.constData(), 0);
}

std::optional<Error> LocalFolder::File::write(const QByteArray &bytes)
{
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t count = ::write(m_fd, bytes.constData() + done, size_t(bytes.size() - done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return systemError(u"Cannot write the file"_s, m_name);
        done += count;
    }
    return {};
}

std::optional<Error> LocalFolder::File::finish(bool replace)
{
    const int fd = std::exchange(m_fd, -1);
    const int folder = m_folder->m_fd;
    const auto giveUp = [&]() -> std::optional<Error> {
        const Error error = systemError(u"Cannot finish the file"_s, m_name);
        ::unlinkat(folder, m_temporary.constData(), 0);
        return error;
    };
    if (::close(fd) != 0) // Some file systems tell only now that there was no room.
        return giveUp();
    // linkat() never replaces, renameat() always does; where hard links do not exist the check has to do.
    if (!replace) {
        if (::linkat(folder, m_temporary.constData(), folder, m_name.constData(), 0) == 0) {
            ::unlinkat(folder, m_temporary.constData(), 0);
            return {};
        }
        if (errno == EEXIST || m_folder->isTaken(m_name)) {
            errno = EEXIST;
            return giveUp();
        }
    }
    if (::renameat(folder, m_temporary.constData(), folder, m_name.constData()) != 0)
        return giveUp();
    return {};
}

} // namespace Pilothouse
