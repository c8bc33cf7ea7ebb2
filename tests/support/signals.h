// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#ifndef PILOTHOUSE_TESTS_SIGNALS_H
#define PILOTHOUSE_TESTS_SIGNALS_H

#include <QtGlobal>

class QProcess;

namespace Pilothouse::Tests {

/// Sends signal \a number to the one process \a pid. The only way a test sends a signal: a QProcess that has
/// ended gives the process number 0, and kill(2) would take that for the whole group, the test runner with
/// it. Returns false and signals nobody if \a pid does not name a single process or there is none.
[[nodiscard]] bool sendSignal(qint64 pid, int number);
/// \overload
[[nodiscard]] bool sendSignal(const QProcess &process, int number);

} // namespace Pilothouse::Tests

#endif
