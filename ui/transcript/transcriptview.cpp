// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptview.h"

#include "theme/controls/button.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"
#include "transcript/rowtext.h"
#include "transcript/transcriptaccessible.h"
#include "transcript/transcriptimages.h"
#include "transcript/transcriptmodel.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>
#include <chrono>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int LatestMargin = Metrics::SpaceL;
constexpr int AheadMilliseconds = 4; // Of one slice of work that nobody waits for.
constexpr auto LateAfter = 400ms; // Rows are there sooner; words that flash up would only disturb.

} // namespace

TranscriptView::TranscriptView(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_style(std::make_unique<TranscriptStyle>())
    , m_images(new TranscriptImages(this))
    , m_stack(*m_style, [this](int place) { return shapeOf(place); })
    , m_latest(new Button(tr("Latest"), Button::Kind::Secondary, viewport()))
{
    installTranscriptAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Transcript"));
    setAccessibleDescription(tr(
        "Messages, answers and tool calls. Up and Down walk the rows, Right and Left the "
        "links and buttons in a row, Space unfolds, Enter shows a call or follows a link, Ctrl+C copies."));
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->setCursor(Qt::IBeamCursor);
    verticalScrollBar()->setAccessibleName(tr("Scroll the transcript"));
    m_latest->setIconName(u"arrow-down"_s);
    m_latest->setKeyCap(u"Ctrl+End"_s);
    m_latest->setAccessibleName(tr("Go to the latest row"));
    m_latest->setFocusPolicy(Qt::TabFocus);
    m_latest->setCursor(Qt::ArrowCursor);
    m_latest->hide();
    m_stack.setImages(m_images);
    m_stack.setRightToLeft(isRightToLeft());
    connect(m_latest, &QAbstractButton::clicked, this, &TranscriptView::goToEnd);
    connect(m_images, &TranscriptImages::changed, this, [this] {
        for (int i = m_stack.first(); i <= m_stack.last(); ++i) {
            if (RowItem *item = m_stack.item(i))
                item->touchAll();
        }
        arrange();
    });
    m_images->setWholeText(
        [this](qint64 row, QObject *context, std::function<void(std::function<QString()>)> reply) {
            const int place = m_model ? m_model->placeOf(row) : -1;
            if (place >= 0)
                m_model->readWholeText(m_model->rowAt(place), context, std::move(reply));
        });
    connect(&Theme::instance(), &Theme::changed, this, &TranscriptView::restyle);
    m_tick.setInterval(1s);
    connect(&m_tick, &QTimer::timeout, this, &TranscriptView::tick);
    m_ahead.setSingleShot(true);
    m_ahead.setInterval(20ms);
    connect(&m_ahead, &QTimer::timeout, this, [this] {
        if (!m_isStale && m_model && m_model->rowCount() == m_stack.count()
            && m_stack.arrangeAhead(AheadMilliseconds))
            m_ahead.start();
        updateBar();
    });
    m_late.setSingleShot(true);
    m_late.setInterval(LateAfter);
    connect(&m_late, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
    // While the handle is held it stays under the pointer, whatever estimates become.
    connect(verticalScrollBar(), &QAbstractSlider::sliderReleased, this, &TranscriptView::updateBar);
    m_dragScroll.setInterval(30ms);
    connect(&m_dragScroll, &QTimer::timeout, this, &TranscriptView::scrollWhileDragging);
}

TranscriptView::~TranscriptView() = default;

TranscriptModel *TranscriptView::model() const { return m_model; }

void TranscriptView::setModel(TranscriptModel *model)
{
    m_model = model;
    m_stack.setModel(model);
    connect(model, &QAbstractItemModel::modelReset, this, &TranscriptView::onReset);
    connect(model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { onInserted(first, last); });
    connect(
        model, &QAbstractItemModel::dataChanged, this,
        [this](const QModelIndex &first, const QModelIndex &last) { onChanged(first.row(), last.row()); });
    connect(model, &TranscriptModel::settled, this, &TranscriptView::onSettled);
    onReset();
}

QRect TranscriptView::column() const
{
    const int gutter = TranscriptStyle::px(Metrics::TranscriptGutter);
    const int right = TranscriptStyle::px(Metrics::TranscriptRight);
    const int room = viewport()->width() - gutter - right;
    const int width = std::clamp(room, 80, TranscriptStyle::px(Metrics::TranscriptMaxText));
    const int left = gutter + std::max(0, (room - width) / 2);
    return {isRightToLeft() ? viewport()->width() - left - width : left, 0, width, viewport()->height()};
}

bool TranscriptView::isUnfolded(int place) const { return m_unfolded.contains(m_model->rowAt(place).row); }

// Whether the next row that shows something, in this direction, belongs to the same stack of calls.

bool TranscriptView::isStacked(int place, int direction) const
{
    const TranscriptRow &row = m_model->rowAt(place);
    for (int i = place + direction; i >= 0 && i < m_model->rowCount(); i += direction) {
        const TranscriptRow &other = m_model->rowAt(i);
        if (!isShown(other))
            continue;
        return other.kind == TranscriptRow::Kind::Call && other.turn == row.turn && other.step == row.step
            && (m_widgets.isEmpty() || !m_widgets.contains(other.data[u"callId"].toString()));
    }
    return false;
}

bool TranscriptView::isLastShown(int place) const
{
    for (int i = place + 1; i < m_model->rowCount(); ++i) {
        if (isShown(m_model->rowAt(i)))
            return false;
    }
    return true;
}

RowShape TranscriptView::shapeOf(int place) const
{
    const TranscriptRow &row = m_model->rowAt(place);
    RowShape shape;
    shape.isUnfolded = m_unfolded.contains(row.row);
    shape.showsAll = m_showsAll.contains(row.row);
    shape.isPending = row.kind == TranscriptRow::Kind::Step && !row.closed && isLastShown(place);
    if (row.kind != TranscriptRow::Kind::Call)
        return shape;
    const QString callId = row.data[u"callId"].toString();
    shape.isActive = !m_activeCall.isEmpty() && callId == m_activeCall;
    shape.widgetHeight = m_waiting.contains(row.row) ? widgetHeight(callId) : 0;
    if (shape.widgetHeight == 0) {
        shape.joinsAbove = isStacked(place, -1);
        shape.joinsBelow = isStacked(place, 1);
    }
    shape.isSteady = shape.widgetHeight == 0 && m_steady.contains(row.row);
    if (shape.isUnfolded)
        shape.output = m_outputs.value(row.row);
    return shape;
}

void TranscriptView::onReset()
{
    m_current = -1;
    m_targetIndex = -1;
    m_waiting.clear();
    m_steady.clear();
    m_open.clear();
    m_outputs.clear();
    m_reading.clear();
    m_hover = {};
    if (!m_model || m_model->rowCount() == 0) {
        m_unfolded.clear();
        m_showsAll.clear();
        m_selection.clear();
        m_images->clear();
    }
    if (m_model)
        m_model->forEachHere([this](int, const TranscriptRow &row) { note(row); });
    // Read anew: whoever read further up goes on reading there.
    const bool wasFollowing = m_stack.isFollowing();
    const bool isSame = m_model && m_model->rowCount() > 0
        && std::exchange(m_conversation, m_model->conversation()) == m_model->conversation();
    m_stack.reset(isSame);
    updateSteady();
    const int read = isSame && !wasFollowing ? m_model->placeOf(m_readRow) : -1;
    if (read >= 0)
        m_stack.put(read, m_readTop);
    else
        m_stack.follow();
    m_isStale = false;
    arrange();
}

// Keeps account of calls that wait for a person and of answers that are still written.
void TranscriptView::note(const TranscriptRow &row)
{
    if (row.kind == TranscriptRow::Kind::Call && row.data[u"state"].toString() == "waiting"_L1)
        m_waiting.insert(row.row);
    if (row.kind == TranscriptRow::Kind::Text && !row.closed)
        m_open.insert(row.row);
}

void TranscriptView::onInserted(int first, int last)
{
    m_isStale = true;
    m_stack.inserted(first, last);
    if (m_current >= first)
        m_current += last - first + 1;
    m_hover = {};
    for (int i = first; i <= last; ++i) {
        if (m_model->isHere(i))
            note(m_model->rowAt(i));
    }
}

void TranscriptView::onChanged(int first, int last)
{
    m_isStale = true;
    for (int i = first; i <= last; ++i) {
        if (!m_model->isHere(i))
            continue;
        const TranscriptRow &row = m_model->rowAt(i);
        if (row.kind == TranscriptRow::Kind::Call) {
            if (row.data[u"state"].toString() == "waiting"_L1)
                m_waiting.insert(row.row);
            else
                m_waiting.remove(row.row);
            if (m_unfolded.contains(row.row))
                readOutputOf(i);
        } else if (row.kind == TranscriptRow::Kind::Text) {
            if (!row.closed)
                m_open.insert(row.row);
            else if (m_open.remove(row.row))
                announce(i);
        }
    }
    m_stack.changed(first, last);
}

void TranscriptView::onSettled()
{
    if (std::exchange(m_isStale, false)) {
        updateSteady();
        arrange();
    }
}

void TranscriptView::restyle()
{
    *m_style = TranscriptStyle();
    m_stack.setRightToLeft(isRightToLeft());
    m_stack.restyle();
    m_stack.resize(column().width(), viewport()->height());
    arrange();
    viewport()->update();
}

// Lays out what is in view, and makes scroll bar, widgets, timers and the Latest button agree.

void TranscriptView::arrange()
{
    m_stack.arrange();
    updateBar();
    placeWidgets();
    updateOutside();
    updateTick();
    if (m_stack.last() >= m_stack.first()) {
        m_readRow = m_model->rowAt(m_stack.first()).row;
        m_readTop = m_stack.top(m_stack.first());
    }
    const bool following = m_stack.isFollowing();
    m_latest->setVisible(!following);
    if (!following) {
        m_latest->adjustSize();
        const QRect in = column();
        const int margin = TranscriptStyle::px(LatestMargin);
        const int x = isRightToLeft() ? in.left() : in.right() + 1 - m_latest->width();
        m_latest->move(x, viewport()->height() - m_latest->height() - margin);
    }
    if (std::exchange(m_wasFollowing, following) != following)
        Q_EMIT followingChanged(following);
    if (m_model && m_stack.last() >= m_stack.first())
        m_model->need(m_stack.first(), m_stack.last());
    if (!m_stack.hasAbsent())
        m_late.stop();
    else if (!m_late.isActive())
        m_late.start();
    const int from = m_stack.takeChangedFrom();
    if (from < viewport()->height())
        viewport()->update(0, from, viewport()->width(), viewport()->height() - from);
    if (isVisible())
        m_ahead.start();
}

void TranscriptView::updateBar()
{
    const QScopedValueRollback<bool> guard(m_settingBar, true);
    const auto toBar = [](qint64 value) {
        return static_cast<int>(std::clamp<qint64>(value, 0, std::numeric_limits<int>::max() / 2));
    };
    QScrollBar *bar = verticalScrollBar();
    if (bar->isSliderDown()) {
        m_barPosition = bar->value();
        return;
    }
    bar->setPageStep(std::max(1, viewport()->height() - 2 * m_style->body.line));
    bar->setSingleStep(m_style->body.line);
    const int most = toBar(m_stack.total() - viewport()->height());
    bar->setRange(0, most);
    // At the end whatever estimates say: the bar must be able to tell that it is there.
    bar->setValue(m_stack.isFollowing() ? most : std::min(toBar(m_stack.position()), std::max(0, most - 1)));
    m_barPosition = bar->value();
}

void TranscriptView::updateTick()
{
    bool ticks = false;
    for (int i = m_stack.first(); i <= m_stack.last() && !ticks && isVisible(); ++i) {
        const RowItem *item = m_stack.item(i);
        ticks = item && item->ticks();
    }
    if (ticks && !m_tick.isActive())
        m_tick.start();
    else if (!ticks)
        m_tick.stop();
}

void TranscriptView::tick()
{
    for (int i = m_stack.first(); i <= m_stack.last(); ++i) {
        const RowItem *item = m_stack.item(i);
        if (item && item->ticks())
            m_stack.changed(i, i);
    }
    arrange();
}

void TranscriptView::announce(int place)
{
    const QString text = rowSpoken(m_model->rowAt(place));
    announceRow(this, m_model->rowAt(place).row);
    Q_EMIT answerFinished(text);
}

QRect TranscriptView::rowRect(int place) const
{
    const QRect in = column();
    return {in.x(), m_stack.top(place), in.width(), m_stack.height(place)};
}

void TranscriptView::goToEnd()
{
    m_stack.follow();
    arrange();
}

void TranscriptView::goToLatest()
{
    m_current = -1;
    clearTarget();
    goToEnd();
    viewport()->update();
}

void TranscriptView::scrollContentsBy(int, int)
{
    if (m_settingBar || m_stack.count() == 0)
        return;
    const QScrollBar *bar = verticalScrollBar();
    const int delta = bar->value() - m_barPosition;
    if (delta == 0)
        return;
    if (bar->value() >= bar->maximum()) {
        m_stack.follow();
    } else {
        m_stack.stopFollowing();
        if (bar->value() == 0)
            m_stack.jumpTo(0);
        else if (std::abs(delta) <= 2 * viewport()->height())
            m_stack.scrollBy(delta);
        else // The bar's range may be an older estimate while its handle is held.
            m_stack.jumpTo(static_cast<qint64>(
                static_cast<double>(std::max<qint64>(0, m_stack.total() - viewport()->height()))
                * bar->value() / std::max(1, bar->maximum())));
    }
    arrange();
    setHover(m_pointer);
}

void TranscriptView::paintRow(QPainter *painter, int place, const QRect &clip)
{
    const RowItem *row = m_stack.item(place);
    if (!row || row->segments().size() == 0)
        return;
    const QRect rect = rowRect(place);
    const SegmentContext outer = m_stack.context();
    const SegmentContext inner = row->inner(outer);
    const size_t segments = row->segments().size();
    // The box ends above the space that parts rows.
    QRect box = rect;
    box.setHeight(row->boxHeight());
    const bool isCurrent = place == m_current && hasFocus() && m_isKeyboard;
    const std::optional<Target> byKeys = isCurrent ? keyTarget() : std::nullopt;
    row->paintBack(painter, outer, box, isCurrent);
    const TranscriptRow &shown = m_model->rowAt(place);
    const bool isWhole = !row->isText() && m_selection.touches(shown.row);
    const auto selected = row->isText() ? m_selection.range(shown.row, row->source().size()) : std::nullopt;
    const HeightIndex &heights = row->segments().heights();
    size_t i = heights.find(std::max(0, clip.top() - rect.y() - row->segmentTop(0)));
    for (; i < segments; ++i) {
        SegmentPaint how;
        how.rect = QRect(rect.x() + row->left(), rect.y() + row->segmentTop(i), inner.width, heights.at(i));
        if (how.rect.y() > clip.bottom())
            break;
        how.clip = clip;
        if (selected) {
            how.selectedFrom = selected->first;
            how.selectedTo = selected->second;
        }
        how.isCurrent = isCurrent;
        how.isHovered = m_hover.place == place && m_hover.segment == i;
        if (byKeys && m_targetSegment == i)
            how.target = m_targetIndex;
        if (how.isHovered)
            how.pointer = m_pointer - how.rect.topLeft();
        row->segments().at(i).paint(painter, inner, how);
    }
    if (isWhole) {
        QColor tint = TranscriptStyle::color(Role::SelectionBack);
        tint.setAlphaF(0.25F);
        painter->fillRect(box, tint);
    }
    if (!isCurrent)
        return;
    if (byKeys)
        paintFocusRing(painter, QRectF(byKeys->rect).adjusted(-3, -1, 3, 1), Metrics::RadiusControl);
    else
        paintFocusRing(painter, QRectF(box).adjusted(-4, -2, 4, 2), Metrics::RadiusCard);
}

void TranscriptView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    const QRect clip = event->rect();
    painter.fillRect(clip, TranscriptStyle::color(Role::Canvas));
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = m_stack.first(); i <= m_stack.last(); ++i) {
        const QRect rect = rowRect(i);
        if (rect.bottom() < clip.top() - 4)
            continue;
        if (rect.top() > clip.bottom() + 4)
            break;
        paintRow(&painter, i, clip);
    }
    if (m_stack.hasAbsent() && !m_late.isActive()) {
        painter.setFont(m_style->small.font);
        painter.setPen(TranscriptStyle::color(Role::Text3));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Reading the log"));
    }
}

void TranscriptView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    m_stack.resize(column().width(), viewport()->height());
    for (int i = m_stack.first(); i <= m_stack.last() && !m_widgets.isEmpty(); ++i) {
        if (m_waiting.contains(m_model->rowAt(i).row))
            m_stack.changed(i, i);
    }
    arrange();
}

bool TranscriptView::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutDirectionChange)
        restyle();
    return QAbstractScrollArea::event(event);
}

void TranscriptView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange
        || event->type() == QEvent::PaletteChange)
        restyle();
}

void TranscriptView::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    updateTick();
}

void TranscriptView::hideEvent(QHideEvent *event)
{
    QAbstractScrollArea::hideEvent(event);
    m_tick.stop();
    m_ahead.stop();
    m_dragScroll.stop();
}

} // namespace Pilothouse
