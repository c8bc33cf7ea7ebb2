// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "platform/processusage.h"

#include <QByteArray>
#include <QFile>
#include <QList>

#ifdef Q_OS_LINUX
#include <ctime>
#include <unistd.h>
#endif

namespace Pilothouse {

using namespace Qt::StringLiterals;

std::optional<ProcessUsage> ProcessUsage::read()
{
#ifdef Q_OS_LINUX
    timespec time{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        return std::nullopt;
    QFile file(u"/proc/self/statm"_s);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QList<QByteArray> pages = file.readAll().split(' '); // size resident shared …
    if (pages.size() < 2)
        return std::nullopt;
    ProcessUsage usage;
    usage.cpuMs = qint64(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
    usage.memoryBytes = pages[1].toLongLong() * sysconf(_SC_PAGESIZE);
    return usage;
#else
    return std::nullopt;
#endif
}

} // namespace Pilothouse
