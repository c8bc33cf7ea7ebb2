// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

#include <cstddef>
#include <vector>

namespace Pilothouse {

/// Heights of a list of boxes that stand on each other: one height is changed, a sum asked for and a place
/// found in logarithmic time (a Fenwick tree).
class HeightIndex {
public:
    void assign(std::vector<int> heights);
    void clear() { assign({}); }
    void append(int height);
    void insertFirst(const std::vector<int> &heights); ///< Linear.
    void truncate(size_t count);
    void set(size_t at, int height);

    [[nodiscard]] size_t size() const { return m_heights.size(); }
    [[nodiscard]] int at(size_t index) const { return m_heights[index]; }
    [[nodiscard]] qint64 before(size_t count) const; ///< Sum of the first `count`.
    [[nodiscard]] qint64 total() const { return before(m_heights.size()); }
    /// The box that holds the pixel at `position`: the last one that begins at or before it. 0 when empty.
    [[nodiscard]] size_t find(qint64 position) const;

private:
    std::vector<int> m_heights;
    std::vector<qint64> m_tree; ///< From 1.
};

} // namespace Pilothouse
