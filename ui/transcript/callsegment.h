// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/callcard.h"
#include "transcript/segment.h"

#include <QStringList>

namespace Pilothouse {

/// The line of a call in its stack: glyph, tool, argument, result, time, and a second line when there is
/// something to say.
class CallSegment final : public Segment {
public:
    /// `isSteady`: it is as high as it may become while it runs or by its end, but for what it asks of a
    /// person, which has to wait.
    CallSegment(CallCard card, bool isUnfolded, bool isSteady = false);

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override { return estimate(context); }
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    [[nodiscard]] bool mayHaveTargets(const SegmentContext &) const override { return hasButton(); }
    [[nodiscard]] QList<SegmentTarget> targets(const SegmentContext &context) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;
    [[nodiscard]] bool ticks() const override { return m_card.ticks; }

private:
    [[nodiscard]] bool hasButton() const { return m_card.canLook && !m_isSteady; }
    [[nodiscard]] bool hasSecond() const { return m_isSteady || !m_card.second.isEmpty(); }
    /// Result and state stand on a line of their own: beside the tool's name they would leave no room.
    [[nodiscard]] bool breaks(const SegmentContext &context) const;
    [[nodiscard]] int lineHeight(const SegmentContext &context) const; ///< Of the first line.
    [[nodiscard]] int headHeight(const SegmentContext &context) const; ///< Without the second line.
    [[nodiscard]] QRect chevron(const SegmentContext &context) const;
    /// Of the second line, in the segment; empty without one.
    [[nodiscard]] QRect button(const SegmentContext &context) const;
    /// Why the outcome is unknown, where it does not fit beside the button; 0: it does.
    [[nodiscard]] int wrappedHeight(const SegmentContext &context) const;
    void paintStateLine(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const;
    void paintSecond(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const;

    CallCard m_card;
    bool m_isUnfolded;
    bool m_isSteady;
};

/// The ground of what an unfolded card holds, with a hairline above; inside of the box if that ends with it.
void paintCardGround(QPainter *painter, const QRect &rect, bool isLast);

/// Some lines of text inside of an unfolded card: the arguments, or the end of the output.
class CallLinesSegment final : public Segment {
public:
    static constexpr int MostLines = 12; ///< The rest is in the Call pane.

    /// `isLast`: the box of the stack ends below it.
    CallLinesSegment(QStringList lines, QString note, bool isLast);

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override { return estimate(context); }
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;

private:
    QStringList m_lines;
    QString m_note; ///< "334 more lines, open in Call pane"; empty: none.
    bool m_isLast;
};

} // namespace Pilothouse
