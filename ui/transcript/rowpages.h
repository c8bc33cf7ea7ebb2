// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"

#include <QList>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace Pilothouse {

/// The rows of a conversation by place (its number less one), of which only some are held: what is far from
/// where one reads is dropped and read again. A row that is not held is a stub that has its number and no
/// text. GUI thread.
class RowPages {
public:
    static constexpr int PageRows = 64; ///< Some screens; a read of them takes some milliseconds.
    /// Held at most, besides rows that are open. Enough for a long way back and forth without a read; the
    /// bound of the text is what bounds the memory when rows are large.
    static constexpr int MostRows = 4096;
    static constexpr qsizetype MostText = 8 * 1024 * 1024; ///< UTF-16 units.

    static constexpr int MostCount = 4'000'000; ///< A number beyond is damage; such rows are not shown.

    using Range = std::pair<int, int>; ///< First and last place.

    [[nodiscard]] int count() const { return m_count; }
    /// Rows that are new are not held; those beyond are gone.
    void resize(int count);
    [[nodiscard]] bool isHere(int place) const;
    [[nodiscard]] bool areHere(int first, int last) const;
    /// Valid until something is changed here.
    [[nodiscard]] const TranscriptRow &at(int place) const;
    void set(const TranscriptRow &row); ///< In its place; nothing if that is not below count().
    /// The log has no such row: a row in its place that shows nothing.
    void setMissing(int place);
    void drop(int place);

    /// The places of rows that are not held, of one page: the first page in this range that has some.
    [[nodiscard]] std::optional<Range> absent(int first, int last) const;
    /// The last row that is held and for which `is` is true; -1: none.
    [[nodiscard]] int findLast(const std::function<bool(const TranscriptRow &)> &is) const;
    void forEach(const std::function<void(int place, const TranscriptRow &)> &call) const; ///< Held ones.

    /// Drops pages until the bounds are kept, those farthest from the range first. Pages with rows of which
    /// `isKept` is true stay. Returns what was dropped.
    [[nodiscard]] QList<Range> trim(int first, int last,
                                    const std::function<bool(const TranscriptRow &)> &isKept);
    [[nodiscard]] int held() const { return m_held; }

private:
    struct Page {
        std::vector<TranscriptRow> rows; ///< Empty, or all of the page, stubs among them.
        quint64 here = 0; ///< A bit for each row that is held.
        qsizetype text = 0;
    };
    Page &fill(int page) const;

    mutable std::vector<Page> m_pages; ///< Stubs are made when they are asked for.
    int m_count = 0;
    int m_held = 0;
    qsizetype m_text = 0;
};

} // namespace Pilothouse
