// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/streamevent.h"

#include <QList>

namespace Pilothouse {

/// Folds one answer of a protocol into normalized events and into what goes back for it. Whatever the
/// protocol: what is not understood is ignored or kept as it came, never a failure, and the size of what is
/// kept is bounded.
class AnswerFold {
public:
    /// More parts or text than any real answer has; beyond it the server is broken or hostile. The longest
    /// output that a vendor offers is 128 000 tokens, about half a million characters; search results and
    /// signatures come on top. Each character is held some five times (two bytes each: here, in the step, on
    /// its way to the log and to the reader), so this is what an endless answer costs at most in memory.
    static constexpr qsizetype MostParts = 4096;
    static constexpr qint64 MostText = 8LL * 1024 * 1024; ///< Characters over all parts.

    AnswerFold() = default;
    virtual ~AnswerFold() = default;
    Q_DISABLE_COPY_MOVE(AnswerFold)

    [[nodiscard]] virtual bool hasContent() const = 0;
    /// The reason for the end was seen: the answer is complete, though counters may follow.
    [[nodiscard]] virtual bool hasEnd() const = 0;
    /// What is still owed before the last event: open parts and the counters. After a failure nothing that
    /// may be cut is given out.
    virtual void finishContent(bool isFailed, QList<StreamEvent> &out) = 0;
    virtual void appendStop(QList<StreamEvent> &out) const = 0;

    [[nodiscard]] bool isOverfull() const { return m_overfull; }

protected:
    /// False when it is too much; what does not fit is to be left out.
    [[nodiscard]] bool countText(qsizetype more)
    {
        m_textSize += more;
        m_overfull = m_overfull || m_textSize > MostText;
        return !m_overfull;
    }
    [[nodiscard]] bool countPart()
    {
        ++m_parts;
        m_overfull = m_overfull || m_parts > MostParts;
        return !m_overfull;
    }

private:
    qint64 m_textSize = 0;
    qsizetype m_parts = 0;
    bool m_overfull = false;
};

} // namespace Pilothouse
