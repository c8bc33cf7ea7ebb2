// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/textline.h"

#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>
#include <QTextOption>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace Pilothouse {

using Style = MarkdownInline::Style;

namespace {
constexpr int TabColumns = 4;
constexpr qreal CodeBoxRadius = 3;
constexpr qreal TightBoxSide = 1; // Beside what touches the code.

// Where the glyphs of a part of a line begin and end. A cursor cannot tell: between directions it stands
// where the text around goes on.
std::pair<qreal, qreal> glyphEdges(const QTextLine &line, int from, int to)
{
    qreal left = std::numeric_limits<qreal>::max();
    qreal right = std::numeric_limits<qreal>::lowest();
    const QList<QGlyphRun> runs = line.glyphRuns(from, to - from);
    for (const QGlyphRun &run : runs) {
        const QList<QPointF> positions = run.positions();
        const QList<QPointF> advances = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes());
        for (qsizetype i = 0; i < std::min(positions.size(), advances.size()); ++i) {
            left = std::min(left, positions[i].x());
            right = std::max(right, positions[i].x() + advances[i].x());
        }
    }
    return left <= right ? std::pair(left, right) : std::pair<qreal, qreal>(0, 0);
}

} // namespace

TextLine::~TextLine() = default;

void TextLine::set(MarkdownInline text, const Look &look, const QList<QTextLayout::FormatRange> &formats)
{
    m_text = std::move(text);
    m_look = look;
    m_formats = formats;
    m_layout.reset();
    m_width = -1;
    m_rightToLeft = !look.isCode && m_text.text.isRightToLeft();
    m_code = look.isCode ? QList<MarkdownInline::Run>() : codeRuns();
    if (m_rightToLeft && !m_code.isEmpty())
        isolateCode();
}

// Code is read from the left, its brackets too, whatever the text around it is. The signs that say so belong
// to no run, so they are never copied.
void TextLine::isolateCode()
{
    constexpr QChar LeftToRightIsolate(0x2066);
    constexpr QChar PopDirectionalIsolate(0x2069);
    QString text;
    text.reserve(m_text.text.size() + 2 * m_code.size());
    qsizetype copied = 0;
    qsizetype shifted = 0; // The first run that still stands where it stood.
    for (const MarkdownInline::Run &part : std::as_const(m_code)) {
        const qsizetype end = part.at + part.length;
        text += QStringView(m_text.text).sliced(copied, part.at - copied);
        const qsizetype before = text.size() - part.at;
        text += LeftToRightIsolate;
        text += QStringView(m_text.text).sliced(part.at, part.length);
        text += PopDirectionalIsolate;
        copied = end;
        for (; shifted < m_text.runs.size() && m_text.runs[shifted].at < end; ++shifted)
            m_text.runs[shifted].at += before + (m_text.runs[shifted].at >= part.at ? 1 : 0);
    }
    const qsizetype after = 2 * m_code.size();
    for (; shifted < m_text.runs.size(); ++shifted)
        m_text.runs[shifted].at += after;
    text += QStringView(m_text.text).sliced(copied);
    m_text.text = text;
    m_code = codeRuns(); // Where they stand now.
}

// That of code in a text, but in a heading a heading's.
QFont TextLine::codeFont() const
{
    QFont font = m_look.code->font;
    const int around = m_look.face->font.pixelSize();
    if (around > font.pixelSize() + 1) {
        font.setPixelSize(around - 1);
        font.setWeight(m_look.face->font.weight());
    }
    return font;
}

void TextLine::makeLayout()
{
    m_layout = std::make_unique<QTextLayout>(m_text.text, m_look.face->font);
    QTextOption option;
    option.setWrapMode(m_look.wraps ? QTextOption::WrapAtWordBoundaryOrAnywhere : QTextOption::NoWrap);
    option.setTextDirection(m_rightToLeft ? Qt::RightToLeft : Qt::LeftToRight);
    const Qt::Alignment side = m_look.alignment & Qt::AlignHorizontal_Mask;
    const bool isMirrored = m_rightToLeft && side == Qt::AlignLeft;
    option.setAlignment((isMirrored ? Qt::AlignRight : side) | Qt::AlignAbsolute);
    if (m_look.isCode)
        option.setTabStopDistance(m_look.face->metrics.horizontalAdvance(QLatin1Char(' ')) * TabColumns);
    m_layout->setTextOption(option);
    QList<QTextLayout::FormatRange> formats = m_formats;
    for (const MarkdownInline::Run &run : std::as_const(m_text.runs)) {
        if (!run.styles)
            continue;
        QTextCharFormat format;
        if (run.styles.testFlag(Style::Code))
            format.setFont(codeFont());
        if (run.styles.testFlag(Style::Bold)) {
            QFont font = run.styles.testFlag(Style::Code) ? codeFont() : m_look.face->font;
            font.setWeight(QFont::DemiBold);
            format.setFont(font);
        }
        if (run.styles.testFlag(Style::Italic))
            format.setFontItalic(true);
        if (run.styles.testFlag(Style::Strike))
            format.setFontStrikeOut(true);
        if (run.styles.testFlag(Style::Link)) {
            format.setForeground(TranscriptStyle::color(Role::Accent));
            format.setFontUnderline(true);
        }
        if (run.styles.testFlag(Style::Image))
            format.setForeground(TranscriptStyle::color(Role::Text2));
        if (run.styles.testFlag(Style::Written))
            format.setForeground(TranscriptStyle::color(Role::Failed));
        formats.append({static_cast<int>(run.at), static_cast<int>(run.length), format});
    }
    if (!m_code.isEmpty())
        makeRoomForBoxes(&formats);
    m_layout->setFormats(formats);
    m_layout->setCacheEnabled(true);
}

// The blanks beside code are wider, and so is what stands right after a letter or a sign of the other kind.
void TextLine::makeRoomForBoxes(QList<QTextLayout::FormatRange> *formats) const
{
    QTextCharFormat wideBlank;
    wideBlank.setFontWordSpacing(CodeBoxSide);
    QTextCharFormat spaced;
    spaced.setFontLetterSpacingType(QFont::AbsoluteSpacing);
    spaced.setFontLetterSpacing(CodeBoxSide);
    for (const MarkdownInline::Run &run : m_code) {
        for (const qsizetype at : {run.at - 1, run.at + run.length}) {
            if (at >= 0 && at < m_text.text.size() && m_text.text[at] == QLatin1Char(' '))
                formats->append({static_cast<int>(at), 1, wideBlank});
        }
        for (const qsizetype at : {run.at - 1, run.at + run.length - 1}) {
            if (isSpacedAfter(at))
                formats->append({static_cast<int>(at), 1, spaced});
        }
    }
}

// Where code and text touch each other the room is made after the first of both. Only where one character is
// one glyph: spacing parts what is shaped together.
bool TextLine::isSpacedAfter(qsizetype at) const
{
    if (m_rightToLeft || at < 0 || at + 1 >= m_text.text.size())
        return false;
    const auto isApart = [](QChar c) {
        return c.isPrint() && !c.isSpace() && !c.isMark() && !c.isSurrogate()
            && (c.direction() != QChar::DirR && c.direction() != QChar::DirAL)
            && c.category() != QChar::Other_Format;
    };
    return isApart(m_text.text[at]) && isApart(m_text.text[at + 1]);
}

// There is no room for a box between code and what stands at a place beside it, in text that is read from the
// right; in other text room was made.
bool TextLine::touches(qsizetype at) const
{
    return m_rightToLeft && at >= 0 && at < m_text.text.size() && !m_text.text[at].isSpace();
}

// Runs that are parted only by a mark that is not shown are one.
QList<MarkdownInline::Run> TextLine::codeRuns() const
{
    QList<MarkdownInline::Run> code;
    for (const MarkdownInline::Run &run : std::as_const(m_text.runs)) {
        if (!run.styles.testFlag(Style::Code) || run.length == 0)
            continue;
        if (!code.isEmpty() && code.constLast().at + code.constLast().length == run.at)
            code.last().length += run.length;
        else
            code.append(run);
    }
    return code;
}

int TextLine::arrange(int width)
{
    if (m_layout && m_width == width)
        return m_height;
    if (!m_layout)
        makeLayout();
    m_width = width;
    m_layout->beginLayout();
    int y = 0;
    qreal widest = 0;
    for (QTextLine line = m_layout->createLine(); line.isValid(); line = m_layout->createLine()) {
        line.setLineWidth(width);
        const int height = std::max(m_look.face->line, static_cast<int>(std::ceil(line.height())));
        line.setPosition({0, y + std::floor((height - line.height()) / 2)});
        widest = std::max(widest, line.naturalTextWidth());
        y += height;
    }
    m_layout->endLayout();
    m_height = std::max(y, m_look.face->line);
    m_naturalWidth = static_cast<int>(std::ceil(widest));
    return m_height;
}

void TextLine::paintCodeBoxes(QPainter *painter, const QPointF &at, const QRect &clip) const
{
    painter->setPen(TranscriptStyle::color(Role::Hair));
    painter->setBrush(TranscriptStyle::color(Role::Sunken));
    for (const MarkdownInline::Run &run : m_code) {
        for (int i = m_layout->lineForTextPosition(static_cast<int>(run.at)).lineNumber();
             i >= 0 && i < m_layout->lineCount(); ++i) {
            const QTextLine line = m_layout->lineAt(i);
            const int from = std::max(line.textStart(), static_cast<int>(run.at));
            const int to =
                std::min(line.textStart() + line.textLength(), static_cast<int>(run.at + run.length));
            if (to <= from)
                break;
            const auto [left, right] = m_rightToLeft ? glyphEdges(line, from, to)
                                                     : std::pair(line.cursorToX(from), line.cursorToX(to));
            const bool isSpaced = to == run.at + run.length && isSpacedAfter(to - 1);
            const qreal width = std::abs(right - left) - (isSpaced ? CodeBoxSide : 0);
            QRectF box(at.x() + std::min(left, right), at.y() + line.y(), width, line.height());
            // Beyond the signs that isolate the code; what is read from the right goes on at its left.
            const qreal leftSide = touches(run.at + run.length + 1) ? TightBoxSide : CodeBoxSide;
            const qreal rightSide = touches(run.at - 2) ? TightBoxSide : CodeBoxSide;
            box.adjust(0.5 - leftSide, 0.5, rightSide - 0.5, -0.5);
            if (box.top() > clip.bottom())
                return;
            painter->drawRoundedRect(box, CodeBoxRadius, CodeBoxRadius);
        }
    }
}

void TextLine::paint(QPainter *painter, const QPointF &at, const QRect &clip, qsizetype from,
                     qsizetype to) const
{
    if (!m_layout)
        return;
    if (!m_code.isEmpty())
        paintCodeBoxes(painter, at, clip);
    QList<QTextLayout::FormatRange> selections;
    if (from >= 0 && to > from) {
        const qsizetype begin = m_text.fromSource(from);
        const qsizetype end = m_text.fromSource(to);
        if (end > begin) {
            QTextCharFormat format;
            format.setBackground(TranscriptStyle::color(Role::SelectionBack));
            format.setForeground(TranscriptStyle::color(Role::SelectionText));
            selections.append({static_cast<int>(begin), static_cast<int>(end - begin), format});
        }
    }
    painter->setPen(TranscriptStyle::color(m_look.color));
    m_layout->draw(painter, at, selections, clip);
}

qsizetype TextLine::placeAt(const QPointF &point) const
{
    if (!m_layout || m_layout->lineCount() == 0)
        return 0;
    for (int i = 0; i < m_layout->lineCount(); ++i) {
        const QTextLine line = m_layout->lineAt(i);
        if (point.y() < line.y() + line.height() || i + 1 == m_layout->lineCount())
            return m_text.toSource(line.xToCursor(point.x()));
    }
    return 0;
}

int TextLine::lineTop(qsizetype place) const
{
    if (!m_layout)
        return 0;
    const QTextLine line = m_layout->lineForTextPosition(static_cast<int>(m_text.fromSource(place)));
    return line.isValid() ? static_cast<int>(line.y()) : 0;
}

bool TextLine::mayHaveLinks(QStringView source)
{
    return source.contains(u"](") || source.contains(u"http")
        || (source.contains(u'<') && source.contains(u'@'));
}

QList<TextLine::LinkPlace> TextLine::links() const
{
    QList<LinkPlace> out;
    if (!m_layout)
        return out;
    int before = -1;
    for (const MarkdownInline::Run &run : m_text.runs) {
        if (!run.styles.testFlag(Style::Link)) {
            before = -1;
            continue;
        }
        const QString words = m_text.text.mid(run.at, run.length);
        if (run.target == before) { // The same link in another style.
            out.last().words += words;
            continue;
        }
        before = run.target;
        const QTextLine line = m_layout->lineForTextPosition(static_cast<int>(run.at));
        if (!line.isValid())
            continue;
        const auto end =
            static_cast<int>(std::min<qsizetype>(run.at + run.length, line.textStart() + line.textLength()));
        const qreal from = line.cursorToX(static_cast<int>(run.at));
        const qreal to = line.cursorToX(end);
        const QRectF rect(std::min(from, to), line.y(), std::abs(to - from), line.height());
        out.append({m_text.targets.value(run.target), words, rect.toAlignedRect()});
    }
    return out;
}

const MarkdownInline::Run *TextLine::runAt(const QPointF &point) const
{
    if (!m_layout)
        return nullptr;
    for (int i = 0; i < m_layout->lineCount(); ++i) {
        const QTextLine line = m_layout->lineAt(i);
        if (point.y() < line.y() || point.y() >= line.y() + line.height())
            continue;
        if (!line.naturalTextRect().contains(point))
            return nullptr;
        const int at = line.xToCursor(point.x(), QTextLine::CursorOnCharacter);
        for (const MarkdownInline::Run &run : m_text.runs) {
            if (at >= run.at && at < run.at + run.length)
                return &run;
        }
    }
    return nullptr;
}

} // namespace Pilothouse
