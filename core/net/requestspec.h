// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/secret.h"

#include <QByteArray>
#include <QList>
#include <QPair>
#include <QUrl>

#include <chrono>
#include <optional>

namespace Pilothouse {

/// Which managers a request uses. Qt allows six connections per host and manager, so endless streams, short
/// control calls and bulk transfers must not share one.
enum class Lane { Control = 1, Stream, Transfer };

/// One HTTP request as a value. Secrets stand in `secretHeaders` only; they are redacted from every text that
/// comes back.
struct RequestSpec {
    QByteArray method = "GET";
    QUrl url;
    QList<QPair<QByteArray, QByteArray>> headers;
    QList<QPair<QByteArray, Secret>> secretHeaders;
    QByteArray body; ///< With POST and PATCH; empty means Content-Length: 0.
    QByteArray contentType = "application/json"; ///< Not sent when empty.
    /// False for what must not be done twice (exec, create): the body then goes out from a sequential device
    /// so that Qt cannot resend it, and a lost answer is ApiError::outcomeUnknown.
    bool repeatable = true;
    bool stream = false; ///< Deliver body pieces by bodyReceived, ask for identity encoding, do not collect.
    qint64 maxBytes =
        16 * 1024 * 1024; ///< Larger answers fail with TooLarge. Streams: of the whole stream; 0 = none.
    std::chrono::milliseconds firstByteTimeout{30000}; ///< From start to response headers.
    std::chrono::milliseconds idleTimeout{30000}; ///< Between pieces of the body; any byte restarts it.
    std::chrono::milliseconds totalTimeout{0}; ///< 0 = none.
    /// How long it may be silent when this computer slept or changed its address in the middle of it, from
    /// the moment the network is there again. Empty: short for what can be repeated, longer than the
    /// services' signs of life for what cannot. 0: as long as ever.
    std::optional<std::chrono::milliseconds> silenceAfterWake;
};

} // namespace Pilothouse
