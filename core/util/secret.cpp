// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/secret.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
// Shorter values would redact ordinary words; keys and tokens are far longer.
constexpr qsizetype ShortestRedacted = 6;
} // namespace

Secret::Secret(const QByteArray &value)
    : m_value(value.constData(), value.size())
{ }

Secret::Secret(const Secret &other)
    : m_value(other.m_value.constData(), other.m_value.size())
{ }

Secret::Secret(Secret &&other) noexcept
    : m_value(std::move(other.m_value))
{
    other.m_value.clear();
}

Secret &Secret::operator=(const Secret &other)
{
    if (this != &other) {
        wipe();
        m_value = QByteArray(other.m_value.constData(), other.m_value.size());
    }
    return *this;
}

Secret &Secret::operator=(Secret &&other) noexcept
{
    if (this != &other) {
        wipe();
        m_value = std::move(other.m_value);
        other.m_value.clear();
    }
    return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe()
{
    if (m_value.isDetached())
        m_value.fill('\0');
    m_value.clear();
}

QString Secret::redact(QString text) const
{
    if (m_value.size() >= ShortestRedacted)
        text.replace(QString::fromUtf8(m_value), u"[redacted]"_s);
    return text;
}

QByteArray Secret::redact(QByteArray bytes) const
{
    if (m_value.size() >= ShortestRedacted)
        bytes.replace(m_value, "[redacted]");
    return bytes;
}

bool Secret::equals(const Secret &other) const
{
    if (m_value.size() != other.m_value.size())
        return false;
    unsigned char difference = 0;
    for (qsizetype i = 0; i < m_value.size(); ++i)
        difference = static_cast<unsigned char>(difference | (m_value[i] ^ other.m_value[i]));
    return difference == 0;
}

} // namespace Pilothouse
