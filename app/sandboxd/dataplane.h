// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "exectransports.h"
#include "httptypes.h"
#include "sandboxes.h"
#include "tokens.h"

#include <QByteArray>

namespace Pilothouse {

/// The calls with a sandbox's token: commands and files. Checks in this order, each before any effect: path
/// (400), token (401), existence (404), state (503). Clients repeat a call after 401 and 503 and rely on
/// that.
class DataPlane {
public:
    DataPlane(SandboxContext &context, Sandboxes &sandboxes, const Tokens &tokens,
              const ExecSettings &settings);

    [[nodiscard]] static bool ownsPath(const QByteArray &path);
    /// `id` is what the request was routed by; it may be empty or nonsense.
    void handle(const HttpExchangePtr &exchange, const QByteArray &id);

private:
    void handleFiles(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path);
    [[nodiscard]] SandboxPtr admit(const HttpExchangePtr &exchange, const QByteArray &id,
                                   const QByteArray &token);

    SandboxContext &m_context;
    Sandboxes &m_sandboxes;
    const Tokens &m_tokens;
    ExecSettings m_settings;
};

} // namespace Pilothouse
