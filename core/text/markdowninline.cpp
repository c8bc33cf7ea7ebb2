// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/markdowninline.h"

#include "text/inerttext.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Style = MarkdownInline::Style;
using Styles = MarkdownInline::Styles;

namespace {

constexpr qsizetype LongestTarget = 4096; // A longer address is nobody's link.
constexpr qsizetype LongestWords = 300; // Of an image.
constexpr qsizetype LongestShownTarget = 200; // Of one that is no link.
constexpr qsizetype LongestDataTarget = 64; // Kept of a data: address: its type.
constexpr qsizetype LongestRun = 64; // Of equal backticks that can open code; more are text.
constexpr qsizetype LongestEntity = 10;

bool isPunctuation(QChar c) { return c.isPunct() || c.isSymbol(); }

bool isEscapable(QChar c)
{
    const char16_t u = c.unicode();
    return (u >= 0x21 && u <= 0x2F) || (u >= 0x3A && u <= 0x40) || (u >= 0x5B && u <= 0x60)
        || (u >= 0x7B && u <= 0x7E);
}

bool isAddressEnd(QChar c) { return c.isSpace() || c == u'<' || c == u'>' || c == u'"' || c == u'`'; }

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

/// One character array per question, so that everything stays linear.
class Parser {
public:
    Parser(QStringView text, const MarkdownInlineOptions &options)
        : m_text(text)
        , m_options(options)
        , m_cells(static_cast<size_t>(text.size()))
    { }
    MarkdownInline parse();

private:
    struct Cell {
        quint8 styles = 0; // Code, Link, Image; the others come from the marks below.
        bool hidden = false;
        bool replaced = false; // m_replacements has what is shown instead of it.
        qint16 bold = 0; // Begins and ends of emphasis: differences.
        qint16 italic = 0;
        qint16 strike = 0;
        int target = -1;
    };
    struct Replacement {
        qsizetype at;
        qsizetype length; // Of the source.
        QString shown;
    };
    struct Delimiter {
        char16_t mark;
        qsizetype at;
        qsizetype count;
        bool opens;
        bool closes;
        bool removed = false;
    };
    struct Bracket {
        qsizetype at;
        bool image;
        size_t delimiters; // That stood before it.
    };

    Cell &cell(qsizetype at) { return m_cells[static_cast<size_t>(at)]; }
    void hide(qsizetype from, qsizetype to);
    void replace(qsizetype at, qsizetype length, QString shown);
    void style(qsizetype from, qsizetype to, Style style, int target = -1);
    qsizetype code(qsizetype at);
    qsizetype angle(qsizetype at);
    qsizetype address(qsizetype at);
    qsizetype delimiterRun(qsizetype at);
    qsizetype bracketEnd(qsizetype at);
    qsizetype lineBreak(qsizetype at);
    void emphasis(size_t from);
    [[nodiscard]] qsizetype targetEnd(qsizetype at, qsizetype *begin, qsizetype *end) const;
    MarkdownInline result();

    QStringView m_text;
    MarkdownInlineOptions m_options;
    std::vector<Cell> m_cells;
    std::vector<Replacement> m_replacements;
    std::vector<Delimiter> m_delimiters;
    std::vector<Bracket> m_brackets;
    std::array<bool, LongestRun + 1> m_noClose{}; // No run of this length stands further on.
    MarkdownInline m_out;
};

void Parser::hide(qsizetype from, qsizetype to)
{
    for (qsizetype i = from; i < to; ++i)
        cell(i).hidden = true;
}

void Parser::replace(qsizetype at, qsizetype length, QString shown)
{
    hide(at, at + length);
    cell(at).replaced = true;
    m_replacements.push_back({at, length, std::move(shown)});
}

void Parser::style(qsizetype from, qsizetype to, Style style, int target)
{
    for (qsizetype i = from; i < to; ++i) {
        cell(i).styles |= static_cast<quint8>(style);
        if (target >= 0)
            cell(i).target = target;
    }
}

qsizetype Parser::code(qsizetype at)
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

qsizetype Parser::angle(qsizetype at)
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
qsizetype Parser::address(qsizetype at)
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

qsizetype Parser::delimiterRun(qsizetype at)
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
void Parser::emphasis(size_t from)
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
qsizetype Parser::targetEnd(qsizetype at, qsizetype *begin, qsizetype *end) const
{
    const auto space = [this](qsizetype i) {
        while (i < m_text.size() && m_text[i].isSpace())
            ++i;
        return i;
    };
    qsizetype i = space(at + 1);
    if (i < m_text.size() && m_text[i] == u'<') {
        *begin = i + 1;
        while (i < m_text.size() && m_text[i] != u'>' && m_text[i] != u'\n')
            ++i;
        if (i >= m_text.size() || m_text[i] != u'>')
            return -1;
        *end = i++;
    } else {
        *begin = i;
        int round = 0;
        while (i < m_text.size() && !m_text[i].isSpace()) {
            if (m_text[i] == u'\\' && i + 1 < m_text.size())
                ++i;
            else if (m_text[i] == u'(')
                ++round;
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

qsizetype Parser::bracketEnd(qsizetype at)
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

qsizetype Parser::lineBreak(qsizetype at)
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

MarkdownInline Parser::parse()
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

MarkdownInline Parser::result()
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

} // namespace

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
    return Parser(text, options).parse();
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
    if ((!isWeb && !isMail) || target.size() > LongestTarget)
        return false;
    if (target.size() <= target.indexOf(u':') + (isWeb ? 3 : 1))
        return false;
    return std::all_of(target.begin(), target.end(), [](QChar c) {
        return !c.isSpace() && (c.isSurrogate() || !isUnsafeToShow(c.unicode())) && c != u'"' && c != u'<'
            && c != u'>';
    });
}

} // namespace Pilothouse
