// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/heightindex.h"

#include <bit>
#include <utility>

namespace Pilothouse {

namespace {
constexpr size_t lowBit(size_t i) { return i & (~i + 1); }
} // namespace

void HeightIndex::assign(std::vector<int> heights)
{
    m_heights = std::move(heights);
    m_tree.assign(m_heights.size() + 1, 0);
    for (size_t i = 1; i <= m_heights.size(); ++i) {
        m_tree[i] += m_heights[i - 1];
        if (const size_t parent = i + lowBit(i); parent <= m_heights.size())
            m_tree[parent] += m_tree[i];
    }
}

void HeightIndex::append(int height)
{
    m_heights.push_back(height);
    const size_t i = m_heights.size();
    if (m_tree.empty())
        m_tree.push_back(0);
    m_tree.push_back(before(i - 1) - before(i - lowBit(i)) + height);
}

void HeightIndex::insertFirst(const std::vector<int> &heights)
{
    std::vector<int> all = heights;
    all.insert(all.end(), m_heights.cbegin(), m_heights.cend());
    assign(std::move(all));
}

void HeightIndex::truncate(size_t count)
{
    if (count >= m_heights.size())
        return;
    m_heights.resize(count); // Sums of what is left do not change.
    m_tree.resize(count + 1);
}

void HeightIndex::set(size_t at, int height)
{
    const int difference = height - m_heights[at];
    if (difference == 0)
        return;
    m_heights[at] = height;
    for (size_t i = at + 1; i < m_tree.size(); i += lowBit(i))
        m_tree[i] += difference;
}

qint64 HeightIndex::before(size_t count) const
{
    qint64 sum = 0;
    for (size_t i = count; i > 0; i -= lowBit(i))
        sum += m_tree[i];
    return sum;
}

size_t HeightIndex::find(qint64 position) const
{
    size_t at = 0;
    qint64 left = position;
    for (size_t step = std::bit_floor(m_heights.size()); step > 0; step /= 2) {
        if (at + step <= m_heights.size() && m_tree[at + step] <= left) {
            at += step;
            left -= m_tree[at];
        }
    }
    return m_heights.empty() ? 0 : qMin(at, m_heights.size() - 1);
}

} // namespace Pilothouse
