// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Part of httpserver.cpp, the only file that may include it: Boost.Beast costs most of a minute to compile.

#include "eventloop.h"
#include "httpserver.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <deque>
#include <string>
#include <utility>

namespace Pilothouse::Http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds CloseHandshakeLimit(5);

/// What the server cuts when it closes.
class Cuttable {
public:
    virtual ~Cuttable() = default;
    virtual void cut() = 0;
};

inline asio::const_buffer asBuffer(const QByteArray &bytes)
{
    return asio::buffer(bytes.constData(), size_t(bytes.size()));
}

/// The server's side of a WebSocket. Keeps itself alive while something is under way on the socket.
class WebSocketSession final : public WebSocket,
                               public Cuttable,
                               public std::enable_shared_from_this<WebSocketSession> {
public:
    WebSocketSession(EventLoop &loop, tcp::socket socket, const HttpServerSettings &settings,
                     std::shared_ptr<void> slot)
        : m_ws(std::move(socket))
        , m_settings(settings)
        , m_slot(std::move(slot))
        , m_pingTimer(loop)
        , m_pongTimer(loop)
    { }

    template <typename Request>
    void accept(const Request &request, const QByteArray &protocol, qsizetype maxMessage,
                std::function<void(std::shared_ptr<WebSocket>)> handler)
    {
        websocket::stream_base::timeout limits{};
        limits.handshake_timeout = CloseHandshakeLimit;
        limits.idle_timeout = websocket::stream_base::none();
        limits.keep_alive_pings = false;
        m_ws.set_option(limits);
        // Captures only a pointer: Beast 1.81 does not destroy what a decorator holds.
        m_protocol = protocol.toStdString();
        m_ws.set_option(websocket::stream_base::decorator([this](websocket::response_type &response) {
            if (!m_protocol.empty())
                response.set(http::field::sec_websocket_protocol, m_protocol);
        }));
        m_ws.read_message_max(size_t(maxMessage));
        m_ws.auto_fragment(false);
        m_ws.control_callback([this](websocket::frame_type kind, beast::string_view) {
            if (kind == websocket::frame_type::pong)
                m_pongTimer.cancel();
        });
        m_ws.async_accept(request, [self = shared_from_this(), handler](const error_code &error) {
            if (error || self->m_closed) {
                handler(nullptr);
                return;
            }
            handler(self);
            self->read();
            self->schedulePing();
        });
    }

    void sendText(const QByteArray &utf8) override { send(utf8, true); }
    void sendBinary(const QByteArray &bytes) override { send(bytes, false); }
    [[nodiscard]] qint64 queuedBytes() const override { return m_queued; }
    void onMessage(std::function<void(const QByteArray &, bool)> handler) override
    {
        m_onMessage = std::move(handler);
    }
    void onDrained(std::function<void()> handler) override { m_onDrained = std::move(handler); }
    void onClosed(std::function<void()> handler) override { m_onClosed = std::move(handler); }

    void setReading(bool reading) override
    {
        m_reading = reading;
        read();
    }

    void close(int code, const QByteArray &reason) override
    {
        if (m_closed || m_closing)
            return;
        m_closing = true;
        m_reason = websocket::close_reason(websocket::close_code(code), reason.toStdString());
        m_pingTimer.cancel();
        m_pongTimer.cancel();
        if (m_queue.empty())
            sendClose();
    }

    void abort() override
    {
        m_closed = true;
        m_pingTimer.cancel();
        m_pongTimer.cancel();
        error_code ignored;
        m_ws.next_layer().close(ignored);
    }

    void cut() override { lost(); }

private:
    struct Frame {
        QByteArray bytes;
        bool isText = false;
    };

    void send(const QByteArray &bytes, bool isText)
    {
        if (m_closed || m_closing)
            return;
        m_queue.push_back({bytes, isText});
        m_queued += bytes.size();
        if (m_queue.size() == 1)
            writeFront();
    }

    void writeFront()
    {
        m_ws.text(m_queue.front().isText);
        m_ws.async_write(
            asBuffer(m_queue.front().bytes),
            [self = shared_from_this()](const error_code &error, size_t) { self->onWritten(error); });
    }

    void onWritten(const error_code &error)
    {
        m_queued -= m_queue.front().bytes.size();
        m_queue.pop_front();
        if (error) {
            lost();
            return;
        }
        if (!m_queue.empty())
            writeFront();
        else if (m_closing)
            sendClose();
        else if (const auto handler = m_onDrained)
            handler();
    }

    void sendClose()
    {
        if (m_closed)
            return;
        m_ws.async_close(m_reason, [self = shared_from_this()](const error_code &) { self->abort(); });
    }

    void read()
    {
        if (!m_reading || m_readPending || m_closed || m_closing)
            return;
        m_readPending = true;
        m_ws.async_read(m_buffer, [self = shared_from_this()](const error_code &error, size_t) {
            self->m_readPending = false;
            if (error) {
                self->lost();
                return;
            }
            const auto data = self->m_buffer.data();
            const QByteArray message(static_cast<const char *>(data.data()), qsizetype(data.size()));
            self->m_buffer.consume(self->m_buffer.size());
            const auto handler = self->m_onMessage;
            if (handler && !self->m_closing && !self->m_closed)
                handler(message, self->m_ws.got_text());
            self->read();
        });
    }

    // A pong is seen only while something is read, and a ping waits behind a write that the client does not
    // take. Neither is a sign of death, so the clock runs only when both are free.
    void schedulePing()
    {
        m_pingTimer.start(m_settings.pingInterval, [this] {
            if (!m_readPending || m_pingPending) {
                schedulePing();
                return;
            }
            m_pingPending = true;
            m_ws.async_ping({}, [self = shared_from_this()](const error_code &error) {
                self->m_pingPending = false;
                if (error || self->m_closed || self->m_closing)
                    return;
                self->m_pongTimer.start(self->m_settings.pongLimit, [raw = self.get()] {
                    if (raw->m_readPending)
                        raw->lost();
                });
                self->schedulePing();
            });
        });
    }

    void lost()
    {
        if (m_closed || m_closing)
            return; // Our own closing handshake has its own limit.
        const auto keep = shared_from_this();
        const auto handler = std::exchange(m_onClosed, nullptr);
        abort();
        m_onMessage = nullptr;
        m_onDrained = nullptr;
        if (handler)
            handler();
    }

    websocket::stream<tcp::socket> m_ws;
    HttpServerSettings m_settings;
    std::shared_ptr<void> m_slot; // Counts as a connection while it lives.
    Timer m_pingTimer;
    Timer m_pongTimer;
    beast::flat_buffer m_buffer;
    std::deque<Frame> m_queue;
    qint64 m_queued = 0;
    websocket::close_reason m_reason;
    std::string m_protocol;
    std::function<void(const QByteArray &, bool)> m_onMessage;
    std::function<void()> m_onDrained;
    std::function<void()> m_onClosed;
    bool m_reading = true;
    bool m_readPending = false;
    bool m_pingPending = false;
    bool m_closing = false;
    bool m_closed = false;
};

} // namespace Pilothouse::Http
