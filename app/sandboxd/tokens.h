// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/result.h"

#include <QByteArray>
#include <QString>

namespace Pilothouse {

/// Access tokens of sandboxes: HMAC-SHA256 of sandbox id and clock hour under a secret of the data folder.
/// Nothing is stored per token. One is accepted in its hour and the next, so it works for one to two hours.
class Tokens {
public:
    /// Reads the secret at `path`, or makes it (mode 0600). The error is a sentence.
    [[nodiscard]] static Result<Tokens, QString> load(const QByteArray &path);

    [[nodiscard]] QByteArray issue(const QByteArray &sandboxId, qint64 utcMs) const; ///< 64 hex digits.
    [[nodiscard]] bool accepts(const QByteArray &sandboxId, const QByteArray &token, qint64 utcMs) const;

private:
    explicit Tokens(QByteArray secret);
    [[nodiscard]] QByteArray compute(const QByteArray &sandboxId, qint64 hour) const;

    QByteArray m_secret;
};

} // namespace Pilothouse
