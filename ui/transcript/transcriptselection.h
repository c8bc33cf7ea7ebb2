// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

#include <compare>
#include <optional>
#include <utility>

namespace Pilothouse {

struct TranscriptRow;

/// A place in the transcript that stays the same while rows come and lines break anew.
struct TextPoint {
    qint64 row = 0; ///< Number of the row.
    qsizetype place = 0; ///< In its text; 0 in rows that can only be taken as a whole.
    auto operator<=>(const TextPoint &) const = default;
};

/// What is selected, from where it was begun to where the pointer is.
class TranscriptSelection {
public:
    void clear() { m_anchor = m_cursor = {}; }
    void set(const TextPoint &anchor, const TextPoint &cursor);
    void extend(const TextPoint &cursor) { m_cursor = cursor; }
    [[nodiscard]] bool isEmpty() const { return m_anchor == m_cursor; }
    [[nodiscard]] const TextPoint &anchor() const { return m_anchor; }
    [[nodiscard]] TextPoint from() const { return std::min(m_anchor, m_cursor); }
    [[nodiscard]] TextPoint to() const { return std::max(m_anchor, m_cursor); }
    [[nodiscard]] bool touches(qint64 row) const;
    /// What of a row's text is selected; empty: nothing.
    [[nodiscard]] std::optional<std::pair<qsizetype, qsizetype>> range(qint64 row, qsizetype length) const;

    /// Adds what is selected of a row as it was written, rows parted by an empty line. Rows without a text of
    /// their own count as a whole. False if there is room for no more.
    bool addTo(QString &out, const TranscriptRow &row) const;

    /// Begin and end of the word around a place; of the white space if it stands there.
    [[nodiscard]] static std::pair<qsizetype, qsizetype> wordAt(QStringView text, qsizetype place);
    /// Rows of which parts can be selected.
    [[nodiscard]] static bool hasText(const TranscriptRow &row);

private:
    TextPoint m_anchor;
    TextPoint m_cursor;
};

} // namespace Pilothouse
