// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxhttp.h"

#include "net/backoff.h"
#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxwire.h"

#include <QPointer>
#include <QTimer>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostAttempts = 3;
constexpr std::chrono::hours LongestAnswer{24};

bool isRepeatableMethod(const QByteArray &method) { return method == "GET" || method == "DELETE"; }

/// Our own time limits and refusals are final; so is every status but the four that say "later".
bool isWorthAnotherAttempt(const ApiError &error)
{
    if (error.status != 0)
        return error.status == 429 || error.status == 502 || error.status == 503 || error.status == 504;
    return error.category == ApiError::Category::Network || error.category == ApiError::Category::Truncated;
}

} // namespace

SandboxHttp::SandboxHttp(NetworkAccess *network, SandboxEndpoint endpoint, const SandboxTiming &timing,
                         QObject *parent)
    : QObject(parent)
    , m_network(network)
    , m_endpoint(std::move(endpoint))
    , m_timing(timing)
{ }

SandboxHttp::~SandboxHttp() = default;

std::optional<ApiError> SandboxHttp::keyProblem() const
{
    const QByteArray key = m_endpoint.apiKey.reveal();
    const bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (!key.isEmpty() && printable)
        return std::nullopt;
    ApiError error = SandboxWire::makeError(
        ApiError::Category::Auth,
        key.isEmpty()
            ? u"There is no key for the sandbox service. Nothing was sent; set SUPERSERVE_API_KEY or enter a key."_s
            : u"The key for the sandbox service holds white space or characters that cannot be sent. Nothing "
              u"was "
              "sent; enter it again."_s);
    error.status = 401;
    return error;
}

RequestSpec SandboxHttp::controlSpec(const QByteArray &method, const QByteArray &pathAndQuery) const
{
    RequestSpec spec;
    spec.method = method;
    spec.url = QUrl::fromEncoded(m_endpoint.control.toEncoded(QUrl::StripTrailingSlash) + pathAndQuery,
                                 QUrl::StrictMode);
    spec.secretHeaders.append({"X-API-Key", m_endpoint.apiKey});
    spec.firstByteTimeout = m_timing.call;
    return spec;
}

RequestSpec SandboxHttp::dataSpec(const QByteArray &method, const QString &id,
                                  const QByteArray &pathAndQuery) const
{
    RequestSpec spec;
    spec.method = method;
    spec.url = SandboxWire::dataUrl(m_endpoint, pathAndQuery);
    spec.headers.append({"X-Superserve-Sandbox-Id", id.toLatin1()});
    spec.firstByteTimeout = m_timing.call;
    return spec;
}

void SandboxHttp::boundAnswer(RequestSpec &spec, qint64 bytes) const
{
    const qint64 seconds =
        std::clamp<qint64>(bytes / m_timing.slowestLine, 0, std::chrono::seconds(LongestAnswer).count());
    spec.idleTimeout = m_timing.idle;
    spec.totalTimeout = spec.firstByteTimeout + m_timing.body + std::chrono::seconds(seconds);
}

void SandboxHttp::send(const RequestSpec &given, Lane lane, int attempt, int attempts, QObject *scope,
                       const AnswerReply &reply)
{
    RequestSpec spec = given;
    if (spec.totalTimeout.count() == 0)
        boundAnswer(spec, lane == Lane::Transfer && spec.method == "GET" ? spec.maxBytes : 0);
    HttpJob *job = m_network->start(spec, lane, scope);
    connect(job, &HttpJob::finished, scope, [=, this] {
        if (job->error()) {
            const ApiError error = *job->error();
            if (attempt < attempts && isWorthAnotherAttempt(error)) {
                QTimer::singleShot(std::chrono::milliseconds(Backoff::controlWaitMs(error, attempt)), scope,
                                   [=, this] { send(spec, lane, attempt + 1, attempts, scope, reply); });
                return;
            }
            return reply(fail(error));
        }
        Answer answer;
        answer.status = job->status();
        answer.body = job->body();
        bool isNumber = false;
        const qint64 total = job->header("X-Total-Count").toLongLong(&isNumber);
        if (isNumber && total >= 0)
            answer.totalCount = total;
        answer.contentRange = job->header("Content-Range");
        answer.lastModified = job->header("Last-Modified");
        reply(answer);
    });
}

void SandboxHttp::control(const RequestSpec &spec, Lane lane, QObject *scope, AnswerReply reply)
{
    if (const std::optional<ApiError> problem = keyProblem()) {
        QMetaObject::invokeMethod(
            scope, [problem, reply = std::move(reply)] { reply(fail(*problem)); }, Qt::QueuedConnection);
        return;
    }
    send(spec, lane, 1, isRepeatableMethod(spec.method) ? MostAttempts : 1, scope, reply);
}

void SandboxHttp::anonymous(const RequestSpec &spec, QObject *scope, AnswerReply reply)
{
    send(spec, Lane::Control, 1, MostAttempts, scope, reply);
}

void SandboxHttp::data(const QString &id, const RequestSpec &spec, Lane lane, QObject *scope,
                       AnswerReply reply, Wake wake)
{
    const auto send = [=, this, reply = std::move(reply)](const Result<Secret, ApiError> &got) {
        if (!got)
            return reply(fail(got.error()));
        sendData(id, spec, lane, *got, false, wake, scope, reply);
    };
    token(id, scope, send, wake);
}

void SandboxHttp::sendData(const QString &id, const RequestSpec &spec, Lane lane, const Secret &token,
                           bool repeated, Wake wake, QObject *scope, const AnswerReply &reply)
{
    RequestSpec withToken = spec;
    withToken.secretHeaders.append({"X-Access-Token", token});
    const int attempts = !repeated && isRepeatableMethod(spec.method) ? MostAttempts : 1;
    send(withToken, lane, 1, attempts, scope, [=, this](const Result<Answer, ApiError> &answer) {
        if (!answer && !isRepeatableMethod(spec.method) && saysNothing(answer.error())) {
            ApiError error = answer.error();
            error.outcomeUnknown = true;
            return reply(fail(error));
        }
        if (answer || repeated || !wantsActivate(answer.error()))
            return reply(answer);
        const auto again = [=, this](const Result<Secret, ApiError> &fresh) {
            if (!fresh)
                return reply(fail(fresh.error()));
            sendData(id, spec, lane, *fresh, true, wake, scope, reply);
        };
        refresh(id, token, scope, again, wake);
    });
}

bool SandboxHttp::wantsActivate(const ApiError &error)
{
    switch (error.status) {
    case 401:
    case 403:
    case 503:
        return true;
    case 404:
        return error.code == "sandbox_route_stale"_L1;
    }
    return false;
}

bool SandboxHttp::saysNothing(const ApiError &error)
{
    const bool isAbout = error.status == 401 || error.status == 403 || error.status >= 500;
    return isAbout && error.code.isEmpty() && error.message.startsWith("API error ("_L1);
}

void SandboxHttp::token(const QString &id, QObject *scope, Reply<Secret> reply, Wake wake)
{
    const auto cached = m_tokens.constFind(id);
    if (cached != m_tokens.cend()) {
        QMetaObject::invokeMethod(
            scope, [token = *cached, reply = std::move(reply)] { reply(token); }, Qt::QueuedConnection);
        return;
    }
    refresh(id, Secret(), scope, std::move(reply), wake);
}

void SandboxHttp::refresh(const QString &id, const Secret &used, QObject *scope, Reply<Secret> reply,
                          Wake wake)
{
    const auto cached = m_tokens.constFind(id);
    if (cached != m_tokens.cend() && !cached->equals(used) && !m_flights.contains(id)) {
        QMetaObject::invokeMethod(
            scope, [token = *cached, reply = std::move(reply)] { reply(token); }, Qt::QueuedConnection);
        return;
    }
    if (wake == Wake::Never)
        return tokenIfActive(id, scope, reply);
    activateOnce(id, scope, [this, id, reply = std::move(reply)](const Result<SandboxInfo, ApiError> &info) {
        if (!info)
            return reply(fail(info.error()));
        const Secret fresh = m_tokens.value(id);
        reply(fresh);
    });
}

void SandboxHttp::tokenIfActive(const QString &id, QObject *scope, const Reply<Secret> &reply)
{
    control(controlSpec("GET", "/sandboxes/" + id.toLatin1()), Lane::Control, scope,
            [=, this](const Result<Answer, ApiError> &answer) {
                const Result<SandboxWire::Answer, ApiError> sandbox = answer
                    ? SandboxWire::readSandbox(answer->body)
                    : Result<SandboxWire::Answer, ApiError>(fail(answer.error()));
                if (!sandbox)
                    return reply(fail(sandbox.error()));
                if (sandbox->info.status != "active"_L1) {
                    ApiError error = SandboxWire::makeError(
                        ApiError::Category::Conflict,
                        QString(u"The machine "_s + id + u" is "_s + cleanErrorText(sandbox->info.status)
                                + u". Nothing was sent, so that it is not woken."_s));
                    error.code = u"sandbox_not_active"_s;
                    return reply(fail(error));
                }
                remember(id, sandbox->token);
                if (!sandbox->token.isEmpty())
                    return reply(sandbox->token);
                // An active machine is not woken by this; some answers simply hold no token.
                refresh(id, m_tokens.value(id), scope, reply);
            });
}

void SandboxHttp::activateOnce(const QString &id, QObject *scope, Reply<SandboxInfo> reply)
{
    if (const std::optional<ApiError> problem = keyProblem()) {
        QMetaObject::invokeMethod(
            scope, [problem, reply = std::move(reply)] { reply(fail(*problem)); }, Qt::QueuedConnection);
        return;
    }
    Flight &flight = m_flights[id];
    flight.waiters.append({scope,
                           connect(scope, &QObject::destroyed, this, [this, id, scope] { leave(id, scope); }),
                           std::move(reply)});
    if (flight.job)
        return;
    RequestSpec spec = controlSpec("POST", "/sandboxes/" + id.toLatin1() + "/activate");
    spec.firstByteTimeout = m_timing.longCall;
    boundAnswer(spec, 0);
    // Its own manager: it may take a minute, and six of them would block every short call.
    flight.job = m_network->start(spec, Lane::Stream, this);
    connect(flight.job, &HttpJob::finished, this, [this, id] { onActivated(id); });
}

void SandboxHttp::onActivated(const QString &id)
{
    const Flight flight = m_flights.take(id);
    Result<SandboxInfo, ApiError> outcome = fail(ApiError());
    if (flight.job->error()) {
        outcome = fail(*flight.job->error());
    } else {
        const Result<SandboxWire::Answer, ApiError> answer = SandboxWire::readSandbox(flight.job->body());
        if (!answer) {
            outcome = fail(answer.error());
        } else if (answer->token.isEmpty()) {
            outcome = fail(SandboxWire::makeError(
                ApiError::Category::Protocol,
                u"The sandbox service activated the sandbox without an access token."_s));
        } else {
            remember(id, answer->token);
            remember(answer->info.id, answer->token);
            outcome = answer->info;
        }
    }
    const QPointer<SandboxHttp> alive(this);
    QList<QPair<QPointer<QObject>, Reply<SandboxInfo>>> replies;
    for (const Waiter &waiter : flight.waiters) {
        disconnect(waiter.onDestroyed);
        replies.append({waiter.scope, waiter.reply});
    }
    for (const auto &[scope, reply] : replies) {
        if (alive && scope)
            reply(outcome);
    }
}

void SandboxHttp::leave(const QString &id, const QObject *scope)
{
    const auto flight = m_flights.find(id);
    if (flight == m_flights.end())
        return;
    flight->waiters.removeIf([scope](const Waiter &waiter) { return waiter.scope == scope; });
    if (!flight->waiters.isEmpty())
        return;
    flight->job->abandon();
    m_flights.erase(flight);
}

void SandboxHttp::remember(const QString &id, const Secret &token)
{
    if (!token.isEmpty())
        m_tokens.insert(id, token);
}

void SandboxHttp::forget(const QString &id) { m_tokens.remove(id); }

} // namespace Pilothouse
