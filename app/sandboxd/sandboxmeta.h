// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>
#include <utility>

namespace Pilothouse {

enum class SandboxStatus { Starting = 1, Active, Pausing, Paused, Resuming, Failed, Deleted };

[[nodiscard]] QLatin1StringView statusName(SandboxStatus status);
[[nodiscard]] std::optional<SandboxStatus> statusFromName(QStringView name);

using StringMap = QList<std::pair<QString, QString>>; ///< In the order they were given; keys are unique.

/// What is known about a sandbox apart from its processes. Stored in meta.json beside its folders.
struct SandboxMeta {
    QString id; ///< newId()
    QString name;
    SandboxStatus status = SandboxStatus::Starting;
    qint64 createdAtMs = 0; ///< UTC
    std::optional<qint64> timeoutSeconds; ///< Longest active time at a stretch.
    std::optional<qint64> autoDeleteSeconds; ///< Longest paused time.
    qint64 countdownFromMs = 0; ///< UTC; while paused: when autoDeleteSeconds began to count.
    StringMap metadata;
    StringMap environment; ///< Write-only over the API.
    QString previewAccess;
    Json network; ///< {allow_out, deny_out} as given, or null. Stricter than asked: there is only loopback.
    bool processesLost = false; ///< Files are there, but what ran ended with an earlier service.
    /// Why the stored facts cannot be used, for people; empty if they can. Not stored: what stands in such a
    /// meta.json is left as it is, and the other members are a stand-in.
    QString problem;
};

/// For meta.json.
[[nodiscard]] QByteArray toStoredJson(const SandboxMeta &meta);
[[nodiscard]] std::optional<SandboxMeta> fromStoredJson(const QByteArray &bytes);

/// The sandbox object of the API, without environment; `token` may be empty.
[[nodiscard]] Json toApiObject(const SandboxMeta &meta, const QByteArray &token);

[[nodiscard]] QString toRfc3339(qint64 utcMs);

} // namespace Pilothouse
