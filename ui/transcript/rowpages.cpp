// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowpages.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

static_assert(RowPages::PageRows == 64); // As many as there are bits.

constexpr quint64 bit(int place) { return quint64(1) << (place % RowPages::PageRows); }

TranscriptRow stub(int place)
{
    TranscriptRow row;
    row.row = place + 1;
    row.closed = true;
    return row;
}

} // namespace

void RowPages::resize(int count)
{
    count = std::clamp(count, 0, MostCount);
    for (int place = m_count - 1; place >= count; --place)
        drop(place);
    m_count = count;
    m_pages.resize(static_cast<size_t>((count + PageRows - 1) / PageRows));
}

RowPages::Page &RowPages::fill(int page) const
{
    Page &filled = m_pages[static_cast<size_t>(page)];
    if (filled.rows.empty()) {
        filled.rows.reserve(PageRows);
        for (int i = 0; i < PageRows; ++i)
            filled.rows.push_back(stub(page * PageRows + i));
    }
    return filled;
}

bool RowPages::isHere(int place) const
{
    return place >= 0 && place < m_count
        && (m_pages[static_cast<size_t>(place / PageRows)].here & bit(place)) != 0;
}

bool RowPages::areHere(int first, int last) const { return !absent(first, last); }

const TranscriptRow &RowPages::at(int place) const
{
    return fill(place / PageRows).rows[static_cast<size_t>(place % PageRows)];
}

void RowPages::set(const TranscriptRow &row)
{
    if (row.row < 1 || row.row > m_count)
        return;
    const auto place = static_cast<int>(row.row - 1);
    Page &page = fill(place / PageRows);
    TranscriptRow &here = page.rows[static_cast<size_t>(place % PageRows)];
    const qsizetype more = row.text.size() - here.text.size();
    page.text += more;
    m_text += more;
    if ((page.here & bit(place)) == 0)
        ++m_held;
    page.here |= bit(place);
    here = row;
}

void RowPages::setMissing(int place)
{
    TranscriptRow row = stub(place);
    row.kind = TranscriptRow::Kind::User;
    row.data = Json::object();
    row.data.set(u"state"_s, Json::string(u"moved"_s)); // The one kind of row that shows nothing.
    set(row);
}

void RowPages::drop(int place)
{
    if (!isHere(place))
        return;
    Page &page = fill(place / PageRows);
    TranscriptRow &here = page.rows[static_cast<size_t>(place % PageRows)];
    page.text -= here.text.size();
    m_text -= here.text.size();
    page.here &= ~bit(place);
    --m_held;
    here = stub(place);
}

std::optional<RowPages::Range> RowPages::absent(int first, int last) const
{
    first = std::max(0, first);
    last = std::min(last, m_count - 1);
    for (int page = first / PageRows; page * PageRows <= last; ++page) {
        const int pageFirst = page * PageRows;
        const int pageLast = std::min(pageFirst + PageRows, m_count) - 1;
        const quint64 all =
            pageLast - pageFirst + 1 == PageRows ? ~quint64(0) : bit(pageLast - pageFirst + 1) - 1;
        const quint64 here = m_pages[static_cast<size_t>(page)].here;
        if ((here & all) == all)
            continue;
        // Wanted is what is in the range; what is read is all that the page lacks around it.
        int at = std::max(first, pageFirst);
        while (at <= std::min(last, pageLast) && isHere(at))
            ++at;
        if (at > std::min(last, pageLast))
            continue;
        int from = at;
        while (from > pageFirst && !isHere(from - 1))
            --from;
        int to = at;
        while (to < pageLast && !isHere(to + 1))
            ++to;
        return Range(from, to);
    }
    return std::nullopt;
}

int RowPages::findLast(const std::function<bool(const TranscriptRow &)> &is) const
{
    for (size_t i = m_pages.size(); i-- > 0;) {
        const Page &page = m_pages[i];
        for (int j = PageRows - 1; page.here != 0 && j >= 0; --j) {
            if ((page.here & bit(j)) != 0 && is(page.rows[static_cast<size_t>(j)]))
                return static_cast<int>(i) * PageRows + j;
        }
    }
    return -1;
}

void RowPages::forEach(const std::function<void(int, const TranscriptRow &)> &call) const
{
    for (size_t i = 0; i < m_pages.size(); ++i) {
        const Page &page = m_pages[i];
        for (int j = 0; page.here != 0 && j < PageRows; ++j) {
            if ((page.here & bit(j)) != 0)
                call(static_cast<int>(i) * PageRows + j, page.rows[static_cast<size_t>(j)]);
        }
    }
}

QList<RowPages::Range> RowPages::trim(int first, int last,
                                      const std::function<bool(const TranscriptRow &)> &isKept)
{
    QList<Range> dropped;
    if (m_held <= MostRows && m_text <= MostText)
        return dropped;
    const int firstPage = std::max(0, first) / PageRows;
    const int lastPage = std::max(0, last) / PageRows;
    const auto distance = [&](int page) {
        return page < firstPage ? firstPage - page : page > lastPage ? page - lastPage : 0;
    };
    std::vector<int> pages;
    for (int i = 0; i < static_cast<int>(m_pages.size()); ++i) {
        if (distance(i) > 1 && !m_pages[static_cast<size_t>(i)].rows.empty())
            pages.push_back(i);
    }
    std::sort(pages.begin(), pages.end(), [&](int a, int b) { return distance(a) > distance(b); });
    for (const int i : pages) {
        Page &page = m_pages[static_cast<size_t>(i)];
        if (page.here != 0) {
            if (m_held <= MostRows && m_text <= MostText)
                break;
            bool isFree = true;
            for (int j = 0; j < PageRows && isFree; ++j)
                isFree = (page.here & bit(j)) == 0 || !isKept(page.rows[static_cast<size_t>(j)]);
            if (!isFree)
                continue;
            m_held -= std::popcount(page.here);
            m_text -= page.text;
            dropped.append({i * PageRows, std::min((i + 1) * PageRows, m_count) - 1});
        }
        page = {};
    }
    return dropped;
}

} // namespace Pilothouse
