// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/prosesegment.h"

#include "text/dataaddress.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "transcript/transcriptimages.h"

#include <QPainter>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t MostPictures = 8; // Of one paragraph; more are only named.
constexpr int PictureHeight = 320; // A taller one is scaled down.
constexpr int OfferHeight = 28;

QString shortTarget(const QString &target)
{
    if (TranscriptImages::isRemote(target))
        return QUrl(target).host();
    return target;
}

qsizetype dataAddressesBefore(QStringView source, qsizetype place)
{
    qsizetype count = 0;
    for (auto found = findDataAddress(source); found && found->begin < place;
         found = findDataAddress(source, found->end))
        ++count;
    return count;
}

} // namespace

QString failedPictureWords(const QString &name, const QString &problem)
{
    return problem.contains(name) ? problem : QString(name + u"  "_s + problem);
}

ProseSegment::ProseSegment(ProsePiece piece, BlockFrame frame, const Look &look)
    : m_piece(std::move(piece))
    , m_frame(std::move(frame))
    , m_look(look)
{ }

const TranscriptStyle::Face &ProseSegment::face(const TranscriptStyle &style) const
{
    if (m_look.heading == 1)
        return style.pageTitle;
    if (m_look.heading == 2)
        return style.title;
    if (m_look.heading > 2)
        return style.strong;
    return m_look.small ? style.small : style.body;
}

int ProseSegment::estimate(const SegmentContext &context) const
{
    const TranscriptStyle::Face &used = face(context.style);
    const int width = std::max(40, context.width - m_frame.indent());
    const int perLine = std::max(8, width / std::max(3, used.metrics.averageCharWidth()));
    qsizetype lines = 0;
    if (m_look.plain) {
        for (const ProsePiece::Range &range : m_piece.ranges)
            lines += 1 + (range.end - range.begin) / perLine;
    } else {
        lines = 1 + (m_piece.end() - m_piece.begin()) / perLine;
    }
    return m_frame.top + static_cast<int>(std::min<qsizetype>(lines, ProsePiece::MostLength)) * used.line;
}

void ProseSegment::findPictures(const SegmentContext &context)
{
    m_pictures.clear();
    for (const MarkdownInline::Image &image : m_text.text().images) {
        if (m_pictures.size() == MostPictures)
            return;
        Picture picture;
        const qsizetype place = m_piece.toSource(image.source);
        if (image.target.startsWith(u"data:"_s, Qt::CaseInsensitive)) {
            const auto data = std::find_if(
                m_piece.data.cbegin(), m_piece.data.cend(), [&](const ProsePiece::Data &candidate) {
                    return candidate.begin > place && m_piece.fromSource(candidate.begin) < image.sourceEnd;
                });
            if (data == m_piece.data.cend())
                continue;
            picture.data = *data;
            picture.key = u"data %1 %2"_s.arg(m_look.row).arg(data->begin);
            const DataAddress address{data->begin, data->end, data->closed};
            const bool isElsewhere = data->closed ? address.isShortened() : m_look.isCut;
            if (isElsewhere && context.images)
                context.images->decodeFromRow(picture.key, m_look.row,
                                              dataAddressesBefore(context.source, data->begin));
            else if (data->closed && context.images)
                context.images->decode(picture.key,
                                       context.source.mid(data->begin, data->end - data->begin).toString());
        } else {
            picture.target = image.target;
            picture.key = image.target;
        }
        m_pictures.push_back(std::move(picture));
    }
}

void ProseSegment::arrangePictures(const SegmentContext &context)
{
    int y = m_content.y() + m_text.height();
    for (Picture &picture : m_pictures) {
        y += TranscriptStyle::px(Metrics::SpaceXs);
        const TranscriptImages::Picture now =
            context.images ? context.images->picture(picture.key) : TranscriptImages::Picture();
        QSize size(m_content.width(), TranscriptStyle::px(OfferHeight));
        if (now.state == TranscriptImages::State::Shown) {
            const QSize most(m_content.width(), TranscriptStyle::px(PictureHeight));
            size = now.pixmap.size();
            if (size.width() > most.width() || size.height() > most.height())
                size.scale(most, Qt::KeepAspectRatio);
        }
        const int x = m_text.isRightToLeft() ? m_content.right() + 1 - size.width() : m_content.x();
        picture.rect = QRect(QPoint(x, y), size);
        y += size.height();
    }
}

int ProseSegment::arrange(const SegmentContext &context)
{
    if (!m_parsed) {
        MarkdownInlineOptions options;
        options.keepLineBreaks = m_look.plain;
        options.marks = !m_look.plain;
        TextLine::Look look;
        look.face = &face(context.style);
        look.code = &context.style.codeInText;
        look.color = m_look.color;
        m_text.set(parseMarkdownInline(m_piece.text(context.source), options), look);
        m_parsed = true;
        findPictures(context);
    }
    m_content = m_frame.content(context.width, 0, m_text.isRightToLeft());
    int height = m_frame.top + m_text.arrange(m_content.width());
    if (!m_pictures.empty()) {
        arrangePictures(context);
        height = m_pictures.back().rect.bottom() + 1 + TranscriptStyle::px(Metrics::SpaceXs);
    }
    return height;
}

void ProseSegment::release()
{
    m_text.set({}, {});
    m_pictures.clear();
    m_parsed = false;
}

QString ProseSegment::offer(const SegmentContext &context, const Picture &picture)
{
    if (!context.images || !context.images->canLoad(picture.target))
        return {};
    const TranscriptImages::State state = context.images->picture(picture.key).state;
    if (state != TranscriptImages::State::Offered && state != TranscriptImages::State::Failed)
        return {};
    const bool isAgain = state == TranscriptImages::State::Failed;
    if (TranscriptImages::isRemote(picture.target))
        return isAgain ? u"Load again"_s : u"Load once"_s;
    return isAgain ? u"Load again from the machine"_s : u"Load from the machine"_s;
}

bool ProseSegment::mayHaveTargets(const SegmentContext &context) const
{
    return TextLine::mayHaveLinks(context.source.mid(begin(), end() - begin()));
}

QList<SegmentTarget> ProseSegment::targets(const SegmentContext &context) const
{
    QList<SegmentTarget> out;
    for (const TextLine::LinkPlace &link : m_text.links()) {
        SegmentTarget target;
        target.hit.what = SegmentHit::What::Link;
        target.hit.value = link.target;
        target.name = link.words;
        target.rect = link.rect.translated(m_content.topLeft());
        out.append(target);
    }
    for (const Picture &picture : m_pictures) {
        const QString action = offer(context, picture);
        if (action.isEmpty())
            continue;
        SegmentTarget target;
        target.hit.what = SegmentHit::What::Image;
        target.hit.value = picture.target;
        target.name = QString(action + u": "_s + shortTarget(picture.target));
        target.rect = picture.rect;
        out.append(target);
    }
    return out;
}

void ProseSegment::paintPicture(QPainter *painter, const SegmentContext &context, const Picture &picture,
                                const QPoint &at) const
{
    const TranscriptImages::Picture now =
        context.images ? context.images->picture(picture.key) : TranscriptImages::Picture();
    const QRect rect = picture.rect.translated(at);
    if (now.state == TranscriptImages::State::Shown) {
        painter->setRenderHint(QPainter::SmoothPixmapTransform);
        painter->drawPixmap(rect, now.pixmap);
        return;
    }
    painter->setPen(TranscriptStyle::color(Role::Line));
    painter->setBrush(TranscriptStyle::color(Role::Sunken));
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), Metrics::RadiusControl,
                             Metrics::RadiusControl);
    const int gap = TranscriptStyle::px(Metrics::SpaceS);
    const int icon = TranscriptStyle::px(Metrics::IconSmall);
    QRect inside = rect.adjusted(gap, 0, -gap, 0);
    paintIcon(painter, QRectF(inside.x(), inside.y() + (inside.height() - icon) / 2.0, icon, icon),
              u"file-image"_s, Role::Text2, Role::Sunken);
    inside.setLeft(inside.left() + icon + gap);
    const QString action = offer(context, picture);
    QString words = picture.target.isEmpty() ? u"Picture in the text"_s : shortTarget(picture.target);
    switch (now.state) {
    case TranscriptImages::State::Offered:
        if (picture.target.isEmpty())
            words = picture.data.closed ? words : u"Picture in the text, not complete here"_s;
        else if (action.isEmpty())
            words += u"  not loaded"_s;
        break;
    case TranscriptImages::State::Loading:
        words += u"  loading"_s;
        break;
    case TranscriptImages::State::Failed:
        words = failedPictureWords(words, now.problem);
        break;
    case TranscriptImages::State::Shown:
        break;
    }
    painter->setFont(context.style.small.font);
    if (!action.isEmpty()) {
        painter->setPen(TranscriptStyle::color(Role::Accent));
        const int width = context.style.small.metrics.horizontalAdvance(action) + 2;
        painter->drawText(inside, Qt::AlignRight | Qt::AlignVCenter, action);
        inside.setRight(inside.right() - width - gap);
    }
    painter->setPen(TranscriptStyle::color(Role::Text2));
    // A host is never elided while it is what the person decides by. Paths and what went wrong may be.
    const bool isRemote = TranscriptImages::isRemote(picture.target);
    if (!isRemote || now.state == TranscriptImages::State::Failed)
        words = context.style.small.metrics.elidedText(words, isRemote ? Qt::ElideRight : Qt::ElideMiddle,
                                                       inside.width());
    painter->drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, words);
}

void ProseSegment::paint(QPainter *painter, const SegmentContext &context, const SegmentPaint &how) const
{
    const bool rightToLeft = m_text.isRightToLeft();
    if (!m_frame.containers.empty())
        m_frame.paint(painter, context.style, how.rect, face(context.style).line, rightToLeft);
    qsizetype from = -1;
    qsizetype to = -1;
    if (how.selectedFrom >= 0 && how.selectedTo > begin() && how.selectedFrom < end()) {
        from = m_piece.fromSource(how.selectedFrom);
        to = how.selectedTo >= end() ? m_text.text().toSource(m_text.text().text.size())
                                     : m_piece.fromSource(how.selectedTo);
    }
    m_text.paint(painter, how.rect.topLeft() + m_content.topLeft(), how.clip, from, to);
    for (const Picture &picture : m_pictures)
        paintPicture(painter, context, picture, how.rect.topLeft());
}

qsizetype ProseSegment::placeAt(const QPoint &point) const
{
    if (!m_parsed)
        return begin();
    return m_piece.toSource(m_text.placeAt(point - m_content.topLeft()));
}

int ProseSegment::lineTop(qsizetype place) const
{
    return m_content.y() + m_text.lineTop(m_piece.fromSource(place));
}

SegmentHit ProseSegment::hit(const SegmentContext &context, const QPoint &point) const
{
    SegmentHit hit;
    for (const Picture &picture : m_pictures) {
        if (!picture.rect.contains(point))
            continue;
        hit.rect = picture.rect;
        hit.toolTip = picture.target;
        if (context.images && context.images->picture(picture.key).state == TranscriptImages::State::Failed)
            hit.toolTip = failedPictureWords(picture.target, context.images->picture(picture.key).problem);
        if (!offer(context, picture).isEmpty()) {
            hit.what = SegmentHit::What::Image;
            hit.value = picture.target;
        }
        return hit;
    }
    hit.what = SegmentHit::What::Text;
    hit.place = placeAt(point);
    if (const MarkdownInline::Run *run = m_text.runAt(point - m_content.topLeft())) {
        if (run->styles.testFlag(MarkdownInline::Style::Link)) {
            hit.what = SegmentHit::What::Link;
            hit.value = m_text.text().targets.value(run->target);
            hit.toolTip = hit.value;
        }
    }
    return hit;
}

} // namespace Pilothouse
