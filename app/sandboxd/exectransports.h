// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "httptypes.h"
#include "sandbox.h"

#include <chrono>

namespace Pilothouse {

struct ExecSettings {
    std::chrono::milliseconds keepAlive{15000}; ///< Of the event stream.
    std::chrono::milliseconds startFrameLimit{10000}; ///< A command session must begin by then.
};

// Each runs one command of an active sandbox for one client and looks after itself: the command is killed if
// the client leaves, and the connection is cut if the sandbox is paused or deleted.

/// POST /exec: one JSON answer.
void runExec(const HttpExchangePtr &exchange, const SandboxPtr &sandbox);
/// POST /exec/stream: server-sent events.
void runExecStream(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const ExecSettings &settings);
/// GET /exec/connect: a WebSocket with stdin and signals.
void runExecSession(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const ExecSettings &settings);

} // namespace Pilothouse
