// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "net/networkaccess.h"
#include "sandbox/sandboxclient.h"
#include "support/loopbackserver.h"

#include <QTest>

#include <memory>
#include <optional>

namespace Pilothouse::Tests {

/// What a call replied, and how often.
template <typename T>
struct Got {
    int count = 0;
    std::optional<Result<T, ApiError>> result;

    [[nodiscard]] Reply<T> reply()
    {
        return [this](const Result<T, ApiError> &value) {
            ++count;
            result = value;
        };
    }
    [[nodiscard]] bool ok() const { return result && result->has_value(); }
    [[nodiscard]] ApiError error() const
    {
        return result && !result->has_value() ? result->error() : ApiError();
    }
    [[nodiscard]] QString category() const
    {
        if (!result)
            return QStringLiteral("none");
        return ok() ? QStringLiteral("ok") : categoryName(result->error().category);
    }
};

/// A client with short waits, and a loopback server that plays the service.
struct SandboxFixture {
    LoopbackServer server;
    NetworkAccess network;
    std::unique_ptr<SandboxClient> client;
    QObject context; ///< For the calls; dies before the client.

    explicit SandboxFixture(const QByteArray &key = "ss_test_key_1")
    {
        SandboxEndpoint endpoint;
        endpoint.backend = QStringLiteral("superserve");
        endpoint.control = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(server.port()));
        endpoint.apiKey = Secret(key);
        client = std::make_unique<SandboxClient>(&network, endpoint, nullptr, timing());
    }

    [[nodiscard]] static SandboxTiming timing()
    {
        SandboxTiming timing;
        timing.call = std::chrono::seconds(5);
        timing.longCall = std::chrono::seconds(5);
        timing.dial = std::chrono::seconds(5);
        timing.pollFirst = std::chrono::milliseconds(5);
        timing.pausePollFirst = std::chrono::milliseconds(2);
        timing.pollMost = std::chrono::milliseconds(10);
        timing.pollTotal = std::chrono::milliseconds(1200);
        timing.pauseGrace = std::chrono::milliseconds(400);
        return timing;
    }

    [[nodiscard]] static QByteArray sandbox(const QByteArray &status, const QByteArray &token = "tok-1")
    {
        return "{\"id\":\"sb-1\",\"name\":\"n\",\"status\":\"" + status
            + "\",\"created_at\":\"2026-01-01T00:00:00Z\",\"metadata\":{\"a\":\"b\"},\"unknown\":[1]"
            + (token.isEmpty() ? QByteArray() : QByteArray(",\"access_token\":\"" + token + '"')) + '}';
    }
};

} // namespace Pilothouse::Tests
