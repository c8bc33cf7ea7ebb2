// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "httptypes.h"
#include "util/json.h"

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Why a call failed, as the API says it.
struct ApiFailure {
    int status = 500;
    QByteArray code = "internal_error"; ///< Control plane only.
    QString message;
};

/// {"error":{"code":…,"message":…}}: control plane.
[[nodiscard]] HttpResponse controlError(const ApiFailure &failure);
/// {"error":"text"}: files.
[[nodiscard]] HttpResponse filesError(int status, const QString &message);
/// Plain text: routing, tokens and commands.
[[nodiscard]] HttpResponse plainError(int status, const QString &message);
[[nodiscard]] HttpResponse jsonResponse(int status, const Json &body);
[[nodiscard]] HttpResponse emptyResponse(int status);

/// "WHAT: SUBJECT". The subject comes from outside: one line, nothing in it is obeyed, and it is bounded.
[[nodiscard]] QString withSubject(const QString &what, const QByteArray &subject);
/// 404 of a sandbox that is not there; says which.
[[nodiscard]] ApiFailure sandboxNotFound(const QByteArray &id);

} // namespace Pilothouse
