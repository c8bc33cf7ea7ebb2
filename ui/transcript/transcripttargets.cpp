// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// Links and buttons in rows by keyboard: Right and Left walk those of the current row, Enter presses one.

#include "theme/metrics.h"
#include "transcript/transcriptaccessible.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

// Segments far away are laid out only if something may be found there.
QList<SegmentTarget> TranscriptView::segmentTargets(int place, size_t segment)
{
    RowItem &row = m_stack.ensure(place);
    if (segment >= row.segments().size()
        || !row.segments().at(segment).mayHaveTargets(row.inner(m_stack.context())))
        return {};
    m_stack.arrangeSegment(place, segment);
    return row.segments().at(segment).targets(row.inner(m_stack.context()));
}

// What is out of view is told when it comes into view: a row may have thousands of segments.
void TranscriptView::forEachTarget(int place,
                                   const std::function<void(size_t, int, const SegmentTarget &)> &call)
{
    if (!m_model || place < m_stack.first() || place > m_stack.last() || !m_stack.item(place))
        return;
    const RowItem *row = m_stack.item(place);
    const QRect in = rowRect(place);
    for (size_t i = 0; i < row->segments().size(); ++i) {
        const QPoint origin(in.x() + row->left(), in.y() + row->segmentTop(i));
        if (origin.y() >= viewport()->height())
            return;
        if (origin.y() + row->segments().heights().at(i) <= 0)
            continue;
        QList<SegmentTarget> targets = segmentTargets(place, i);
        for (qsizetype j = 0; j < targets.size(); ++j) {
            targets[j].rect.translate(origin);
            call(i, static_cast<int>(j), targets[j]);
        }
    }
}

QList<SegmentTarget> TranscriptView::targetsOf(int place)
{
    QList<SegmentTarget> all;
    forEachTarget(place, [&all](size_t, int, const SegmentTarget &target) { all.append(target); });
    return all;
}

std::optional<TranscriptView::Target> TranscriptView::keyTarget()
{
    if (m_targetIndex < 0 || !m_model || m_current < 0 || m_current >= m_stack.count()
        || m_targetRow != m_model->rowAt(m_current).row || !m_stack.item(m_current))
        return std::nullopt;
    const QList<SegmentTarget> targets = segmentTargets(m_current, m_targetSegment);
    if (m_targetIndex >= targets.size())
        return std::nullopt;
    const RowItem *row = m_stack.item(m_current);
    const QRect in = rowRect(m_current);
    const SegmentTarget &found = targets[m_targetIndex];
    Target target;
    target.place = m_current;
    target.segment = m_targetSegment;
    target.hit = found.hit;
    target.rect = found.rect.translated(in.x() + row->left(), in.y() + row->segmentTop(m_targetSegment));
    return target;
}

int TranscriptView::currentTarget()
{
    int found = -1;
    int at = 0;
    if (keyTarget()) {
        forEachTarget(m_current, [&](size_t segment, int index, const SegmentTarget &) {
            if (segment == m_targetSegment && index == m_targetIndex)
                found = at;
            ++at;
        });
    }
    return found;
}

void TranscriptView::setTarget(size_t segment, int index)
{
    m_targetRow = m_model->rowAt(m_current).row;
    m_targetSegment = segment;
    m_targetIndex = index;
    m_isKeyboard = true;
    // Into view, with the row around it as far as that fits.
    if (const auto target = keyTarget()) {
        const int padding = TranscriptStyle::px(Metrics::SpaceXxl);
        const int room = viewport()->height();
        int delta = 0;
        if (target->rect.top() < padding)
            delta = target->rect.top() - padding;
        else if (target->rect.bottom() > room - padding)
            delta = target->rect.bottom() - room + padding;
        if (delta != 0) {
            m_stack.stopFollowing();
            m_stack.scrollBy(delta);
        }
        arrange();
        tellLink(target->hit.what == SegmentHit::What::Link ? target->hit.value : QString());
        focusTarget(this, m_targetRow, currentTarget());
    }
    viewport()->update();
}

bool TranscriptView::moveTarget(int direction)
{
    if (!m_model || m_current < 0 || m_current >= m_stack.count() || !m_model->isHere(m_current))
        return false;
    RowItem &row = m_stack.ensure(m_current);
    const bool isOn = keyTarget().has_value();
    if (!isOn && direction < 0)
        return false;
    size_t segment = m_targetSegment;
    int index = m_targetIndex + direction;
    if (!isOn) {
        // In a long row: from what is in view on.
        const QRect in = rowRect(m_current);
        segment = 0;
        while (segment + 1 < row.segments().size()
               && in.y() + row.segmentTop(segment) + row.segments().heights().at(segment) <= 0)
            ++segment;
        index = 0;
    }
    while (segment < row.segments().size()) {
        const auto count = static_cast<int>(segmentTargets(m_current, segment).size());
        if (index >= 0 && index < count) {
            setTarget(segment, index);
            return true;
        }
        if (direction < 0) {
            if (segment == 0)
                break;
            --segment;
            index = static_cast<int>(segmentTargets(m_current, segment).size()) - 1;
        } else {
            ++segment;
            index = 0;
        }
    }
    if (direction < 0)
        clearTarget(); // Back on the row itself.
    return isOn;
}

bool TranscriptView::pressTarget()
{
    const auto target = keyTarget();
    if (!target)
        return false;
    activate(*target);
    return true;
}

void TranscriptView::pressTargetOf(int place, int number)
{
    std::optional<std::pair<size_t, int>> wanted;
    int at = 0;
    forEachTarget(place, [&](size_t segment, int index, const SegmentTarget &) {
        if (at++ == number)
            wanted = {segment, index};
    });
    if (!wanted)
        return;
    setCurrentPlace(place);
    setTarget(wanted->first, wanted->second);
    pressTarget();
}

bool TranscriptView::clearTarget()
{
    if (std::exchange(m_targetIndex, -1) < 0)
        return false;
    tellLink({});
    viewport()->update();
    return true;
}

void TranscriptView::tellLink(const QString &target)
{
    if (target == m_hoveredLink)
        return;
    m_hoveredLink = target;
    Q_EMIT linkHovered(target);
}

} // namespace Pilothouse
