// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/loopbackserver.h"

#include <QCryptographicHash>
#include <QHostAddress>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslServer>
#include <QSslSocket>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

#include <optional>

#include <sys/socket.h>

namespace Pilothouse::Tests {

namespace {

// A test that sends more is wrong; the bound keeps a runaway client from eating the machine.
constexpr qsizetype LargestHead = 256 * 1024;
constexpr qsizetype LargestBody = 256 * 1024 * 1024;

QByteArray reasonPhrase(int status)
{
    return status >= 200 && status < 300 ? QByteArray("OK") : QByteArray("Status");
}

bool named(const LoopbackHeaders &headers, const QByteArray &name)
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return true;
    }
    return false;
}

/// Removes one chunked body from the front of `in`: its bytes, or nothing while it is incomplete.
std::optional<QByteArray> takeChunked(QByteArray &in, bool &bad)
{
    QByteArray body;
    qsizetype at = 0;
    while (true) {
        const qsizetype lineEnd = in.indexOf("\r\n", at);
        if (lineEnd < 0)
            return std::nullopt;
        bool ok = false;
        const qlonglong size = in.mid(at, lineEnd - at).split(';').first().trimmed().toLongLong(&ok, 16);
        if (!ok || size < 0 || body.size() + size > LargestBody) {
            bad = true;
            return std::nullopt;
        }
        at = lineEnd + 2;
        if (in.size() < at + size + 2)
            return std::nullopt;
        body += in.mid(at, size);
        at += size + 2;
        if (size == 0) {
            in.remove(0, at);
            return body;
        }
    }
}

} // namespace

QByteArray LoopbackRequest::header(const QByteArray &name) const
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

bool LoopbackRequest::hasHeader(const QByteArray &name) const { return named(headers, name); }

QByteArray LoopbackRequest::path() const { return target.split('?').first(); }

bool LoopbackRequest::isWebSocketUpgrade() const
{
    return header("Upgrade").compare("websocket", Qt::CaseInsensitive) == 0;
}

struct LoopbackConnection::Item {
    enum class Kind { Bytes = 1, Close, Reset, Call };
    Kind kind = Kind::Bytes;
    QByteArray bytes;
    std::function<void()> call;
};

LoopbackConnection::LoopbackConnection(QTcpSocket *socket, int number, QObject *parent)
    : QObject(parent)
    , m_socket(socket)
    , m_pumpTimer(new QTimer(this))
    , m_number(number)
{
    m_socket->setParent(this);
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_pumpTimer->setSingleShot(true);
    connect(m_pumpTimer, &QTimer::timeout, this, &LoopbackConnection::pump);
    connect(m_socket, &QTcpSocket::readyRead, this, &LoopbackConnection::parse);
    connect(m_socket, &QTcpSocket::disconnected, this, [this] {
        m_out.clear();
        Q_EMIT closed();
    });
}

LoopbackConnection::~LoopbackConnection() { m_socket->disconnect(this); }

bool LoopbackConnection::isOpen() const { return m_socket->state() == QAbstractSocket::ConnectedState; }

void LoopbackConnection::enqueue(Item item)
{
    m_out.append(std::move(item));
    if (!m_pumpTimer->isActive())
        m_pumpTimer->start(0);
}

void LoopbackConnection::pump()
{
    if (m_out.isEmpty())
        return;
    const Item item = m_out.takeFirst();
    if (!m_out.isEmpty())
        m_pumpTimer->start(0);
    switch (item.kind) {
    case Item::Kind::Bytes:
        if (!isOpen())
            return;
        m_socket->write(item.bytes);
        m_socket->flush();
        Q_EMIT pieceSent();
        return;
    case Item::Kind::Close:
        m_socket->disconnectFromHost();
        return;
    case Item::Kind::Reset: {
        if (!isOpen())
            return;
        m_socket->flush();
        const linger now{1, 0};
        ::setsockopt(static_cast<int>(m_socket->socketDescriptor()), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        m_socket->abort();
        return;
    }
    case Item::Kind::Call:
        item.call();
        return;
    }
}

void LoopbackConnection::send(const QByteArray &bytes) { enqueue({Item::Kind::Bytes, bytes, {}}); }

void LoopbackConnection::sendPieces(const QList<QByteArray> &pieces)
{
    for (const QByteArray &piece : pieces)
        send(piece);
}

void LoopbackConnection::sendSplit(const QByteArray &bytes, qsizetype size)
{
    for (qsizetype at = 0; at < bytes.size(); at += size)
        send(bytes.mid(at, size));
}

void LoopbackConnection::respond(int status, const QByteArray &body, const LoopbackHeaders &headers)
{
    QByteArray head = "HTTP/1.1 " + QByteArray::number(status) + ' ' + reasonPhrase(status) + "\r\n";
    for (const auto &[name, value] : headers)
        head += name + ": " + value + "\r\n";
    if (!named(headers, "Content-Type") && !body.isEmpty())
        head += "Content-Type: application/json\r\n";
    if (!named(headers, "Content-Length") && status != 204)
        head += "Content-Length: " + QByteArray::number(body.size()) + "\r\n";
    head += "\r\n";
    send(head + body);
}

void LoopbackConnection::sendHead(int status, const LoopbackHeaders &headers)
{
    QByteArray head = "HTTP/1.1 " + QByteArray::number(status) + ' ' + reasonPhrase(status) + "\r\n";
    for (const auto &[name, value] : headers)
        head += name + ": " + value + "\r\n";
    if (!named(headers, "Content-Type"))
        head += "Content-Type: text/event-stream\r\n";
    if (!named(headers, "Content-Length") && !named(headers, "Connection"))
        head += "Transfer-Encoding: chunked\r\n";
    head += "\r\n";
    send(head);
}

void LoopbackConnection::sendChunk(const QByteArray &bytes)
{
    if (!bytes.isEmpty())
        send(QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n");
}

void LoopbackConnection::endChunks() { send("0\r\n\r\n"); }

void LoopbackConnection::redirect(int status, const QByteArray &location)
{
    respond(status, {}, {{"Location", location}});
}

void LoopbackConnection::close() { enqueue({Item::Kind::Close, {}, {}}); }

void LoopbackConnection::halfClose()
{
    whenSent([this] { ::shutdown(static_cast<int>(m_socket->socketDescriptor()), SHUT_WR); });
}

void LoopbackConnection::reset() { enqueue({Item::Kind::Reset, {}, {}}); }

void LoopbackConnection::whenSent(std::function<void()> then)
{
    enqueue({Item::Kind::Call, {}, std::move(then)});
}

void LoopbackConnection::fail(const char *why)
{
    qWarning("LoopbackConnection %d: %s", m_number, why);
    m_socket->abort();
}

void LoopbackConnection::parse()
{
    m_in += m_socket->readAll();
    while (!m_webSocket) {
        const qsizetype end = m_in.indexOf("\r\n\r\n");
        if (end < 0) {
            if (m_in.size() > LargestHead)
                fail("request head too large");
            return;
        }
        LoopbackRequest request;
        request.connection = m_number;
        QList<QByteArray> lines = m_in.left(end).split('\n');
        const QList<QByteArray> first = lines.takeFirst().trimmed().split(' ');
        if (first.size() != 3)
            return fail("bad request line");
        request.method = first[0];
        request.target = first[1];
        for (const QByteArray &line : lines) {
            const qsizetype colon = line.indexOf(':');
            if (colon <= 0)
                return fail("bad header line");
            request.headers.append({line.left(colon).trimmed(), line.mid(colon + 1).trimmed()});
        }
        QByteArray rest = m_in.mid(end + 4);
        if (request.header("Transfer-Encoding").toLower().contains("chunked")) {
            bool bad = false;
            const std::optional<QByteArray> body = takeChunked(rest, bad);
            if (bad)
                return fail("bad chunk");
            if (!body)
                return;
            request.body = *body;
        } else {
            const qlonglong length = request.header("Content-Length").toLongLong();
            if (length < 0 || length > LargestBody)
                return fail("bad Content-Length");
            if (rest.size() < length)
                return;
            request.body = rest.left(length);
            rest.remove(0, length);
        }
        m_in = rest;
        const QPointer<LoopbackConnection> self(this);
        m_deliver(request);
        if (!self)
            return;
    }
    parseFrames();
}

void LoopbackConnection::acceptWebSocket(const LoopbackRequest &request, const QByteArray &subprotocol)
{
    const QByteArray keyed = request.header("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const QByteArray accept = QCryptographicHash::hash(keyed, QCryptographicHash::Sha1).toBase64();
    QByteArray head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: "
        + accept + "\r\n";
    if (!subprotocol.isEmpty())
        head += "Sec-WebSocket-Protocol: " + subprotocol + "\r\n";
    m_webSocket = true;
    send(head + "\r\n");
}

void LoopbackConnection::sendText(const QByteArray &utf8) { sendFrame(1, utf8); }

void LoopbackConnection::sendBinary(const QByteArray &bytes) { sendFrame(2, bytes); }

void LoopbackConnection::sendClose(int code, const QByteArray &reason)
{
    QByteArray payload;
    payload += static_cast<char>(code >> 8);
    payload += static_cast<char>(code & 0xff);
    sendFrame(8, payload + reason);
}

void LoopbackConnection::sendFrame(int opcode, const QByteArray &payload)
{
    QByteArray frame;
    frame += static_cast<char>(0x80 | opcode);
    if (payload.size() < 126) {
        frame += static_cast<char>(payload.size());
    } else if (payload.size() < 65536) {
        frame += static_cast<char>(126);
        for (int shift = 8; shift >= 0; shift -= 8)
            frame += static_cast<char>((payload.size() >> shift) & 0xff);
    } else {
        frame += static_cast<char>(127);
        for (int shift = 56; shift >= 0; shift -= 8)
            frame += static_cast<char>((payload.size() >> shift) & 0xff);
    }
    send(frame + payload);
}

void LoopbackConnection::parseFrames()
{
    const QPointer<LoopbackConnection> self(this);
    while (self && m_in.size() >= 2) {
        const auto byteAt = [this](qsizetype at) { return static_cast<unsigned char>(m_in[at]); };
        const bool final = (byteAt(0) & 0x80) != 0;
        const int opcode = byteAt(0) & 0x0f;
        const bool masked = (byteAt(1) & 0x80) != 0;
        quint64 length = byteAt(1) & 0x7f;
        qsizetype at = 2;
        const int extra = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (m_in.size() < at + extra + 4)
            return;
        if (extra > 0) {
            length = 0;
            for (int i = 0; i < extra; ++i)
                length = (length << 8) | byteAt(at++);
        }
        if (!masked || length > static_cast<quint64>(LargestBody))
            return fail("bad client frame");
        const QByteArray mask = m_in.mid(at, 4);
        at += 4;
        if (m_in.size() < at + static_cast<qsizetype>(length))
            return;
        QByteArray payload = m_in.mid(at, static_cast<qsizetype>(length));
        for (qsizetype i = 0; i < payload.size(); ++i)
            payload[i] = static_cast<char>(payload[i] ^ mask[i % 4]);
        m_in.remove(0, at + static_cast<qsizetype>(length));
        if (opcode == 9)
            sendFrame(10, payload);
        if (opcode >= 8) {
            Q_EMIT frameReceived(opcode, payload);
            continue;
        }
        if (opcode != 0)
            m_messageOpcode = opcode;
        m_message += payload;
        if (final) {
            const QByteArray message = std::exchange(m_message, {});
            Q_EMIT frameReceived(m_messageOpcode, message);
        }
    }
}

LoopbackServer::LoopbackServer(QObject *parent)
    : LoopbackServer(new QTcpServer, parent)
{ }

LoopbackServer::LoopbackServer(const QByteArray &certificate, const QByteArray &key, QObject *parent)
    : LoopbackServer(
        [&] {
            auto *server = new QSslServer;
            QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
            configuration.setLocalCertificateChain(QSslCertificate::fromData(certificate));
            configuration.setPrivateKey(QSslKey(key, QSsl::Ec));
            configuration.setPeerVerifyMode(QSslSocket::VerifyNone);
            server->setSslConfiguration(configuration);
            return server;
        }(),
        parent)
{ }

LoopbackServer::LoopbackServer(QTcpServer *server, QObject *parent)
    : QObject(parent)
    , m_server(server)
{
    m_server->setParent(this);
    if (qobject_cast<QSslServer *>(m_server)) // Waits for hands to be shaken.
        connect(m_server, &QTcpServer::pendingConnectionAvailable, this, &LoopbackServer::accept,
                Qt::QueuedConnection);
    else
        connect(m_server, &QTcpServer::newConnection, this, &LoopbackServer::accept);
    if (!m_server->listen(QHostAddress::LocalHost, 0))
        qFatal("LoopbackServer cannot listen: %s", qPrintable(m_server->errorString()));
}

LoopbackServer::~LoopbackServer()
{
    for (const QPointer<LoopbackConnection> &connection : std::as_const(m_open))
        delete connection.data();
}

quint16 LoopbackServer::port() const { return m_server->serverPort(); }

QUrl LoopbackServer::url(const QByteArray &pathAndQuery) const
{
    return QUrl::fromEncoded("http://127.0.0.1:" + QByteArray::number(port()) + pathAndQuery,
                             QUrl::StrictMode);
}

void LoopbackServer::setHandler(Handler handler)
{
    m_handler = std::make_shared<Handler>(std::move(handler));
}

void LoopbackServer::enqueue(Handler script) { m_scripts.append(std::move(script)); }

void LoopbackServer::enqueueResponse(int status, const QByteArray &body, const LoopbackHeaders &headers)
{
    enqueue([status, body, headers](const LoopbackRequest &, LoopbackConnection *connection) {
        connection->respond(status, body, headers);
    });
}

void LoopbackServer::stopListening() { m_server->close(); }

void LoopbackServer::stopReading()
{
    for (const QPointer<LoopbackConnection> &connection : std::as_const(m_open)) {
        if (connection)
            disconnect(connection->m_socket, &QTcpSocket::readyRead, connection, nullptr);
    }
}

int LoopbackServer::count(const QByteArray &method, const QByteArray &path) const
{
    int found = 0;
    for (const LoopbackRequest &request : m_requests) {
        if (request.method == method && request.path() == path)
            ++found;
    }
    return found;
}

int LoopbackServer::openConnections() const
{
    int open = 0;
    for (const QPointer<LoopbackConnection> &connection : m_open) {
        if (connection && connection->isOpen())
            ++open;
    }
    return open;
}

void LoopbackServer::accept()
{
    while (QTcpSocket *socket = m_server->nextPendingConnection()) {
        auto *connection = new LoopbackConnection(socket, ++m_connections, this);
        m_open.append(connection);
        connection->m_deliver = [this, connection](const LoopbackRequest &request) {
            deliver(connection, request);
        };
        connect(connection, &LoopbackConnection::closed, this, [this, connection] {
            Q_EMIT connectionClosed(connection->number());
            connection->deleteLater();
        });
        connection->parse(); // Bytes may have arrived before the connections above were made.
    }
}

void LoopbackServer::deliver(LoopbackConnection *connection, const LoopbackRequest &request)
{
    m_requests.append(request);
    const QPointer<LoopbackConnection> guard(connection);
    Q_EMIT requestReceived();
    if (!guard)
        return;
    if (!m_scripts.isEmpty()) {
        const Handler script = m_scripts.takeFirst();
        script(request, connection);
    } else if (m_handler) {
        const std::shared_ptr<Handler> handler = m_handler;
        (*handler)(request, connection);
    } else {
        connection->respond(500, "{\"error\":\"no script\"}");
    }
}

} // namespace Pilothouse::Tests
