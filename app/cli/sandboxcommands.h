// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"
#include "engine/engine.h"

#include <QObject>
#include <QStringList>

namespace Pilothouse::Cli {

/// `sandbox …`: sandboxes by hand.
class SandboxCommand : public QObject {
    Q_OBJECT
public:
    /// `words`: the sub-command and its arguments.
    SandboxCommand(Engine *engine, QString backend, QStringList words, bool json, Console *console);
    void start();
    [[nodiscard]] static QString usage();

Q_SIGNALS:
    void done(int exitCode);

private:
    [[nodiscard]] bool need(int arguments);
    void fail(const Error &error);
    void list();
    void create();
    void exec();
    void listFiles();
    void get();
    void put();

    Engine *m_engine;
    QString m_backend;
    QStringList m_words;
    bool m_json;
    Console *m_console;
};

} // namespace Pilothouse::Cli
