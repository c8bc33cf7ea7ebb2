// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/markdownlines.h"

#include <algorithm>

namespace Pilothouse::MarkdownLines {

bool isBlank(QChar c) { return c == u' ' || c == u'\t'; }

ItemMark itemMark(QStringView rest)
{
    if (rest.isEmpty())
        return {};
    const char16_t first = rest.front().unicode();
    ItemMark item;
    if (first == u'-' || first == u'+' || first == u'*') {
        item = {first, -1, 1};
    } else {
        qsizetype digits = 0;
        int number = 0;
        while (digits < rest.size() && digits < MostDigits && rest[digits] >= u'0' && rest[digits] <= u'9')
            number = number * 10 + (rest[digits++].unicode() - u'0');
        if (digits == 0 || digits >= rest.size() || (rest[digits] != u'.' && rest[digits] != u')'))
            return {};
        item = {rest[digits].unicode(), number, digits + 1};
    }
    if (item.length < rest.size() && !isBlank(rest[item.length]))
        return {};
    return item;
}

bool isRule(QStringView rest)
{
    const char16_t mark = rest.isEmpty() ? u'\0' : rest.front().unicode();
    if (mark != u'-' && mark != u'*' && mark != u'_')
        return false;
    int count = 0;
    for (const QChar c : rest) {
        if (c == mark)
            ++count;
        else if (!isBlank(c))
            return false;
    }
    return count >= 3;
}

int headingLevel(QStringView rest)
{
    int level = 0;
    while (level < rest.size() && rest[level] == u'#')
        ++level;
    const bool ends = level == rest.size() || isBlank(rest[level]);
    return level >= 1 && level <= 6 && ends ? level : 0;
}

int underlineLevel(QStringView rest)
{
    const QStringView marks = rest.trimmed();
    if (marks.isEmpty() || (marks.front() != u'=' && marks.front() != u'-'))
        return 0;
    const QChar mark = marks.front();
    if (!std::all_of(marks.begin(), marks.end(), [mark](QChar c) { return c == mark; }))
        return 0;
    return mark == u'=' ? 1 : 2;
}

bool isMarksOnly(QStringView text, QStringView marks)
{
    return std::all_of(text.begin(), text.end(), [marks](QChar c) { return marks.contains(c); });
}

std::vector<MarkdownBlock::Align> separator(QStringView rest, bool partial)
{
    using Align = MarkdownBlock::Align;
    if (!rest.contains(u'-') || !isMarksOnly(rest, u"|-: \t"))
        return {};
    if (!rest.contains(u'|'))
        return {};
    std::vector<Align> columns;
    const auto cells = markdownCells(rest);
    for (const auto &[begin, end] : cells) {
        const QStringView cell = rest.mid(begin, end - begin);
        const bool left = cell.startsWith(u':');
        const bool right = cell.size() > 1 && cell.endsWith(u':');
        const QStringView dashes = cell.mid(left ? 1 : 0, cell.size() - (left ? 1 : 0) - (right ? 1 : 0));
        const bool last = columns.size() + 1 == static_cast<size_t>(cells.size());
        if (!isMarksOnly(dashes, u"-") || (dashes.isEmpty() && !(partial && last)))
            return {};
        columns.push_back(left && right ? Align::Center
                              : left    ? Align::Left
                              : right   ? Align::Right
                                        : Align::None);
    }
    return columns;
}

} // namespace Pilothouse::MarkdownLines
