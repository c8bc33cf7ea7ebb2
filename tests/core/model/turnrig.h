// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/agentloop.h"
#include "agent/historybuilder.h"
#include "agent/journal.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxclient.h"
#include "support/loopbackserver.h"
#include "support/modelreply.h"

#include <memory>

namespace Pilothouse::Tests {

/// Keeps what a turn writes, and gives the history that the engine would.
class MemoryJournal final : public Journal {
public:
    void append(EventKind kind, const QByteArray &payload) override;
    void appendDelta(EventKind kind, int turn, int step, int attempt, int part, const QString &text) override;
    bool appendOutput(int turn, int step, const QString &callId, OutputChannel channel,
                      const QByteArray &bytes) override;
    void whenDurable(QObject *context, std::function<void()> then) override;

    [[nodiscard]] QList<Json> payloads(EventKind kind) const;

    QList<Event> events;
    HistoryBuilder history;
};

/// The only tool; answers at once, and counts. Named bash.
class CountingTool final : public Tool {
public:
    static constexpr char Result[] = "RESULT-OF-THE-TOOL";

    QString name() const override { return QStringLiteral("bash"); }
    QString description() const override { return QStringLiteral("Counts."); }
    QByteArray inputSchema() const override;
    QString summary(const Json &) const override { return QStringLiteral("bash"); }
    ToolRun *start(const Json &args, const ToolContext &context, QObject *parent) const override;

    mutable QList<QByteArray> runs; ///< Arguments of each.
};

/// The real agent loop and the real client of one protocol, against a scripted service: what a person would
/// see of a turn, without the store and the machine.
class TurnRig : public QObject {
    Q_OBJECT
public:
    /// What every secret scan looks for.
    static const QByteArray Key;

    explicit TurnRig(ModelProtocol protocol, const QString &provider = QString());
    ~TurnRig() override;

    void run(const QString &prompt = QStringLiteral("Go.")); ///< Begins a turn.
    [[nodiscard]] bool isOver() const { return m_isOver; }
    [[nodiscard]] QString end() const { return turnEndName(m_loop->end()); }
    [[nodiscard]] Error error() const { return m_loop->error().value_or(Error()); }
    void stop() { m_loop->stop(); }

    /// Thinking, text and one call of the tool with `Arguments`.
    [[nodiscard]] static ModelReply callingReply();
    [[nodiscard]] static ModelReply closingReply(); ///< Text only.
    static constexpr char Arguments[] = "{\"command\":\"make all\"}";
    /// The whole stream of callingReply(), or of closingReply() once the request holds the tool's result.
    [[nodiscard]] QList<QByteArray> goodEvents(const LoopbackRequest &request) const;
    void sendGood(const LoopbackRequest &request, LoopbackConnection *connection) const;

    /// No secret in any event, header of another kind, address or body.
    void scan(const QByteArray &log) const;
    /// Every call that was proposed has exactly one end.
    void checkCallsEnded() const;

    ModelProtocol protocol;
    NetworkAccess network;
    LoopbackServer model;
    LoopbackServer machine;
    MemoryJournal journal;
    ModelEndpoint endpoint; ///< To be changed before the first run().
    std::shared_ptr<CountingTool> tool = std::make_shared<CountingTool>();
    int maxTokens = 0; ///< Of each request.

private:
    [[nodiscard]] std::shared_ptr<ModelClient> makeClient();

    std::unique_ptr<SandboxClient> m_sandbox;
    std::unique_ptr<AgentLoop> m_loop;
    int m_turn = 0;
    bool m_isOver = false;
};

} // namespace Pilothouse::Tests
