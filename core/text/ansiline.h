// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/ansiparser.h"
#include "text/ansistyle.h"

#include <QString>

#include <utility>
#include <vector>

namespace Pilothouse {

/// A piece of a line that looks the same, in a grid of fixed cells.
struct AnsiSpan {
    int column = 0;
    int columns = 0;
    AnsiStyle style;
    QString text;
};

/// One line as a person sees it, from the tokens of its bytes: a carriage return or a backspace moves back
/// and what comes next writes over. What has no look of its own is written out: control characters as their
/// pictures, bytes that are no UTF-8 as \xHH, direction marks as \u{HEX}.
class AnsiLine {
public:
    /// Columns; what a program writes past it lands nowhere. More than any line that is shown whole.
    static constexpr int MostColumns = 16 * 1024;
    static constexpr int TabWidth = 8;

    /// Takes every token but End and LineFeed; `style` is the parser's.
    void put(const AnsiParser::Token &token, const AnsiStyle &style);
    void clear();
    [[nodiscard]] int columns() const { return static_cast<int>(m_cells.size()); }
    [[nodiscard]] std::vector<AnsiSpan> spans() const;

private:
    struct Cell {
        char32_t c = U' '; ///< 0: the right half of a wide character.
        AnsiStyle style;
    };
    void write(char32_t c, const AnsiStyle &style);
    void writeOut(const QString &text, const AnsiStyle &style);
    void erase(int from, int to);
    void breakWide(int column); ///< A wide character that loses one half loses both.
    void moveTo(int column);

    std::vector<Cell> m_cells;
    std::vector<std::pair<int, char32_t>> m_marks; ///< Column and what sits on the character there; in order.
    int m_column = 0;
};

} // namespace Pilothouse
