// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QString>

#include <optional>
#include <vector>

namespace Pilothouse {

/// A leaf block of a Markdown text: places in the source, never a copy of it.
struct MarkdownBlock {
    enum class Kind { Paragraph = 1, Heading, Code, Table, Rule };
    enum class Container { Quote = 1, Item };
    enum class Align { None = 1, Left, Center, Right };
    /// One line of the block, the marks of quotes and lists before it and the line end left out.
    struct Line {
        qsizetype begin = 0;
        qsizetype end = 0;
        int pad = 0; ///< Spaces that stand before it (the rest of a tab that a container took a part of).
        bool operator==(const Line &) const = default;
    };

    Kind kind = Kind::Paragraph;
    qsizetype begin = 0; ///< Of its first line, with all marks.
    qsizetype end = 0; ///< After the line end of its last line.
    std::vector<Line> lines; ///< Heading: one or more; Code: the code; Table: header, then rows; Rule: none.
    std::vector<Container> containers; ///< Outermost first.
    std::vector<Align> columns; ///< Table.
    int level = 0; ///< Heading: 1 to 6.
    int number = -1; ///< First block of an ordered list's item: its number; -1 otherwise.
    bool bullet = false; ///< First block of an item of a list without numbers.
    std::optional<bool> checked; ///< First block of a task item.
    QString language; ///< Code: first word of the fence's information, lower case, bounded.
    bool fenced = false;
    bool blankBefore = false; ///< An empty line stands before it.
    bool closed = false; ///< Cannot change any more, whatever text follows.
    bool operator==(const MarkdownBlock &) const = default;
};

/// Splits Markdown into blocks, line by line, while the text still grows. Only the last block may change when
/// text is added; a line that is not complete yet counts as far as it is unmistakable, so that no mark shows
/// as text first and vanishes a moment later. Nothing but paragraphs, headings, quotes, lists, code, tables
/// and rules is known: HTML and link definitions are text.
class MarkdownBlocks {
public:
    enum class Dialect {
        Markdown = 1,
        Plain, ///< A person's words: only fenced code is known, all else are paragraphs.
    };
    static constexpr int MostContainers = 12; ///< Marks of deeper nesting are text.
    static constexpr int MostColumns = 50; ///< A wider table is text.

    explicit MarkdownBlocks(Dialect dialect = Dialect::Markdown)
        : m_dialect(dialect)
    { }
    /// `text` must begin with what the call before was given. `finished`: nothing follows, the last line is
    /// complete although it has no line end.
    void update(QStringView text, bool finished);
    [[nodiscard]] const std::vector<MarkdownBlock> &blocks() const { return m_blocks; }
    /// Blocks before this one are as they were before the last update().
    [[nodiscard]] size_t firstChanged() const { return m_firstChanged; }

private:
    struct Open {
        MarkdownBlock::Container kind = MarkdownBlock::Container::Quote;
        int indent = 0; ///< Item: columns that its content is indented by, in its container.
        char16_t delimiter = 0; ///< Item: '-', '+', '*', '.' or ')'.
        int number = -1;
        bool empty = false; ///< Item: nothing but its mark so far.
    };
    struct Fence {
        char16_t mark = 0; ///< 0: no fence is open.
        int length = 0;
        int indent = 0;
    };
    struct State {
        std::vector<Open> open;
        Fence fence;
        bool blank = false; ///< The line before was empty.
        bool newItem = false; ///< The next block is the first of the innermost item.
        std::vector<MarkdownBlock::Line> pendingBlank; ///< Empty lines that may belong to indented code.
    };
    struct Undo {
        State state;
        size_t blocks = 0;
        MarkdownBlock last; ///< Without its lines.
        size_t lines = 0;
        MarkdownBlock::Line lastLine;
    };
    class Cursor;

    void save();
    void restore();
    void line(QStringView text, qsizetype begin, qsizetype end, qsizetype next, bool partial);
    [[nodiscard]] bool isUndecided(QStringView line) const;
    bool codeLine(Cursor &at, bool allMatched, bool partial, qsizetype next);
    bool startBlock(Cursor &at, size_t &matched, bool partial, qsizetype next);
    bool startItem(Cursor &at, size_t matched);
    bool tableStart(Cursor &at, bool partial, qsizetype next);
    void closeContainers(size_t keep);
    void closeLast();
    MarkdownBlock &add(MarkdownBlock::Kind kind, const Cursor &at, qsizetype next);
    [[nodiscard]] MarkdownBlock *openBlock(MarkdownBlock::Kind kind);

    Dialect m_dialect;
    std::vector<MarkdownBlock> m_blocks;
    State m_state;
    qsizetype m_lineBegin = 0; ///< First line that is not complete.
    bool m_provisional = false;
    Undo m_undo;
    size_t m_firstChanged = 0;
};

/// Cells of a table's line: split at "|" unless escaped, the outer ones dropped, trimmed; as ranges of
/// `line`.
[[nodiscard]] QList<std::pair<qsizetype, qsizetype>> markdownCells(QStringView line);

} // namespace Pilothouse
