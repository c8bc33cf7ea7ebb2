// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "machine.h"
#include "sandboxmeta.h"
#include "util/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <chrono>
#include <optional>

namespace Pilothouse {

/// The body of a command call, the same for all three transports.
struct ExecRequest {
    QByteArray command;
    QList<QByteArray> arguments; ///< Empty: the command is a line for /bin/sh.
    StringMap environment;
    QByteArray workingDirectory; ///< May be empty: /home/user.
    std::optional<std::chrono::seconds> timeout; ///< Empty if absent or 0: the transport's own default.
};

[[nodiscard]] Result<ExecRequest, QString> parseExecRequest(const QByteArray &json);
/// Adds PATH, HOME and the sandbox's own variables below those of the request.
[[nodiscard]] SpawnRequest toSpawnRequest(const ExecRequest &request, const SandboxMeta &meta,
                                          const ProcessLimits &limits);

/// Why a command did not start, for the answer of each transport.
struct ExecStartError {
    int status = 500;
    QString code; ///< exec_failed or bad_request
    QString message;
};
[[nodiscard]] ExecStartError describeStartFailure(const SpawnFailure &failure, const SpawnRequest &request);

} // namespace Pilothouse
