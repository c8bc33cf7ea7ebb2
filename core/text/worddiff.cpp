// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/worddiff.h"

#include <algorithm>
#include <vector>

namespace Pilothouse {

namespace {

// Cells of the table of common lengths; two bytes each.
constexpr size_t LargestTable = 1024 * 1024;
constexpr qsizetype MostWords = 20'000; // Then the rest of a text is one word.

struct Word {
    qsizetype start = 0;
    QStringView text;
};
using Words = std::vector<Word>;

bool isBorder(QChar c)
{
    return c == u';' || c == u'|' || c == u'&' || c == u'(' || c == u')' || c == u'<' || c == u'>';
}

Words wordsOf(QStringView text)
{
    Words out;
    for (qsizetype at = 0; at < text.size();) {
        if (text[at].isSpace()) {
            ++at;
            continue;
        }
        qsizetype end = at + 1;
        if (static_cast<qsizetype>(out.size()) >= MostWords)
            end = text.size();
        else if (!isBorder(text[at]))
            while (end < text.size() && !text[end].isSpace() && !isBorder(text[end]))
                ++end;
        out.push_back({at, text.sliced(at, end - at)});
        at = end;
    }
    return out;
}

// The words that differ as ranges; words next to each other become one.
void addRanges(QList<WordDiff::Range> &ranges, const Words &words, const std::vector<bool> &isSame)
{
    bool wasDifferent = false;
    for (size_t i = 0; i < words.size(); ++i) {
        const Word &word = words[i];
        if (!isSame[i]) {
            if (wasDifferent)
                ranges.last().length = word.start + word.text.size() - ranges.last().start;
            else
                ranges.append({word.start, word.text.size()});
        }
        wasDifferent = !isSame[i];
    }
}

} // namespace

WordDiff wordDiff(QStringView before, QStringView after)
{
    const Words a = wordsOf(before);
    const Words b = wordsOf(after);
    std::vector<bool> sameA(a.size(), false);
    std::vector<bool> sameB(b.size(), false);
    size_t begin = 0;
    while (begin < a.size() && begin < b.size() && a[begin].text == b[begin].text) {
        sameA[begin] = true;
        sameB[begin] = true;
        ++begin;
    }
    size_t endA = a.size();
    size_t endB = b.size();
    while (endA > begin && endB > begin && a[endA - 1].text == b[endB - 1].text) {
        sameA[--endA] = true;
        sameB[--endB] = true;
    }
    const size_t rows = endA - begin;
    const size_t columns = endB - begin;
    if (rows > 0 && columns > 0 && (rows + 1) * (columns + 1) <= LargestTable) {
        // Length of the longest common part of what follows (i, j).
        std::vector<quint16> common((rows + 1) * (columns + 1), 0);
        const auto at = [&](size_t i, size_t j) -> quint16 & { return common[i * (columns + 1) + j]; };
        for (size_t i = rows; i-- > 0;) {
            for (size_t j = columns; j-- > 0;)
                at(i, j) = a[begin + i].text == b[begin + j].text
                    ? static_cast<quint16>(std::min(0xFFFF, at(i + 1, j + 1) + 1))
                    : std::max(at(i + 1, j), at(i, j + 1));
        }
        for (size_t i = 0, j = 0; i < rows && j < columns;) {
            if (a[begin + i].text == b[begin + j].text) {
                sameA[begin + i++] = true;
                sameB[begin + j++] = true;
            } else if (at(i + 1, j) >= at(i, j + 1)) {
                ++i;
            } else {
                ++j;
            }
        }
    }
    WordDiff out;
    addRanges(out.removed, a, sameA);
    addRanges(out.added, b, sameB);
    return out;
}

} // namespace Pilothouse
