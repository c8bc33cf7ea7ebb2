// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "outputfile.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <cerrno>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

Result<Done, Error> writeOutputFile(const QString &path,
                                    const std::function<Result<Done, Error>(QIODevice &)> &write)
{
    const auto problem = [&path](ErrorKind kind, QString why, const QString &kept) {
        if (why.endsWith(u'.'))
            why.chop(1);
        // Making a file can fail for want of space too.
        const bool isFull = why == qt_error_string(ENOSPC) || why == qt_error_string(EDQUOT);
        return fail(Error{isFull ? ErrorKind::Storage : kind, u"%1 cannot be written: %2."_s.arg(path, why),
                          kept,
                          isFull ? u"Free some space or choose another file."_s : u"Choose another file."_s});
    };
    const QFileInfo target(path);
    if (target.exists() && !target.isFile()) {
        if (target.isDir())
            return problem(ErrorKind::Usage, u"it is a folder"_s, {});
        QFile device(path);
        if (!device.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered))
            return problem(ErrorKind::Usage, device.errorString(), {});
        auto done = write(device);
        if (device.error() != QFileDevice::NoError)
            return problem(ErrorKind::Storage, device.errorString(), {});
        return done;
    }
    const QString untouched = u"What was there before is untouched."_s;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return problem(ErrorKind::Usage, file.errorString(), untouched);
    auto done = write(file);
    // commit() flushes too, but does not look whether that went well, and then takes the place of the old
    // file with a short one.
    const bool isFlushed = file.flush();
    if (!isFlushed || file.error() != QFileDevice::NoError) {
        const QString why = file.errorString();
        file.cancelWriting();
        return problem(ErrorKind::Storage, why, untouched);
    }
    if (!done)
        return done;
    if (!file.commit())
        return problem(ErrorKind::Storage, file.errorString(), untouched);
    return Done();
}

} // namespace Pilothouse::Cli
