// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/markdownwriter.h"

#include "text/inerttext.h"
#include "text/markdowninline.h"

#include <QList>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Kind = MarkdownBlock::Kind;
using Container = MarkdownBlock::Container;
using Style = MarkdownInline::Style;

namespace {

constexpr int LowestHeading = 6;
constexpr qsizetype MostParsed = 64 * 1024; // A longer paragraph is nobody's prose; it is fenced.
constexpr qsizetype LongestLanguage = 30;
constexpr qsizetype MostTarget = 300; // Shown of a picture that is not linked.

qsizetype longestRun(QStringView text, QChar mark)
{
    qsizetype longest = 0;
    qsizetype run = 0;
    for (const QChar c : text) {
        run = c == mark ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

// Text whose characters mean nothing but themselves, wherever in a line it stands; only its begin needs more.
QString escaped(QStringView text, bool inTable)
{
    static constexpr QStringView Marks = u"\\`*[]<>~";
    QString out;
    out.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const QChar before = i > 0 ? text[i - 1] : QChar(u' ');
        const QChar after = i + 1 < text.size() ? text[i + 1] : QChar(u' ');
        const bool isWordInside = before.isLetterOrNumber() && after.isLetterOrNumber();
        const bool isEntity = c == u'&' && (after == u'#' || after.isLetter());
        if (Marks.contains(c) || (c == u'_' && !isWordInside) || isEntity || (c == u'|' && inTable)
            || (c == u'$' && after != u' ')) // Some viewers read formulas.
            out += u'\\';
        if (c == QChar::LineSeparator || c == u'\n' || c == u'\r')
            out += u' '; // Never a line of its own.
        else
            out += c;
    }
    return out;
}

// What would make a line something else than text.
QString escapedBegin(QString line)
{
    qsizetype begin = 0;
    while (begin < line.size() && line[begin].isSpace())
        ++begin;
    line.remove(0, begin); // Four blanks would be code.
    if (line.isEmpty())
        return line;
    if (QStringView(u"#+-=|:").contains(line[0])) {
        line.prepend(u'\\');
        return line;
    }
    qsizetype digits = 0;
    while (digits < line.size() && line[digits].isDigit())
        ++digits;
    if (digits > 0 && digits < line.size() && (line[digits] == u'.' || line[digits] == u')'))
        line.insert(digits, u'\\');
    return line;
}

QString codeSpan(QStringView code, bool inTable)
{
    QString inside = code.toString();
    inside.replace(QChar(QChar::LineSeparator), u' ');
    if (inTable)
        inside.replace(u'|', u"\\|"_s);
    const QString fence(longestRun(inside, u'`') + 1, u'`');
    const bool isPadded = inside.startsWith(u'`') || inside.endsWith(u'`')
        || (inside.startsWith(u' ') && inside.endsWith(u' ') && !QStringView(inside).trimmed().isEmpty());
    const QString pad = isPadded ? u" "_s : QString();
    return fence + pad + inside + pad + fence;
}

/// Writes one parsed text with its styles. Line breaks are U+2028.
class InlineWriter {
public:
    InlineWriter(const MarkdownInline &text, bool inTable)
        : m_text(text)
        , m_inTable(inTable)
    { }

    QString write()
    {
        for (qsizetype i = 0; i < m_text.runs.size(); ++i) {
            MarkdownInline::Run whole = m_text.runs[i];
            const qsizetype first = i;
            // Code that is parted only by a mark that is not shown is one.
            while (whole.styles.testFlag(Style::Code) && i + 1 < m_text.runs.size()
                   && m_text.runs[i + 1].styles == whole.styles && m_text.runs[i + 1].target == whole.target)
                whole.length += m_text.runs[++i].length;
            run(whole, first);
        }
        set({}, -1);
        return std::move(m_out);
    }

private:
    struct Mark {
        Style style;
        QStringView mark;
    };
    // Outermost first.
    static constexpr Mark Marks[] = {{Style::Bold, u"**"}, {Style::Italic, u"*"}, {Style::Strike, u"~~"}};

    void run(const MarkdownInline::Run &run, qsizetype index)
    {
        QStringView words = QStringView(m_text.text).mid(run.at, run.length);
        if (run.styles.testFlag(Style::Image)) {
            set({}, -1);
            image(words, m_text.images.value(run.target));
            return;
        }
        const bool isLink =
            run.styles.testFlag(Style::Link) && isOpenableTarget(m_text.targets.value(run.target));
        if (isLink && words == m_text.targets.value(run.target) && isWholeLink(index)
            && !words.contains(u'\\') && !words.contains(u'&') && !(m_inTable && words.contains(u'|'))) {
            set(run.styles & ~MarkdownInline::Styles(Style::Link), -1);
            m_out += QString(u'<' + words + u'>');
            return;
        }
        // Blanks at the ends of emphasis would keep its marks from being read.
        const bool isStyled = run.styles.testAnyFlags(Style::Bold | Style::Italic | Style::Strike);
        const bool isAlone = isStyled && isEdge(index);
        qsizetype lead = 0;
        while (isAlone && lead < words.size() && words[lead].isSpace())
            ++lead;
        if (lead > 0 && m_open.isEmpty()) {
            m_out += escaped(words.left(lead), m_inTable);
            words = words.mid(lead);
        }
        set(run.styles, isLink ? run.target : -1);
        if (run.styles.testFlag(Style::Code))
            m_out += codeSpan(words, m_inTable);
        else
            text(words);
    }

    bool isEdge(qsizetype index) const
    {
        return index == 0 || m_text.runs[index - 1].styles != m_text.runs[index].styles;
    }

    [[nodiscard]] bool isWholeLink(qsizetype index) const
    {
        const auto isSame = [&](qsizetype other) {
            return other >= 0 && other < m_text.runs.size() && m_text.runs[other].styles.testFlag(Style::Link)
                && m_text.runs[other].target == m_text.runs[index].target;
        };
        return !isSame(index - 1) && !isSame(index + 1);
    }

    void text(QStringView words)
    {
        qsizetype from = 0;
        while (true) {
            const qsizetype at = words.indexOf(QChar(QChar::LineSeparator), from);
            m_out += escaped(words.mid(from, at < 0 ? -1 : at - from), m_inTable);
            if (at < 0)
                return;
            m_out += QChar(QChar::LineSeparator); // Becomes a line end when the block is written.
            from = at + 1;
        }
    }

    void image(QStringView words, const MarkdownInline::Image &image)
    {
        // Named, and never as one: a viewer would fetch it.
        const QString name = escaped(words, m_inTable);
        if (image.target.startsWith(u"data:"_s, Qt::CaseInsensitive)) {
            m_out += name + u" (picture in the text, not exported)"_s;
        } else if (isOpenableTarget(image.target)) {
            bracket();
            m_out += name + u"](<"_s + target(image.target) + u">) (picture)"_s;
        } else {
            m_out += name + u" (picture "_s + codeSpan(inertLine(image.target, MostTarget), m_inTable) + u')';
        }
    }

    // Opens a link; with the exclamation mark that may stand before it, it would be a picture.
    void bracket()
    {
        if (m_out.endsWith(u'!')) {
            m_out.chop(1);
            m_out += u"\\!"_s;
        }
        m_out += u'[';
    }

    [[nodiscard]] QString target(const QString &address) const
    {
        QString out = address;
        out.replace(u'\\', u"%5C"_s); // What a browser would make of it anyway.
        out.replace(u'&', u"&amp;"_s);
        if (m_inTable)
            out.replace(u'|', u"%7C"_s);
        return out;
    }

    void close()
    {
        // Blanks before a closing mark stand behind it.
        QString blanks;
        while (!m_open.isEmpty() && m_out.endsWith(u' ')) {
            m_out.chop(1);
            blanks += u' ';
        }
        for (qsizetype i = m_open.size(); i-- > 0;)
            m_out += m_open[i].mark;
        m_open.clear();
        m_out += blanks;
    }

    void set(MarkdownInline::Styles styles, int link)
    {
        QList<Mark> wanted;
        for (const Mark &mark : Marks) {
            if (styles.testFlag(mark.style))
                wanted.append(mark);
        }
        const bool isSame = link == m_link && wanted.size() == m_open.size()
            && std::equal(wanted.cbegin(), wanted.cend(), m_open.cbegin(),
                          [](const Mark &a, const Mark &b) { return a.style == b.style; });
        if (isSame)
            return;
        close();
        if (link != m_link) {
            if (m_link >= 0)
                m_out += u"](<"_s + target(m_text.targets.value(m_link)) + u">)"_s;
            if (link >= 0)
                bracket();
            m_link = link;
        }
        for (const Mark &mark : std::as_const(wanted))
            m_out += mark.mark;
        m_open = wanted;
    }

    const MarkdownInline &m_text;
    bool m_inTable;
    QString m_out;
    QList<Mark> m_open;
    int m_link = -1;
};

class Writer {
public:
    Writer(QStringView source, MarkdownBlocks::Dialect dialect, int headings)
        : m_source(source)
        , m_isPlain(dialect == MarkdownBlocks::Dialect::Plain)
        , m_headings(headings)
    { }

    QString write()
    {
        MarkdownBlocks scanner(m_isPlain ? MarkdownBlocks::Dialect::Plain
                                         : MarkdownBlocks::Dialect::Markdown);
        scanner.update(m_source, true);
        const MarkdownBlock *before = nullptr;
        for (const MarkdownBlock &block : scanner.blocks()) {
            begin(block, before);
            content(block);
            before = &block;
        }
        return std::move(m_out);
    }

private:
    // Blank line and prefixes. A block that begins an item has its mark in the first line only.
    void begin(const MarkdownBlock &block, const MarkdownBlock *before)
    {
        const bool beginsItem = block.bullet || block.number >= 0;
        size_t common = 0;
        if (before) {
            const size_t most = std::min(block.containers.size(), before->containers.size());
            while (common < most && block.containers[common] == before->containers[common])
                ++common;
            if (beginsItem && common == block.containers.size() && common > 0)
                --common; // The innermost item is another one.
        }
        m_widths.resize(block.containers.size(), 2);
        if (before) {
            const bool isTight = beginsItem && !block.blankBefore && !before->containers.empty();
            if (!isTight)
                line(prefix(block, common), {});
        }
        m_next.clear();
        m_first.clear();
        for (size_t i = 0; i < block.containers.size(); ++i) {
            const bool isQuote = block.containers[i] == Container::Quote;
            const bool isNew = beginsItem && i + 1 == block.containers.size();
            QString mark = isQuote ? u"> "_s : QString(m_widths[i], u' ');
            if (!isQuote && (isNew || i >= common)) {
                mark =
                    isNew && block.number >= 0 ? QString(QString::number(block.number) + u". "_s) : u"- "_s;
                m_widths[i] = static_cast<int>(mark.size());
                if (isNew && block.checked)
                    mark += *block.checked ? u"[x] "_s : u"[ ] "_s;
            }
            m_first += mark;
            m_next += isQuote ? u"> "_s : QString(m_widths[i], u' ');
        }
    }

    [[nodiscard]] QString prefix(const MarkdownBlock &block, size_t count) const
    {
        QString out;
        for (size_t i = 0; i < count; ++i)
            out += block.containers[i] == Container::Quote ? u"> "_s : QString(m_widths[i], u' ');
        return out;
    }

    void line(const QString &before, const QString &text)
    {
        QString whole = before + text;
        if (text.isEmpty()) {
            while (whole.endsWith(u' '))
                whole.chop(1);
        }
        m_out += whole + u'\n';
    }

    void put(const QString &text)
    {
        line(m_first, text);
        m_first = m_next;
    }

    [[nodiscard]] QString text(const MarkdownBlock &block) const
    {
        QString out;
        for (const MarkdownBlock::Line &part : block.lines) {
            if (!out.isEmpty())
                out += u'\n';
            out += m_source.mid(part.begin, part.end - part.begin);
        }
        return out;
    }

    void content(const MarkdownBlock &block)
    {
        switch (block.kind) {
        case Kind::Paragraph:
            paragraph(text(block));
            break;
        case Kind::Heading: {
            const int level = std::min(LowestHeading, block.level + m_headings);
            QString words = inlineText(text(block), false);
            words.replace(QChar(QChar::LineSeparator), u' ');
            if (words.endsWith(u'#'))
                words.insert(words.size() - 1, u'\\');
            put(QString(QString(level, u'#') + u' ' + words));
            break;
        }
        case Kind::Code:
            code(block);
            break;
        case Kind::Table:
            table(block);
            break;
        case Kind::Rule:
            put(u"***"_s);
            break;
        }
    }

    [[nodiscard]] QString inlineText(QStringView words, bool inTable) const
    {
        MarkdownInlineOptions options;
        options.keepLineBreaks = m_isPlain;
        options.marks = !m_isPlain;
        options.inTable = inTable;
        return InlineWriter(parseMarkdownInline(words, options), inTable).write();
    }

    void paragraph(const QString &words)
    {
        if (words.size() > MostParsed) {
            fence(inertText(words).split(u'\n'), {});
            return;
        }
        const QStringList lines = inlineText(words, false).split(QChar(QChar::LineSeparator));
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const QString shown = escapedBegin(lines[i]);
            // An empty line would end the paragraph, and its emphasis with it.
            if (shown.isEmpty() && lines.size() > 1)
                continue;
            put(i + 1 < lines.size() ? QString(shown + u'\\') : shown);
        }
    }

    void code(const MarkdownBlock &block)
    {
        QStringList lines;
        for (const MarkdownBlock::Line &part : block.lines)
            lines.append(QString(QString(part.pad, u' ')
                                 + inertText(m_source.mid(part.begin, part.end - part.begin))));
        fence(lines, block.language);
    }

    void fence(const QStringList &lines, QStringView language)
    {
        const QString whole = writeFence(lines.join(u'\n'), language);
        for (const QStringView part : QStringView(whole).chopped(1).split(u'\n'))
            put(part.toString());
    }

    void table(const MarkdownBlock &block)
    {
        for (size_t row = 0; row < block.lines.size(); ++row) {
            const MarkdownBlock::Line &part = block.lines[row];
            const QStringView source = m_source.mid(part.begin, part.end - part.begin);
            const auto cells = markdownCells(source);
            QString out = u"|"_s;
            for (size_t column = 0; column < block.columns.size(); ++column) {
                QString cell;
                if (column < static_cast<size_t>(cells.size())) {
                    const auto &[from, to] = cells[static_cast<qsizetype>(column)];
                    cell = to - from > MostParsed
                        ? escaped(inertLine(source.mid(from, to - from), MostParsed), true)
                        : inlineText(source.mid(from, to - from), true);
                    cell.replace(QChar(QChar::LineSeparator), u' ');
                }
                out += u' ' + cell + u" |"_s;
            }
            put(out);
            if (row == 0)
                put(rule(block.columns));
        }
    }

    static QString rule(const std::vector<MarkdownBlock::Align> &columns)
    {
        QString out = u"|"_s;
        for (const MarkdownBlock::Align align : columns) {
            switch (align) {
            case MarkdownBlock::Align::None:
                out += u" --- |"_s;
                break;
            case MarkdownBlock::Align::Left:
                out += u" :-- |"_s;
                break;
            case MarkdownBlock::Align::Center:
                out += u" :-: |"_s;
                break;
            case MarkdownBlock::Align::Right:
                out += u" --: |"_s;
                break;
            }
        }
        return out;
    }

    QStringView m_source;
    bool m_isPlain;
    int m_headings;
    QString m_out;
    QString m_first; ///< Before the next line of the block.
    QString m_next; ///< Before those after it.
    std::vector<int> m_widths; ///< Of items, by depth: what their other lines are indented by.
};

} // namespace

QString writeMarkdown(QStringView text, MarkdownBlocks::Dialect dialect, int headings)
{
    return Writer(text, dialect, headings).write();
}

QString writeMarkdownLine(QStringView text, qsizetype maxLength)
{
    QString line = escapedBegin(escaped(inertLine(text, maxLength), false));
    qsizetype marks = line.size();
    while (marks > 0 && line[marks - 1] == u'#')
        --marks;
    // Marks after a blank would be the end of a heading.
    if (marks < line.size() && marks > 0 && line[marks - 1].isSpace())
        line.insert(marks, u'\\');
    return line;
}

QString writeFence(QStringView text, QStringView language)
{
    const bool isPlain =
        language.size() <= LongestLanguage && std::all_of(language.begin(), language.end(), [](QChar c) {
            return (c.unicode() < 0x80 && c.isLetterOrNumber()) || QStringView(u"+-._#").contains(c);
        });
    const QString marks(std::max<qsizetype>(3, longestRun(text, u'`') + 1), u'`');
    QString out = marks + (isPlain ? language : QStringView()) + u'\n' + text;
    if (!text.isEmpty() && !text.endsWith(u'\n'))
        out += u'\n';
    return out + marks + u'\n';
}

} // namespace Pilothouse
