// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"
#include "engine/engine.h"

#include <QObject>
#include <QStringList>

namespace Pilothouse::Cli {

/// `keys …`: which keys are known and from where, and those in the keychain. A key is never printed and never
/// an argument.
class KeyCommand : public QObject {
    Q_OBJECT
public:
    /// `words`: the sub-command and its arguments.
    KeyCommand(Engine *engine, QStringList words, bool json, Console *console);
    void start();
    [[nodiscard]] static QString usage();
    [[nodiscard]] static bool onlyLooks(const QString &verb) { return verb == QLatin1StringView("list"); }

Q_SIGNALS:
    void done(int exitCode);

private:
    void withService(void (KeyCommand::*then)(const ServiceInfo &));
    void list(const QList<ServiceInfo> &services);
    void set(const ServiceInfo &service);
    void forget(const ServiceInfo &service);
    void finish(const Result<Done, Error> &result, const QString &words);

    Engine *m_engine;
    QStringList m_words;
    bool m_json;
    Console *m_console;
};

} // namespace Pilothouse::Cli
