// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/tabletext.h"

#include "theme/metrics.h"
#include "transcript/textline.h"

#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Pilothouse {

namespace {

constexpr size_t MostMeasured =
    200; // Rows that decide about widths; a table that is longer has shown its form.
constexpr qsizetype MostMeasuredText = 300; // Of a cell: it is wider than any column by then.
constexpr int Narrowest = 36; // A column without text.
constexpr int Padding = Metrics::SpaceL; // After a column's text.

} // namespace

MarkdownInline TableText::parse(QStringView source, const Cell &cell)
{
    MarkdownInlineOptions options;
    options.inTable = true;
    return parseMarkdownInline(source.mid(cell.begin, cell.end - cell.begin), options);
}

void TableText::update(QStringView source, const MarkdownBlock &block, const TranscriptStyle &style)
{
    m_aligns = block.columns;
    size_t same = std::min(m_rows.size(), block.lines.size());
    if (same > 0)
        --same;
    m_rows.resize(same);
    for (size_t i = same; i < block.lines.size(); ++i) {
        const MarkdownBlock::Line &line = block.lines[i];
        Row row(m_aligns.size());
        size_t column = 0;
        const auto cells = markdownCells(source.mid(line.begin, line.end - line.begin));
        for (const auto &[begin, end] : cells) {
            if (column < row.size())
                row[column++] = {line.begin + begin, line.begin + end};
        }
        for (; column < row.size(); ++column)
            row[column] = {line.end, line.end};
        m_rows.push_back(std::move(row));
    }
    if (m_widths.size() != m_aligns.size()) {
        m_widths.assign(m_aligns.size(), TranscriptStyle::px(Narrowest));
        ++m_generation;
    }
    const size_t complete = block.closed ? m_rows.size() : m_rows.size() - 1;
    // The header is complete as soon as the table is known to be one.
    const size_t decided = std::min(MostMeasured, std::max<size_t>(1, complete));
    m_natural.resize(std::min(m_natural.size(), decided));
    while (m_natural.size() < decided && m_natural.size() < m_rows.size())
        measure(source, m_natural.size(), style);
    grow();
}

void TableText::measure(QStringView source, size_t row, const TranscriptStyle &style)
{
    std::vector<int> widths;
    for (const Cell &cell : m_rows[row]) {
        Cell bounded = cell;
        bounded.end = std::min(cell.end, cell.begin + MostMeasuredText);
        const MarkdownInline text = parse(source, bounded);
        const QFontMetricsF body(row == 0 ? style.strong.font : style.body.font);
        const QFontMetricsF code(style.codeInText.font);
        const QFontMetricsF bold(style.strong.font);
        qreal width = 0;
        for (const MarkdownInline::Run &run : text.runs) {
            const QString words = text.text.mid(run.at, run.length);
            const bool isCode = run.styles.testFlag(MarkdownInline::Style::Code);
            const bool isBold = run.styles.testFlag(MarkdownInline::Style::Bold);
            width += (isCode ? code : isBold ? bold : body).horizontalAdvance(words);
            if (isCode)
                width += 2 * TextLine::CodeBoxSide; // The blanks beside it are wider.
        }
        widths.push_back(static_cast<int>(std::ceil(width)) + TranscriptStyle::px(Padding) + 2);
    }
    m_natural.push_back(std::move(widths));
}

void TableText::setWidth(QStringView, int width, const TranscriptStyle &)
{
    if (width == m_width)
        return;
    m_width = width;
    m_grown = 0;
    m_widths.assign(m_aligns.size(), TranscriptStyle::px(Narrowest));
    ++m_generation;
    grow();
}

// Each row in its turn takes what is left, left column first; none takes more than leaves the others room.
void TableText::grow()
{
    if (m_width <= 0 || m_widths.empty())
        return;
    const auto columns = static_cast<int>(m_widths.size());
    int sum = std::accumulate(m_widths.cbegin(), m_widths.cend(), 0);
    const int fair = m_width / columns;
    // One column may have half of the table, two thirds if there are only two.
    const int most = columns == 1 ? m_width : std::max(fair, columns == 2 ? m_width * 2 / 3 : m_width / 2);
    for (; m_grown < m_natural.size(); ++m_grown) {
        const std::vector<int> &wanted = m_natural[m_grown];
        for (size_t i = 0; i < m_widths.size(); ++i) {
            // The header is never pushed out: it may take its fair part before any row speaks.
            const int limit = m_grown == 0 ? fair : std::min(most, m_widths[i] + m_width - sum);
            const int width = std::min(wanted[i], limit);
            if (width > m_widths[i]) {
                sum += width - m_widths[i];
                m_widths[i] = width;
                ++m_generation;
            }
        }
    }
}

} // namespace Pilothouse
