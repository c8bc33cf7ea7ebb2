// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/servicefiles.h"

#include "net/apierror.h"
#include "net/networkaccess.h"
#include "util/json.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QStringList>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype KeyBytes = 32;
constexpr size_t LargestFile =
    64 * 1024; ///< These files hold a line or two; of the log only the end is wanted.
constexpr qsizetype LogTailLines = 8;

/// A descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    { }
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Q_DISABLE_COPY_MOVE(Descriptor)
    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }

private:
    int m_fd;
};

QString systemText() { return QString::fromLocal8Bit(std::strerror(errno)); }

Error storageError(const QString &message)
{
    Error error;
    error.kind = ErrorKind::SandboxUnavailable;
    error.message = message;
    error.todo = u"Check the owner and the rights of the data folder, and the space on its disk."_s;
    return error;
}

/// An open file that is regular, ours and closed to others, or -1.
int openPrivate(const QString &path, int flags)
{
    const int fd = ::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info { };
    if (fd >= 0
        && (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()
            || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)) {
        ::close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/// At most LargestFile bytes from the file's end.
QByteArray readEnd(int fd)
{
    const off_t size = ::lseek(fd, 0, SEEK_END);
    ::lseek(fd, std::max<off_t>(0, size - static_cast<off_t>(LargestFile)), SEEK_SET);
    QByteArray bytes(static_cast<qsizetype>(LargestFile), Qt::Uninitialized);
    qsizetype have = 0;
    while (have < bytes.size()) {
        const ssize_t got = ::read(fd, bytes.data() + have, static_cast<size_t>(bytes.size() - have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        have += got;
    }
    bytes.truncate(have);
    return bytes;
}

bool isLoopbackOrigin(const QUrl &url)
{
    return url.isValid() && url.scheme() == "http"_L1 && NetworkAccess::isLoopback(url) && url.port() > 0
        && url.userInfo().isEmpty();
}

} // namespace

ServiceFiles::ServiceFiles(const QString &dataDir)
    : m_folder(QDir(dataDir).absolutePath() + u"/sandboxd"_s)
{ }

ServiceFiles::~ServiceFiles() { unlock(); }

QString ServiceFiles::keyPath() const { return m_folder + u"/key"_s; }

QString ServiceFiles::endpointPath() const { return m_folder + u"/endpoint.json"_s; }

QString ServiceFiles::logPath() const { return m_folder + u"/service.log"_s; }

Result<Done, Error> ServiceFiles::prepare() const
{
    const QString data = m_folder.left(m_folder.lastIndexOf(u'/'));
    if (!QDir().mkpath(QFileInfo(data).absolutePath()))
        return fail(storageError(u"The folder above "_s + data + u" cannot be made."_s));
    for (const QString &folder : {data, m_folder}) {
        if (::mkdir(QFile::encodeName(folder).constData(), S_IRWXU) != 0 && errno != EEXIST)
            return fail(
                storageError(u"The folder "_s + folder + u" cannot be made: "_s + systemText() + u'.'));
    }
    struct stat info { };
    const QByteArray name = QFile::encodeName(m_folder);
    if (::lstat(name.constData(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
        return fail(storageError(m_folder + u" is not a folder of this user."_s));
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0 && ::chmod(name.constData(), S_IRWXU) != 0)
        return fail(storageError(m_folder + u" cannot be closed to other users: "_s + systemText() + u'.'));
    return Done{};
}

Result<bool, Error> ServiceFiles::tryLock()
{
    if (m_lock >= 0)
        return true;
    const QString path = m_folder + u"/start.lock"_s;
    const int fd = openPrivate(path, O_RDWR);
    m_lock = fd >= 0 || errno != ENOENT
        ? fd
        : ::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                 S_IRUSR | S_IWUSR);
    if (m_lock < 0)
        return fail(storageError(path + u" cannot be opened: "_s + systemText() + u'.'));
    int result = 0;
    do {
        result = ::flock(m_lock, LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    if (result == 0)
        return true;
    const int problem = errno;
    unlock();
    if (problem == EWOULDBLOCK)
        return false;
    errno = problem;
    return fail(storageError(path + u" cannot be locked: "_s + systemText() + u'.'));
}

void ServiceFiles::unlock()
{
    if (m_lock >= 0)
        ::close(m_lock);
    m_lock = -1;
}

bool ServiceFiles::isServed() const
{
    const Descriptor lock(openPrivate(m_folder + u"/service.lock"_s, O_RDONLY));
    if (!lock.isOpen())
        return false;
    int result = 0;
    do {
        result = ::flock(lock.get(), LOCK_SH | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result != 0;
}

Result<Secret, Error> ServiceFiles::key() const
{
    const QString path = keyPath();
    const Descriptor existing(openPrivate(path, O_RDONLY));
    if (existing.isOpen()) {
        const QByteArray text = readEnd(existing.get()).trimmed();
        const bool isHex =
            std::all_of(text.begin(), text.end(), [](char c) { return std::strchr("0123456789abcdef", c); });
        if (text.size() == KeyBytes * 2 && isHex)
            return Secret(text);
        return fail(
            storageError(path + u" does not hold a key. Remove it and stop the local sandbox service."_s));
    }
    if (errno != ENOENT)
        return fail(storageError(path + u" cannot be read, or others can read it: "_s + systemText() + u'.'));
    QByteArray bytes(KeyBytes, Qt::Uninitialized);
    QRandomGenerator::system()->generate(bytes.begin(), bytes.end());
    const QByteArray text = bytes.toHex();
    // Written under another name first: a key cut short by a full disk must not stay.
    const QByteArray target = QFile::encodeName(path);
    const QByteArray draft = target + ".new";
    ::unlink(draft.constData());
    const Descriptor file(
        ::open(draft.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file.isOpen()
        || ::write(file.get(), text.constData(), static_cast<size_t>(text.size())) != text.size()
        || ::fsync(file.get()) != 0 || ::rename(draft.constData(), target.constData()) != 0) {
        const QString problem = systemText();
        ::unlink(draft.constData());
        return fail(storageError(path + u" cannot be written: "_s + problem + u'.'));
    }
    return Secret(text);
}

std::optional<ServiceFiles::Endpoint> ServiceFiles::endpoint() const
{
    const Descriptor file(openPrivate(endpointPath(), O_RDONLY));
    if (!file.isOpen())
        return std::nullopt;
    const Result<Json, JsonError> parsed = parseJson(readEnd(file.get()));
    if (!parsed)
        return std::nullopt;
    Endpoint endpoint;
    endpoint.control = QUrl((*parsed)[u"base"].toString(), QUrl::StrictMode);
    endpoint.data = QUrl((*parsed)[u"data"].toString(), QUrl::StrictMode);
    endpoint.pid = (*parsed)[u"pid"].toInteger(0);
    if (!isLoopbackOrigin(endpoint.control) || !isLoopbackOrigin(endpoint.data))
        return std::nullopt;
    return endpoint;
}

void ServiceFiles::removeEndpoint() const { ::unlink(QFile::encodeName(endpointPath()).constData()); }

Result<Done, Error> ServiceFiles::truncateLog() const
{
    const QByteArray name = QFile::encodeName(logPath());
    ::unlink(name.constData()); // A fresh file has our rights, whatever stood there before.
    const Descriptor file(
        ::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file.isOpen())
        return fail(storageError(logPath() + u" cannot be written: "_s + systemText() + u'.'));
    return Done{};
}

QString ServiceFiles::logTail() const
{
    const Descriptor file(openPrivate(logPath(), O_RDONLY));
    if (!file.isOpen())
        return {};
    QStringList lines = QString::fromUtf8(readEnd(file.get())).split(u'\n', Qt::SkipEmptyParts);
    if (lines.size() > LogTailLines)
        lines = lines.mid(lines.size() - LogTailLines);
    return cleanErrorText(lines.join(u' '));
}

bool ServiceFiles::isRunning(qint64 pid)
{
    if (pid <= 0)
        return false;
    QFile stat(u"/proc/%1/stat"_s.arg(pid));
    if (stat.open(QIODevice::ReadOnly)) {
        const QByteArray line = stat.readAll();
        const qsizetype end = line.lastIndexOf(')'); // The name before it may hold anything.
        return end >= 0 && end + 2 < line.size() && line[end + 2] != 'Z' && line[end + 2] != 'X';
    }
    return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

} // namespace Pilothouse
