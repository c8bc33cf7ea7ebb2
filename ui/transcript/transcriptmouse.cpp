// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// The pointer in the transcript: what is under it, selecting, links, menus.

#include "text/inerttext.h"
#include "text/markdowninline.h"
#include "theme/paint.h"
#include "transcript/transcriptimages.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStyleHints>
#include <QToolTip>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using What = SegmentHit::What;

TranscriptView::Target TranscriptView::targetAt(const QPoint &point) const
{
    Target target;
    for (int i = m_stack.first(); i <= m_stack.last(); ++i) {
        const QRect rect = rowRect(i);
        if (point.y() < rect.y() || point.y() > rect.bottom())
            continue;
        const RowItem *row = m_stack.item(i);
        if (!row || row->segments().size() == 0)
            return target;
        target.place = i;
        const SegmentContext inner = row->inner(m_stack.context());
        const int inside = std::max(0, point.y() - rect.y() - row->segmentTop(0));
        target.segment = row->segments().heights().find(inside);
        target.rect = QRect(rect.x() + row->left(), rect.y() + row->segmentTop(target.segment), inner.width,
                            row->segments().heights().at(target.segment));
        if (target.rect.contains(point))
            target.hit = row->segments().at(target.segment).hit(inner, point - target.rect.topLeft());
        return target;
    }
    return target;
}

// The place in a text that is nearest to a point; also beside and between rows.
std::optional<TextPoint> TranscriptView::pointAt(const QPoint &point) const
{
    if (!m_model || m_stack.last() < m_stack.first())
        return std::nullopt;
    int place = m_stack.first();
    while (place < m_stack.last() && point.y() > rowRect(place).bottom())
        ++place;
    const TranscriptRow &row = m_model->rowAt(place);
    const QRect rect = rowRect(place);
    const RowItem *item = m_stack.item(place);
    if (!item || item->segments().size() == 0 || !item->isText())
        return TextPoint{row.row, point.y() > rect.center().y() ? row.text.size() : 0};
    if (point.y() < rect.y())
        return TextPoint{row.row, 0};
    const int inside = std::max(0, point.y() - rect.y() - item->segmentTop(0));
    const size_t segment = item->segments().heights().find(inside);
    const QPoint origin(rect.x() + item->left(), rect.y() + item->segmentTop(segment));
    const qsizetype at = item->segments().at(segment).placeAt(point - origin);
    return TextPoint{row.row, at >= 0 ? at : 0};
}

void TranscriptView::setHover(const QPoint &point)
{
    m_pointer = point;
    const Target before = m_hover;
    m_hover = viewport()->rect().contains(point) ? targetAt(point) : Target();
    const bool moved = before.place != m_hover.place || before.segment != m_hover.segment;
    // Only segments that look different under the pointer are painted anew.
    const auto isButton = [](What what) { return what == What::Copy || what == What::Look; };
    if (moved && before.place >= 0)
        viewport()->update(before.rect);
    if (m_hover.place >= 0 && (moved || isButton(before.hit.what) || isButton(m_hover.hit.what)))
        viewport()->update(m_hover.rect);
    Qt::CursorShape shape = Qt::ArrowCursor;
    switch (m_hover.hit.what) {
    case What::Text:
        shape = Qt::IBeamCursor;
        break;
    case What::Link:
    case What::Fold:
    case What::ShowAll:
    case What::Look:
    case What::Image:
        shape = Qt::PointingHandCursor;
        break;
    case What::Nothing:
    case What::Call:
    case What::Copy:
        break;
    }
    if (viewport()->cursor().shape() != shape)
        viewport()->setCursor(shape);
    if (before.hit.what == What::Link || m_hover.hit.what == What::Link)
        tellLink(m_hover.hit.what == What::Link ? m_hover.hit.value : QString());
}

void TranscriptView::activate(const Target &target)
{
    const SegmentHit &hit = target.hit;
    switch (hit.what) {
    case What::Nothing:
    case What::Text:
        break;
    case What::Link:
        if (m_opener && isOpenableTarget(hit.value))
            m_opener(QUrl(hit.value, QUrl::TolerantMode));
        break;
    case What::Fold:
        toggle(target.place);
        break;
    case What::Call:
        Q_EMIT callActivated(m_model->conversation(),
                             m_model->rowAt(target.place).data[u"callId"].toString());
        break;
    case What::Copy:
        if (const RowItem *row = m_stack.item(target.place))
            QGuiApplication::clipboard()->setText(inertText(row->copyText(target.segment)));
        break;
    case What::ShowAll:
        m_showsAll.insert(m_model->rowAt(target.place).row);
        m_stack.hold(target.place);
        m_stack.stopFollowing();
        m_stack.changed(target.place, target.place);
        arrange();
        break;
    case What::Look:
        Q_EMIT lookWanted(m_model->conversation(), hit.value);
        break;
    case What::Image:
        m_images->load(hit.value, hit.value);
        break;
    }
}

void TranscriptView::selectWord(const QPoint &point)
{
    const std::optional<TextPoint> at = pointAt(point);
    const int place = at ? m_model->placeOf(at->row) : -1;
    if (place < 0)
        return;
    const auto [begin, end] = TranscriptSelection::wordAt(m_model->rowAt(place).text, at->place);
    m_selection.set({at->row, begin}, {at->row, end});
    viewport()->update();
}

void TranscriptView::selectParagraph(const QPoint &point)
{
    const Target target = targetAt(point);
    const RowItem *row = m_stack.item(target.place);
    if (!row || !row->isText() || row->segments().size() == 0)
        return;
    const Segment &segment = row->segments().at(target.segment);
    if (segment.begin() < 0)
        return;
    const qint64 number = m_model->rowAt(target.place).row;
    m_selection.set({number, segment.begin()}, {number, segment.end()});
    viewport()->update();
}

void TranscriptView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_model)
        return;
    const QPoint point = event->position().toPoint();
    setHover(point);
    m_isKeyboard = false;
    m_targetIndex = -1;
    const qint64 nowMs = QDateTime::currentMSecsSinceEpoch();
    const bool again = m_clicks == 2 && nowMs - m_lastClickMs <= QApplication::doubleClickInterval()
        && (point - m_lastClick).manhattanLength() < QApplication::startDragDistance();
    m_clicks = again ? 3 : 1;
    m_pressed = point;
    m_isDragging = false;
    if (m_hover.place >= 0 && m_hover.place != m_current) {
        m_current = m_hover.place;
        viewport()->update();
    }
    if (m_clicks == 3) {
        selectParagraph(point);
        return;
    }
    const std::optional<TextPoint> at = pointAt(point);
    if (!at)
        return;
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_selection.extend(*at);
        viewport()->update();
        m_pressed = {-1, -1};
        return;
    }
    const bool hadSelection = !m_selection.isEmpty();
    m_selection.set(*at, *at);
    if (hadSelection)
        viewport()->update();
}

void TranscriptView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_model)
        return;
    const QPoint point = event->position().toPoint();
    setHover(point);
    m_clicks = 2;
    m_lastClick = point;
    m_lastClickMs = QDateTime::currentMSecsSinceEpoch();
    m_pressed = point;
    m_isDragging = false;
    if (m_hover.hit.what == What::Text || m_hover.hit.what == What::Link) {
        selectWord(point);
        m_pressed = {-1, -1}; // Its release activates nothing.
    }
}

void TranscriptView::dragTo(const QPoint &point)
{
    const std::optional<TextPoint> at = pointAt(point);
    if (!at)
        return;
    m_selection.extend(*at);
    viewport()->update();
}

void TranscriptView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    if (!event->buttons().testFlag(Qt::LeftButton) || m_pressed.x() < 0) {
        setHover(point);
        return;
    }
    if (!m_isDragging && (point - m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    m_isDragging = true;
    m_pointer = point;
    dragTo(point);
    const bool isOutside = point.y() < 0 || point.y() >= viewport()->height();
    if (isOutside && !m_dragScroll.isActive())
        m_dragScroll.start();
    else if (!isOutside)
        m_dragScroll.stop();
}

void TranscriptView::scrollWhileDragging()
{
    if (!m_isDragging) {
        m_dragScroll.stop();
        return;
    }
    const int beyond = m_pointer.y() < 0 ? m_pointer.y() : m_pointer.y() - viewport()->height() + 1;
    QScrollBar *bar = verticalScrollBar();
    bar->setValue(bar->value() + std::clamp(beyond, -200, 200));
    dragTo({m_pointer.x(), std::clamp(m_pointer.y(), 0, viewport()->height() - 1)});
}

void TranscriptView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_dragScroll.stop();
    const bool isClick = m_pressed.x() >= 0 && !m_isDragging && m_clicks < 3;
    m_pressed = {-1, -1};
    m_isDragging = false;
    const QPoint point = event->position().toPoint();
    if (!m_selection.isEmpty() && QGuiApplication::clipboard()->supportsSelection())
        copyTo(QClipboard::Selection);
    if (isClick)
        activate(targetAt(point));
    setHover(point);
}

bool TranscriptView::viewportEvent(QEvent *event)
{
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto *help = static_cast<QHelpEvent *>(event);
        const Target target = targetAt(help->pos());
        QString text = inertText(target.hit.toolTip);
        if (target.hit.what == What::Link && !isOpenableTarget(target.hit.value))
            text += tr("\nNot opened: only web and mail addresses are.");
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), plainToolTip(text), viewport(), target.rect);
        return true;
    }
    case QEvent::Leave:
        setHover({-1, -1});
        break;
    case QEvent::LayoutRequest: // A widget in the place of a row wants another height.
        widgetsChanged();
        break;
    default:
        break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TranscriptView::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
    const Target target = byMouse ? targetAt(event->pos()) : Target();
    if (byMouse && target.place >= 0)
        m_current = target.place;
    if (m_selection.isEmpty() && m_current < 0)
        return;
    viewport()->update();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(m_selection.isEmpty() ? tr("Copy text") : tr("Copy selection"), this,
                    &TranscriptView::copy);
    if (target.hit.what == What::Link) {
        const QString link = target.hit.value;
        menu->addAction(tr("Copy link address"), this,
                        [link] { QGuiApplication::clipboard()->setText(link); });
    }
    if (m_current >= 0 && m_model->rowAt(m_current).kind == TranscriptRow::Kind::Call) {
        const TranscriptRow &row = m_model->rowAt(m_current);
        const QString callId = row.data[u"callId"].toString();
        menu->addAction(tr("Open in Call pane"), this,
                        [this, callId] { Q_EMIT callActivated(m_model->conversation(), callId); });
        if (row.data[u"state"].toString() == "unknown"_L1)
            menu->addAction(tr("Look on the machine"), this,
                            [this, callId] { Q_EMIT lookWanted(m_model->conversation(), callId); });
    }
    menu->addAction(tr("Select all"), this, &TranscriptView::selectAll);
    QPoint at = event->globalPos();
    if (!byMouse && m_current >= 0)
        at = viewport()->mapToGlobal(rowRect(m_current).intersected(viewport()->rect()).topLeft()
                                     + QPoint(8, 8));
    menu->popup(at);
}

} // namespace Pilothouse
