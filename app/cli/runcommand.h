// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"
#include "engine/engine.h"
#include "eventprinter.h"
#include "util/unixsignals.h"

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace Pilothouse {
class LogReader;
}

namespace Pilothouse::Cli {

struct RunOptions {
    QString prompt;
    QString conversation; ///< Whole id; empty: a new one.
    ConversationSettings
        settings; ///< Members given on the command line; empty ones are left to the defaults.
    bool choosesMachine = false; ///< Members for a machine of the hosted service are among them.
    bool json = false;
    bool canAsk = false; ///< Somebody is at the terminal; else a call that asks ends its turn as waiting.
};

/// `run`: one turn, events printed as they happen, then the exit code.
class RunCommand : public QObject {
    Q_OBJECT
public:
    RunCommand(Engine *engine, RunOptions options, Console *console);
    ~RunCommand() override;
    void start();

Q_SIGNALS:
    void done(int exitCode);

private:
    void begin();
    void submit();
    void onEvents(const EventBatch &events);
    /// Prints what the log has of the turn and was not printed, when live events were dropped.
    void printFromLog();
    void show(const Event &event, const QByteArray &line);
    void question(const Event &event);
    void onTurnEnded(const QString &reason);
    void onInterrupt();
    void askNext();
    void readAnswer();

    struct Question {
        QString callId;
        QString line;
    };

    Engine *m_engine;
    RunOptions m_options;
    Console *m_console;
    UnixSignals m_signals;
    QString m_conversation;
    EventPrinter m_printer;
    QList<Question> m_questions;
    std::unique_ptr<QSocketNotifier> m_stdin;
    QByteArray m_answer;
    qint64 m_lastSeq = 0; ///< Of what was printed.
    std::unique_ptr<LogReader> m_log; ///< Set once live events were dropped: from then on the log is printed.
    int m_interrupts = 0;
    int m_lastError = 0; ///< Exit code of the last error event of the turn.
    bool m_ended = false;
};

} // namespace Pilothouse::Cli
