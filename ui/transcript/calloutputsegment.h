// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/calloutput.h"
#include "transcript/segment.h"

namespace Pilothouse {

/// The end of a call's output inside of its unfolded card: a grid as in a terminal, in the theme's colours,
/// with the mark of standard error.
class CallOutputSegment final : public Segment {
public:
    static constexpr int MostLines = 12; ///< The rest is in the Call pane.

    /// `note`: above the lines; empty: none. `isLast`: the box of the stack ends below it.
    CallOutputSegment(CallOutput output, QString note, bool isLast);

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override { return estimate(context); }
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;

private:
    void paintLine(QPainter *painter, const SegmentContext &context, const LineStore::Row &row,
                   const QRect &line) const;

    CallOutput m_output;
    QString m_note;
    bool m_isLast; ///< The box ends here.
};

} // namespace Pilothouse
