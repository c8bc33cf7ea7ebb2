// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/markdowninline.h"

#include "text/inerttext.h"
#include "text/markdowninlineparser.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Style = MarkdownInline::Style;
using Styles = MarkdownInline::Styles;

namespace {

constexpr qsizetype LongestEntity = 10;

// What an entity at the begin of `rest` stands for, and its length; 0: none.
std::pair<QString, qsizetype> entity(QStringView rest)
{
    static constexpr std::array<std::pair<QStringView, char16_t>, 7> Named{{{u"&amp;", u'&'},
                                                                            {u"&lt;", u'<'},
                                                                            {u"&gt;", u'>'},
                                                                            {u"&quot;", u'"'},
                                                                            {u"&#39;", u'\''},
                                                                            {u"&apos;", u'\''},
                                                                            {u"&nbsp;", u'\u00A0'}}};
    for (const auto &[name, c] : Named) {
        if (rest.startsWith(name))
            return {QString(QChar(c)), name.size()};
    }
    if (!rest.startsWith(u"&#"))
        return {};
    const qsizetype end = rest.left(LongestEntity).indexOf(u';');
    if (end < 3)
        return {};
    const bool isHex = rest[2] == u'x' || rest[2] == u'X';
    bool isNumber = false;
    const uint code = rest.mid(isHex ? 3 : 2, end - (isHex ? 3 : 2)).toUInt(&isNumber, isHex ? 16 : 10);
    if (!isNumber || code == 0 || code > 0x10FFFF)
        return {};
    return {QString::fromUcs4(reinterpret_cast<const char32_t *>(&code), 1), end + 1};
}

} // namespace

void MarkdownInlineParser::hide(qsizetype from, qsizetype to)
{
    for (qsizetype i = from; i < to; ++i)
        cell(i).hidden = true;
}

void MarkdownInlineParser::replace(qsizetype at, qsizetype length, QString shown)
{
    hide(at, at + length);
    cell(at).replaced = true;
    m_replacements.push_back({at, length, std::move(shown)});
}

void MarkdownInlineParser::style(qsizetype from, qsizetype to, Style style, int target)
{
    for (qsizetype i = from; i < to; ++i) {
        cell(i).styles |= static_cast<quint8>(style);
        if (target >= 0)
            cell(i).target = target;
    }
}

qsizetype MarkdownInlineParser::lineBreak(qsizetype at)
{
    qsizetype spaces = at;
    while (spaces > 0 && m_text[spaces - 1] == u' ')
        --spaces;
    const bool hard = m_options.keepLineBreaks || at - spaces >= 2;
    if (hard || spaces < at)
        hide(spaces, at);
    replace(at, 1, hard ? QString(QChar(QChar::LineSeparator)) : u" "_s);
    return at + 1;
}

MarkdownInline MarkdownInlineParser::parse()
{
    for (qsizetype i = 0; i < m_text.size();) {
        const QChar c = m_text[i];
        switch (c.unicode()) {
        case u'\\':
            if (i + 1 < m_text.size() && m_text[i + 1] == u'\n' && m_options.marks) {
                hide(i, i + 1);
                replace(i + 1, 1, QString(QChar(QChar::LineSeparator)));
                i += 2;
            } else if (i + 1 < m_text.size() && isEscapable(m_text[i + 1]) && m_options.marks) {
                hide(i, i + 1);
                i += 2;
            } else {
                ++i;
            }
            continue;
        case u'`':
            i = code(i);
            continue;
        case u'\n':
            i = lineBreak(i);
            continue;
        case u'h': {
            const qsizetype end = address(i);
            i = end > 0 ? end : i + 1;
            continue;
        }
        default:
            break;
        }
        if (!m_options.marks) {
            ++i;
            continue;
        }
        switch (c.unicode()) {
        case u'<':
            i = angle(i);
            continue;
        case u'&': {
            auto [shown, length] = entity(m_text.mid(i));
            if (length > 0)
                replace(i, length, shown);
            i += std::max<qsizetype>(1, length);
            continue;
        }
        case u'*':
        case u'_':
        case u'~':
            i = delimiterRun(i);
            continue;
        case u'!':
            if (i + 1 < m_text.size() && m_text[i + 1] == u'[') {
                m_brackets.push_back({i, true, m_delimiters.size()});
                i += 2;
            } else {
                ++i;
            }
            continue;
        case u'[':
            m_brackets.push_back({i, false, m_delimiters.size()});
            ++i;
            continue;
        case u']':
            i = bracketEnd(i);
            continue;
        default:
            ++i;
        }
    }
    emphasis(0);
    return result();
}

MarkdownInline MarkdownInlineParser::result()
{
    std::sort(m_replacements.begin(), m_replacements.end(),
              [](const Replacement &a, const Replacement &b) { return a.at < b.at; });
    size_t replacement = 0;
    int bold = 0;
    int italic = 0;
    int strike = 0;
    QString &shown = m_out.text;
    shown.reserve(m_text.size());
    const auto put = [&](QStringView words, qsizetype source, qsizetype length, Styles styles, int target) {
        const bool isPlain = words.size() == length;
        if (!m_out.runs.isEmpty()) {
            MarkdownInline::Run &last = m_out.runs.last();
            if (isPlain && last.length == last.sourceLength && last.styles == styles && last.target == target
                && last.source + last.sourceLength == source) {
                last.length += words.size();
                last.sourceLength += length;
                shown += words;
                return;
            }
        }
        m_out.runs.append({shown.size(), words.size(), source, length, styles, target});
        shown += words;
    };
    for (qsizetype i = 0; i < m_text.size(); ++i) {
        const Cell &now = cell(i);
        bold += now.bold;
        italic += now.italic;
        strike += now.strike;
        while (replacement < m_replacements.size() && m_replacements[replacement].at < i)
            ++replacement;
        Styles styles = Styles(now.styles);
        styles.setFlag(Style::Bold, bold > 0);
        styles.setFlag(Style::Italic, italic > 0);
        styles.setFlag(Style::Strike, strike > 0);
        if (now.replaced && replacement < m_replacements.size() && m_replacements[replacement].at == i) {
            const Replacement &instead = m_replacements[replacement];
            const bool isBreak = instead.shown.size() == 1 && instead.shown.front() == QChar::LineSeparator;
            const QString inert = isBreak ? instead.shown : inertText(instead.shown);
            put(inert, i, instead.length, styles, now.target);
            continue;
        }
        if (now.hidden)
            continue;
        char32_t c = m_text[i].unicode();
        qsizetype length = 1;
        if (m_text[i].isHighSurrogate() && i + 1 < m_text.size() && m_text[i + 1].isLowSurrogate()) {
            c = QChar::surrogateToUcs4(m_text[i], m_text[i + 1]);
            length = 2;
        }
        if (isUnsafeToShow(c)) {
            styles.setFlag(Style::Written);
            put(inertText(m_text.mid(i, length)), i, length, styles, now.target);
        } else if (c == U'\n') {
            put(QString(QChar(QChar::LineSeparator)), i, 1, styles, now.target);
        } else {
            put(m_text.mid(i, length), i, length, styles, now.target);
        }
        i += length - 1;
    }
    return std::move(m_out);
}

qsizetype MarkdownInline::toSource(qsizetype at) const
{
    if (runs.isEmpty())
        return 0;
    const auto after = std::upper_bound(runs.cbegin(), runs.cend(), at,
                                        [](qsizetype place, const Run &run) { return place < run.at; });
    const Run &run = after == runs.cbegin() ? runs.first() : *std::prev(after);
    const qsizetype inside = std::clamp<qsizetype>(at - run.at, 0, run.length);
    if (run.length == run.sourceLength)
        return run.source + inside;
    return inside >= run.length ? run.source + run.sourceLength : run.source;
}

qsizetype MarkdownInline::fromSource(qsizetype source) const
{
    if (runs.isEmpty())
        return 0;
    const auto after = std::upper_bound(runs.cbegin(), runs.cend(), source,
                                        [](qsizetype place, const Run &run) { return place < run.source; });
    if (after == runs.cbegin())
        return 0;
    const Run &run = *std::prev(after);
    const qsizetype inside = source - run.source;
    if (run.length == run.sourceLength)
        return run.at + std::min(inside, run.length);
    return inside >= run.sourceLength ? run.at + run.length : run.at;
}

MarkdownInline parseMarkdownInline(QStringView text, const MarkdownInlineOptions &options)
{
    return MarkdownInlineParser(text, options).parse();
}

MarkdownInline plainInline(QStringView text)
{
    MarkdownInline out;
    qsizetype from = 0;
    const auto flush = [&](qsizetype to) {
        if (to > from) {
            out.runs.append({out.text.size(), to - from, from, to - from, {}, -1});
            out.text += text.mid(from, to - from);
        }
    };
    for (qsizetype i = 0; i < text.size();) {
        char32_t c = text[i].unicode();
        qsizetype length = 1;
        if (text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
            c = QChar::surrogateToUcs4(text[i], text[i + 1]);
            length = 2;
        }
        if (isUnsafeToShow(c)) {
            flush(i);
            const QString written = inertText(text.mid(i, length));
            out.runs.append({out.text.size(), written.size(), i, length, Style::Written, -1});
            out.text += written;
            from = i + length;
        }
        i += length;
    }
    flush(text.size());
    return out;
}

bool isOpenableTarget(QStringView target)
{
    const bool isWeb = target.startsWith(u"http://", Qt::CaseInsensitive)
        || target.startsWith(u"https://", Qt::CaseInsensitive);
    const bool isMail = target.startsWith(u"mailto:", Qt::CaseInsensitive);
    if ((!isWeb && !isMail) || target.size() > MarkdownInlineParser::LongestTarget)
        return false;
    if (target.size() <= target.indexOf(u':') + (isWeb ? 3 : 1))
        return false;
    return std::all_of(target.begin(), target.end(), [](QChar c) {
        return !c.isSpace() && (c.isSurrogate() || !isUnsafeToShow(c.unicode())) && c != u'"' && c != u'<'
            && c != u'>';
    });
}

} // namespace Pilothouse
