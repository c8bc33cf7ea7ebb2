// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QByteArray>

namespace Pilothouse {

/// What stands on the wire between SandboxClient and a service, as pure functions.
struct SandboxWire {
    /// A sandbox object and the access token that may come with it.
    struct Answer {
        SandboxInfo info;
        Secret token;
    };

    [[nodiscard]] static ApiError makeError(ApiError::Category category, const QString &message);
    /// [A-Za-z0-9][A-Za-z0-9-]{0,63}: the form of a sandbox id, which goes into paths and host names.
    [[nodiscard]] static bool isSandboxId(QStringView id);
    /// Of the control plane; `id` has been checked.
    [[nodiscard]] static QByteArray sandboxPath(const QString &id) { return "/sandboxes/" + id.toLatin1(); }
    /// An absolute path as the value of a query: every byte that is not unreserved is escaped, '+' and '/'
    /// included.
    [[nodiscard]] static QByteArray encoded(const QString &text);

    [[nodiscard]] static QByteArray createBody(const CreateSandbox &request);
    [[nodiscard]] static QByteArray patchBody(const PatchSandbox &change); ///< "{}" when nothing changes.
    [[nodiscard]] static QByteArray listQuery(const ListSandboxes &filter, int limit,
                                              int offset); ///< Begins with '?'.
    /// {"command", "env", "working_dir", "timeout_s"}, the middle ones only when set. timeout_s is always
    /// there: without it the service would stop a command after 30 s.
    [[nodiscard]] static QByteArray commandBody(const CommandRequest &request);
    [[nodiscard]] static qint64 timeoutSeconds(
        const CommandRequest &request); ///< Rounded up, 1 to 4 000 000.

    /// `body` as a sandbox object; id and status are required, everything else may be missing, unknown
    /// members are ignored.
    [[nodiscard]] static Result<Answer, ApiError> readSandbox(const QByteArray &body);
    [[nodiscard]] static Result<QList<SandboxInfo>, ApiError> readSandboxes(const QByteArray &body);
    [[nodiscard]] static Result<ExecResult, ApiError> readExecResult(const QByteArray &body);
    /// Output of the listing script, base64.
    [[nodiscard]] static FileListing readListing(const QByteArray &base64);

    /// Data plane over HTTP: `pathAndQuery` begins with '/'. Always used with the routing header.
    [[nodiscard]] static QUrl dataUrl(const SandboxEndpoint &endpoint, const QByteArray &pathAndQuery);
    /// Data plane over WebSocket; `needsHeader` tells whether the routing header must go along.
    [[nodiscard]] static QUrl socketUrl(const SandboxEndpoint &endpoint, const QString &id,
                                        bool &needsHeader);
};

} // namespace Pilothouse
