// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// Calls in the transcript: widgets in the place of rows, calls that wait out of view, unfolding.

#include "theme/metrics.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QApplication>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int SeenEnough = 48; // Pixels of a waiting call's row that must be in view.
} // namespace

int TranscriptView::widgetHeight(const QString &callId) const
{
    const QWidget *widget = m_widgets.value(callId);
    if (!widget)
        return 0;
    const int width = column().width();
    const int height =
        widget->hasHeightForWidth() ? widget->heightForWidth(width) : widget->sizeHint().height();
    return std::max({1, height, widget->minimumHeight()});
}

void TranscriptView::placeWidgets()
{
    if (m_widgets.isEmpty())
        return;
    const QRect in = column();
    QSet<QString> shown;
    for (int i = m_stack.first(); i <= m_stack.last(); ++i) {
        const TranscriptRow &row = m_model->rowAt(i);
        if (!m_waiting.contains(row.row))
            continue;
        const QString callId = row.data[u"callId"].toString();
        QWidget *widget = m_widgets.value(callId);
        if (!widget)
            continue;
        shown.insert(callId);
        widget->setGeometry(in.x(), m_stack.top(i), in.width(), widgetHeight(callId));
        widget->show();
    }
    for (auto it = m_widgets.cbegin(); it != m_widgets.cend(); ++it) {
        QWidget *widget = it.value();
        if (!widget || shown.contains(it.key()))
            continue;
        // What has the focus stays where keys reach it, out of sight.
        if (widget == QApplication::focusWidget() || widget->isAncestorOf(QApplication::focusWidget()))
            widget->move(in.x(), -widget->height() - viewport()->height());
        else
            widget->hide();
    }
}

void TranscriptView::setCallWidget(const QString &callId, QWidget *widget)
{
    if (QWidget *before = m_widgets.take(callId); before && before != widget)
        before->removeEventFilter(this);
    if (widget) {
        widget->setParent(viewport());
        widget->installEventFilter(this);
        m_widgets.insert(callId, widget);
    }
    if (const int place = m_model ? m_model->placeOfCall(callId) : -1; place >= 0)
        m_stack.changed(place, place);
    arrange();
}

void TranscriptView::widgetsChanged()
{
    if (m_widgets.isEmpty() || m_isStale)
        return; // What has not settled is arranged when it has.
    for (int i = m_stack.first(); i <= m_stack.last(); ++i) {
        if (m_waiting.contains(m_model->rowAt(i).row))
            m_stack.changed(i, i);
    }
    arrange();
}

// A person aims at the card of a waiting call: while it is there, rows of its step keep their height.
void TranscriptView::updateSteady()
{
    if (m_waiting.isEmpty() && m_steady.isEmpty())
        return;
    QSet<int> steady; // By place.
    for (const qint64 waiting : std::as_const(m_waiting)) {
        const int place = m_model->placeOf(waiting);
        if (place < 0)
            continue;
        const TranscriptRow &card = m_model->rowAt(place);
        const auto take = [&](int at) {
            const TranscriptRow &row = m_model->rowAt(at);
            if (!m_model->isHere(at) || row.turn != card.turn || row.step != card.step)
                return false;
            const QString state = row.data[u"state"].toString();
            if (row.kind == TranscriptRow::Kind::Call && !m_waiting.contains(row.row)
                && (m_steady.contains(row.row) || state == "running"_L1 || state == "proposed"_L1
                    || state == "approved"_L1))
                steady.insert(at);
            return true;
        };
        for (int at = place - 1; at >= 0 && take(at); --at) { }
        for (int at = place + 1; at < m_model->rowCount() && take(at); ++at) { }
    }
    QSet<qint64> numbers;
    for (const int place : std::as_const(steady))
        numbers.insert(m_model->rowAt(place).row);
    QSet<qint64> changed = numbers;
    changed.subtract(m_steady);
    changed.unite(QSet<qint64>(m_steady).subtract(numbers));
    m_steady = numbers;
    for (const qint64 number : std::as_const(changed)) {
        if (const int place = m_model->placeOf(number); place >= 0)
            m_stack.changed(place, place);
    }
}

bool TranscriptView::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest)
        widgetsChanged();
    return QAbstractScrollArea::eventFilter(watched, event);
}

void TranscriptView::updateOutside()
{
    QStringList outside;
    if (!m_waiting.isEmpty()) {
        QList<qint64> rows(m_waiting.cbegin(), m_waiting.cend());
        std::sort(rows.begin(), rows.end());
        for (const qint64 number : std::as_const(rows)) {
            const int place = m_model->placeOf(number);
            if (place < 0 || !m_model->isHere(place))
                continue;
            const int top = m_stack.top(place);
            const int height = m_stack.height(place);
            const int seen = std::min(top + height, viewport()->height()) - std::max(top, 0);
            if (seen < std::min(height, TranscriptStyle::px(SeenEnough)))
                outside.append(m_model->rowAt(place).data[u"callId"].toString());
        }
    }
    // A card whose row is not there is seen nowhere. That it comes into view later must be told as well.
    QStringList unplaced;
    for (auto it = m_widgets.cbegin(); it != m_widgets.cend(); ++it) {
        if (it.value() && m_model && m_model->placeOfCall(it.key()) < 0)
            unplaced.append(it.key());
    }
    unplaced.sort();
    outside += unplaced;
    if (outside == m_callsOutside)
        return;
    m_callsOutside = outside;
    Q_EMIT callsOutsideChanged();
}

void TranscriptView::setActiveCall(const QString &callId)
{
    if (m_activeCall == callId)
        return;
    for (const QString &changed : {std::exchange(m_activeCall, callId), callId}) {
        const int place = m_model && !changed.isEmpty() ? m_model->placeOfCall(changed) : -1;
        if (place >= 0)
            m_stack.changed(place, place);
    }
    arrange();
}

void TranscriptView::showCall(const QString &callId)
{
    if (const int place = m_model ? m_model->placeOfCall(callId) : -1; place >= 0)
        setCurrentPlace(place);
}

void TranscriptView::keepCallInView(const QString &callId)
{
    const int place = m_model ? m_model->placeOfCall(callId) : -1;
    if (place < 0)
        return;
    const int top = m_stack.top(place);
    const int height = m_stack.height(place);
    const int room = viewport()->height();
    if (top >= 0 && top + height <= room)
        return;
    if (place + 1 == m_stack.count()) {
        goToEnd();
        return;
    }
    m_stack.stopFollowing();
    m_stack.put(place, top < 0 && height <= room ? 0 : room - height);
    arrange();
}

void TranscriptView::readOutputOf(int place)
{
    const TranscriptRow &row = m_model->rowAt(place);
    const qint64 number = row.row;
    const qint64 bytes = row.data[u"stdoutBytes"].toInteger(0) + row.data[u"stderrBytes"].toInteger(0);
    if (bytes == 0 || m_reading.contains(number) || m_outputs.value(number).bytes >= bytes)
        return;
    m_reading.insert(number);
    m_model->readOutput(row, CallOutput::Wanted, this, [this, number](const CallBytes &read) {
        const int now = m_model ? m_model->placeOf(number) : -1;
        if (!m_reading.remove(number) || now < 0)
            return;
        const CallOutput output = lastLines(read, m_model->rowAt(now).data[u"outputRuns"]);
        m_outputs.insert(number, output);
        m_stack.changed(now, now);
        arrange();
        // The log may have been behind what is shown; what came meanwhile is read by the next change.
        if (m_unfolded.contains(number) && output.read > 0 && m_model->isHere(now))
            readOutputOf(now);
    });
}

void TranscriptView::toggle(int place)
{
    const TranscriptRow &row = m_model->rowAt(place);
    if (row.kind != TranscriptRow::Kind::Call && row.kind != TranscriptRow::Kind::Reasoning)
        return;
    if (!m_unfolded.remove(row.row))
        m_unfolded.insert(row.row);
    // What was clicked stays under the pointer; the end is followed only if it is what was unfolded.
    // If it is not in view, what is in view stays.
    const QRect rect = rowRect(place);
    if (rect.bottom() >= 0 && rect.top() < viewport()->height())
        m_stack.hold(place);
    if (place + 1 < m_stack.count())
        m_stack.stopFollowing();
    m_stack.changed(place, place);
    if (isUnfolded(place))
        readOutputOf(place);
    arrange();
}

void TranscriptView::toggleCurrent()
{
    if (m_model && m_current >= 0 && m_current < m_stack.count())
        toggle(m_current);
}

} // namespace Pilothouse
