// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/segment.h"

namespace Pilothouse {

/// Room that paints nothing: for a widget of the view, or for a row that has not been read.
class GapSegment final : public Segment {
public:
    explicit GapSegment(int height)
        : m_height(height)
    { }
    [[nodiscard]] int estimate(const SegmentContext &) const override { return m_height; }
    int arrange(const SegmentContext &) override { return m_height; }
    void paint(QPainter *, const SegmentContext &, const SegmentPaint &) const override { }

private:
    int m_height;
};

} // namespace Pilothouse
