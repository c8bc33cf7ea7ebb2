// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptview.h"

#include "transcript/transcriptmodel.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <chrono>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int Margin = 16;
constexpr int TopPadding = 8; // And as much below.
constexpr int WidestColumn = 760; // Longer lines are hard to read.
constexpr int KeptAround = 60; // Rows that keep their layout on each side of the viewport: about two screens.
constexpr int LoadEarlierAt = 30; // Rows left above the viewport when earlier ones are asked for.

} // namespace

TranscriptView::TranscriptView(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_fonts(font())
    , m_latest(new QToolButton(viewport()))
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Transcript"));
    setAccessibleDescription(
        tr("Messages, answers and tool calls. Up and Down walk the rows, Space unfolds, Ctrl+C copies."));
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setAutoFillBackground(true);
    verticalScrollBar()->setAccessibleName(tr("Scroll the transcript"));
    m_latest->setText(tr("Latest"));
    m_latest->setAccessibleName(tr("Go to the latest row"));
    m_latest->setCursor(Qt::ArrowCursor);
    m_latest->hide();
    connect(m_latest, &QToolButton::clicked, this, &TranscriptView::goToEnd);
    m_tick.setInterval(1s);
    connect(&m_tick, &QTimer::timeout, this, &TranscriptView::tick);
}

TranscriptView::~TranscriptView() = default;

void TranscriptView::setModel(TranscriptModel *model)
{
    m_model = model;
    connect(model, &QAbstractItemModel::modelReset, this, &TranscriptView::onReset);
    connect(model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { onInserted(first, last); });
    connect(
        model, &QAbstractItemModel::dataChanged, this,
        [this](const QModelIndex &first, const QModelIndex &last) { onChanged(first.row(), last.row()); });
    onReset();
}

int TranscriptView::columnWidth() const
{
    return std::clamp(viewport()->width() - 2 * Margin, 80, WidestColumn);
}

bool TranscriptView::isUnfolded(int place) const { return m_unfolded.contains(m_model->rowAt(place).row); }

void TranscriptView::onReset()
{
    m_follow = true;
    m_current = -1;
    resetEntries();
    arrange();
}

void TranscriptView::resetEntries()
{
    m_entries.clear();
    const int count = m_model ? m_model->rowCount() : 0;
    m_entries.resize(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
        m_entries[static_cast<size_t>(i)].height =
            RowLayout::estimate(m_model->rowAt(i), columnWidth(), m_fonts);
    m_anchor = std::clamp(m_anchor, 0, std::max(0, count - 1));
}

void TranscriptView::onInserted(int first, int last)
{
    const int count = last - first + 1;
    std::vector<Entry> added(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
        added[static_cast<size_t>(i)].height =
            RowLayout::estimate(m_model->rowAt(first + i), columnWidth(), m_fonts);
    m_entries.insert(m_entries.begin() + first, std::make_move_iterator(added.begin()),
                     std::make_move_iterator(added.end()));
    if (first <= m_anchor && m_entries.size() > static_cast<size_t>(count))
        m_anchor += count;
    if (m_current >= first)
        m_current += count;
    arrange();
}

void TranscriptView::onChanged(int first, int last)
{
    for (int i = first; i <= last; ++i) {
        Entry &entry = m_entries[static_cast<size_t>(i)];
        entry.exact = false;
        if (!entry.layout)
            entry.height = RowLayout::estimate(m_model->rowAt(i), columnWidth(), m_fonts);
    }
    arrange();
}

int TranscriptView::exactHeight(int place)
{
    Entry &entry = m_entries[static_cast<size_t>(place)];
    if (entry.exact && entry.layout)
        return entry.height;
    if (!entry.layout)
        entry.layout = std::make_unique<RowLayout>();
    entry.layout->setText(
        rowText(m_model->rowAt(place), isUnfolded(place), QDateTime::currentMSecsSinceEpoch()));
    entry.height = entry.layout->arrange(columnWidth(), m_fonts);
    entry.exact = true;
    return entry.height;
}

// Finds the rows of the viewport from the anchor (or, when following, from the end), measures them, and makes
// the scroll bar agree.
void TranscriptView::arrange()
{
    const int count = static_cast<int>(m_entries.size());
    const int room = std::max(1, viewport()->height() - 2 * TopPadding);
    if (!m_follow) {
        int filled = -m_anchorOffset;
        int place = m_anchor;
        while (place < count && filled < room)
            filled += exactHeight(place++);
        m_last = place - 1;
        if (place >= count && filled <= room)
            m_follow = true; // The end came into view.
    }
    if (m_follow) {
        int filled = 0;
        int place = count - 1;
        while (place >= 0 && filled < room)
            filled += exactHeight(place--);
        m_anchor = place + 1;
        m_anchorOffset = std::max(0, filled - room);
        m_last = count - 1;
    }
    qint64 total = 0;
    qint64 before = 0;
    for (int i = 0; i < count; ++i) {
        if (i == m_anchor)
            before = total;
        total += m_entries[static_cast<size_t>(i)].height;
    }
    const auto toBar = [](qint64 value) {
        return static_cast<int>(std::clamp<qint64>(value, 0, std::numeric_limits<int>::max() / 2));
    };
    m_position = toBar(before + m_anchorOffset);
    {
        const QScopedValueRollback<bool> guard(m_settingBar, true);
        QScrollBar *bar = verticalScrollBar();
        bar->setPageStep(room);
        bar->setSingleStep(m_fonts.lineHeight);
        bar->setRange(0, toBar(total - room));
        bar->setValue(m_position);
        m_position = bar->value();
    }
    evictFar(m_anchor, m_last);
    bool isTicking = false;
    for (int i = m_anchor; i <= m_last && !isTicking; ++i) {
        const Entry &entry = m_entries[static_cast<size_t>(i)];
        isTicking = entry.layout && entry.layout->text().ticking;
    }
    if (isTicking && !m_tick.isActive())
        m_tick.start();
    else if (!isTicking)
        m_tick.stop();
    m_latest->setVisible(!m_follow);
    if (!m_follow) {
        m_latest->adjustSize();
        m_latest->move(viewport()->width() - m_latest->width() - Margin,
                       viewport()->height() - m_latest->height() - Margin);
    }
    if (m_model && m_anchor < LoadEarlierAt && m_model->hasEarlier())
        m_model->loadEarlier();
    viewport()->update();
}

void TranscriptView::evictFar(int firstVisible, int lastVisible)
{
    const auto count = static_cast<int>(m_entries.size());
    for (int i = 0; i < count; ++i) {
        if (i < firstVisible - KeptAround || i > lastVisible + KeptAround)
            m_entries[static_cast<size_t>(i)].layout.reset(); // The height stays.
    }
}

int TranscriptView::layoutCount() const
{
    return static_cast<int>(std::count_if(m_entries.cbegin(), m_entries.cend(),
                                          [](const Entry &entry) { return entry.layout != nullptr; }));
}

void TranscriptView::tick()
{
    bool changed = false;
    for (int i = m_anchor; i <= m_last && i < static_cast<int>(m_entries.size()); ++i) {
        Entry &entry = m_entries[static_cast<size_t>(i)];
        if (entry.layout && entry.layout->text().ticking) {
            entry.exact = false;
            changed = true;
        }
    }
    if (changed && isVisible())
        arrange();
    else if (!changed)
        m_tick.stop();
}

void TranscriptView::goToEnd()
{
    m_follow = true;
    arrange();
}

// Row by row with measured heights, so that nothing jumps when an estimate was wrong.
void TranscriptView::moveBy(int pixels)
{
    const int count = static_cast<int>(m_entries.size());
    if (count == 0)
        return;
    m_anchorOffset += pixels;
    while (m_anchorOffset < 0 && m_anchor > 0)
        m_anchorOffset += exactHeight(--m_anchor);
    m_anchorOffset = std::max(0, m_anchorOffset);
    while (m_anchor < count - 1 && m_anchorOffset >= exactHeight(m_anchor))
        m_anchorOffset -= exactHeight(m_anchor++);
}

void TranscriptView::jumpTo(qint64 position)
{
    const int count = static_cast<int>(m_entries.size());
    qint64 top = 0;
    m_anchor = 0;
    while (m_anchor < count - 1 && top + m_entries[static_cast<size_t>(m_anchor)].height <= position)
        top += m_entries[static_cast<size_t>(m_anchor++)].height;
    m_anchorOffset =
        static_cast<int>(std::clamp<qint64>(position - top, 0, std::max(0, exactHeight(m_anchor) - 1)));
}

void TranscriptView::scrollContentsBy(int, int)
{
    if (m_settingBar || m_entries.empty())
        return;
    const QScrollBar *bar = verticalScrollBar();
    const int delta = bar->value() - m_position;
    if (delta == 0)
        return;
    m_follow = bar->value() >= bar->maximum();
    if (!m_follow) {
        if (std::abs(delta) <= 2 * viewport()->height())
            moveBy(delta);
        else
            jumpTo(bar->value());
    }
    arrange();
}

int TranscriptView::placeAt(int y, int *top) const
{
    int at = TopPadding - m_anchorOffset;
    for (int i = m_anchor; i < static_cast<int>(m_entries.size()); ++i) {
        const int height = m_entries[static_cast<size_t>(i)].height;
        if (y >= at && y < at + height) {
            if (top)
                *top = at;
            return i;
        }
        at += height;
        if (at > viewport()->height())
            break;
    }
    return -1;
}

void TranscriptView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    const int width = columnWidth();
    const int x = (viewport()->width() - width) / 2;
    int y = TopPadding - m_anchorOffset;
    for (int i = m_anchor; i < static_cast<int>(m_entries.size()) && y < viewport()->height(); ++i) {
        const Entry &entry = m_entries[static_cast<size_t>(i)];
        if (entry.layout) {
            RowLayout::State state;
            state.unfolded = isUnfolded(i);
            state.current = i == m_current && hasFocus();
            entry.layout->paint(&painter, QRect(x, y, width, entry.height), event->rect(), palette(), m_fonts,
                                state);
        }
        y += entry.height;
    }
}

void TranscriptView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    for (Entry &entry : m_entries)
        entry.exact = false;
    arrange();
}

void TranscriptView::setCurrentPlace(int place)
{
    const int count = static_cast<int>(m_entries.size());
    if (count == 0)
        return;
    m_current = std::clamp(place, 0, count - 1);
    if (m_current < m_anchor || (m_current == m_anchor && m_anchorOffset > 0)) {
        m_follow = false;
        m_anchor = m_current;
        m_anchorOffset = 0;
    } else if (m_current >= m_last && !m_follow) {
        int bottom = -m_anchorOffset;
        for (int i = m_anchor; i <= m_current; ++i)
            bottom += exactHeight(i);
        const int room = viewport()->height() - 2 * TopPadding;
        if (bottom > room)
            moveBy(std::min(bottom - room, bottom - exactHeight(m_current)));
    }
    arrange();
}

void TranscriptView::toggle(int place)
{
    const qint64 number = m_model->rowAt(place).row;
    if (!rowText(m_model->rowAt(place), false, 0).foldable)
        return;
    if (!m_unfolded.remove(number))
        m_unfolded.insert(number);
    m_follow = m_follow && place == static_cast<int>(m_entries.size()) - 1;
    onChanged(place, place);
}

void TranscriptView::toggleCurrent()
{
    if (m_model && m_current >= 0 && m_current < static_cast<int>(m_entries.size()))
        toggle(m_current);
}

void TranscriptView::copyCurrent()
{
    if (m_model && m_current >= 0 && m_current < static_cast<int>(m_entries.size()))
        QGuiApplication::clipboard()->setText(rowCopy(m_model->rowAt(m_current)));
}

void TranscriptView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copyCurrent();
        return;
    }
    const int count = static_cast<int>(m_entries.size());
    switch (event->key()) {
    case Qt::Key_Up:
        setCurrentPlace(m_current < 0 ? count - 1 : m_current - 1);
        return;
    case Qt::Key_Down:
        setCurrentPlace(m_current < 0 ? count - 1 : m_current + 1);
        return;
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        toggleCurrent();
        return;
    case Qt::Key_End:
        goToEnd();
        return;
    case Qt::Key_Home:
        verticalScrollBar()->setValue(0);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void TranscriptView::mousePressEvent(QMouseEvent *event)
{
    const int place = placeAt(event->position().toPoint().y());
    if (place < 0)
        return;
    m_current = place;
    viewport()->update();
    if (event->button() == Qt::LeftButton)
        toggle(place);
}

void TranscriptView::contextMenuEvent(QContextMenuEvent *event)
{
    if (event->reason() == QContextMenuEvent::Mouse)
        m_current = placeAt(event->pos().y());
    if (m_current < 0)
        return;
    viewport()->update();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy text"), this, &TranscriptView::copyCurrent);
    menu->popup(event->globalPos());
}

void TranscriptView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        m_fonts = RowFonts(font());
        resetEntries();
        arrange();
    }
}

void TranscriptView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TranscriptView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace Pilothouse
