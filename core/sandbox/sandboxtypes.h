// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/apierror.h"
#include "util/json.h"
#include "util/result.h"
#include "util/secret.h"

#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <chrono>
#include <functional>
#include <optional>

namespace Pilothouse {

/// Where a sandbox service is reached.
struct SandboxEndpoint {
    QString backend; ///< "local" or "superserve"
    QUrl control; ///< Control plane, no trailing slash.
    /// Data plane origin. Empty: derived from `control` for the known hosts; a loopback control plane serves
    /// both.
    QUrl data;
    Secret apiKey;

    /// Endpoint of the hosted service: explicit URLs, else SUPERSERVE_BASE_URL / SUPERSERVE_DATA_URL values
    /// given here (blank counts as unset), else the region inside the key, else the default.
    [[nodiscard]] static SandboxEndpoint superserve(const Secret &key, const QString &controlUrl,
                                                    const QString &dataUrl);
    /// What machines are bound to: scheme, host and port of a hosted service's control plane. Empty for the
    /// local service, whose port changes while its machines stay.
    [[nodiscard]] QString machineOrigin() const;
};

/// A sandbox as the control plane describes it; a memory of a moment, not the present.
struct SandboxInfo {
    QString id; ///< Opaque; the exact spelling the server gave, checked to be [A-Za-z0-9][A-Za-z0-9-]{0,63}.
    QString name;
    QString status; ///< starting, active, pausing, paused, resuming, failed, deleted, or a word nobody knows
    QString createdAt; ///< RFC 3339
    std::optional<qint64> vcpuCount;
    std::optional<qint64> memoryMib;
    std::optional<qint64> timeoutSeconds;
    std::optional<qint64> autoDeleteSeconds;
    QString autoDeleteAt;
    QList<QPair<QString, QString>> metadata;
    bool processesLost = false; ///< Local service: files survived a restart, processes did not.
    QString problem; ///< Local service: why a failed sandbox cannot be used. Empty elsewhere.

    [[nodiscard]] Json toJson() const; ///< For people and scripts; holds no token.
    [[nodiscard]] QString metadataValue(const QString &key) const;
};

/// Where a machine may connect to. Allowing wins over denying; with both lists empty everything public is
/// open.
struct SandboxNetwork {
    QStringList allowOut; ///< IPv4 addresses, IPv4 CIDRs, domains; *.example.org for what is below one.
    QStringList denyOut; ///< Addresses and CIDRs. 0.0.0.0/0: everything that is not allowed.
    bool operator==(const SandboxNetwork &) const = default;
};

struct CreateSandbox {
    QString name; ///< 1 to 64 characters.
    QString fromTemplate; ///< Empty: the service's default.
    std::optional<qint64> timeoutSeconds; ///< Backstop: active time per session.
    std::optional<qint64> autoDeleteSeconds; ///< Backstop: paused time. 0: with the first pause.
    SandboxNetwork network; ///< Not sent when both lists are empty.
    QList<QPair<QString, QString>> metadata;
};

struct PatchSandbox {
    std::optional<QList<QPair<QString, QString>>> metadata; ///< Replaces the whole map.
    std::optional<std::optional<qint64>> timeoutSeconds; ///< Inner empty: null on the wire (never).
    std::optional<std::optional<qint64>> autoDeleteSeconds;
};

struct ListSandboxes {
    QList<QPair<QString, QString>> metadata;
    QString status;
};

enum class OutputChannel { Stdout = 1, Stderr = 2 };

/// Whether a call may start a machine that is paused. Never: a call that would have to fails with Conflict
/// and code "sandbox_not_active"; at most the state is asked for, which wakes nothing.
enum class Wake { May = 1, Never };

/// A command for /exec and /exec/connect.
struct CommandRequest {
    QString command; ///< Run by /bin/sh -c.
    QList<QPair<QString, QString>> env;
    QString workingDir; ///< Empty: the service's default.
    std::chrono::milliseconds timeout{60000}; ///< Total run time; sent in whole seconds, rounded up.
    Wake wake = Wake::May;
};

/// How a command ended, as far as that is known.
struct CommandOutcome {
    enum class Known {
        Exited = 1, ///< exitCode is set; 124 is the service's time-out, 128+N a signal.
        NotStarted, ///< It never reached the sandbox (refused, or the service said it could not start): safe
                    ///< to say so.
        Unknown, ///< It may have run, or still run. Never repeated.
    };
    Known known = Known::Unknown;
    std::optional<int> exitCode;
    std::optional<ApiError> error; ///< Set unless Exited.
    bool outputCut = false; ///< The service dropped what was printed past its limit.
};

struct ExecResult {
    QByteArray standardOutput; ///< UTF-8; the service replaces other bytes.
    QByteArray standardError;
    int exitCode = 0;
    bool truncated = false;
};

struct FileEntry {
    QByteArray name; ///< Raw bytes; one path segment.
    QChar type; ///< f d l p s b c
    qint64 size = 0;
    double modified = 0; ///< Seconds since 1970, by the machine's clock.
    double changed = 0; ///< Of content, name or mode; 0: not asked for.
    double born = 0; ///< 0: not known.
    int mode = 0;
    QByteArray linkTarget;
};

struct FileListing {
    QList<FileEntry> entries;
    bool complete = false; ///< False: the trailer was missing; shown as incomplete, never as a short list.
};

template <typename T>
using Reply = std::function<void(const Result<T, ApiError> &)>;

} // namespace Pilothouse
