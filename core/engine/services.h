// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <functional>

namespace Pilothouse {

class EngineCore;

/// A service that keys belong to, as a settings page shows it: a kind of sandbox or a model provider that
/// this version can speak with.
struct ServiceInfo {
    enum class Kind { Sandbox = 1, Model };
    enum class KeySource { NotNeeded = 1, None, Environment, Session };
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
    QString keyHint; ///< First and last characters of the key, "sk-ant-…x9Qa"; never enough to use it.
    QStringList models; ///< Of providers: ids from the registry, best known first.
};

/// What a test of a service saw.
struct ServiceTest {
    QString asked; ///< "GET https://…/v1/models?limit=1"
    QString seen; ///< "answers, 12 ms"
    qint64 ms = 0;
};

/// Engine thread.
[[nodiscard]] QList<ServiceInfo> listServices(const EngineCore *core);
/// One request that costs nothing. Replies in the engine thread; the error says what was refused and why.
void testService(EngineCore *core, const QString &id,
                 std::function<void(const Result<ServiceTest, Error> &)> reply);
/// Enough of a key to tell it from another one.
[[nodiscard]] QString keyHint(const QByteArray &key);

} // namespace Pilothouse
