// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/callmodel.h"

#include "engine/historyservice.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int PageEvents = 400; // Looked through at once; most belong to the call and are small.
// Events reach the window up to some hundred milliseconds before the log; these bridge it.
constexpr size_t MostRecent = 4096;
constexpr qint64 MostRecentBytes = 4 * 1024 * 1024;
constexpr qint64 MostLiveBytes = 8 * 1024 * 1024; // Output that came while loading; more is read again.

const QList<EventKind> &relevantKinds()
{
    static const QList<EventKind> kinds = {
        EventKind::ToolCall,     EventKind::ToolApproval, EventKind::ToolStart,
        EventKind::ToolOutput,   EventKind::ToolResult,   EventKind::ToolError,
        EventKind::ModelMessage, EventKind::Note,         EventKind::TurnFinish};
    return kinds;
}

} // namespace

CallModel::CallModel(HistoryService *history, QObject *parent)
    : QObject(parent)
    , m_history(history)
    , m_output(new OutputModel(this))
{
    connect(m_output, &OutputModel::readFailed, this, &CallModel::problem);
}

void CallModel::open(const QString &conversation, const QString &callId, qint64 fromSeq)
{
    if (conversation == m_facts.conversation && callId == m_facts.callId)
        return;
    ++m_generation;
    m_facts = {};
    m_facts.conversation = conversation;
    m_facts.callId = callId;
    m_live.clear();
    m_liveBytes = 0;
    m_nextSeq = std::max(qint64(1), fromSeq);
    m_output->reset([this, conversation, callId](OutputModel::Channel channel, qint64 offset, qint64 length,
                                                 QObject *context, OutputModel::ReadReply reply) {
        const QString name = channel == OutputModel::Channel::Stderr ? u"stderr"_s : u"stdout"_s;
        m_history->output(conversation, callId, name, offset, length, context,
                          [reply = std::move(reply)](const Result<QByteArray, Error> &bytes) {
                              // The file comes with the first byte.
                              if (!bytes && bytes.error().kind == ErrorKind::NotFound)
                                  reply(QByteArray());
                              else
                                  reply(bytes);
                          });
    });
    m_loading = m_facts.isOpen();
    if (m_loading) {
        for (const EventPtr &event : m_recent) {
            if (event->conversation == conversation && event->seq >= m_nextSeq)
                m_live.append({event, {}});
        }
        readPage();
    }
    Q_EMIT opened();
}

void CallModel::close() { open({}, {}, 0); }

void CallModel::reread()
{
    if (!m_facts.isOpen() || m_facts.isEnded() || m_loading)
        return;
    m_loading = true;
    readPage();
}

void CallModel::readPage()
{
    m_history->events(m_facts.conversation, relevantKinds(), m_nextSeq, PageEvents, this,
                      [this, generation = m_generation](const Result<QList<EventPtr>, Error> &events) {
                          if (generation == m_generation)
                              onPage(events);
                      });
}

void CallModel::onPage(const Result<QList<EventPtr>, Error> &events)
{
    if (!events) {
        if (events.error().kind == ErrorKind::Busy) {
            QMetaObject::invokeMethod(this, &CallModel::readPage, Qt::QueuedConnection);
            return;
        }
        endLoading();
        Q_EMIT problem(events.error());
        return;
    }
    bool isChanged = false;
    for (const EventPtr &event : *events) {
        isChanged = apply(*event, {}) || isChanged;
        m_nextSeq = event->seq + 1;
    }
    if (events->isEmpty() || m_facts.isEnded())
        endLoading();
    else
        readPage();
    if (isChanged)
        Q_EMIT changed();
}

void CallModel::endLoading()
{
    m_loading = false;
    m_liveBytes = 0;
    const EventBatch live = std::exchange(m_live, {});
    for (const EventDelivery &delivery : live) {
        if (delivery.event->seq < m_nextSeq)
            continue;
        std::ignore = apply(*delivery.event, delivery.bytes);
        m_nextSeq = delivery.event->seq + 1;
    }
    Q_EMIT changed();
}

void CallModel::takeEvents(const EventBatch &events)
{
    remember(events);
    if (!m_facts.isOpen() || m_facts.isEnded())
        return;
    bool isChanged = false;
    for (const EventDelivery &delivery : events) {
        const Event &event = *delivery.event;
        if (event.conversation != m_facts.conversation || event.seq < m_nextSeq)
            continue;
        if (m_loading) {
            if (!relevantKinds().contains(event.kind))
                continue;
            m_liveBytes += delivery.bytes.size();
            m_live.append({delivery.event, m_liveBytes <= MostLiveBytes ? delivery.bytes : QByteArray()});
            continue;
        }
        isChanged = apply(event, delivery.bytes) || isChanged;
        m_nextSeq = event.seq + 1;
    }
    if (isChanged)
        Q_EMIT changed();
}

void CallModel::remember(const EventBatch &events)
{
    for (const EventDelivery &delivery : events) {
        if (!relevantKinds().contains(delivery.event->kind))
            continue;
        m_recent.push_back(delivery.event);
        m_recentBytes += delivery.event->payload.size();
    }
    while (!m_recent.empty() && (m_recent.size() > MostRecent || m_recentBytes > MostRecentBytes)) {
        m_recentBytes -= m_recent.front()->payload.size();
        m_recent.pop_front();
    }
}

bool CallModel::apply(const Event &event, const QByteArray &bytes)
{
    if (m_facts.isEnded() || !relevantKinds().contains(event.kind))
        return false;
    if (event.kind == EventKind::TurnFinish) {
        if (m_facts.proposedMs == 0)
            return false;
        end(m_facts.startedMs > 0 ? u"unknown"_s : u"not-run"_s, event.atMs);
        return true;
    }
    // Most events of a step are of other calls; finding that out must not cost parsing them.
    const QByteArray callId = m_facts.callId.toUtf8();
    if (!event.payload.contains(callId))
        return false;
    const Json payload = event.json();
    if (event.kind == EventKind::ModelMessage) {
        const Json::Elements &calls = payload[u"calls"].elements();
        const auto own = std::find_if(calls.cbegin(), calls.cend(), [this](const Json &call) {
            return call[u"callId"].toString() == m_facts.callId;
        });
        if (own == calls.cend())
            return false;
        m_facts.number = static_cast<int>(own - calls.cbegin()) + 1;
        m_facts.count = static_cast<int>(calls.size());
        return true;
    }
    return payload[u"callId"].toString() == m_facts.callId && applyOwn(event, payload, bytes);
}

bool CallModel::applyOwn(const Event &event, const Json &payload, const QByteArray &bytes)
{
    if (event.kind == EventKind::ToolOutput) {
        const bool isError = payload[u"channel"].toString() == "stderr"_L1;
        m_output->addPiece(isError ? OutputModel::Channel::Stderr : OutputModel::Channel::Stdout,
                           payload[u"offset"].toInteger(-1), payload[u"length"].toInteger(0), bytes);
        return false;
    }
    if (event.kind == EventKind::ToolCall) {
        m_facts.toolName = payload[u"toolName"].toString();
        m_facts.state = u"proposed"_s;
        m_facts.proposed = payload[u"args"];
        m_facts.args = m_facts.proposed;
        m_facts.rawArguments = payload[u"raw"].toString();
        m_facts.turn = static_cast<int>(payload[u"turn"].toInteger(0));
        m_facts.step = static_cast<int>(payload[u"step"].toInteger(0));
        m_facts.proposedMs = event.atMs;
    } else if (event.kind == EventKind::ToolApproval) {
        applyApproval(payload, event.atMs);
    } else if (event.kind == EventKind::ToolStart) {
        m_facts.state = u"running"_s;
        m_facts.startedMs = event.atMs;
        if (payload[u"args"].isObject())
            m_facts.args = payload[u"args"];
    } else if (event.kind == EventKind::ToolResult) {
        applyResult(payload, event.atMs);
    } else if (event.kind == EventKind::ToolError) {
        const QString reason = payload[u"reason"].toString();
        m_facts.error = payload[u"error"].toString();
        const bool isWord = reason == "denied"_L1 || reason == "not-run"_L1 || reason == "stopped"_L1;
        end(isWord ? reason : u"failed"_s, event.atMs);
    } else if (event.kind == EventKind::Note) {
        m_facts.receipt = payload[u"text"].toString();
    }
    return true;
}

void CallModel::applyApproval(const Json &payload, qint64 atMs)
{
    m_facts.approvalState = payload[u"state"].toString();
    m_facts.approvalBy = payload[u"by"].toString();
    m_facts.rule = payload[u"rule"].toString();
    m_facts.reason = payload[u"reason"].toString();
    if (m_facts.approvalState == "asked"_L1) {
        m_facts.askedMs = atMs;
        m_facts.state = u"waiting"_s;
    } else if (m_facts.approvalState == "denied"_L1) {
        m_facts.state = u"denied"_s;
    } else {
        m_facts.state = u"approved"_s;
    }
    if (payload[u"args"].isObject())
        m_facts.args = payload[u"args"];
}

void CallModel::applyResult(const Json &payload, qint64 atMs)
{
    const auto exitCode = payload[u"exitCode"].toInteger();
    if (exitCode)
        m_facts.exitCode = static_cast<int>(*exitCode);
    m_facts.durationMs = payload[u"durationMs"].toInteger();
    m_facts.result = payload[u"result"];
    m_facts.timedOut = payload[u"timedOut"].toBool();
    m_facts.truncated = payload[u"truncated"].toBool();
    m_facts.leftOutBytes = payload[u"leftOutBytes"].toInteger();
    QString state = u"done"_s;
    if (payload[u"outcome"].toString() == "unknown"_L1)
        state = u"unknown"_s;
    else if (payload[u"stopped"].toBool())
        state = u"stopped"_s;
    else if (!exitCode && (payload[u"isError"].toBool() || payload[u"result"][u"error"].toBool()))
        state = u"failed"_s;
    end(state, atMs);
}

void CallModel::end(const QString &state, qint64 atMs)
{
    m_facts.state = state;
    m_facts.endedMs = std::max(qint64(1), atMs);
    m_output->finish();
}

} // namespace Pilothouse
