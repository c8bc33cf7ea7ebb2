// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdowninline.h"

#include <array>
#include <vector>

namespace Pilothouse {

/// One character array per question, so that everything stays linear.
class MarkdownInlineParser {
public:
    static constexpr qsizetype LongestTarget = 4096; // A longer address is nobody's link.
    static constexpr qsizetype LongestRun = 64; // Of equal backticks that can open code; more are text.

    [[nodiscard]] static bool isEscapable(QChar c);

    MarkdownInlineParser(QStringView text, const MarkdownInlineOptions &options)
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
    void style(qsizetype from, qsizetype to, MarkdownInline::Style style, int target = -1);
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

} // namespace Pilothouse
