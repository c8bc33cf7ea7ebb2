// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/prosepiece.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype WordSearch = 300; // A cut looks this far back for a blank.

qsizetype cutAt(QStringView source, qsizetype begin, qsizetype wanted)
{
    for (qsizetype i = wanted; i > begin && i > wanted - WordSearch; --i) {
        if (source[i - 1] == u' ')
            return i;
    }
    return source[wanted].isLowSurrogate() && wanted > begin + 1 ? wanted - 1 : wanted;
}

} // namespace

ProsePiece ProsePiece::take(QStringView source, const MarkdownBlock &block, const Start &start)
{
    ProsePiece piece;
    piece.start = start;
    qsizetype room = MostLength;
    for (size_t i = start.line; i < block.lines.size(); ++i) {
        const MarkdownBlock::Line &line = block.lines[i];
        qsizetype at = i == start.line && start.at >= 0 ? start.at : line.begin;
        bool newLine = i > start.line;
        while (at < line.end) {
            const qsizetype stop = std::min(line.end, at + room);
            const QStringView here = source.mid(at, std::min(line.end, stop + 7) - at);
            const qsizetype data = here.indexOf(u"](data:", 0, Qt::CaseInsensitive);
            if (data >= 0 && at + data + 2 < stop) {
                const qsizetype address = at + data + 2;
                qsizetype end = address;
                while (end < line.end && source[end] != u')' && !source[end].isSpace())
                    ++end;
                const qsizetype kept = std::min(end, address + DataKept);
                piece.ranges.push_back({at, kept, newLine});
                piece.data.push_back({address, end, end < line.end});
                room -= kept - at;
                newLine = false;
                at = end;
                if (end == line.end)
                    piece.ranges.push_back({end, end, false});
            } else {
                const qsizetype end = stop < line.end ? cutAt(source, at, stop) : line.end;
                piece.ranges.push_back({at, end, newLine});
                room -= end - at;
                newLine = false;
                at = end;
            }
            if (room <= WordSearch && at < line.end) {
                piece.more = true;
                piece.next = {i, at};
                return piece;
            }
        }
        --room;
        if (room <= WordSearch && i + 1 < block.lines.size()) {
            piece.more = true;
            piece.next = {i + 1, -1};
            return piece;
        }
    }
    return piece;
}

QString ProsePiece::text(QStringView source) const
{
    QString out;
    for (const Range &range : ranges) {
        if (range.newLine)
            out += u'\n';
        out += source.mid(range.begin, range.end - range.begin);
    }
    if (!data.empty() && !data.back().closed)
        out += u')';
    return out;
}

qsizetype ProsePiece::toSource(qsizetype at) const
{
    qsizetype before = 0;
    for (const Range &range : ranges) {
        if (range.newLine)
            ++before;
        const qsizetype length = range.end - range.begin;
        if (at <= before + length)
            return range.begin + std::max<qsizetype>(0, at - before);
        before += length;
    }
    return end();
}

qsizetype ProsePiece::fromSource(qsizetype place) const
{
    qsizetype before = 0;
    for (const Range &range : ranges) {
        if (range.newLine)
            ++before;
        if (place <= range.end)
            return before + std::clamp<qsizetype>(place - range.begin, 0, range.end - range.begin);
        before += range.end - range.begin;
    }
    return before;
}

qsizetype ProsePiece::end() const { return ranges.empty() ? 0 : ranges.back().end; }

} // namespace Pilothouse
