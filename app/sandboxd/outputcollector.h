// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "command.h"

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Collects what a command prints for one JSON answer: valid UTF-8 (each invalid byte becomes U+FFFD), both
/// streams together at most 8 MiB as JSON text. What comes later is dropped, so each stream is a prefix of
/// what was printed.
class OutputCollector {
public:
    void append(Channel channel, const QByteArray &bytes);
    void finish(); ///< A character that is still incomplete is invalid now.

    [[nodiscard]] QString text(Channel channel) const;
    [[nodiscard]] bool isTruncated() const { return m_isTruncated; }

private:
    struct Stream {
        QByteArray text; // Valid UTF-8.
        QByteArray pending; // Begin of a character, at most 3 bytes.
    };

    Stream &stream(Channel channel);
    void take(Stream &stream, const QByteArray &bytes, bool isLast);

    Stream m_stdout;
    Stream m_stderr;
    qsizetype m_cost = 0; // Bytes of JSON text.
    bool m_isTruncated = false;
};

} // namespace Pilothouse
