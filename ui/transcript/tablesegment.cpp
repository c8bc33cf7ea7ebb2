// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/tablesegment.h"

#include "theme/metrics.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace Pilothouse {

namespace {

constexpr int RowPadding = Metrics::SpaceXs; // Above and below a cell's text.
constexpr int CellGap = Metrics::SpaceL; // After a cell's text.

Qt::Alignment alignment(MarkdownBlock::Align align)
{
    switch (align) {
    case MarkdownBlock::Align::None:
    case MarkdownBlock::Align::Left:
        return Qt::AlignLeft;
    case MarkdownBlock::Align::Center:
        return Qt::AlignHCenter;
    case MarkdownBlock::Align::Right:
        return Qt::AlignRight;
    }
    return Qt::AlignLeft;
}

} // namespace

TableSegment::TableSegment(std::shared_ptr<TableText> text, size_t first, BlockFrame frame)
    : m_text(std::move(text))
    , m_frame(std::move(frame))
    , m_first(first)
    , m_last(first)
{ }

void TableSegment::extend(size_t lastRow)
{
    const size_t kept = std::max(m_last, m_first + 1) - 1 - m_first;
    m_rows.resize(std::min(m_rows.size(), kept));
    m_last = lastRow;
}

int TableSegment::estimate(const SegmentContext &context) const
{
    const int rows = static_cast<int>(m_last - m_first);
    return m_frame.top + rows * (context.style.body.line + 2 * TranscriptStyle::px(RowPadding));
}

void TableSegment::addRow(const SegmentContext &context, size_t row)
{
    Row made;
    const TableText::Row &cells = m_text->row(row);
    for (size_t i = 0; i < cells.size(); ++i) {
        TextLine::Look look;
        look.face = row == 0 ? &context.style.strong : &context.style.body;
        look.code = &context.style.codeInText;
        look.color = row == 0 ? Role::Text2 : Role::Text;
        look.alignment = alignment(m_text->aligns()[i]);
        auto cell = std::make_unique<TextLine>();
        cell->set(TableText::parse(context.source, cells[i]), look);
        made.cells.push_back(std::move(cell));
    }
    m_rows.push_back(std::move(made));
}

void TableSegment::placeColumns(const SegmentContext &context)
{
    m_edges.clear();
    const bool rightToLeft = !m_rows.empty() && m_rows.front().cells.front()->isRightToLeft();
    m_content = m_frame.content(context.width, 0, rightToLeft);
    int x = 0;
    for (const int width : m_text->widths()) {
        m_edges.push_back(rightToLeft ? m_content.right() + 1 - x - width : m_content.x() + x);
        x += width;
    }
}

int TableSegment::arrange(const SegmentContext &context)
{
    m_text->setWidth(context.source, m_frame.content(context.width, 0, false).width(), context.style);
    for (size_t row = m_first + m_rows.size(); row < m_last; ++row)
        addRow(context, row);
    m_generation = m_text->generation();
    placeColumns(context);
    const int padding = TranscriptStyle::px(RowPadding);
    const int gap = TranscriptStyle::px(CellGap);
    int y = m_frame.top;
    for (Row &row : m_rows) {
        row.y = y;
        int height = context.style.body.line;
        for (size_t i = 0; i < row.cells.size(); ++i)
            height = std::max(height, row.cells[i]->arrange(std::max(8, m_text->widths()[i] - gap)));
        row.height = height + 2 * padding;
        y += row.height;
    }
    return y;
}

void TableSegment::release() { m_rows.clear(); }

void TableSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    if (!m_frame.containers.empty())
        m_frame.paint(painter, context.style, how.rect, context.style.body.line, false);
    const int padding = TranscriptStyle::px(RowPadding);
    for (size_t i = 0; i < m_rows.size(); ++i) {
        const Row &row = m_rows[i];
        const int top = how.rect.y() + row.y;
        if (top > how.clip.bottom())
            break;
        if (top + row.height < how.clip.top())
            continue;
        const TableText::Row &cells = m_text->row(m_first + i);
        for (size_t column = 0; column < row.cells.size() && column < m_edges.size(); ++column) {
            qsizetype from = -1;
            qsizetype to = -1;
            if (how.selectedFrom >= 0 && how.selectedTo > cells[column].begin
                && how.selectedFrom < cells[column].end) {
                from = std::max<qsizetype>(0, how.selectedFrom - cells[column].begin);
                to = std::min(how.selectedTo, cells[column].end) - cells[column].begin;
            }
            row.cells[column]->paint(painter, QPointF(how.rect.x() + m_edges[column], top + padding),
                                     how.clip, from, to);
        }
        painter->fillRect(QRect(how.rect.x() + m_content.x(), top + row.height - 1, m_content.width(), 1),
                          TranscriptStyle::color(m_first + i == 0 ? Role::Line : Role::Hair));
    }
}

qsizetype TableSegment::begin() const
{
    return m_first < m_text->size() ? m_text->row(m_first).front().begin : -1;
}

qsizetype TableSegment::end() const
{
    return m_last > m_first && m_last <= m_text->size() ? m_text->row(m_last - 1).back().end : begin();
}

const TextLine *TableSegment::cellAt(const QPoint &point, size_t *row, size_t *column) const
{
    if (m_rows.empty())
        return nullptr;
    *row = 0;
    while (*row + 1 < m_rows.size() && m_rows[*row + 1].y <= point.y())
        ++*row;
    *column = 0;
    for (size_t i = 0; i < m_edges.size(); ++i) {
        if (point.x() >= m_edges[i] && point.x() < m_edges[i] + m_text->widths()[i])
            *column = i;
    }
    if (!m_edges.empty() && point.x() >= m_edges.back() + m_text->widths().back())
        *column = m_edges.size() - 1;
    return *column < m_rows[*row].cells.size() ? m_rows[*row].cells[*column].get() : nullptr;
}

qsizetype TableSegment::placeAt(const QPoint &point) const
{
    size_t row = 0;
    size_t column = 0;
    const TextLine *cell = cellAt(point, &row, &column);
    if (!cell)
        return begin();
    const QPointF inside(point.x() - m_edges[column],
                         point.y() - m_rows[row].y - TranscriptStyle::px(RowPadding));
    return m_text->row(m_first + row)[column].begin + cell->placeAt(inside);
}

int TableSegment::lineTop(qsizetype place) const
{
    for (size_t i = 0; i < m_rows.size(); ++i) {
        if (place <= m_text->row(m_first + i).back().end)
            return m_rows[i].y;
    }
    return m_rows.empty() ? 0 : m_rows.back().y;
}

bool TableSegment::mayHaveTargets(const SegmentContext &context) const
{
    return begin() >= 0 && TextLine::mayHaveLinks(context.source.mid(begin(), end() - begin()));
}

QList<SegmentTarget> TableSegment::targets(const SegmentContext &) const
{
    QList<SegmentTarget> out;
    for (const Row &row : m_rows) {
        for (size_t column = 0; column < row.cells.size() && column < m_edges.size(); ++column) {
            for (const TextLine::LinkPlace &link : row.cells[column]->links()) {
                SegmentTarget target;
                target.hit.what = SegmentHit::What::Link;
                target.hit.value = link.target;
                target.name = link.words;
                target.rect = link.rect.translated(m_edges[column], row.y + TranscriptStyle::px(RowPadding));
                out.append(target);
            }
        }
    }
    return out;
}

SegmentHit TableSegment::hit(const SegmentContext &, const QPoint &point) const
{
    SegmentHit hit;
    size_t row = 0;
    size_t column = 0;
    const TextLine *cell = cellAt(point, &row, &column);
    if (!cell)
        return hit;
    hit.what = SegmentHit::What::Text;
    hit.place = placeAt(point);
    const QPointF inside(point.x() - m_edges[column],
                         point.y() - m_rows[row].y - TranscriptStyle::px(RowPadding));
    if (const MarkdownInline::Run *run = cell->runAt(inside)) {
        if (run->styles.testFlag(MarkdownInline::Style::Link)) {
            hit.what = SegmentHit::What::Link;
            hit.value = cell->text().targets.value(run->target);
            hit.toolTip = hit.value;
        }
    }
    return hit;
}

} // namespace Pilothouse
