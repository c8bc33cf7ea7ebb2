// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/rowtext.h"

#include <QFont>
#include <QRect>
#include <QString>

#include <memory>
#include <vector>

class QPainter;
class QPalette;
class QTextLayout;

namespace Pilothouse {

/// Fonts of the transcript, derived from the view's.
struct RowFonts {
    explicit RowFonts(const QFont &base);
    QFont text;
    QFont bold;
    QFont small;
    QFont mono;
    QFont monoBold;
    int lineHeight = 0;
};

/// One row of the transcript, laid out for a width and painted. Paragraphs that do not change keep their
/// layout, so a row that grows at its end costs what is new. GUI thread.
class RowLayout {
public:
    RowLayout();
    ~RowLayout();
    Q_DISABLE_COPY_MOVE(RowLayout)

    void setText(const RowText &text);
    [[nodiscard]] const RowText &text() const { return m_text; }
    /// Height of the row in pixels, the space below it included.
    int arrange(int width, const RowFonts &fonts);

    struct State {
        bool unfolded = false;
        bool current = false; ///< With a focus ring.
        bool rightToLeft = false;
    };
    /// `rect`: the row's place, as wide as arranged. Nothing outside of `clip` is painted.
    void paint(QPainter *painter, const QRect &rect, const QRect &clip, const QPalette &palette,
               const RowFonts &fonts, State state) const;

    /// Rough height before anything is laid out.
    [[nodiscard]] static int estimate(const TranscriptRow &row, int width, const RowFonts &fonts);

private:
    struct Paragraph {
        QString text;
        std::unique_ptr<QTextLayout> layout; ///< Null: not laid out yet.
        int y = 0;
        int height = 0;
    };
    [[nodiscard]] QRect bodyRect(int width, const RowFonts &fonts) const;
    void paintBody(QPainter *painter, const QRect &rect, const QRect &clip) const;
    void paintCall(QPainter *painter, const QRect &rect, const QPalette &palette, const RowFonts &fonts,
                   State state) const;

    RowText m_text;
    std::vector<Paragraph> m_paragraphs;
    int m_bodyWidth = -1;
    bool m_bodyMono = false;
    int m_bodyHeight = 0;
};

} // namespace Pilothouse
