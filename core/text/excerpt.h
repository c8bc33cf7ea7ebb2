// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Keeps the head and the tail of a byte stream within a bound and counts what was left out between them.
/// Used for what a model receives of a long output; the whole goes elsewhere.
class Excerpt {
public:
    Excerpt(qsizetype headBytes, qsizetype tailBytes);

    void append(QByteArrayView bytes);
    [[nodiscard]] qint64 totalBytes() const { return m_total; }
    [[nodiscard]] qint64 leftOutBytes() const;
    [[nodiscard]] bool isTruncated() const { return leftOutBytes() > 0; }
    /// Head and tail as text, cut at character borders, invalid bytes as U+FFFD, with a line between them
    /// that says how much was left out.
    [[nodiscard]] QString toText() const;

private:
    qsizetype m_headLimit;
    qsizetype m_tailLimit;
    qint64 m_total = 0;
    QByteArray m_head;
    QByteArray m_tail; ///< At most twice the limit; trimmed when it gets there.
};

} // namespace Pilothouse
