// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputpainter.h"

#include "inspector/outputcopier.h"
#include "text/charwidth.h"
#include "theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isAscii(const QString &text)
{
    return std::all_of(text.cbegin(), text.cend(), [](QChar c) { return c.unicode() < 0x80; });
}

// Letters that change with their neighbours are shaped together; the grid must bend to them.
bool isJoining(char32_t c)
{
    const QChar::Direction direction = QChar::direction(c);
    return direction == QChar::DirR || direction == QChar::DirAL
        || QChar::joiningType(c) == QChar::Joining_Dual || (c >= 0x0900 && c <= 0x109F)
        || (c >= 0x1780 && c <= 0x17FF);
}

} // namespace

void OutputPainter::refresh()
{
    const Theme &theme = Theme::instance();
    for (size_t i = 0; i < m_fonts.size(); ++i) {
        m_fonts[i] = theme.font(TextStyle::Mono);
        if ((i & 1U) != 0)
            m_fonts[i].setWeight(QFont::DemiBold);
        m_fonts[i].setItalic((i & 2U) != 0);
    }
    const QFontMetricsF metrics(m_fonts[0]);
    m_cellWidth = std::max<qreal>(1, metrics.horizontalAdvance(u'0'));
    m_lineHeight = theme.lineHeight(TextStyle::Mono);
    m_ascent = metrics.ascent() + (m_lineHeight - metrics.height()) / 2;
}

void OutputPainter::paint(QPainter *painter, const LineStore::Row &row, int from, int to, const QPointF &at,
                          const QColor &ink) const
{
    const Theme &theme = Theme::instance();
    if (row.kind == LineStore::Block::Kind::Gap) {
        painter->setFont(m_fonts[2]);
        painter->setPen(ink.isValid() ? ink : theme.color(Role::Text2));
        const QString text = u"… "_s + hiddenText(row.hiddenBytes) + u" …";
        painter->drawText(QPointF(at.x() - from * m_cellWidth, at.y() + m_ascent), text);
        return;
    }
    for (const AnsiSpan &span : row.spans) {
        const int first = std::max(span.column, from);
        const int last = std::min(span.column + span.columns, to);
        if (first >= last)
            continue;
        const AnsiStyle &style = span.style;
        const auto has = [&style](quint16 flag) { return (style.flags & flag) != 0; };
        const QRectF box(at.x() + (first - from) * m_cellWidth, at.y(), (last - first) * m_cellWidth,
                         m_lineHeight);
        if (!ink.isValid()) {
            const Theme::AnsiColors colors =
                theme.ansi(style.foreground, style.background, has(AnsiStyle::Dim), has(AnsiStyle::Reverse));
            if (colors.background.isValid())
                painter->fillRect(box, colors.background);
            const bool isOurs = has(AnsiStyle::Escaped) && style.background == AnsiStyle::Default;
            painter->setPen(isOurs ? theme.color(Role::Interrupted) : colors.foreground);
        } else {
            painter->setPen(ink);
        }
        painter->setFont(m_fonts[(has(AnsiStyle::Bold) ? 1U : 0U) | (has(AnsiStyle::Italic) ? 2U : 0U)]);
        paintText(painter, span.text, span.column, from, to, at);
        const QColor pen = painter->pen().color();
        const qreal baseline = at.y() + m_ascent;
        if (has(AnsiStyle::Underline))
            painter->fillRect(QRectF(box.left(), baseline + 1, box.width(), 1), pen);
        if (has(AnsiStyle::Strike))
            painter->fillRect(QRectF(box.left(), baseline - m_ascent / 3, box.width(), 1), pen);
    }
}

void OutputPainter::paintText(QPainter *painter, const QString &text, int column, int from, int to,
                              const QPointF &at) const
{
    const auto draw = [&](const QString &part, int where) {
        painter->drawText(QPointF(at.x() + (where - from) * m_cellWidth, at.y() + m_ascent), part);
    };
    if (isAscii(text)) {
        const int first = std::max(column, from);
        const int last = std::min(column + static_cast<int>(text.size()), to);
        const QString part = text.mid(first - column, last - first);
        if (part.trimmed().isEmpty())
            return;
        draw(part, first);
        return;
    }
    QString pending;
    int pendingAt = column;
    bool isJoined = false;
    bool isPlain = false; // ASCII, which keeps the grid by itself.
    const auto flush = [&] {
        if (!pending.isEmpty() && pendingAt < to && !pending.trimmed().isEmpty())
            draw(pending, pendingAt);
        pending.clear();
    };
    for (qsizetype i = 0; i < text.size() && column < to;) {
        char32_t c = text[i].unicode();
        qsizetype size = 1;
        if (text[i].isHighSurrogate() && i + 1 < text.size()) {
            c = QChar::surrogateToUcs4(text[i], text[i + 1]);
            size = 2;
        }
        const int width = charWidth(c);
        const bool joins = isJoining(c);
        const bool plain = c < 0x80;
        const bool goesOn = width == 0 || (joins && isJoined) || (plain && isPlain);
        // A piece begins with the first letter in sight, not with the last one out of it.
        if (width > 0 && (!goesOn || pending.isEmpty())) {
            flush();
            pendingAt = column;
        }
        if (width > 0 ? column + width > from : !pending.isEmpty())
            pending += QStringView(text).sliced(i, size);
        if (width > 0) {
            isJoined = joins;
            isPlain = plain;
        }
        column += width;
        i += size;
    }
    flush();
}

} // namespace Pilothouse
