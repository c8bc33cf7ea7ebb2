// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// The keyboard in the transcript: the current row, selecting, copying.

#include "theme/metrics.h"
#include "transcript/rowtext.h"
#include "transcript/transcriptaccessible.h"
#include "transcript/transcriptcopier.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

void TranscriptView::setCurrentPlace(int place)
{
    const int count = m_stack.count();
    if (count == 0)
        return;
    m_current = std::clamp(place, 0, count - 1);
    clearTarget();
    m_isKeyboard = true;
    const int top = m_stack.top(m_current);
    const int bottom = top + m_stack.height(m_current);
    const int room = viewport()->height();
    const int padding = TranscriptStyle::px(Metrics::SpaceS);
    if (top < 0 || (bottom > room && bottom - top > room)) {
        m_stack.stopFollowing();
        m_stack.put(m_current, padding);
    } else if (bottom > room) {
        m_stack.stopFollowing();
        m_stack.put(m_current, room - padding - (bottom - top));
    }
    arrange();
    viewport()->update();
    focusRow(this, m_model->rowAt(m_current).row);
}

void TranscriptView::selectAll()
{
    if (!m_model || m_model->rowCount() == 0)
        return;
    // To the end of the last row, however long it is.
    m_selection.set({1, 0}, {m_model->rowCount(), std::numeric_limits<qsizetype>::max()});
    viewport()->update();
}

void TranscriptView::clearSelection()
{
    if (m_selection.isEmpty())
        return;
    m_selection.clear();
    viewport()->update();
}

QString TranscriptView::selectedText() const
{
    QString text;
    if (!m_model || m_selection.isEmpty())
        return text;
    const int last = static_cast<int>(std::min<qint64>(m_selection.to().row, m_model->rowCount())) - 1;
    for (int place = std::max(0, m_model->placeOf(m_selection.from().row)); place <= last; ++place) {
        if (m_model->isHere(place) && !m_selection.addTo(text, m_model->rowAt(place)))
            break;
    }
    return text;
}

void TranscriptView::copyTo(QClipboard::Mode mode)
{
    if (m_copier)
        m_copier->deleteLater(); // What is copied later replaces it.
    m_copier = new TranscriptCopier(
        m_model, m_selection,
        [mode](const QString &text) {
            if (!text.isEmpty())
                QGuiApplication::clipboard()->setText(text, mode);
        },
        this);
    m_copier->start();
}

void TranscriptView::copy()
{
    if (!m_model)
        return;
    if (!m_selection.isEmpty()) {
        copyTo(QClipboard::Clipboard);
    } else if (m_current >= 0 && m_current < m_stack.count() && m_model->isHere(m_current)) {
        if (const QString text = rowCopy(m_model->rowAt(m_current)); !text.isEmpty())
            QGuiApplication::clipboard()->setText(text);
    }
}

void TranscriptView::moveCurrent(int direction)
{
    const int count = m_stack.count();
    int next = m_current < 0 ? (direction < 0 ? m_stack.last() : m_stack.first()) : m_current + direction;
    while (next >= 0 && next < count && !isShown(m_model->rowAt(next)))
        next += direction;
    if (next >= 0 && next < count)
        setCurrentPlace(next);
}

void TranscriptView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        selectAll();
        return;
    }
    QScrollBar *bar = verticalScrollBar();
    switch (event->key()) {
    case Qt::Key_Up:
        moveCurrent(-1);
        return;
    case Qt::Key_Down:
        moveCurrent(1);
        return;
    case Qt::Key_Right:
    case Qt::Key_Left:
        if (!moveTarget((event->key() == Qt::Key_Right) == isRightToLeft() ? -1 : 1))
            break;
        return;
    case Qt::Key_Space:
        if (!pressTarget())
            toggleCurrent();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (pressTarget())
            return;
        if (m_model && m_current >= 0 && m_current < m_stack.count()
            && m_model->rowAt(m_current).kind == TranscriptRow::Kind::Call)
            Q_EMIT callActivated(m_model->conversation(),
                                 m_model->rowAt(m_current).data[u"callId"].toString());
        else
            toggleCurrent();
        return;
    case Qt::Key_PageUp:
        bar->triggerAction(QAbstractSlider::SliderPageStepSub);
        return;
    case Qt::Key_PageDown:
        bar->triggerAction(QAbstractSlider::SliderPageStepAdd);
        return;
    case Qt::Key_End:
        goToEnd();
        return;
    case Qt::Key_Home:
        bar->setValue(0);
        return;
    case Qt::Key_Escape:
        if (clearTarget()) {
            focusRow(this, m_model->rowAt(m_current).row);
            return;
        }
        if (!m_selection.isEmpty()) {
            clearSelection();
            return;
        }
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void TranscriptView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    m_isKeyboard =
        m_isKeyboard || event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    // Only the current row shows the focus: where none is in view, the last one that is becomes it.
    const auto isSeen = [this](int place) { return rowRect(place).intersects(viewport()->rect()); };
    if (m_isKeyboard && m_stack.count() > 0 && (m_current < 0 || !isSeen(m_current))) {
        int place = m_stack.last();
        while (place > m_stack.first() && !(isSeen(place) && isShown(m_model->rowAt(place))))
            --place;
        m_current = place;
    }
    viewport()->update();
}

void TranscriptView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace Pilothouse
