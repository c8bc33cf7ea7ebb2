// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "filelisting.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxEntries = 10000; // The API's own bound.

} // namespace

Json listFolder(UniqueFd folder)
{
    Json entries = Json::array();
    bool isTruncated = false;
    DIR *const directory = ::fdopendir(folder.get());
    if (directory) {
        [[maybe_unused]] const int owned = folder.release();
        while (const dirent *entry = ::readdir(directory)) {
            const QByteArray name = entry->d_name;
            if (name == "." || name == "..")
                continue;
            if (entries.size() == MaxEntries) {
                isTruncated = true;
                break;
            }
            struct stat info = {};
            if (::fstatat(::dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
                continue; // Gone meanwhile.
            Json item = Json::object();
            item.appendMember(u"name"_s, Json::string(QString::fromUtf8(name)));
            item.appendMember(u"is_dir"_s, Json::boolean(S_ISDIR(info.st_mode)));
            item.appendMember(u"size"_s, Json::number(qint64(info.st_size)));
            item.appendMember(u"modified_unix"_s, Json::number(qint64(info.st_mtim.tv_sec)));
            entries.append(std::move(item));
        }
        ::closedir(directory);
    }
    Json result = Json::object();
    result.set(u"entries"_s, std::move(entries));
    result.set(u"truncated"_s, Json::boolean(isTruncated));
    return result;
}

} // namespace Pilothouse
