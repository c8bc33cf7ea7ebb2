// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/blockframe.h"
#include "transcript/prosepiece.h"
#include "transcript/segment.h"
#include "transcript/textline.h"

namespace Pilothouse {

/// What is said of a picture that could not be had: the problem, after `name` unless it names it itself.
[[nodiscard]] QString failedPictureWords(const QString &name, const QString &problem);

/// A paragraph or heading, or a piece of a long one, and the pictures named in it.
class ProseSegment final : public Segment {
public:
    struct Look {
        int heading = 0; ///< 1 to 6; 0: none.
        Role color = Role::Text;
        bool small = false;
        bool plain = false; ///< A person's words: line ends count, only code is marked.
        qint64 row = 0; ///< Number of the row, to tell pictures apart.
        bool isCut = false; ///< The row's text is complete elsewhere only.
    };
    ProseSegment(ProsePiece piece, BlockFrame frame, const Look &look);

    [[nodiscard]] const ProsePiece &piece() const { return m_piece; }

    [[nodiscard]] int estimate(const SegmentContext &context) const override;
    int arrange(const SegmentContext &context) override;
    void paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const override;
    void release() override;
    [[nodiscard]] qsizetype begin() const override { return m_piece.begin(); }
    [[nodiscard]] qsizetype end() const override { return m_piece.end(); }
    [[nodiscard]] qsizetype placeAt(const QPoint &point) const override;
    [[nodiscard]] int lineTop(qsizetype place) const override;
    [[nodiscard]] bool mayHaveTargets(const SegmentContext &context) const override;
    [[nodiscard]] QList<SegmentTarget> targets(const SegmentContext &context) const override;
    [[nodiscard]] SegmentHit hit(const SegmentContext &context, const QPoint &point) const override;

private:
    struct Picture {
        QString key; ///< In TranscriptImages.
        QString target; ///< Empty: the picture itself stands in the text.
        ProsePiece::Data data;
        QRect rect; ///< In the segment.
    };
    [[nodiscard]] const TranscriptStyle::Face &face(const TranscriptStyle &style) const;
    /// What loads it; empty if it is here, on its way or cannot be had.
    [[nodiscard]] static QString offer(const SegmentContext &context, const Picture &picture);
    void findPictures(const SegmentContext &context);
    void arrangePictures(const SegmentContext &context);
    void paintPicture(QPainter *painter, const SegmentContext &context, const Picture &picture,
                      const QPoint &at) const;

    ProsePiece m_piece;
    BlockFrame m_frame;
    Look m_look;
    TextLine m_text;
    std::vector<Picture> m_pictures;
    QRect m_content;
    bool m_parsed = false;
};

} // namespace Pilothouse
