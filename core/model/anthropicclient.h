// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelendpoint.h"

namespace Pilothouse {

/// Asks a service that speaks Anthropic Messages: the vendor, or one that imitates it.
class AnthropicClient final : public ModelClient {
public:
    using Endpoint = ModelEndpoint;

    AnthropicClient(NetworkAccess *network, Endpoint endpoint);

    [[nodiscard]] QString provider() const override { return m_endpoint.provider; }
    [[nodiscard]] QString protocol() const override;
    ModelStream *start(const ModelRequest &request, QObject *parent) override;

private:
    NetworkAccess *m_network;
    Endpoint m_endpoint;
};

} // namespace Pilothouse
