// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <chrono>

namespace Pilothouse {

struct ServiceOptions {
    QByteArray listen = "127.0.0.1:0";
    QByteArray dataFolder; ///< Absolute.
    QByteArray keyFile; ///< Empty: the key comes from the environment.
    QByteArray endpointFile; ///< Empty: none.
    QList<QByteArray> hostSuffixes = {"localhost"}; ///< Of host names boxd-ID.SUFFIX.
    std::chrono::seconds idleExit{60}; ///< 0: never.
    bool isIdleExitGiven = false;
    bool detach = false;
    bool help = false;
    bool version = false;
    // For tests only.
    std::chrono::milliseconds keepAlive{15000};
    std::chrono::milliseconds transitionDelay{0};
};

/// The error is a sentence for the person who started the program.
[[nodiscard]] Result<ServiceOptions, QString> parseOptions(const QList<QByteArray> &arguments);
[[nodiscard]] QByteArray helpText();

} // namespace Pilothouse
