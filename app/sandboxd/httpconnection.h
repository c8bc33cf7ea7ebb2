// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Part of httpserver.cpp, the only file that may include it: Boost.Beast costs most of a minute to compile.

#include "websocketsession.h"

#include <boost/asio/write.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include <deque>
#include <sys/socket.h>
#include <utility>

namespace Pilothouse::Http {

// Ours stay below 2 KiB; a larger header is an attack or a mistake.
constexpr std::uint32_t MaxHeaderBytes = 16 * 1024;
// A body up to this is read before the handler runs, so that a refusal keeps the connection.
constexpr qint64 EagerBody = 64 * 1024;
constexpr qsizetype BodyPart = 256 * 1024;
// An upload that stands still holds a connection for nothing.
constexpr std::chrono::seconds BodyIdleLimit(60);
// Read and dropped after an early refusal, so that the refusal can be read.
constexpr qint64 MaxLinger = 8 * 1024 * 1024;
constexpr std::chrono::seconds LingerLimit(2);

inline QByteArray toBytes(beast::string_view text) { return QByteArray(text.data(), qsizetype(text.size())); }

inline QByteArray headText(const HttpResponse &response, const QByteArray &framing, bool keepAlive)
{
    const auto reason = http::obsolete_reason(http::int_to_status(unsigned(response.status)));
    QByteArray head = "HTTP/1.1 " + QByteArray::number(response.status) + ' ' + toBytes(reason) + "\r\n";
    for (const HttpHeader &header : response.headers)
        head += header.name + ": " + header.value + "\r\n";
    return head + framing + (keepAlive ? "" : "Connection: close\r\n") + "\r\n";
}

class Connection;

/// One request on a connection.

class Exchange final : public HttpExchange, public std::enable_shared_from_this<Exchange> {
public:
    Exchange(std::shared_ptr<Connection> connection, HttpRequest request)
        : m_connection(std::move(connection))
        , m_request(std::move(request))
    { }

    [[nodiscard]] const HttpRequest &request() const override { return m_request; }
    void respond(const HttpResponse &response) override;
    void begin(const HttpResponse &head, std::optional<qint64> length) override;
    void write(const QByteArray &bytes) override;
    void end() override;
    void abort() override;
    [[nodiscard]] qint64 queuedBytes() const override;
    void onDrained(std::function<void()> handler) override { m_onDrained = std::move(handler); }
    void onGone(std::function<void()> handler) override { m_onGone = std::move(handler); }
    void readBody(qint64 limit, std::function<void(Result<QByteArray, BodyError>)> handler) override;
    void readChunk(std::function<void(BodyChunk)> handler) override;
    void acceptWebSocket(const QByteArray &protocol, qsizetype maxMessage,
                         std::function<void(std::shared_ptr<WebSocket>)> handler) override;

    /// Breaks the tie to the connection; what the handler still calls does nothing.
    void detach(bool gone)
    {
        m_connection.reset();
        m_onDrained = nullptr;
        const auto handler = std::exchange(m_onGone, nullptr);
        if (gone && handler)
            handler();
    }
    void drained()
    {
        if (const auto handler = m_onDrained)
            handler();
    }

private:
    std::shared_ptr<Connection> m_connection; // Null once answered.
    HttpRequest m_request;
    std::function<void()> m_onDrained;
    std::function<void()> m_onGone;
    QByteArray m_body;
    bool m_begun = false;
    bool m_chunked = false;
};

/// One client's connection: reads requests one after another, frames the answers.
class Connection final : public Cuttable, public std::enable_shared_from_this<Connection> {
public:
    using TrackFunction = std::function<void(const std::shared_ptr<Cuttable> &)>;

    Connection(EventLoop &loop, tcp::socket socket, const HttpServerSettings &settings,
               std::shared_ptr<void> slot, HttpServer::Handler handler, TrackFunction track)
        : m_loop(loop)
        , m_socket(std::move(socket))
        , m_settings(settings)
        , m_slot(std::move(slot))
        , m_handler(std::move(handler))
        , m_track(std::move(track))
        , m_timer(loop)
    { }

    void readRequest()
    {
        m_parser.emplace();
        m_parser->header_limit(MaxHeaderBytes);
        m_parser->body_limit(boost::none); // Bounded by who reads it.
        m_continueExpected = false;
        if (m_buffer.size() > 0) {
            readHeader();
            return;
        }
        m_timer.start(m_isFirst ? m_settings.headerLimit : m_settings.idleLimit, [this] { close(); });
        m_socket.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code &error) {
            if (error)
                self->close();
            else
                self->readHeader();
        });
    }

    void cut() override { lost(); }

    // For Exchange.

    void send(const QByteArray &bytes)
    {
        if (bytes.isEmpty() || !m_socket.is_open())
            return;
        m_queue.push_back(bytes);
        m_queued += bytes.size();
        if (m_queue.size() == 1)
            writeFront();
    }

    void finish()
    {
        m_ending = true;
        if (m_queue.empty())
            finished();
    }

    void close()
    {
        m_timer.cancel();
        ++m_watch;
        error_code ignored;
        m_socket.close(ignored);
        if (const auto exchange = std::exchange(m_exchange, nullptr))
            exchange->detach(false);
    }

    /// The rest of a body that nobody wants ends the connection; a client that waits for "100 Continue" too.
    [[nodiscard]] bool keepsAlive() const { return m_keepAlive && m_parser && m_parser->is_done(); }
    [[nodiscard]] bool isHttp10() const { return m_isHttp10; }
    [[nodiscard]] qint64 queuedBytes() const { return m_queued; }

    void readChunk(std::function<void(BodyChunk)> handler)
    {
        if (m_parser->is_done()) {
            m_loop.post([handler = std::move(handler)] { handler({{}, true, false}); });
            return;
        }
        if (std::exchange(m_continueExpected, false))
            send("HTTP/1.1 100 Continue\r\n\r\n");
        m_part.resize(BodyPart);
        auto &body = m_parser->get().body();
        body.data = m_part.data();
        body.size = size_t(m_part.size());
        body.more = true;
        m_timer.start(BodyIdleLimit, [this] { lost(); });
        http::async_read_some(
            m_socket, m_buffer, *m_parser,
            [self = shared_from_this(), handler = std::move(handler)](error_code error, size_t) mutable {
                self->m_timer.cancel();
                if (error == http::error::need_buffer)
                    error = {};
                const bool last = !error && self->m_parser->is_done();
                self->m_part.truncate(self->m_part.size() - qsizetype(self->m_parser->get().body().size));
                if (!error && !last && self->m_part.isEmpty()) {
                    self->readChunk(std::move(handler));
                    return;
                }
                const BodyChunk chunk = {std::exchange(self->m_part, {}), last, bool(error)};
                if (last)
                    self->watch();
                handler(chunk);
                if (error)
                    self->lost();
            });
    }

    void acceptWebSocket(const QByteArray &protocol, qsizetype maxMessage,
                         std::function<void(std::shared_ptr<WebSocket>)> handler)
    {
        ++m_watch;
        m_timer.cancel();
        const auto exchange = std::exchange(m_exchange, nullptr);
        const auto session = std::make_shared<WebSocketSession>(m_loop, std::move(m_socket), m_settings,
                                                                std::exchange(m_slot, nullptr));
        m_track(session);
        exchange->detach(false);
        session->accept(m_parser->get(), protocol, maxMessage, std::move(handler));
    }

private:
    void readHeader()
    {
        m_isFirst = false;
        m_timer.start(m_settings.headerLimit, [this] { close(); });
        http::async_read_header(m_socket, m_buffer, *m_parser,
                                [self = shared_from_this()](const error_code &error, size_t) {
                                    self->m_timer.cancel();
                                    self->onHeader(error);
                                });
    }

    void onHeader(const error_code &error)
    {
        if (error == http::error::header_limit) {
            refuse(431, "request header too large");
            return;
        }
        if (error) {
            if (error.category() == http::make_error_code(http::error::bad_target).category()
                && error != http::error::end_of_stream && error != http::error::partial_message)
                refuse(400, "malformed request");
            else
                close();
            return;
        }
        const auto &message = m_parser->get();
        HttpRequest request;
        request.method = toBytes(message.method_string());
        const QByteArray target = toBytes(message.target());
        const qsizetype mark = target.indexOf('?');
        request.path = mark < 0 ? target : target.first(mark);
        request.query = mark < 0 ? QByteArray() : target.sliced(mark + 1);
        if (!request.path.startsWith('/')) {
            refuse(400, "malformed request");
            return;
        }
        while (request.path.contains("//"))
            request.path.replace("//", "/");
        for (const auto &field : message)
            request.headers.append({toBytes(field.name_string()), toBytes(field.value())});
        if (const auto length = m_parser->content_length())
            request.contentLength = qint64(qMin<quint64>(*length, quint64(INT64_MAX)));
        request.isWebSocketUpgrade = websocket::is_upgrade(message);
        m_keepAlive = m_parser->keep_alive();
        m_isHttp10 = message.version() == 10;
        m_continueExpected = request.header("Expect").compare("100-continue", Qt::CaseInsensitive) == 0;
        m_ending = false;
        m_exchange = std::make_shared<Exchange>(shared_from_this(), std::move(request));
        readEagerly({});
    }

    void readEagerly(const QByteArray &soFar)
    {
        const auto exchange = m_exchange;
        const std::optional<qint64> length = exchange->request().contentLength;
        if (m_parser->is_done() || m_continueExpected || !length || *length > EagerBody) {
            m_eager = soFar;
            if (m_parser->is_done())
                watch();
            m_handler(exchange);
            return;
        }
        readChunk([this, self = shared_from_this(), soFar](const BodyChunk &chunk) {
            if (!chunk.failed && m_exchange)
                readEagerly(soFar + chunk.bytes);
        });
    }

public:
    [[nodiscard]] QByteArray takeEager() { return std::exchange(m_eager, {}); }

private:
    /// While the answer is being made nothing is expected from the client but its end.
    void watch()
    {
        if (m_buffer.size() > 0)
            return;
        m_socket.async_wait(tcp::socket::wait_read,
                            [self = shared_from_this(), id = ++m_watch](const error_code &error) {
                                if (error || id != self->m_watch || !self->m_exchange)
                                    return;
                                char byte = 0;
                                const ssize_t count =
                                    ::recv(self->m_socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
                                if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
                                    self->lost();
                            });
    }

    void writeFront()
    {
        asio::async_write(
            m_socket, asBuffer(m_queue.front()),
            [self = shared_from_this()](const error_code &error, size_t) { self->onWritten(error); });
    }

    void onWritten(const error_code &error)
    {
        m_queued -= m_queue.front().size();
        m_queue.pop_front();
        if (error) {
            lost();
            return;
        }
        if (!m_queue.empty())
            writeFront();
        else if (m_ending)
            finished();
        else if (const auto exchange = m_exchange)
            exchange->drained();
    }

    void finished()
    {
        m_ending = false;
        ++m_watch;
        const bool again = keepsAlive();
        if (const auto exchange = std::exchange(m_exchange, nullptr))
            exchange->detach(false);
        if (again)
            readRequest();
        else
            linger();
    }

    /// Closing with unread input would reset the connection and could destroy the answer on its way.
    void linger()
    {
        error_code ignored;
        m_socket.shutdown(tcp::socket::shutdown_send, ignored);
        m_timer.start(LingerLimit, [this] { close(); });
        m_part.resize(BodyPart);
        drop(0);
    }

    void drop(qint64 dropped)
    {
        m_socket.async_read_some(asio::buffer(m_part.data(), size_t(m_part.size())),
                                 [self = shared_from_this(), dropped](const error_code &error, size_t count) {
                                     if (error || dropped > MaxLinger)
                                         self->close();
                                     else
                                         self->drop(dropped + qint64(count));
                                 });
    }

    void refuse(int status, const QByteArray &text)
    {
        m_keepAlive = false;
        const HttpResponse response = {status, {{"Content-Type", "text/plain; charset=utf-8"}}, {}};
        const QByteArray framing = "Content-Length: " + QByteArray::number(text.size() + 1) + "\r\n";
        send(headText(response, framing, false) + text + '\n');
        m_parser.reset();
        finish();
    }

    void lost()
    {
        const auto keep = shared_from_this();
        const auto exchange = std::exchange(m_exchange, nullptr);
        close();
        if (exchange)
            exchange->detach(true);
    }

    EventLoop &m_loop;
    tcp::socket m_socket;
    HttpServerSettings m_settings;
    std::shared_ptr<void> m_slot;
    HttpServer::Handler m_handler;
    TrackFunction m_track;
    Timer m_timer;
    beast::flat_buffer m_buffer{MaxHeaderBytes * 5}; // Header or one read of a body.
    std::optional<http::request_parser<http::buffer_body>> m_parser;
    std::shared_ptr<Exchange> m_exchange;
    std::deque<QByteArray> m_queue;
    qint64 m_queued = 0;
    QByteArray m_eager;
    QByteArray m_part;
    quint64 m_watch = 0;
    bool m_isFirst = true;
    bool m_keepAlive = false;
    bool m_isHttp10 = false;
    bool m_continueExpected = false;
    bool m_ending = false;
};

inline void Exchange::respond(const HttpResponse &response)
{
    if (!m_connection || m_begun)
        return;
    m_begun = true;
    const auto connection = m_connection;
    const bool bodyless = response.status == 204 || response.status == 304;
    const QByteArray framing =
        bodyless ? QByteArray() : "Content-Length: " + QByteArray::number(response.body.size()) + "\r\n";
    QByteArray bytes = headText(response, framing, connection->keepsAlive());
    if (!bodyless)
        bytes += response.body;
    connection->send(bytes);
    connection->finish();
}

inline void Exchange::begin(const HttpResponse &head, std::optional<qint64> length)
{
    if (!m_connection || m_begun)
        return;
    m_begun = true;
    // A client of HTTP/1.0 knows no chunks: its body ends with the connection, which then is not kept.
    m_chunked = !length && !m_connection->isHttp10();
    const QByteArray framing = length ? "Content-Length: " + QByteArray::number(*length) + "\r\n"
                                      : QByteArray(m_chunked ? "Transfer-Encoding: chunked\r\n" : "");
    m_connection->send(headText(head, framing, m_connection->keepsAlive() && (length || m_chunked)));
}

inline void Exchange::write(const QByteArray &bytes)
{
    if (!m_connection || bytes.isEmpty())
        return;
    m_connection->send(m_chunked ? QByteArray(QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n")
                                 : bytes);
}

inline void Exchange::end()
{
    if (const auto connection = m_connection) {
        if (m_chunked)
            connection->send("0\r\n\r\n");
        connection->finish();
    }
}

inline void Exchange::abort()
{
    m_onGone = nullptr;
    if (const auto connection = m_connection)
        connection->close();
}

inline qint64 Exchange::queuedBytes() const { return m_connection ? m_connection->queuedBytes() : 0; }

inline void Exchange::readChunk(std::function<void(BodyChunk)> handler)
{
    if (!m_connection)
        return;
    const QByteArray eager = m_connection->takeEager();
    if (eager.isEmpty())
        m_connection->readChunk(std::move(handler));
    else
        handler({eager, false, false});
}

inline void Exchange::readBody(qint64 limit, std::function<void(Result<QByteArray, BodyError>)> handler)
{
    if (m_request.contentLength.value_or(0) > limit) {
        handler(fail(BodyError::TooLarge));
        return;
    }
    readChunk([self = shared_from_this(), limit, handler = std::move(handler)](const BodyChunk &chunk) {
        self->m_body += chunk.bytes;
        if (chunk.failed)
            handler(fail(BodyError::Failed));
        else if (self->m_body.size() > limit)
            handler(fail(BodyError::TooLarge));
        else if (chunk.last)
            handler(std::exchange(self->m_body, {}));
        else
            self->readBody(limit, handler);
    });
}

inline void Exchange::acceptWebSocket(const QByteArray &protocol, qsizetype maxMessage,
                                      std::function<void(std::shared_ptr<WebSocket>)> handler)
{
    if (!m_connection || m_begun) {
        handler(nullptr);
        return;
    }
    m_begun = true;
    const auto connection = m_connection;
    connection->acceptWebSocket(protocol, maxMessage, std::move(handler));
}

} // namespace Pilothouse::Http
