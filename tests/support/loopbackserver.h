// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPair>
#include <QPointer>
#include <QUrl>

#include <functional>
#include <memory>

class QTcpServer;
class QTcpSocket;
class QTimer;

namespace Pilothouse::Tests {

using LoopbackHeaders = QList<QPair<QByteArray, QByteArray>>;

/// One request as it came in, whole.
struct LoopbackRequest {
    QByteArray method;
    QByteArray target; ///< Path and query, undecoded.
    LoopbackHeaders headers;
    QByteArray body; ///< Without chunk framing.
    int connection = 0; ///< Number of the connection, from 1; equal numbers mean keep-alive.

    [[nodiscard]] QByteArray header(const QByteArray &name) const; ///< Case-insensitive; empty if absent.
    [[nodiscard]] bool hasHeader(const QByteArray &name) const;
    [[nodiscard]] QByteArray path() const; ///< Target up to '?'.
    [[nodiscard]] bool isWebSocketUpgrade() const;
};

/// The server's end of one connection. Whatever is sent goes out in the order of the calls; each call is one
/// piece, and pieces leave in separate event-loop turns, so a client normally sees them in separate packets.
/// Owned by the server; keep a QPointer beyond the handler.
class LoopbackConnection : public QObject {
    Q_OBJECT
public:
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] bool isOpen() const;

    void send(const QByteArray &bytes); ///< Raw bytes.
    void sendPieces(const QList<QByteArray> &pieces);
    /// `bytes` in pieces of `size` bytes each.
    void sendSplit(const QByteArray &bytes, qsizetype size);
    /// A whole answer with Content-Length. `headers` come on top; Content-Type is JSON unless given.
    void respond(int status, const QByteArray &body = {}, const LoopbackHeaders &headers = {});
    /// Only a head: with "Transfer-Encoding: chunked" unless `headers` name a Content-Length or "Connection:
    /// close".
    void sendHead(int status, const LoopbackHeaders &headers = {});
    void sendChunk(const QByteArray &bytes); ///< One chunk as one piece. An empty one is ignored.
    void endChunks();
    void redirect(int status, const QByteArray &location);
    void close(); ///< Orderly, after everything sent before has left.
    void halfClose(); ///< FIN after everything sent before; closed() follows once the client has closed its
                      ///< side too.
    void reset(); ///< RST (linger 0), after everything sent before has left.
    /// Call `then` when everything sent before has been handed to the kernel.
    void whenSent(std::function<void()> then);

    /// WebSocket, server side: answers the upgrade with `subprotocol` (none if empty); from then on frames
    /// arrive by frameReceived. Pings of the client are answered by themselves.
    void acceptWebSocket(const LoopbackRequest &request, const QByteArray &subprotocol = {});
    void sendText(const QByteArray &utf8);
    void sendBinary(const QByteArray &bytes);
    void sendFrame(
        int opcode,
        const QByteArray &payload); ///< One final frame. 1 text, 2 binary, 8 close, 9 ping, 10 pong.
    void sendClose(int code,
                   const QByteArray &reason = {}); ///< A close frame; the socket is closed by the client.

Q_SIGNALS:
    void pieceSent(); ///< One piece has been handed to the kernel.
    void frameReceived(int opcode, const QByteArray &payload); ///< Unmasked, fragments joined.
    void closed(); ///< The client went away, or we closed.

private:
    friend class LoopbackServer;
    struct Item;
    LoopbackConnection(QTcpSocket *socket, int number, QObject *parent);
    ~LoopbackConnection() override;
    void enqueue(Item item);
    void pump();
    void parse();
    void parseFrames();
    void fail(const char *why);

    std::function<void(const LoopbackRequest &)> m_deliver;
    QTcpSocket *m_socket;
    QTimer *m_pumpTimer;
    QByteArray m_in;
    QList<Item> m_out;
    QByteArray m_message; ///< Joined WebSocket fragments.
    int m_messageOpcode = 0;
    int m_number;
    bool m_webSocket = false;
};

/// A scripted HTTP/1.1 and WebSocket server on 127.0.0.1, in the thread of the test. Requests are recorded
/// and answered by queued scripts first (one per request, in order), then by the handler; without either they
/// get a 500.
class LoopbackServer : public QObject {
    Q_OBJECT
public:
    using Handler = std::function<void(const LoopbackRequest &, LoopbackConnection *)>;

    explicit LoopbackServer(QObject *parent = nullptr);
    /// The same over TLS, with a certificate and a key of the test data, both PEM.
    LoopbackServer(const QByteArray &certificate, const QByteArray &key, QObject *parent = nullptr);
    ~LoopbackServer() override;

    [[nodiscard]] quint16 port() const;
    [[nodiscard]] QUrl url(const QByteArray &pathAndQuery = "/") const; ///< http, encoded path kept as it is.
    void setHandler(Handler handler);
    void enqueue(Handler script);
    /// The next request gets this whole answer.
    void enqueueResponse(int status, const QByteArray &body = {}, const LoopbackHeaders &headers = {});
    void stopReading(); ///< Open connections stay open, but nothing of them is read or answered any more.
    void stopListening(); ///< New connections are refused; open ones stay.

    [[nodiscard]] const QList<LoopbackRequest> &requests() const { return m_requests; }
    [[nodiscard]] int count(const QByteArray &method, const QByteArray &path) const;
    [[nodiscard]] int connectionCount() const { return m_connections; } ///< Accepted so far.
    [[nodiscard]] int openConnections() const;

Q_SIGNALS:
    void requestReceived(); ///< After the record, before the handler.
    void connectionClosed(int number);

private:
    LoopbackServer(QTcpServer *server, QObject *parent);
    void accept();
    void deliver(LoopbackConnection *connection, const LoopbackRequest &request);

    QTcpServer *m_server;
    std::shared_ptr<Handler> m_handler; ///< Shared, so that one that replaces itself lives to its end.
    QList<Handler> m_scripts;
    QList<LoopbackRequest> m_requests;
    QList<QPointer<LoopbackConnection>> m_open;
    int m_connections = 0;
};

} // namespace Pilothouse::Tests
