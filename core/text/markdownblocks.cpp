// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/markdownblocks.h"

#include "text/markdownlines.h"

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace MarkdownLines;
using Kind = MarkdownBlock::Kind;
using Container = MarkdownBlock::Container;

namespace {

constexpr int TabStop = 4;
constexpr qsizetype LongestInfoLanguage = 32;

} // namespace

// A place in a line: columns count tabs, and a tab may be taken in part.
class MarkdownBlocks::Cursor {
public:
    Cursor(QStringView text, qsizetype lineBegin, qsizetype lineEnd)
        : begin(lineBegin)
        , end(lineEnd)
        , m_text(text)
        , m_at(lineBegin)
    { }
    [[nodiscard]] qsizetype at() const { return m_at; }
    [[nodiscard]] QStringView rest() const { return m_text.mid(m_at, end - m_at); }
    [[nodiscard]] QStringView source() const { return m_text; }
    /// Columns of white space here.
    [[nodiscard]] int indent() const
    {
        int columns = m_left;
        int column = m_column + m_left;
        for (qsizetype i = m_at; i < end && isBlank(m_text[i]); ++i) {
            const int width = m_text[i] == u'\t' ? TabStop - column % TabStop : 1;
            columns += width;
            column += width;
        }
        return columns;
    }
    [[nodiscard]] bool isEmpty() const
    {
        for (qsizetype i = m_at; i < end; ++i) {
            if (!isBlank(m_text[i]))
                return false;
        }
        return true;
    }
    void skip(int columns)
    {
        while (columns > 0) {
            if (m_left > 0) {
                const int taken = std::min(columns, m_left);
                m_left -= taken;
                m_column += taken;
                columns -= taken;
            } else if (m_at < end && m_text[m_at] == u'\t') {
                m_left = TabStop - m_column % TabStop;
                ++m_at;
            } else if (m_at < end && m_text[m_at] == u' ') {
                ++m_at;
                ++m_column;
                --columns;
            } else {
                return;
            }
        }
    }
    void skipBlanks() { skip(indent()); }
    void take(qsizetype length) // Of what is no white space.
    {
        m_at += length;
        m_column += static_cast<int>(length);
    }
    [[nodiscard]] MarkdownBlock::Line lineFromHere() const { return {m_at, end, m_left}; }

    qsizetype begin;
    qsizetype end;

private:
    QStringView m_text;
    qsizetype m_at;
    int m_column = 0;
    int m_left = 0; // Columns of a tab that was passed in part.
};

QList<std::pair<qsizetype, qsizetype>> markdownCells(QStringView line)
{
    qsizetype begin = 0;
    qsizetype end = line.size();
    while (begin < end && isBlank(line[begin]))
        ++begin;
    while (end > begin && isBlank(line[end - 1]))
        --end;
    if (begin < end && line[begin] == u'|')
        ++begin;
    QList<std::pair<qsizetype, qsizetype>> cells;
    const auto add = [&](qsizetype from, qsizetype to) {
        while (from < to && isBlank(line[from]))
            ++from;
        while (to > from && isBlank(line[to - 1]))
            --to;
        cells.append({from, to});
    };
    qsizetype from = begin;
    bool escaped = false;
    for (qsizetype i = begin; i < end; ++i) {
        if (escaped) {
            escaped = false;
        } else if (line[i] == u'\\') {
            escaped = true;
        } else if (line[i] == u'|') {
            add(from, i);
            from = i + 1;
            if (cells.size() > MarkdownBlocks::MostColumns)
                return cells;
        }
    }
    if (from < end)
        add(from, end);
    return cells;
}

void MarkdownBlocks::save()
{
    m_undo.state = m_state;
    m_undo.blocks = m_blocks.size();
    if (m_blocks.empty())
        return;
    MarkdownBlock &last = m_blocks.back();
    std::vector<MarkdownBlock::Line> lines = std::move(last.lines);
    last.lines.clear();
    m_undo.last = last;
    last.lines = std::move(lines);
    m_undo.lines = last.lines.size();
    m_undo.lastLine = last.lines.empty() ? MarkdownBlock::Line() : last.lines.back();
}

void MarkdownBlocks::restore()
{
    m_state = std::move(m_undo.state);
    m_blocks.resize(m_undo.blocks);
    if (m_blocks.empty())
        return;
    MarkdownBlock &last = m_blocks.back();
    std::vector<MarkdownBlock::Line> lines = std::move(last.lines);
    last = std::move(m_undo.last);
    lines.resize(m_undo.lines);
    if (!lines.empty())
        lines.back() = m_undo.lastLine;
    last.lines = std::move(lines);
}

void MarkdownBlocks::update(QStringView text, bool finished)
{
    if (std::exchange(m_provisional, false))
        restore();
    m_firstChanged = m_blocks.size();
    if (!m_blocks.empty() && !m_blocks.back().closed)
        --m_firstChanged;
    while (true) {
        const qsizetype lineEnd = text.indexOf(u'\n', m_lineBegin);
        if (lineEnd < 0)
            break;
        const qsizetype end = lineEnd > m_lineBegin && text[lineEnd - 1] == u'\r' ? lineEnd - 1 : lineEnd;
        line(text, m_lineBegin, end, lineEnd + 1, false);
        m_lineBegin = lineEnd + 1;
    }
    if (m_lineBegin < text.size()) {
        const qsizetype end = text.back() == u'\r' ? text.size() - 1 : text.size();
        const QStringView rest = text.mid(m_lineBegin, end - m_lineBegin);
        if (finished || !isUndecided(rest)) {
            m_provisional = true;
            save();
            line(text, m_lineBegin, end, text.size(), !finished);
        }
    }
    if (finished)
        closeLast();
}

// Marks that may become one thing or another are not shown before it is known what they are.
bool MarkdownBlocks::isUndecided(QStringView line) const
{
    QStringView marks = line.trimmed();
    if (marks.isEmpty())
        return true;
    if (m_state.fence.mark != 0) {
        while (marks.startsWith(u'>') || marks.startsWith(u' '))
            marks = marks.mid(1);
        return marks.size() < m_state.fence.length
            && std::all_of(marks.begin(), marks.end(), [this](QChar c) { return c == m_state.fence.mark; });
    }
    if (m_dialect == Dialect::Plain)
        return isMarksOnly(marks, u"`~");
    // A separator under a header shows at once.
    const bool mayBeTable = !m_blocks.empty() && !m_blocks.back().closed
        && m_blocks.back().kind == Kind::Paragraph && marks.startsWith(u'|') && marks.contains(u'-');
    if (mayBeTable)
        return false;
    if (isMarksOnly(marks, u"-=*_+#>~`|: \t"))
        return true;
    return marks.size() <= MostDigits + 1 && isMarksOnly(marks, u"0123456789.)");
}

MarkdownBlock *MarkdownBlocks::openBlock(Kind kind)
{
    if (m_blocks.empty() || m_blocks.back().closed || m_blocks.back().kind != kind)
        return nullptr;
    return &m_blocks.back();
}

void MarkdownBlocks::closeLast()
{
    if (!m_blocks.empty())
        m_blocks.back().closed = true;
    m_state.fence = {};
    m_state.pendingBlank.clear();
}

void MarkdownBlocks::closeContainers(size_t keep)
{
    if (m_state.open.size() <= keep)
        return;
    closeLast();
    m_state.open.resize(keep);
    m_state.newItem = false;
}

MarkdownBlock &MarkdownBlocks::add(Kind kind, const Cursor &at, qsizetype next)
{
    closeLast();
    MarkdownBlock block;
    block.kind = kind;
    block.begin = at.begin;
    block.end = next;
    block.blankBefore = m_state.blank;
    for (const Open &open : m_state.open)
        block.containers.push_back(open.kind);
    if (m_state.newItem && !m_state.open.empty()) {
        block.number = m_state.open.back().number;
        block.bullet = block.number < 0;
    }
    m_state.newItem = false;
    for (Open &open : m_state.open)
        open.empty = false;
    m_blocks.push_back(std::move(block));
    return m_blocks.back();
}

// Lines of code that is open. Returns false if the line is none of them.
bool MarkdownBlocks::codeLine(Cursor &at, bool allMatched, bool partial, qsizetype next)
{
    MarkdownBlock *code = openBlock(Kind::Code);
    if (!code)
        return false;
    if (!allMatched) {
        if (m_state.fence.mark == 0 && at.isEmpty())
            return false;
        closeLast();
        return false;
    }
    if (m_state.fence.mark != 0) {
        const Fence fence = m_state.fence;
        if (at.indent() < TabStop) {
            const QStringView marks = at.rest().trimmed();
            if (marks.size() >= fence.length
                && std::all_of(marks.begin(), marks.end(), [&](QChar c) { return c == fence.mark; })) {
                code->end = next;
                closeLast();
                return true;
            }
        }
        at.skip(std::min(at.indent(), fence.indent));
        code->lines.push_back(at.lineFromHere());
        code->end = next;
        return true;
    }
    if (at.isEmpty()) {
        at.skip(TabStop);
        m_state.pendingBlank.push_back(at.lineFromHere());
        return true;
    }
    if (at.indent() < TabStop) {
        closeLast();
        return false;
    }
    at.skip(TabStop);
    if (!partial || !at.isEmpty()) {
        for (const MarkdownBlock::Line &blank : std::exchange(m_state.pendingBlank, {}))
            code->lines.push_back(blank);
        code->lines.push_back(at.lineFromHere());
        code->end = next;
    }
    return true;
}

bool MarkdownBlocks::startItem(Cursor &at, size_t matched)
{
    const ItemMark item = itemMark(at.rest());
    if (item.delimiter == 0 || matched >= static_cast<size_t>(MostContainers))
        return false;
    Cursor after = at;
    after.take(item.length);
    const bool empty = after.isEmpty();
    const Open *sibling = matched < m_state.open.size() && m_state.open[matched].kind == Container::Item
            && m_state.open[matched].delimiter == item.delimiter
        ? &m_state.open[matched]
        : nullptr;
    // Inside a paragraph a new list must be meant: "1." and text, so that a year at a line's begin is none.
    if (!sibling && openBlock(Kind::Paragraph) && matched == m_state.open.size()
        && (empty || (item.number >= 0 && item.number != 1)))
        return false;
    int number = item.number;
    if (sibling && number >= 0)
        number = sibling->number < 999'999'999 ? sibling->number + 1 : sibling->number;
    const int markIndent = at.indent();
    closeContainers(matched);
    closeLast();
    Open open;
    open.kind = Container::Item;
    open.delimiter = item.delimiter;
    open.number = number;
    open.empty = true;
    const int spaces = after.indent();
    const int inside = empty || spaces > TabStop ? 1 : spaces;
    open.indent = markIndent + static_cast<int>(item.length) + inside;
    at = after;
    at.skip(empty ? spaces : inside);
    m_state.open.push_back(open);
    m_state.newItem = true;
    return true;
}

bool MarkdownBlocks::tableStart(Cursor &at, bool partial, qsizetype next)
{
    MarkdownBlock *paragraph = openBlock(Kind::Paragraph);
    if (!paragraph || paragraph->lines.empty())
        return false;
    std::vector<MarkdownBlock::Align> columns = separator(at.rest(), partial);
    if (columns.empty())
        return false;
    const MarkdownBlock::Line header = paragraph->lines.back();
    const QStringView headerText = at.source().mid(header.begin, header.end - header.begin);
    if (!headerText.contains(u'|'))
        return false;
    const auto cells = static_cast<size_t>(markdownCells(headerText).size());
    if (cells > static_cast<size_t>(MostColumns) || columns.size() > cells
        || (columns.size() < cells && !partial))
        return false;
    columns.resize(cells, MarkdownBlock::Align::None);
    if (paragraph->lines.size() == 1) {
        paragraph->kind = Kind::Table;
        paragraph->columns = std::move(columns);
        paragraph->end = next;
        return true;
    }
    paragraph->lines.pop_back();
    const bool blank = std::exchange(m_state.blank, false);
    Cursor start = at;
    // The header's own line begins where the one before it ends.
    start.begin = at.source().left(header.begin).lastIndexOf(u'\n') + 1;
    paragraph->end = start.begin;
    MarkdownBlock &table = add(Kind::Table, start, next);
    m_state.blank = blank;
    table.lines.push_back(header);
    table.columns = std::move(columns);
    return true;
}

// Begins of blocks at this place. Returns true when the line is used up.
bool MarkdownBlocks::startBlock(Cursor &at, size_t &matched, bool partial, qsizetype next)
{
    const bool allMatched = matched == m_state.open.size();
    const bool inParagraph = openBlock(Kind::Paragraph) != nullptr;
    if (at.isEmpty())
        return false;
    if (m_dialect == Dialect::Markdown && at.indent() >= TabStop) {
        if (inParagraph)
            return false;
        closeContainers(matched);
        at.skip(TabStop);
        MarkdownBlock &code = add(Kind::Code, at, next);
        code.lines.push_back(at.lineFromHere());
        return true;
    }
    Cursor here = at;
    here.skipBlanks();
    const QStringView rest = here.rest();
    const char16_t first = rest.front().unicode();
    if (first == u'`' || first == u'~') {
        qsizetype length = 0;
        while (length < rest.size() && rest[length] == first)
            ++length;
        const QStringView info = rest.mid(length).trimmed();
        if (length >= 3 && !(first == u'`' && info.contains(u'`'))) {
            closeContainers(matched);
            const int indent = at.indent();
            MarkdownBlock &code = add(Kind::Code, at, next);
            code.fenced = true;
            const qsizetype word = std::find_if(info.begin(), info.end(),
                                                [](QChar c) { return isBlank(c) || c == u'{' || c == u','; })
                - info.begin();
            code.language = info.left(std::min(word, LongestInfoLanguage)).toString().toLower();
            m_state.fence = {first, static_cast<int>(length), indent};
            return true;
        }
    }
    if (m_dialect == Dialect::Plain)
        return false;
    if (first == u'#') {
        if (const int level = headingLevel(rest)) {
            closeContainers(matched);
            here.take(level);
            here.skipBlanks();
            QStringView words = here.rest();
            while (!words.isEmpty() && isBlank(words.back()))
                words.chop(1);
            qsizetype kept = words.size();
            while (kept > 0 && words[kept - 1] == u'#')
                --kept;
            if (kept == 0 || isBlank(words[kept - 1])) {
                words.truncate(kept);
                while (!words.isEmpty() && isBlank(words.back()))
                    words.chop(1);
            }
            MarkdownBlock &heading = add(Kind::Heading, here, next);
            heading.level = level;
            heading.lines.push_back({here.at(), here.at() + words.size(), 0});
            heading.closed = !partial;
            return true;
        }
    }
    if (first == u'>' && matched < static_cast<size_t>(MostContainers)) {
        closeContainers(matched);
        closeLast();
        here.take(1);
        if (here.indent() > 0)
            here.skip(1);
        at = here;
        m_state.open.push_back({Container::Quote, 0, 0, -1, false});
        matched = m_state.open.size();
        m_state.newItem = false;
        return false;
    }
    if (allMatched && inParagraph) {
        if (tableStart(here, partial, next))
            return true;
        if (const int level = underlineLevel(rest)) {
            MarkdownBlock &heading = m_blocks.back();
            heading.kind = Kind::Heading;
            heading.level = level;
            heading.end = next;
            heading.closed = !partial;
            return true;
        }
    }
    if (isRule(rest)) {
        closeContainers(matched);
        add(Kind::Rule, here, next).closed = !partial;
        return true;
    }
    if (itemMark(rest).delimiter != 0) {
        // The mark's own indent counts for its content.
        Cursor mark = at;
        const int indent = mark.indent();
        mark.skipBlanks();
        if (startItem(mark, matched)) {
            m_state.open.back().indent += indent;
            at = mark;
            matched = m_state.open.size();
        }
    }
    return false;
}

void MarkdownBlocks::line(QStringView text, qsizetype begin, qsizetype end, qsizetype next, bool partial)
{
    Cursor at(text, begin, end);
    size_t matched = 0;
    for (; matched < m_state.open.size(); ++matched) {
        const Open &open = m_state.open[matched];
        if (open.kind == Container::Quote) {
            Cursor inside = at;
            if (inside.indent() >= TabStop)
                break;
            inside.skipBlanks();
            if (!inside.rest().startsWith(u'>'))
                break;
            inside.take(1);
            if (inside.indent() > 0)
                inside.skip(1);
            at = inside;
        } else if (at.isEmpty()) {
            if (open.empty && m_state.blank)
                break; // An item may begin with one empty line, not more.
        } else if (at.indent() >= open.indent) {
            at.skip(open.indent);
        } else {
            break;
        }
    }
    const bool allMatched = matched == m_state.open.size();
    if (codeLine(at, allMatched, partial, next)) {
        m_state.blank = false;
        return;
    }
    if (at.isEmpty()) {
        // A quote ends with an empty line outside of it; items stay open.
        if (openBlock(Kind::Paragraph) || openBlock(Kind::Table))
            m_blocks.back().closed = true;
        closeContainers(matched);
        m_state.blank = true;
        return;
    }
    while (true) {
        const size_t before = matched;
        if (startBlock(at, matched, partial, next)) {
            m_state.blank = false;
            return;
        }
        if (matched == before || at.isEmpty())
            break;
    }
    if (at.isEmpty()) { // Nothing but marks.
        m_state.blank = m_state.newItem;
        return;
    }
    MarkdownBlock *paragraph = openBlock(Kind::Paragraph);
    const bool isLazy = paragraph && matched < m_state.open.size() && !m_state.blank;
    if (!isLazy)
        closeContainers(matched);
    at.skipBlanks();
    if (!isLazy && matched == m_state.open.size()) {
        if (MarkdownBlock *table = openBlock(Kind::Table)) {
            table->lines.push_back(at.lineFromHere());
            table->end = next;
            m_state.blank = false;
            return;
        }
    }
    paragraph = openBlock(Kind::Paragraph);
    if (!paragraph) {
        // A task's box stands before the words of its item.
        std::optional<bool> checked;
        const QStringView rest = at.rest();
        if (m_dialect == Dialect::Markdown && m_state.newItem && rest.size() >= 4 && rest[0] == u'['
            && rest[2] == u']' && isBlank(rest[3])
            && (rest[1] == u' ' || rest[1] == u'x' || rest[1] == u'X')) {
            checked = rest[1] != u' ';
            at.take(3);
            at.skipBlanks();
        }
        paragraph = &add(Kind::Paragraph, at, next);
        paragraph->checked = checked;
    }
    paragraph->lines.push_back({at.at(), end, 0});
    paragraph->end = next;
    m_state.blank = false;
}

} // namespace Pilothouse
