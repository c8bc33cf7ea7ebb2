// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QByteArray>

namespace Pilothouse {

/// Reads the output of a listing command piece by piece: base64 of records `TYPE SIZE MTIME CTIME BORN MODE
/// NAME NUL TARGET NUL`, ended by `rc CODE CLOCK NUL`. What does not have that form makes the listing
/// incomplete, never wrong: names with a slash (of one folder), "." and "..", absolute ones and ones that
/// climb are dropped.
class ListingParser {
public:
    enum class Names { OneFolder = 1, Tree };
    /// Of Names::Tree a name is a path below the root.
    explicit ListingParser(Names names);

    /// The entries that `base64` completed, in order.
    [[nodiscard]] QList<FileEntry> feed(const QByteArray &base64);

    [[nodiscard]] bool sawEnd() const { return m_sawEnd; } ///< The trailer came: nothing was cut off.
    /// The trailer came, the command found no fault and every record had its form.
    [[nodiscard]] bool isComplete() const { return m_sawEnd && m_endCode == 0 && !m_damaged; }
    [[nodiscard]] double machineClock() const { return m_clock; } ///< Seconds since 1970; 0: not told.
    [[nodiscard]] bool overflowed() const { return m_overflowed; } ///< A record without an end.

private:
    void takeField(const QByteArray &field, QList<FileEntry> &out);
    [[nodiscard]] bool isSafeName(const QByteArray &name) const;

    Names m_names;
    QByteArray m_encoded; ///< Up to three characters that make no whole group yet.
    QByteArray m_bytes; ///< Decoded, without its field end yet.
    FileEntry m_entry;
    double m_clock = 0;
    int m_endCode = -1;
    bool m_inTarget = false; ///< The next field is the link target of m_entry.
    bool m_entryIsGood = false;
    bool m_sawEnd = false;
    bool m_damaged = false;
    bool m_overflowed = false;
};

} // namespace Pilothouse
