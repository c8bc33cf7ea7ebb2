// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/linestore.h"

#include <algorithm>
#include <cstring>

namespace Pilothouse {

namespace {

constexpr char EscapeChar = 0x1B;

bool isContinuationChar(char c) { return (static_cast<uchar>(c) & 0xC0) == 0x80; }

// Bytes of the character that begins with `lead`, by its looks.
qsizetype claimedLength(char lead)
{
    const auto byte = static_cast<uchar>(lead);
    return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

qsizetype find(QByteArrayView bytes, char c)
{
    const void *at = bytes.isEmpty() ? nullptr : std::memchr(bytes.data(), c, size_t(bytes.size()));
    return at ? static_cast<const char *>(at) - bytes.data() : -1;
}

qsizetype findLast(QByteArrayView bytes, char c)
{
    for (qsizetype i = bytes.size() - 1; i >= 0; --i) {
        if (bytes[i] == c)
            return i;
    }
    return -1;
}

} // namespace

qint64 LineStore::firstOpenRow() const
{
    if (!m_line.isOpen)
        return m_rows;
    return m_line.isLong ? m_long.back().row : m_rows - 1;
}

void LineStore::append(Channel channel, QByteArrayView bytes)
{
    if (bytes.isEmpty())
        return;
    ChannelState &stream = state(channel);
    if (m_runs.size() >= MostRuns && m_runs.back().channel != channel) {
        stream.held.append(bytes);
        if (stream.held.size() < CoarseRun)
            return;
        index(channel, std::exchange(stream.held, {}));
        return;
    }
    index(channel, bytes);
}

void LineStore::finish()
{
    for (const Channel channel : {Channel::Stdout, Channel::Stderr}) {
        const QByteArray held = std::exchange(state(channel).held, {});
        if (!held.isEmpty())
            index(channel, held);
    }
    m_finished = true;
}

void LineStore::index(Channel channel, QByteArrayView bytes)
{
    if (m_runs.empty() || m_runs.back().channel != channel)
        beginRun(channel);
    ChannelState &stream = state(channel);
    const qint64 base = stream.end;
    qsizetype at = 0;
    while (at < bytes.size()) {
        const QByteArrayView rest = bytes.sliced(at);
        if (!stream.parser.isGround()) {
            openLine(stream.parser.style());
            at += stream.parser.skipSequence(rest);
            if (stream.parser.isGround()) {
                stream.sequenceStart = -1;
                placeMark(base + at, stream.parser.style());
            }
            checkLong(base + at);
            continue;
        }
        const qsizetype feed = find(rest, '\n');
        const QByteArrayView line = feed < 0 ? rest : rest.first(feed);
        const qsizetype escape = find(line, EscapeChar);
        const QByteArrayView text = escape < 0 ? line : line.first(escape);
        openLine(stream.parser.style());
        if (!text.isEmpty())
            markText(stream, base + at, text);
        at += text.size();
        if (escape >= 0) {
            stream.sequenceStart = base + at;
            stream.parser.beginSequence();
            ++at;
        } else if (feed >= 0) {
            ++at;
            closeLine(base + at, stream.parser.style());
        }
    }
    stream.end = base + bytes.size();
    const QByteArrayView last = bytes.last(std::min(bytes.size(), qsizetype(stream.last.size())));
    const qsizetype kept =
        std::min(stream.lastCount, static_cast<qsizetype>(stream.last.size()) - last.size());
    std::memmove(stream.last.data(), stream.last.data() + (stream.lastCount - kept), size_t(kept));
    std::memcpy(stream.last.data() + kept, last.data(), size_t(last.size()));
    stream.lastCount = kept + last.size();
    m_runs.back().end = stream.end;
}

qint64 LineStore::completeEnd(const ChannelState &channel)
{
    if (channel.sequenceStart >= 0)
        return channel.sequenceStart;
    for (qsizetype back = 1; back <= channel.lastCount; ++back) {
        const char c = channel.last[size_t(channel.lastCount - back)];
        if (isContinuationChar(c))
            continue;
        return claimedLength(c) > back ? channel.end - back : channel.end;
    }
    return channel.end;
}

void LineStore::beginRun(Channel channel)
{
    if (m_line.isOpen) {
        const ChannelState &before = state(m_runs.back().channel);
        closeLine(before.end, before.parser.style());
    }
    ChannelState &stream = state(channel);
    const qint64 begin = completeEnd(stream);
    if (stream.lastRun >= 0)
        m_runs[size_t(stream.lastRun)].end = begin; // What was cut there is whole in the new run.
    stream.lastRun = static_cast<qsizetype>(m_runs.size());
    m_runs.push_back({m_rows, begin, stream.end, stream.end, stream.parser.style(), channel});
    m_nextStart = begin;
    m_lastKnown = {m_rows, begin, stream.parser.style()};
}

void LineStore::openLine(const AnsiStyle &style)
{
    if (m_line.isOpen)
        return;
    m_line = {};
    m_line.isOpen = true;
    m_line.start = m_nextStart;
    m_line.style = style;
    const Checkpoint here{m_rows++, m_line.start, style};
    if (here.row - m_lastKnown.row >= m_rowStride || here.offset - m_lastKnown.offset >= m_byteStride)
        addCheckpoint(here);
}

void LineStore::closeLine(qint64 end, const AnsiStyle &style)
{
    if (m_line.isLong) {
        LongLine &line = m_long.back();
        line.end = end;
        line.endStyle = style;
        m_lastKnown = {m_rows, end, style};
    }
    m_line.isOpen = false;
    m_nextStart = end;
}

void LineStore::placeMark(qint64 offset, const AnsiStyle &style)
{
    if (offset - std::max(m_line.start, m_line.newer.offset) < TailBytes)
        return;
    m_line.older = m_line.newer;
    m_line.newer = {offset, style};
    if (m_line.headEnd < 0)
        m_line.headEnd = offset;
}

// Looks at the text of a line that may become long: keeps places from which its end can be shown.
void LineStore::markText(const ChannelState &channel, qint64 from, QByteArrayView bytes)
{
    if (from + bytes.size() - m_line.start <= TailBytes)
        return;
    const AnsiStyle &style = channel.parser.style();
    const auto byteAt = [&](qsizetype i) {
        return i >= 0 ? bytes[i]
            : from + i >= channel.end - channel.lastCount && from == channel.end
            ? channel.last[size_t(channel.lastCount + i)]
            : ' ';
    };
    for (qsizetype done = 0; done < bytes.size();) {
        const qint64 at = from + done;
        if (at - std::max(m_line.start, m_line.newer.offset) >= TailBytes + 3) {
            // Not inside a character.
            qsizetype back = 0;
            while (back < 3 && isContinuationChar(byteAt(done - back)))
                ++back;
            if (back > 0 && claimedLength(byteAt(done - back)) <= back)
                back = 0;
            placeMark(at - back, style);
        }
        const QByteArrayView piece =
            bytes.sliced(done, std::min(bytes.size() - done, static_cast<qsizetype>(TailBytes)));
        const qsizetype carriage = findLast(piece, '\r');
        if (carriage >= 0) {
            m_line.lastReturn = {at + carriage + 1, style};
            m_line.headEnd = -1;
            if (m_line.newerReturn.offset < 0
                || m_line.lastReturn.offset - m_line.newerReturn.offset >= TailBytes) {
                m_line.olderReturn = m_line.newerReturn;
                m_line.newerReturn = m_line.lastReturn;
            }
        }
        done += piece.size();
        checkLong(from + done);
    }
}

void LineStore::checkLong(qint64 end)
{
    if (end - m_line.start <= LongestWhole)
        return;
    const bool hasReturn = m_line.lastReturn.offset >= 0;
    if (!m_line.isLong) {
        LongLine line;
        line.row = m_rows - 1;
        line.splitsBefore = m_splits;
        line.lineStart = m_line.start;
        line.headStart = m_line.start;
        line.headStyle = m_line.style;
        m_long.push_back(line);
        m_line.isLong = true;
    }
    LongLine &line = m_long.back();
    const qint64 shownFrom = hasReturn ? m_line.lastReturn.offset : m_line.start;
    if (!line.isSplit && end - shownFrom > LongestWhole && m_line.headEnd > 0
        && m_line.older.offset > m_line.headEnd) {
        line.isSplit = true;
        line.headStart = shownFrom;
        line.headStyle = hasReturn ? m_line.lastReturn.style : m_line.style;
        line.headEnd = m_line.headEnd;
        line.tailStart = line.headEnd;
        m_rows += 2;
        ++m_splits;
    }
    if (line.isSplit) {
        m_hidden += m_line.older.offset - line.tailStart;
        line.tailStart = m_line.older.offset;
        line.tailStyle = m_line.older.style;
    } else if (m_line.newerReturn.offset >= 0) {
        const Mark &from = m_line.olderReturn.offset >= 0 ? m_line.olderReturn : m_line.newerReturn;
        line.headStart = from.offset;
        line.headStyle = from.style;
    }
}

void LineStore::addCheckpoint(const Checkpoint &checkpoint)
{
    m_lastKnown = checkpoint;
    m_checkpoints.push_back(checkpoint);
    if (m_checkpoints.size() >= MostCheckpoints)
        thinOut();
}

void LineStore::thinOut()
{
    while (m_checkpoints.size() > MostCheckpoints / 2) {
        m_rowStride *= 2;
        size_t run = 0;
        Checkpoint kept;
        size_t out = 0;
        for (const Checkpoint &checkpoint : m_checkpoints) {
            for (; run < m_runs.size() && m_runs[run].firstRow <= checkpoint.row; ++run)
                kept = {m_runs[run].firstRow, m_runs[run].offset, {}};
            if (checkpoint.row - kept.row < m_rowStride && checkpoint.offset - kept.offset < m_byteStride)
                continue;
            kept = checkpoint;
            m_checkpoints[out++] = checkpoint;
        }
        m_checkpoints.resize(out);
        if (out > MostCheckpoints / 2)
            m_byteStride *= 2;
    }
}

size_t LineStore::runIndex(qint64 row) const
{
    const auto after = std::upper_bound(m_runs.cbegin(), m_runs.cend(), row,
                                        [](qint64 value, const Run &run) { return value < run.firstRow; });
    return static_cast<size_t>(after - m_runs.cbegin()) - 1;
}

qint64 LineStore::runEnd(size_t run) const
{
    const ChannelState &stream = state(m_runs[run].channel);
    const bool isLast = stream.lastRun == static_cast<qsizetype>(run);
    return isLast && !m_finished ? completeEnd(stream) : m_runs[run].end;
}

LineStore::Block LineStore::longBlock(size_t index, qint64 row) const
{
    const LongLine &line = m_long[index];
    const size_t run = runIndex(line.row);
    const bool isOpen = m_line.isOpen && m_line.isLong && index + 1 == m_long.size();
    const qint64 end = isOpen ? runEnd(run) : std::min(line.end, runEnd(run));
    Block block;
    block.channel = m_runs[run].channel;
    block.firstRow = row;
    block.rows = 1;
    block.firstLine = line.row + 1 - 2 * line.splitsBefore;
    block.isOpen = isOpen;
    block.offset = line.headStart;
    block.style = line.headStyle;
    if (!line.isSplit) {
        block.length = std::max(qint64(0), end - line.headStart);
        return block;
    }
    if (row == line.row) {
        block.kind = Block::Kind::Head;
        block.length = line.headEnd - line.headStart;
        block.isOpen = false;
    } else if (row == line.row + 1) {
        block.kind = Block::Kind::Gap;
        block.hiddenBytes = line.tailStart - line.headEnd;
    } else {
        block.kind = Block::Kind::Tail;
        block.offset = line.tailStart;
        block.length = std::max(qint64(0), end - line.tailStart);
        block.style = line.tailStyle;
    }
    return block;
}

LineStore::Block LineStore::blockOf(qint64 row) const
{
    Q_ASSERT(row >= 0 && row < m_rows);
    const auto nextLong =
        std::upper_bound(m_long.cbegin(), m_long.cend(), row,
                         [](qint64 value, const LongLine &line) { return value < line.row; });
    const LongLine *before = nextLong == m_long.cbegin() ? nullptr : &*(nextLong - 1);
    if (before && row <= before->row + (before->isSplit ? 2 : 0))
        return longBlock(static_cast<size_t>(before - m_long.data()), row);

    const size_t index = runIndex(row);
    const Run &run = m_runs[index];
    Checkpoint begin{run.firstRow, run.offset, run.style};
    const qint64 afterLong = before ? before->row + (before->isSplit ? 3 : 1) : 0;
    if (afterLong > begin.row)
        begin = {afterLong, before->end, before->endStyle};
    const auto next = std::upper_bound(m_checkpoints.cbegin(), m_checkpoints.cend(), row,
                                       [](qint64 value, const Checkpoint &c) { return value < c.row; });
    if (next != m_checkpoints.cbegin() && (next - 1)->row > begin.row)
        begin = *(next - 1);

    qint64 endRow = index + 1 < m_runs.size() ? m_runs[index + 1].firstRow : m_rows;
    qint64 end = runEnd(index);
    if (next != m_checkpoints.cend() && next->row < endRow) {
        endRow = next->row;
        end = next->offset;
    }
    if (nextLong != m_long.cend() && nextLong->row < endRow) {
        endRow = nextLong->row;
        end = nextLong->lineStart;
    }
    Block block;
    block.channel = run.channel;
    block.firstRow = begin.row;
    block.rows = endRow - begin.row;
    const qint64 splits = before ? before->splitsBefore + (before->isSplit ? 1 : 0) : 0;
    block.firstLine = begin.row + 1 - 2 * splits;
    block.offset = begin.offset;
    block.length = std::max(qint64(0), end - begin.offset);
    block.style = begin.style;
    block.isOpen = endRow == m_rows && m_line.isOpen;
    return block;
}

std::vector<LineStore::Row> LineStore::decode(const Block &block, QByteArrayView bytes)
{
    std::vector<Row> rows;
    const auto blank = [&] {
        Row row;
        row.line = block.firstLine + static_cast<qint64>(rows.size());
        row.kind = block.kind;
        row.channel = block.channel;
        row.hiddenBytes = block.hiddenBytes;
        return row;
    };
    AnsiLine line;
    const auto add = [&] {
        Row row = blank();
        row.columns = line.columns();
        row.spans = line.spans();
        rows.push_back(std::move(row));
        line.clear();
    };
    const bool isWhole = bytes.size() >= block.length;
    bytes = bytes.first(std::min(bytes.size(), static_cast<qsizetype>(block.length)));
    AnsiParser parser(block.style);
    bool hasRest = false;
    while (static_cast<qint64>(rows.size()) < block.rows && block.kind != Block::Kind::Gap) {
        const AnsiParser::Token token = parser.next(bytes);
        if (token.kind == AnsiParser::Token::Kind::End)
            break;
        hasRest = token.kind != AnsiParser::Token::Kind::LineFeed;
        if (hasRest)
            line.put(token, parser.style());
        else
            add();
    }
    if (isWhole) {
        line.put(parser.finish(), parser.style());
        while (static_cast<qint64>(rows.size()) < block.rows)
            add();
    } else if (hasRest && static_cast<qint64>(rows.size()) < block.rows) {
        add();
    }
    return rows;
}

std::vector<LineStore::Range> LineStore::arrivalOrder() const
{
    std::vector<Range> out(m_runs.size());
    std::array<qint64, 2> end = {m_channels[0].end, m_channels[1].end};
    for (size_t i = m_runs.size(); i-- > 0;) {
        const Run &run = m_runs[i];
        out[i] = {run.channel, run.rawOffset, end[size_t(run.channel)] - run.rawOffset};
        end[size_t(run.channel)] = run.rawOffset;
    }
    for (const Channel channel : {Channel::Stdout, Channel::Stderr}) {
        const ChannelState &stream = state(channel);
        if (!stream.held.isEmpty())
            out.push_back({channel, stream.end, stream.held.size()});
    }
    return out;
}

qint64 LineStore::memoryBytes() const
{
    return static_cast<qint64>(m_checkpoints.capacity() * sizeof(Checkpoint) + m_runs.capacity() * sizeof(Run)
                               + m_long.capacity() * sizeof(LongLine))
        + m_channels[0].held.capacity() + m_channels[1].held.capacity()
        + static_cast<qint64>(sizeof(LineStore));
}

} // namespace Pilothouse
