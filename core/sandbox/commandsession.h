// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QObject>

namespace Pilothouse {

/// One running command. Signals on later event-loop turns, in order: started, output*, finished (exactly
/// once). Destroying it closes the socket quietly (the service then kills the process group, as far as it is
/// known).
class CommandSession : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// INT, TERM, HUP, QUIT; others are ignored by the service, use SandboxClient::signalCall for KILL.
    virtual void sendSignal(const QString &name) = 0;
    virtual void close() = 0; ///< Drops the connection; finished() follows with Unknown unless it came
                              ///< before.
Q_SIGNALS:
    void started(); ///< The start frame left this process: from here on a lost connection means outcome
                    ///< unknown.
    void output(Pilothouse::OutputChannel channel, const QByteArray &bytes);
    void finished(const Pilothouse::CommandOutcome &outcome);
};

} // namespace Pilothouse
