// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"
#include "engine/engine.h"

#include <QObject>
#include <QStringList>

#include <functional>

namespace Pilothouse::Cli {

/// `sandbox …`: sandboxes by hand. An ID may be cut short as long as it fits one sandbox only.
class SandboxCommand : public QObject {
    Q_OBJECT
public:
    /// `words`: the sub-command and its arguments.
    SandboxCommand(Engine *engine, QString backend, QStringList words, bool json, Console *console);
    void start();
    [[nodiscard]] static QString usage();
    /// True for sub-commands that change nothing: they need no ownership of the data folder.
    [[nodiscard]] static bool onlyLooks(const QString &verb);

Q_SIGNALS:
    void done(int exitCode);

private:
    [[nodiscard]] bool need(int arguments);
    void fail(Error error);
    /// Puts the whole id in place of what was typed, then goes on; an id that nobody has is an error.
    void resolve(std::function<void()> then);
    /// resolve() for what changes the sandbox: one that is paused is woken by it, and the person is told.
    void resolveToChange(std::function<void()> then);
    void takeMatch(const QList<SandboxInfo> &all, const std::function<void()> &then);
    void list();
    void kill();
    void release(); ///< Of a conversation, by its whole id.
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
    bool m_isLeft = false; ///< exec: nobody reads its output any more.
};

} // namespace Pilothouse::Cli
