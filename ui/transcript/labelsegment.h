// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/segment.h"

namespace Pilothouse {

/// One line of words of ours: heads of messages and errors, what unfolds reasoning.
class LabelSegment final : public Segment {
public:
    struct Look {
        QString icon; ///< Before the words; empty: none.
        Role iconColor = Role::Text2;
        QString words;
        bool isStrong = false;
        bool isSmall = false;
        Role color = Role::Text;
        QString side; ///< After the words, quieter.
        int top = 0; ///< Space above, in pixels.
        int bottom = 0;
        bool folds = false; ///< A click folds or unfolds the row.
        bool wraps = false; ///< Otherwise elided.
        bool isIndented = false; ///< Stands where words after an icon stand.
    };
    explicit LabelSegment(Look look);

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override;
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;

private:
    [[nodiscard]] const TranscriptStyle::Face &face(const TranscriptStyle &style) const;
    [[nodiscard]] int textLeft() const;

    Look m_look;
};

/// The hairline of a step with its number in the gutter; its figures show under the pointer and the keyboard.
class StepSegment final : public Segment {
public:
    StepSegment(int step, QStringList figures);

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override { return estimate(context); }
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;

private:
    int m_step;
    QString m_figures;
};

/// How a turn ended: state in shape, colour and words, and what it cost.
class TurnEndSegment final : public Segment {
public:
    TurnEndSegment(QString state, QString words, QStringList figures);

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override { return estimate(context); }
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;

private:
    QString m_state;
    QString m_words;
    QString m_figures;
};

} // namespace Pilothouse
