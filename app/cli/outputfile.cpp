// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "outputfile.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

Result<Done, Error> writeOutputFile(const QString &path,
                                    const std::function<Result<Done, Error>(QIODevice &)> &write)
{
    const auto problem = [&path](const QString &why, const QString &kept) {
        return fail(Error{ErrorKind::Usage, u"%1 cannot be written: %2."_s.arg(path, why), kept,
                          u"Choose another file."_s});
    };
    const QFileInfo target(path);
    if (target.exists() && !target.isFile()) {
        if (target.isDir())
            return problem(u"it is a folder"_s, {});
        QFile device(path);
        if (!device.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered))
            return problem(device.errorString(), {});
        auto done = write(device);
        if (done && device.error() != QFileDevice::NoError)
            return problem(device.errorString(), {});
        return done;
    }
    const QString untouched = u"What was there before is untouched."_s;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return problem(file.errorString(), untouched);
    auto done = write(file);
    if (!done)
        return done;
    if (!file.commit())
        return problem(file.errorString(), untouched);
    return Done();
}

} // namespace Pilothouse::Cli
