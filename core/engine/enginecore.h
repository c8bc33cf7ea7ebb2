// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/conversation.h"
#include "engine/endpoints.h"
#include "engine/eventpipe.h"
#include "engine/keyring.h"
#include "engine/ownproviders.h"
#include "model/modellist.h"
#include "sandbox/sandboxclient.h"
#include "secrets/secretstore.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>

#include <chrono>
#include <memory>

namespace Pilothouse {

class LogReader;
class NetworkAccess;
class ProxyDesk;
class Store;

/// The engine's inside: lives in the engine thread, owns everything that works there. Engine is its only
/// user.
class EngineCore : public QObject {
    Q_OBJECT
public:
    explicit EngineCore(EngineOptions options);
    ~EngineCore() override;

    /// Takes ownership of DATA, closes what an earlier process left open. Blocks (start-up only).
    [[nodiscard]] Result<Done, Error> open();

    [[nodiscard]] std::optional<Error> create(const QString &id, const ConversationSettings &settings);
    /// The conversation, opened from the log if need be. The pointer holds until its removal.
    [[nodiscard]] Result<Conversation *, Error> conversation(const QString &id);
    /// Why `client` must not be asked for a machine: the conversation that has it made it elsewhere. Machines
    /// of no conversation are anybody's.
    [[nodiscard]] std::optional<Error> bindingProblem(const QString &sandboxId, const SandboxClient *client);
    void acknowledge();
    /// Stops every turn, then replies (with nothing running at once).
    void stopAllThen(std::function<void()> reply);

    [[nodiscard]] Backends *backends() const { return m_backends; }
    [[nodiscard]] ModelCatalog *catalog() const { return m_catalog.get(); }
    [[nodiscard]] const EngineOptions &options() const { return m_options; }
    [[nodiscard]] NetworkAccess *network() const { return m_network; }
    /// A key, else the environment variable, else the address that was chosen in the settings. No key that
    /// was given for another address than the one that is in use.
    [[nodiscard]] QString environment(const QString &name) const { return m_keys->environment(name); }
    [[nodiscard]] KeyRing *keys() const { return m_keys; }
    [[nodiscard]] ProxyDesk *proxies() const { return m_proxies; }
    /// What a service itself said it has, when it was last asked; empty: it was not.
    [[nodiscard]] QList<ListedModel> listedModels(const QString &service) const
    {
        return m_listed.value(service);
    }
    void setListedModels(const QString &service, const QList<ListedModel> &models);
    [[nodiscard]] const OwnProviders &ownProviders() const { return *m_own; }
    [[nodiscard]] Result<Done, Error> setProvider(const CustomProvider &provider, bool isNew);
    /// With its key; if the keychain does not let go of that, the provider stays.
    void removeProvider(const QString &id, const std::function<void(const Result<Done, Error> &)> &reply);
    /// One short request to each place on loopback where model servers usually are.
    void findLocalServers(const std::function<void(const QList<FoundServer> &)> &reply);
    [[nodiscard]] const Endpoints &endpoints() const { return m_endpoints; }
    /// Holds for turns and connections that begin from now on. Empty: the service's own address.
    Result<Done, Error> setEndpoint(const QString &id, const QString &url);
    [[nodiscard]] const QString &installId() const { return m_installId; }
    [[nodiscard]] QString dataDir() const { return m_options.dataDir; }
    /// Fills what the caller left empty: model, backend, tools, names, approval.
    [[nodiscard]] ConversationSettings withDefaults(ConversationSettings settings) const;

Q_SIGNALS:
    void batch(const Pilothouse::EventBatch &events);
    void lagged();
    void turnEnded(const QString &conversation, const QString &reason);
    void storageProblem(const Pilothouse::Error &error);
    void proxyLoginWanted(const QString &origin, bool wasRefused);
    void proxyLoginNotKept(const Pilothouse::Error &error);
    void reconnecting(bool isReconnecting);
    void keysChanged(); ///< Keys came or went, or the keychain hangs or answers.

private:
    /// Where a machine was made.
    struct Binding {
        QString madeWith;
        QString origin;
    };
    [[nodiscard]] Binding bindingOf(const QString &sandboxId);
    /// Closes every turn that an earlier process left open; m_unclosed keeps those that could not be closed.
    [[nodiscard]] Result<Done, Error> recover();
    /// Closes the last turn of one conversation. Committed when it returns.
    [[nodiscard]] Result<Done, Error> closeTurn(const QString &id);
    [[nodiscard]] QString settingsFile() const;
    [[nodiscard]] std::optional<Error> scriptProblem()
        const; ///< What is wrong with --demo-script, if it is given.
    void makeServices(); ///< What needs no log: network, secrets, sandboxes, models.
    void onConnectionsInDoubt(std::chrono::milliseconds slept);
    Conversation *adopt(std::unique_ptr<ConversationLog> log);

    EngineOptions m_options; ///< Its environment answers with the keys of this session, too.
    std::function<QString(const QString &)> m_environment;
    Endpoints m_endpoints;
    KeyRing *m_keys = nullptr;
    QHash<QString, QList<ListedModel>> m_listed; ///< By service.
    SystemClock m_clock;
    QString m_installId;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<LogReader> m_reader;
    EventPipe *m_pipe = nullptr;
    NetworkAccess *m_network = nullptr;
    ProxyDesk *m_proxies = nullptr;
    std::unique_ptr<SecretStore> m_secrets;
    Backends *m_backends = nullptr;
    std::unique_ptr<ModelCatalog> m_catalog;
    std::unique_ptr<OwnProviders> m_own;
    QHash<QString, Conversation *> m_open;
    QHash<QString, Binding> m_bindings; ///< By sandbox; of conversations that are not open.
    QSet<QString> m_unclosed; ///< Conversations whose last turn is still open by the log.
};

} // namespace Pilothouse
