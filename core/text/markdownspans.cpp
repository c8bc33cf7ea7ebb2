// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// Code, links, pictures and emphasis in a text.

#include "text/inerttext.h"
#include "text/markdowninlineparser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Style = MarkdownInline::Style;

namespace {

constexpr int MostRounds = 32; // Parentheses in each other in an address, as CommonMark's own readers take.
constexpr qsizetype LongestShownTarget = 200; // Of one that is no link.
constexpr qsizetype LongestWords = 300; // Of an image.
constexpr qsizetype LongestDataTarget = 64; // Kept of a data: address: its type.

bool isPunctuation(QChar c) { return c.isPunct() || c.isSymbol(); }

bool isAddressEnd(QChar c) { return c.isSpace() || c == u'<' || c == u'>' || c == u'"' || c == u'`'; }

} // namespace

bool MarkdownInlineParser::isEscapable(QChar c)
{
    const char16_t u = c.unicode();
    return (u >= 0x21 && u <= 0x2F) || (u >= 0x3A && u <= 0x40) || (u >= 0x5B && u <= 0x60)
        || (u >= 0x7B && u <= 0x7E);
}

qsizetype MarkdownInlineParser::code(qsizetype at)
{
    qsizetype length = 0;
    while (at + length < m_text.size() && m_text[at + length] == u'`')
        ++length;
    const qsizetype inside = at + length;
    if (length > LongestRun || m_noClose[static_cast<size_t>(length)])
        return inside;
    for (qsizetype i = inside; i < m_text.size();) {
        if (m_text[i] != u'`') {
            ++i;
            continue;
        }
        qsizetype run = 0;
        while (i + run < m_text.size() && m_text[i + run] == u'`')
            ++run;
        if (run != length) {
            i += run;
            continue;
        }
        hide(at, inside);
        hide(i, i + run);
        qsizetype from = inside;
        qsizetype to = i;
        const QStringView words = m_text.mid(from, to - from);
        // One space on each side belongs to the marks.
        if (words.size() > 2 && words.front().isSpace() && words.back().isSpace()
            && !words.trimmed().isEmpty()) {
            hide(from, from + 1);
            hide(to - 1, to);
            ++from;
            --to;
        }
        style(from, to, Style::Code);
        for (qsizetype j = from; j < to; ++j) {
            if (m_text[j] == u'\n' && !m_options.keepLineBreaks)
                replace(j, 1, u" "_s);
            else if (m_options.inTable && m_text[j] == u'\\' && j + 1 < to && m_text[j + 1] == u'|')
                hide(j, j + 1);
        }
        return i + run;
    }
    m_noClose[static_cast<size_t>(length)] = true;
    return inside;
}

qsizetype MarkdownInlineParser::angle(qsizetype at)
{
    const QStringView rest = m_text.mid(at + 1, LongestTarget);
    const qsizetype end = rest.indexOf(u'>');
    if (end <= 0)
        return at + 1;
    const QStringView target = rest.left(end);
    const bool isMail = !target.contains(u':') && target.contains(u'@');
    const QString whole = isMail ? QString(u"mailto:"_s + target) : target.toString();
    if (!isOpenableTarget(whole))
        return at + 1;
    hide(at, at + 1);
    hide(at + 1 + end, at + 2 + end);
    m_out.targets.append(whole);
    style(at + 1, at + 1 + end, Style::Link, static_cast<int>(m_out.targets.size()) - 1);
    return at + 2 + end;
}

// An address that stands in the text.
qsizetype MarkdownInlineParser::address(qsizetype at)
{
    const QStringView rest = m_text.mid(at, LongestTarget);
    if (!rest.startsWith(u"http://") && !rest.startsWith(u"https://"))
        return 0;
    if (at > 0 && m_text[at - 1].isLetterOrNumber())
        return 0;
    qsizetype length = 0;
    int round = 0;
    while (length < rest.size() && !isAddressEnd(rest[length]) && rest[length] != u'|') {
        round += rest[length] == u'(' ? 1 : 0;
        if (rest[length] == u')' && --round < 0)
            break;
        if (rest[length] == u'*' || rest[length] == u']')
            break;
        ++length;
    }
    while (length > 0 && QStringView(u".,;:!?'").contains(rest[length - 1]))
        --length;
    const QStringView target = rest.left(length);
    if (!isOpenableTarget(target))
        return 0;
    m_out.targets.append(target.toString());
    style(at, at + length, Style::Link, static_cast<int>(m_out.targets.size()) - 1);
    return at + length;
}

qsizetype MarkdownInlineParser::delimiterRun(qsizetype at)
{
    const QChar mark = m_text[at];
    qsizetype end = at;
    while (end < m_text.size() && m_text[end] == mark)
        ++end;
    const QChar before = at > 0 ? m_text[at - 1] : QChar(u' ');
    const QChar after = end < m_text.size() ? m_text[end] : QChar(u' ');
    const bool left =
        !after.isSpace() && (!isPunctuation(after) || before.isSpace() || isPunctuation(before));
    const bool right =
        !before.isSpace() && (!isPunctuation(before) || after.isSpace() || isPunctuation(after));
    Delimiter delimiter{mark.unicode(), at, end - at, left, right};
    if (mark == u'_') {
        delimiter.opens = left && (!right || isPunctuation(before));
        delimiter.closes = right && (!left || isPunctuation(after));
    }
    if (mark != u'~' || delimiter.count <= 2)
        m_delimiters.push_back(delimiter);
    return end;
}

// Pairs marks from `from` on, innermost first.
void MarkdownInlineParser::emphasis(size_t from)
{
    // For each kind of closer: no opener stands before this one.
    std::array<size_t, 16> bottoms{};
    bottoms.fill(from);
    std::vector<size_t> stack; // Openers that still have marks.
    for (size_t c = from; c < m_delimiters.size(); ++c) {
        Delimiter &closer = m_delimiters[c];
        if (closer.removed)
            continue;
        while (closer.closes && closer.count > 0) {
            const size_t kind = (closer.mark == u'*'       ? 0U
                                     : closer.mark == u'_' ? 3U
                                                           : 6U)
                + static_cast<size_t>(closer.count % 3) + (closer.opens ? 8U : 0U);
            size_t found = stack.size();
            for (size_t i = stack.size(); i > 0 && stack[i - 1] >= bottoms[kind % 16]; --i) {
                const Delimiter &opener = m_delimiters[stack[i - 1]];
                if (opener.mark != closer.mark)
                    continue;
                if (closer.mark == u'~') {
                    if (opener.count != closer.count)
                        continue;
                } else if ((opener.closes || closer.opens) && (opener.count + closer.count) % 3 == 0
                           && (opener.count % 3 != 0 || closer.count % 3 != 0)) {
                    continue;
                }
                found = i - 1;
                break;
            }
            if (found == stack.size()) {
                bottoms[kind % 16] = c;
                break;
            }
            Delimiter &opener = m_delimiters[stack[found]];
            const qsizetype used =
                closer.mark == u'~' ? closer.count : (opener.count >= 2 && closer.count >= 2 ? 2 : 1);
            const qsizetype begin = opener.at + opener.count - used;
            hide(begin, begin + used);
            hide(closer.at, closer.at + used);
            qint16 Cell::*what = closer.mark == u'~' ? &Cell::strike
                : used == 2                          ? &Cell::bold
                                                     : &Cell::italic;
            ++(cell(begin).*what);
            --(cell(closer.at).*what);
            opener.count -= used;
            closer.count -= used;
            closer.at += used;
            stack.resize(opener.count > 0 ? found + 1 : found);
        }
        if (closer.count > 0 && closer.opens)
            stack.push_back(c);
    }
    m_delimiters.resize(from);
}

// "(target "title")" at `at`: where it ends, or -1.
qsizetype MarkdownInlineParser::targetEnd(qsizetype at, qsizetype *begin, qsizetype *end) const
{
    const auto space = [this](qsizetype i) {
        while (i < m_text.size() && m_text[i].isSpace())
            ++i;
        return i;
    };
    qsizetype i = space(at + 1);
    if (i < m_text.size() && m_text[i] == u'<') {
        *begin = i + 1;
        while (i < m_text.size() && m_text[i] != u'>' && m_text[i] != u'\n') {
            if (i - at > LongestTarget)
                return -1;
            ++i;
        }
        if (i >= m_text.size() || m_text[i] != u'>')
            return -1;
        *end = i++;
    } else {
        *begin = i;
        int round = 0;
        while (i < m_text.size() && !m_text[i].isSpace()) {
            if (m_text[i] == u'\\' && i + 1 < m_text.size())
                ++i;
            else if (m_text[i] == u'(' && ++round > MostRounds)
                return -1;
            else if (m_text[i] == u')' && --round < 0)
                break;
            if (i - at > LongestTarget)
                return -1;
            ++i;
        }
        *end = std::min(i, m_text.size());
    }
    i = space(i);
    if (i < m_text.size() && (m_text[i] == u'"' || m_text[i] == u'\'')) {
        const QChar quote = m_text[i];
        const qsizetype close = m_text.mid(i + 1, LongestTarget).indexOf(quote);
        if (close < 0)
            return -1;
        i = space(i + close + 2);
    }
    return i < m_text.size() && m_text[i] == u')' ? i + 1 : -1;
}

qsizetype MarkdownInlineParser::bracketEnd(qsizetype at)
{
    if (m_brackets.empty())
        return at + 1;
    const Bracket bracket = m_brackets.back();
    m_brackets.pop_back();
    qsizetype begin = 0;
    qsizetype end = 0;
    if (at + 1 >= m_text.size() || m_text[at + 1] != u'(')
        return at + 1;
    const qsizetype after = targetEnd(at + 1, &begin, &end);
    if (after < 0)
        return at + 1;
    const qsizetype words = bracket.at + (bracket.image ? 2 : 1);
    QString target;
    for (qsizetype i = begin; i < end; ++i) {
        if (m_text[i] != u'\\' || i + 1 >= end || !isEscapable(m_text[i + 1]))
            target += m_text[i];
    }
    emphasis(bracket.delimiters);
    if (bracket.image) {
        MarkdownInline::Image image;
        const bool isData = target.startsWith(u"data:"_s, Qt::CaseInsensitive);
        image.target = inertText(QStringView(target).left(isData ? LongestDataTarget : LongestTarget));
        image.words = inertLine(m_text.mid(words, at - words), LongestWords);
        image.source = bracket.at;
        image.sourceEnd = after;
        m_out.images.append(image);
        QString shown = image.words.isEmpty() ? u"image"_s : image.words;
        replace(bracket.at, after - bracket.at, shown);
        cell(bracket.at).styles = static_cast<quint8>(Style::Image);
        cell(bracket.at).target = static_cast<int>(m_out.images.size()) - 1;
        // Nothing inside is shown by itself any more.
        for (qsizetype i = bracket.at + 1; i < after; ++i)
            cell(i).replaced = false;
        return after;
    }
    hide(bracket.at, words);
    if (isOpenableTarget(target)) {
        hide(at, after);
        m_out.targets.append(target);
        style(words, at, Style::Link, static_cast<int>(m_out.targets.size()) - 1);
    } else {
        // Nothing opens it: it must not look as if. A person may want to know where it would have led.
        const bool isData = target.startsWith(u"data:"_s, Qt::CaseInsensitive);
        const QString shown =
            inertText(QStringView(target).left(isData ? LongestDataTarget : LongestShownTarget));
        const bool isTold = !shown.isEmpty() && m_text.mid(words, at - words) != target;
        if (isTold)
            replace(at, after - at, QString(u" ("_s + shown + u')'));
        else
            hide(at, after);
        for (qsizetype i = at + 1; i < after; ++i)
            cell(i).replaced = false;
    }
    for (Bracket &outer : m_brackets) { // A link holds no link.
        if (!outer.image)
            outer.at = -1;
    }
    m_brackets.erase(std::remove_if(m_brackets.begin(), m_brackets.end(),
                                    [](const Bracket &outer) { return outer.at < 0; }),
                     m_brackets.end());
    return after;
}

} // namespace Pilothouse
