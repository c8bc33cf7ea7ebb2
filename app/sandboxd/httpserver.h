// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "httptypes.h"

#include <QString>

#include <chrono>
#include <functional>
#include <memory>

namespace Pilothouse {

class EventLoop;

struct HttpServerSettings {
    qsizetype maxConnections = 256; ///< More are answered 429 and closed.
    std::chrono::milliseconds headerLimit{10000}; ///< A request's header must be here by then.
    std::chrono::milliseconds idleLimit{75000}; ///< A kept connection without a request is closed.
    std::chrono::milliseconds pingInterval{30000}; ///< WebSockets.
    std::chrono::milliseconds pongLimit{10000};
};

struct ListenError {
    bool addressInUse = false;
    QString message;
};

/// HTTP/1.1 and WebSocket on one loopback port. Parses, bounds and frames; knows no path. The handler is
/// called once for each request when its header has arrived (and its body too, if that is small).
class HttpServer {
public:
    using Handler = std::function<void(const HttpExchangePtr &)>;

    HttpServer(EventLoop &loop, const HttpServerSettings &settings, Handler handler);
    ~HttpServer();
    Q_DISABLE_COPY_MOVE(HttpServer)

    /// `address` as 127.0.0.1:PORT or [::1]:PORT, port 0 for any; other addresses are refused.
    [[nodiscard]] Result<Done, ListenError> listen(const QByteArray &address);
    [[nodiscard]] QByteArray origin() const; ///< For example http://127.0.0.1:43121.
    void close(); ///< No new connections; open ones are cut.

private:
    class Private;
    std::shared_ptr<Private> d;
};

} // namespace Pilothouse
