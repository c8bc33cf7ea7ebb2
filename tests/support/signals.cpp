// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/signals.h"

#include <QProcess>

#include <csignal>

namespace Pilothouse::Tests {

bool sendSignal(qint64 pid, int number) { return pid > 1 && ::kill(static_cast<pid_t>(pid), number) == 0; }

bool sendSignal(const QProcess &process, int number) { return sendSignal(process.processId(), number); }

} // namespace Pilothouse::Tests
