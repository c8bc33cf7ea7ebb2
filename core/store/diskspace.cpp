// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/diskspace.h"

#include <QFile>

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MiB = 1024 * 1024;
// What output leaves free: the log writes some hundred kilobytes to end a turn, a person needs some space to
// clear up. On a small disk a quarter of it.
constexpr qint64 LeftFree = 64 * MiB;
constexpr qint64 LeftFreePart = 4;
// Enough for the last events of several turns and for the marks of a deletion.
constexpr qint64 ReserveSize = 1 * MiB;
constexpr qint64 ReservePart = 8;
constexpr qint64 Plenty = 4; // Times the reserve must be free before it is taken.

struct Space {
    qint64 total = 0;
    qint64 free = 0;
};

std::optional<Space> spaceOf(const QString &folder)
{
    struct statvfs info = {};
    if (::statvfs(QFile::encodeName(folder).constData(), &info) != 0 || info.f_blocks == 0)
        return {};
    const auto unit = static_cast<qint64>(info.f_frsize);
    return Space{static_cast<qint64>(info.f_blocks) * unit, static_cast<qint64>(info.f_bavail) * unit};
}

qint64 reserveSize(const Space &space) { return std::min(ReserveSize, space.total / ReservePart); }

} // namespace

std::optional<qint64> roomForOutput(const QString &folder)
{
    const std::optional<Space> space = spaceOf(folder);
    if (!space)
        return {};
    return std::max<qint64>(0, space->free - std::min(LeftFree, space->total / LeftFreePart));
}

DiskReserve::DiskReserve(const QString &folder)
    : m_folder(folder)
    , m_fileName(QFile::encodeName(QString(folder + u"/reserve"_s)))
{ }

void DiskReserve::take()
{
    const std::optional<Space> space = spaceOf(m_folder);
    if (!space || space->free < Plenty * reserveSize(*space))
        return;
    const int fd = ::open(m_fileName.constData(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return; // There already, or not to be had: the program works without.
    const bool isTaken = ::posix_fallocate(fd, 0, static_cast<off_t>(reserveSize(*space))) == 0;
    ::close(fd);
    if (!isTaken)
        ::unlink(m_fileName.constData());
}

bool DiskReserve::release()
{
    const std::optional<Space> space = spaceOf(m_folder);
    if (!space || space->free >= reserveSize(*space))
        return false;
    return ::unlink(m_fileName.constData()) == 0;
}

} // namespace Pilothouse
