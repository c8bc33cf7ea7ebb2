// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"
#include "execrequest.h"
#include "exectransports.h"
#include "outputcollector.h"

#include <QDateTime>

#include <ctime>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qint64 MaxExecBody = 1024 * 1024;
constexpr auto DefaultTimeout = 30s;
constexpr qint64 AnswerHighWater = 1024 * 1024; // Queued for one client; then the command has to wait.
constexpr const char *TruncationNotice = "[superserve] output truncated: the rest was dropped after 8 MiB\n";

HttpResponse tooManyConnections() { return plainError(429, u"too many connections to sandbox"_s); }

/// Reads and checks the body, then the state once more: it may have changed while the body came.
void withExecRequest(const HttpExchangePtr &exchange, const SandboxPtr &sandbox,
                     std::function<void(const ExecRequest &)> work)
{
    exchange->readBody(
        MaxExecBody, [exchange, sandbox, work = std::move(work)](const Result<QByteArray, BodyError> &body) {
            if (!body) {
                const bool isLarge = body.error() == BodyError::TooLarge;
                exchange->respond(
                    plainError(isLarge ? 413 : 400, isLarge ? u"body too large"_s : u"body missing"_s));
                return;
            }
            const auto request = parseExecRequest(*body);
            if (!request) {
                exchange->respond(plainError(400, request.error()));
                return;
            }
            if (sandbox->meta().status != SandboxStatus::Active) {
                exchange->respond(plainError(503, statusSentence(sandbox->meta().status)));
                return;
            }
            work(*request);
        });
}

QString nowWithNanoseconds()
{
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const QString seconds =
        QDateTime::fromSecsSinceEpoch(now.tv_sec, Qt::UTC).toString(u"yyyy-MM-ddTHH:mm:ss"_s);
    return u"%1.%2Z"_s.arg(seconds).arg(qlonglong(now.tv_nsec), 9, 10, QChar(u'0'));
}

// ---- POST /exec

class ExecCall : public std::enable_shared_from_this<ExecCall> {
public:
    ExecCall(HttpExchangePtr exchange, SandboxPtr sandbox)
        : m_exchange(std::move(exchange))
        , m_sandbox(std::move(sandbox))
        , m_command(std::make_shared<Command>(m_sandbox->context().loop, m_sandbox->machine()))
    { }

    void start(const ExecRequest &request)
    {
        const auto self = shared_from_this();
        m_attachment = m_sandbox->attach([self] {
            self->m_command->kill();
            self->m_exchange->abort();
        });
        if (!m_attachment) {
            m_exchange->respond(tooManyConnections());
            return;
        }
        m_exchange->onGone([self] {
            self->m_command->kill();
            self->m_sandbox->detach(*self->m_attachment);
        });
        const SpawnRequest spawn = toSpawnRequest(request, m_sandbox->meta(), m_sandbox->context().limits);
        m_begunMs = m_sandbox->context().clock.monotonicMs();
        m_command->start(
            spawn, false, request.timeout.value_or(DefaultTimeout),
            {[self, spawn](SpawnFailure failure) { self->onStarted(failure, spawn); },
             [self](Channel channel, const QByteArray &bytes) { self->m_output.append(channel, bytes); },
             [self](CommandEnd end) { self->onEnded(end); }});
    }

private:
    void onStarted(SpawnFailure failure, const SpawnRequest &spawn)
    {
        m_startedMs = m_sandbox->context().clock.monotonicMs();
        if (failure.error == 0)
            return;
        const ExecStartError error = describeStartFailure(failure, spawn);
        respond(plainError(error.status, error.message));
    }

    void onEnded(CommandEnd end)
    {
        if (end.isLost) {
            HttpResponse response = plainError(502, u"sandbox unreachable"_s);
            response.headers.append(HttpHeader{"Retry-After", "2"});
            respond(response);
            return;
        }
        m_output.finish();
        QString errorText = m_output.text(Channel::Stderr);
        if (m_output.isTruncated())
            errorText += QString::fromLatin1(TruncationNotice);
        Json body = Json::object();
        body.set(u"stdout"_s, Json::string(m_output.text(Channel::Stdout)));
        body.set(u"stderr"_s, Json::string(errorText));
        body.set(u"exit_code"_s, Json::number(qint64(end.exitCode)));
        if (m_output.isTruncated())
            body.set(u"truncated"_s, Json::boolean(true));
        HttpResponse response = jsonResponse(200, body);
        const qint64 now = m_sandbox->context().clock.monotonicMs();
        response.headers.append({"X-Boxd-Spawn-Ms", QByteArray::number(m_startedMs - m_begunMs)});
        response.headers.append({"X-Boxd-Run-Ms", QByteArray::number(now - m_startedMs)});
        respond(response);
    }

    void respond(const HttpResponse &response)
    {
        m_sandbox->detach(*m_attachment);
        m_exchange->onGone(nullptr);
        m_exchange->respond(response);
    }

    HttpExchangePtr m_exchange;
    SandboxPtr m_sandbox;
    std::shared_ptr<Command> m_command;
    OutputCollector m_output;
    std::optional<quint64> m_attachment;
    qint64 m_begunMs = 0;
    qint64 m_startedMs = 0;
};

// ---- POST /exec/stream

class ExecStream : public std::enable_shared_from_this<ExecStream> {
public:
    ExecStream(HttpExchangePtr exchange, SandboxPtr sandbox, const ExecSettings &settings)
        : m_exchange(std::move(exchange))
        , m_sandbox(std::move(sandbox))
        , m_settings(settings)
        , m_command(std::make_shared<Command>(m_sandbox->context().loop, m_sandbox->machine()))
        , m_keepAlive(m_sandbox->context().loop)
    { }

    void start(const ExecRequest &request)
    {
        const auto self = shared_from_this();
        m_attachment = m_sandbox->attach([self] {
            self->stop();
            self->m_exchange->abort();
        });
        if (!m_attachment) {
            m_exchange->respond(tooManyConnections());
            return;
        }
        m_exchange->onGone([self] { self->stop(); });
        const SpawnRequest spawn = toSpawnRequest(request, m_sandbox->meta(), m_sandbox->context().limits);
        m_command->start(
            spawn, false, request.timeout.value_or(DefaultTimeout),
            {[self, spawn](SpawnFailure failure) { self->onStarted(failure, spawn); },
             [self](Channel channel, const QByteArray &bytes) { self->onOutput(channel, bytes); },
             [self](CommandEnd end) { self->onEnded(end); }});
    }

private:
    void onStarted(SpawnFailure failure, const SpawnRequest &spawn)
    {
        if (failure.error != 0) {
            const ExecStartError error = describeStartFailure(failure, spawn);
            m_sandbox->detach(*m_attachment);
            m_exchange->onGone(nullptr);
            m_exchange->respond(plainError(error.status, error.message));
            return;
        }
        m_exchange->begin({200,
                           {{"Content-Type", "text/event-stream"},
                            {"Cache-Control", "no-cache"},
                            {"X-Accel-Buffering", "no"}},
                           {}},
                          std::nullopt);
        m_exchange->onDrained([self = shared_from_this()] { self->m_command->setReading(true); });
        scheduleKeepAlive();
    }

    void scheduleKeepAlive()
    {
        m_keepAlive.start(m_settings.keepAlive, [this] {
            m_exchange->write(": keepalive\n\n");
            scheduleKeepAlive();
        });
    }

    void send(const Json &event) { m_exchange->write("data: " + event.toJson() + "\n\n"); }

    void onOutput(Channel channel, const QByteArray &bytes)
    {
        Json event = Json::object();
        event.set(u"timestamp"_s, Json::string(nowWithNanoseconds()));
        event.set(channel == Channel::Stdout ? u"stdout"_s : u"stderr"_s,
                  Json::string(QString::fromUtf8(bytes)));
        send(event);
        if (m_exchange->queuedBytes() > AnswerHighWater)
            m_command->setReading(false);
    }

    void onEnded(CommandEnd end)
    {
        m_keepAlive.cancel();
        m_sandbox->detach(*m_attachment);
        m_exchange->onGone(nullptr);
        m_exchange->onDrained(nullptr);
        if (end.isLost) {
            m_exchange->abort(); // Without `finished` the client knows that the outcome is unknown.
            return;
        }
        Json event = Json::object();
        event.set(u"timestamp"_s, Json::string(nowWithNanoseconds()));
        event.set(u"exit_code"_s, Json::number(qint64(end.exitCode)));
        event.set(u"finished"_s, Json::boolean(true));
        send(event);
        m_exchange->end();
    }

    void stop()
    {
        m_keepAlive.cancel();
        m_command->kill();
        m_sandbox->detach(*m_attachment);
    }

    HttpExchangePtr m_exchange;
    SandboxPtr m_sandbox;
    ExecSettings m_settings;
    std::shared_ptr<Command> m_command;
    Timer m_keepAlive;
    std::optional<quint64> m_attachment;
};

} // namespace

void runExec(const HttpExchangePtr &exchange, const SandboxPtr &sandbox)
{
    withExecRequest(exchange, sandbox, [exchange, sandbox](const ExecRequest &request) {
        std::make_shared<ExecCall>(exchange, sandbox)->start(request);
    });
}

void runExecStream(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const ExecSettings &settings)
{
    withExecRequest(exchange, sandbox, [exchange, sandbox, settings](const ExecRequest &request) {
        std::make_shared<ExecStream>(exchange, sandbox, settings)->start(request);
    });
}

} // namespace Pilothouse
