// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"
#include "execrequest.h"
#include "exectransports.h"

#include <csignal>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto SessionLimit = 12h;
constexpr qsizetype MaxMessage = 4 * 1024 * 1024; // Larger ones close with 1009.
constexpr qint64 SocketHighWater = 1024 * 1024; // Queued in one direction; then the sender has to wait.
constexpr char StdinByte = 0;
constexpr char StdoutByte = 1;
constexpr char StderrByte = 2;

constexpr std::pair<QLatin1StringView, int> Signals[] = {
    {"SIGINT"_L1, SIGINT}, {"SIGTERM"_L1, SIGTERM}, {"SIGHUP"_L1, SIGHUP}, {"SIGQUIT"_L1, SIGQUIT}};

class ExecSession : public std::enable_shared_from_this<ExecSession> {
public:
    ExecSession(SandboxPtr sandbox, std::shared_ptr<WebSocket> socket)
        : m_sandbox(std::move(sandbox))
        , m_socket(std::move(socket))
        , m_timer(m_sandbox->context().loop)
    { }

    /// `attachment` was made before the upgrade, so that a refusal could be an HTTP answer.
    void start(quint64 attachment, const ExecSettings &settings)
    {
        const auto self = shared_from_this();
        m_attachment = attachment;
        m_socket->onMessage(
            [self](const QByteArray &message, bool isText) { self->onMessage(message, isText); });
        m_socket->onDrained([self] {
            if (self->m_command)
                self->m_command->setReading(true);
        });
        m_socket->onClosed([self] { self->stop(); });
        m_timer.start(settings.startFrameLimit, [this] { refuse(1008, "no start frame in time"); });
    }

    /// The sandbox is no longer active, or the client is gone.
    void stop()
    {
        m_timer.cancel();
        m_sandbox->detach(m_attachment);
        if (const auto command = std::exchange(m_command, nullptr))
            command->kill();
        release();
    }

    void cut()
    {
        const auto keep = shared_from_this();
        m_socket->abort(); // No `finished` frame: the client knows that the outcome is unknown.
        stop();
    }

private:
    /// Breaks the circle of this, the socket and its handlers.
    void release()
    {
        m_socket->onMessage(nullptr);
        m_socket->onDrained(nullptr);
        m_socket->onClosed(nullptr);
    }

    void refuse(int code, const QByteArray &reason)
    {
        const auto keep = shared_from_this();
        m_socket->close(code, reason);
        stop();
    }

    void onMessage(const QByteArray &message, bool isText)
    {
        const auto keep = shared_from_this();
        if (!m_hasBegun)
            begin(message, isText);
        else if (isText)
            onControl(message);
        else if (message.size() > 1 && message.front() == StdinByte)
            onInput(message.sliced(1));
    }

    void begin(const QByteArray &message, bool isText)
    {
        if (!isText) {
            refuse(1003, "the first frame must be text");
            return;
        }
        const auto request = parseExecRequest(message);
        if (!request) {
            refuse(1008, request.error().toUtf8().left(100));
            return;
        }
        m_hasBegun = true;
        m_timer.start(SessionLimit, [this] { cut(); });
        const SpawnRequest spawn = toSpawnRequest(*request, m_sandbox->meta(), m_sandbox->context().limits);
        m_command = std::make_shared<Command>(m_sandbox->context().loop, m_sandbox->machine());
        const auto self = shared_from_this();
        m_command->onInputDrained([self] { self->m_socket->setReading(true); });
        m_command->start(
            spawn, true, request->timeout,
            {[self, spawn](SpawnFailure failure) { self->onStarted(failure, spawn); },
             [self](Channel channel, const QByteArray &bytes) { self->onOutput(channel, bytes); },
             [self](CommandEnd end) { self->onEnded(end); }});
    }

    void onInput(const QByteArray &bytes)
    {
        m_command->writeInput(bytes);
        if (m_command->inputQueued() > SocketHighWater)
            m_socket->setReading(false);
    }

    void onControl(const QByteArray &message)
    {
        const auto control = parseJson(message);
        if (!control)
            return;
        const QString type = (*control)[u"type"].toString();
        if (type == "stdin_close"_L1)
            m_command->closeInput();
        if (type != "signal"_L1)
            return;
        for (const auto &[name, number] : Signals) {
            if ((*control)[u"name"].toString() == name)
                m_command->signalGroup(number);
        }
    }

    void onStarted(SpawnFailure failure, const SpawnRequest &spawn)
    {
        if (failure.error == 0)
            return;
        const ExecStartError error = describeStartFailure(failure, spawn);
        Json frame = Json::object();
        frame.set(u"error"_s, Json::string(error.message));
        frame.set(u"code"_s, Json::string(error.code));
        frame.set(u"finished"_s, Json::boolean(true));
        end(frame, 1011, "could not start");
    }

    void onOutput(Channel channel, const QByteArray &bytes)
    {
        QByteArray frame;
        frame.reserve(bytes.size() + 1);
        frame.append(channel == Channel::Stdout ? StdoutByte : StderrByte).append(bytes);
        m_socket->sendBinary(frame);
        if (m_socket->queuedBytes() > SocketHighWater)
            m_command->setReading(false);
    }

    void onEnded(CommandEnd end)
    {
        if (end.isLost) {
            cut();
            return;
        }
        Json frame = Json::object();
        frame.set(u"exit_code"_s, Json::number(qint64(end.exitCode)));
        frame.set(u"finished"_s, Json::boolean(true));
        this->end(frame, 1000, "command exited");
    }

    void end(const Json &frame, int code, const QByteArray &reason)
    {
        const auto keep = shared_from_this();
        m_socket->sendText(frame.toJson());
        m_socket->close(code, reason);
        stop();
    }

    SandboxPtr m_sandbox;
    std::shared_ptr<WebSocket> m_socket;
    std::shared_ptr<Command> m_command;
    Timer m_timer;
    quint64 m_attachment = 0;
    bool m_hasBegun = false;
};

} // namespace

void runExecSession(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const ExecSettings &settings)
{
    // Shared with the cut handler, because the session exists only after the upgrade.
    const auto session = std::make_shared<std::weak_ptr<ExecSession>>();
    const auto isCut = std::make_shared<bool>(false);
    const auto attachment = sandbox->attach([session, isCut] {
        *isCut = true;
        if (const auto running = session->lock())
            running->cut();
    });
    if (!attachment) {
        exchange->respond(plainError(429, u"too many connections to sandbox"_s));
        return;
    }
    const QByteArray offered = exchange->request().header("Sec-WebSocket-Protocol");
    QByteArray protocol;
    for (const QByteArray &name : offered.split(',')) {
        if (name.trimmed() == "superserve.exec.v1")
            protocol = "superserve.exec.v1";
    }
    exchange->acceptWebSocket(
        protocol, MaxMessage,
        [sandbox, session, isCut, id = *attachment, settings](const std::shared_ptr<WebSocket> &socket) {
            if (!socket || *isCut || sandbox->meta().status != SandboxStatus::Active) {
                sandbox->detach(id);
                if (socket)
                    socket->abort();
                return;
            }
            const auto running = std::make_shared<ExecSession>(sandbox, socket);
            *session = running;
            running->start(id, settings);
        });
}

} // namespace Pilothouse
