// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace Pilothouse {

/// SIGINT, SIGTERM and SIGHUP as Qt signals, through a socket pair, as signal handlers may do next to
/// nothing.
class UnixSignals : public QObject {
    Q_OBJECT
public:
    explicit UnixSignals(QObject *parent = nullptr);
    ~UnixSignals() override;
Q_SIGNALS:
    void interrupted(); ///< Each time; a hang-up only if nothing was signalled before it.
private:
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace Pilothouse
