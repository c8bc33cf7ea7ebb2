// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputmodel.h"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace std::chrono_literals;

namespace {

constexpr qsizetype SliceBytes = 256 * 1024; // Indexed at once; a millisecond or two.
constexpr qint64 ReadSliceMs = 8; // Then the event loop has its turn.
constexpr qint64 ReadBytes = 1024 * 1024;
constexpr auto RetryAfter = 150ms; // Bytes are on the disk within some hundred milliseconds of their event.
constexpr int MostRetries = 60; // Then the bytes are lost.
constexpr qsizetype MostRequests = 16; // A screen needs a few; who scrolls on does not want the others.
constexpr qint64 RowCost = 96; // Of a decoded row and of a span, beside its text.

qint64 costOf(const std::vector<LineStore::Row> &rows)
{
    qint64 cost = 0;
    for (const LineStore::Row &row : rows) {
        cost += RowCost;
        for (const AnsiSpan &span : row.spans)
            cost += RowCost + 2 * span.text.size();
    }
    return cost;
}

} // namespace

OutputModel::OutputModel(QObject *parent)
    : QObject(parent)
{
    m_work.setSingleShot(true);
    m_work.setInterval(0);
    connect(&m_work, &QTimer::timeout, this, &OutputModel::work);
    m_retry.setSingleShot(true);
    m_retry.setInterval(RetryAfter);
    connect(&m_retry, &QTimer::timeout, this, [this] {
        m_requested.clear();
        schedule();
        Q_EMIT loaded();
    });
}

void OutputModel::reset(Reader reader)
{
    ++m_generation;
    ++m_version;
    m_reader = std::move(reader);
    m_store.clear();
    m_pieces.clear();
    m_queuedBytes = 0;
    for (const int channel : {0, 1}) {
        m_given[channel] = 0;
        m_tails[channel] = {};
    }
    m_cache.clear();
    m_cachedCost = 0;
    m_requested.clear();
    m_work.stop();
    m_retry.stop();
    m_error.reset();
    m_retries = 0;
    m_reading = false;
    m_finished = false;
    Q_EMIT wasReset();
}

void OutputModel::setText(const QByteArray &utf8)
{
    reset([utf8](Channel, qint64 offset, qint64 length, QObject *context, const ReadReply &reply) {
        const QByteArray part = utf8.mid(offset, length);
        QMetaObject::invokeMethod(
            context, [reply, part] { reply(part); }, Qt::QueuedConnection);
    });
    addPiece(Channel::Stdout, 0, utf8.size(), utf8);
    finish();
    work(); // A short text is there at once.
}

void OutputModel::addPiece(Channel channel, qint64 offset, qint64 length, const QByteArray &bytes)
{
    qint64 &given = m_given[static_cast<int>(channel)];
    qint64 end = 0;
    if (offset < 0 || length <= 0 || qAddOverflow(offset, length, &end) || end <= given)
        return;
    Piece piece{channel, given, end - given, {}};
    // What lies between was not told; it is read like everything that is not at hand.
    const bool isAtHand =
        bytes.size() == length && offset <= given && m_queuedBytes + bytes.size() <= MostQueued;
    if (isAtHand) {
        piece.bytes = offset == given ? bytes : bytes.sliced(given - offset);
        m_queuedBytes += piece.bytes.size();
    }
    given = end;
    Piece *last = m_pieces.empty() ? nullptr : &m_pieces.back();
    const bool joins = last && !isAtHand && last->bytes.isEmpty() && last->channel == channel;
    if (joins)
        last->length += piece.length;
    else
        m_pieces.push_back(std::move(piece));
    schedule();
}

std::vector<LineStore::Range> OutputModel::arrivalOrder() const
{
    std::vector<LineStore::Range> out = m_store.arrivalOrder();
    for (const Piece &piece : m_pieces)
        out.push_back({piece.channel, piece.offset, piece.length});
    return out;
}

void OutputModel::finish()
{
    m_finished = true;
    schedule();
}

void OutputModel::schedule()
{
    if (!m_work.isActive() && !m_reading)
        m_work.start();
}

void OutputModel::work()
{
    QElapsedTimer timer;
    timer.start();
    const bool hadWork = !m_pieces.empty();
    const qint64 firstChanged = m_store.firstOpenRow();
    const qint64 bytesBefore = m_store.byteCount();
    while (!m_pieces.empty() && !m_pieces.front().bytes.isEmpty() && timer.elapsed() < ReadSliceMs) {
        Piece &piece = m_pieces.front();
        const qsizetype size = std::min(SliceBytes, piece.bytes.size());
        index(piece.channel, QByteArrayView(piece.bytes).first(size));
        m_queuedBytes -= size;
        piece.offset += size;
        piece.length -= size;
        if (piece.length <= 0)
            m_pieces.pop_front();
        else
            piece.bytes = piece.bytes.sliced(size);
    }
    const bool isDone = m_pieces.empty();
    if (isDone && m_finished)
        m_store.finish();
    if (m_store.byteCount() != bytesBefore || (isDone && m_finished)) {
        ++m_version;
        dropFrom(firstChanged);
        Q_EMIT changed(firstChanged);
    }
    if (isDone) {
        if (hadWork || m_finished)
            Q_EMIT settled();
    } else if (m_pieces.front().bytes.isEmpty()) {
        readFirst();
    } else {
        schedule();
    }
}

void OutputModel::readFirst()
{
    if (m_reading || m_pieces.empty() || !m_reader || m_retry.isActive())
        return;
    m_reading = true;
    const Piece piece = m_pieces.front();
    m_reader(piece.channel, piece.offset, std::min(piece.length, ReadBytes), this,
             [this, generation = m_generation](const Result<QByteArray, Error> &bytes) {
                 if (generation != m_generation)
                     return;
                 m_reading = false;
                 if (!bytes) {
                     problem(bytes.error());
                     // Nothing after it can be placed: the output ends here.
                     m_pieces.clear();
                     m_queuedBytes = 0;
                     schedule();
                     return;
                 }
                 if (bytes->isEmpty()) {
                     tryLater();
                     return;
                 }
                 m_retries = 0;
                 Piece &first = m_pieces.front();
                 Piece part{first.channel, first.offset, bytes->size(), *bytes};
                 first.offset += bytes->size();
                 first.length -= bytes->size();
                 if (first.length <= 0)
                     m_pieces.pop_front();
                 m_queuedBytes += part.bytes.size();
                 m_pieces.push_front(std::move(part));
                 work();
             });
}

void OutputModel::index(Channel channel, QByteArrayView bytes)
{
    m_store.append(channel, bytes);
    Tail &tail = m_tails[static_cast<int>(channel)];
    tail.bytes.append(bytes);
    if (tail.bytes.size() > 2 * TailBytes) {
        const qsizetype cut = tail.bytes.size() - TailBytes;
        tail.offset += cut;
        tail.bytes = QByteArray(tail.bytes.constData() + cut, TailBytes);
    }
}

void OutputModel::dropFrom(qint64 row)
{
    for (auto it = m_cache.begin(); it != m_cache.end();) {
        if (it->block.firstRow + it->block.rows > row) {
            m_cachedCost -= it->cost;
            it = m_cache.erase(it);
        } else {
            ++it;
        }
    }
}

const LineStore::Row *OutputModel::row(qint64 row)
{
    if (row < 0 || row >= rowCount())
        return nullptr;
    const auto rowIn = [row](const Cached &cached) -> const LineStore::Row * {
        const qint64 index = row - cached.block.firstRow;
        return index >= 0 && index < static_cast<qint64>(cached.rows.size())
            ? &cached.rows[static_cast<size_t>(index)]
            : nullptr;
    };
    for (auto it = m_cache.begin(); it != m_cache.end(); ++it) {
        if (const LineStore::Row *found = rowIn(*it)) {
            m_cache.splice(m_cache.begin(), m_cache, it);
            return found;
        }
    }
    const LineStore::Block block = m_store.blockOf(row);
    const Tail &tail = m_tails[static_cast<int>(block.channel)];
    const bool isAtHand = block.length == 0
        || (block.offset >= tail.offset && block.offset + block.length <= tail.offset + tail.bytes.size());
    if (!isAtHand) {
        request(block);
        return nullptr;
    }
    const QByteArrayView bytes = block.length == 0
        ? QByteArrayView()
        : QByteArrayView(tail.bytes).sliced(block.offset - tail.offset, block.length);
    const Cached *cached = cache(block, bytes);
    return cached ? rowIn(*cached) : nullptr;
}

const OutputModel::Cached *OutputModel::cache(const LineStore::Block &block, QByteArrayView bytes)
{
    Cached cached{block, LineStore::decode(block, bytes), 0};
    if (cached.rows.empty())
        return nullptr;
    cached.cost = costOf(cached.rows);
    m_cachedCost += cached.cost;
    m_cache.push_front(std::move(cached));
    // One block alone may be larger; what is on screen must stay.
    while (m_cachedCost > MostCached && m_cache.size() > 2) {
        m_cachedCost -= m_cache.back().cost;
        m_cache.pop_back();
    }
    return &m_cache.front();
}

void OutputModel::request(const LineStore::Block &block)
{
    if (!m_reader || m_error || m_requested.size() >= MostRequests || m_requested.contains(block.firstRow))
        return;
    m_requested.insert(block.firstRow);
    m_reader(block.channel, block.offset, block.length, this,
             [this, block, generation = m_generation,
              version = m_version](const Result<QByteArray, Error> &bytes) {
                 if (generation != m_generation)
                     return;
                 if (!bytes) {
                     m_requested.remove(block.firstRow);
                     problem(bytes.error());
                     return;
                 }
                 if (bytes->size() < block.length) {
                     tryLater(); // It counts as asked for until then.
                     return;
                 }
                 m_requested.remove(block.firstRow);
                 if (!block.isOpen || version == m_version)
                     cache(block, *bytes);
                 Q_EMIT loaded();
             });
}

void OutputModel::tryLater()
{
    if (m_retry.isActive())
        return;
    if (++m_retries <= MostRetries) {
        m_retry.start();
        return;
    }
    problem({ErrorKind::Storage,
             tr("Part of this output is not in the data folder."),
             tr("What is shown is complete up to there."),
             {}});
    m_pieces.clear();
    m_queuedBytes = 0;
    schedule();
}

void OutputModel::problem(const Error &error)
{
    if (m_error)
        return;
    m_error = error;
    Q_EMIT readFailed(error);
}

qint64 OutputModel::memoryBytes() const
{
    return m_store.memoryBytes() + m_cachedCost + m_queuedBytes + m_tails[0].bytes.capacity()
        + m_tails[1].bytes.capacity();
}

} // namespace Pilothouse
