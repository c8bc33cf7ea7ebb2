// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "filehandlers.h"

#include "apifailure.h"
#include "filelisting.h"
#include "filepaths.h"

#include <QDateTime>
#include <QLocale>

#include <cerrno>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxUpload = 4LL * 1024 * 1024 * 1024;
constexpr qsizetype PartSize = 256 * 1024;
constexpr qint64 FileHighWater = 1024 * 1024;

constexpr std::pair<const char *, const char *> ContentTypes[] = {
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript"},
    {".json", "application/json"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".gif", "image/gif"},
    {".svg", "image/svg+xml"},
    {".pdf", "application/pdf"},
    {".zip", "application/zip"},
};

QByteArray contentType(const QByteArray &path)
{
    for (const auto &[ending, type] : ContentTypes) {
        if (path.endsWith(ending))
            return type;
    }
    return "application/octet-stream";
}

/// An error of the files calls that says which file.
HttpResponse pathError(int status, const QString &what, const QByteArray &path)
{
    return filesError(status, withSubject(what, path));
}

/// What the descriptor that came out of the sandbox really is. Anything but a file on a disk is refused:
/// reading a kernel file or a device could block or have effects.
std::optional<HttpResponse> checkFile(int fd, const QByteArray &path, struct stat &info)
{
    struct statfs system = {};
    if (::fstat(fd, &info) != 0 || ::fstatfs(fd, &system) != 0)
        return pathError(500, errnoText(errno), path);
    if (S_ISDIR(info.st_mode))
        return pathError(400, u"path is a directory"_s, path);
    if (!S_ISREG(info.st_mode) || system.f_type == PROC_SUPER_MAGIC)
        return pathError(400, u"path is not a regular file"_s, path);
    return std::nullopt;
}

HttpResponse storageFull()
{
    return controlError({507, "sandbox_storage_full", u"no space left for the sandbox's files"_s});
}

HttpResponse openError(int error, const QByteArray &path, bool isWrite)
{
    switch (error) {
    case ENOENT:
        return pathError(isWrite ? 500 : 404, u"file not found"_s, path);
    case ENOTDIR:
        return isWrite ? pathError(500, errnoText(error), path) : pathError(404, u"file not found"_s, path);
    case EISDIR:
        return pathError(400, u"path is a directory"_s, path);
    case ENXIO:
    case ENODEV:
        return pathError(400, u"path is not a regular file"_s, path);
    case ENAMETOOLONG:
        return pathError(400, errnoText(error), path);
    case ENOSPC:
    case EDQUOT:
        return storageFull();
    case EPIPE:
        return plainError(502, u"sandbox unreachable"_s);
    default:
        return pathError(500, errnoText(error), path);
    }
}

struct Range {
    qint64 begin = 0;
    qint64 end = 0; // Exclusive.
};
enum class RangeKind { None = 1, Single, Unsatisfiable };

/// One range of bytes; several, and forms that are not understood, give the whole file.
RangeKind parseRange(const QByteArray &header, qint64 size, Range &range)
{
    const QByteArray spec = header.startsWith("bytes=") ? header.sliced(6).trimmed() : QByteArray();
    const qsizetype dash = spec.indexOf('-');
    if (dash < 0 || spec.contains(','))
        return RangeKind::None;
    bool hasFirst = false;
    bool hasLast = false;
    const qint64 first = spec.first(dash).toLongLong(&hasFirst);
    const qint64 last = spec.sliced(dash + 1).toLongLong(&hasLast);
    if ((!hasFirst && dash > 0) || (!hasLast && dash + 1 < spec.size()) || (!hasFirst && !hasLast)
        || first < 0 || last < 0)
        return RangeKind::None;
    if (!hasFirst) {
        range = {qMax(qint64(0), size - last), size};
        return last == 0 || size == 0 ? RangeKind::Unsatisfiable : RangeKind::Single;
    }
    if (hasLast && last < first)
        return RangeKind::None;
    range = {first, hasLast ? qMin(last, size - 1) + 1 : size};
    return first >= size ? RangeKind::Unsatisfiable : RangeKind::Single;
}

/// Ties a call to its sandbox: cut when that stops being active, counted while it runs.
class Attachment {
public:
    Attachment(SandboxPtr sandbox, const HttpExchangePtr &exchange, std::function<void()> cut)
        : m_sandbox(std::move(sandbox))
        , m_id(m_sandbox->attach(std::move(cut)))
    {
        if (!m_id)
            exchange->respond(plainError(429, u"too many connections to sandbox"_s));
    }
    ~Attachment() { release(); }
    Q_DISABLE_COPY_MOVE(Attachment)
    [[nodiscard]] bool isValid() const { return m_id.has_value(); }
    void release()
    {
        if (const auto id = std::exchange(m_id, std::nullopt))
            m_sandbox->detach(*id);
    }

private:
    SandboxPtr m_sandbox;
    std::optional<quint64> m_id;
};

// ---- reading

class FileDownload : public std::enable_shared_from_this<FileDownload> {
public:
    FileDownload(HttpExchangePtr exchange, UniqueFd file)
        : m_exchange(std::move(exchange))
        , m_file(std::move(file))
    { }

    void start(const SandboxPtr &sandbox, const QByteArray &path)
    {
        struct stat info = {};
        if (const auto refusal = checkFile(m_file.get(), path, info)) {
            m_exchange->respond(*refusal);
            return;
        }
        const auto self = shared_from_this();
        m_attachment =
            std::make_unique<Attachment>(sandbox, m_exchange, [self] { self->m_exchange->abort(); });
        if (!m_attachment->isValid())
            return;
        const qint64 size = info.st_size;
        const QString modified =
            QLocale::c().toString(QDateTime::fromSecsSinceEpoch(info.st_mtim.tv_sec, Qt::UTC),
                                  u"ddd, dd MMM yyyy HH:mm:ss 'GMT'"_s);
        HttpResponse head = {200,
                             {{"Content-Type", contentType(path)},
                              {"Content-Disposition", "inline"},
                              {"Accept-Ranges", "bytes"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Last-Modified", modified.toLatin1()}},
                             {}};
        Range range = {0, size};
        const RangeKind kind = parseRange(m_exchange->request().header("Range"), size, range);
        if (kind == RangeKind::Unsatisfiable) {
            HttpResponse response = filesError(416, u"range not satisfiable"_s);
            response.headers.append({"Content-Range", "bytes */" + QByteArray::number(size)});
            m_attachment->release();
            m_exchange->respond(response);
            return;
        }
        if (kind == RangeKind::Single) {
            head.status = 206;
            head.headers.append({"Content-Range",
                                 "bytes " + QByteArray::number(range.begin) + '-'
                                     + QByteArray::number(range.end - 1) + '/' + QByteArray::number(size)});
        }
        m_next = range.begin;
        m_end = range.end;
        m_exchange->onDrained([self] { self->sendMore(); });
        m_exchange->onGone([self] { self->m_attachment->release(); });
        m_exchange->begin(head, range.end - range.begin);
        sendMore();
    }

private:
    void sendMore()
    {
        while (m_next < m_end && m_exchange->queuedBytes() < FileHighWater) {
            QByteArray part(qMin(qint64(PartSize), m_end - m_next), Qt::Uninitialized);
            const ssize_t count = ::pread(m_file.get(), part.data(), size_t(part.size()), m_next);
            if (count < 0 && errno == EINTR)
                continue;
            if (count <= 0) {
                // Shorter than announced: it changed meanwhile. The cut connection says so.
                m_attachment->release();
                m_exchange->abort();
                return;
            }
            part.truncate(count);
            m_next += count;
            m_exchange->write(part);
        }
        if (m_next < m_end)
            return;
        m_attachment->release();
        m_exchange->onDrained(nullptr);
        m_exchange->onGone(nullptr);
        m_exchange->end();
    }

    HttpExchangePtr m_exchange;
    UniqueFd m_file;
    std::unique_ptr<Attachment> m_attachment;
    qint64 m_next = 0;
    qint64 m_end = 0;
};

// ---- writing

class FileUpload : public std::enable_shared_from_this<FileUpload> {
public:
    FileUpload(HttpExchangePtr exchange, SandboxPtr sandbox, QByteArray path, UniqueFd file)
        : m_exchange(std::move(exchange))
        , m_sandbox(std::move(sandbox))
        , m_machine(m_sandbox->machine())
        , m_path(std::move(path))
        , m_file(std::move(file))
    { }

    void start()
    {
        struct stat info = {};
        if (const auto refusal = checkFile(m_file.get(), m_path, info)) {
            m_exchange->respond(*refusal);
            return;
        }
        const auto self = shared_from_this();
        m_attachment = std::make_unique<Attachment>(m_sandbox, m_exchange, [self] {
            self->removePartial();
            self->m_exchange->abort();
        });
        if (!m_attachment->isValid())
            return;
        if (::ftruncate(m_file.get(), 0) != 0) {
            failWith(errno);
            return;
        }
        next();
    }

private:
    void next()
    {
        m_exchange->readChunk([self = shared_from_this()](const BodyChunk &chunk) { self->onChunk(chunk); });
    }

    void onChunk(const BodyChunk &chunk)
    {
        if (m_isOver)
            return;
        if (chunk.failed) {
            removePartial();
            return;
        }
        if (m_size + chunk.bytes.size() > MaxUpload) {
            failWith(EFBIG);
            return;
        }
        qsizetype done = 0;
        while (done < chunk.bytes.size()) {
            const ssize_t count =
                ::write(m_file.get(), chunk.bytes.constData() + done, size_t(chunk.bytes.size() - done));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0) {
                failWith(errno);
                return;
            }
            done += count;
        }
        m_size += chunk.bytes.size();
        if (!chunk.last) {
            next();
            return;
        }
        m_isOver = true;
        m_attachment->release();
        m_file.reset();
        Json body = Json::object();
        body.set(u"path"_s, Json::string(QString::fromUtf8(m_path)));
        body.set(u"size"_s, Json::number(m_size));
        m_exchange->respond(jsonResponse(200, body));
    }

    void failWith(int error)
    {
        removePartial();
        if (error == ENOSPC || error == EDQUOT)
            m_exchange->respond(storageFull());
        else if (error == EFBIG)
            m_exchange->respond(filesError(413, u"file larger than 4 GiB"_s));
        else
            m_exchange->respond(pathError(500, errnoText(error), m_path));
    }

    void removePartial()
    {
        if (std::exchange(m_isOver, true))
            return;
        m_attachment->release();
        m_file.reset();
        m_machine->remove(m_path);
    }

    HttpExchangePtr m_exchange;
    SandboxPtr m_sandbox;
    std::shared_ptr<Machine> m_machine;
    QByteArray m_path;
    UniqueFd m_file;
    std::unique_ptr<Attachment> m_attachment;
    qint64 m_size = 0;
    bool m_isOver = false;
};

} // namespace

void readSandboxFile(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path)
{
    if (isBlockedPath(path)) {
        exchange->respond(pathError(400, u"path is not allowed"_s, path));
        return;
    }
    sandbox->machine()->open(Init::ReadFile, path, [exchange, sandbox, path](Result<UniqueFd, int> file) {
        if (file)
            std::make_shared<FileDownload>(exchange, std::move(*file))->start(sandbox, path);
        else
            exchange->respond(openError(file.error(), path, false));
    });
}

void listSandboxFolder(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path)
{
    if (isBlockedPath(path) && normalizedPath(path) != "/") {
        exchange->respond(pathError(400, u"path is not allowed"_s, path));
        return;
    }
    sandbox->machine()->open(Init::ReadDirectory, path, [exchange, path](Result<UniqueFd, int> folder) {
        if (folder)
            exchange->respond(jsonResponse(200, listFolder(std::move(*folder))));
        else if (folder.error() == ENOTDIR)
            exchange->respond(pathError(400, u"not a directory"_s, path));
        else
            exchange->respond(openError(folder.error(), path, false));
    });
}

void writeSandboxFile(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path)
{
    if (isBlockedPath(path)) {
        exchange->respond(pathError(400, u"path is not allowed"_s, path));
        return;
    }
    if (exchange->request().contentLength.value_or(0) > MaxUpload) {
        exchange->respond(filesError(413, u"file larger than 4 GiB"_s));
        return;
    }
    sandbox->machine()->open(Init::WriteFile, path, [exchange, sandbox, path](Result<UniqueFd, int> file) {
        if (!file)
            exchange->respond(openError(file.error(), path, true));
        else if (sandbox->meta().status != SandboxStatus::Active)
            exchange->respond(plainError(503, statusSentence(sandbox->meta().status)));
        else
            std::make_shared<FileUpload>(exchange, sandbox, path, std::move(*file))->start();
    });
}

} // namespace Pilothouse
