// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/connectproxy.h"

#include <QTcpServer>
#include <QTcpSocket>

namespace Pilothouse::Tests {

struct ConnectProxy::Stream : public QObject {
    using QObject::QObject;
    QTcpSocket *client = nullptr;
    QTcpSocket *server = nullptr; ///< Set once it is connected through.
    QByteArray in;
};

ConnectProxy::ConnectProxy(quint16 backend, QObject *parent)
    : QObject(parent)
    , m_server(new QTcpServer(this))
    , m_backend(backend)
{
    if (!m_server->listen(QHostAddress::LocalHost))
        qFatal("the proxy cannot listen");
    connect(m_server, &QTcpServer::newConnection, this, &ConnectProxy::accept);
}

quint16 ConnectProxy::port() const { return m_server->serverPort(); }

QNetworkProxy ConnectProxy::proxy() const
{
    return QNetworkProxy(QNetworkProxy::HttpProxy, QStringLiteral("127.0.0.1"), port());
}

void ConnectProxy::setLogin(const QByteArray &user, const QByteArray &password)
{
    const QByteArray plain = user + ':' + password;
    m_credentials.clear();
    if (!user.isEmpty())
        m_credentials = "Basic " + plain.toBase64();
}

void ConnectProxy::accept()
{
    while (QTcpSocket *client = m_server->nextPendingConnection()) {
        auto *stream = new Stream(this);
        stream->client = client;
        client->setParent(stream);
        connect(client, &QTcpSocket::readyRead, stream, [this, stream] {
            const QByteArray bytes = stream->client->readAll();
            if (stream->server) {
                stream->server->write(bytes);
                return;
            }
            stream->in += bytes;
            onHead(stream);
        });
        connect(client, &QTcpSocket::disconnected, stream, [stream] {
            if (stream->server)
                stream->server->abort();
            stream->deleteLater();
        });
    }
}

void ConnectProxy::onHead(Stream *stream)
{
    const qsizetype end = stream->in.indexOf("\r\n\r\n");
    if (end < 0)
        return;
    const QByteArray head = stream->in.left(end);
    m_heads.append(head);
    QByteArray credentials;
    const QList<QByteArray> lines = head.split('\n');
    for (const QByteArray &line : lines) {
        if (line.toLower().startsWith("proxy-authorization:"))
            credentials = line.mid(20).trimmed();
    }
    const auto answer = [stream, end](const QByteArray &status, const QByteArray &more = {}) {
        stream->in.remove(0, end + 4);
        stream->client->write("HTTP/1.1 " + status + "\r\n" + more + "Content-Length: 0\r\n\r\n");
    };
    if (!m_credentials.isEmpty() && credentials != m_credentials) {
        ++m_refusals;
        if (!credentials.isEmpty())
            ++m_wrongLogins;
        answer("407 Proxy Authentication Required",
               QByteArray("Proxy-Authenticate: Basic realm=\"company\"\r\n")
                   + (m_closes ? "Connection: close\r\nProxy-Connection: close\r\n" : ""));
        if (m_closes)
            stream->client->disconnectFromHost();
        return;
    }
    if (m_answer != 0) {
        answer(QByteArray::number(m_answer) + " No");
        return;
    }
    const bool isTunnel = head.startsWith("CONNECT ");
    const QByteArray first = isTunnel ? stream->in.mid(end + 4) : stream->in;
    stream->in.clear();
    stream->server = new QTcpSocket(stream);
    connect(stream->server, &QTcpSocket::readyRead, stream,
            [stream] { stream->client->write(stream->server->readAll()); });
    connect(stream->server, &QTcpSocket::disconnected, stream,
            [stream] { stream->client->disconnectFromHost(); });
    stream->server->setProxy(QNetworkProxy(QNetworkProxy::NoProxy));
    stream->server->connectToHost(QStringLiteral("127.0.0.1"), m_backend);
    stream->server->write(first);
    if (isTunnel) {
        ++m_tunnels;
        stream->client->write("HTTP/1.1 200 Connection established\r\n\r\n");
    }
}

} // namespace Pilothouse::Tests
