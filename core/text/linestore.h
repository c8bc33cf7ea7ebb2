// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/ansiline.h"
#include "text/ansiparser.h"

#include <QByteArray>
#include <QByteArrayView>

#include <array>
#include <vector>

namespace Pilothouse {

/// An index of the lines of a program's two output streams, in the order in which they arrived. It keeps no
/// text: bytes go through append() once, in time proportional to their number, and lines are decoded later
/// from the bytes that blockOf() asks for.
///
/// A row is a line, or a part of one: a line longer than LongestWhole has three rows, its head, the gap (how
/// much is hidden) and its tail. Where the other stream speaks in the middle of a line, the line ends; its
/// rest is a line of its own. Of a long line that was written over again and again (progress) only the last
/// state is a row.
///
/// Memory: at most MostCheckpoints of 32 bytes, a little more than MostRuns of 56 bytes, and 104 bytes for
/// each LongestWhole bytes of long lines; together less than 24 MB for 1 GiB of any output, and about 2 MB
/// for 700 000 short lines.
class LineStore {
public:
    enum class Channel : quint8 { Stdout = 0, Stderr = 1 }; ///< Also an index.

    static constexpr qint64 LongestWhole = 12 * 1024; ///< Bytes; a longer line is cut for show.
    static constexpr qint64 HeadBytes = 4 * 1024; ///< What is shown of its begin.
    static constexpr qint64 TailBytes = 4 * 1024; ///< At least this of its end, at most twice.
    static constexpr size_t MostCheckpoints = 64 * 1024;
    static constexpr size_t MostRuns =
        100'000; ///< Past it the order of the streams is kept in larger pieces.
    static constexpr qint64 CoarseRun = 64 * 1024;

    /// Bytes that give rows when they are decoded.
    struct Block {
        enum class Kind { Lines = 1, Head, Gap, Tail };
        Kind kind = Kind::Lines;
        Channel channel = Channel::Stdout;
        qint64 firstRow = 0;
        qint64 rows = 0;
        qint64 firstLine = 0; ///< Number of the first row's line, from 1.
        qint64 offset = 0; ///< In the channel.
        qint64 length = 0; ///< At most some tens of KiB, more only where a million lines share the index.
        qint64 hiddenBytes = 0; ///< Gap.
        AnsiStyle style; ///< At `offset`.
        bool isOpen = false; ///< The last row may still change.
    };
    struct Row {
        qint64 line = 0; ///< From 1.
        Block::Kind kind = Block::Kind::Lines;
        Channel channel = Channel::Stdout;
        qint64 hiddenBytes = 0;
        int columns = 0;
        std::vector<AnsiSpan> spans;
    };
    /// A piece of one channel.
    struct Range {
        Channel channel = Channel::Stdout;
        qint64 offset = 0;
        qint64 length = 0;
    };

    /// The next bytes of a channel.
    void append(Channel channel, QByteArrayView bytes);
    /// Nothing more comes: a character that was cut at the end is shown as what it is.
    void finish();
    void clear() { *this = LineStore(); }

    [[nodiscard]] qint64 rowCount() const { return m_rows; }
    [[nodiscard]] qint64 lineCount() const { return m_rows - 2 * m_splits; }
    [[nodiscard]] qint64 byteCount() const { return byteCount(Channel::Stdout) + byteCount(Channel::Stderr); }
    [[nodiscard]] qint64 byteCount(Channel channel) const
    {
        return state(channel).end + state(channel).held.size();
    }
    [[nodiscard]] qint64 hiddenBytes() const { return m_hidden; } ///< Of all gaps.
    /// The first row that may have changed since the rows before were counted (the open line and its parts).
    [[nodiscard]] qint64 firstOpenRow() const;

    /// What to decode to see `row`, which must exist.
    [[nodiscard]] Block blockOf(qint64 row) const;
    /// The rows of a block. `bytes` may be shorter than it says (then later rows are missing).
    [[nodiscard]] static std::vector<Row> decode(const Block &block, QByteArrayView bytes);

    /// Every byte of both channels in the order of arrival, for saving.
    [[nodiscard]] std::vector<Range> arrivalOrder() const;

    [[nodiscard]] qint64 memoryBytes() const; ///< Of the index.

private:
    struct Checkpoint {
        qint64 row = 0;
        qint64 offset = 0;
        AnsiStyle style;
    };
    struct Run {
        qint64 firstRow = 0;
        qint64 offset = 0; ///< Its first whole character; an earlier run's cut one comes along.
        qint64 end = 0;
        qint64 rawOffset = 0; ///< Where its bytes begin.
        AnsiStyle style;
        Channel channel = Channel::Stdout;
    };
    struct LongLine {
        qint64 row = 0;
        qint64 splitsBefore = 0;
        qint64 lineStart = 0;
        qint64 headStart = 0; ///< What is shown begins here.
        qint64 headEnd = 0; ///< This and the tail only if split.
        qint64 tailStart = 0;
        qint64 end = 0; ///< After its line feed.
        AnsiStyle headStyle;
        AnsiStyle tailStyle;
        AnsiStyle endStyle;
        bool isSplit = false;
    };
    struct Mark {
        qint64 offset = -1;
        AnsiStyle style;
    };
    struct ChannelState {
        qint64 end = 0;
        AnsiParser parser;
        qint64 sequenceStart = -1; ///< Of the escape sequence that is not complete.
        std::array<char, 3> last = {}; ///< Last bytes, to find a character that is not complete.
        qsizetype lastCount = 0;
        qsizetype lastRun = -1;
        QByteArray held; ///< Bytes that wait for a run, when there are too many.
    };
    struct OpenLine {
        bool isOpen = false;
        bool isLong = false;
        qint64 start = 0;
        AnsiStyle style;
        Mark older; ///< Places to begin the tail at, TailBytes or more apart.
        Mark newer;
        Mark olderReturn; ///< After carriage returns.
        Mark newerReturn;
        Mark lastReturn;
        qint64 headEnd = -1; ///< First mark after what is shown begins.
    };

    [[nodiscard]] ChannelState &state(Channel channel) { return m_channels[size_t(channel)]; }
    [[nodiscard]] const ChannelState &state(Channel channel) const { return m_channels[size_t(channel)]; }
    void index(Channel channel, QByteArrayView bytes);
    void beginRun(Channel channel);
    void openLine(const AnsiStyle &style);
    void placeMark(qint64 offset, const AnsiStyle &style);
    void markText(const ChannelState &channel, qint64 from, QByteArrayView bytes);
    void checkLong(qint64 end);
    void closeLine(qint64 end, const AnsiStyle &style);
    void addCheckpoint(const Checkpoint &checkpoint);
    void thinOut();
    [[nodiscard]] static qint64 completeEnd(const ChannelState &channel);
    [[nodiscard]] size_t runIndex(qint64 row) const;
    [[nodiscard]] qint64 runEnd(size_t run) const;
    [[nodiscard]] Block longBlock(size_t index, qint64 row) const;

    qint64 m_rows = 0;
    qint64 m_splits = 0;
    qint64 m_hidden = 0;
    qint64 m_rowStride = 16; ///< Between checkpoints; doubled when there are too many.
    qint64 m_byteStride = 64 * 1024;
    bool m_finished = false;
    std::array<ChannelState, 2> m_channels;
    OpenLine m_line;
    qint64 m_nextStart = 0; ///< Where the next line of the run begins.
    Checkpoint m_lastKnown; ///< The last place to begin decoding at: checkpoint, run or end of a long line.
    std::vector<Checkpoint> m_checkpoints;
    std::vector<Run> m_runs;
    std::vector<LongLine> m_long;
};

} // namespace Pilothouse
