// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/ansiline.h"

#include "text/charwidth.h"
#include "text/inerttext.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr char32_t ControlPictures = 0x2400;
constexpr char32_t DeletePicture = 0x2421;
constexpr size_t MostMarks = 256; // On one line; a heap of marks on one character is no text.

AnsiStyle escaped(AnsiStyle style)
{
    style.flags = static_cast<quint16>(style.flags | AnsiStyle::Escaped);
    return style;
}

} // namespace

void AnsiLine::clear()
{
    m_cells.clear();
    m_marks.clear();
    m_column = 0;
}

void AnsiLine::put(const AnsiParser::Token &token, const AnsiStyle &style)
{
    using Kind = AnsiParser::Token::Kind;
    switch (token.kind) {
    case Kind::End:
    case Kind::LineFeed:
        return;
    case Kind::Ascii:
        for (const char c : token.text)
            write(static_cast<uchar>(c), style);
        return;
    case Kind::Character:
        if (isUnsafeToShow(token.value))
            writeOut(u"\\u{"_s + QString::number(static_cast<uint>(token.value), 16) + u'}', escaped(style));
        else
            write(token.value, style);
        return;
    case Kind::Invalid:
        for (const char c : token.text)
            writeOut(u"\\x"_s + QString::number(static_cast<uchar>(c), 16), escaped(style));
        return;
    case Kind::Control:
        write(token.value == 0x7F ? DeletePicture : ControlPictures + token.value, escaped(style));
        return;
    case Kind::Return:
        moveTo(0);
        return;
    case Kind::Backspace:
        moveTo(m_column - 1);
        return;
    case Kind::Tab:
        moveTo((m_column / TabWidth + 1) * TabWidth);
        return;
    case Kind::EraseLine:
        if (token.value == 0)
            erase(m_column, columns());
        else if (token.value == 1)
            erase(0, m_column + 1);
        else if (token.value == 2)
            erase(0, columns());
        return;
    case Kind::Column:
        moveTo(static_cast<int>(token.value));
        return;
    case Kind::Forward:
        moveTo(m_column + static_cast<int>(token.value));
        return;
    case Kind::Back:
        moveTo(m_column - static_cast<int>(token.value));
        return;
    }
}

void AnsiLine::moveTo(int column) { m_column = std::clamp(column, 0, MostColumns); }

void AnsiLine::writeOut(const QString &text, const AnsiStyle &style)
{
    for (const QChar c : text)
        write(c.unicode(), style);
}

void AnsiLine::breakWide(int column)
{
    if (column < 0 || column >= columns())
        return;
    if (m_cells[size_t(column)].c == 0 && column > 0)
        m_cells[size_t(column - 1)].c = U' ';
    else if (column + 1 < columns() && m_cells[size_t(column + 1)].c == 0)
        m_cells[size_t(column + 1)].c = U' ';
}

void AnsiLine::write(char32_t c, const AnsiStyle &style)
{
    const int width = charWidth(c);
    if (width == 0) {
        if (m_column > 0 && m_column <= columns() && m_marks.size() < MostMarks) {
            int at = m_column - 1;
            if (m_cells[size_t(at)].c == 0 && at > 0)
                --at;
            m_marks.emplace_back(at, c);
        }
        return;
    }
    if (m_column + width > MostColumns)
        return;
    const int end = m_column + width;
    if (m_column < columns()) {
        breakWide(m_column);
        breakWide(end - 1);
        if (!m_marks.empty())
            std::erase_if(m_marks,
                          [&](const auto &mark) { return mark.first >= m_column && mark.first < end; });
    }
    if (end > columns())
        m_cells.resize(size_t(end));
    m_cells[size_t(m_column)] = {c, style};
    if (width == 2)
        m_cells[size_t(m_column + 1)] = {0, style};
    m_column = end;
}

void AnsiLine::erase(int from, int to)
{
    to = std::min(to, columns());
    if (from >= to)
        return;
    breakWide(from);
    breakWide(to - 1);
    std::erase_if(m_marks, [&](const auto &mark) { return mark.first >= from && mark.first < to; });
    if (to == columns())
        m_cells.resize(size_t(from));
    else
        std::fill(m_cells.begin() + from, m_cells.begin() + to, Cell());
}

std::vector<AnsiSpan> AnsiLine::spans() const
{
    std::vector<AnsiSpan> out;
    auto mark = m_marks.cbegin();
    std::vector<std::pair<int, char32_t>> sorted;
    if (!std::is_sorted(m_marks.cbegin(), m_marks.cend(),
                        [](const auto &a, const auto &b) { return a.first < b.first; })) {
        sorted = m_marks;
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        mark = sorted.cbegin();
    }
    const auto markEnd = sorted.empty() ? m_marks.cend() : sorted.cend();
    for (int column = 0; column < columns(); ++column) {
        const Cell &cell = m_cells[size_t(column)];
        if (out.empty() || (cell.style != out.back().style && cell.c != 0))
            out.push_back({column, 0, cell.style, {}});
        AnsiSpan &span = out.back();
        ++span.columns;
        if (cell.c == 0)
            continue;
        if (cell.c < 0x10000)
            span.text += QChar(static_cast<char16_t>(cell.c));
        else
            span.text += QChar::fromUcs4(cell.c);
        for (; mark != markEnd && mark->first <= column; ++mark) {
            if (mark->first == column)
                span.text += QChar::fromUcs4(mark->second);
        }
    }
    return out;
}

} // namespace Pilothouse
