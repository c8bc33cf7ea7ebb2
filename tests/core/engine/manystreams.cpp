// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/engine/manystreams.h"

#include "engine/engine.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QHostAddress>
#include <QSet>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QThread>
#include <QTimer>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int LongestRunMs = 60'000;
constexpr int BetweenCallsMs = 10;

QByteArray chunk(const QByteArray &bytes)
{
    return QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n";
}

QByteArray answer(const QByteArray &status, const QByteArray &body)
{
    return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nContent-Length: "
        + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

/// Models that write for ever, and a control plane, on one port. In a thread of its own.
class Services : public QObject {
public:
    quint16 listen(int tokensPerSecond)
    {
        m_server = new QTcpServer(this);
        m_server->listen(QHostAddress::LocalHost);
        connect(m_server, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket *socket = m_server->nextPendingConnection()) {
                socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
                connect(socket, &QTcpSocket::readyRead, this, [this, socket] { read(socket); });
                connect(socket, &QTcpSocket::disconnected, this, [this, socket] {
                    m_streams.removeAll(socket);
                    m_in.remove(socket);
                    socket->deleteLater();
                });
            }
        });
        auto *timer = new QTimer(this);
        timer->setTimerType(Qt::PreciseTimer);
        connect(timer, &QTimer::timeout, this, [this] {
            static const QByteArray token =
                chunk("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                      "\"text_delta\",\"text\":\"word \"}}\n\n");
            for (QTcpSocket *socket : std::as_const(m_streams)) {
                socket->write(token);
                socket->flush();
            }
        });
        timer->start(1000 / tokensPerSecond);
        return m_server->serverPort();
    }

private:
    void read(QTcpSocket *socket)
    {
        QByteArray &in = m_in[socket];
        in += socket->readAll();
        while (true) {
            const qsizetype end = in.indexOf("\r\n\r\n");
            if (end < 0)
                return;
            qsizetype length = 0;
            const QByteArray head = in.left(end);
            if (const qsizetype at = head.toLower().indexOf("content-length:"); at >= 0)
                length = head.mid(at + 15).split('\r').first().trimmed().toLongLong();
            if (in.size() < end + 4 + length)
                return;
            in.remove(0, end + 4 + length);
            serve(socket, head);
        }
    }
    void serve(QTcpSocket *socket, const QByteArray &head)
    {
        if (head.startsWith("POST /v1/messages")) {
            socket->write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunk("data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"m\"}}\n\n"
                        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
                        "\"text\",\"text\":\"\"}}\n\n"));
            m_streams.append(socket);
        } else if (head.startsWith("POST /sandboxes ")) {
            socket->write(answer("201 Created",
                                 "{\"id\":\"sb-" + QByteArray::number(++m_made)
                                     + "\",\"status\":\"active\",\"created_at\":\"2026-01-01T00:00:00Z\","
                                       "\"access_token\":\"t\"}"));
        } else if (head.startsWith("GET /sandboxes")) {
            socket->write(answer("200 OK", "[]"));
        } else {
            socket->write("HTTP/1.1 204 No Content\r\n\r\n");
        }
    }

    QTcpServer *m_server = nullptr;
    QHash<QTcpSocket *, QByteArray> m_in;
    QList<QTcpSocket *> m_streams;
    int m_made = 0;
};

QString asNeeded(const QString &name, const QString &base)
{
    if (name == "ANTHROPIC_BASE_URL"_L1 || name == "SUPERSERVE_BASE_URL"_L1)
        return base;
    if (name == "ANTHROPIC_API_KEY"_L1 || name == "SUPERSERVE_API_KEY"_L1)
        return u"many-streams-key-0000"_s;
    return {};
}

} // namespace

ManyStreams runManyStreams(int streams, int tokensPerSecond, int calls)
{
    ManyStreams seen;
    QThread thread;
    auto *services = new Services;
    services->moveToThread(&thread);
    QObject::connect(&thread, &QThread::finished, services, &QObject::deleteLater);
    thread.start();
    quint16 port = 0;
    QMetaObject::invokeMethod(
        services, [&] { port = services->listen(tokensPerSecond); }, Qt::BlockingQueuedConnection);
    const QString base = u"http://127.0.0.1:%1"_s.arg(port);

    QTemporaryDir folder;
    EngineOptions options;
    options.program = u"many-streams"_s;
    options.dataDir = folder.path();
    options.environment = [base](const QString &name) { return asNeeded(name, base); };
    auto opened = Engine::open(options);
    if (!opened) {
        seen.problem = opened.error().toText();
        thread.quit();
        thread.wait();
        return seen;
    }
    std::unique_ptr<Engine> engine = std::move(*opened);

    QEventLoop wait;
    QSet<QString> writing;
    qint64 letters = 0;
    QElapsedTimer measured;
    qint64 callNs = 0;
    QElapsedTimer sinceStart;
    sinceStart.start();
    std::function<void()> call = [&] {
        callNs = sinceStart.nsecsElapsed();
        engine->listSandboxes(u"superserve"_s, &wait, [&](const Result<QList<SandboxInfo>, Error> &list) {
            if (!list) {
                seen.problem = list.error().toText();
                wait.quit();
                return;
            }
            seen.callsMs.append(static_cast<double>(sinceStart.nsecsElapsed() - callNs) / 1e6);
            if (seen.callsMs.size() == calls)
                wait.quit();
            else
                QTimer::singleShot(BetweenCallsMs, &wait, call);
        });
    };
    QObject::connect(engine.get(), &Engine::eventsReady, &wait, [&](const EventBatch &events) {
        for (const EventDelivery &delivery : events) {
            if (delivery.event->kind == EventKind::Error)
                seen.problem = QString::fromUtf8(delivery.event->payload);
            if (delivery.event->kind != EventKind::TextDelta)
                continue;
            letters += delivery.event->json()[u"text"].toString().size();
            writing.insert(delivery.event->conversation);
            if (!measured.isValid() && writing.size() == streams) {
                measured.start();
                letters = 0;
                call();
            }
        }
        if (!seen.problem.isEmpty())
            wait.quit();
    });
    ConversationSettings settings;
    settings.provider = u"anthropic"_s;
    settings.model = u"claude-sonnet-5-5"_s;
    settings.backend = u"superserve"_s;
    settings.sandboxName = u"many"_s;
    settings.tools = QStringList{u"bash"_s};
    settings.afterTurn = u"keep"_s;
    for (int i = 0; i < streams; ++i) {
        engine->submit(engine->createConversation(settings), u"Write."_s, MessageDelivery::Now, &wait,
                       [&](const Result<Done, Error> &taken) {
                           if (!taken)
                               seen.problem = taken.error().toText();
                       });
    }
    QTimer::singleShot(LongestRunMs, &wait, [&] {
        seen.problem = u"%1 streams wrote, %2 calls were answered in time."_s.arg(writing.size())
                           .arg(seen.callsMs.size());
        wait.quit();
    });
    wait.exec();
    seen.writing = static_cast<int>(writing.size());
    constexpr qint64 LettersPerToken = 5; // "word "
    if (measured.isValid() && measured.elapsed() > 0)
        seen.tokensPerSecond =
            static_cast<double>(letters / LettersPerToken) * 1000.0 / static_cast<double>(measured.elapsed());
    QEventLoop closing;
    engine->stopAll(&closing, [&] { closing.quit(); });
    closing.exec();
    engine.reset();
    thread.quit();
    thread.wait();
    return seen;
}

} // namespace Pilothouse::Tests
