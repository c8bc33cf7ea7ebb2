// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelendpoint.h"

namespace Pilothouse {

/// Asks a service that speaks OpenAI Chat Completions: the vendor, or one that imitates it.
class ChatClient final : public ModelClient {
public:
    ChatClient(NetworkAccess *network, ModelEndpoint endpoint);

    [[nodiscard]] QString provider() const override { return m_endpoint.provider; }
    [[nodiscard]] QString protocol() const override;
    ModelStream *start(const ModelRequest &request, QObject *parent) override;

private:
    NetworkAccess *m_network;
    ModelEndpoint m_endpoint;
};

} // namespace Pilothouse
