// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdowninline.h"
#include "transcript/transcriptstyle.h"

#include <QPointF>
#include <QTextLayout>

#include <memory>

class QPainter;

namespace Pilothouse {

/// Parsed text of one block (or a cell, or a line of code) laid out for a width: fonts, colours, selection,
/// boxes around code, hits. Places are counted in what the text was parsed from.
class TextLine {
public:
    struct Look {
        const TranscriptStyle::Face *face = nullptr;
        const TranscriptStyle::Face *code = nullptr; ///< Of code inside of the text.
        Role color = Role::Text;
        Qt::Alignment alignment = Qt::AlignLeft; ///< For text that reads from the left.
        bool wraps = true;
        bool isCode = false; ///< Always from the left; tabs are wide.
    };
    /// The box around code in a text is wider than the code by this on each side.
    static constexpr qreal CodeBoxSide = 3;

    TextLine() = default;
    ~TextLine();
    Q_DISABLE_COPY_MOVE(TextLine)

    /// `formats`: colours of code, or empty.
    void set(MarkdownInline text, const Look &look, const QList<QTextLayout::FormatRange> &formats = {});
    int arrange(int width); ///< Returns the height.
    [[nodiscard]] bool isArranged() const { return m_layout != nullptr && m_width >= 0; }
    void release() { m_layout.reset(); }

    [[nodiscard]] const MarkdownInline &text() const { return m_text; }
    [[nodiscard]] bool isRightToLeft() const { return m_rightToLeft; }
    [[nodiscard]] int height() const { return m_height; }
    [[nodiscard]] int naturalWidth() const
    {
        return m_naturalWidth;
    } ///< Of the widest line, after arrange().

    /// `from`, `to`: selected places, `from` < 0: none.
    void paint(QPainter *painter, const QPointF &at, const QRect &clip, qsizetype from, qsizetype to) const;
    [[nodiscard]] qsizetype placeAt(const QPointF &point) const;
    [[nodiscard]] int lineTop(qsizetype place) const;
    /// Where the begin of a link stands, and its words; in order. Only after arrange().
    struct LinkPlace {
        QString target;
        QString words;
        QRect rect;
    };
    [[nodiscard]] QList<LinkPlace> links() const;
    /// Whether parsing a text may find links.
    [[nodiscard]] static bool mayHaveLinks(QStringView source);
    /// The run under a point; null: none.
    [[nodiscard]] const MarkdownInline::Run *runAt(const QPointF &point) const;

private:
    void isolateCode();
    [[nodiscard]] QFont codeFont() const;
    void makeLayout();
    void makeRoomForBoxes(QList<QTextLayout::FormatRange> *formats) const;
    [[nodiscard]] bool isSpacedAfter(qsizetype at) const;
    [[nodiscard]] bool touches(qsizetype at) const;
    [[nodiscard]] QList<MarkdownInline::Run> codeRuns() const;
    void paintCodeBoxes(QPainter *painter, const QPointF &at, const QRect &clip) const;

    MarkdownInline m_text;
    QList<MarkdownInline::Run> m_code; ///< Parts of the text that have boxes.
    Look m_look;
    QList<QTextLayout::FormatRange> m_formats;
    std::unique_ptr<QTextLayout> m_layout;
    int m_width = -1;
    int m_height = 0;
    int m_naturalWidth = 0;
    bool m_rightToLeft = false;
};

} // namespace Pilothouse
