// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/linestore.h"
#include "util/error.h"
#include "util/result.h"

#include <QByteArray>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <vector>

namespace Pilothouse {

/// The output of one call for views: rows by number, whatever the size of the output. Bytes come as pieces,
/// at hand or to be read; they are indexed in slices of some milliseconds, and lines are decoded when they
/// are asked for. Memory: the index (see LineStore), at most MostQueued bytes that wait, MostCached of
/// decoded rows and 2 × TailBytes of the newest bytes. GUI thread.
class OutputModel : public QObject {
    Q_OBJECT
public:
    using Channel = LineStore::Channel;
    using ReadReply = std::function<void(const Result<QByteArray, Error> &)>;
    /// Reads bytes of a channel without blocking; fewer at its end. The reply comes later, and only while
    /// `context` lives.
    using Reader =
        std::function<void(Channel channel, qint64 offset, qint64 length, QObject *context, ReadReply reply)>;

    static constexpr qint64 MostQueued = 8 * 1024 * 1024; ///< What is more is read again when its turn comes.
    static constexpr qint64 MostCached = 4 * 1024 * 1024;
    static constexpr qsizetype TailBytes = 128 * 1024; ///< More than any block, so the end needs no reading.

    explicit OutputModel(QObject *parent = nullptr);

    /// Empties the model; what follows is read with `reader`.
    void reset(Reader reader);
    /// Shows `utf8` as if a program had printed it.
    void setText(const QByteArray &utf8);
    /// The next piece of a channel. `bytes` may be empty: they are read. What is already there is ignored.
    void addPiece(Channel channel, qint64 offset, qint64 length, const QByteArray &bytes);
    void finish(); ///< Nothing more comes.

    [[nodiscard]] const LineStore &store() const { return m_store; }
    /// All that was given, in the order it came, also what is not read and indexed yet.
    [[nodiscard]] std::vector<LineStore::Range> arrivalOrder() const;
    [[nodiscard]] qint64 rowCount() const { return m_store.rowCount(); }
    /// Everything that was given is in the index.
    [[nodiscard]] bool isSettled() const { return m_pieces.empty() && !m_reading; }
    /// Null: it is not at hand and was asked for; loaded() follows. Valid until the next call of a non-const
    /// method.
    [[nodiscard]] const LineStore::Row *row(qint64 row);
    /// For exact bytes; goes on with the same output when the model shows another one.
    [[nodiscard]] const Reader &reader() const { return m_reader; }
    [[nodiscard]] const std::optional<Error> &readError() const { return m_error; }
    [[nodiscard]] qint64 memoryBytes() const; ///< Index, cache and queue.

Q_SIGNALS:
    void wasReset();
    /// Rows from `firstRow` on are new or other than before.
    void changed(qint64 firstRow);
    void loaded(); ///< Rows that row() did not have may be there now.
    void settled(); ///< isSettled() became true.
    void readFailed(const Pilothouse::Error &error);

private:
    struct Piece {
        Channel channel = Channel::Stdout;
        qint64 offset = 0;
        qint64 length = 0;
        QByteArray bytes; ///< Empty: to be read.
    };
    struct Tail {
        qint64 offset = 0;
        QByteArray bytes;
    };
    struct Cached {
        LineStore::Block block;
        std::vector<LineStore::Row> rows;
        qint64 cost = 0;
    };
    void schedule();
    void work();
    void readFirst();
    void index(Channel channel, QByteArrayView bytes);
    void dropFrom(qint64 row);
    const Cached *cache(const LineStore::Block &block, QByteArrayView bytes);
    void request(const LineStore::Block &block);
    void tryLater();
    void problem(const Error &error);

    Reader m_reader;
    LineStore m_store;
    std::deque<Piece> m_pieces;
    qint64 m_queuedBytes = 0;
    qint64 m_given[2] = {0, 0}; ///< Bytes of each channel that were given so far.
    Tail m_tails[2];
    std::list<Cached> m_cache; ///< Newest use first.
    qint64 m_cachedCost = 0;
    QSet<qint64> m_requested; ///< First rows of blocks that are being read.
    QTimer m_work;
    QTimer m_retry; ///< The store writes a little later than the events come.
    int m_retries = 0;
    std::optional<Error> m_error;
    quint64 m_generation = 0; ///< Of reset(): answers to older questions are dropped.
    quint64 m_version = 0; ///< Of the index.
    bool m_reading = false;
    bool m_finished = false;
};

} // namespace Pilothouse
