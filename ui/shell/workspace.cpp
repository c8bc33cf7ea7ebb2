// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/workspace.h"

#include "sidebar/conversationlistmodel.h"
#include "sidebar/statewords.h"
#include "transcript/transcriptmodel.h"

#include <QDateTime>

#include <algorithm>
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
    , m_dataDir(dataDir)
    , m_history(new HistoryService(dataDir, this))
    , m_conversations(new ConversationListModel(m_history, this))
    , m_transcript(new TranscriptModel(m_history, this))
    , m_pending(new PendingCalls(this))
{
    connect(m_conversations, &ConversationListModel::problem, this, &Workspace::problem);
    connect(m_transcript, &TranscriptModel::problem, this, &Workspace::problem);
    connect(m_pending, &PendingCalls::changed, this, [this](const QString &conversation) {
        const QList<PendingCall> waiting = m_pending->of(conversation); // Oldest first.
        m_conversations->setWaitingSince(conversation, waiting.isEmpty() ? 0 : waiting.first().askedMs);
        Q_EMIT pendingChanged(conversation);
    });
}

Workspace::~Workspace()
{
    if (m_engine)
        m_engine->disconnect(this);
}

void Workspace::setEngine(std::unique_ptr<Engine> engine)
{
    m_engine = std::move(engine);
    m_isReadingOnly = false;
    connect(m_engine.get(), &Engine::eventsReady, this, &Workspace::takeEvents);
    connect(m_engine.get(), &Engine::lagged, this, &Workspace::catchUp);
    connect(m_engine.get(), &Engine::storageProblem, this, &Workspace::problem);
    connect(m_engine.get(), &Engine::proxyLoginWanted, this, &Workspace::proxyLoginWanted);
    connect(m_engine.get(), &Engine::proxyLoginNotKept, this, &Workspace::problem);
    connect(m_engine.get(), &Engine::reconnecting, this, [this](bool isReconnecting) {
        Q_EMIT notice(isReconnecting ? tr("Reconnecting: this computer slept or changed its network")
                                     : tr("Connected again"));
    });
    connect(m_engine.get(), &Engine::keysChanged, this, [this] {
        readDefaults();
        readServices();
    });
    readDefaults();
    readServices();
    readCost();
    m_conversations->reload();
    m_transcript->reread();
    Q_EMIT availabilityChanged();
}

void Workspace::setUnavailable(const Error &error)
{
    m_isReadingOnly = true;
    m_conversations->reload();
    readCost();
    Q_EMIT availabilityChanged();
    Error told = error;
    if (told.kind == ErrorKind::NotOwner)
        told.kept =
            tr("Nothing was changed. All of it can be read here, as it was when this window was opened.");
    Q_EMIT problem(told);
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
    const QString id = conversation; // The caller's own may change while it is told.
    m_current = id;
    m_transcript->open(id);
    Q_EMIT currentChanged(id);
}

QStringList Workspace::runningTitles() const
{
    QStringList titles;
    for (const QString &id : m_running) {
        const ConversationSummary *summary = m_conversations->summary(id);
        titles.append(summary ? quotedTitle(*summary) : tr("New conversation"));
    }
    titles.sort();
    return titles;
}

void Workspace::takeEvents(const EventBatch &events)
{
    m_transcript->takeEvents(events);
    m_conversations->takeEvents(events);
    followTurns(events);
    addCost(events);
    Q_EMIT eventsTaken(events);
}

void Workspace::followTurns(const EventBatch &events)
{
    m_pending->takeEvents(events);
    for (const EventDelivery &delivery : events) {
        if (delivery.event->kind == EventKind::TurnStart) {
            setRunning(delivery.event->conversation, true);
            const Json payload = delivery.event->json();
            for (const Json &id : payload[u"messageIds"].elements())
                m_steering.remove(id.toString()); // It got a turn of its own.
        } else if (delivery.event->kind == EventKind::TurnFinish)
            setRunning(delivery.event->conversation, false);
        else if (delivery.event->kind == EventKind::UserMessage
                 || delivery.event->kind == EventKind::QueueChanged)
            followSteering(*delivery.event);
    }
}

// What did not steer its turn, as that ended first, is given back to be sent or dropped by the person.
void Workspace::followSteering(const Event &event)
{
    const Json payload = event.json();
    const QString messageId = payload[u"messageId"].toString();
    if (event.kind == EventKind::UserMessage) {
        if (payload[u"delivery"].toString() == "after-step"_L1)
            m_steering.insert(messageId, payload[u"text"].toString());
        return;
    }
    const QString text = m_steering.take(messageId);
    if (!text.isEmpty() && payload[u"state"].toString() == "returned"_L1)
        Q_EMIT messageReturned(event.conversation, text);
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
    Q_EMIT eventsMissed();
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
        if (const std::optional<Error> refused = m_engine->firstMessageProblem(m_draft, text)) {
            Q_EMIT sendFailed({}, text); // No conversation that has nothing in it.
            Q_EMIT problem(*refused);
            return;
        }
        const QString id = m_engine->createConversation(m_draft);
        m_draft = m_defaults;
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
    m_draft.provider = u"demo"_s;
    m_draft.model = u"tour"_s;
    setDraftBackend(u"local"_s);
    m_draft.approval = u"allow"_s; // Of a local sandbox; the scenario asks for what it wants to show.
    if (m_defaults.provider == "demo"_L1) // A demo of one's own, given on the command line.
        m_draft.model = m_defaults.model;
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

void Workspace::stopCall(const QString &conversation, const QString &callId)
{
    if (m_engine)
        m_engine->stopCall(conversation, callId);
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

// A call whose success shows itself in what follows.
Engine::Reply<Done> Workspace::reporting()
{
    return [this](const Result<Done, Error> &done) {
        if (!done)
            Q_EMIT problem(done.error());
    };
}

void Workspace::readDefaults()
{
    if (!m_engine)
        return;
    m_engine->defaults(this, [this](const ConversationSettings &settings) {
        m_defaults = settings;
        m_draft = settings;
        Q_EMIT defaultsChanged();
    });
}

void Workspace::readServices()
{
    if (!m_engine)
        return;
    m_engine->services(this, [this](const QList<ServiceInfo> &services) {
        m_services = services;
        Q_EMIT servicesChanged();
    });
}

void Workspace::setDraftBackend(const QString &backend)
{
    if (m_draft.backend == backend)
        return;
    m_draft.backend = backend;
    m_draft.approval =
        m_defaults.backend == backend ? m_defaults.approval : QString(); // By the kind of sandbox.
    const ConversationSettings machine = m_defaults.backend == backend ? m_defaults : ConversationSettings();
    m_draft.sandboxTemplate = machine.sandboxTemplate;
    m_draft.sandboxTimeoutSeconds = machine.sandboxTimeoutSeconds;
    m_draft.sandboxAutoDeleteSeconds = machine.sandboxAutoDeleteSeconds;
    m_draft.network = machine.network;
    Q_EMIT defaultsChanged();
}

bool Workspace::canKeepKeys() const
{
    return std::any_of(m_services.cbegin(), m_services.cend(),
                       [](const ServiceInfo &service) { return service.canKeep; });
}

bool Workspace::lacksTools(const QString &provider, const QString &model) const
{
    return std::any_of(m_services.cbegin(), m_services.cend(), [&](const ServiceInfo &service) {
        return service.id == provider && service.withoutTools.contains(model);
    });
}

void Workspace::setModel(const QString &provider, const QString &model)
{
    if (!m_engine)
        return;
    // What its service would say to the first message is said now.
    m_engine->checkModel(provider + u'/' + model, this, reporting());
    if (m_current.isEmpty()) {
        m_draft.provider = provider;
        m_draft.model = model;
        Q_EMIT defaultsChanged();
        return;
    }
    const QByteArray members = JsonBuilder().add("provider"_L1, provider).add("model"_L1, model).take();
    m_engine->changeSettings(m_current, members, this, reporting());
}

void Workspace::rename(const QString &conversation, const QString &title)
{
    if (m_engine)
        m_engine->rename(conversation, title, this, reporting());
}

void Workspace::archive(const QString &conversation, bool archived)
{
    if (!m_engine)
        return;
    m_engine->archive(conversation, archived, this, reporting());
    if (archived && conversation == m_current) {
        setCurrent({});
        Q_EMIT currentPutAway();
    }
}

void Workspace::duplicate(const QString &conversation, const QString &title)
{
    if (!m_engine)
        return;
    m_engine->duplicate(conversation, title, this, [this](const Result<QString, Error> &id) {
        if (id)
            setCurrent(*id);
        else
            Q_EMIT problem(id.error());
    });
}

void Workspace::remove(const QString &conversation, bool withMachine)
{
    if (!m_engine)
        return;
    m_engine->remove(conversation, withMachine, this, [this, conversation](const Result<Done, Error> &done) {
        if (!done) {
            Q_EMIT problem(done.error());
            return;
        }
        if (conversation == m_current) {
            setCurrent({});
            Q_EMIT currentPutAway();
        }
    });
}

void Workspace::exportTo(const QString &conversation, HistoryService::ExportFormat format,
                         const QString &file)
{
    m_history->exportConversation(conversation, format, file, this,
                                  [this, file](const Result<Done, Error> &done) {
                                      if (done)
                                          Q_EMIT notice(tr("Exported to %1").arg(file));
                                      else
                                          Q_EMIT problem(done.error());
                                  });
}

void Workspace::changeMachine(const QString &conversation, MachineChange change)
{
    if (!m_engine)
        return;
    Q_EMIT machineChanging(conversation, true);
    m_engine->changeMachine(conversation, change, this,
                            [this, conversation](const Result<Done, Error> &done) {
                                Q_EMIT machineChanging(conversation, false);
                                if (!done)
                                    Q_EMIT problem(done.error());
                            });
}

void Workspace::releaseMachine(const QString &conversation)
{
    if (m_engine)
        m_engine->releaseMachine(conversation, this, reporting());
}

void Workspace::readCost()
{
    const QDate today = QDate::currentDate();
    m_costDay = today.toJulianDay();
    m_history->costSince(today.startOfDay().toMSecsSinceEpoch(), this,
                         [this](const Result<std::optional<qint64>, Error> &cost) {
                             m_costToday = cost.value_or(std::nullopt);
                             Q_EMIT costChanged();
                         });
}

void Workspace::addCost(const EventBatch &events)
{
    bool changed = false;
    for (const EventDelivery &delivery : events) {
        if (delivery.event->kind != EventKind::StepFinish)
            continue;
        if (QDate::currentDate().toJulianDay() != m_costDay) {
            readCost(); // A new day; what the log has is all there is.
            return;
        }
        if (const auto cost = delivery.event->json()[u"costNanos"].toInteger(); cost && *cost >= 0) {
            m_costToday = m_costToday.value_or(0) + *cost;
            changed = true;
        }
    }
    if (changed)
        Q_EMIT costChanged();
}

} // namespace Pilothouse
