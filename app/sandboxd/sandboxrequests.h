// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "apifailure.h"
#include "sandboxmeta.h"
#include "util/result.h"

#include <QByteArray>

#include <optional>

namespace Pilothouse {

/// A checked PATCH body. A member that was not given stays as it is.
struct SandboxPatch {
    std::optional<StringMap> metadata;
    std::optional<Json> network;
    bool hasTimeout = false;
    std::optional<qint64> timeoutSeconds; ///< Empty with hasTimeout: never.
    bool hasAutoDelete = false;
    std::optional<qint64> autoDeleteSeconds; ///< Empty with hasAutoDelete: never.
    std::optional<QString> previewAccess;
};

/// The body of POST /sandboxes, checked against the limits of the API. Id, status and times are not set.
[[nodiscard]] Result<SandboxMeta, ApiFailure> parseCreate(const QByteArray &body);
/// The body of PATCH /sandboxes/ID.
[[nodiscard]] Result<SandboxPatch, ApiFailure> parsePatch(const QByteArray &body);

} // namespace Pilothouse
