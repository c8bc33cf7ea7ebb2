// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engineoptions.h"
#include "sandbox/sandboxclient.h"
#include "secrets/secretstore.h"
#include "util/error.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

class LocalService;
class NetworkAccess;

/// Sandbox clients by backend, made when first needed: the local service (started on demand) and the hosted
/// one.
class Backends : public QObject {
    Q_OBJECT
public:
    Backends(const EngineOptions &options, NetworkAccess *network, const SecretStore *secrets,
             QObject *parent);
    ~Backends() override;

    using ClientReply = std::function<void(const Result<SandboxClient *, Error> &)>;
    /// Replies on a later event-loop turn unless `context` is destroyed first. The client stays owned by this
    /// object.
    void client(const QString &backend, QObject *context, ClientReply reply);
    /// True once it is known that the service behind `client` has ended: client() starts it again and gives
    /// one that reaches it. A hosted service does not end.
    [[nodiscard]] bool isLost(const SandboxClient *client) const;
    /// What a conversation gets when nothing is chosen: option, environment, stored setting, superserve if
    /// its key is known, else local.
    [[nodiscard]] QString defaultBackend() const;
    [[nodiscard]] bool hasSuperserveKey() const;
    /// Asked when there is no key: why, if the keychain has one and did not give it.
    void setKeyProblem(std::function<std::optional<Error>(const QString &variable)> problem)
    {
        m_keyProblem = std::move(problem);
    }
    void forgetKeys(); ///< A key was changed: the next client is made with the present one.

private:
    std::function<std::optional<Error>(const QString &)> m_keyProblem;
    [[nodiscard]] Secret superserveKey() const;

    EngineOptions m_options;
    NetworkAccess *m_network;
    const SecretStore *m_secrets;
    LocalService *m_localService = nullptr;
    std::unique_ptr<SandboxClient> m_local;
    QByteArray m_localOrigin;
    std::unique_ptr<SandboxClient> m_superserve;
};

} // namespace Pilothouse
