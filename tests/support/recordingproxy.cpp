// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/recordingproxy.h"

#include <QTcpServer>
#include <QTcpSocket>

namespace Pilothouse::Tests {

struct RecordingProxy::Stream : public QObject {
    using QObject::QObject;
    QTcpSocket *client = nullptr;
    QTcpSocket *server = nullptr;
    QByteArray in; ///< Client bytes not parsed yet.
    QByteArray target;
    int number = 0;
    bool webSocket = false;
    bool startSeen = false;
};

RecordingProxy::RecordingProxy(const QUrl &upstream, QObject *parent)
    : QObject(parent)
    , m_upstream(upstream)
    , m_server(new QTcpServer(this))
{
    if (!m_server->listen(QHostAddress::LocalHost))
        qFatal("the proxy cannot listen");
    connect(m_server, &QTcpServer::newConnection, this, &RecordingProxy::accept);
}

QUrl RecordingProxy::url() const
{
    QUrl url;
    url.setScheme(QStringLiteral("http"));
    url.setHost(QStringLiteral("127.0.0.1"));
    url.setPort(m_server->serverPort());
    return url;
}

void RecordingProxy::accept()
{
    while (QTcpSocket *client = m_server->nextPendingConnection()) {
        auto *stream = new Stream(this);
        stream->client = client;
        stream->number = m_streams++;
        client->setParent(stream);
        stream->server = new QTcpSocket(stream);
        connect(client, &QTcpSocket::readyRead, stream, [this, stream] {
            const QByteArray bytes = stream->client->readAll();
            if (stream->number < m_firstLoud)
                return;
            m_everything += bytes;
            stream->in += bytes;
            parse(stream);
            stream->server->write(bytes);
        });
        connect(stream->server, &QTcpSocket::readyRead, stream, [this, stream] {
            const QByteArray bytes = stream->server->readAll();
            if (stream->number >= m_firstLoud)
                stream->client->write(bytes);
        });
        connect(stream->server, &QTcpSocket::disconnected, client, [this, stream, client] {
            if (stream->number >= m_firstLoud)
                client->disconnectFromHost();
        });
        connect(client, &QTcpSocket::disconnected, stream, [stream] {
            stream->server->abort();
            stream->deleteLater();
        });
        stream->server->connectToHost(m_upstream.host(), static_cast<quint16>(m_upstream.port()));
    }
}

void RecordingProxy::record(const ProxiedCall &call)
{
    m_calls.append(call);
    Q_EMIT recorded(call);
}

void RecordingProxy::parse(Stream *stream)
{
    while (!stream->webSocket) {
        const qsizetype end = stream->in.indexOf("\r\n\r\n");
        if (end < 0)
            return;
        ProxiedCall call;
        call.head = stream->in.left(end);
        qsizetype length = 0;
        bool upgrade = false;
        const QList<QByteArray> lines = call.head.split('\n');
        for (const QByteArray &line : lines) {
            const QByteArray lower = line.trimmed().toLower();
            if (lower.startsWith("content-length:"))
                length = lower.mid(15).trimmed().toLongLong();
            if (lower.startsWith("upgrade:") && lower.contains("websocket"))
                upgrade = true;
        }
        if (stream->in.size() < end + 4 + length)
            return;
        const QList<QByteArray> words = lines.first().trimmed().split(' ');
        call.method = words.value(0);
        call.target = words.value(1);
        call.body = stream->in.mid(end + 4, length);
        stream->in.remove(0, end + 4 + length);
        stream->target = call.target;
        stream->webSocket = upgrade;
        if (!upgrade)
            record(call);
    }
    parseFrames(stream);
}

void RecordingProxy::parseFrames(Stream *stream)
{
    while (stream->in.size() >= 2 && !stream->startSeen) {
        const auto byte = [stream](qsizetype i) { return static_cast<quint8>(stream->in[i]); };
        const int opcode = byte(0) & 0x0F;
        qsizetype length = byte(1) & 0x7F;
        qsizetype at = 2;
        if (length == 126) {
            if (stream->in.size() < 4)
                return;
            length = byte(2) << 8 | byte(3);
            at = 4;
        } else if (length == 127) {
            if (stream->in.size() < 10)
                return;
            length = 0;
            for (int i = 2; i < 10; ++i)
                length = length << 8 | byte(i);
            at = 10;
        }
        if (stream->in.size() < at + 4 + length)
            return;
        QByteArray payload = stream->in.mid(at + 4, length);
        for (qsizetype i = 0; i < length; ++i)
            payload[i] = static_cast<char>(static_cast<quint8>(payload[i]) ^ byte(at + i % 4));
        stream->in.remove(0, at + 4 + length);
        if (opcode == 1) {
            stream->startSeen = true;
            record({"START", stream->target, {}, payload});
        }
    }
    if (stream->startSeen)
        stream->in.clear();
}

} // namespace Pilothouse::Tests
