// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/segmentlist.h"

#include <algorithm>
#include <utility>

namespace Pilothouse {

void SegmentList::append(std::unique_ptr<Segment> segment, const SegmentContext &context)
{
    m_heights.append(segment->estimate(context));
    m_changed = std::min(m_changed, m_segments.size());
    m_segments.push_back(std::move(segment));
    m_exact.push_back(false);
    m_laidOut.push_back(false);
}

void SegmentList::truncate(size_t count)
{
    if (count >= m_segments.size())
        return;
    m_changed = std::min(m_changed, count);
    for (size_t i = count; i < m_segments.size(); ++i)
        m_laidOutCount -= m_laidOut[i] ? 1 : 0;
    m_segments.resize(count);
    m_heights.truncate(count);
    m_exact.resize(count);
    m_laidOut.resize(count);
}

void SegmentList::touch(size_t index)
{
    m_exact[index] = false;
    m_changed = std::min(m_changed, index);
}

void SegmentList::touchAll()
{
    std::fill(m_exact.begin(), m_exact.end(), false);
    m_changed = 0;
}

size_t SegmentList::takeChanged() { return std::exchange(m_changed, None); }

int SegmentList::arrange(size_t index, const SegmentContext &context)
{
    if (!m_exact[index] || !m_laidOut[index]) {
        m_heights.set(index, m_segments[index]->arrange(context));
        m_exact[index] = true;
        if (!m_laidOut[index]) {
            m_laidOutFirst = m_laidOutCount == 0 ? index : std::min(m_laidOutFirst, index);
            m_laidOutLast = m_laidOutCount == 0 ? index : std::max(m_laidOutLast, index);
            m_laidOut[index] = true;
            ++m_laidOutCount;
        }
    }
    return m_heights.at(index);
}

void SegmentList::releaseOutside(size_t first, size_t last)
{
    if (m_laidOutCount == 0 || (m_laidOutFirst >= first && m_laidOutLast <= last))
        return;
    for (size_t i = m_laidOutFirst; i <= m_laidOutLast && i < m_segments.size(); ++i) {
        if ((i >= first && i <= last) || !m_laidOut[i])
            continue;
        m_segments[i]->release();
        m_laidOut[i] = false;
        --m_laidOutCount;
    }
    m_laidOutFirst = std::max(m_laidOutFirst, first);
    m_laidOutLast = std::min(m_laidOutLast, last);
}

} // namespace Pilothouse
