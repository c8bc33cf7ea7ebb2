// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/zipfile.h"

#include "engine/transferbounds.h"
#include "text/inerttext.h"

#include <QFile>
#include <QFileInfo>
#include <QSet>

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <memory>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t ReadBlock = 256 * 1024;
constexpr qsizetype LongestPath = 4096;

struct Freer {
    void operator()(archive *opened) const { archive_read_free(opened); }
};
using Archive = std::unique_ptr<archive, Freer>;

Error zipRefused(const QString &why)
{
    return Error{
        ErrorKind::Sandbox, QString(u"The archive of the folder was not unpacked: "_s + why), {}, {}};
}

QString shown(const QByteArray &name) { return inertLine(QString::fromUtf8(name), 200); }

Error notWhole() { return zipRefused(u"it is not a whole zip file."_s); }

/// Only the reader that begins with the directory at the end: without that, an archive is cut.
Result<Archive, Error> openZip(const QString &path)
{
    Archive opened(archive_read_new());
    archive_read_support_format_zip_seekable(opened.get());
    if (archive_read_open_filename(opened.get(), QFile::encodeName(path).constData(), ReadBlock)
        != ARCHIVE_OK)
        return fail(notWhole());
    return opened;
}

/// One entry, with its name below the root.
struct Entry {
    QList<QByteArray> segments; ///< Empty: the root itself.
    bool isFolder = false;
    bool isExecutable = false;
    qint64 size = 0;
};

Result<Entry, QString> read(archive_entry *raw, const QByteArray &root, int deepest)
{
    const char *text = archive_entry_pathname(raw);
    if (!text)
        text = archive_entry_pathname_utf8(raw);
    QByteArray name(text ? text : "");
    const auto wrong = [&name](const QString &what) {
        return fail(QString(u"the name \""_s + shown(name) + u"\" "_s + what));
    };
    const auto type = archive_entry_filetype(raw);
    const bool isFolder = type == AE_IFDIR;
    if ((type != AE_IFREG && !isFolder) || archive_entry_symlink(raw) || archive_entry_hardlink(raw))
        return wrong(u"is a link or a special file."_s);
    if (name.size() > LongestPath)
        return wrong(u"is too long."_s);
    if (name.startsWith('/') || name.contains('\\') || (name.size() > 1 && name[1] == ':'))
        return wrong(u"is not one below the folder."_s);
    if (isFolder && name.endsWith('/'))
        name.chop(1);
    Entry entry;
    entry.segments = name.split('/');
    const auto isBad = [](const QByteArray &segment) {
        return segment.isEmpty() || segment == "." || segment == "..";
    };
    if (std::any_of(entry.segments.cbegin(), entry.segments.cend(), isBad))
        return wrong(u"is not one below the folder."_s);
    if (entry.segments.takeFirst() != root || (entry.segments.isEmpty() && !isFolder))
        return wrong(u"is outside of the folder."_s);
    if (entry.segments.size() > deepest)
        return wrong(u"is nested too deeply."_s);
    entry.isFolder = isFolder;
    entry.isExecutable = (archive_entry_perm(raw) & 0111) != 0;
    entry.size = archive_entry_size_is_set(raw) ? qint64(archive_entry_size(raw)) : 0;
    if (entry.size < 0)
        return wrong(u"has no size."_s);
    return entry;
}

/// Folders of this computer by their place in the archive. Only the last one used is held open.
class Places {
public:
    explicit Places(std::shared_ptr<LocalFolder> root)
        : m_root(std::move(root))
    { }
    /// The folder of `segments`, made where it is missing. `made` counts.
    Result<std::shared_ptr<LocalFolder>, Error> folder(const QList<QByteArray> &segments, qint64 &made)
    {
        if (segments.isEmpty())
            return m_root;
        const QByteArray whole = segments.join('/');
        if (m_last && m_lastName == whole)
            return m_last;
        std::shared_ptr<LocalFolder> at = m_root;
        QByteArray name;
        for (const QByteArray &segment : segments) {
            name += '/' + segment;
            const bool isNew = !m_made.contains(name);
            auto next = isNew ? at->makeFolder(segment) : at->openFolder(segment);
            if (!next)
                return next;
            if (isNew) {
                m_made.insert(name);
                ++made;
            }
            at = *next;
        }
        m_last = at;
        m_lastName = whole;
        return at;
    }

private:
    std::shared_ptr<LocalFolder> m_root;
    std::shared_ptr<LocalFolder> m_last;
    QByteArray m_lastName;
    QSet<QByteArray> m_made;
};

/// Sums that no entry may break.
struct Sums {
    const ZipLimits &limits;
    qint64 packed = 0;
    qint64 entries = 0;
    qint64 bytes = 0;

    [[nodiscard]] bool isTooMuch() const
    {
        return bytes > limits.mostBytes
            || (bytes > limits.ratioFrom && bytes / std::max<qint64>(1, packed) > limits.mostRatio);
    }
};

Error tooMuch() { return zipRefused(u"it would unpack into far more than such a folder holds."_s); }

} // namespace

Result<ZipFile::Contents, Error> ZipFile::check(const QString &path, const QByteArray &root,
                                                const ZipLimits &limits)
{
    auto opened = openZip(path);
    if (!opened)
        return fail(opened.error());
    Contents contents;
    Sums sums{limits, QFileInfo(path).size()};
    for (archive_entry *raw = nullptr;;) {
        const int got = archive_read_next_header(opened->get(), &raw);
        if (got == ARCHIVE_EOF)
            break;
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return fail(sums.entries == 0 ? notWhole() : zipRefused(u"it is damaged."_s));
        const auto entry = read(raw, root, limits.deepest);
        if (!entry)
            return fail(zipRefused(entry.error()));
        if (++sums.entries > limits.mostEntries)
            return fail(zipRefused(u"it holds too many files."_s));
        // Each one is compared before it is added, so that no sum can overflow.
        if (entry->size > limits.mostBytes)
            return fail(tooMuch());
        sums.bytes += entry->size;
        if (sums.isTooMuch())
            return fail(tooMuch());
        if (!entry->isFolder)
            ++contents.files;
        else if (!entry->segments.isEmpty())
            ++contents.folders;
    }
    contents.bytes = sums.bytes;
    return contents;
}

Result<ZipFile::Contents, Error> ZipFile::unpack(const QString &path, const QByteArray &root,
                                                 const std::shared_ptr<LocalFolder> &into,
                                                 const std::atomic_bool &stop, const ZipLimits &limits)
{
    auto opened = openZip(path);
    if (!opened)
        return fail(opened.error());
    Contents contents;
    Sums sums{limits, QFileInfo(path).size()};
    Places places(into);
    QByteArray buffer(ReadBlock, Qt::Uninitialized);
    const auto failed = [&contents](const QByteArray &name, const QString &why) {
        ++contents.failed;
        if (contents.failures.size() < MostFailuresTold)
            contents.failures.append(QString(shown(name) + u": "_s + why));
    };
    for (archive_entry *raw = nullptr; !stop;) {
        const int got = archive_read_next_header(opened->get(), &raw);
        if (got == ARCHIVE_EOF)
            break;
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return fail(sums.entries == 0 ? notWhole() : zipRefused(u"it is damaged."_s));
        auto entry = read(raw, root, limits.deepest);
        if (!entry)
            return fail(zipRefused(entry.error()));
        if (++sums.entries > limits.mostEntries)
            return fail(zipRefused(u"it holds too many files."_s));
        QList<QByteArray> segments = entry->segments;
        const QByteArray name = segments.isEmpty() ? root : segments.constLast();
        if (!entry->isFolder)
            segments.removeLast();
        const auto folder = places.folder(segments, contents.folders);
        if (!folder) {
            failed(name, folder.error().message);
            continue;
        }
        if (entry->isFolder)
            continue;
        auto file = LocalFolder::makeFile(*folder, LocalFolder::safeName(name), entry->isExecutable);
        if (!file) {
            failed(name, file.error().message);
            continue;
        }
        qint64 size = 0;
        std::optional<QString> problem;
        while (!stop && !problem) {
            const la_ssize_t count = archive_read_data(opened->get(), buffer.data(), size_t(buffer.size()));
            if (count == 0)
                break;
            if (count < 0) {
                problem = u"it is damaged in the archive; no part of it was kept."_s;
                break;
            }
            size += count;
            sums.bytes += count;
            if (sums.isTooMuch())
                return fail(tooMuch());
            if (const auto wrong = (*file)->write(buffer.first(count)))
                problem = wrong->message;
        }
        if (stop)
            break;
        if (!problem && size != entry->size)
            problem = u"it is not whole in the archive; no part of it was kept."_s;
        if (!problem) {
            if (const auto wrong = (*file)->finish(false))
                problem = wrong->message;
        }
        if (problem) {
            failed(name, *problem);
            continue;
        }
        ++contents.files;
        contents.bytes += size;
    }
    return contents;
}

} // namespace Pilothouse
