// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "secrets/secretstore.h"

namespace Pilothouse {

Secret EnvironmentSecretStore::fromVariable(const QString &variable) const
{
    return Secret(m_environment(variable).trimmed().toUtf8());
}

} // namespace Pilothouse
