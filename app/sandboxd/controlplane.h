// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "httptypes.h"
#include "sandboxes.h"
#include "tokens.h"
#include "util/secret.h"

#include <QByteArray>
#include <QList>

namespace Pilothouse {

/// The calls with the account's key: sandboxes and their life.
class ControlPlane {
public:
    ControlPlane(SandboxContext &context, Sandboxes &sandboxes, const Tokens &tokens, const Secret &key);

    /// Answers `exchange`; `segments` is its path, split and decoded, not empty.
    void handle(const HttpExchangePtr &exchange, const QList<QByteArray> &segments);
    [[nodiscard]] bool isAuthorized(const HttpRequest &request) const;

private:
    void handleCollection(const HttpExchangePtr &exchange);
    void handleSandbox(const HttpExchangePtr &exchange, const SandboxPtr &sandbox);
    void handleAction(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &action);
    void create(const HttpExchangePtr &exchange);
    void list(const HttpExchangePtr &exchange);
    void patch(const HttpExchangePtr &exchange, const SandboxPtr &sandbox);
    void pause(const HttpExchangePtr &exchange, const SandboxPtr &sandbox);
    void wake(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, bool onlyFromPaused);
    void listFiles(const HttpExchangePtr &exchange, const SandboxPtr &sandbox);
    [[nodiscard]] HttpResponse sandboxResponse(int status, const Sandbox &sandbox) const;

    SandboxContext &m_context;
    Sandboxes &m_sandboxes;
    const Tokens &m_tokens;
    Secret m_key;
};

/// 401 in the control plane's shape.
[[nodiscard]] HttpResponse unauthorizedResponse();

} // namespace Pilothouse
