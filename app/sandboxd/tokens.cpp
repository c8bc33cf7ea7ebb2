// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "tokens.h"

#include "posix.h"

#include <QCryptographicHash>
#include <QMessageAuthenticationCode>

#include <cerrno>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype SecretBytes = 32;
constexpr qint64 HourMs = 3600 * 1000;

} // namespace

Tokens::Tokens(QByteArray secret)
    : m_secret(std::move(secret))
{ }

Result<Tokens, QString> Tokens::load(const QByteArray &path)
{
    const auto stored = readFile(path, SecretBytes);
    if (stored && stored->size() == SecretBytes)
        return Tokens(*stored);
    if (!stored && stored.error() != ENOENT)
        return fail(u"%1 cannot be read: %2."_s.arg(QString::fromLocal8Bit(path), errnoText(stored.error())));
    // A damaged one is replaced: tokens are fetched anew by every client that is refused.
    const QByteArray secret = randomBytes(SecretBytes);
    if (const auto written = replaceFile(path, secret, true); !written)
        return fail(
            u"%1 cannot be written: %2."_s.arg(QString::fromLocal8Bit(path), errnoText(written.error())));
    return Tokens(secret);
}

QByteArray Tokens::compute(const QByteArray &sandboxId, qint64 hour) const
{
    const QByteArray text = sandboxId + '\n' + QByteArray::number(hour);
    return QMessageAuthenticationCode::hash(text, m_secret, QCryptographicHash::Sha256).toHex();
}

QByteArray Tokens::issue(const QByteArray &sandboxId, qint64 utcMs) const
{
    return compute(sandboxId, utcMs / HourMs);
}

bool Tokens::accepts(const QByteArray &sandboxId, const QByteArray &token, qint64 utcMs) const
{
    const qint64 hour = utcMs / HourMs;
    const bool isCurrent = equalsInConstantTime(token, compute(sandboxId, hour));
    const bool isPrevious = equalsInConstantTime(token, compute(sandboxId, hour - 1));
    return isCurrent || isPrevious;
}

} // namespace Pilothouse
