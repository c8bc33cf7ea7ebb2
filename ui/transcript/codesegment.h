// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/blockframe.h"
#include "transcript/codetext.h"
#include "transcript/segment.h"
#include "transcript/textline.h"

#include <memory>

namespace Pilothouse {

/// Some lines of a block of code. Its segments stand on each other as one box.
class CodeSegment final : public Segment {
public:
    static constexpr size_t MostLines = 48;

    /// `first`: index of its first line.
    CodeSegment(std::shared_ptr<CodeText> text, size_t first, BlockFrame frame);
    /// Lines were added, or the last one changed. Costs only those.
    void extend(size_t lastLine, bool isLast);
    [[nodiscard]] size_t first() const { return m_first; }
    void setShowsAll(bool showsAll);
    [[nodiscard]] QString copyText(QStringView source) const { return m_text->whole(source); }

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override;
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    void release() override;
    [[nodiscard]] qsizetype begin() const override;
    [[nodiscard]] qsizetype end() const override;
    [[nodiscard]] qsizetype placeAt(const QPoint &point) const override;
    [[nodiscard]] int lineTop(qsizetype place) const override;
    [[nodiscard]] bool mayHaveTargets(const SegmentContext &context) const override;
    [[nodiscard]] QList<SegmentTarget> targets(const SegmentContext &context) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;

private:
    struct Row {
        size_t line = 0;
        qsizetype at = 0; ///< Where it begins in its line.
        qsizetype length = 0;
        bool isCut = false; ///< The line goes on and is not shown.
        int y = 0;
        TextLine text;
    };
    void addRows(const SegmentContext &context, size_t line);
    [[nodiscard]] QRect copyButton() const;
    [[nodiscard]] const Row *rowAt(int y) const;
    /// A place in a row's text as a place in the source, and back.
    [[nodiscard]] qsizetype toSource(const Row &row, qsizetype at) const;
    [[nodiscard]] qsizetype fromSource(const Row &row, qsizetype place) const;

    std::shared_ptr<CodeText> m_text;
    BlockFrame m_frame;
    size_t m_first;
    size_t m_last; ///< After its last line.
    bool m_isLast = true; ///< The box ends with it.
    bool m_showsAll = false;
    size_t m_arranged = 0; ///< Lines whose rows are there, from m_first on.
    std::vector<std::unique_ptr<Row>> m_rows;
    QRect m_box; ///< In the segment.
    int m_textWidth = 0;
};

} // namespace Pilothouse
