// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>
#include <QStringList>

namespace Pilothouse {

/// The files that are built into this library: the provider registry and the shipped scenarios.
/// A static library's resources are only there once they have been asked for; this does it.
struct ModelResources {
    [[nodiscard]] static QString scenarioPath(
        const QString &name); ///< Of demo/NAME, whether it exists or not.
    [[nodiscard]] static QStringList scenarioNames();
    [[nodiscard]] static QString registryPath();
};

} // namespace Pilothouse
