// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/ownerlock.h"

#include "store/database.h"
#include "text/inerttext.h"
#include "util/json.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxLockFile = 4096; // What we write is far shorter; the file may hold anything.
constexpr qsizetype MaxProgramName = 100;
constexpr int MostAttempts = 20; // A program that only asks holds the lock for microseconds.
constexpr int AttemptPauseMs = 2;

// flock(2) that is not given up for a signal.
int lockFile(int fd, int operation)
{
    int done = 0;
    do
        done = ::flock(fd, operation);
    while (done != 0 && errno == EINTR);
    return done;
}

// Lock for taking ownership: isHeld() of another program must not look like an owner.
int lockForOwner(int fd)
{
    for (int attempt = 1;; ++attempt) {
        const int done = lockFile(fd, LOCK_EX | LOCK_NB);
        if (done == 0 || errno != EWOULDBLOCK || attempt == MostAttempts)
            return done;
        ::poll(nullptr, 0, AttemptPauseMs);
        errno = EWOULDBLOCK;
    }
}

Error notOwner(int fd, const QString &dataDir)
{
    QByteArray content(MaxLockFile, '\0');
    const ssize_t size = ::pread(fd, content.data(), static_cast<size_t>(content.size()), 0);
    content.truncate(size > 0 ? size : 0);
    const Json owner = parseJson(content).value_or(Json());
    const QString program = inertLine(owner[u"program"].toString(), MaxProgramName);
    const std::optional<qint64> pid = owner[u"pid"].toInteger();
    // Between taking the lock and writing its name the owner has no name yet.
    QString who = u"another program"_s;
    if (!program.isEmpty())
        who = pid ? QString(program + u" (process "_s + QString::number(*pid) + u')') : program;
    return {ErrorKind::NotOwner, u"The data folder "_s + dataDir + u" is in use by "_s + who + u'.',
            u"Nothing was changed. Reading works: list, show, export and search."_s,
            u"End that program, or choose another data folder with --data-dir."_s};
}

} // namespace

Result<std::unique_ptr<OwnerLock>, Error> OwnerLock::take(const QString &dataDir, const QString &program)
{
    const QString fileName = dataDir + u"/owner.lock"_s;
    const int fd =
        ::open(QFile::encodeName(fileName).constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail(storageError(errno, fileName));
    std::unique_ptr<OwnerLock> lock(new OwnerLock(fd));
    if (lockForOwner(fd) != 0) {
        if (errno != EWOULDBLOCK)
            return fail(storageError(errno, fileName));
        const Error error = notOwner(fd, dataDir);
        lock->m_fd = -1; // Not ours to empty.
        ::close(fd);
        return fail(error);
    }
    const QByteArray content = JsonBuilder()
                                   .add("program"_L1, program)
                                   .add("pid"_L1, QCoreApplication::applicationPid())
                                   .add("started"_L1, QDateTime::currentDateTimeUtc().toString(Qt::ISODate))
                                   .take();
    // The lock holds whether or not its owner's name could be written (disk full): no reason to stop.
    if (::ftruncate(fd, 0) == 0) {
        [[maybe_unused]] const ssize_t written =
            ::pwrite(fd, content.constData(), static_cast<size_t>(content.size()), 0);
    }
    return lock;
}

bool OwnerLock::isHeld(const QString &dataDir)
{
    const QString fileName = dataDir + u"/owner.lock"_s;
    const int fd = ::open(QFile::encodeName(fileName).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno != ENOENT;
    const bool isFree = lockFile(fd, LOCK_SH | LOCK_NB) == 0;
    ::close(fd);
    return !isFree;
}

OwnerLock::~OwnerLock()
{
    if (m_fd < 0)
        return;
    [[maybe_unused]] const int emptied = ::ftruncate(m_fd, 0);
    ::close(m_fd);
}

} // namespace Pilothouse
