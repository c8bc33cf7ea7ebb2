// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/dataaddress.h"

#include <algorithm>

namespace Pilothouse {

namespace {

constexpr QStringView Opening = u"](data:";
constexpr qsizetype Brackets = 2; // Of the opening; the address begins behind them.

bool isEnd(QChar c) { return c == u')' || c.isSpace(); }

// Case does not count; compared by hand, as texts are long and this is asked at each bracket.
bool isOpening(QStringView text)
{
    return text.left(Opening.size()).compare(Opening.left(text.size()), Qt::CaseInsensitive) == 0;
}

} // namespace

std::optional<DataAddress> findDataAddress(QStringView text, qsizetype from)
{
    for (qsizetype at = text.indexOf(u']', from); at >= 0; at = text.indexOf(u']', at + 1)) {
        if (text.size() - at < Opening.size())
            return std::nullopt;
        if (text[at + 1] != u'(' || !isOpening(text.mid(at)))
            continue;
        DataAddress found;
        found.begin = at + Brackets;
        const auto *const end = std::find_if(text.begin() + found.begin, text.end(), isEnd);
        found.end = end - text.begin();
        found.closed = end != text.end();
        return found;
    }
    return std::nullopt;
}

std::optional<DataAddress> nthDataAddress(QStringView text, qsizetype before)
{
    std::optional<DataAddress> found = findDataAddress(text);
    for (; found && before > 0; --before)
        found = findDataAddress(text, found->end);
    return found;
}

QString shortenDataAddresses(QStringView text, qsizetype kept, qsizetype most, QStringView mark,
                             qsizetype least)
{
    QString out;
    qsizetype at = 0;
    while (at < text.size() && out.size() < most) {
        const std::optional<DataAddress> found = findDataAddress(text, at);
        const bool isLong = found && found->end - found->begin >= std::max(kept, least);
        const qsizetype stop = !found ? text.size() : isLong ? found->begin + kept : found->end;
        out += text.mid(at, std::min(stop - at, most - out.size()));
        if (!found)
            break;
        if (found->end > stop && out.size() < most)
            out += mark;
        at = found->end;
    }
    return out;
}

qsizetype openDataAddress(QStringView text)
{
    const qsizetype first = std::max<qsizetype>(0, text.size() - DataAddress::Kept - Opening.size());
    for (qsizetype at = text.size() - 1; at >= first && !isEnd(text[at]); --at) {
        if (text[at] == u']' && isOpening(text.mid(at)))
            return at;
    }
    return text.size();
}

} // namespace Pilothouse
