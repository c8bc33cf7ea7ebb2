// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/excerpt.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isContinued(char c) { return (static_cast<uchar>(c) & 0xC0) == 0x80; }

// Bytes at the end of `bytes` that belong to a UTF-8 sequence cut there (0 to 3).
qsizetype cutSequenceAtEnd(QByteArrayView bytes)
{
    for (qsizetype back = 1; back <= 3 && back <= bytes.size(); ++back) {
        const auto c = static_cast<uchar>(bytes[bytes.size() - back]);
        if ((c & 0xC0) == 0x80)
            continue;
        const qsizetype length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

} // namespace

Excerpt::Excerpt(qsizetype headBytes, qsizetype tailBytes)
    : m_headLimit(headBytes)
    , m_tailLimit(tailBytes)
{ }

void Excerpt::append(QByteArrayView bytes)
{
    m_total += bytes.size();
    if (m_head.size() < m_headLimit) {
        const qsizetype take = std::min(bytes.size(), m_headLimit - m_head.size());
        m_head.append(bytes.first(take));
        bytes = bytes.sliced(take);
    }
    if (bytes.size() > m_tailLimit)
        bytes = bytes.last(m_tailLimit);
    m_tail.append(bytes);
    if (m_tail.size() > 2 * m_tailLimit)
        m_tail = m_tail.last(m_tailLimit);
}

qint64 Excerpt::leftOutBytes() const
{
    return std::max<qint64>(0, m_total - m_head.size() - std::min(m_tail.size(), m_tailLimit));
}

QString Excerpt::toText() const
{
    if (!isTruncated())
        return QString::fromUtf8(m_head + m_tail);
    QByteArrayView head = m_head;
    head.chop(cutSequenceAtEnd(head));
    QByteArrayView tail = QByteArrayView(m_tail).last(std::min(m_tail.size(), m_tailLimit));
    while (!tail.isEmpty() && isContinued(tail.front()) && m_tail.size() - tail.size() < m_tailLimit + 3)
        tail = tail.sliced(1);
    const qint64 hidden = m_total - head.size() - tail.size();
    return QString::fromUtf8(head) + u"\n[… %1 bytes left out here …]\n"_s.arg(hidden)
        + QString::fromUtf8(tail);
}

} // namespace Pilothouse
