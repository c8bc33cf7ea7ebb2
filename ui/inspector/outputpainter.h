// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/linestore.h"

#include <QColor>
#include <QFont>
#include <QPointF>

#include <array>

class QPainter;

namespace Pilothouse {

/// Paints rows of an output in a grid of fixed cells, with the fonts and colours of the theme. Only what lies
/// between the columns asked for is shaped, however long the row is.
class OutputPainter {
public:
    OutputPainter() { refresh(); }

    void refresh(); ///< After the theme changed.
    [[nodiscard]] qreal cellWidth() const { return m_cellWidth; }
    [[nodiscard]] int lineHeight() const { return m_lineHeight; }
    [[nodiscard]] qreal ascent() const { return m_ascent; }

    /// Columns [from, to) of `row`, the first one at `at` (top of the line). A valid `ink` replaces all
    /// colours (selected text).
    void paint(QPainter *painter, const LineStore::Row &row, int from, int to, const QPointF &at,
               const QColor &ink = {}) const;

private:
    void paintText(QPainter *painter, const QString &text, int column, int from, int to,
                   const QPointF &at) const;

    std::array<QFont, 4> m_fonts; ///< Bold is bit 0, italic bit 1.
    qreal m_cellWidth = 8;
    qreal m_ascent = 12;
    int m_lineHeight = 16;
};

} // namespace Pilothouse
