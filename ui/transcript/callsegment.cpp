// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/callsegment.h"

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int GlyphLeft = Metrics::SpaceS; // From the box to the glyph.
constexpr int ToolLeft = Metrics::SpaceXxl; // From the box to the tool's name, and to the second line.
constexpr int ToolColumn = 36;
constexpr int TimeColumn = 48;
constexpr int TimeRight = 30; // From the time to the end of the box: the chevron stands there.
constexpr int ChevronRight = Metrics::SpaceS;
constexpr int Gap = Metrics::SpaceS;
constexpr int LeastArgument = 56; // With less of it a card breaks into lines,
constexpr int LeastResult = 90; // or of the result in words.
constexpr int LinesInside = Metrics::SpaceS;

QString lookWords() { return u"Look on the machine"_s; }

struct Mirror {
    QRect in;
    bool on;
    [[nodiscard]] QRect operator()(const QRect &rect) const
    {
        return on ? QRect(in.right() + in.left() - rect.right(), rect.y(), rect.width(), rect.height())
                  : rect;
    }
    [[nodiscard]] int leading() const { return Qt::AlignVCenter | (on ? Qt::AlignRight : Qt::AlignLeft); }
    [[nodiscard]] int trailing() const { return Qt::AlignVCenter | (on ? Qt::AlignLeft : Qt::AlignRight); }
};

} // namespace

CallSegment::CallSegment(CallCard card, bool isUnfolded, bool isSteady)
    : m_card(std::move(card))
    , m_isUnfolded(isUnfolded)
    , m_isSteady(isSteady)
{ }

bool CallSegment::breaks(const SegmentContext &context) const
{
    const auto px = [](int length) { return TranscriptStyle::px(length); };
    const TranscriptStyle &style = context.style;
    if (m_card.result.isEmpty() && m_card.look.word.isEmpty() && !m_isSteady)
        return false;
    int needed = px(ToolLeft) + px(TimeRight) + px(Gap)
        + std::max(px(ToolColumn), style.tool.metrics.horizontalAdvance(m_card.tool));
    if (!m_card.argument.isEmpty())
        needed +=
            std::min(px(LeastArgument), style.card.metrics.horizontalAdvance(m_card.argument)) + px(Gap);
    if (m_isSteady) // By nothing that changes.
        return needed + px(TimeColumn) + px(LeastResult) + 2 * px(Gap) > context.width;
    if (!m_card.time.isEmpty())
        needed += std::max(px(TimeColumn), style.small.metrics.horizontalAdvance(m_card.time) + 2) + px(Gap);
    if (!m_card.result.isEmpty())
        needed +=
            std::min(px(LeastResult), style.small.metrics.horizontalAdvance(m_card.result) + 2) + px(Gap);
    if (!m_card.look.word.isEmpty())
        needed += style.state.metrics.horizontalAdvance(m_card.look.word) + 2 + px(Gap);
    return needed > context.width;
}

int CallSegment::lineHeight(const SegmentContext &context) const
{
    return TranscriptStyle::px(!hasSecond() && !breaks(context) ? Metrics::ToolCardRow
                                                                : Metrics::ToolCardRowWithSecondLine);
}

int CallSegment::headHeight(const SegmentContext &context) const
{
    return lineHeight(context) + (breaks(context) ? TranscriptStyle::px(Metrics::ToolCardTail) : 0);
}

int CallSegment::estimate(const SegmentContext &context) const
{
    if (!hasSecond())
        return headHeight(context);
    return headHeight(context) + wrappedHeight(context)
        + TranscriptStyle::px(hasButton() ? Metrics::ToolCardConsequence : Metrics::ToolCardTail);
}

int CallSegment::wrappedHeight(const SegmentContext &context) const
{
    if (!hasButton())
        return 0;
    const auto px = [](int length) { return TranscriptStyle::px(length); };
    const QFontMetrics &metrics = context.style.small.metrics;
    const int beside =
        context.width - px(ToolLeft) - px(4 * Metrics::SpaceS) - metrics.horizontalAdvance(lookWords()) - 2;
    if (metrics.horizontalAdvance(m_card.second) <= beside)
        return 0;
    const int width = std::max(px(LeastArgument), context.width - px(ToolLeft) - px(Metrics::SpaceM));
    return metrics.boundingRect(QRect(0, 0, width, 10'000), Qt::TextWordWrap, m_card.second).height();
}

QRect CallSegment::button(const SegmentContext &context) const
{
    if (!hasButton())
        return {};
    const auto px = [](int length) { return TranscriptStyle::px(length); };
    const int width =
        context.style.small.metrics.horizontalAdvance(lookWords()) + 2 * px(Metrics::SpaceS) + 2;
    const int height = px(Metrics::ButtonSmall);
    const int top = headHeight(context) + wrappedHeight(context) - px(Metrics::SpaceXs)
        + (px(Metrics::ToolCardConsequence) - height) / 2;
    const QRect place(context.width - px(Metrics::SpaceS) - width, top, width, height);
    return Mirror{QRect(0, 0, context.width, 1), context.rightToLeft}(place);
}

QRect CallSegment::chevron(const SegmentContext &context) const
{
    const int size = TranscriptStyle::px(Metrics::IconSmall);
    const int x = context.width - TranscriptStyle::px(ChevronRight) - size;
    const QRect place(x, (lineHeight(context) - size) / 2, size, size);
    return Mirror{QRect(0, 0, context.width, 1), context.rightToLeft}(place);
}

void CallSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    const Mirror mirror{how.rect, context.rightToLeft};
    const auto px = [](int length) { return TranscriptStyle::px(length); };
    const QRect line(how.rect.x(), how.rect.y(), how.rect.width(), lineHeight(context));
    const int glyph = px(Metrics::IconNormal);
    paintIcon(painter,
              mirror(QRect(line.x() + px(GlyphLeft), line.y() + (line.height() - glyph) / 2, glyph, glyph)),
              m_card.look.glyph, m_card.look.color, m_card.isWaiting ? Role::WaitingSoft : Role::Canvas);
    const QString turned = m_isUnfolded ? u"chevron-down"_s : u"chevron-right"_s;
    const QRect fold = chevron(context).translated(how.rect.topLeft());
    painter->save();
    if (context.rightToLeft && !m_isUnfolded) { // The same mark, pointing to the text.
        painter->translate(2 * QRectF(fold).center().x(), 0);
        painter->scale(-1, 1);
    }
    paintIcon(painter, fold, turned, how.isHovered ? Role::Text : Role::Text2);
    painter->restore();

    // From the end inwards: time, result, state word; what is left is the argument's.
    int right = line.right() + 1 - px(TimeRight);
    painter->setFont(context.style.small.font);
    if (!m_card.time.isEmpty()) {
        painter->setPen(TranscriptStyle::color(Role::Text2));
        const int width =
            std::max(px(TimeColumn), context.style.small.metrics.horizontalAdvance(m_card.time) + 2);
        painter->drawText(mirror(QRect(right - width, line.y(), width, line.height())), mirror.trailing(),
                          m_card.time);
        right -= width + px(Gap);
    }
    const int most = (right - line.x()) / 2; // The argument keeps at least half.
    int left = line.x() + px(ToolLeft);
    const auto fromRight = [&](const QString &words, const TranscriptStyle::Face &face, Role color,
                               int limit) {
        if (words.isEmpty())
            return 0;
        const QString shown = face.metrics.elidedText(words, Qt::ElideRight, std::max(0, limit));
        const int width = face.metrics.horizontalAdvance(shown) + 2;
        painter->setFont(face.font);
        painter->setPen(TranscriptStyle::color(color));
        painter->drawText(mirror(QRect(right - width, line.y(), width, line.height())), mirror.trailing(),
                          shown);
        right -= width + px(Gap);
        return width + px(Gap);
    };
    const int wordWidth = m_card.look.word.isEmpty()
        ? 0
        : context.style.state.metrics.horizontalAdvance(m_card.look.word) + 2 + px(Gap);
    if (breaks(context)) {
        paintStateLine(painter, context, how);
    } else {
        const int used = fromRight(m_card.result, context.style.small, Role::Text2, most - wordWidth);
        fromRight(m_card.look.word, context.style.state, m_card.look.color, std::max(wordWidth, most - used));
    }

    painter->setFont(context.style.tool.font);
    painter->setPen(TranscriptStyle::color(Role::Text));
    const QString tool =
        context.style.tool.metrics.elidedText(m_card.tool, Qt::ElideRight, std::max(0, right - left));
    const int toolWidth = context.style.tool.metrics.horizontalAdvance(tool);
    painter->drawText(mirror(QRect(left, line.y(), toolWidth + 2, line.height())), mirror.leading(), tool);
    left += std::max(px(ToolColumn), toolWidth) + px(Gap);
    if (right > left) {
        painter->setFont(context.style.card.font);
        const QRect place(left, line.y(), right - left, line.height());
        painter->drawText(
            mirror(place), mirror.leading(),
            context.style.card.metrics.elidedText(
                m_card.argument, m_card.isPath ? Qt::ElideMiddle : Qt::ElideRight, right - left));
    }
    if (!m_card.second.isEmpty())
        paintSecond(painter, context, how);
}

void CallSegment::paintStateLine(QPainter *painter, const SegmentContext &context,
                                 const SegmentPaint &how) const
{
    const Mirror mirror{how.rect, context.rightToLeft};
    const auto px = [](int length) { return TranscriptStyle::px(length); };
    QRect words(how.rect.x() + px(ToolLeft), how.rect.y() + lineHeight(context) - px(Metrics::SpaceXs),
                how.rect.width() - px(ToolLeft) - px(Metrics::SpaceM), px(Metrics::ToolCardTail));
    const auto put = [&](const QString &text, const TranscriptStyle::Face &face, Role color) {
        if (text.isEmpty() || words.width() <= 0)
            return;
        const QString shown = face.metrics.elidedText(text, Qt::ElideRight, words.width());
        painter->setFont(face.font);
        painter->setPen(TranscriptStyle::color(color));
        painter->drawText(mirror(words), mirror.leading(), shown);
        words.setLeft(words.left() + face.metrics.horizontalAdvance(shown) + 2 + px(Gap));
    };
    put(m_card.look.word, context.style.state, m_card.look.color);
    put(m_card.result, context.style.small, Role::Text2);
}

void CallSegment::paintSecond(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    const Mirror mirror{how.rect, context.rightToLeft};
    const auto px = [](int length) { return TranscriptStyle::px(length); };
    const TranscriptStyle::Face &face = m_card.isMonoSecond ? context.style.card : context.style.small;
    const QRect place = button(context);
    const int wrapped = wrappedHeight(context);
    const int end = place.isEmpty() ? px(Metrics::SpaceM) : place.width() + px(2 * Metrics::SpaceS);
    const QRect second(how.rect.x() + px(ToolLeft), how.rect.y() + headHeight(context) - px(Metrics::SpaceXs),
                       how.rect.width() - px(ToolLeft) - end,
                       px(hasButton() ? Metrics::ToolCardConsequence : Metrics::ToolCardTail));
    painter->setFont(face.font);
    painter->setPen(TranscriptStyle::color(Role::Text2));
    if (wrapped > 0) {
        const QRect words(second.x(), second.y(), how.rect.width() - px(ToolLeft) - px(Metrics::SpaceM),
                          wrapped);
        painter->drawText(mirror(words),
                          Qt::AlignTop | Qt::TextWordWrap | (mirror.on ? Qt::AlignRight : Qt::AlignLeft),
                          m_card.second);
    } else {
        painter->drawText(mirror(second), mirror.leading(),
                          face.metrics.elidedText(m_card.second, Qt::ElideRight, second.width()));
    }
    if (place.isEmpty())
        return;
    const QRect box = place.translated(how.rect.topLeft());
    const bool isUnder = how.isHovered && place.contains(how.pointer);
    paintBox(painter, box, isUnder ? Role::Hover : Role::Raised, Role::Control, Metrics::RadiusControl);
    painter->setFont(context.style.small.font);
    painter->setPen(TranscriptStyle::color(Role::Text));
    painter->drawText(box, Qt::AlignCenter, lookWords());
}

SegmentHit CallSegment::hit(const SegmentContext &context, const QPoint &point) const
{
    SegmentHit hit;
    // The mark alone is too small a target: the whole end of the line is one.
    const QRect fold = chevron(context);
    const int reach = (TranscriptStyle::px(Metrics::MinimumHitTarget) - fold.width()) / 2 + 2;
    if (fold.adjusted(-reach, -reach, reach, reach).contains(point)) {
        hit.what = SegmentHit::What::Fold;
        hit.toolTip = m_isUnfolded ? u"Fold"_s : u"Unfold"_s;
        return hit;
    }
    hit.value = m_card.callId;
    if (button(context).contains(point)) {
        hit.what = SegmentHit::What::Look;
        hit.toolTip = u"Shows the files on the machine; nothing is run"_s;
        return hit;
    }
    hit.what = SegmentHit::What::Call;
    hit.toolTip =
        point.y() > headHeight(context) && !m_card.second.isEmpty() ? m_card.second : m_card.argument;
    return hit;
}

QList<SegmentTarget> CallSegment::targets(const SegmentContext &context) const
{
    if (!hasButton())
        return {};
    SegmentTarget look;
    look.hit.what = SegmentHit::What::Look;
    look.hit.value = m_card.callId;
    look.name = lookWords();
    look.rect = button(context);
    return {look};
}

void paintCardGround(QPainter *painter, const QRect &rect, bool isLast)
{
    const int outline = Metrics::StrokeOutline;
    const QRect inside = rect.adjusted(outline, 0, -outline, isLast ? -outline : 0);
    painter->save();
    painter->setPen(Qt::NoPen);
    painter->setBrush(TranscriptStyle::color(Role::Sunken));
    if (isLast) {
        const qreal radius = Metrics::RadiusCard - outline;
        painter->setClipRect(inside, Qt::IntersectClip);
        painter->drawRoundedRect(inside.adjusted(0, -2 * Metrics::RadiusCard, 0, 0), radius, radius);
    } else {
        painter->drawRect(inside);
    }
    painter->restore();
    painter->fillRect(QRect(rect.x(), rect.y(), rect.width(), 1), TranscriptStyle::color(Role::Hair));
}

CallLinesSegment::CallLinesSegment(QStringList lines, QString note, bool isLast)
    : m_lines(std::move(lines))
    , m_note(std::move(note))
    , m_isLast(isLast)
{ }

int CallLinesSegment::estimate(const SegmentContext &context) const
{
    const int lines = static_cast<int>(m_lines.size());
    return lines * context.style.mono.line + (m_note.isEmpty() ? 0 : context.style.meta.line)
        + 2 * TranscriptStyle::px(LinesInside);
}

void CallLinesSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    paintCardGround(painter, how.rect, m_isLast);
    // Output reads from the left in any language.
    QRect line(how.rect.x() + TranscriptStyle::px(ToolLeft), how.rect.y() + TranscriptStyle::px(LinesInside),
               how.rect.width() - TranscriptStyle::px(ToolLeft + Metrics::SpaceM), context.style.mono.line);
    painter->setFont(context.style.mono.font);
    painter->setPen(TranscriptStyle::color(Role::Text));
    for (const QString &text : m_lines) {
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                          context.style.mono.metrics.elidedText(text, Qt::ElideRight, line.width()));
        line.translate(0, context.style.mono.line);
    }
    if (m_note.isEmpty())
        return;
    line.setHeight(context.style.meta.line);
    painter->setFont(context.style.meta.font);
    painter->setPen(TranscriptStyle::color(Role::Text3));
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_note);
}

SegmentHit CallLinesSegment::hit(const SegmentContext &, const QPoint &) const
{
    SegmentHit hit;
    hit.what = SegmentHit::What::Call;
    return hit;
}

} // namespace Pilothouse
