// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "inspector/outputmodel.h"
#include "util/event.h"
#include "util/json.h"

#include <QObject>

#include <deque>
#include <optional>

namespace Pilothouse {

class HistoryService;

/// What is known of one call, from its events.
struct CallFacts {
    QString conversation;
    QString callId;
    QString toolName;
    QString state; ///< As in transcript rows; stopped also for a call that was stopped while it ran.
    Json proposed; ///< Arguments as the model sent them; null if they do not parse.
    QString rawArguments; ///< What the model sent, if it does not parse.
    Json args; ///< As they run: as proposed, or as a person edited them.
    int turn = 0;
    int step = 0;
    int number = 0; ///< Of the step's calls, from 1; 0: not known yet.
    int count = 0;
    qint64 proposedMs = 0; ///< UTC; 0: has not happened.
    qint64 askedMs = 0;
    qint64 startedMs = 0;
    qint64 endedMs = 0;
    QString approvalState; ///< asked, approved, edited, denied; empty: no approval event.
    QString approvalBy; ///< policy, user, cli
    QString rule;
    QString reason; ///< Of the approval.
    std::optional<int> exitCode;
    std::optional<qint64> durationMs;
    std::optional<Json> result; ///< What the model received of a call that ran.
    QString error; ///< What the model received of a call that did not run.
    QString receipt; ///< What stopping did last.
    bool truncated = false;
    bool timedOut = false; ///< The time limit of a call ended it; the exit code is not its own.
    std::optional<qint64> leftOutBytes;

    [[nodiscard]] bool isOpen() const { return !callId.isEmpty(); }
    [[nodiscard]] bool isEnded() const { return endedMs > 0; }
    [[nodiscard]] bool isRunning() const { return startedMs > 0 && endedMs == 0; }
};

/// One call for the Call pane: its facts and its output, the same whether it runs now or ended last month.
/// Reads the log through HistoryService and goes on with the events of the engine. GUI thread.
class CallModel : public QObject {
    Q_OBJECT
public:
    /// `history` outlives the model.
    explicit CallModel(HistoryService *history, QObject *parent = nullptr);

    /// Shows this call. `fromSeq` is a seq at or before its tool-call event (TranscriptRow::firstSeq).
    void open(const QString &conversation, const QString &callId, qint64 fromSeq);
    void close();
    /// Every batch of the engine, also while no call is open: events are here before the log has them.
    void takeEvents(const EventBatch &events);
    void reread(); ///< Events were dropped: reads what was missed.

    [[nodiscard]] const CallFacts &facts() const { return m_facts; }
    [[nodiscard]] OutputModel *output() const { return m_output; }
    [[nodiscard]] bool isLoading() const { return m_loading; }

Q_SIGNALS:
    void opened(); ///< Another call, or none.
    void changed(); ///< The facts, not the output.
    void problem(const Pilothouse::Error &error);

private:
    void readPage();
    void onPage(const Result<QList<EventPtr>, Error> &events);
    void endLoading();
    void remember(const EventBatch &events);
    [[nodiscard]] bool apply(const Event &event, const QByteArray &bytes); ///< True if facts changed.
    [[nodiscard]] bool applyOwn(const Event &event, const Json &payload, const QByteArray &bytes);
    void applyApproval(const Json &payload, qint64 atMs);
    void applyResult(const Json &payload, qint64 atMs);
    void end(const QString &state, qint64 atMs);

    HistoryService *m_history;
    OutputModel *m_output;
    CallFacts m_facts;
    EventBatch m_live; ///< Came while the log was being read.
    std::deque<EventPtr> m_recent; ///< The newest events of all conversations, without bytes.
    qint64 m_recentBytes = 0;
    qint64 m_liveBytes = 0;
    qint64 m_nextSeq = 0;
    quint64 m_generation = 0;
    bool m_loading = false;
};

} // namespace Pilothouse
