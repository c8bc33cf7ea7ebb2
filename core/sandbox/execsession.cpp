// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/execsession.h"

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxbounds.h"
#include "sandbox/sandboxhttp.h"
#include "sandbox/sandboxwire.h"

#include <QNetworkRequest>
#include <QWebSocket>
#include <QWebSocketHandshakeOptions>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostDials = 2;
constexpr int MostSilentPings = 2;
// The service sends pieces of 32 KiB; a frame of this size is no longer output but an attack on memory.
constexpr quint64 LargestFrame = 16 * 1024 * 1024;
constexpr char StdoutByte = 1;
constexpr char StderrByte = 2;

// The oldest services take messages up to this size.
constexpr qsizetype SafeStartFrame = 64 * 1024;

bool saysNeverStarted(int closeCode, qsizetype startSize)
{
    // 1003: first frame was no text; 1008: no or bad start frame; 1009: start frame too large. But Qt sets
    // 1009 itself too when what comes in is too large, so it counts only if the start frame gave a reason.
    return closeCode == 1003 || closeCode == 1008 || (closeCode == 1009 && startSize > SafeStartFrame);
}

bool saysNoSuchCall(const ApiError &error)
{
    return error.status == 404 || error.status == 405 || error.status == 501;
}

} // namespace

ExecSession::ExecSession(SandboxHttp *http, QString id, CommandRequest request, QObject *parent)
    : CommandSession(parent)
    , m_http(http)
    , m_id(std::move(id))
    , m_request(std::move(request))
{
    m_dialTimer.setSingleShot(true);
    m_dialTimer.setInterval(http->timing().dial);
    connect(&m_dialTimer, &QTimer::timeout, this, &ExecSession::dialFailed);
    m_pingTimer.setInterval(http->timing().ping);
    connect(&m_pingTimer, &QTimer::timeout, this, &ExecSession::onPing);
    m_wakeTimer.setSingleShot(true);
    m_wakeTimer.setInterval(http->timing().wakeCheck);
    connect(&m_wakeTimer, &QTimer::timeout, this, [this] {
        if (m_state != State::Running)
            return;
        finishWith(CommandOutcome::Known::Unknown,
                   SandboxWire::makeError(
                       ApiError::Category::Truncated,
                       u"The connection to the running command did not outlast the sleep of this computer or "
                       "the change of its network. It may have ended, or may still run; look into the "
                       "sandbox before repeating it."_s));
    });
    m_deadline.setSingleShot(true);
    m_deadline.setInterval(std::chrono::seconds(SandboxWire::timeoutSeconds(m_request))
                           + http->timing().sessionGrace);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        finishWith(CommandOutcome::Known::Unknown,
                   SandboxWire::makeError(
                       ApiError::Category::Timeout,
                       u"The command's time is long over and the sandbox has not said how it ended. It may "
                       "still run; look into the sandbox before repeating it."_s));
    });
    QMetaObject::invokeMethod(this, &ExecSession::begin, Qt::QueuedConnection);
}

ExecSession::~ExecSession()
{
    m_state = State::Done;
    dropTransports();
}

void ExecSession::begin()
{
    if (m_state != State::Waiting || !m_http)
        return;
    if (!SandboxWire::isSandboxId(m_id) || m_request.command.isEmpty()) {
        return finishWith(
            CommandOutcome::Known::NotStarted,
            SandboxWire::makeError(ApiError::Category::Local,
                                   m_request.command.isEmpty()
                                       ? u"An empty command cannot be run. Nothing was sent."_s
                                       : u"This is not the id of a sandbox. Nothing was sent."_s));
    }
    m_state = State::Dialling;
    const auto first = [this](const Result<Secret, ApiError> &token) {
        if (m_state != State::Dialling)
            return;
        if (!token)
            return finishWith(CommandOutcome::Known::NotStarted, token.error());
        dial(*token);
    };
    m_http->token(m_id, this, first, m_request.wake);
}

void ExecSession::dial(const Secret &token)
{
    m_token = token;
    ++m_dials;
    bool needsHeader = false;
    const QUrl url = SandboxWire::socketUrl(m_http->endpoint(), m_id, needsHeader);
    if (url.scheme() != "wss"_L1 && !NetworkAccess::isLoopback(url)) {
        return finishWith(CommandOutcome::Known::NotStarted,
                          SandboxWire::makeError(
                              ApiError::Category::Local,
                              QString(u"Refused to send a key to "_s + url.host()
                                      + u" over a plain socket. Nothing was sent; use an https address."_s)));
    }
    QNetworkRequest request(url);
    request.setRawHeader("User-Agent", NetworkAccess::userAgent());
    if (needsHeader)
        request.setRawHeader("X-Superserve-Sandbox-Id", m_id.toLatin1());
    QWebSocketHandshakeOptions options;
    options.setSubprotocols(
        {u"superserve.exec.v1"_s, QString(u"token."_s + QString::fromLatin1(token.reveal()))});

    m_socket = m_http->network()->makeWebSocket(url, this);
    m_socket->setMaxAllowedIncomingFrameSize(LargestFrame);
    m_socket->setMaxAllowedIncomingMessageSize(LargestFrame);
    connect(m_socket, &QWebSocket::connected, this, &ExecSession::onConnected);
    connect(m_socket, &QWebSocket::textMessageReceived, this, &ExecSession::onText);
    connect(m_socket, &QWebSocket::binaryMessageReceived, this, &ExecSession::onBinary);
    connect(m_socket, &QWebSocket::pong, this, &ExecSession::showsLife);
    connect(m_socket, &QWebSocket::disconnected, this, &ExecSession::onDropped);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(m_socket, &QWebSocket::errorOccurred, this, &ExecSession::onDropped);
#else
    connect(m_socket, qOverload<QAbstractSocket::SocketError>(&QWebSocket::error), this,
            &ExecSession::onDropped);
#endif
    m_dialTimer.start();
    m_http->network()->open(m_socket, request, options);
}

void ExecSession::dialFailed()
{
    if (m_state != State::Dialling)
        return;
    if (const QString refusal = m_socket ? NetworkAccess::tlsRefusal(m_socket) : QString();
        !refusal.isEmpty()) {
        // No other dial and no other way would end otherwise.
        ApiError error;
        error.category = ApiError::Category::Tls;
        error.message =
            u"The certificate of the sandbox was refused: "_s + refusal + u". Nothing was sent."_s;
        return finishWith(CommandOutcome::Known::NotStarted, error);
    }
    dropTransports();
    const auto next = [this](const Result<Secret, ApiError> &token) {
        if (m_state != State::Dialling)
            return;
        if (!token)
            return finishWith(CommandOutcome::Known::NotStarted, token.error());
        dial(*token);
    };
    if (m_dials < MostDials)
        m_http->refresh(m_id, m_token, this, next, m_request.wake);
    else
        stream(m_token, false);
}

void ExecSession::onConnected()
{
    if (m_state != State::Dialling)
        return;
    m_dialTimer.stop();
    m_state = State::Running;
    m_startSent = true;
    const QByteArray start = SandboxWire::commandBody(m_request);
    m_startSize = start.size();
    m_socket->sendTextMessage(QString::fromUtf8(start));
    // The command gets no input; without this one that reads would wait for ever.
    m_socket->sendTextMessage(u"{\"type\":\"stdin_close\"}"_s);
    m_pingTimer.start();
    m_deadline.start();
    watchOverSleep();
    Q_EMIT started();
}

void ExecSession::onText(const QString &text)
{
    if (m_state != State::Running)
        return;
    showsLife();
    const Result<Json, JsonError> json = parseJson(text.toUtf8());
    if (!json)
        return; // Later services may send other things; only a final frame ends the session.
    if (const std::optional<CommandOutcome> outcome = ExecEventParser::finishedOutcome(*json, m_outputSeen))
        finish(*outcome);
}

void ExecSession::onBinary(const QByteArray &frame)
{
    if (m_state != State::Running)
        return;
    showsLife();
    if (frame.size() < 2 || (frame[0] != StdoutByte && frame[0] != StderrByte))
        return;
    m_outputSeen = true;
    Q_EMIT output(frame[0] == StdoutByte ? OutputChannel::Stdout : OutputChannel::Stderr, frame.mid(1));
}

void ExecSession::onDropped()
{
    if (m_state == State::Dialling)
        return dialFailed();
    if (m_state != State::Running)
        return;
    // A real close frame has its own code; 1000 says nothing here.
    const int code = static_cast<int>(m_socket->closeCode());
    const QString reason = m_token.redact(cleanErrorText(m_socket->closeReason()));
    if (saysNeverStarted(code, m_startSize) && !m_outputSeen) {
        QString text = code == 1009
            ? u"The command is too long for the sandbox service. Nothing was run; write it into a file "
              "and run that."_s
            : u"The sandbox service refused the command. Nothing was run."_s;
        if (!reason.isEmpty())
            text += u" ("_s + reason + u')';
        return finishWith(CommandOutcome::Known::NotStarted,
                          SandboxWire::makeError(ApiError::Category::InvalidRequest, text));
    }
    QString text =
        u"The connection to the running command was lost. It may have ended, or may still run; look into the "
        "sandbox before repeating it."_s;
    if (!reason.isEmpty())
        text += u" ("_s + reason + u')';
    finishWith(CommandOutcome::Known::Unknown, SandboxWire::makeError(ApiError::Category::Truncated, text));
}

void ExecSession::watchOverSleep()
{
    NetworkAccess *network = m_http->network();
    m_inFlight = network->watch(m_socket->requestUrl());
    if (!m_inFlight)
        return;
    connect(network, &NetworkAccess::connectionsInDoubt, m_socket, [this, network] {
        if (m_state == State::Running && !m_doubt)
            m_doubt = network->doubt();
    });
    // Not before: the system repeats what was not answered later and later, and would miss the return.
    connect(network, &NetworkAccess::networkReachable, m_socket, [this] {
        if (m_state != State::Running || !m_doubt)
            return;
        m_wakeTimer.start();
        m_socket->ping();
    });
}

void ExecSession::showsLife()
{
    m_silentPings = 0;
    m_wakeTimer.stop();
    m_doubt.reset();
}

void ExecSession::onPing()
{
    if (m_state != State::Running || !m_socket)
        return;
    if (m_silentPings >= MostSilentPings)
        return onDropped();
    ++m_silentPings;
    m_socket->ping();
}

void ExecSession::stream(const Secret &token, bool repeated)
{
    m_state = State::Streaming;
    m_token = token;
    RequestSpec spec = m_http->dataSpec("POST", m_id, "/exec/stream");
    spec.secretHeaders.append({"X-Access-Token", token});
    spec.body = SandboxWire::commandBody(m_request);
    spec.repeatable = false;
    spec.stream = true;
    spec.maxBytes = 0; // The service sets no limit either; the consumer spills to disk.
    // Keep-alive comments come every 15 s and count as life.
    spec.idleTimeout = std::max(m_request.timeout, std::chrono::milliseconds(0)) + m_http->timing().execGrace;
    m_job = m_http->network()->start(spec, Lane::Stream, this);
    connect(m_job, &HttpJob::bodyReceived, this, &ExecSession::onStreamBytes);
    connect(m_job, &HttpJob::finished, this, [this, repeated] { onStreamEnd(repeated); });
    if (repeated)
        return;
    m_startSent = true;
    m_deadline.start();
    Q_EMIT started();
}

void ExecSession::onStreamBytes(const QByteArray &bytes)
{
    const QPointer<ExecSession> alive(this);
    const QList<ExecEvent> events = m_parser.feed(bytes);
    for (const ExecEvent &event : events) {
        if (!alive || m_state != State::Streaming)
            return;
        switch (event.kind) {
        case ExecEvent::Kind::Output:
            m_outputSeen = true;
            Q_EMIT output(event.channel, event.bytes);
            break;
        case ExecEvent::Kind::Finished:
            return finish(event.outcome);
        }
    }
    if (alive && m_state == State::Streaming && m_parser.overflowed()) {
        finishWith(CommandOutcome::Known::Unknown,
                   SandboxWire::makeError(
                       ApiError::Category::Protocol,
                       u"The sandbox sent a line of output that is too long to be one of its events."_s));
    }
}

void ExecSession::onStreamEnd(bool repeated)
{
    if (m_state != State::Streaming || !m_job)
        return;
    if (!m_job->error()) {
        return finishWith(CommandOutcome::Known::Unknown,
                          SandboxWire::makeError(
                              ApiError::Category::Truncated,
                              u"The output of the command ended without its result. It may have ended, or "
                              "may still run; look into the sandbox before repeating it."_s));
    }
    const ApiError error = *m_job->error();
    if (SandboxHttp::saysNothing(error))
        return finishWith(CommandOutcome::Known::Unknown, error);
    if (!repeated && SandboxHttp::wantsActivate(error)) {
        const auto next = [this](const Result<Secret, ApiError> &token) {
            if (m_state != State::Streaming)
                return;
            if (!token)
                return finishWith(CommandOutcome::Known::NotStarted, token.error());
            stream(*token, true);
        };
        m_http->refresh(m_id, m_token, this, next, m_request.wake);
        return;
    }
    if (!m_outputSeen && saysNoSuchCall(error))
        return collect();
    const bool unknown = error.outcomeUnknown || m_outputSeen;
    finishWith(unknown ? CommandOutcome::Known::Unknown : CommandOutcome::Known::NotStarted, error);
}

void ExecSession::collect()
{
    m_state = State::Collecting;
    m_collector = new QObject(this);
    RequestSpec spec = m_http->dataSpec("POST", m_id, "/exec");
    spec.body = SandboxWire::commandBody(m_request);
    spec.repeatable = false;
    spec.maxBytes = LargestExecAnswer;
    spec.firstByteTimeout =
        std::max(m_request.timeout, std::chrono::milliseconds(0)) + m_http->timing().execGrace;
    spec.silenceAfterWake = std::chrono::milliseconds(0); // It says nothing while the command runs.
    m_http->boundAnswer(spec, spec.maxBytes);
    const auto read = [this](const Result<SandboxHttp::Answer, ApiError> &answer) {
        if (answer)
            onCollected(SandboxWire::readExecResult(answer->body));
        else
            onCollected(fail(answer.error()));
    };
    m_http->data(m_id, spec, Lane::Stream, m_collector, read, m_request.wake);
}

void ExecSession::onCollected(const Result<ExecResult, ApiError> &result)
{
    if (m_state != State::Collecting)
        return;
    if (!result) {
        const bool unknown = result.error().outcomeUnknown;
        return finishWith(unknown ? CommandOutcome::Known::Unknown : CommandOutcome::Known::NotStarted,
                          result.error());
    }
    CommandOutcome outcome;
    outcome.known = CommandOutcome::Known::Exited;
    outcome.exitCode = result->exitCode;
    outcome.outputCut = result->truncated;
    const QPointer<ExecSession> alive(this);
    const ExecResult whole = *result; // What hears of the output may end us.
    for (const auto &[channel, bytes] : {std::pair(OutputChannel::Stdout, whole.standardOutput),
                                         std::pair(OutputChannel::Stderr, whole.standardError)}) {
        if (bytes.isEmpty())
            continue;
        m_outputSeen = true;
        Q_EMIT output(channel, bytes);
        if (!alive || m_state != State::Collecting)
            return;
    }
    finish(outcome);
}

void ExecSession::sendSignal(const QString &name)
{
    if (m_state == State::Waiting || m_state == State::Dialling)
        return close();
    if ((m_state == State::Streaming || m_state == State::Collecting) && m_signaller)
        return m_signaller(name, this);
    if (m_state != State::Running || !m_socket)
        return;
    const QString full = name.startsWith("SIG"_L1) ? name : QString(u"SIG"_s + name);
    JsonBuilder frame;
    frame.add("type"_L1, "signal"_L1).add("name"_L1, full);
    m_socket->sendTextMessage(QString::fromUtf8(frame.take()));
}

void ExecSession::close()
{
    if (m_state == State::Done)
        return;
    m_state = State::Done;
    m_deadline.stop();
    dropTransports();
    CommandOutcome outcome;
    outcome.known = m_startSent ? CommandOutcome::Known::Unknown : CommandOutcome::Known::NotStarted;
    outcome.error =
        SandboxWire::makeError(ApiError::Category::Cancelled, u"The connection to the command was closed."_s);
    outcome.error->partial = m_outputSeen;
    outcome.error->outcomeUnknown = m_startSent;
    QMetaObject::invokeMethod(
        this, [this, outcome] { Q_EMIT finished(outcome); }, Qt::QueuedConnection);
}

void ExecSession::dropTransports()
{
    m_dialTimer.stop();
    m_pingTimer.stop();
    m_wakeTimer.stop();
    m_inFlight.reset();
    m_doubt.reset();
    if (m_socket) {
        m_socket->disconnect(this);
        m_socket->abort();
        if (m_http) {
            // This may run inside one of its signals, and as our child it would die with us: it needs another
            // parent.
            m_socket->setParent(m_http->network());
            m_socket->deleteLater();
            m_socket.clear();
        } else {
            // Everything comes down around it, outside its signals; nothing deferred would be run any more.
            delete m_socket;
        }
    }
    if (m_collector)
        m_collector->deleteLater(); // This may run inside its reply.
    m_collector.clear();
    if (m_job) {
        m_job->abandon();
        m_job.clear();
    }
}

void ExecSession::finish(const CommandOutcome &outcome)
{
    if (m_state == State::Done)
        return;
    m_state = State::Done;
    m_deadline.stop();
    dropTransports();
    Q_EMIT finished(outcome);
}

void ExecSession::finishWith(CommandOutcome::Known known, ApiError error)
{
    CommandOutcome outcome;
    outcome.known = known;
    error.partial = error.partial || m_outputSeen;
    error.outcomeUnknown = known == CommandOutcome::Known::Unknown;
    outcome.error = std::move(error);
    finish(outcome);
}

} // namespace Pilothouse
