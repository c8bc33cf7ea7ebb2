// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/calloutput.h"

#include "transcript/calloutputsegment.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace Pilothouse {

namespace {

struct Piece {
    LineStore::Channel channel = LineStore::Channel::Stdout;
    qint64 begin = 0;
    qint64 end = 0;
};

// What is at hand, in the order of arrival.
std::vector<Piece> piecesOf(const CallBytes &bytes, const Json &runs)
{
    std::vector<Piece> pieces;
    qint64 end[2] = {bytes.total[0], bytes.total[1]};
    const Json::Elements &elements = runs.elements();
    for (auto run = elements.rbegin(); run != elements.rend(); ++run) {
        const qint64 most = std::numeric_limits<qint64>::max();
        const qint64 length = std::clamp(run->toInteger(0), -most, most);
        const int channel = length < 0 ? 1 : 0;
        const qint64 begin = std::max<qint64>(0, end[channel] - std::abs(length));
        if (begin < end[channel])
            pieces.push_back({static_cast<LineStore::Channel>(channel), begin, end[channel]});
        end[channel] = begin;
    }
    for (const int channel : {1, 0}) { // What was before nobody remembers the order of.
        if (end[channel] > 0)
            pieces.push_back({static_cast<LineStore::Channel>(channel), 0, end[channel]});
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

} // namespace

CallOutput lastLines(const CallBytes &bytes, const Json &runs)
{
    CallOutput out;
    out.isRead = true;
    out.bytes = bytes.total[0] + bytes.total[1];
    LineStore store;
    for (const Piece &piece : piecesOf(bytes, runs)) {
        const auto channel = static_cast<size_t>(piece.channel);
        const qint64 have = bytes.from[channel] + bytes.bytes[channel].size();
        const qint64 begin = std::max(piece.begin, bytes.from[channel]);
        const qint64 end = std::min(piece.end, have);
        if (begin < end) {
            store.append(
                piece.channel,
                QByteArrayView(bytes.bytes[channel]).sliced(begin - bytes.from[channel], end - begin));
            out.read += end - begin;
        }
    }
    out.isCut = bytes.from[0] > 0 || bytes.from[1] > 0;
    const qint64 first = std::max<qint64>(0, store.rowCount() - CallOutputSegment::MostLines);
    out.linesAbove = first;
    for (qint64 row = first; row < store.rowCount();) {
        const LineStore::Block block = store.blockOf(row);
        const QByteArray &channel = bytes.bytes[static_cast<size_t>(block.channel)];
        const qint64 from = std::min<qint64>(block.offset, channel.size());
        const qint64 size = std::min<qint64>(block.length, channel.size() - from);
        const std::vector<LineStore::Row> rows =
            LineStore::decode(block, QByteArrayView(channel).sliced(from, size));
        const auto skip = static_cast<size_t>(row - block.firstRow);
        if (skip >= rows.size())
            break;
        out.lines.insert(out.lines.end(), rows.cbegin() + static_cast<std::ptrdiff_t>(skip), rows.cend());
        row = block.firstRow + static_cast<qint64>(rows.size());
    }
    return out;
}

} // namespace Pilothouse
