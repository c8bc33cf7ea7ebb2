// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QString>

class QSslCertificate;
class QSslError;

namespace Pilothouse {

/// Why a certificate was refused, for people, on one line: which checks failed, then subject, issuer, time of
/// validity and SHA-256 fingerprint of the certificate `host` showed, and the names of the chain above it.
/// What stands in certificates is hostile: bounded and inert. Empty if there is nothing to say.
[[nodiscard]] QString describeRefusal(const QString &host, const QList<QSslError> &errors,
                                      const QList<QSslCertificate> &chain);

} // namespace Pilothouse
