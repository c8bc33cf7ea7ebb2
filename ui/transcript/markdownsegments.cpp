// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/markdownsegments.h"

#include "theme/metrics.h"
#include "transcript/codesegment.h"
#include "transcript/tablesegment.h"

#include <QPainter>

#include <algorithm>

namespace Pilothouse {

using Kind = MarkdownBlock::Kind;

namespace {

/// A rule: one line across.
class RuleSegment final : public Segment {
public:
    RuleSegment(BlockFrame frame, qsizetype begin, qsizetype end)
        : m_frame(std::move(frame))
        , m_begin(begin)
        , m_end(end)
    { }
    [[nodiscard]] int estimate(const SegmentContext &) const override
    {
        return m_frame.top + TranscriptStyle::px(Metrics::SpaceL);
    }
    int arrange(const SegmentContext &context) override { return estimate(context); }
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override
    {
        if (!m_frame.containers.empty())
            m_frame.paint(painter, context.style, how.rect, context.style.body.line, context.rightToLeft);
        const QRect inside = m_frame.content(how.rect.width(), how.rect.height(), context.rightToLeft);
        painter->fillRect(QRect(how.rect.x() + inside.x(), how.rect.y() + inside.y() + inside.height() / 2,
                                inside.width(), 1),
                          TranscriptStyle::color(Role::Line));
    }
    [[nodiscard]] qsizetype begin() const override { return m_begin; }
    [[nodiscard]] qsizetype end() const override { return m_end; }
    [[nodiscard]] qsizetype placeAt(const QPoint &point) const override
    {
        return point.y() < m_frame.top + TranscriptStyle::px(Metrics::SpaceS) ? m_begin : m_end;
    }

private:
    BlockFrame m_frame;
    qsizetype m_begin;
    qsizetype m_end;
};

} // namespace

MarkdownSegments::MarkdownSegments(ProseSegment::Look look, size_t base)
    : m_look(look)
    , m_base(base)
    , m_scanner(look.plain ? MarkdownBlocks::Dialect::Plain : MarkdownBlocks::Dialect::Markdown)
{ }

void MarkdownSegments::update(SegmentList *list, const SegmentContext &context, bool finished)
{
    m_scanner.update(context.source, finished);
    const std::vector<MarkdownBlock> &blocks = m_scanner.blocks();
    const size_t from = std::min(m_scanner.firstChanged(), m_blocks.size());
    // A block that became another kind, or is gone: its segments go, and those of all after it.
    for (size_t i = from; i < m_blocks.size(); ++i) {
        const bool isOther = i > from // Only one block can have been open.
            || i >= blocks.size() || blocks[i].kind != m_blocks[i].kind
            || (m_blocks[i].code && m_blocks[i].code->language() != blocks[i].language);
        if (isOther) {
            list->truncate(m_blocks[i].segment);
            m_blocks.resize(i);
            break;
        }
    }
    for (size_t i = from; i < blocks.size(); ++i) {
        const MarkdownBlock &block = blocks[i];
        const bool isNew = i >= m_blocks.size();
        if (isNew) {
            Block record;
            record.kind = block.kind;
            record.segment = std::max(list->size(), m_base);
            if (block.kind == Kind::Code)
                record.code = std::make_shared<CodeText>(block.language);
            if (block.kind == Kind::Table)
                record.table = std::make_shared<TableText>();
            m_blocks.push_back(std::move(record));
        }
        const BlockFrame frame = BlockFrame::of(block, i > 0 ? &blocks[i - 1] : nullptr);
        const Block &record = m_blocks[i];
        switch (block.kind) {
        case Kind::Paragraph:
        case Kind::Heading:
            updateProse(list, context, record, block, frame);
            break;
        case Kind::Code:
            updateCode(list, context, record, block, frame);
            break;
        case Kind::Table:
            updateTable(list, context, record, block, frame);
            break;
        case Kind::Rule:
            if (isNew)
                list->append(std::make_unique<RuleSegment>(frame, block.begin, block.end), context);
            break;
        }
    }
}

void MarkdownSegments::addProse(SegmentList *list, const SegmentContext &context, const MarkdownBlock &block,
                                const BlockFrame &frame, const ProsePiece::Start &start)
{
    ProseSegment::Look look = m_look;
    look.heading = block.kind == Kind::Heading ? block.level : 0;
    ProsePiece::Start at = start;
    while (true) {
        ProsePiece piece = ProsePiece::take(context.source, block, at);
        const bool more = piece.more;
        const ProsePiece::Start next = piece.next;
        const bool isFirst = at == ProsePiece::Start();
        list->append(
            std::make_unique<ProseSegment>(std::move(piece), isFirst ? frame : frame.continued(), look),
            context);
        if (!more)
            return;
        at = next;
    }
}

void MarkdownSegments::updateProse(SegmentList *list, const SegmentContext &context, const Block &record,
                                   const MarkdownBlock &block, const BlockFrame &frame)
{
    ProsePiece::Start start;
    if (list->size() > record.segment) {
        // Pieces before the last one are full and stay.
        const auto &last = static_cast<const ProseSegment &>(list->at(list->size() - 1));
        start = last.piece().start;
        list->truncate(list->size() - 1);
        if (start.line >= block.lines.size() && list->size() > record.segment)
            return; // Its line went to a table.
        if (start.line >= block.lines.size())
            start = {};
    }
    addProse(list, context, block, frame, start);
}

void MarkdownSegments::updateCode(SegmentList *list, const SegmentContext &context, const Block &record,
                                  const MarkdownBlock &block, const BlockFrame &frame) const
{
    record.code->update(block);
    const size_t lines = block.lines.size();
    if (list->size() <= record.segment) {
        auto first = std::make_unique<CodeSegment>(record.code, 0, frame);
        first->setShowsAll(m_showsAll);
        list->append(std::move(first), context);
    }
    while (true) {
        const size_t index = list->size() - 1;
        auto &segment = static_cast<CodeSegment &>(list->at(index));
        const size_t end = segment.first() + CodeSegment::MostLines;
        segment.extend(std::min(end, lines), end >= lines);
        list->touch(index);
        if (end >= lines)
            return;
        auto next = std::make_unique<CodeSegment>(record.code, end, frame.continued());
        next->setShowsAll(m_showsAll);
        list->append(std::move(next), context);
    }
}

void MarkdownSegments::updateTable(SegmentList *list, const SegmentContext &context, const Block &record,
                                   const MarkdownBlock &block, const BlockFrame &frame)
{
    const int generation = record.table->generation();
    record.table->update(context.source, block, context.style);
    const size_t rows = block.lines.size();
    if (list->size() <= record.segment)
        list->append(std::make_unique<TableSegment>(record.table, 0, frame), context);
    if (generation != record.table->generation()) {
        for (size_t i = record.segment; i < list->size(); ++i)
            list->touch(i);
    }
    while (true) {
        const size_t index = list->size() - 1;
        auto &segment = static_cast<TableSegment &>(list->at(index));
        const size_t end = segment.first() + TableSegment::MostRows;
        segment.extend(std::min(end, rows));
        list->touch(index);
        if (end >= rows)
            return;
        list->append(std::make_unique<TableSegment>(record.table, end, frame.continued()), context);
    }
}

void MarkdownSegments::setShowsAll(SegmentList *list, bool showsAll)
{
    m_showsAll = showsAll;
    for (size_t i = m_base; i < list->size(); ++i) {
        if (auto *code = dynamic_cast<CodeSegment *>(&list->at(i))) {
            code->setShowsAll(showsAll);
            list->touch(i);
        }
    }
}

QString MarkdownSegments::codeOf(const Segment &segment, QStringView source)
{
    const auto *code = dynamic_cast<const CodeSegment *>(&segment);
    return code ? code->copyText(source) : QString();
}

} // namespace Pilothouse
