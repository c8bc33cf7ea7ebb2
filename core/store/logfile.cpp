// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/logfile.h"

#include "store/database.h"
#include "store/logdamage.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>

#include <sys/stat.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

Result<bool, Error> hasLog(const QString &fileName)
{
    struct stat status = {};
    const bool isThere = ::stat(QFile::encodeName(fileName).constData(), &status) == 0;
    if (!isThere && errno != ENOENT)
        return fail(storageError(errno, fileName));
    if (isThere && !S_ISREG(status.st_mode))
        return fail(Error{ErrorKind::Storage, fileName + u" is not a file."_s, u"It was left as it is."_s,
                          u"Choose another data folder with --data-dir."_s});
    if (isThere && status.st_size > 0)
        return true;
    const QFileInfo writeAhead(fileName + u"-wal"_s);
    const QDir outputs(QFileInfo(fileName).path() + u"/spill"_s);
    if (isThere && writeAhead.size() > 0)
        return fail(damagedLog(u"log.db is empty, but what was written last stands beside it"_s));
    if (outputs.exists() && !outputs.isEmpty())
        return fail(damagedLog(isThere ? u"log.db is empty, but outputs of calls stand beside it"_s
                                       : u"log.db is gone, but outputs of calls stand beside it"_s));
    return false;
}

} // namespace Pilothouse
