// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/eventpipe.h"

#include "engine/conversationlog.h"
#include "store/store.h"

#include <algorithm>
#include <iterator>

namespace Pilothouse {

using namespace std::chrono_literals;

namespace {

// Two frames of a 60 Hz screen: text flows, and a fast stream costs 30 transactions a second, not thousands.
constexpr auto BatchInterval = 33ms;
// What may wait for a subscriber that does not take its batches (a blocked window); it can read the rest from
// the log.
constexpr qint64 MostSubscriberBytes = 64 * 1024 * 1024;

} // namespace

EventPipe::EventPipe(Store *store, QObject *parent)
    : QObject(parent)
    , m_store(store)
    , m_room([store] { return store->roomForOutput(); })
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &EventPipe::flush);
    connect(m_store, &Store::committed, this, &EventPipe::onCommitted);
    connect(m_store, &Store::failed, this, [this](quint64, const Error &error) {
        const bool first = !m_storeFailed;
        m_storeFailed = true;
        if (first)
            Q_EMIT failed(error);
    });
}

void EventPipe::push(const EventDelivery &delivery)
{
    m_forStore.append(delivery);
    if (!m_lagged) {
        m_subscriberBytes += delivery.event->payload.size() + delivery.bytes.size();
        if (m_subscriberBytes > MostSubscriberBytes) {
            m_forSubscriber.clear();
            m_subscriberBytes = 0;
            m_lagged = true;
        } else {
            m_forSubscriber.append(delivery);
        }
    }
    schedule();
}

void EventPipe::markDirty(ConversationLog *log)
{
    m_dirty.insert(log);
    schedule();
}

void EventPipe::forget(ConversationLog *log) { m_dirty.remove(log); }

void EventPipe::schedule()
{
    if (m_timer.isActive())
        return;
    const auto since =
        m_sinceBatch.isValid() ? std::chrono::milliseconds(m_sinceBatch.elapsed()) : BatchInterval;
    if (since < BatchInterval)
        m_timer.start(BatchInterval - since);
    else
        m_timer.start(m_taken ? 0ms : BatchInterval);
}

void EventPipe::whenDurable(QObject *context, std::function<void()> then)
{
    m_barriers.push_back({context, std::move(then)});
    if (m_barrierQueued)
        return;
    m_barrierQueued = true; // One synced commit serves every barrier of this event-loop turn.
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_barrierQueued = false;
            toStore(true);
        },
        Qt::QueuedConnection);
}

void EventPipe::toStore(bool durable)
{
    for (ConversationLog *log : std::exchange(m_dirty, {}))
        log->closePending();
    m_takenOutput = 0;
    if (m_forStore.isEmpty() && m_barriers.empty())
        return;
    const quint64 ticket = m_store->append(std::exchange(m_forStore, {}), durable);
    if (!m_barriers.empty())
        m_waiting.insert(ticket, std::exchange(m_barriers, {}));
}

void EventPipe::toSubscriber()
{
    if (!m_taken)
        return;
    if (m_lagged) {
        m_lagged = false;
        m_taken = false;
        ++m_batches;
        Q_EMIT subscriberLagged();
        return;
    }
    if (m_forSubscriber.isEmpty())
        return;
    m_taken = false;
    ++m_batches;
    m_subscriberBytes = 0;
    Q_EMIT batch(std::exchange(m_forSubscriber, {}));
}

void EventPipe::flush()
{
    m_timer.stop();
    m_sinceBatch.start();
    toStore(!m_barriers.empty());
    toSubscriber();
    if (m_taken && (!m_forSubscriber.isEmpty() || m_lagged))
        schedule(); // Otherwise acknowledge() does: nothing runs while a blocked subscriber blocks.
}

void EventPipe::whenTaken(std::function<void()> then)
{
    // Others may push without end meanwhile: what counts is the batch that has what was pushed so far.
    const bool isAllHandedOver = m_forSubscriber.isEmpty() && !m_lagged;
    m_whenTaken.push_back({isAllHandedOver ? m_batches : m_batches + 1, std::move(then)});
    if (m_taken)
        acknowledge();
}

void EventPipe::acknowledge()
{
    m_taken = true;
    if (!m_forSubscriber.isEmpty() || m_lagged)
        schedule();
    std::vector<Taken> waiting = std::exchange(m_whenTaken, {});
    const auto due = std::stable_partition(waiting.begin(), waiting.end(),
                                           [this](const Taken &taken) { return taken.batch > m_batches; });
    const std::vector<Taken> ready(std::make_move_iterator(due), std::make_move_iterator(waiting.end()));
    waiting.erase(due, waiting.end());
    m_whenTaken = std::move(waiting);
    for (const Taken &taken : ready)
        taken.then();
}

void EventPipe::onCommitted(quint64 ticket)
{
    if (std::exchange(m_storeFailed, false))
        Q_EMIT recovered();
    const std::vector<Barrier> barriers = m_waiting.take(ticket);
    for (const Barrier &barrier : barriers) {
        if (barrier.context)
            barrier.then();
    }
}

void EventPipe::retryStore()
{
    if (m_storeFailed)
        m_store->retry();
}

bool EventPipe::takesOutput(qint64 bytes)
{
    const std::optional<qint64> room = m_room();
    if (room && *room < m_takenOutput + pendingBytes() + bytes)
        return false;
    m_takenOutput += bytes;
    return true;
}

qint64 EventPipe::pendingBytes() const { return m_store->pendingBytes(); }

} // namespace Pilothouse
