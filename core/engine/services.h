// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>

namespace Pilothouse {

class EngineCore;

/// A service that keys belong to, as a settings page shows it: a kind of sandbox or a model provider that
/// this version can speak with.
struct ServiceInfo {
    enum class Kind { Sandbox = 1, Model };
    enum class KeySource { NotNeeded = 1, None, Environment, Session, Keychain };
    Kind kind = Kind::Model;
    QString id; ///< local, superserve, or the provider's id.
    QString name;
    QString endpoint; ///< Base URL; empty for the local sandbox and the scripted model.
    QString endpointSource; ///< Name of the variable or option that overrides the endpoint; else empty.
    QString endpointBuiltIn; ///< The service's own.
    bool endpointChosen = false; ///< It was set in the settings.
    bool endpointCanBeSet = false; ///< In the settings, now.
    QStringList keyVariables; ///< Environment variables, tried in order.
    KeySource keySource = KeySource::None;
    QString keyFrom; ///< The variable the key was found in.
    QString keyWithheld; ///< With None: the variable whose key was given for another address.
    std::optional<Error> keyProblem; ///< With None: the keychain has one and did not give it.
    bool canKeep = false; ///< There is a keychain to keep a key in, whether it answers or not.
    bool isKeychainSlow = false; ///< It hangs, most likely in a question to the person.
    QString keyHint; ///< First and last characters of the key, "sk-ant-…x9Qa"; never enough to use it.
    QStringList models; ///< Of providers: ids by its own list or the registry, best known first.
    QStringList withoutTools; ///< Those that cannot use tools, as the service says: of no use to an agent.
    QHash<QString, qint64> contexts; ///< By model, as far as known: tokens of prompt and answer together.
    bool isOwn = false; ///< A person made it; it can be changed and removed.
    bool isChosen = false; ///< It is listed for no other reason than that a person chose to see it.
    QString protocol; ///< Of one's own.

    /// Also for an id with a date at its end when only the one without is known.
    [[nodiscard]] std::optional<qint64> contextOf(const QString &model) const;
};

/// What a test of a service saw.
struct ServiceTest {
    QString asked; ///< "GET https://…/v1/models?limit=1"
    QString seen; ///< "answers, 12 ms"
    qint64 ms = 0;
};

/// A provider that comes with the program.
struct ProviderName {
    QString id;
    QString name;
};

/// Engine thread. Of the providers that come with the program: the much used ones, those with a key or an
/// address of their own, those that a person chose to see, and the one of new conversations.
[[nodiscard]] QList<ServiceInfo> listServices(const EngineCore *core);
/// Those that are not `listed`, by name. Any thread.
[[nodiscard]] QList<ProviderName> unlistedProviders(const QList<ServiceInfo> &listed);
/// One request that costs nothing. Replies in the engine thread; the error says what was refused and why.
void testService(EngineCore *core, const QString &id,
                 std::function<void(const Result<ServiceTest, Error> &)> reply);
/// Enough of a key to tell it from another one.
[[nodiscard]] QString keyHint(const QByteArray &key);

} // namespace Pilothouse
