// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptmodel.h"

#include "transcript/rowtext.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int RowsPerRead = 200; // Several screens; takes some milliseconds to read.
constexpr qsizetype MostBuffered =
    20'000; // Events that wait for a read; beyond that the log is read instead.
constexpr qint64 MostBufferedBytes = 16 * 1024 * 1024;
// The store may be this much behind what was shown; a read that is too early is repeated.
constexpr auto ReadAgainAfter = 100ms;
constexpr int MostAttempts = 30;
constexpr qint64 MostTextEvents = 50'000; // Of one answer: half an hour of it.

} // namespace

TranscriptModel::TranscriptModel(HistoryService *history, QObject *parent)
    : QAbstractListModel(parent)
    , m_history(history)
{
    m_again.setSingleShot(true);
    m_again.setInterval(ReadAgainAfter);
    connect(&m_again, &QTimer::timeout, this, &TranscriptModel::read);
}

TranscriptModel::~TranscriptModel() = default;

void TranscriptModel::open(const QString &conversation)
{
    beginResetModel();
    m_conversation = conversation;
    m_rows.clear();
    m_projector.reset();
    m_buffered.clear();
    m_bufferedBytes = 0;
    m_floor = 0;
    m_attempts = 0;
    m_loadingEarlier = false;
    m_inherited.clear();
    m_again.stop();
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
    m_attempts = 0;
    read();
}

void TranscriptModel::read()
{
    const quint64 number = ++m_reading;
    m_loadingEarlier = false;
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
    m_rows = page.rows;
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
    std::map<qint64, TranscriptRow> changed;
    bool turnEnded = false;
    for (qsizetype i = 0; i < events.size(); ++i) {
        const Event &event = *events[i].event;
        if (event.seq <= m_floor)
            continue;
        if (event.seq != m_floor + 1) {
            publish(changed);
            m_projector.reset();
            m_buffered = events.mid(i);
            readAgainSoon();
            return;
        }
        m_floor = event.seq;
        turnEnded = turnEnded || event.kind == EventKind::TurnFinish;
        const QList<qint64> numbers = m_projector->apply(event, events[i].bytes);
        for (const qint64 number : numbers) {
            if (const TranscriptRow *row = m_projector->row(number))
                changed[number] = *row;
        }
    }
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
                                  m_rows[place] = page->rows.first();
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

void TranscriptModel::readWholeText(const TranscriptRow &row, QObject *context,
                                    std::function<void(std::function<QString()>)> reply)
{
    const qint64 count = std::min(row.lastSeq - row.firstSeq + 1, MostTextEvents);
    m_history->events(m_conversation, {EventKind::TextDelta}, row.firstSeq, static_cast<int>(count), context,
                      [reply, last = row.lastSeq, attempt = row.data[u"attempt"].toInteger(0),
                       part = row.data[u"part"].toInteger(0)](const Result<QList<EventPtr>, Error> &events) {
                          if (!events)
                              return;
                          reply([events = *events, last, attempt, part] {
                              QString text;
                              for (const EventPtr &event : events) {
                                  if (event->seq > last)
                                      break;
                                  const Json payload = event->json();
                                  if (payload[u"attempt"].toInteger(0) == attempt
                                      && payload[u"part"].toInteger(0) == part)
                                      text += payload[u"text"].toString();
                              }
                              return text;
                          });
                      });
}

void TranscriptModel::publish(const std::map<qint64, TranscriptRow> &changed)
{
    QList<TranscriptRow> added;
    for (const auto &[number, row] : changed) {
        const int place = placeOf(number);
        if (place >= 0) {
            m_rows[place] = row;
            Q_EMIT dataChanged(index(place), index(place));
        } else if (m_rows.isEmpty() || number > m_rows.last().row) {
            added.append(row);
        }
    }
    if (added.isEmpty()) {
        if (!changed.empty())
            Q_EMIT settled();
        return;
    }
    const int count = static_cast<int>(m_rows.size());
    beginInsertRows({}, count, count + static_cast<int>(added.size()) - 1);
    m_rows += added;
    endInsertRows();
    Q_EMIT settled();
}

void TranscriptModel::readOutput(const TranscriptRow &call, qint64 most, QObject *context,
                                 std::function<void(const QByteArray &, qint64)> reply)
{
    const QString callId = call.data[u"callId"].toString();
    const qint64 out = call.data[u"stdoutBytes"].toInteger(0);
    const qint64 err = call.data[u"stderrBytes"].toInteger(0);
    const auto from = [most](qint64 total) { return std::max<qint64>(0, total - most); };
    m_history->output(
        m_conversation, callId, u"stdout"_s, from(out), std::min(out, most), context,
        [this, callId, err, out, from, most, context, reply](const Result<QByteArray, Error> &first) {
            const QByteArray bytes = first ? *first : QByteArray();
            if (err == 0) {
                reply(bytes, out);
                return;
            }
            m_history->output(m_conversation, callId, u"stderr"_s, from(err), std::min(err, most), context,
                              [bytes, out, err, reply](const Result<QByteArray, Error> &second) {
                                  reply(bytes + (second ? *second : QByteArray()), out + err);
                              });
        });
}

bool TranscriptModel::hasEarlier() const { return !m_rows.isEmpty() && m_rows.first().row > 1; }

void TranscriptModel::loadEarlier()
{
    if (!hasEarlier() || m_loadingEarlier)
        return;
    m_loadingEarlier = true;
    const quint64 number = m_reading;
    m_history->rowsBefore(m_conversation, m_rows.first().row, RowsPerRead, this,
                          [this, number](const Result<RowPage, Error> &page) {
                              if (number != m_reading)
                                  return;
                              m_loadingEarlier = false;
                              if (!page) {
                                  Q_EMIT problem(page.error());
                                  return;
                              }
                              if (page->rows.isEmpty() || m_rows.isEmpty()
                                  || page->rows.last().row >= m_rows.first().row)
                                  return;
                              for (const TranscriptRow &row : page->rows) {
                                  if (!row.closed)
                                      m_inherited.insert(row.row);
                              }
                              beginInsertRows({}, 0, static_cast<int>(page->rows.size()) - 1);
                              m_rows = page->rows + m_rows;
                              endInsertRows();
                              Q_EMIT settled();
                          });
}

int TranscriptModel::placeOf(qint64 row) const
{
    const auto at = std::lower_bound(m_rows.cbegin(), m_rows.cend(), row,
                                     [](const TranscriptRow &a, qint64 number) { return a.row < number; });
    return at != m_rows.cend() && at->row == row ? static_cast<int>(at - m_rows.cbegin()) : -1;
}

int TranscriptModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant TranscriptModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TranscriptRow &row = m_rows[index.row()];
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
