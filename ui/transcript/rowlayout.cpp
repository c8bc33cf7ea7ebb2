// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowlayout.h"

#include <QFontDatabase>
#include <QFontMetrics>
#include <QPainter>
#include <QPalette>
#include <QTextLayout>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

namespace {

// A text layout of one long paragraph costs with its square when it changes; pieces keep it in the low
// milliseconds.
constexpr qsizetype LongestParagraph = 2000;
constexpr int Padding = 8;
constexpr int SidePadding = 12;
constexpr int CallLine = 30;
constexpr int Gap = 10;
constexpr int SmallGap = 6;

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto part = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

QColor quiet(const QPalette &palette)
{
    return mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.68);
}
QColor hairline(const QPalette &palette)
{
    return mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.22);
}
QColor tint(const QPalette &palette)
{
    return mixed(palette.color(QPalette::Base), palette.color(QPalette::Highlight), 0.10);
}

QStringList paragraphsOf(const QString &body)
{
    QStringList out;
    for (const QString &line : body.split(QLatin1Char('\n'))) {
        qsizetype at = 0;
        do {
            qsizetype length = std::min(LongestParagraph, line.size() - at);
            if (at + length < line.size() && line[at + length].isLowSurrogate())
                --length;
            out.append(line.mid(at, length));
            at += length;
        } while (at < line.size());
    }
    return out;
}

} // namespace

RowFonts::RowFonts(const QFont &base)
    : text(base)
    , bold(base)
    , small(base)
    , mono(QFontDatabase::systemFont(QFontDatabase::FixedFont))
{
    bold.setWeight(QFont::DemiBold);
    if (base.pointSizeF() > 0) {
        small.setPointSizeF(std::max(8.0, base.pointSizeF() - 1));
        mono.setPointSizeF(base.pointSizeF());
    } else {
        small.setPixelSize(std::max(11, base.pixelSize() - 1));
        mono.setPixelSize(base.pixelSize());
    }
    monoBold = mono;
    monoBold.setWeight(QFont::DemiBold);
    lineHeight = std::max(QFontMetrics(text).lineSpacing(), QFontMetrics(mono).lineSpacing());
}

RowLayout::RowLayout() = default;
RowLayout::~RowLayout() = default;

void RowLayout::setText(const RowText &text)
{
    m_text = text;
    const QStringList parts = text.body.isEmpty() ? QStringList() : paragraphsOf(text.body);
    size_t same = 0;
    while (same < m_paragraphs.size() && same < static_cast<size_t>(parts.size()) && text.mono == m_bodyMono
           && m_paragraphs[same].text == parts[static_cast<qsizetype>(same)])
        ++same;
    m_bodyMono = text.mono;
    m_paragraphs.resize(same);
    for (qsizetype i = static_cast<qsizetype>(same); i < parts.size(); ++i)
        m_paragraphs.push_back({parts[i], nullptr, 0, 0});
}

QRect RowLayout::bodyRect(int width, const RowFonts &fonts) const
{
    const int line = fonts.lineHeight;
    switch (m_text.look) {
    case RowText::Look::Hidden:
        return {};
    case RowText::Look::Message:
        return {SidePadding, Padding + line + 2, width - 2 * SidePadding, m_bodyHeight};
    case RowText::Look::Prose:
        return {0, m_text.head.isEmpty() ? 0 : line, width, m_bodyHeight};
    case RowText::Look::Fold:
        return {18, line + 4, width - 18, m_bodyHeight};
    case RowText::Look::Call:
        return {SidePadding + 14, CallLine + (m_text.second.isEmpty() ? 0 : line) + 2,
                width - 2 * SidePadding - 14, m_bodyHeight};
    case RowText::Look::Rule:
        return {};
    case RowText::Look::Remark:
        return {0, 0, width, m_bodyHeight};
    case RowText::Look::Problem:
        return {SidePadding, Padding + line + 2, width - 2 * SidePadding, m_bodyHeight};
    }
    return {};
}

int RowLayout::arrange(int width, const RowFonts &fonts)
{
    const int bodyWidth = std::max(40, bodyRect(width, fonts).width());
    if (bodyWidth != m_bodyWidth) {
        for (Paragraph &paragraph : m_paragraphs)
            paragraph.layout.reset();
        m_bodyWidth = bodyWidth;
    }
    const QFont &font = m_text.mono            ? fonts.mono
        : m_text.look == RowText::Look::Remark ? fonts.small
                                               : fonts.text;
    int y = 0;
    for (Paragraph &paragraph : m_paragraphs) {
        if (!paragraph.layout) {
            paragraph.layout = std::make_unique<QTextLayout>(paragraph.text, font);
            QTextOption option;
            option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
            option.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(QLatin1Char(' ')) * 8);
            // Code reads from the left in any language; prose takes the direction of its own text.
            option.setTextDirection(
                m_text.mono ? Qt::LeftToRight
                            : (paragraph.text.isRightToLeft() ? Qt::RightToLeft : Qt::LeftToRight));
            if (option.textDirection() == Qt::RightToLeft)
                option.setAlignment(Qt::AlignRight | Qt::AlignAbsolute);
            paragraph.layout->setTextOption(option);
            paragraph.layout->setCacheEnabled(true);
            paragraph.layout->beginLayout();
            qreal lineY = 0;
            for (QTextLine line = paragraph.layout->createLine(); line.isValid();
                 line = paragraph.layout->createLine()) {
                line.setLineWidth(bodyWidth);
                line.setPosition({0, lineY});
                lineY += line.height();
            }
            paragraph.layout->endLayout();
            paragraph.height = std::max(QFontMetrics(font).lineSpacing(), static_cast<int>(std::ceil(lineY)));
        }
        paragraph.y = y;
        y += paragraph.height;
    }
    m_bodyHeight = y;
    const int line = fonts.lineHeight;
    switch (m_text.look) {
    case RowText::Look::Hidden:
        return 0;
    case RowText::Look::Message:
        return 2 * Padding + line + 2 + y + Gap;
    case RowText::Look::Prose:
        return (m_text.head.isEmpty() ? 0 : line) + y + Gap;
    case RowText::Look::Fold:
        return line + 4 + (y > 0 ? y : 0) + SmallGap;
    case RowText::Look::Call:
        return CallLine + (m_text.second.isEmpty() ? 0 : line + 2) + (y > 0 ? y + Padding : 0) + SmallGap;
    case RowText::Look::Rule:
        return line + 2 * Padding;
    case RowText::Look::Remark:
        return y + SmallGap;
    case RowText::Look::Problem:
        return 2 * Padding + line + 2 + y + Gap;
    }
    return 0;
}

int RowLayout::estimate(const TranscriptRow &row, int width, const RowFonts &fonts)
{
    const int perLine = std::max(10, width / std::max(4, QFontMetrics(fonts.text).averageCharWidth()));
    const auto lines = static_cast<int>(std::min(row.text.size(), MostShownChars) / perLine) + 1;
    switch (row.kind) {
    case TranscriptRow::Kind::User:
    case TranscriptRow::Kind::Error:
        return (lines + 1) * fonts.lineHeight + 2 * Padding + Gap;
    case TranscriptRow::Kind::Text:
        return lines * fonts.lineHeight + Gap;
    case TranscriptRow::Kind::Reasoning:
    case TranscriptRow::Kind::Notice:
        return fonts.lineHeight + SmallGap;
    case TranscriptRow::Kind::Call:
        return CallLine + fonts.lineHeight + SmallGap;
    case TranscriptRow::Kind::Step:
    case TranscriptRow::Kind::TurnEnd:
        return fonts.lineHeight + 2 * Padding;
    }
    return fonts.lineHeight;
}

void RowLayout::paintBody(QPainter *painter, const QRect &rect, const QRect &clip) const
{
    for (const Paragraph &paragraph : m_paragraphs) {
        const int top = rect.y() + paragraph.y;
        if (top > clip.bottom())
            break;
        if (top + paragraph.height >= clip.top() && paragraph.layout)
            paragraph.layout->draw(painter, QPointF(rect.x(), top));
    }
}

void RowLayout::paintCall(QPainter *painter, const QRect &rect, const QPalette &palette,
                          const RowFonts &fonts, State state) const
{
    const QRect box = rect.adjusted(0, 0, -1, -SmallGap - 1);
    painter->setPen(m_text.waiting ? palette.color(QPalette::Text) : hairline(palette));
    painter->setBrush(m_text.waiting ? tint(palette) : palette.color(QPalette::Base));
    painter->drawRoundedRect(box, 4, 4);
    QRect line(box.x() + SidePadding, box.y(), box.width() - 2 * SidePadding, CallLine);
    painter->setPen(palette.color(QPalette::Text));
    painter->setFont(fonts.text);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                      state.unfolded ? QStringLiteral("−") : QStringLiteral("+"));
    line.setLeft(line.left() + 14);
    painter->setFont(m_text.waiting ? fonts.bold : fonts.text);
    const QFontMetrics sideMetrics(m_text.waiting ? fonts.bold : fonts.text);
    // Advances are rounded down, so a text would be elided in exactly its own width.
    const int sideWidth = std::min(sideMetrics.horizontalAdvance(m_text.side) + 2, line.width() / 2);
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                      sideMetrics.elidedText(m_text.side, Qt::ElideRight, sideWidth));
    line.setRight(line.right() - sideWidth - SidePadding);
    const QFontMetrics bold(fonts.monoBold);
    const QString name = bold.elidedText(m_text.head, Qt::ElideRight, line.width() / 2);
    painter->setFont(fonts.monoBold);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, name);
    line.setLeft(line.left() + bold.horizontalAdvance(name) + SidePadding);
    painter->setFont(fonts.mono);
    const bool isPath = m_text.line.startsWith(QLatin1Char('/'));
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(fonts.mono)
                          .elidedText(m_text.line, isPath ? Qt::ElideMiddle : Qt::ElideRight, line.width()));
    if (m_text.second.isEmpty())
        return;
    const QRect second(box.x() + SidePadding + 14, box.y() + CallLine - 4, box.width() - 2 * SidePadding - 14,
                       fonts.lineHeight);
    painter->setPen(quiet(palette));
    painter->drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(fonts.mono).elidedText(m_text.second, Qt::ElideRight, second.width()));
}

void RowLayout::paint(QPainter *painter, const QRect &rect, const QRect &clip, const QPalette &palette,
                      const RowFonts &fonts, State state) const
{
    if (m_text.look == RowText::Look::Hidden)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor ink = palette.color(QPalette::Text);
    const int line = fonts.lineHeight;
    QRect frame = rect.adjusted(0, 0, 0, -SmallGap);
    painter->setPen(ink);
    switch (m_text.look) {
    case RowText::Look::Hidden:
        break;
    case RowText::Look::Message:
        frame = rect.adjusted(0, 0, -1, -Gap - 1);
        painter->setPen(Qt::NoPen);
        painter->setBrush(tint(palette));
        painter->drawRoundedRect(frame, 6, 6);
        painter->setPen(quiet(palette));
        painter->setFont(fonts.small);
        painter->drawText(
            QRect(rect.x() + SidePadding, rect.y() + Padding, rect.width() - 2 * SidePadding, line),
            Qt::AlignLeft | Qt::AlignVCenter, m_text.head);
        break;
    case RowText::Look::Prose:
        if (!m_text.head.isEmpty()) {
            painter->setPen(quiet(palette));
            painter->setFont(fonts.small);
            painter->drawText(QRect(rect.x(), rect.y(), rect.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                              m_text.head);
        }
        break;
    case RowText::Look::Fold: {
        painter->setPen(quiet(palette));
        painter->setFont(fonts.text);
        const QRect words(rect.x(), rect.y(), rect.width(), line + 4);
        const QString sign = state.unfolded ? QStringLiteral("−") : QStringLiteral("+");
        painter->drawText(words, Qt::AlignLeft | Qt::AlignVCenter, sign);
        QString said = m_text.head;
        if (!m_text.line.isEmpty())
            said += QStringLiteral(": ") + m_text.line;
        painter->drawText(words.adjusted(14, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          QFontMetrics(fonts.text).elidedText(said, Qt::ElideRight, rect.width() - 14));
        break;
    }
    case RowText::Look::Call:
        paintCall(painter, rect, palette, fonts, state);
        break;
    case RowText::Look::Rule: {
        painter->setFont(fonts.small);
        const QFontMetrics metrics(fonts.small);
        const int side = metrics.horizontalAdvance(m_text.side);
        const QString head =
            metrics.elidedText(m_text.head, Qt::ElideRight, std::max(40, rect.width() - side - 24));
        const int from = rect.x() + metrics.horizontalAdvance(head) + 10;
        const int to = rect.right() - (side > 0 ? side + 10 : 0);
        const int y = rect.y() + rect.height() / 2;
        painter->setPen(hairline(palette));
        if (to > from)
            painter->drawLine(from, y, to, y);
        painter->setPen(quiet(palette));
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, head);
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, m_text.side);
        break;
    }
    case RowText::Look::Remark:
        painter->setPen(quiet(palette));
        break;
    case RowText::Look::Problem:
        frame = rect.adjusted(0, 0, -1, -Gap - 1);
        painter->setPen(ink);
        painter->setBrush(tint(palette));
        painter->drawRoundedRect(frame, 4, 4);
        painter->setFont(fonts.bold);
        painter->drawText(
            QRect(rect.x() + SidePadding, rect.y() + Padding, rect.width() - 2 * SidePadding, line),
            Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetrics(fonts.bold).elidedText(m_text.head, Qt::ElideRight, rect.width() - 2 * SidePadding));
        break;
    }
    if (!m_paragraphs.empty()) {
        const bool isQuiet =
            m_text.look == RowText::Look::Remark || m_text.look == RowText::Look::Fold || m_text.withdrawn;
        painter->setPen(isQuiet ? quiet(palette) : ink);
        paintBody(painter, bodyRect(rect.width(), fonts).translated(rect.topLeft()), clip);
    }
    if (state.current) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(palette.color(QPalette::Highlight), 2));
        painter->drawRoundedRect(QRectF(frame).adjusted(-3, -1, 3, 1), 4, 4);
    }
    painter->restore();
}

} // namespace Pilothouse
