// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engineoptions.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace Pilothouse::Desktop {

/// What the arguments ask for.
struct CommandLine {
    EngineOptions engine;
    bool tour = false; ///< Start the tour once the engine is open.
    std::optional<int>
        exitCode; ///< Leave at once, after writing `output` (0: standard output, else standard error).
    QString output;
};

[[nodiscard]] CommandLine parseCommandLine(const QStringList &arguments);

} // namespace Pilothouse::Desktop
