// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptmodel.h"

#include "transcript/rowtext.h"

#include <QPointer>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int RowsPerRead = 200; // At the end: several screens; takes some milliseconds to read.
constexpr int RowsAhead = 40; // Beyond both ends of what is shown: scrolling by pages finds rows there.
constexpr auto NeedAgainAfter = 1s; // After a failure.
constexpr qsizetype MostBuffered =
    20'000; // Events that wait for a read; beyond that the log is read instead.
constexpr qint64 MostBufferedBytes = 16 * 1024 * 1024;
// The store may be this much behind what was shown; a read that is too early is repeated.
constexpr auto ReadAgainAfter = 100ms;
constexpr int MostAttempts = 30;
// Of one answer that is read whole: half an hour of it, and more than any picture that is shown.
constexpr qsizetype MostTextEvents = 50'000;
constexpr qint64 MostTextBytes = 64 * 1024 * 1024;
constexpr int TextEventsPerRead = 5000;
// Of the payloads that are applied in one go: a few milliseconds of work. Pictures come as many megabytes.
constexpr qint64 MostAppliedBytes = 512 * 1024;
constexpr qint64 MostLiveBytes = 64 * 1024 * 1024; // Beyond that the log is read instead.

// Rows are numbered from 1, without gaps unless the log is damaged.
int placeCount(qint64 lastRow)
{
    return static_cast<int>(std::clamp<qint64>(lastRow, 0, RowPages::MostCount));
}

} // namespace

TranscriptModel::TranscriptModel(HistoryService *history, QObject *parent)
    : QAbstractListModel(parent)
    , m_history(history)
{
    m_again.setSingleShot(true);
    m_again.setInterval(ReadAgainAfter);
    connect(&m_again, &QTimer::timeout, this, &TranscriptModel::read);
    m_more.setSingleShot(true);
    m_more.setInterval(0);
    connect(&m_more, &QTimer::timeout, this, &TranscriptModel::applySome);
    m_needAgain.setSingleShot(true);
    connect(&m_needAgain, &QTimer::timeout, this, &TranscriptModel::readNeeded);
}

TranscriptModel::~TranscriptModel() = default;

void TranscriptModel::open(const QString &conversation)
{
    beginResetModel();
    m_conversation = conversation;
    m_pages.resize(0);
    m_projector.reset();
    m_buffered.clear();
    m_bufferedBytes = 0;
    m_live.clear();
    m_liveBytes = 0;
    m_more.stop();
    m_floor = 0;
    m_attempts = 0;
    m_isReadingNeeded = false;
    m_needFirst = 0;
    m_needLast = -1;
    m_lastInLog = 0;
    m_inherited.clear();
    m_again.stop();
    m_needAgain.stop();
    ++m_reading;
    endResetModel();
    if (!m_conversation.isEmpty())
        read();
}

void TranscriptModel::reread()
{
    if (m_conversation.isEmpty())
        return;
    m_projector.reset(); // Events are buffered until the rows are there.
    m_buffered = std::exchange(m_live, {}) + m_buffered;
    m_bufferedBytes += std::exchange(m_liveBytes, 0);
    m_attempts = 0;
    read();
}

void TranscriptModel::read()
{
    const quint64 number = ++m_reading;
    m_isReadingNeeded = false;
    m_history->rowsBefore(m_conversation, std::numeric_limits<qint64>::max(), RowsPerRead, this,
                          [this, number](const Result<RowPage, Error> &page) {
                              if (number != m_reading)
                                  return;
                              if (page) {
                                  onPage(*page);
                                  return;
                              }
                              const bool first = m_attempts == 0;
                              if (m_attempts < MostAttempts)
                                  readAgainSoon();
                              if (first)
                                  Q_EMIT problem(page.error());
                          });
}

void TranscriptModel::onPage(const RowPage &page)
{
    qint64 floor = page.lastSeq;
    QList<TranscriptRow> open;
    for (const TranscriptRow &row : page.rows) {
        floor = std::max(floor, row.lastSeq);
        if (!row.closed)
            open.append(row);
    }
    const qint64 firstBuffered = m_buffered.isEmpty() ? 0 : m_buffered.first().event->seq;
    const qint64 seen = m_seen.value(m_conversation);
    // What was shown is ahead of what is committed: the events between would be missing.
    const bool isBehind = m_buffered.isEmpty() ? seen > floor : firstBuffered > floor + 1;
    const bool goOn = !isBehind || m_attempts >= MostAttempts;
    if (!goOn)
        readAgainSoon();
    // Rows are shown in any case; they are not wrong, only early.
    beginResetModel();
    // Closed rows never change: those that were read before stay. The others may be others now.
    QList<int> stale;
    m_pages.forEach([&](int place, const TranscriptRow &row) {
        if (!row.closed)
            stale.append(place);
    });
    for (const int place : std::as_const(stale))
        m_pages.drop(place);
    m_pages.resize(page.rows.isEmpty() ? 0 : placeCount(page.rows.last().row));
    for (const TranscriptRow &row : page.rows)
        m_pages.set(row);
    m_lastInLog = m_pages.count();
    m_floor = floor;
    m_inherited.clear();
    for (const TranscriptRow &row : std::as_const(open))
        m_inherited.insert(row.row);
    endResetModel();
    if (!goOn)
        return;
    if (isBehind && !m_buffered.isEmpty())
        m_floor =
            firstBuffered - 1; // The store does not keep up, or fails: what is live is shown nevertheless.
    m_attempts = 0;
    m_projector = std::make_unique<TranscriptProjector>(m_conversation,
                                                        page.rows.isEmpty() ? 0 : page.rows.last().row, open);
    applyBuffered();
}

void TranscriptModel::readAgainSoon()
{
    ++m_attempts;
    m_again.start();
}

void TranscriptModel::applyBuffered()
{
    m_bufferedBytes = 0;
    applyLive(std::exchange(m_buffered, {}));
}

void TranscriptModel::takeEvents(const EventBatch &events)
{
    EventBatch mine;
    for (const EventDelivery &delivery : events) {
        m_seen[delivery.event->conversation] = delivery.event->seq;
        if (delivery.event->conversation == m_conversation)
            mine.append(delivery);
    }
    if (mine.isEmpty())
        return;
    if (m_projector) {
        applyLive(mine);
        return;
    }
    for (const EventDelivery &delivery : std::as_const(mine))
        m_bufferedBytes += delivery.event->payload.size() + delivery.bytes.size();
    m_buffered += mine;
    if (m_buffered.size() > MostBuffered || m_bufferedBytes > MostBufferedBytes) {
        // The next read has them; what comes from now on is buffered again.
        m_buffered.clear();
        m_bufferedBytes = 0;
        if (!m_again.isActive())
            m_again.start();
    }
}

void TranscriptModel::applyLive(const EventBatch &events)
{
    m_live += events;
    for (const EventDelivery &delivery : events)
        m_liveBytes += delivery.event->payload.size();
    if (m_liveBytes > MostLiveBytes) {
        m_projector.reset();
        m_live.clear();
        m_liveBytes = 0;
        readAgainSoon();
        return;
    }
    if (!m_more.isActive())
        applySome();
}

// What does not fit waits for the next turn of the event loop, so that nobody waits for it.
void TranscriptModel::applySome()
{
    std::map<qint64, TranscriptRow> changed;
    bool turnEnded = false;
    qint64 bytes = 0;
    qsizetype i = 0;
    for (; i < m_live.size() && bytes < MostAppliedBytes; ++i) {
        const Event &event = *m_live[i].event;
        bytes += event.payload.size();
        if (event.seq <= m_floor)
            continue;
        if (event.seq != m_floor + 1) {
            publish(changed);
            m_projector.reset();
            m_buffered = std::exchange(m_live, {}).mid(i);
            m_bufferedBytes = std::exchange(m_liveBytes, 0);
            readAgainSoon();
            return;
        }
        m_floor = event.seq;
        turnEnded = turnEnded || event.kind == EventKind::TurnFinish;
        const QList<qint64> numbers = m_projector->apply(event, m_live[i].bytes);
        for (const qint64 number : numbers) {
            if (const TranscriptRow *row = m_projector->row(number))
                changed[number] = *row;
        }
    }
    m_live.remove(0, i);
    m_liveBytes = m_live.isEmpty() ? 0 : m_liveBytes - bytes;
    if (!m_live.isEmpty())
        m_more.start();
    publish(changed);
    for (const qint64 number : QSet<qint64>(m_inherited)) {
        const auto row = changed.find(number);
        if (turnEnded || (row != changed.end() && row->second.closed)) {
            m_inherited.remove(number);
            readRow(number, 1);
        }
    }
}

// The log may be a moment behind: asked again until the row is closed there too.
void TranscriptModel::readRow(qint64 row, int attempt)
{
    const quint64 number = m_reading;
    m_history->rowsBefore(m_conversation, row + 1, 1, this,
                          [this, number, row, attempt](const Result<RowPage, Error> &page) {
                              const int place = placeOf(row);
                              if (number != m_reading || place < 0)
                                  return;
                              if (page && page->rows.size() == 1 && page->rows.first().row == row
                                  && page->rows.first().closed) {
                                  m_pages.set(page->rows.first());
                                  Q_EMIT dataChanged(index(place), index(place));
                                  Q_EMIT settled();
                              } else if (attempt < MostAttempts) {
                                  QTimer::singleShot(ReadAgainAfter, this, [this, number, row, attempt] {
                                      if (number == m_reading)
                                          readRow(row, attempt + 1);
                                  });
                              }
                          });
}

void TranscriptModel::readWholeText(const TranscriptRow &row, QObject *context, TextReply reply)
{
    readMoreText(row, {}, 1, context, reply);
}

// A read gives a few megabytes at most, so a long text takes several; and the log may be a moment behind what
// is shown.
void TranscriptModel::readMoreText(const TranscriptRow &row, const QList<EventPtr> &before, int attempt,
                                   const QPointer<QObject> &context, const TextReply &reply)
{
    const EventKind kind =
        row.kind == TranscriptRow::Kind::Reasoning ? EventKind::ReasoningDelta : EventKind::TextDelta;
    // A row that was given up ends with the event that says so.
    const QList<EventKind> kinds{kind, EventKind::StepAbandoned};
    const qint64 from = before.isEmpty() ? row.firstSeq : before.last()->seq + 1;
    const auto take = [this, self = QPointer<TranscriptModel>(this), row, kind, before, attempt, context,
                       reply](const Result<QList<EventPtr>, Error> &events) {
        if (!self || !context)
            return;
        const QList<EventPtr> all = events ? before + *events : before;
        const bool isBehind = all.isEmpty() || all.last()->seq < row.lastSeq;
        qint64 bytes = 0;
        for (const EventPtr &event : all)
            bytes += event->payload.size();
        if (isBehind && all.size() < MostTextEvents && bytes < MostTextBytes) {
            if (all.size() > before.size()) {
                readMoreText(row, all, 1, context, reply);
            } else if (attempt < MostAttempts) {
                QTimer::singleShot(ReadAgainAfter, this, [this, row, all, attempt, context, reply] {
                    readMoreText(row, all, attempt + 1, context, reply);
                });
            } else {
                reply({});
            }
            return;
        }
        reply([all, row, kind] {
            QString text;
            for (const EventPtr &event : all) {
                if (event->kind != kind || event->seq > row.lastSeq)
                    continue;
                const Json payload = event->json();
                if (payload[u"attempt"] == row.data[u"attempt"] && payload[u"part"] == row.data[u"part"])
                    text += payload[u"text"].toString();
            }
            return text;
        });
    };
    m_history->events(row.conversation, kinds, from, TextEventsPerRead, this, take);
}

void TranscriptModel::publish(const std::map<qint64, TranscriptRow> &changed)
{
    if (changed.empty())
        return;
    const int count = m_pages.count();
    for (auto it = changed.cbegin(); it != changed.cend() && it->first <= count; ++it) {
        m_pages.set(it->second);
        const int place = static_cast<int>(it->first) - 1;
        Q_EMIT dataChanged(index(place), index(place));
    }
    if (const int last = placeCount(changed.crbegin()->first); last > count) {
        beginInsertRows({}, count, last - 1);
        m_pages.resize(last);
        for (auto it = changed.upper_bound(count); it != changed.cend(); ++it)
            m_pages.set(it->second);
        endInsertRows();
        trim();
    }
    Q_EMIT settled();
}

void TranscriptModel::readOutput(const TranscriptRow &call, qint64 most, QObject *context,
                                 std::function<void(const CallBytes &)> reply)
{
    const QString callId = call.data[u"callId"].toString();
    CallBytes wanted;
    wanted.total[0] = std::max<qint64>(0, call.data[u"stdoutBytes"].toInteger(0));
    wanted.total[1] = std::max<qint64>(0, call.data[u"stderrBytes"].toInteger(0));
    for (const int channel : {0, 1})
        wanted.from[channel] = std::max<qint64>(0, wanted.total[channel] - most);
    const auto answer = std::make_shared<CallBytes>(wanted);
    const auto last = wanted.total[1] > 0 ? 1 : 0;
    for (const int channel : {0, 1}) { // Answers come in the order of the questions.
        if (channel != last && wanted.total[channel] == 0)
            continue;
        m_history->output(m_conversation, callId, channel == 0 ? u"stdout"_s : u"stderr"_s,
                          wanted.from[channel], wanted.total[channel] - wanted.from[channel], context,
                          [answer, channel, last, reply](const Result<QByteArray, Error> &bytes) {
                              if (bytes)
                                  answer->bytes[channel] = *bytes;
                              if (channel == last)
                                  reply(*answer);
                          });
        if (channel == last)
            break;
    }
}

void TranscriptModel::need(int first, int last)
{
    if (first != m_needFirst || last != m_needLast)
        m_needAttempts = 0;
    m_needFirst = first;
    m_needLast = last;
    readNeeded();
}

// One read at a time: when it is answered, what is needed then counts.
void TranscriptModel::readNeeded()
{
    if (m_isReadingNeeded || m_needLast < m_needFirst || m_needAgain.isActive())
        return;
    std::optional<RowPages::Range> range = m_pages.absent(m_needFirst, m_needLast);
    if (!range)
        range = m_pages.absent(m_needFirst - RowsAhead, m_needLast + RowsAhead);
    if (!range)
        return;
    m_isReadingNeeded = true;
    const quint64 number = m_reading;
    const auto [first, last] = *range;
    m_history->rowsBefore(m_conversation, last + 2, last - first + 1, this,
                          [this, number, first, last](const Result<RowPage, Error> &page) {
                              if (number != m_reading)
                                  return;
                              m_isReadingNeeded = false;
                              if (page) {
                                  onNeeded(first, last, *page);
                                  return;
                              }
                              if (m_needAttempts == 0)
                                  Q_EMIT problem(page.error());
                              if (++m_needAttempts < MostAttempts)
                                  m_needAgain.start(NeedAgainAfter);
                          });
}

void TranscriptModel::onNeeded(int first, int last, const RowPage &page)
{
    const auto take = [this](int place, const TranscriptRow *row) {
        if (m_pages.isHere(place))
            return; // It came live meanwhile.
        if (!row) {
            m_pages.setMissing(place);
            return;
        }
        m_pages.set(*row);
        if (!row->closed) {
            m_inherited.insert(row->row);
            if (m_projector && !m_projector->row(row->row))
                readRow(row->row, 1); // It is closed by now; the log is behind.
        }
    };
    last = std::min(last, m_pages.count() - 1);
    int end = last; // Of what the answer tells about.
    int begin = last + 1;
    if (!page.rows.isEmpty()) {
        m_lastInLog = std::max(m_lastInLog, page.rows.last().row);
        begin = std::max(first, static_cast<int>(page.rows.first().row) - 1);
    } else if (last < m_lastInLog) {
        begin = first; // The log has rows after these and none of them.
    }
    if (end >= m_lastInLog)
        end = static_cast<int>(m_lastInLog) - 1; // The log is behind what was shown.
    auto row = page.rows.cbegin();
    for (int place = begin; place <= end; ++place) {
        while (row != page.rows.cend() && row->row < place + 1)
            ++row;
        take(place, row != page.rows.cend() && row->row == place + 1 ? &*row : nullptr);
    }
    if (begin > end) {
        if (++m_needAttempts < MostAttempts)
            m_needAgain.start(ReadAgainAfter);
        return;
    }
    m_needAttempts = 0;
    trim();
    Q_EMIT dataChanged(index(begin), index(end));
    Q_EMIT settled();
    readNeeded();
}

void TranscriptModel::trim()
{
    const bool isNeeded = m_needLast >= m_needFirst; // Otherwise what is new is what will be looked at.
    const int first = isNeeded ? m_needFirst : m_pages.count() - 1;
    const QList<RowPages::Range> dropped =
        m_pages.trim(first, isNeeded ? m_needLast : first, [this](const TranscriptRow &row) {
            return !row.closed || m_inherited.contains(row.row);
        });
    for (const RowPages::Range &range : dropped)
        Q_EMIT dataChanged(index(range.first), index(range.second));
}

void TranscriptModel::readRows(qint64 first, qint64 last, QObject *context,
                               std::function<void(const Result<QList<TranscriptRow>, Error> &)> reply)
{
    const auto count = static_cast<int>(std::min<qint64>(RowPages::PageRows, last - first + 1));
    m_history->rowsBefore(m_conversation, last + 1, count, context,
                          [first, reply](const Result<RowPage, Error> &page) {
                              if (!page) {
                                  reply(fail(page.error()));
                                  return;
                              }
                              QList<TranscriptRow> rows = page->rows;
                              while (!rows.isEmpty() && rows.first().row < first)
                                  rows.removeFirst();
                              reply(rows);
                          });
}

int TranscriptModel::placeOf(qint64 row) const
{
    return row >= 1 && row <= m_pages.count() ? static_cast<int>(row - 1) : -1;
}

int TranscriptModel::placeOfCall(const QString &callId) const
{
    return m_pages.findLast([&callId](const TranscriptRow &row) {
        return row.kind == TranscriptRow::Kind::Call && row.data[u"callId"].toString() == callId;
    });
}

TranscriptModel::CallPlace TranscriptModel::placeOfCallToWatch() const
{
    enum Rank { Waiting, Running, Open, None };
    Rank best = None;
    CallPlace found;
    m_pages.forEach([&](int place, const TranscriptRow &row) {
        if (row.kind != TranscriptRow::Kind::Call || row.closed || row.withdrawn)
            return;
        const QString state = row.data[u"state"].toString();
        const Rank rank = state == "waiting"_L1 ? Waiting : state == "running"_L1 ? Running : Open;
        if (rank < best) {
            best = rank;
            found = {place, true};
        }
    });
    if (best == None)
        found.place =
            m_pages.findLast([](const TranscriptRow &row) { return row.kind == TranscriptRow::Kind::Call; });
    return found;
}

std::optional<qint64> TranscriptModel::lastContextTokens() const
{
    const int place = m_pages.findLast([](const TranscriptRow &row) {
        return row.kind == TranscriptRow::Kind::Step && row.data[u"usage"][u"input"].toInteger();
    });
    if (place < 0)
        return {};
    const Json &usage = m_pages.at(place).data[u"usage"];
    return std::max<qint64>(0, usage[u"input"].toInteger(0))
        + std::max<qint64>(0, usage[u"output"].toInteger(0));
}

int TranscriptModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_pages.count();
}

QVariant TranscriptModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TranscriptRow &row = m_pages.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return rowSpoken(row);
    case KindRole:
        return static_cast<int>(row.kind);
    case NumberRole:
        return row.row;
    case ClosedRole:
        return row.closed;
    default:
        return {};
    }
}

} // namespace Pilothouse
