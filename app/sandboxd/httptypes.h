// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/result.h"

#include <QByteArray>
#include <QList>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace Pilothouse {

struct HttpHeader {
    QByteArray name;
    QByteArray value;
};

/// The head of a request. All of it is hostile; sizes are bounded by the server.
struct HttpRequest {
    QByteArray method; ///< As sent, for example "GET".
    QByteArray path; ///< The target up to "?", not decoded; runs of slashes collapsed.
    QByteArray query; ///< After "?", not decoded.
    QList<HttpHeader> headers; ///< In the order they were sent.
    std::optional<qint64> contentLength;
    bool isWebSocketUpgrade = false;

    /// First value of the header `name` (any case); empty if absent.
    [[nodiscard]] QByteArray header(QByteArrayView name) const;
    [[nodiscard]] qsizetype headerCount(QByteArrayView name) const;
};

struct HttpResponse {
    int status = 200;
    QList<HttpHeader> headers; ///< Without Content-Length, Transfer-Encoding and Connection.
    QByteArray body; ///< Not with a status that has none (204).
};

/// One message stream to a client after an upgrade. Shared between the server and the handler; the connection
/// lives until close(), abort() or the client's end. Set the callbacks at once, in the turn that hands it
/// out.
class WebSocket {
public:
    WebSocket() = default;
    virtual ~WebSocket() = default;
    Q_DISABLE_COPY_MOVE(WebSocket)

    virtual void sendText(const QByteArray &utf8) = 0;
    virtual void sendBinary(const QByteArray &bytes) = 0;
    virtual void close(int code,
                       const QByteArray &reason) = 0; ///< After what is queued. Nothing can be sent later.
    virtual void abort() = 0; ///< At once, without a closing handshake. onClosed is not called.
    virtual void setReading(
        bool reading) = 0; ///< Off: messages stay in the network, the client's sends block.
    [[nodiscard]] virtual qint64 queuedBytes() const = 0;
    virtual void onMessage(std::function<void(const QByteArray &message, bool isText)> handler) = 0;
    virtual void onDrained(std::function<void()> handler) = 0; ///< Each time the queue has become empty.
    virtual void onClosed(
        std::function<void()> handler) = 0; ///< Once: the client closed, broke the rules or is gone.
};

/// A part of a request body. With `failed` the client is gone or sent nonsense; nothing follows.
struct BodyChunk {
    QByteArray bytes;
    bool last = false;
    bool failed = false;
};

enum class BodyError { TooLarge = 1, Failed };

/// One request and its answer. Shared between the server and the handler. Exactly one of respond(),
/// begin() … end(), acceptWebSocket() and abort() answers it; later calls do nothing.
class HttpExchange {
public:
    HttpExchange() = default;
    virtual ~HttpExchange() = default;
    Q_DISABLE_COPY_MOVE(HttpExchange)

    [[nodiscard]] virtual const HttpRequest &request() const = 0;
    virtual void respond(const HttpResponse &response) = 0;
    /// Starts an answer whose body comes by write(): `length` bytes, or chunked if not given.
    virtual void begin(const HttpResponse &head, std::optional<qint64> length) = 0;
    virtual void write(const QByteArray &bytes) = 0;
    virtual void end() = 0;
    virtual void abort() = 0; ///< Cuts the connection, so that the client cannot take the answer for whole.
    [[nodiscard]] virtual qint64 queuedBytes() const = 0;
    virtual void onDrained(std::function<void()> handler) = 0; ///< Each time the queue has become empty.
    virtual void onGone(
        std::function<void()> handler) = 0; ///< Once, if the client leaves before the answer ends.
    /// The whole body, if it is not longer than `limit`. Not together with readChunk().
    virtual void readBody(qint64 limit, std::function<void(Result<QByteArray, BodyError>)> handler) = 0;
    virtual void readChunk(
        std::function<void(BodyChunk)> handler) = 0; ///< The next part. One call at a time.
    /// Upgrades; `protocol` is the selected subprotocol, longer messages than `maxMessage` close with 1009.
    /// The handler gets nullptr if the handshake failed. Only if request().isWebSocketUpgrade.
    virtual void acceptWebSocket(const QByteArray &protocol, qsizetype maxMessage,
                                 std::function<void(std::shared_ptr<WebSocket>)> handler) = 0;
};

using HttpExchangePtr = std::shared_ptr<HttpExchange>;

/// Name and value pairs of a form-encoded query, decoded ("+" is a space). Malformed escapes stay as they
/// are.
[[nodiscard]] QList<std::pair<QByteArray, QByteArray>> parseQuery(const QByteArray &query);
/// First value of `name`, if present.
[[nodiscard]] std::optional<QByteArray> queryValue(const QByteArray &query, QByteArrayView name);
[[nodiscard]] QByteArray percentDecoded(const QByteArray &text); ///< "+" stays.

} // namespace Pilothouse
