// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engine.h"
#include "engine/historyservice.h"
#include "approval/pendingcalls.h"

#include <QObject>
#include <QSet>

#include <functional>
#include <memory>

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

    [[nodiscard]] const QString &current() const { return m_current; }
    void setCurrent(const QString &conversation); ///< Empty: the one to be made by the next message.
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
    void reload(); ///< Reads the log anew, for data that another program writes.

Q_SIGNALS:
    void availabilityChanged();
    void defaultsChanged();
    void currentChanged(const QString &conversation);
    /// The conversation to be made by the next message now has this id, and is the current one.
    void conversationMade(const QString &conversation);
    void runningChanged(const QString &conversation);
    void pendingChanged(const QString &conversation);
    void sendFailed(const QString &conversation, const QString &text);
    void answerFailed(const QString &callId);
    void problem(const Pilothouse::Error &error);

private:
    void takeEvents(const EventBatch &events);
    void followTurns(const EventBatch &events);
    void catchUp();
    void submit(const QString &conversation, const QString &text, MessageDelivery delivery);
    void setRunning(const QString &conversation, bool running);

    HistoryService *m_history;
    ConversationListModel *m_conversations;
    TranscriptModel *m_transcript;
    PendingCalls *m_pending;
    std::unique_ptr<Engine> m_engine;
    ConversationSettings m_defaults;
    QString m_current;
    QSet<QString> m_running; ///< Turns that run in this process.
    QSet<QString> m_stopping; ///< Those of them that were told to stop.
};

} // namespace Pilothouse
