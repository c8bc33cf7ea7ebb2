// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"

namespace Pilothouse::Cli {

// Commands that only read the log: they work while another program owns the data folder. Each returns the
// exit code.

int listCommand(const QString &dataDir, bool json, Console *console);
int showCommand(const QString &dataDir, const QString &conversation, bool json, Console *console);
int exportCommand(const QString &dataDir, const QString &conversation, const QString &format,
                  const QString &file, Console *console);
int searchCommand(const QString &dataDir, const QString &words, bool json, Console *console);

/// The whole id for an id or its first characters; empty after printing why not (exit code in `exitCode`).
[[nodiscard]] QString resolveConversation(const QString &dataDir, const QString &text, Console *console,
                                          int *exitCode);

} // namespace Pilothouse::Cli
