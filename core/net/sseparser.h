// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QList>

namespace Pilothouse {

/// One server-sent event. `data` is UTF-8 with invalid bytes replaced by U+FFFD, lines joined by LF.
struct SseEvent {
    QByteArray name; ///< Empty when no event line came.
    QByteArray data;
    /// A fault outside of the grammar: a line `error: {…}`, or bare JSON text with a member `error`, which
    /// some servers send instead of data. `data` is that JSON.
    bool isErrorField = false;
};

/// Bytes to events by the WHATWG grammar: LF, CR, CRLF ends in any mix and cut, byte order mark at the start,
/// comments, several data lines, one leading space removed. Cost is linear in the bytes whatever the packets.
class SseParser {
public:
    /// Larger ones are an error, see overflowed(). The largest real ones hold one search result or one
    /// picture, a few MiB.
    static constexpr qsizetype LargestEvent = 16 * 1024 * 1024;

    [[nodiscard]] QList<SseEvent> feed(QByteArrayView bytes);
    /// At the end of the stream: an event without its final blank line (or line end), if its data is a whole
    /// JSON object or array, or [DONE]; cutting JSON short never leaves valid JSON, so nothing is invented.
    [[nodiscard]] QList<SseEvent> finish();
    /// An event grew past LargestEvent: everything from there on was thrown away and the stream is unusable.
    [[nodiscard]] bool overflowed() const { return m_overflowed; }

private:
    void feedLines(QByteArrayView bytes, QList<SseEvent> &out);
    void appendToLine(QByteArrayView bytes);
    void endLine(QByteArrayView line, QList<SseEvent> &out);
    void dispatch(QList<SseEvent> &out);
    void dispatchBare(QList<SseEvent> &out);
    [[nodiscard]] bool fits(qsizetype more);

    QByteArray m_line; ///< An unfinished line, across packets.
    QByteArray m_data;
    QByteArray m_name;
    QByteArray m_bare; ///< Lines of JSON text without a field name.
    int m_bomSeen = 0; ///< Bytes of a byte order mark matched so far at the very start; -1 when past it.
    bool m_hasData = false;
    bool m_swallowLf = false;
    bool m_overflowed = false;
};

} // namespace Pilothouse
