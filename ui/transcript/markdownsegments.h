// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"
#include "transcript/codetext.h"
#include "transcript/prosesegment.h"
#include "transcript/segmentlist.h"
#include "transcript/tabletext.h"

#include <memory>
#include <vector>

namespace Pilothouse {

/// Keeps the segments of a text that may grow: those of closed blocks stay as they are, the tail is made
/// anew or extended.
class MarkdownSegments {
public:
    /// `look`: of its prose; `base`: segments of the row that stand before.
    MarkdownSegments(ProseSegment::Look look, size_t base);

    /// `context.source` must begin with what it was at the call before.
    void update(SegmentList *list, const SegmentContext &context, bool finished);
    void setShowsAll(SegmentList *list, bool showsAll);
    /// Code that a segment shows a part of; empty if it shows none.
    [[nodiscard]] static QString codeOf(const Segment &segment, QStringView source);

private:
    struct Block {
        MarkdownBlock::Kind kind = MarkdownBlock::Kind::Paragraph;
        size_t segment = 0; ///< First one in the list.
        std::shared_ptr<CodeText> code;
        std::shared_ptr<TableText> table;
    };
    void addProse(SegmentList *list, const SegmentContext &context, const MarkdownBlock &block,
                  const BlockFrame &frame, const ProsePiece::Start &start);
    void updateProse(SegmentList *list, const SegmentContext &context, const Block &record,
                     const MarkdownBlock &block, const BlockFrame &frame);
    void updateCode(SegmentList *list, const SegmentContext &context, const Block &record,
                    const MarkdownBlock &block, const BlockFrame &frame) const;
    static void updateTable(SegmentList *list, const SegmentContext &context, const Block &record,
                            const MarkdownBlock &block, const BlockFrame &frame);

    ProseSegment::Look m_look;
    size_t m_base;
    MarkdownBlocks m_scanner;
    std::vector<Block> m_blocks;
    bool m_showsAll = false;
};

} // namespace Pilothouse
