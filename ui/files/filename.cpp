// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filename.h"

#include "text/inerttext.h"

#include <QStringDecoder>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestName = 255; // Of Linux, in bytes.

bool isUnsafeInName(char32_t c) { return c == U'\n' || c == U'\t' || isUnsafeToShow(c); }

bool isContinuation(uchar byte) { return (byte & 0xC0) == 0x80; }

/// Length of the valid UTF-8 character at `at`, 0 if there is none.
int characterLength(const QByteArray &bytes, qsizetype at)
{
    const uchar first = uchar(bytes[at]);
    const int length = first < 0x80 ? 1
        : first < 0xC2              ? 0
        : first < 0xE0              ? 2
        : first < 0xF0              ? 3
        : first < 0xF5              ? 4
                                    : 0;
    if (length == 0 || at + length > bytes.size())
        return 0;
    for (int i = 1; i < length; ++i) {
        if (!isContinuation(uchar(bytes[at + i])))
            return 0;
    }
    // Over-long forms, surrogates and what lies beyond Unicode.
    const uchar second = length > 1 ? uchar(bytes[at + 1]) : 0;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)
        || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
        return 0;
    return length;
}

char32_t codePoint(const QByteArray &bytes, qsizetype at, int length)
{
    static constexpr char32_t FirstMask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t c = char32_t(uchar(bytes[at])) & FirstMask[length];
    for (int i = 1; i < length; ++i)
        c = (c << 6) | (char32_t(uchar(bytes[at + i])) & 0x3F);
    return c;
}

QString written(const QByteArray &name, bool escapeBackslash, bool *changed)
{
    QString out;
    out.reserve(name.size());
    for (qsizetype at = 0; at < name.size();) {
        const int length = characterLength(name, at);
        if (length == 0) {
            out += u"\\x{"_s + QString::number(uchar(name[at]), 16) + u'}';
            *changed = true;
            ++at;
            continue;
        }
        const char32_t c = codePoint(name, at, length);
        if (isUnsafeInName(c) || (escapeBackslash && c == U'\\')) {
            out += u"\\u{"_s + QString::number(uint(c), 16) + u'}';
            *changed = *changed || c != U'\\';
        } else {
            out += QString::fromUcs4(&c, 1);
        }
        at += length;
    }
    return out;
}

bool needsEscapes(const QByteArray &name)
{
    bool changed = false;
    (void)written(name, false, &changed);
    return changed;
}

std::optional<QByteArray> unescaped(const QString &text)
{
    QByteArray out;
    for (qsizetype at = 0; at < text.size();) {
        const bool isByte = QStringView(text).sliced(at).startsWith("\\x{"_L1);
        const bool isCharacter = QStringView(text).sliced(at).startsWith("\\u{"_L1);
        if (!isByte && !isCharacter) {
            const qsizetype next = text.indexOf(u'\\', at + 1);
            const qsizetype end = next < 0 ? text.size() : next;
            out += text.mid(at, end - at).toUtf8();
            at = end;
            continue;
        }
        const qsizetype end = text.indexOf(u'}', at);
        bool isNumber = false;
        const uint value = end < 0 ? 0 : QStringView(text).sliced(at + 3, end - at - 3).toUInt(&isNumber, 16);
        if (!isNumber || value > (isByte ? 0xFFU : 0x10FFFFU))
            return std::nullopt;
        const char32_t c = value;
        if (isByte)
            out += char(value);
        else
            out += QString::fromUcs4(&c, 1).toUtf8();
        at = end + 1;
    }
    return out;
}

} // namespace

QString shownName(const QByteArray &name)
{
    bool changed = false;
    return written(name, false, &changed);
}

QString shownPath(const QByteArray &path, const QByteArray &home)
{
    const bool isHome = !home.isEmpty() && isInside(path, home);
    QString out = isHome ? u"~"_s : QString();
    const QByteArray rest = isHome ? path.sliced(home.size()) : path;
    if (rest == "/" && out.isEmpty())
        return u"/"_s;
    for (const QByteArray &segment : rest.split('/')) {
        if (!segment.isEmpty())
            out += u'/' + shownName(segment);
    }
    return out;
}

QString nameForEdit(const QByteArray &name)
{
    bool changed = false;
    return written(name, needsEscapes(name), &changed);
}

std::optional<QByteArray> nameFromEdit(const QString &text, const QByteArray &original)
{
    const std::optional<QByteArray> name = needsEscapes(original) ? unescaped(text) : text.toUtf8();
    if (!name || name->isEmpty() || *name == "." || *name == ".." || name->contains('/')
        || name->contains('\0') || name->size() > LongestName)
        return std::nullopt;
    return name;
}

QString nameProblem(const QString &text)
{
    if (text.isEmpty())
        return u"A name cannot be empty."_s;
    if (text == "."_L1 || text == ".."_L1)
        return u"\".\" and \"..\" are not names of files."_s;
    if (text.contains(u'/'))
        return u"A name cannot hold a slash."_s;
    if (text.toUtf8().size() > LongestName)
        return u"A name has at most 255 bytes."_s;
    return u"A character of this name is not written right; keep \\u{…} and \\x{…} as they are."_s;
}

QByteArray joinedPath(const QByteArray &folder, const QByteArray &name)
{
    return folder.endsWith('/') ? QByteArray(folder + name) : QByteArray(folder + '/' + name);
}

QByteArray parentPath(const QByteArray &path)
{
    return path.first(std::max<qsizetype>(1, path.lastIndexOf('/')));
}

QByteArray lastSegment(const QByteArray &path) { return path.sliced(path.lastIndexOf('/') + 1); }

bool isInside(const QByteArray &path, const QByteArray &folder)
{
    return folder == "/" || path == folder
        || (path.size() > folder.size() && path.startsWith(folder) && path[folder.size()] == '/');
}

} // namespace Pilothouse
