// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

class Keychain;
struct NetworkSetup;

/// What a program gives the engine. Values from the command line stand in their own members; `environment`
/// answers for environment variables (programs: the process's own, tests: theirs).
struct EngineOptions {
    QString program; ///< Name written into the owner lock: pilothouse, pilothouse-cli.
    QString dataDir; ///< DATA; see defaultDataDir().
    QString sandboxdProgram; ///< Path of pilothouse-sandboxd; empty: beside the running program, then PATH.
    QString backend; ///< --sandbox: local, superserve; empty: by environment, key, default.
    QString superserveUrl; ///< --superserve-url
    QString superserveDataUrl; ///< --superserve-data-url
    QString model; ///< --model; empty: by environment, key, default.
    QString demoScript; ///< --demo-script: a scenario file for demo models, which are then the default.
    bool askAsScripted = false; ///< Honour a scenario's own "ask" marks (the window does).
    bool endWhenAsked = false; ///< Nobody can answer: a call that is asked about ends its turn "waiting".
    bool retries = true; ///< Model retries.
    std::optional<qint64> sandboxTimeoutSeconds = 3600; ///< Backstop of create: active time per session.
    std::optional<qint64> sandboxAutoDeleteSeconds = 2592000; ///< Backstop of create: paused time, 30 days.
    std::chrono::milliseconds pauseWhileWaiting{20000};
    QStringList localModelUrls; ///< Where model servers on this computer are looked for; empty: the usual
                                ///< places.
    /// Set: the engine only looks. It does not take the data folder, writes nothing into it, and answers
    /// whatever would need the log with this error; sandboxes can be listed and read, and doctor tells it.
    std::optional<Error> onlyLooks;
    /// Somebody listens to Engine::proxyLoginWanted() and answers. Else proxies that want a login, and get
    /// none from the environment or the keychain, are an error.
    bool asksForProxyLogin = false;
    std::shared_ptr<const NetworkSetup> network; ///< For tests; empty: the system's.
    std::function<QString(const QString &)> environment;
    /// Makes the keychain, in the engine thread; empty: there is none.
    std::function<std::unique_ptr<Keychain>()> keychain;
};

/// `--data-dir`, PILOTHOUSE_DATA_DIR, else the system's place for the application name.
[[nodiscard]] QString defaultDataDir(const QString &option,
                                     const std::function<QString(const QString &)> &environment);
/// Keys are kept in the keychain of the desktop; without this call nowhere.
void useSystemKeychain(EngineOptions &options);
/// The process's environment.
[[nodiscard]] QString processEnvironment(const QString &name);

} // namespace Pilothouse
