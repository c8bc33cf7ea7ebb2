// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/result.h"

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Owns a file descriptor; -1 is none. Move only.
class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd)
        : m_fd(fd)
    { }
    UniqueFd(UniqueFd &&other) noexcept
        : m_fd(other.release())
    { }
    UniqueFd &operator=(UniqueFd &&other) noexcept
    {
        if (this != &other)
            reset(other.release());
        return *this;
    }
    UniqueFd(const UniqueFd &) = delete;
    UniqueFd &operator=(const UniqueFd &) = delete;
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isValid() const { return m_fd >= 0; }
    [[nodiscard]] int release()
    {
        const int fd = m_fd;
        m_fd = -1;
        return fd;
    }
    void reset(int fd = -1);

private:
    int m_fd = -1;
};

struct PipePair {
    UniqueFd readEnd;
    UniqueFd writeEnd;
};

[[nodiscard]] QString errnoText(int error); ///< The system's words, for example "No such file or directory".

/// A close-on-exec pipe; both ends invalid if the system refuses.
[[nodiscard]] PipePair makePipe();
[[nodiscard]] bool setNonBlocking(int fd);

/// Closes every descriptor above 2, however many the starter left open, and opens /dev/null for those of the
/// first three that are missing.
void dropInheritedDescriptors();

/// Replaces the session keyring that came from the starter by an empty one without a name. Nothing happens
/// where the kernel has no keyrings or refuses.
void leaveSessionKeyring();

/// A close-on-exec memory file with `bytes`, at its beginning; invalid if the system refuses.
[[nodiscard]] UniqueFd memoryFile(const char *name, const QByteArray &bytes);

/// At most `limit` bytes of a file; the error is an errno, EFBIG if it is longer.
[[nodiscard]] Result<QByteArray, int> readFile(const QByteArray &path, qsizetype limit);

/// Replaces `path` (mode 0600) in one step: a temporary file beside it, then rename. With `durable` it
/// reaches the disk first. The error is an errno; the old file is then as it was.
[[nodiscard]] Result<Done, int> replaceFile(const QByteArray &path, const QByteArray &bytes, bool durable);

/// Makes `path` (mode 0700) and its missing parents; fine if it exists. The error is an errno.
[[nodiscard]] Result<Done, int> makeFolders(const QByteArray &path);

/// True if both have the same bytes; the time depends on the lengths only.
[[nodiscard]] bool equalsInConstantTime(QByteArrayView a, QByteArrayView b);

[[nodiscard]] QByteArray randomBytes(qsizetype count); ///< From the kernel; never fails on a working system.

} // namespace Pilothouse
