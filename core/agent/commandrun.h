// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/tool.h"
#include "text/excerpt.h"

#include <QElapsedTimer>
#include <QPointer>

#include <chrono>

namespace Pilothouse {

class CommandSession;

/// A command as a tool call: live output, bounded excerpt for the model, stop by the ladder.
class CommandRun final : public ToolRun {
    Q_OBJECT
public:
    CommandRun(const CommandRequest &request, const ToolContext &context, QObject *parent);
    void stop(const QString &why) override;

private:
    void onOutput(OutputChannel channel, const QByteArray &bytes);
    void onFinished(const CommandOutcome &outcome);
    [[nodiscard]] bool wasTimeLimit(const CommandOutcome &outcome) const;
    void force();
    void giveUp();
    void finish(const ToolEnd &end);
    [[nodiscard]] QByteArray resultJson(const std::optional<int> &exitCode, const QString &problem) const;

    ToolContext m_context;
    QPointer<CommandSession> m_session;
    Excerpt m_stdout;
    Excerpt m_stderr;
    std::chrono::milliseconds m_timeLimit;
    QElapsedTimer m_sinceStart;
    QString m_stopReason; ///< For the model.
    qint64 m_outputBytes = 0;
    bool m_tooMuchOutput = false;
    bool m_stopping = false;
    bool m_finished = false;
};

} // namespace Pilothouse
