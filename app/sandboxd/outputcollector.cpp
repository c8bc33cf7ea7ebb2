// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "outputcollector.h"

namespace Pilothouse {

namespace {

constexpr qsizetype MaxCost = 8 * 1024 * 1024; // The API's cap; clients refuse answers above 10 MiB.
constexpr qsizetype EscapeCost = 6; // \u0000
const QByteArray Replacement = "\xEF\xBF\xBD";

struct Sequence {
    int length = 0; // Of the well-formed character; 0: invalid byte.
    bool isCut = false; // Well-formed so far, but the rest is missing.
};

Sequence sequenceAt(const uchar *p, qsizetype left)
{
    const uchar c = p[0];
    const int length = c < 0x80  ? 1
        : c >= 0xC2 && c <= 0xDF ? 2
        : c >= 0xE0 && c <= 0xEF ? 3
        : c >= 0xF0 && c <= 0xF4 ? 4
                                 : 0;
    if (length <= 1)
        return {length, false};
    const uchar low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    const uchar high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < length; ++i) {
        if (i >= left)
            return {0, true};
        if (p[i] < (i == 1 ? low : 0x80) || p[i] > (i == 1 ? high : 0xBF))
            return {0, false};
    }
    return {length, false};
}

qsizetype costOf(const uchar *p, int length)
{
    if (length > 1)
        return length;
    const uchar c = p[0];
    if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t')
        return 2;
    return c < 0x20 || c == 0x7F ? EscapeCost : 1;
}

} // namespace

OutputCollector::Stream &OutputCollector::stream(Channel channel)
{
    return channel == Channel::Stdout ? m_stdout : m_stderr;
}

QString OutputCollector::text(Channel channel) const
{
    return QString::fromUtf8(channel == Channel::Stdout ? m_stdout.text : m_stderr.text);
}

void OutputCollector::append(Channel channel, const QByteArray &bytes)
{
    take(stream(channel), bytes, false);
}

void OutputCollector::finish()
{
    take(m_stdout, {}, true);
    take(m_stderr, {}, true);
}

void OutputCollector::take(Stream &stream, const QByteArray &bytes, bool isLast)
{
    if (m_isTruncated)
        return;
    const QByteArray input = stream.pending + bytes;
    stream.pending.clear();
    const auto *const begin = reinterpret_cast<const uchar *>(input.constData());
    for (qsizetype i = 0; i < input.size();) {
        const Sequence sequence = sequenceAt(begin + i, input.size() - i);
        if (sequence.isCut && !isLast) {
            stream.pending = input.sliced(i);
            return;
        }
        const qsizetype cost = sequence.length > 0 ? costOf(begin + i, sequence.length) : EscapeCost;
        if (m_cost + cost > MaxCost) {
            m_isTruncated = true;
            return;
        }
        m_cost += cost;
        if (sequence.length > 0)
            stream.text.append(input.constData() + i, sequence.length);
        else
            stream.text.append(Replacement);
        i += qMax(1, sequence.length);
    }
}

} // namespace Pilothouse
