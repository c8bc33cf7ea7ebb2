// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "posix.h"

#include <QRandomGenerator>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace Pilothouse {

namespace {

int writeAll(int fd, const QByteArray &bytes)
{
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::write(fd, bytes.constData() + done, size_t(bytes.size() - done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        done += count;
    }
    return 0;
}

} // namespace

void UniqueFd::reset(int fd)
{
    if (m_fd >= 0)
        ::close(m_fd);
    m_fd = fd;
}

QString errnoText(int error) { return QString::fromLocal8Bit(std::strerror(error)); }

PipePair makePipe()
{
    int fds[2] = {-1, -1};
    if (::pipe2(fds, O_CLOEXEC) != 0)
        return {};
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

bool setNonBlocking(int fd)
{
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

void dropInheritedDescriptors()
{
    int fd = 0;
    while ((fd = ::open("/dev/null", O_RDWR)) >= 0 && fd <= 2) { }
    if (fd >= 0)
        ::close(fd);
    if (::syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
        return;
    // Kernels before 5.9. Collected first: closing changes what is listed.
    DIR *const folder = ::opendir("/proc/self/fd");
    if (!folder)
        return;
    std::vector<int> open;
    while (const dirent *entry = ::readdir(folder)) {
        const int number = std::atoi(entry->d_name); // 0 for the two dots.
        if (number > 2 && number != ::dirfd(folder))
            open.push_back(number);
    }
    ::closedir(folder);
    for (const int number : open)
        ::close(number);
}

void leaveSessionKeyring() { ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr); }

UniqueFd memoryFile(const char *name, const QByteArray &bytes)
{
    UniqueFd fd(::memfd_create(name, MFD_CLOEXEC));
    if (fd.isValid() && (writeAll(fd.get(), bytes) != 0 || ::lseek(fd.get(), 0, SEEK_SET) != 0))
        fd.reset();
    return fd;
}

Result<QByteArray, int> readFile(const QByteArray &path, qsizetype limit)
{
    UniqueFd fd(::open(path.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.isValid())
        return fail(int(errno));
    QByteArray bytes(limit + 1, Qt::Uninitialized);
    qsizetype size = 0;
    while (size < bytes.size()) {
        const ssize_t count = ::read(fd.get(), bytes.data() + size, size_t(bytes.size() - size));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(int(errno));
        if (count == 0)
            break;
        size += count;
    }
    if (size > limit)
        return fail(int(EFBIG));
    bytes.truncate(size);
    return bytes;
}

Result<Done, int> replaceFile(const QByteArray &path, const QByteArray &bytes, bool durable)
{
    const QByteArray temporary = path + ".tmp";
    UniqueFd fd(::open(temporary.constData(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.isValid())
        return fail(int(errno));
    int error = writeAll(fd.get(), bytes);
    if (error == 0 && durable && ::fsync(fd.get()) != 0)
        error = errno;
    if (error == 0 && ::rename(temporary.constData(), path.constData()) != 0)
        error = errno;
    if (error != 0) {
        ::unlink(temporary.constData());
        return fail(int(error));
    }
    return Done{};
}

Result<Done, int> makeFolders(const QByteArray &path)
{
    for (qsizetype slash = path.indexOf('/', 1);; slash = path.indexOf('/', slash + 1)) {
        const QByteArray part = slash < 0 ? path : path.first(slash);
        if (::mkdir(part.constData(), 0700) != 0 && errno != EEXIST)
            return fail(int(errno));
        if (slash < 0)
            break;
    }
    struct stat info = {};
    if (::stat(path.constData(), &info) != 0)
        return fail(int(errno));
    if (!S_ISDIR(info.st_mode))
        return fail(int(ENOTDIR));
    return Done{};
}

bool equalsInConstantTime(QByteArrayView a, QByteArrayView b)
{
    if (a.size() != b.size())
        return false;
    unsigned difference = 0;
    for (qsizetype i = 0; i < a.size(); ++i)
        difference |= unsigned(uchar(a[i]) ^ uchar(b[i]));
    return difference == 0;
}

QByteArray randomBytes(qsizetype count)
{
    QByteArray bytes(count, Qt::Uninitialized);
    for (qsizetype i = 0; i < count; ++i)
        bytes[i] = char(QRandomGenerator::system()->generate() & 0xFFU);
    return bytes;
}

} // namespace Pilothouse
