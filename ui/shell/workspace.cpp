// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/workspace.h"

#include "sidebar/conversationlistmodel.h"
#include "transcript/transcriptmodel.h"

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto TourPrompt =
    u"Write a small shell program that turns numbers into Roman numerals, with a test. Run the test and fix "
    "what fails."_s;
constexpr int MostMissedEvents = 10'000; // Of the kinds that matter, in one turn.

} // namespace

Workspace::Workspace(const QString &dataDir, QObject *parent)
    : QObject(parent)
    , m_history(new HistoryService(dataDir, this))
    , m_conversations(new ConversationListModel(m_history, this))
    , m_transcript(new TranscriptModel(m_history, this))
    , m_pending(new PendingCalls(this))
{
    connect(m_conversations, &ConversationListModel::problem, this, &Workspace::problem);
    connect(m_transcript, &TranscriptModel::problem, this, &Workspace::problem);
    connect(m_pending, &PendingCalls::changed, this, &Workspace::pendingChanged);
}

Workspace::~Workspace()
{
    if (m_engine)
        m_engine->disconnect(this);
}

void Workspace::setEngine(std::unique_ptr<Engine> engine)
{
    m_engine = std::move(engine);
    connect(m_engine.get(), &Engine::eventsReady, this, &Workspace::takeEvents);
    connect(m_engine.get(), &Engine::lagged, this, &Workspace::catchUp);
    connect(m_engine.get(), &Engine::storageProblem, this, &Workspace::problem);
    m_engine->defaults(this, [this](const ConversationSettings &settings) {
        m_defaults = settings;
        Q_EMIT defaultsChanged();
    });
    m_conversations->reload();
    m_transcript->reread();
    Q_EMIT availabilityChanged();
}

void Workspace::setUnavailable(const Error &error)
{
    m_conversations->reload();
    Q_EMIT availabilityChanged();
    Q_EMIT problem(error);
}

void Workspace::reload()
{
    m_conversations->reload();
    if (!m_engine)
        m_transcript->reread();
}

void Workspace::setCurrent(const QString &conversation)
{
    if (conversation == m_current)
        return;
    m_current = conversation;
    m_transcript->open(conversation);
    Q_EMIT currentChanged(conversation);
}

void Workspace::takeEvents(const EventBatch &events)
{
    m_transcript->takeEvents(events);
    m_conversations->takeEvents(events);
    followTurns(events);
}

void Workspace::followTurns(const EventBatch &events)
{
    m_pending->takeEvents(events);
    for (const EventDelivery &delivery : events) {
        if (delivery.event->kind == EventKind::TurnStart)
            setRunning(delivery.event->conversation, true);
        else if (delivery.event->kind == EventKind::TurnFinish)
            setRunning(delivery.event->conversation, false);
    }
}

void Workspace::setRunning(const QString &conversation, bool running)
{
    const bool was = m_running.contains(conversation);
    const bool wasStopping = m_stopping.remove(conversation);
    if (running)
        m_running.insert(conversation);
    else
        m_running.remove(conversation);
    if (was != running || wasStopping)
        Q_EMIT runningChanged(conversation);
}

// Events were dropped because this thread was too slow: the log has them.
void Workspace::catchUp()
{
    m_transcript->reread();
    m_conversations->reload();
    for (const QString &conversation : std::as_const(m_running)) {
        m_history->conversation(conversation, this,
                                [this, conversation](const Result<ConversationSummary, Error> &summary) {
                                    if (!summary)
                                        return;
                                    if (summary->openTurnSeq == 0) {
                                        setRunning(conversation, false);
                                        return;
                                    }
                                    m_history->events(conversation, PendingCalls::relevantKinds(),
                                                      summary->openTurnSeq, MostMissedEvents, this,
                                                      [this](const Result<QList<EventPtr>, Error> &events) {
                                                          if (!events)
                                                              return;
                                                          EventBatch batch;
                                                          for (const EventPtr &event : *events)
                                                              batch.append({event, {}});
                                                          followTurns(batch);
                                                      });
                                });
    }
}

void Workspace::send(const QString &text)
{
    if (!m_engine)
        return;
    if (m_current.isEmpty()) {
        const QString id = m_engine->createConversation({});
        m_current = id;
        m_transcript->open(id);
        Q_EMIT conversationMade(id);
        Q_EMIT currentChanged(id);
    }
    submit(m_current, text, isRunning(m_current) ? MessageDelivery::AfterStep : MessageDelivery::Now);
}

void Workspace::submit(const QString &conversation, const QString &text, MessageDelivery delivery)
{
    m_engine->submit(conversation, text, delivery, this,
                     [this, conversation, text, delivery](const Result<Done, Error> &taken) {
                         if (taken) {
                             setRunning(conversation, true);
                             return;
                         }
                         if (taken.error().kind == ErrorKind::Busy && delivery == MessageDelivery::Now) {
                             submit(conversation, text,
                                    MessageDelivery::AfterStep); // A turn began in between.
                             return;
                         }
                         Q_EMIT sendFailed(conversation, text);
                         Q_EMIT problem(taken.error());
                     });
}

void Workspace::startTour()
{
    if (!m_engine)
        return;
    setCurrent({});
    send(TourPrompt);
}

void Workspace::stop()
{
    if (!m_engine || !isRunning(m_current))
        return;
    m_stopping.insert(m_current);
    m_engine->stop(m_current);
    Q_EMIT runningChanged(m_current);
}

void Workspace::answer(const QString &conversation, const QString &callId, const Answer &answer)
{
    if (!m_engine)
        return;
    m_engine->answer(conversation, callId, answer, this, [this, callId](const Result<Done, Error> &taken) {
        if (taken)
            return; // The event that follows takes the card away.
        Q_EMIT answerFailed(callId);
        Q_EMIT problem(taken.error());
    });
}

void Workspace::stopAll(std::function<void()> done)
{
    if (!m_engine) {
        QMetaObject::invokeMethod(this, std::move(done), Qt::QueuedConnection);
        return;
    }
    m_stopping = m_running;
    for (const QString &conversation : std::as_const(m_running))
        Q_EMIT runningChanged(conversation);
    m_engine->stopAll(this, std::move(done));
}

} // namespace Pilothouse
