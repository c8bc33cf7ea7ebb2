// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/clock.h"
#include "util/error.h"
#include "util/event.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QTimer>

#include <functional>
#include <optional>
#include <vector>

namespace Pilothouse {

class ConversationLog;
class Store;

/// The one way of events out of the engine: the same immutable event goes to the store and to the subscriber.
/// Batches leave at once if 33 ms have passed since the last one and the subscriber took that, else at the
/// next 33 ms; what must be durable does not wait for the subscriber. Engine thread.
class EventPipe : public QObject {
    Q_OBJECT
public:
    EventPipe(Store *store, QObject *parent);

    void push(const EventDelivery &delivery);
    /// `log` holds joined deltas that must be closed at the next flush.
    void markDirty(ConversationLog *log);
    void forget(ConversationLog *log);
    void whenDurable(QObject *context, std::function<void()> then);
    /// Runs `then` once the subscriber has taken everything pushed so far: at once, or at an acknowledge().
    void whenTaken(std::function<void()> then);
    /// The subscriber took the last batch.
    void acknowledge();
    /// Everything out now: to the store, and to the subscriber if it took the last batch.
    void flush();
    [[nodiscard]] bool storeFailed() const { return m_storeFailed; }
    void retryStore();
    [[nodiscard]] qint64 pendingBytes() const;
    /// Whether output may still be pushed: false when the disk would be filled by it and by what is on its
    /// way. Bytes that were taken are pushed at the next flush at the latest.
    [[nodiscard]] bool takesOutput(qint64 bytes);
    /// How much room output has (nothing: unknown); the store's answer unless a test gives its own.
    void setRoom(std::function<std::optional<qint64>()> room) { m_room = std::move(room); }

Q_SIGNALS:
    void batch(const Pilothouse::EventBatch &events); ///< To the subscriber; answered by acknowledge().
    /// The subscriber was too slow and its backlog was dropped: it must read anew from the log.
    void subscriberLagged();
    void failed(
        const Pilothouse::Error &error); ///< The store cannot write; what was handed over is kept in memory.
    void recovered();

private:
    struct Barrier {
        QPointer<QObject> context;
        std::function<void()> then;
    };
    void schedule();
    void toStore(bool durable);
    void toSubscriber();
    void onCommitted(quint64 ticket);

    Store *m_store;
    std::function<std::optional<qint64>()> m_room;
    qint64 m_takenOutput = 0; ///< Bytes taken and not yet handed to the store.
    QTimer m_timer;
    QElapsedTimer m_sinceBatch;
    QSet<ConversationLog *> m_dirty;
    EventBatch m_forStore;
    EventBatch m_forSubscriber;
    qint64 m_subscriberBytes = 0;
    std::vector<Barrier> m_barriers;
    QHash<quint64, std::vector<Barrier>> m_waiting; ///< By ticket.
    struct Taken {
        quint64 batch; ///< Number of the batch that must have been taken.
        std::function<void()> then;
    };
    std::vector<Taken> m_whenTaken; ///< By rising batch.
    quint64 m_batches = 0; ///< Handed to the subscriber so far.
    bool m_taken = true;
    bool m_lagged = false;
    bool m_barrierQueued = false;
    bool m_storeFailed = false;
};

} // namespace Pilothouse
