// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <optional>

namespace Pilothouse {

/// A folder of this computer that is written into by names from outside. Everything is opened relative to the
/// open folder, one name at a time, and links are not followed, so nothing lands outside of it. Names are
/// exact bytes, also those that are not UTF-8.
class LocalFolder {
public:
    /// Opens `path`, which the person chose; links in it are followed.
    [[nodiscard]] static Result<std::shared_ptr<LocalFolder>, Error> open(const QString &path);
    ~LocalFolder();
    Q_DISABLE_COPY_MOVE(LocalFolder)

    /// `name` as one that can stand in a folder: its last segment, never empty, "." or "..", at most 255
    /// bytes.
    [[nodiscard]] static QByteArray safeName(const QByteArray &name);
    /// safeName(), with " (2)" and so on where it is taken.
    [[nodiscard]] QByteArray freeName(const QByteArray &name) const;
    /// A new folder in this one; `name` must be free.
    [[nodiscard]] Result<std::shared_ptr<LocalFolder>, Error> makeFolder(const QByteArray &name) const;

    /// A folder that makeFolder() has made in this one; a link in its place is refused.
    [[nodiscard]] Result<std::shared_ptr<LocalFolder>, Error> openFolder(const QByteArray &name) const;

    /// A file that is being written: under a hidden name until it is complete, then under its own. Removed if
    /// it is destroyed before.
    class File {
    public:
        ~File();
        Q_DISABLE_COPY_MOVE(File)
        [[nodiscard]] std::optional<Error> write(const QByteArray &bytes);
        /// Gives it its name; with `replace` over a file that is there.
        [[nodiscard]] std::optional<Error> finish(bool replace);

    private:
        friend class LocalFolder;
        File() = default;
        std::shared_ptr<const LocalFolder> m_folder;
        QByteArray m_temporary;
        QByteArray m_name;
        int m_fd = -1;
    };
    /// `name` must be safe (see safeName).
    [[nodiscard]] static Result<std::unique_ptr<File>, Error> makeFile(
        const std::shared_ptr<const LocalFolder> &folder, const QByteArray &name, bool executable);

    [[nodiscard]] const QByteArray &path() const { return m_path; } ///< For people.

private:
    LocalFolder(int fd, QByteArray path)
        : m_fd(fd)
        , m_path(std::move(path))
    { }
    [[nodiscard]] bool isTaken(const QByteArray &name) const;

    int m_fd;
    QByteArray m_path;
};

} // namespace Pilothouse
