// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "approval/pendingcalls.h"
#include "engine/engine.h"
#include "engine/historyservice.h"

#include <QObject>
#include <QSet>

#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

class ConversationListModel;
class TranscriptModel;

/// What the window stands on, without widgets: the engine (once it is open), the log, the models, and which
/// conversation is shown. Everything a person does goes through here. Without an engine (another program owns
/// the data folder, or the log cannot be written) it reads only.
class Workspace : public QObject {
    Q_OBJECT
public:
    explicit Workspace(const QString &dataDir, QObject *parent = nullptr);
    ~Workspace() override;

    void setEngine(std::unique_ptr<Engine> engine);
    /// The engine could not be opened; what is there is shown for reading.
    void setUnavailable(const Error &error);
    [[nodiscard]] bool canWork() const { return m_engine != nullptr; }

    [[nodiscard]] ConversationListModel *conversations() const { return m_conversations; }
    [[nodiscard]] TranscriptModel *transcript() const { return m_transcript; }
    [[nodiscard]] const PendingCalls *pendingCalls() const { return m_pending; }
    [[nodiscard]] const ConversationSettings &defaults() const { return m_defaults; }
    /// What the conversation to be made gets: the defaults and what was chosen since.
    [[nodiscard]] const ConversationSettings &draft() const { return m_draft; }
    void setDraftBackend(const QString &backend);
    /// The model of the next message cannot use tools, as its service says; it would be of no use.
    [[nodiscard]] bool lacksTools(const QString &provider, const QString &model) const;
    /// Sandboxes and model providers that can be used; empty until the engine has told.
    [[nodiscard]] const QList<ServiceInfo> &services() const { return m_services; }
    [[nodiscard]] bool canKeepKeys() const; ///< There is a keychain.
    [[nodiscard]] HistoryService *history() const { return m_history; }
    [[nodiscard]] Engine *engine() const { return m_engine.get(); } ///< Null while reading only.
    [[nodiscard]] const QString &dataDir() const { return m_dataDir; }
    /// Nano-dollars spent today by this data folder, as far as prices are known.
    [[nodiscard]] std::optional<qint64> costToday() const { return m_costToday; }

    [[nodiscard]] const QString &current() const { return m_current; }
    void setCurrent(const QString &conversation);
    [[nodiscard]] bool isReadingOnly() const { return m_isReadingOnly; } ///< There will be no engine for now.
    [[nodiscard]] QStringList runningTitles()
        const; ///< Of conversations whose turn is open. ///< Empty: the one to be made by the next message.
    [[nodiscard]] bool isRunning(const QString &conversation) const
    {
        return m_running.contains(conversation);
    }
    [[nodiscard]] bool isStopping(const QString &conversation) const
    {
        return m_stopping.contains(conversation);
    }
    [[nodiscard]] qsizetype runningCount() const { return m_running.size(); }

    /// To the current conversation, which is made if need be: a new turn, or steering the one that runs.
    void send(const QString &text);
    void startTour();
    void stop();
    void answer(const QString &conversation, const QString &callId, const Answer &answer);
    /// Stops every turn by the ladder; `done` when all have ended.
    void stopAll(std::function<void()> done);
    void setModel(const QString &provider, const QString &model); ///< Of the current one, for its next turn.
    void rename(const QString &conversation, const QString &title);
    void archive(const QString &conversation, bool archived);
    void duplicate(const QString &conversation, const QString &title); ///< The new one becomes the current.
    void remove(const QString &conversation, bool withMachine);
    void exportTo(const QString &conversation, HistoryService::ExportFormat format, const QString &file);
    void changeMachine(const QString &conversation, MachineChange change);
    void releaseMachine(const QString &conversation); ///< The next turn makes a new one.
    void stopCall(const QString &conversation, const QString &callId);
    void readServices(); ///< After keys were changed.
    void readDefaults(); ///< After settings were changed.
    void reload(); ///< Reads the log anew, for data that another program writes.

Q_SIGNALS:
    /// Of all conversations, as they happen; the models of the window have taken them by then.
    void eventsTaken(const Pilothouse::EventBatch &events);
    void eventsMissed(); ///< Some were dropped: read anew from the log.
    void availabilityChanged();
    void defaultsChanged();
    void currentChanged(const QString &conversation);
    void currentPutAway(); ///< The one that was shown is archived or deleted; none is shown now.
    /// The conversation to be made by the next message now has this id, and is the current one.
    void conversationMade(const QString &conversation);
    void runningChanged(const QString &conversation);
    void pendingChanged(const QString &conversation);
    void sendFailed(const QString &conversation, const QString &text);
    /// It was to steer a turn that ended without it.
    void messageReturned(const QString &conversation, const QString &text);
    void answerFailed(const QString &callId);
    void problem(const Pilothouse::Error &error);
    /// See Engine::proxyLoginWanted().
    void proxyLoginWanted(const QString &origin, bool wasRefused);
    void notice(const QString &text); ///< Something that was asked for is done.
    void servicesChanged();
    void costChanged();
    void machineChanging(const QString &conversation, bool changing);

private:
    void takeEvents(const EventBatch &events);
    void followTurns(const EventBatch &events);
    void followSteering(const Event &event);
    void catchUp();
    void submit(const QString &conversation, const QString &text, MessageDelivery delivery);
    void setRunning(const QString &conversation, bool running);

    void readCost();
    void addCost(const EventBatch &events);
    [[nodiscard]] Engine::Reply<Done> reporting();

    QString m_dataDir;
    HistoryService *m_history;
    ConversationListModel *m_conversations;
    TranscriptModel *m_transcript;
    PendingCalls *m_pending;
    std::unique_ptr<Engine> m_engine;
    ConversationSettings m_defaults;
    ConversationSettings m_draft;
    QList<ServiceInfo> m_services;
    std::optional<qint64> m_costToday;
    qint64 m_costDay = 0; ///< Julian day it was read for; 0: not yet.
    bool m_isReadingOnly = false;
    QString m_current;
    QSet<QString> m_running; ///< Turns that run in this process.
    QSet<QString> m_stopping; ///< Those of them that were told to stop.
    QHash<QString, QString> m_steering; ///< By message: texts that a running turn is still to get.
};

} // namespace Pilothouse
