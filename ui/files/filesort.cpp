// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filesort.h"

#include <algorithm>

namespace Pilothouse {

namespace {

uchar folded(char c)
{
    const uchar byte = uchar(c);
    return byte >= 'A' && byte <= 'Z' ? uchar(byte + ('a' - 'A')) : byte;
}

} // namespace

int compareFileNames(bool aIsFolder, const QByteArray &a, bool bIsFolder, const QByteArray &b)
{
    if (aIsFolder != bIsFolder)
        return aIsFolder ? -1 : 1;
    const qsizetype length = std::min(a.size(), b.size());
    for (qsizetype i = 0; i < length; ++i) {
        const int difference = folded(a[i]) - folded(b[i]);
        if (difference != 0)
            return difference;
    }
    if (a.size() != b.size())
        return a.size() < b.size() ? -1 : 1;
    return a == b ? 0 : a < b ? -1 : 1;
}

void sortFiles(QList<FileEntry> &entries)
{
    std::sort(entries.begin(), entries.end(), [](const FileEntry &a, const FileEntry &b) {
        return compareFileNames(a.type == u'd', a.name, b.type == u'd', b.name) < 0;
    });
}

} // namespace Pilothouse
