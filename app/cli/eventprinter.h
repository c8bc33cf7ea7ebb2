// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"
#include "util/event.h"

#include <QHash>
#include <QSet>

namespace Pilothouse::Cli {

/// Events as text for a person: answer text as it comes, calls as "> NAME ARGS", results as one JSON line,
/// what went wrong on standard error.
class EventPrinter {
public:
    explicit EventPrinter(Console *console)
        : m_console(console)
    { }
    void print(const Event &event);
    [[nodiscard]] QString callLine(
        const QString &callId) const; ///< "> NAME ARGS" of a call that was printed.

private:
    Console *m_console;
    /// Says whose result follows, unless it can only be that of the call printed just before.
    void printWhose(const QString &callId);

    QHash<QString, QString> m_callLines;
    QSet<QString> m_open; ///< Calls printed whose end was not.
    QString m_last; ///< Call whose line or end was printed last.
};

} // namespace Pilothouse::Cli
