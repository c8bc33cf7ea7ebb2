// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowitems.h"

#include "theme/metrics.h"
#include "theme/paint.h"
#include "transcript/gapsegment.h"
#include "transcript/labelsegment.h"
#include "transcript/rowtext.h"

#include <QLocale>
#include <QPainter>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Says that a row's text is longer than what the read model keeps.
std::unique_ptr<Segment> cutNote()
{
    LabelSegment::Look look;
    look.words = u"The text goes on; the log and exports have it whole."_s;
    look.isSmall = true;
    look.color = Role::Text3;
    look.top = TranscriptStyle::px(Metrics::SpaceXs);
    return std::make_unique<LabelSegment>(look);
}

} // namespace

void TextItem::build(const TranscriptRow &row, const SegmentContext &inner, bool same)
{
    m_after = TranscriptStyle::px(Metrics::SpaceXs);
    const bool isCut = row.closed && row.data[u"cut"].toBool();
    if (!same || !m_words || isCut) {
        m_segments.truncate(0);
        if (row.withdrawn) {
            LabelSegment::Look look;
            look.words = u"Given up; the model was asked again"_s;
            look.isSmall = true;
            look.color = Role::Text3;
            m_segments.append(std::make_unique<LabelSegment>(look), inner);
        }
        ProseSegment::Look look;
        look.row = row.row;
        look.isCut = isCut;
        look.color = row.withdrawn ? Role::Text3 : Role::Text;
        m_words.emplace(look, m_segments.size());
        m_words->setShowsAll(&m_segments, m_shape.showsAll);
    }
    m_words->update(&m_segments, inner, row.closed);
    if (isCut)
        m_segments.append(cutNote(), inner);
}

QString TextItem::copyText(size_t segment) const
{
    return MarkdownSegments::codeOf(m_segments.at(segment), m_source);
}

UserItem::UserItem()
{
    m_side = TranscriptStyle::px(Metrics::SpaceM);
    m_top = TranscriptStyle::px(Metrics::SpaceS);
    m_bottom = TranscriptStyle::px(Metrics::SpaceS);
    m_after = TranscriptStyle::px(Metrics::SpaceS);
}

void UserItem::build(const TranscriptRow &row, const SegmentContext &inner, bool)
{
    m_segments.truncate(0);
    const MessageHead head = messageHead(row);
    LabelSegment::Look look;
    look.words = head.who;
    look.isSmall = true;
    look.side = head.where.isEmpty() ? head.when : QString(head.when + u"   "_s + head.where);
    m_segments.append(std::make_unique<LabelSegment>(look), inner);
    ProseSegment::Look words;
    words.plain = true;
    words.row = row.row;
    words.color = row.withdrawn ? Role::Text3 : Role::Text;
    m_words.emplace(words, m_segments.size());
    m_words->setShowsAll(&m_segments, m_shape.showsAll);
    m_words->update(&m_segments, inner, true);
    if (row.data[u"cut"].toBool())
        m_segments.append(cutNote(), inner);
}

QString UserItem::copyText(size_t segment) const
{
    return MarkdownSegments::codeOf(m_segments.at(segment), m_source);
}

void UserItem::paintBack(QPainter *painter, const SegmentContext &, const QRect &rect, bool) const
{
    paintBox(painter, rect, Role::User, Role::User, Metrics::RadiusCard);
}

void ReasoningItem::build(const TranscriptRow &row, const SegmentContext &inner, bool same)
{
    m_after = m_shape.isUnfolded ? TranscriptStyle::px(Metrics::SpaceS) : 0;
    const QString head = thoughtText(row);
    if (!same || !m_words || row.closed || head != m_head) {
        m_head = head;
        m_segments.truncate(0);
        LabelSegment::Look look;
        look.icon = m_shape.isUnfolded ? u"chevron-down"_s : u"chevron-right"_s;
        look.words = head;
        look.color = Role::Text2;
        look.folds = true;
        m_segments.append(std::make_unique<LabelSegment>(look), inner);
        ProseSegment::Look words;
        words.color = Role::Text2;
        words.small = true;
        words.row = row.row;
        m_words.emplace(words, m_segments.size());
    }
    if (m_shape.isUnfolded)
        m_words->update(&m_segments, inner, row.closed);
}

QString ReasoningItem::copyText(size_t segment) const
{
    return MarkdownSegments::codeOf(m_segments.at(segment), m_source);
}

void NoticeItem::build(const TranscriptRow &row, const SegmentContext &inner, bool)
{
    m_segments.truncate(0);
    m_after = TranscriptStyle::px(Metrics::SpaceXs);
    ProseSegment::Look look;
    look.plain = true;
    look.small = true;
    look.color = Role::Text2;
    look.row = row.row;
    MarkdownSegments(look, 0).update(&m_segments, inner, true);
}

ErrorItem::ErrorItem()
{
    m_side = TranscriptStyle::px(Metrics::SpaceM);
    m_top = TranscriptStyle::px(Metrics::SpaceS);
    m_bottom = TranscriptStyle::px(Metrics::SpaceS);
    m_after = TranscriptStyle::px(Metrics::SpaceS);
}

void ErrorItem::build(const TranscriptRow &row, const SegmentContext &inner, bool)
{
    m_segments.truncate(0);
    const ErrorText text = errorText(row);
    LabelSegment::Look look;
    look.icon = u"failed"_s;
    look.iconColor = Role::Failed;
    look.words = text.head;
    look.isStrong = true;
    look.wraps = true;
    m_segments.append(std::make_unique<LabelSegment>(look), inner);
    if (text.body.isEmpty())
        return;
    LabelSegment::Look body;
    body.words = text.body;
    body.isSmall = false;
    body.color = Role::Text2;
    body.wraps = true;
    body.isIndented = true;
    m_segments.append(std::make_unique<LabelSegment>(body), inner);
}

void ErrorItem::paintBack(QPainter *painter, const SegmentContext &, const QRect &rect, bool) const
{
    paintBox(painter, rect, Role::FailedSoft, Role::FailedLine, Metrics::RadiusCard);
}

void AbsentItem::build(const TranscriptRow &, const SegmentContext &inner, bool)
{
    m_segments.truncate(0);
    if (m_shape.widgetHeight > 0)
        m_segments.append(std::make_unique<GapSegment>(m_shape.widgetHeight), inner);
}

void LineItem::build(const TranscriptRow &row, const SegmentContext &inner, bool)
{
    m_segments.truncate(0);
    if (row.kind == TranscriptRow::Kind::Step) {
        m_segments.append(std::make_unique<StepSegment>(row.step, figures(row)), inner);
        if (m_shape.isPending) {
            LabelSegment::Look look;
            look.icon = u"thinking"_s;
            look.iconColor = Role::Accent;
            look.words = u"Thinking"_s;
            look.color = Role::Text2;
            m_segments.append(std::make_unique<LabelSegment>(look), inner);
        }
        return;
    }
    const TurnEndText end = turnEndText(row);
    m_segments.append(std::make_unique<TurnEndSegment>(end.state, end.words, figures(row)), inner);
}

} // namespace Pilothouse
