// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/localtree.h"

#include "engine/transferbounds.h"

#include <dirent.h>
#include <sys/stat.h>
#include <utility>

namespace Pilothouse {

namespace {

constexpr qsizetype MostUnreadableTold = 20;

} // namespace

LocalTree LocalTree::read(const QByteArrayList &paths)
{
    LocalTree tree;
    QList<std::pair<QByteArray, QByteArray>> waiting; // Path, name.
    for (const QByteArray &path : paths)
        waiting.prepend({path, lastSegment(path)});
    int seen = 0;
    while (!waiting.isEmpty()) {
        const auto [path, name] = waiting.takeLast();
        if (++seen > MostEntries) {
            tree.tooMany = true;
            break;
        }
        struct stat info = {};
        const auto unreadable = [&tree, name = name] {
            ++tree.unreadableCount;
            if (tree.unreadable.size() < MostUnreadableTold)
                tree.unreadable.append(name);
        };
        if (::lstat(path.constData(), &info) != 0) {
            unreadable();
        } else if (S_ISREG(info.st_mode)) {
            tree.files.append({path, name, info.st_size});
            tree.bytes += info.st_size;
        } else if (S_ISDIR(info.st_mode)) {
            DIR *const directory = ::opendir(path.constData());
            if (!directory) {
                unreadable();
                continue;
            }
            ++tree.folders;
            bool isEmpty = true;
            while (const dirent *entry = ::readdir(directory)) {
                const QByteArray child = entry->d_name;
                if (child == "." || child == "..")
                    continue;
                isEmpty = false;
                waiting.append({QByteArray(path + '/' + child), QByteArray(name + '/' + child)});
                if (waiting.size() > MostEntries)
                    break;
            }
            ::closedir(directory);
            if (isEmpty)
                tree.emptyFolders.append(name);
        } else {
            ++tree.skipped;
        }
    }
    return tree;
}

} // namespace Pilothouse
