// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "httpserver.h"

#include "httpconnection.h"

#include <boost/asio/io_context.hpp>

#include <utility>
#include <vector>

namespace Pilothouse {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Http::Cuttable;

namespace {

constexpr std::chrono::milliseconds AcceptRetry(100); // After "too many open files" and its like.

} // namespace

class HttpServer::Private : public std::enable_shared_from_this<HttpServer::Private> {
public:
    Private(EventLoop &eventLoop, const HttpServerSettings &serverSettings, Handler requestHandler)
        : loop(eventLoop)
        , settings(serverSettings)
        , handler(std::move(requestHandler))
        , acceptor(*static_cast<asio::io_context *>(eventLoop.native()))
        , retryTimer(eventLoop)
    { }

    void accept()
    {
        acceptor.async_accept([self = shared_from_this()](const error_code &error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || !self->acceptor.is_open())
                return;
            if (error) {
                self->retryTimer.start(AcceptRetry, [raw = self.get()] { raw->accept(); });
                return;
            }
            self->take(std::move(socket));
            self->accept();
        });
    }

    void take(tcp::socket socket)
    {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        if (*count >= settings.maxConnections) {
            static const char text[] =
                "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            [[maybe_unused]] const ssize_t sent =
                ::send(socket.native_handle(), text, sizeof text - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            return;
        }
        ++*count;
        std::shared_ptr<void> slot(nullptr, [shared = count](void *) { --*shared; });
        const auto connection = std::make_shared<Http::Connection>(
            loop, std::move(socket), settings, std::move(slot), handler,
            [weak = weak_from_this()](const std::shared_ptr<Cuttable> &item) {
                if (const auto self = weak.lock())
                    self->track(item);
            });
        track(connection);
        connection->readRequest();
    }

    void track(const std::shared_ptr<Cuttable> &item)
    {
        std::erase_if(tracked, [](const auto &weak) { return weak.expired(); });
        tracked.push_back(item);
    }

    EventLoop &loop;
    HttpServerSettings settings;
    Handler handler;
    tcp::acceptor acceptor;
    Timer retryTimer;
    std::shared_ptr<qsizetype> count = std::make_shared<qsizetype>(0);
    std::vector<std::weak_ptr<Cuttable>> tracked;
};

HttpServer::HttpServer(EventLoop &loop, const HttpServerSettings &settings, Handler handler)
    : d(std::make_shared<Private>(loop, settings, std::move(handler)))
{ }

HttpServer::~HttpServer() { close(); }

Result<Done, ListenError> HttpServer::listen(const QByteArray &address)
{
    const qsizetype colon = address.lastIndexOf(':');
    QByteArray host = colon < 0 ? QByteArray() : address.first(colon);
    if (host.startsWith('[') && host.endsWith(']'))
        host = host.sliced(1, host.size() - 2);
    bool isNumber = false;
    const ushort port = colon < 0 ? ushort(0) : address.sliced(colon + 1).toUShort(&isNumber);
    error_code error;
    const auto ip = asio::ip::make_address(host.toStdString(), error);
    if (error || !isNumber)
        return fail(
            ListenError{false, QStringLiteral("The address to listen on must look like 127.0.0.1:8080.")});
    if (!ip.is_loopback())
        return fail(ListenError{false, QStringLiteral("Only loopback addresses can be listened on.")});
    const tcp::endpoint endpoint(ip, port);
    d->acceptor.open(endpoint.protocol(), error);
    if (!error)
        d->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error)
        d->acceptor.bind(endpoint, error);
    if (!error)
        d->acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
        return fail(
            ListenError{error == asio::error::address_in_use, QString::fromStdString(error.message())});
    d->accept();
    return Done{};
}

QByteArray HttpServer::origin() const
{
    error_code error;
    const tcp::endpoint endpoint = d->acceptor.local_endpoint(error);
    const QByteArray host = QByteArray::fromStdString(endpoint.address().to_string());
    const bool isSix = endpoint.address().is_v6();
    return QByteArray("http://") + (isSix ? QByteArray('[' + host + ']') : host) + ':'
        + QByteArray::number(endpoint.port());
}

void HttpServer::close()
{
    error_code ignored;
    d->acceptor.close(ignored);
    d->retryTimer.cancel();
    for (const auto &weak : std::exchange(d->tracked, {})) {
        if (const auto item = weak.lock())
            item->cut();
    }
}

} // namespace Pilothouse
