// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/listingparser.h"

#include <algorithm>

namespace Pilothouse {

namespace {

// A path is at most 4 KiB on Linux; what runs on without an end is not a listing.
constexpr qsizetype LongestField = 64 * 1024;
constexpr int WordsBeforeName = 6;
constexpr qsizetype Base64Group = 4;

/// The next word of `field` from `at` on, which moves behind the space; a doubled space is an empty word.
QByteArrayView takeWord(const QByteArray &field, qsizetype &at)
{
    const qsizetype from = at;
    const qsizetype space = field.indexOf(' ', at);
    if (space < 0) {
        at = -1;
        return {};
    }
    at = space + 1;
    return QByteArrayView(field).sliced(from, space - from);
}

bool isWhiteSpace(char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; }

} // namespace

ListingParser::ListingParser(Names names)
    : m_names(names)
{ }

QList<FileEntry> ListingParser::feed(const QByteArray &base64)
{
    QList<FileEntry> out;
    if (m_overflowed)
        return out;
    m_encoded += base64;
    m_encoded.removeIf(isWhiteSpace);
    const qsizetype whole = m_encoded.size() - m_encoded.size() % Base64Group;
    if (whole == 0)
        return out;
    const auto decoded =
        QByteArray::fromBase64Encoding(m_encoded.first(whole), QByteArray::AbortOnBase64DecodingErrors);
    m_encoded.remove(0, whole);
    if (!decoded) {
        m_damaged = true;
        m_overflowed = true;
        return out;
    }
    const QByteArray &bytes = *decoded;
    for (qsizetype at = 0; at < bytes.size();) {
        const qsizetype end = bytes.indexOf('\0', at);
        if (end < 0) {
            m_bytes += bytes.sliced(at);
            break;
        }
        m_bytes += bytes.sliced(at, end - at);
        takeField(m_bytes, out);
        m_bytes.clear();
        at = end + 1;
    }
    if (m_bytes.size() > LongestField) {
        m_damaged = true;
        m_overflowed = true;
    }
    return out;
}

void ListingParser::takeField(const QByteArray &field, QList<FileEntry> &out)
{
    if (m_inTarget) {
        m_inTarget = false;
        if (!m_entryIsGood)
            return;
        if (m_entry.type == u'l')
            m_entry.linkTarget = field;
        out.append(std::exchange(m_entry, {}));
        return;
    }
    if (m_sawEnd) { // Nothing may stand behind the trailer.
        m_damaged = true;
        return;
    }
    qsizetype at = 0;
    if (field.startsWith("rc ")) { // No type of entry has two letters.
        const QList<QByteArray> words = field.split(' ');
        bool isNumber = false;
        m_endCode = words.value(1).toInt(&isNumber);
        if (!isNumber)
            m_endCode = -1;
        m_clock = words.value(2).toDouble();
        m_sawEnd = true;
        return;
    }
    QByteArrayView words[WordsBeforeName];
    for (QByteArrayView &word : words) {
        word = takeWord(field, at);
        if (at < 0)
            break;
    }
    m_inTarget = true;
    m_entryIsGood = false;
    bool sizeOk = false;
    bool timeOk = false;
    bool modeOk = false;
    if (at > 0 && words[0].size() == 1) {
        m_entry = {};
        m_entry.type = QLatin1Char(words[0][0]);
        m_entry.size = words[1].toByteArray().toLongLong(&sizeOk);
        m_entry.modified = words[2].toByteArray().toDouble(&timeOk);
        m_entry.changed = words[3].toByteArray().toDouble();
        m_entry.born = std::max(0.0, words[4].toByteArray().toDouble()); // Empty or "-" where unknown: 0.
        m_entry.mode = words[5].toByteArray().toInt(&modeOk, 8);
        m_entry.name = field.sliced(at);
    }
    if (!sizeOk || !timeOk || !modeOk || !isSafeName(m_entry.name)) {
        m_damaged = true;
        return;
    }
    m_entryIsGood = true;
}

bool ListingParser::isSafeName(const QByteArray &name) const
{
    const auto isSafe = [](const QByteArray &part) { return !part.isEmpty() && part != "." && part != ".."; };
    if (m_names == Names::OneFolder)
        return isSafe(name) && !name.contains('/');
    const QList<QByteArray> parts = name.split('/');
    return std::all_of(parts.begin(), parts.end(), isSafe);
}

} // namespace Pilothouse
