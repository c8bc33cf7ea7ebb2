// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

class QCoreApplication;

namespace Pilothouse::Cli {

class Console;

/// Parses the arguments, runs the command, returns the exit code.
int runCommandLine(QCoreApplication &app, Console *console);

} // namespace Pilothouse::Cli
