// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/transcriptstyle.h"

#include <QList>
#include <QPoint>
#include <QRect>
#include <QString>

class QPainter;

namespace Pilothouse {

class TranscriptImages;

/// What all segments of a view share.
struct SegmentContext {
    const TranscriptStyle &style;
    TranscriptImages *images; ///< May be null.
    int width; ///< Of the segment in pixels.
    QStringView source; ///< The row's text; places are counted in it.
    qint64 nowMs; ///< UTC, for elapsed times.
    bool rightToLeft; ///< Of the program; blocks of text have their own direction.
};

/// What stands under a point.
struct SegmentHit {
    enum class What {
        Nothing = 1,
        Text, ///< `place`
        Link, ///< `value`: the whole target; `place`
        Fold, ///< Folds or unfolds the row.
        Call, ///< The row of a call itself.
        Copy, ///< `value`: what is copied.
        ShowAll, ///< Lines that are cut for display.
        Look, ///< Looks on the machine for what became of a call.
        Image, ///< `place`: of the image in the row's text. Load it.
    };
    What what = What::Nothing;
    qsizetype place = -1;
    QString value;
    QString toolTip; ///< Plain text.
    QRect rect; ///< Of a button, in the segment.
};

/// A link or button in a segment, for keys and screen readers.
struct SegmentTarget {
    SegmentHit hit; ///< What a press does.
    QString name;
    QRect rect; ///< In the segment; of a link that is broken into lines, its begin.
};

/// How a segment is painted this time.
struct SegmentPaint {
    QRect rect; ///< Of the segment in the painter's coordinates, as wide and high as arranged.
    QRect clip;
    qsizetype selectedFrom = -1; ///< In the row's text; -1: nothing.
    qsizetype selectedTo = -1;
    QPoint pointer{-1, -1}; ///< In the segment; outside if it is elsewhere.
    bool isHovered = false; ///< The pointer is on the segment.
    bool isCurrent = false; ///< The row is under the keyboard.
    int target = -1; ///< Which of targets() keys have walked to; -1: none.
};

/// A small part of a row: a paragraph, a table's rows, a line of a card. It is laid out once when it comes
/// near the viewport, and bounded, so that one costs at most about two milliseconds. GUI thread.
class Segment {
public:
    Segment() = default;
    virtual ~Segment() = default;
    Q_DISABLE_COPY_MOVE(Segment)

    /// Rough height, without laying anything out.
    [[nodiscard]] virtual int estimate(const SegmentContext &context) const = 0;
    /// Lays out what changed and returns the height in pixels.
    virtual int arrange(const SegmentContext &context) = 0;
    virtual void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const = 0;
    virtual void release() { } ///< Far from the viewport: layouts go, they are made again by arrange().

    /// Range of the row's text that it shows; `begin` < 0: none.
    [[nodiscard]] virtual qsizetype begin() const { return -1; }
    [[nodiscard]] virtual qsizetype end() const { return -1; }
    /// Place in the row's text nearest to a point; only after arrange(). -1: it has no text.
    [[nodiscard]] virtual qsizetype placeAt(const QPoint &) const { return -1; }
    /// Top of the line with a place, in pixels.
    [[nodiscard]] virtual int lineTop(qsizetype) const { return 0; }
    [[nodiscard]] virtual SegmentHit hit(const SegmentContext &, const QPoint &) const { return {}; }
    /// Whether targets() may find something, without laying anything out.
    [[nodiscard]] virtual bool mayHaveTargets(const SegmentContext &) const { return false; }
    /// In the order of reading; only after arrange().
    [[nodiscard]] virtual QList<SegmentTarget> targets(const SegmentContext &) const { return {}; }
    [[nodiscard]] virtual bool ticks() const { return false; } ///< Shows an elapsed time that goes on.
};

} // namespace Pilothouse
