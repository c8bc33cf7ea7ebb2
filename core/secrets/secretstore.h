// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/secret.h"

#include <QString>

#include <functional>

namespace Pilothouse {

/// Where keys come from. Engine thread.
class SecretStore {
public:
    SecretStore() = default;
    virtual ~SecretStore() = default;
    Q_DISABLE_COPY_MOVE(SecretStore)

    /// The key that stands in the environment variable `variable`; empty if there is none or it is blank.
    [[nodiscard]] virtual Secret fromVariable(const QString &variable) const = 0;
};

/// Keys from environment variables, read through a function so that tests give their own.
class EnvironmentSecretStore final : public SecretStore {
public:
    explicit EnvironmentSecretStore(std::function<QString(const QString &)> environment)
        : m_environment(std::move(environment))
    { }
    [[nodiscard]] Secret fromVariable(const QString &variable) const override;

private:
    std::function<QString(const QString &)> m_environment;
};

} // namespace Pilothouse
