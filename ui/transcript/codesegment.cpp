// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/codesegment.h"

#include "theme/icons.h"
#include "theme/metrics.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostInRow = 4000; // Of a line's text in one layout; the cost grows with its square.
constexpr int CodeInside = Metrics::SpaceS; // Space between the box and the text, above and below.
constexpr int Side = Metrics::SpaceM;
constexpr int ButtonSize = Metrics::ButtonSmall;
constexpr int CopyTarget = 0; // Of targets().

QTextCharFormat formatOf(CodeSpan::Token token)
{
    QTextCharFormat format;
    switch (token) {
    case CodeSpan::Token::Keyword:
        format.setForeground(TranscriptStyle::color(Role::SynKeyword));
        break;
    case CodeSpan::Token::String:
        format.setForeground(TranscriptStyle::color(Role::SynString));
        break;
    case CodeSpan::Token::Number:
        format.setForeground(TranscriptStyle::color(Role::SynNumber));
        break;
    case CodeSpan::Token::Comment:
        format.setForeground(TranscriptStyle::color(Role::SynComment));
        format.setFontItalic(true);
        break;
    case CodeSpan::Token::Function:
        format.setForeground(TranscriptStyle::color(Role::SynFunc));
        break;
    case CodeSpan::Token::Added:
        format.setForeground(TranscriptStyle::color(Role::Finished));
        break;
    case CodeSpan::Token::Removed:
        format.setForeground(TranscriptStyle::color(Role::Failed));
        break;
    }
    return format;
}

} // namespace

CodeSegment::CodeSegment(std::shared_ptr<CodeText> text, size_t first, BlockFrame frame)
    : m_text(std::move(text))
    , m_frame(std::move(frame))
    , m_first(first)
    , m_last(first)
{ }

void CodeSegment::extend(size_t lastLine, bool isLast)
{
    // The last line may have been incomplete.
    const size_t kept = std::min(m_arranged, std::max(m_last, m_first + 1) - 1 - m_first);
    while (!m_rows.empty() && m_rows.back()->line >= m_first + kept)
        m_rows.pop_back();
    m_arranged = kept;
    m_last = lastLine;
    m_isLast = isLast;
}

void CodeSegment::setShowsAll(bool showsAll)
{
    if (m_showsAll != showsAll)
        release();
    m_showsAll = showsAll;
}

int CodeSegment::estimate(const SegmentContext &context) const
{
    const int lines = static_cast<int>(std::max<size_t>(1, m_last - m_first));
    return m_frame.top + lines * context.style.mono.line + TranscriptStyle::px(CodeInside) * 2;
}

void CodeSegment::addRows(const SegmentContext &context, size_t line)
{
    const QString text = m_text->lineText(context.source, line);
    std::vector<CodeSpan> spans;
    m_text->spans(context.source, line, &spans);
    qsizetype at = 0;
    do {
        auto row = std::make_unique<Row>();
        row->line = line;
        row->at = at;
        row->length = std::min(MostInRow, text.size() - at);
        if (at + row->length < text.size() && text[at + row->length].isLowSurrogate())
            --row->length;
        const bool goesOn = at + row->length < text.size();
        row->isCut = goesOn && !m_showsAll;
        MarkdownInline shown = plainInline(QStringView(text).mid(at, row->length));
        QList<QTextLayout::FormatRange> formats;
        for (const CodeSpan &span : spans) {
            const qsizetype from = shown.fromSource(std::max<qsizetype>(0, span.at - at));
            const qsizetype to = shown.fromSource(std::min(span.at + span.length - at, row->length));
            if (to > from)
                formats.append({static_cast<int>(from), static_cast<int>(to - from), formatOf(span.token)});
        }
        TextLine::Look look;
        look.face = &context.style.mono;
        look.code = &context.style.mono;
        look.isCode = true;
        row->text.set(std::move(shown), look, formats);
        at += row->length;
        m_rows.push_back(std::move(row));
        if (m_rows.back()->isCut)
            return;
    } while (at < text.size());
}

int CodeSegment::arrange(const SegmentContext &context)
{
    for (; m_first + m_arranged < m_last; ++m_arranged)
        addRows(context, m_first + m_arranged);
    QRect box = m_frame.content(context.width, 0, false);
    const int inside = TranscriptStyle::px(CodeInside);
    const int side = TranscriptStyle::px(Side);
    const int width = std::max(40, box.width() - 2 * side);
    int y = box.y() + (m_first == 0 ? inside : 0);
    if (m_rows.empty())
        y += context.style.mono.line; // An open fence without a line yet.
    for (const auto &row : m_rows) {
        row->y = y;
        y += row->text.arrange(width);
        if (row->isCut)
            y += context.style.small.line; // "Show all".
    }
    m_textWidth = width;
    if (m_isLast)
        y += inside;
    box.setBottom(y - 1);
    m_box = box;
    return y;
}

void CodeSegment::release()
{
    m_rows.clear();
    m_arranged = 0;
}

QRect CodeSegment::copyButton() const
{
    const int size = TranscriptStyle::px(ButtonSize);
    const int gap = TranscriptStyle::px(Metrics::SpaceXs);
    return {m_box.right() + 1 - size - gap, m_box.y() + gap, size, size};
}

void CodeSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    if (!m_frame.containers.empty())
        m_frame.paint(painter, context.style, how.rect, context.style.mono.line, false);
    const QRect box = m_box.translated(how.rect.topLeft());
    painter->save();
    painter->setClipRect(box, Qt::IntersectClip);
    painter->setPen(TranscriptStyle::color(Role::Hair));
    painter->setBrush(TranscriptStyle::color(Role::Sunken));
    // The round corners of the sides that go on in another segment lie outside.
    const int beyond = 2 * Metrics::RadiusControl;
    const QRectF whole =
        QRectF(box).adjusted(0.5, m_first == 0 ? 0.5 : -beyond, -0.5, m_isLast ? -0.5 : beyond);
    painter->drawRoundedRect(whole, Metrics::RadiusControl, Metrics::RadiusControl);
    const QPoint at(box.x() + TranscriptStyle::px(Side), how.rect.y());
    for (const auto &row : m_rows) {
        const int top = how.rect.y() + row->y;
        if (top > how.clip.bottom())
            break;
        if (top + row->text.height() + context.style.small.line < how.clip.top())
            continue;
        const qsizetype from = how.selectedFrom < 0 ? -1 : fromSource(*row, how.selectedFrom);
        const qsizetype to = how.selectedFrom < 0 ? -1 : fromSource(*row, how.selectedTo);
        row->text.paint(painter, QPointF(at.x(), top), how.clip, from, to);
        if (row->isCut) {
            painter->setFont(context.style.small.font);
            painter->setPen(TranscriptStyle::color(Role::Accent));
            painter->drawText(QRect(at.x(), top + row->text.height(), m_textWidth, context.style.small.line),
                              Qt::AlignLeft | Qt::AlignVCenter, u"This line goes on. Show all"_s);
        }
    }
    const bool isByKeys = how.target == CopyTarget;
    if (how.isHovered || isByKeys) {
        const QRect button = copyButton().translated(how.rect.topLeft());
        const bool isUnder = isByKeys || copyButton().contains(how.pointer);
        painter->setPen(TranscriptStyle::color(Role::Line));
        painter->setBrush(TranscriptStyle::color(isUnder ? Role::Hover : Role::Raised));
        painter->drawRoundedRect(QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5), Metrics::RadiusToolButton,
                                 Metrics::RadiusToolButton);
        const int icon = TranscriptStyle::px(Metrics::IconSmall);
        QRectF place(0, 0, icon, icon);
        place.moveCenter(QRectF(button).center());
        paintIcon(painter, place, u"copy"_s, Role::Text2, Role::Raised);
    }
    painter->restore();
}

qsizetype CodeSegment::begin() const { return m_first < m_text->size() ? m_text->line(m_first).begin : -1; }

qsizetype CodeSegment::end() const
{
    return m_last > m_first && m_last <= m_text->size() ? m_text->line(m_last - 1).end : begin();
}

qsizetype CodeSegment::toSource(const Row &row, qsizetype at) const
{
    const MarkdownBlock::Line &line = m_text->line(row.line);
    return std::min(line.end, line.begin + std::max<qsizetype>(0, row.at + at - line.pad));
}

qsizetype CodeSegment::fromSource(const Row &row, qsizetype place) const
{
    const MarkdownBlock::Line &line = m_text->line(row.line);
    return std::clamp<qsizetype>(place - line.begin + line.pad - row.at, 0, row.length);
}

const CodeSegment::Row *CodeSegment::rowAt(int y) const
{
    const auto after = std::upper_bound(m_rows.cbegin(), m_rows.cend(), y,
                                        [](int place, const auto &row) { return place < row->y; });
    if (m_rows.empty())
        return nullptr;
    return after == m_rows.cbegin() ? m_rows.front().get() : std::prev(after)->get();
}

qsizetype CodeSegment::placeAt(const QPoint &point) const
{
    const Row *row = rowAt(point.y());
    if (!row)
        return begin();
    const QPointF inside(point.x() - m_box.x() - TranscriptStyle::px(Side), point.y() - row->y);
    return toSource(*row, row->text.placeAt(inside));
}

int CodeSegment::lineTop(qsizetype place) const
{
    for (const auto &row : m_rows) {
        if (place <= toSource(*row, row->length))
            return row->y + row->text.lineTop(fromSource(*row, place));
    }
    return m_rows.empty() ? 0 : m_rows.back()->y;
}

bool CodeSegment::mayHaveTargets(const SegmentContext &) const
{
    return m_first == 0 || (!m_showsAll && end() - begin() > MostInRow);
}

QList<SegmentTarget> CodeSegment::targets(const SegmentContext &) const
{
    QList<SegmentTarget> out;
    if (!copyButton().isEmpty()) {
        SegmentTarget copy;
        copy.hit.what = SegmentHit::What::Copy;
        copy.name = u"Copy this code"_s;
        copy.rect = copyButton();
        out.append(copy);
    }
    const auto cut = std::find_if(m_rows.cbegin(), m_rows.cend(), [](const auto &row) { return row->isCut; });
    if (cut != m_rows.cend()) {
        SegmentTarget rest;
        rest.hit.what = SegmentHit::What::ShowAll;
        rest.name = u"Show the whole lines"_s;
        rest.rect = QRect(m_box.x(), (*cut)->y + (*cut)->text.height(), m_box.width(),
                          std::max(1, (*cut)->text.height()));
        out.append(rest);
    }
    return out;
}

SegmentHit CodeSegment::hit(const SegmentContext &, const QPoint &point) const
{
    SegmentHit hit;
    if (copyButton().contains(point)) {
        hit.what = SegmentHit::What::Copy;
        hit.rect = copyButton();
        hit.toolTip = u"Copy this code"_s;
        return hit;
    }
    const Row *row = rowAt(point.y());
    if (row && row->isCut && point.y() >= row->y + row->text.height()) {
        hit.what = SegmentHit::What::ShowAll;
        return hit;
    }
    hit.what = SegmentHit::What::Text;
    hit.place = placeAt(point);
    return hit;
}

} // namespace Pilothouse
