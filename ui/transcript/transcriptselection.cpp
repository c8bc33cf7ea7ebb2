// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptselection.h"

#include "store/rows.h"
#include "transcript/rowtext.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestWord = 1000; // A "word" of a megabyte is not what a double click means.
constexpr qsizetype MostCopied = 64 * 1024 * 1024;

bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == u'_' || c.isMark() || c.isSurrogate(); }

} // namespace

void TranscriptSelection::set(const TextPoint &anchor, const TextPoint &cursor)
{
    m_anchor = anchor;
    m_cursor = cursor;
}

bool TranscriptSelection::touches(qint64 row) const
{
    return !isEmpty() && row >= from().row && row <= to().row;
}

std::optional<std::pair<qsizetype, qsizetype>> TranscriptSelection::range(qint64 row, qsizetype length) const
{
    if (!touches(row))
        return std::nullopt;
    const qsizetype begin = row == from().row ? std::clamp<qsizetype>(from().place, 0, length) : 0;
    const qsizetype end = row == to().row ? std::clamp<qsizetype>(to().place, 0, length) : length;
    if (end <= begin)
        return std::nullopt;
    return std::pair(begin, end);
}

bool TranscriptSelection::hasText(const TranscriptRow &row)
{
    return row.kind == TranscriptRow::Kind::User || row.kind == TranscriptRow::Kind::Text
        || row.kind == TranscriptRow::Kind::Reasoning || row.kind == TranscriptRow::Kind::Notice;
}

bool TranscriptSelection::addTo(QString &out, const TranscriptRow &row) const
{
    if (out.size() >= MostCopied)
        return false;
    if (!touches(row.row) || !isShown(row))
        return true;
    QString part;
    if (hasText(row)) {
        if (const auto selected = range(row.row, row.text.size()))
            part = copiedText(QStringView(row.text).mid(selected->first, selected->second - selected->first));
    } else if (row.kind == TranscriptRow::Kind::Call || row.kind == TranscriptRow::Kind::Error) {
        part = rowCopy(row);
    }
    if (part.isEmpty())
        return true;
    if (!out.isEmpty())
        out += out.endsWith(u'\n') ? u"\n"_s : u"\n\n"_s;
    out += part;
    return true;
}

std::pair<qsizetype, qsizetype> TranscriptSelection::wordAt(QStringView text, qsizetype place)
{
    if (text.isEmpty())
        return {0, 0};
    qsizetype begin = std::clamp<qsizetype>(place, 0, text.size() - 1);
    qsizetype end = begin + 1;
    const auto isSame = [&text,
                         kind = isWordPart(text[begin]) ? 1
                             : text[begin].isSpace()    ? 2
                                                        : 3](qsizetype at) {
        const int other = isWordPart(text[at]) ? 1 : text[at].isSpace() ? 2 : 3;
        return other == kind && kind != 3 && text[at] != u'\n';
    };
    while (begin > 0 && end - begin < LongestWord && isSame(begin - 1))
        --begin;
    while (end < text.size() && end - begin < LongestWord && isSame(end))
        ++end;
    return {begin, end};
}

} // namespace Pilothouse
