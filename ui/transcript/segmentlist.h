// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/heightindex.h"
#include "transcript/segment.h"

#include <memory>
#include <vector>

namespace Pilothouse {

/// The segments of a row, one below the other, and how high they are: measured, or estimated until then.
class SegmentList {
public:
    [[nodiscard]] size_t size() const { return m_segments.size(); }
    [[nodiscard]] Segment &at(size_t index) const { return *m_segments[index]; }
    [[nodiscard]] const HeightIndex &heights() const { return m_heights; }

    void append(std::unique_ptr<Segment> segment, const SegmentContext &context);
    void truncate(size_t count);
    void touch(size_t index); ///< Its content changed.
    void touchAll();
    /// Lays the segment out if it changed, and returns its height.
    int arrange(size_t index, const SegmentContext &context);
    /// Drops the layouts of segments outside of [first, last]; heights stay.
    void releaseOutside(size_t first, size_t last);
    static constexpr size_t None = static_cast<size_t>(-1);
    /// First segment that changed since the last call, for repainting; size() if the last ones went.
    [[nodiscard]] size_t takeChanged();
    [[nodiscard]] size_t laidOut() const { return m_laidOutCount; } ///< Segments that hold layouts.

private:
    std::vector<std::unique_ptr<Segment>> m_segments;
    HeightIndex m_heights;
    std::vector<bool> m_exact; ///< Its height is that of its content.
    std::vector<bool> m_laidOut; ///< It holds layouts.
    size_t m_changed = 0;
    size_t m_laidOutCount = 0;
    size_t m_laidOutFirst = 0; ///< All that hold layouts are in this range.
    size_t m_laidOutLast = 0;
};

} // namespace Pilothouse
