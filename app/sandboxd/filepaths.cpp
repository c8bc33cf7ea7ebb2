// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "filepaths.h"

#include "initprotocol.h"

namespace Pilothouse {

bool isSafePath(const QByteArray &path)
{
    return path.startsWith('/') && path.size() <= qsizetype(Init::MaxPath) && !path.contains('\0')
        && !path.split('/').contains("..");
}

QByteArray normalizedPath(const QByteArray &path)
{
    QByteArray result;
    for (const QByteArray &segment : path.split('/')) {
        if (!segment.isEmpty() && segment != ".")
            result += '/' + segment;
    }
    return result.isEmpty() ? QByteArray("/") : result;
}

bool isBlockedPath(const QByteArray &path)
{
    const QByteArray normal = normalizedPath(path);
    for (const QByteArrayView tree : {"/proc", "/sys", "/dev"}) {
        if (normal == tree || (normal.startsWith(tree) && normal.at(tree.size()) == '/'))
            return true;
    }
    return normal == "/" || normal == "/sbin/init" || normal == "/.pilothouse-init";
}

} // namespace Pilothouse
