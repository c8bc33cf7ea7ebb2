// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engine.h"
#include "support/modelserver.h"
#include "support/recordingproxy.h"
#include "support/sandboxdfixture.h"

#include <QHash>
#include <QTemporaryDir>

#include <memory>

namespace Pilothouse::Tests {

/// A whole engine against the real sandbox service (behind a recording proxy) and a scripted model service of
/// one protocol. Every request of either kind stands in `log` in the order in which it was made.
class EngineFixture : public QObject {
    Q_OBJECT
public:
    explicit EngineFixture(ModelProtocol protocol = ModelProtocol::Anthropic);
    ~EngineFixture() override;

    void startServices(); ///< Fails the test if the service does not start.
    void openEngine(); ///< With the environment as it stands.
    void closeEngine();

    /// A new conversation with the scenario's settings and its first message.
    QString begin(const ConversationSettings &settings, const QString &prompt);
    void submit(const QString &conversation, const QString &prompt,
                MessageDelivery delivery = MessageDelivery::Now);
    /// Waits for the end of the running turn and returns its reason.
    QString waitForEnd();
    /// Provider, model and variable of the key that stand for a protocol.
    [[nodiscard]] static QString providerOf(ModelProtocol protocol);
    [[nodiscard]] static QString modelOf(ModelProtocol protocol);
    [[nodiscard]] static QString keyVariableOf(ModelProtocol protocol);
    [[nodiscard]] static QString urlVariableOf(ModelProtocol protocol);
    /// Settings for Anthropic; the model of another protocol is set by onWire().
    [[nodiscard]] ConversationSettings onWire(ConversationSettings settings) const;
    [[nodiscard]] static ConversationSettings settings(const QString &sandboxName,
                                                       const QString &instructions, const QStringList &tools,
                                                       const QString &afterTurn, int maxSteps = 5);

    /// "POST /sandboxes", "START", "model", … with ids replaced by ID.
    [[nodiscard]] QStringList calls() const;
    [[nodiscard]] QList<Json> payloads(EventKind kind) const;
    [[nodiscard]] QStringList kinds() const;
    [[nodiscard]] QByteArray output(const QString &callId,
                                    const QString &channel) const; ///< Bytes of its output events.
    [[nodiscard]] QByteArray body(const QByteArray &method, int index = 0) const; ///< Of a proxied call.

    QHash<QString, QString> environment;
    EngineOptions options;
    SandboxdFixture sandboxd;
    std::unique_ptr<RecordingProxy> proxy;
    ModelProtocol protocol;
    ModelServer model;
    std::unique_ptr<Engine> engine;
    QTemporaryDir folder;
    QList<EventDelivery> events;
    QStringList log;
    QStringList ends; ///< Reasons, in order.
    QStringList refusals; ///< Messages of refused submits.
    QString lastConversation;
};

} // namespace Pilothouse::Tests
