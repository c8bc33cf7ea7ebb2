// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "engine/engine.h"
#include "model/anthropicclient.h"
#include "model/modelcatalog.h"
#include "net/networkaccess.h"
#include "util/json.h"

#include <QEventLoop>
#include <QHostAddress>
#include <QTcpServer>
#include <QTcpSocket>
#include <QThread>
#include <QTimer>

#include <chrono>

namespace Pilothouse::Bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int Events = 3000;
constexpr int EventsPerTick = 1; // One each millisecond: a fast model.

qint64 nowNs()
{
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

QByteArray chunk(const QByteArray &bytes)
{
    return QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n";
}

/// Writes one text delta each millisecond that carries the time at which it was written. In a thread of its
/// own.
class StampServer : public QObject {
public:
    void listen()
    {
        m_server = new QTcpServer(this);
        m_server->listen(QHostAddress::LocalHost);
        port = m_server->serverPort();
        connect(m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket *socket = m_server->nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, this, [this, socket] {
                if (socket->readAll().isEmpty() || m_timer)
                    return;
                socket->write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: "
                              "chunked\r\n\r\n");
                socket->write(chunk(
                    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"m\"}}\n\ndata: "
                    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
                    "\"text\":\"\"}}\n\n"));
                m_timer = new QTimer(this);
                m_timer->setTimerType(Qt::PreciseTimer);
                connect(m_timer, &QTimer::timeout, this, [this, socket] { tick(socket); });
                m_timer->start(1);
            });
        });
    }
    quint16 port = 0;

private:
    void tick(QTcpSocket *socket)
    {
        for (int i = 0; i < EventsPerTick; ++i)
            socket->write(chunk(
                "data: "
                "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
                + QByteArray::number(nowNs()) + ";\"}}\n\n"));
        socket->flush();
        if (++m_sent < Events)
            return;
        m_timer->stop();
        socket->write(chunk("data: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: "
                            "{\"type\":\"message_delta\",\"delta\":"
                            "{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
                      + "0\r\n\r\n");
    }
    QTcpServer *m_server = nullptr;
    QTimer *m_timer = nullptr;
    int m_sent = 0;
};

} // namespace

QList<Figure> measureLatency()
{
    QThread thread;
    auto *server = new StampServer;
    server->moveToThread(&thread);
    QObject::connect(&thread, &QThread::finished, server, &QObject::deleteLater);
    thread.start();
    QMetaObject::invokeMethod(
        server, [server] { server->listen(); }, Qt::BlockingQueuedConnection);

    NetworkAccess network;
    const QString base = u"http://127.0.0.1:%1"_s.arg(server->port);
    ModelCatalog catalog(&network,
                         [base](const QString &name) {
                             return name == "ANTHROPIC_BASE_URL"_L1 ? base
                                 : name == "ANTHROPIC_API_KEY"_L1   ? u"bench-key-0000"_s
                                                                    : QString();
                         },
                         {});
    auto client = catalog.client({u"anthropic"_s, u"claude-sonnet-5-5"_s});
    if (!client)
        qFatal("%s", qPrintable(client.error().toText()));
    ModelRequest request;
    request.model = u"claude-sonnet-5-5"_s;
    HistoryItem user;
    user.text = u"Go."_s;
    request.history = {user};
    QEventLoop wait;
    QList<double> delaysMs;
    QObject owner;
    ModelStream *stream = (*client)->start(request, &owner);
    QObject::connect(stream, &ModelStream::eventReceived, &wait, [&](const StreamEvent &event) {
        if (event.type == StreamEvent::Type::TextDelta) {
            const qint64 now = nowNs();
            for (const QString &stamp : event.text.split(u';', Qt::SkipEmptyParts))
                delaysMs.append(static_cast<double>(now - stamp.toLongLong()) / 1e6);
        } else if (event.type == StreamEvent::Type::Stop || event.type == StreamEvent::Type::Error) {
            wait.quit();
        }
    });
    wait.exec();
    thread.quit();
    thread.wait();
    if (delaysMs.size() != Events)
        qFatal("%lld of %d events came", static_cast<long long>(delaysMs.size()), Events);
    return {{u"latency.median"_s, percentile(delaysMs, 0.5), u"ms"_s, {}, false, {}, {}},
            {u"latency.p99"_s, percentile(delaysMs, 0.99), u"ms"_s, {}, false, {}, {}}};
}

} // namespace Pilothouse::Bench
