// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "util/secret.h"

#include <QUrl>

#include <functional>

namespace Pilothouse {

class NetworkAccess;

/// Asks a service that speaks Anthropic Messages: the vendor, or one that imitates it.
class AnthropicClient final : public ModelClient {
public:
    struct Endpoint {
        QString provider;
        QUrl baseUrl; ///< With or without /v1. Only to it does `key` go.
        Secret key;
        std::function<int(const QString &model)> maxTokens; ///< Output limit of a model.
    };

    AnthropicClient(NetworkAccess *network, Endpoint endpoint);

    [[nodiscard]] QString provider() const override { return m_endpoint.provider; }
    [[nodiscard]] QString protocol() const override;
    ModelStream *start(const ModelRequest &request, QObject *parent) override;

private:
    NetworkAccess *m_network;
    Endpoint m_endpoint;
};

} // namespace Pilothouse
