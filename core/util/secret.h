// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QString>

class QDebug;

namespace Pilothouse {

/// A key or token. Never printable: no conversion, no QDebug, no comparison that depends on the content's
/// timing. Wipes its own copy when it is destroyed; QByteArray's sharing is avoided by copying deep.
class Secret {
public:
    Secret() = default;
    explicit Secret(const QByteArray &value);
    Secret(const Secret &other);
    Secret(Secret &&other) noexcept;
    Secret &operator=(const Secret &other);
    Secret &operator=(Secret &&other) noexcept;
    ~Secret();

    [[nodiscard]] bool isEmpty() const { return m_value.isEmpty(); }
    /// The value itself, for a request header and nothing else.
    [[nodiscard]] QByteArray reveal() const { return m_value; }
    /// `text` with every occurrence of the secret replaced by "[redacted]". Used on every text that came from
    /// outside.
    [[nodiscard]] QString redact(QString text) const;
    [[nodiscard]] QByteArray redact(QByteArray bytes) const;
    [[nodiscard]] bool equals(const Secret &other) const; ///< Constant time for equal lengths.

private:
    void wipe();
    QByteArray m_value;
};

QDebug operator<<(QDebug debug, const Secret &) = delete;

} // namespace Pilothouse
