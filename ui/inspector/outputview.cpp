// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputview.h"

#include "inspector/outputaccessible.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int WheelStep = 3; // Lines for a notch.
constexpr int WheelNotch = 120;
constexpr int AutoScrollMs = 50;
constexpr int FewestNumberDigits = 3;

bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'-' || c == u'.' || c == u'/'; }

} // namespace

OutputView::OutputView(const QString &accessibleName, QWidget *parent)
    : QAbstractScrollArea(parent)
{
    installOutputAccessible(); // Before anything tells a screen reader that this view is there.
    setAccessibleName(accessibleName);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setCornerWidget(new QWidget); // Else the style draws a panel there.
    horizontalScrollBar()->setAccessibleName(tr("Scroll sideways"));
    verticalScrollBar()->setAccessibleName(tr("Scroll the text"));
    connect(&Theme::instance(), &Theme::changed, this, &OutputView::onTheme);
}

void OutputView::setModel(OutputModel *model)
{
    Q_ASSERT(!m_model);
    m_model = model;
    connect(model, &OutputModel::wasReset, this, &OutputView::onReset);
    connect(model, &OutputModel::changed, this, &OutputView::onChanged);
    connect(model, &OutputModel::loaded, this, [this] {
        if (m_wrap && m_follow)
            goToEnd(); // Now their height is known.
        viewport()->update();
    });
    onReset();
    onChanged(0);
}

void OutputView::onTheme()
{
    m_painter.refresh();
    updateBars();
    viewport()->update();
}

void OutputView::onReset()
{
    m_top = {};
    m_anchor = {};
    m_cursor = {};
    m_widest = 0;
    updateBars();
    viewport()->update();
}

void OutputView::onChanged(qint64 firstRow)
{
    // Where the reader is, nothing may move; where nothing changed, nothing is painted.
    const bool isSeen = m_follow || firstRow <= lastVisibleRow() + 1;
    const int gutter = gutterWidth();
    if (m_follow)
        goToEnd();
    else
        updateBars();
    if (isSeen || gutter != gutterWidth())
        viewport()->update();
}

void OutputView::setWrap(bool wrap)
{
    if (wrap == m_wrap)
        return;
    m_wrap = wrap;
    m_top.column = 0;
    horizontalScrollBar()->setValue(0);
    if (m_follow)
        goToEnd();
    else
        updateBars();
    viewport()->update();
}

void OutputView::setGutterShown(bool shown)
{
    m_gutter = shown;
    updateBars();
    viewport()->update();
}

void OutputView::setIndent(int pixels)
{
    m_indent = pixels;
    viewport()->update();
}

int OutputView::gutterWidth() const
{
    if (!m_gutter)
        return 0;
    const Theme &theme = Theme::instance();
    const qint64 lines = m_model ? m_model->store().lineCount() : 0;
    const int digits = std::max(FewestNumberDigits, static_cast<int>(QString::number(lines).size()));
    const int width = QFontMetrics(theme.font(TextStyle::LineNumber)).horizontalAdvance(u'0') * digits;
    return std::max(theme.px(Metrics::OutputGutter), width + Metrics::SpaceL);
}

int OutputView::textLeft() const
{
    return m_gutter ? gutterWidth() + Theme::instance().px(Metrics::StreamMark) : m_indent;
}

int OutputView::columnsPerLine() const
{
    const int room = viewport()->width() - textLeft() - Metrics::SpaceS;
    return std::max(8, static_cast<int>(room / m_painter.cellWidth()));
}

int OutputView::visibleLines() const { return std::max(1, viewport()->height() / m_painter.lineHeight()); }

int OutputView::heightOfLines(int lines) const { return lines * m_painter.lineHeight(); }

std::vector<int> OutputView::startsOf(qint64 row) const
{
    const LineStore::Row *at = m_wrap && m_model ? m_model->row(row) : nullptr;
    return at ? wrapStarts(*at, columnsPerLine()) : std::vector<int>{0};
}

int OutputView::linesNeeded(int most) const
{
    int lines = 0;
    const qint64 rows = m_model ? m_model->rowCount() : 0;
    for (qint64 row = 0; row < rows && lines < most; ++row)
        lines += static_cast<int>(startsOf(row).size());
    return std::min(lines, most);
}

// With wrapping a line of the screen is (row, column it begins at); without, the column stays 0.
OutputPlace OutputView::next(const OutputPlace &line) const
{
    const std::vector<int> starts = startsOf(line.row);
    const auto after = std::upper_bound(starts.cbegin(), starts.cend(), line.column);
    return after == starts.cend() ? OutputPlace{line.row + 1, 0} : OutputPlace{line.row, *after};
}

OutputPlace OutputView::previous(const OutputPlace &line) const
{
    if (line.column == 0)
        return {line.row - 1, startsOf(line.row - 1).back()};
    const std::vector<int> starts = startsOf(line.row);
    const auto here = std::lower_bound(starts.cbegin(), starts.cend(), line.column);
    return {line.row, here == starts.cbegin() ? 0 : *(here - 1)};
}

OutputPlace OutputView::endTop() const
{
    const qint64 rows = m_model ? m_model->rowCount() : 0;
    if (!m_wrap)
        return {std::max(qint64(0), rows - visibleLines()), 0};
    OutputPlace top{rows, 0};
    for (int i = 0; i < visibleLines() && top > OutputPlace(); ++i)
        top = previous(top);
    return top;
}

void OutputView::updateBars()
{
    m_settingBars = true;
    constexpr qint64 Most = std::numeric_limits<int>::max();
    QScrollBar *vertical = verticalScrollBar();
    // Of a row that is cut at the top only the later lines are seen: the last value then is one more.
    const OutputPlace end = endTop();
    const qint64 last = end.row + (end.column > 0 ? 1 : 0);
    vertical->setRange(0, static_cast<int>(std::min(Most, last)));
    vertical->setPageStep(visibleLines());
    vertical->setSingleStep(1);
    vertical->setValue(static_cast<int>(m_top >= end ? last : std::min(m_top.row, last)));
    QScrollBar *horizontal = horizontalScrollBar();
    const int columns = columnsPerLine();
    horizontal->setRange(0, m_wrap ? 0 : std::max(0, m_widest - columns));
    horizontal->setPageStep(columns);
    horizontal->setSingleStep(4);
    m_settingBars = false;
}

void OutputView::updateFollow()
{
    const bool atEnd = m_top >= endTop();
    if (atEnd == m_follow)
        return;
    m_follow = atEnd;
    Q_EMIT followingChanged(m_follow);
}

void OutputView::setFollowing(bool following)
{
    if (following)
        goToEnd();
    if (following == m_follow)
        return;
    m_follow = following;
    Q_EMIT followingChanged(following);
}

void OutputView::goToEnd()
{
    const OutputPlace before = m_top;
    m_top = endTop();
    updateBars();
    if (m_top != before)
        viewport()->update();
}

void OutputView::setTop(const OutputPlace &top)
{
    const OutputPlace before = m_top;
    m_top = std::clamp(top, OutputPlace(), std::max(OutputPlace(), endTop()));
    updateBars();
    updateFollow();
    if (m_top != before)
        viewport()->update();
}

void OutputView::moveBy(int lines)
{
    OutputPlace top = m_top;
    if (!m_wrap) {
        setTop({m_top.row + lines, 0});
        return;
    }
    const OutputPlace end = endTop();
    for (; lines > 0 && top < end; --lines)
        top = next(top);
    for (; lines < 0 && top > OutputPlace(); ++lines)
        top = previous(top);
    setTop(top);
}

void OutputView::scrollContentsBy(int dx, int dy)
{
    if (dx != 0)
        viewport()->update();
    if (m_settingBars || dy == 0)
        return;
    const QScrollBar *bar = verticalScrollBar();
    setTop(bar->value() >= bar->maximum() ? endTop() : OutputPlace{bar->value(), 0});
}

void OutputView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    const std::vector<int> starts = startsOf(m_top.row);
    m_top.column = *(std::upper_bound(starts.cbegin(), starts.cend(), m_top.column) - 1);
    if (m_follow)
        goToEnd();
    else
        setTop(m_top);
}

qint64 OutputView::lastVisibleRow() const
{
    if (!m_wrap)
        return m_top.row + visibleLines();
    OutputPlace line = m_top;
    const qint64 rows = m_model ? m_model->rowCount() : 0;
    for (int i = 0; i < visibleLines() && line.row < rows; ++i)
        line = next(line);
    return line.row;
}

QRect OutputView::rowRect(qint64 row) const
{
    int y = 0;
    const int height = m_painter.lineHeight();
    const qint64 rows = m_model ? m_model->rowCount() : 0;
    for (OutputPlace line = m_top; line.row < rows && y < viewport()->height(); line = next(line)) {
        if (line.row == row)
            return {0, y, viewport()->width(), height * static_cast<int>(startsOf(row).size())};
        y += height;
    }
    return {};
}

std::pair<OutputPlace, OutputPlace> OutputView::selection() const { return std::minmax(m_anchor, m_cursor); }

void OutputView::paintEvent(QPaintEvent *event)
{
    ++m_paints;
    const Theme &theme = Theme::instance();
    QPainter painter(viewport());
    painter.fillRect(event->rect(), theme.color(Role::Sunken));
    if (!m_model)
        return;
    const qint64 rows = m_model->rowCount();
    const int height = m_painter.lineHeight();
    const int widest = m_widest;
    int y = 0;
    for (OutputPlace line = m_top; line.row < rows && y < viewport()->height(); line = next(line)) {
        if (y + height > event->rect().top() && y <= event->rect().bottom())
            paintLine(&painter, line, y);
        y += height;
    }
    if (hasFocus())
        paintFocusRing(&painter, QRectF(viewport()->rect()), 0);
    if (m_widest != widest && !m_wrap)
        QMetaObject::invokeMethod(this, &OutputView::updateBars, Qt::QueuedConnection);
}

void OutputView::paintLine(QPainter *painter, const OutputPlace &line, int y)
{
    const Theme &theme = Theme::instance();
    const LineStore::Row *row = m_model->row(line.row);
    if (!row)
        return; // It comes.
    const int height = m_painter.lineHeight();
    const int left = textLeft();
    if (m_gutter) {
        const int gutter = gutterWidth();
        const bool isFirst = line.column == 0 && row->kind != LineStore::Block::Kind::Tail
            && row->kind != LineStore::Block::Kind::Gap;
        if (isFirst) {
            painter->setFont(theme.font(TextStyle::LineNumber));
            painter->setPen(theme.color(Role::Text3));
            painter->drawText(QRect(0, y, gutter - Metrics::SpaceS, height),
                              Qt::AlignRight | Qt::AlignVCenter, QString::number(row->line));
        }
        if (row->channel == LineStore::Channel::Stderr) {
            const QColor red = theme.color(Role::Failed);
            painter->fillRect(QRect(gutter - Metrics::SpaceXs, y, 1, height), red);
            if (isFirst) {
                painter->setFont(theme.font(TextStyle::Mono));
                painter->setPen(red);
                painter->drawText(
                    QRect(gutter - Metrics::SpaceXs, y, left - gutter + Metrics::SpaceXs, height),
                    Qt::AlignCenter, u"!"_s);
            }
        }
    }
    const int from = m_wrap ? line.column : horizontalScrollBar()->value();
    const OutputPlace after = next(line);
    int to = from + columnsPerLine() + 2;
    if (m_wrap)
        to = after.row == line.row ? after.column : row->columns + 1;
    m_widest = std::max(m_widest, row->columns);
    painter->save();
    painter->setClipRect(QRect(left, y, viewport()->width() - left, height));
    const QPointF at(left, y);
    m_painter.paint(painter, *row, from, to, at);
    paintSelection(painter, *row, line, from, to, at);
    painter->restore();
}

void OutputView::paintSelection(QPainter *painter, const LineStore::Row &row, const OutputPlace &line,
                                int from, int to, const QPointF &at)
{
    const auto [begin, end] = selection();
    if (begin == end || line.row < begin.row || line.row > end.row)
        return;
    const int first = std::max(from, line.row == begin.row ? begin.column : 0);
    // A line end that is selected shows as one cell.
    const int last = std::min(to, line.row == end.row ? end.column : std::max(row.columns, 0) + 1);
    if (first >= last)
        return;
    const Theme &theme = Theme::instance();
    const qreal cell = m_painter.cellWidth();
    const QRectF box(at.x() + (first - from) * cell, at.y(), (last - first) * cell, m_painter.lineHeight());
    painter->setClipRect(box, Qt::IntersectClip);
    painter->fillRect(box, theme.color(Role::SelectionBack));
    m_painter.paint(painter, row, from, to, at, theme.color(Role::SelectionText));
}

OutputPlace OutputView::placeAt(const QPoint &point) const
{
    const qint64 rows = m_model ? m_model->rowCount() : 0;
    const int height = m_painter.lineHeight();
    OutputPlace line = m_top;
    const int down = point.y() < 0 ? -1 : point.y() / height;
    for (int i = 0; i < down && line.row < rows; ++i)
        line = next(line);
    if (line.row >= rows)
        return {std::max(qint64(0), rows - 1), rows > 0 ? std::numeric_limits<int>::max() : 0};
    const int from = m_wrap ? line.column : horizontalScrollBar()->value();
    const int column =
        from + static_cast<int>((point.x() - textLeft() + m_painter.cellWidth() / 2) / m_painter.cellWidth());
    const OutputPlace after = next(line);
    const bool isCut = m_wrap && after.row == line.row;
    return {line.row, std::max(from, isCut ? std::min(column, after.column) : column)};
}

void OutputView::extendTo(const QPoint &point)
{
    if (point.y() < 0)
        moveBy(-1);
    else if (point.y() >= viewport()->height())
        moveBy(1);
    m_cursor = placeAt(QPoint(point.x(), std::clamp(point.y(), 0, viewport()->height() - 1)));
    viewport()->update();
}

void OutputView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_cursor = placeAt(event->position().toPoint());
    if (!event->modifiers().testFlag(Qt::ShiftModifier))
        m_anchor = m_cursor;
    viewport()->update();
}

void OutputView::mouseMoveEvent(QMouseEvent *event)
{
    if (!event->buttons().testFlag(Qt::LeftButton))
        return;
    const QPoint point = event->position().toPoint();
    if (viewport()->rect().contains(point))
        m_autoScroll.stop();
    else if (!m_autoScroll.isActive())
        m_autoScroll.start(AutoScrollMs, this);
    extendTo(point);
}

void OutputView::mouseReleaseEvent(QMouseEvent *)
{
    m_autoScroll.stop();
    if (hasSelection() && QApplication::clipboard()->supportsSelection() && m_model) {
        const auto [from, to] = selection();
        auto *copier = new OutputCopier(m_model, from, to);
        connect(copier, &OutputCopier::finished, this, [](const QString &text, bool) {
            QApplication::clipboard()->setText(text, QClipboard::Selection);
        });
    }
}

void OutputView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const OutputPlace place = placeAt(event->position().toPoint());
    const LineStore::Row *row = m_model ? m_model->row(place.row) : nullptr;
    if (!row || event->button() != Qt::LeftButton)
        return;
    const auto isWordAt = [row](int column) {
        const QString cell = rowText(*row, column, column + 1);
        return !cell.isEmpty() && isWordPart(cell.front());
    };
    int from = std::min(place.column, row->columns);
    if (!isWordAt(from) && from > 0)
        --from;
    int to = from + 1;
    if (isWordAt(from)) {
        while (from > 0 && isWordAt(from - 1))
            --from;
        while (to < row->columns && isWordAt(to))
            ++to;
    }
    m_anchor = {place.row, from};
    m_cursor = {place.row, to};
    viewport()->update();
}

void OutputView::timerEvent(QTimerEvent *event)
{
    if (event->timerId() == m_autoScroll.timerId())
        extendTo(viewport()->mapFromGlobal(QCursor::pos()));
    else
        QAbstractScrollArea::timerEvent(event);
}

void OutputView::wheelEvent(QWheelEvent *event)
{
    const bool isSideways = event->modifiers().testFlag(Qt::ShiftModifier)
        || std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y());
    if (isSideways) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    // A touchpad sends many small steps.
    m_wheelRest += event->angleDelta().y() * WheelStep;
    const int lines = m_wheelRest / WheelNotch;
    m_wheelRest -= lines * WheelNotch;
    if (lines != 0)
        moveBy(-lines);
    event->accept();
}

void OutputView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        selectAll();
        return;
    }
    const bool isSelecting = event->modifiers().testFlag(Qt::ShiftModifier);
    if (isSelecting && !hasSelection())
        m_anchor = m_cursor = m_top;
    const auto select = [&](qint64 rows) {
        const qint64 last = m_model ? m_model->rowCount() : 0;
        m_cursor.row = std::clamp(m_cursor.row + rows, qint64(0), last);
        if (m_cursor.row < m_top.row)
            setTop({m_cursor.row, 0});
        else if (m_cursor.row >= lastVisibleRow())
            moveBy(static_cast<int>(std::min<qint64>(m_cursor.row - lastVisibleRow() + 1, visibleLines())));
        viewport()->update();
    };
    const int page = std::max(1, visibleLines() - 1);
    switch (event->key()) {
    case Qt::Key_Up:
        isSelecting ? select(-1) : moveBy(-1);
        return;
    case Qt::Key_Down:
        isSelecting ? select(1) : moveBy(1);
        return;
    case Qt::Key_PageUp:
        isSelecting ? select(-page) : moveBy(-page);
        return;
    case Qt::Key_PageDown:
        isSelecting ? select(page) : moveBy(page);
        return;
    case Qt::Key_Home:
        setTop({});
        return;
    case Qt::Key_End:
        setTop(endTop());
        return;
    case Qt::Key_Left:
        horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        return;
    case Qt::Key_Right:
        horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        return;
    case Qt::Key_Escape:
        if (hasSelection()) {
            clearSelection();
            return;
        }
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void OutputView::selectAll()
{
    m_anchor = {};
    m_cursor = {m_model ? m_model->rowCount() : 0, 0};
    viewport()->update();
}

void OutputView::clearSelection()
{
    m_anchor = m_cursor;
    viewport()->update();
}

void OutputView::copy()
{
    if (!m_model || m_model->rowCount() == 0)
        return;
    auto [from, to] = selection();
    if (from == to) {
        from = {};
        to = {m_model->rowCount(), 0};
    }
    auto *copier = new OutputCopier(m_model, from, to);
    connect(copier, &OutputCopier::finished, this, [this](const QString &text, bool isCut) {
        QApplication::clipboard()->setText(text);
        Q_EMIT copied(text.size(), isCut);
    });
}

void OutputView::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction *copyAction =
        menu->addAction(hasSelection() ? tr("Copy") : tr("Copy all"), this, &OutputView::copy);
    copyAction->setShortcut(QKeySequence::Copy);
    QAction *all = menu->addAction(tr("Select all"), this, &OutputView::selectAll);
    all->setShortcut(QKeySequence::SelectAll);
    menu->addSeparator();
    QAction *wrapAction = menu->addAction(tr("Wrap lines"), this, [this] { setWrap(!m_wrap); });
    wrapAction->setCheckable(true);
    wrapAction->setChecked(m_wrap);
    menu->popup(event->globalPos());
}

void OutputView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void OutputView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace Pilothouse
