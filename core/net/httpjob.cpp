// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"

#include "net/backoff.h"
#include "net/httpjobprivate.h"
#include "net/proxylogins.h"
#include "net/tlsrefusal.h"
#include "util/logging.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QEvent>
#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QSslConfiguration>
#include <QSslError>

#include <cstring>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Swallows queued calls to an object that only waits for its deletion. A child of that object.
class CallSink final : public QObject {
public:
    explicit CallSink(QObject *watched)
        : QObject(watched)
    { }
    bool eventFilter(QObject *, QEvent *event) override { return event->type() == QEvent::MetaCall; }
};

// Error bodies hold a sentence; a page of HTML behind it is of no use to anybody.
constexpr qsizetype LargestErrorBody = 64 * 1024;
// Qt stops reading from the socket when this much waits, so a slow consumer slows the server, not our memory.
constexpr qint64 ReadBuffer = 64 * 1024;
// A person may mistype; a program that asks for ever would lock the account.
constexpr int MostProxyTries = 5;
// Of answers from a network that is there: longer than a round trip and a lost packet.
constexpr auto SilenceOfRepeatable = std::chrono::seconds(3);
// Longer than the 15 s between signs of life of a command's stream.
constexpr auto SilenceOfOthers = std::chrono::seconds(20);
constexpr int ProxyLoginStatus = 407;
// A proxy that hangs up in the middle of its answer is waited for without end by Qt 6.4.
constexpr auto ProxyLimit = std::chrono::seconds(15);

QString seconds(std::chrono::milliseconds time)
{
    return QString::number(static_cast<double>(time.count()) / 1000.0) + u" s"_s;
}

} // namespace

OneWayDevice::OneWayDevice(QByteArray bytes, QObject *parent)
    : QIODevice(parent)
    , m_bytes(std::move(bytes))
{
    // Unbuffered, so that wasRead() tells what Qt took and not what a buffer prefetched.
    open(QIODevice::ReadOnly | QIODevice::Unbuffered);
}

qint64 OneWayDevice::readData(char *data, qint64 maxSize)
{
    const qint64 count = qMin(maxSize, m_bytes.size() - m_at);
    if (count <= 0)
        return -1;
    std::memcpy(data, m_bytes.constData() + m_at, static_cast<size_t>(count));
    m_at += count;
    m_wasRead = true;
    return count;
}

template <typename Text>
Text HttpJob::Private::redacted(Text text) const
{
    for (const auto &[name, secret] : spec.secretHeaders) {
        text = secret.redact(text);
        const QByteArray value = secret.reveal();
        const qsizetype space = value.indexOf(' '); // "Bearer KEY": the key alone must not show either.
        if (space > 0)
            text = Secret(value.mid(space + 1)).redact(text);
    }
    return text;
}

QByteArray HttpJob::Private::header(const QByteArray &name) const
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

QString HttpJob::Private::where() const
{
    return spec.url.host()
        + (spec.url.port() > 0 ? QString(u':' + QString::number(spec.url.port())) : QString());
}

bool HttpJob::Private::mayHaveActed() const
{
    if (spec.repeatable || !reply)
        return false;
    return upload == nullptr || upload->wasRead();
}

QNetworkReply *HttpJob::Private::send()
{
    QNetworkRequest request(spec.url);
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    // HTTP/2 ignores the read buffer and has stalled in several Qt versions.
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    // Manual keeps Qt from answering a proxy that has the request itself before it; there is nothing else
    // that it could reuse.
    if (!isProxied() || spec.url.scheme() == "https"_L1)
        request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    request.setRawHeader("User-Agent", NetworkAccess::userAgent());
    if (identity())
        request.setRawHeader("Accept-Encoding", "identity");
    if (!spec.contentType.isEmpty())
        request.setRawHeader("Content-Type", spec.contentType);
    for (const auto &[name, value] : std::as_const(spec.headers))
        request.setRawHeader(name, value);
    for (const auto &[name, value] : std::as_const(spec.secretHeaders))
        request.setRawHeader(name, value.reveal());

    const bool withBody = spec.method == "POST" || spec.method == "PATCH" || spec.method == "PUT";
    if (!withBody) {
        if (spec.method == "GET")
            return manager->get(request);
        if (spec.method == "DELETE")
            return manager->deleteResource(request);
        return manager->sendCustomRequest(request, spec.method);
    }
    if (spec.repeatable || spec.body.isEmpty()) {
        return spec.method == "POST" ? manager->post(request, spec.body)
                                     : manager->sendCustomRequest(request, spec.method, spec.body);
    }
    request.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true);
    request.setHeader(QNetworkRequest::ContentLengthHeader, spec.body.size());
    upload = new OneWayDevice(spec.body, nullptr);
    QNetworkReply *made = spec.method == "POST" ? manager->post(request, upload)
                                                : manager->sendCustomRequest(request, spec.method, upload);
    upload->setParent(made); // The reply reads it until it dies itself.
    return made;
}

void HttpJob::Private::start(HttpJob *job)
{
    if (state != State::Waiting)
        return;
    if (refusal)
        return finish(job, refusal);
    makeTimers(job);
    findWay(job);
}

void HttpJob::Private::makeTimers(HttpJob *job)
{
    const auto timer = [job](std::chrono::milliseconds limit) {
        auto *made = new QTimer(job);
        made->setSingleShot(true);
        made->setInterval(limit);
        return made;
    };
    firstByteTimer = timer(spec.firstByteTimeout);
    QObject::connect(firstByteTimer, &QTimer::timeout, job, [this, job] {
        if (state == State::Finding) {
            return fail(job, ApiError::Category::Timeout,
                        u"The proxy settings of this system did not say within "_s
                            + seconds(spec.firstByteTimeout) + u" how to reach "_s + where()
                            + u". Nothing was sent."_s);
        }
        fail(job, ApiError::Category::Timeout,
             where() + u" did not answer within "_s + seconds(spec.firstByteTimeout) + u'.');
    });
    idleTimer = timer(spec.idleTimeout);
    QObject::connect(idleTimer, &QTimer::timeout, job, [this, job] {
        fail(job, ApiError::Category::Timeout,
             where() + u" began to answer, then sent nothing for "_s + seconds(spec.idleTimeout) + u'.');
    });
    totalTimer = timer(spec.totalTimeout);
    QObject::connect(totalTimer, &QTimer::timeout, job, [this, job] {
        fail(job, ApiError::Category::Timeout,
             u"The answer of "_s + where() + u" was not complete within "_s + seconds(spec.totalTimeout)
                 + u'.');
    });
    wakeTimer =
        timer(spec.silenceAfterWake.value_or(spec.repeatable ? SilenceOfRepeatable : SilenceOfOthers));
    QObject::connect(wakeTimer, &QTimer::timeout, job, [this, job] {
        ApiError lost;
        lost.category = isSuccess() ? ApiError::Category::Truncated : ApiError::Category::Network;
        lost.retryable = true;
        lost.partial = bytesReceived > 0;
        lost.outcomeUnknown = mayHaveActed();
        lost.message = u"The connection to "_s + where()
            + u" did not outlast the sleep of this computer or the change of its network."_s;
        finish(job, lost);
    });
}

void HttpJob::Private::boundProxy(HttpJob *job)
{
    auto *limit = new QTimer(reply);
    limit->setSingleShot(true);
    QObject::connect(limit, &QTimer::timeout, job, [this, job] {
        ApiError failure;
        failure.category = ApiError::Category::Network;
        failure.code = u"proxy_unreachable"_s;
        failure.message = cleanErrorText(QString(
            proxyName() + u" did not make a connection to "_s + where() + u" within "_s + seconds(ProxyLimit)
            + u". Nothing was sent; check the proxy settings of this system."_s));
        finish(job, failure);
    });
    QObject::connect(reply, &QNetworkReply::requestSent, limit, &QTimer::stop);
    QObject::connect(reply, &QNetworkReply::metaDataChanged, limit, &QTimer::stop);
    limit->start(ProxyLimit);
}

void HttpJob::Private::findWay(HttpJob *job)
{
    state = State::Finding;
    if (spec.firstByteTimeout.count() > 0)
        firstByteTimer->start();
    if (spec.totalTimeout.count() > 0)
        totalTimer->start();
    findProxy(spec.url, job, [this, job](const QNetworkProxy &found) {
        if (state != State::Finding)
            return;
        proxy = found;
        launch(job);
    });
}

void HttpJob::Private::launch(HttpJob *job)
{
    state = State::Running;
    status = 0;
    tlsProblem.clear();
    // First of all: what it notices keeps the request off connections that are dead.
    inFlight = network ? network->watch(spec.url) : nullptr;
    manager = acquire(spec.url, proxy);
    if (!manager) {
        ApiError full;
        full.category = ApiError::Category::Local;
        full.message =
            u"Too many streams are open at once. Nothing was sent; wait for one to end and try again."_s;
        return finish(job, full);
    }
    reply = send();
    if (identity())
        boundBuffer(job);
    QObject::connect(reply, &QNetworkReply::sslErrors, job, [this](const QList<QSslError> &errors) {
        // Never ignored: Qt refuses the connection after this.
        tlsProblem =
            describeRefusal(spec.url.host(), errors, reply->sslConfiguration().peerCertificateChain());
    });
    QObject::connect(reply, &QNetworkReply::metaDataChanged, job, [this, job] { onHeaders(job); });
    QObject::connect(reply, &QNetworkReply::readyRead, job, [this, job] { onReadyRead(job); });
    QObject::connect(reply, &QNetworkReply::finished, job, [this, job] { onFinished(job); });
    if (isProxied())
        boundProxy(job);
    watchOverSleep(job);
}

void HttpJob::Private::watchOverSleep(HttpJob *job)
{
    if (!inFlight || wakeTimer->intervalAsDuration().count() == 0)
        return;
    QObject::connect(reply, &QNetworkReply::uploadProgress, job, [this](qint64 sent, qint64) {
        if (sent > 0)
            showsLife();
    });
    QNetworkReply *const watched = reply;
    QObject::connect(network, &NetworkAccess::connectionsInDoubt, watched, [this] {
        if (!doubt && network)
            doubt = network->doubt();
    });
    QObject::connect(network, &NetworkAccess::networkReachable, watched, [this] {
        if (doubt)
            wakeTimer->start();
    });
}

void HttpJob::Private::showsLife()
{
    wakeTimer->stop();
    doubt.reset();
}

// The proxy has refused the request, so nothing of it has reached the service, whatever it is.
void HttpJob::Private::askLogin(HttpJob *job)
{
    ++proxyTries;
    const ApiError failure = loginError();
    drop(job);
    status = 0;
    headers.clear();
    if (!network || proxyTries >= MostProxyTries)
        return finish(job, failure);
    state = State::Asking;
    network->proxyLogins()->refused(proxy, job, [this, job, failure](bool again) {
        if (state != State::Asking)
            return;
        if (again)
            findWay(job);
        else
            finish(job, failure);
    });
}

// A server faster than us must wait for us, not fill the memory. Qt hands the request to a thread of its own
// a little later than the call that made it, and a limit that was set before never gets there: so it is set
// once that has happened, and again with each sign of life up to the answer, since no single one of them is
// certain.
void HttpJob::Private::boundBuffer(HttpJob *job)
{
    const auto bound = [this] {
        if (state == State::Running && reply)
            reply->setReadBufferSize(ReadBuffer);
    };
    bound();
    QMetaObject::invokeMethod(job, bound, Qt::QueuedConnection);
    QObject::connect(reply, &QNetworkReply::socketStartedConnecting, job, bound);
    QObject::connect(reply, &QNetworkReply::requestSent, job, bound);
    QObject::connect(reply, &QNetworkReply::metaDataChanged, job, bound);
}

void HttpJob::Private::stop(HttpJob *job)
{
    state = State::Done;
    drop(job);
}

void HttpJob::Private::drop(HttpJob *job)
{
    for (QTimer *timer : {firstByteTimer, idleTimer, totalTimer, wakeTimer}) {
        if (timer)
            timer->stop();
    }
    if (reply) {
        // abort() emits before it returns: first cut our connections (only ours: Qt's own carry the abort),
        // then abort.
        reply->disconnect(job);
        if (network)
            network->disconnect(reply);
        // Qt 6.4 warns when a reply gets a second error: from abort() when the peer has closed while the last
        // bytes were still to be read, or from the peer's close that is queued behind an abort().
        if (reply->isRunning() && reply->error() == QNetworkReply::NoError)
            reply->abort();
        QCoreApplication::removePostedEvents(reply, QEvent::MetaCall);
        // Qt's network thread may post more until the reply is deleted.
        reply->installEventFilter(new CallSink(reply));
        reply->deleteLater();
        reply.clear();
        upload = nullptr;
    }
    if (manager)
        release(manager);
    manager.clear();
    inFlight.reset();
    doubt.reset();
}

void HttpJob::Private::finish(HttpJob *job, std::optional<ApiError> outcome)
{
    if (state == State::Done)
        return;
    stop(job);
    error = std::move(outcome);
    if (error) {
        qCDebug(lcNet) << spec.method << where() << "failed:" << categoryName(error->category)
                       << error->status;
        errorBody = redacted(errorBody);
    }
    job->deleteLater();
    Q_EMIT job->finished();
}

void HttpJob::Private::fail(HttpJob *job, ApiError::Category category, const QString &message)
{
    ApiError failure;
    failure.category = category;
    failure.message = cleanErrorText(redacted(message));
    failure.retryable = isRetryable(category);
    failure.partial = bytesReceived > 0;
    failure.outcomeUnknown = mayHaveActed();
    finish(job, failure);
}

void HttpJob::Private::onHeaders(HttpJob *job)
{
    if (state != State::Running || status != 0)
        return;
    status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (status == 0)
        return;
    if (status == ProxyLoginStatus && isProxied())
        return; // The proxy's own answer; onFinished() sees to it.
    showsLife();
    if (isProxied() && network)
        network->proxyLogins()->accepted(proxy);
    headers = reply->rawHeaderPairs();
    firstByteTimer->stop();
    if (spec.idleTimeout.count() > 0)
        idleTimer->start();
    const QByteArray encoding = header("Content-Encoding").trimmed().toLower();
    if (isSuccess()) {
        if (identity() && !encoding.isEmpty() && encoding != "identity") {
            return fail(job, ApiError::Category::Protocol,
                        where() + u" compressed its answer ("_s + QString::fromLatin1(encoding)
                            + u") although it was asked not to."_s);
        }
        bool ok = false;
        const qint64 length = header("Content-Length").trimmed().toLongLong(&ok);
        if (ok && length >= 0 && (encoding.isEmpty() || encoding == "identity") && spec.method != "HEAD")
            announced = length;
        if (spec.maxBytes > 0 && announced > spec.maxBytes) {
            return fail(job, ApiError::Category::TooLarge,
                        u"The answer of "_s + where() + u" is larger than the limit of "_s
                            + QString::number(spec.maxBytes) + u" bytes."_s);
        }
    }
    Q_EMIT job->headersReceived();
}

void HttpJob::Private::onReadyRead(HttpJob *job)
{
    if (state != State::Running)
        return;
    const QPointer<HttpJob> alive(job);
    onHeaders(job); // In case a body could come before the signal for its head.
    if (!alive || state != State::Running)
        return;
    const QByteArray bytes = reply->readAll();
    if (bytes.isEmpty() || (status == ProxyLoginStatus && isProxied()))
        return;
    showsLife();
    if (idleTimer->isActive())
        idleTimer->start();
    if (!isSuccess()) {
        errorBody += bytes.left(LargestErrorBody - errorBody.size());
        if (errorBody.size() >= LargestErrorBody)
            finish(job, statusError());
        return;
    }
    bytesReceived += bytes.size();
    if (spec.maxBytes > 0 && bytesReceived > spec.maxBytes) {
        return fail(job, ApiError::Category::TooLarge,
                    u"The answer of "_s + where() + u" is larger than the limit of "_s
                        + QString::number(spec.maxBytes) + u" bytes."_s);
    }
    if (spec.stream)
        Q_EMIT job->bodyReceived(bytes);
    else
        body += bytes;
}

void HttpJob::Private::onFinished(HttpJob *job)
{
    if (state != State::Running)
        return;
    const int answered = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (isProxied()
        && (reply->error() == QNetworkReply::ProxyAuthenticationRequiredError
            || answered == ProxyLoginStatus))
        return askLogin(job);
    const QPointer<HttpJob> alive(job);
    // Qt's decoder leaves garbage behind after its own error; everything else that arrived counts.
    if (reply->isOpen() && reply->error() != QNetworkReply::UnknownContentError) {
        while (alive && state == State::Running && reply && reply->bytesAvailable() > 0)
            onReadyRead(job);
    }
    if (!alive || state != State::Running)
        return;
    onHeaders(job); // An answer without a body may skip metaDataChanged.
    if (!alive || state != State::Running)
        return;
    if (status != 0 && !isSuccess())
        return finish(job, statusError());
    if (reply->error() != QNetworkReply::NoError || status == 0)
        return finish(job, replyError());
    if (announced >= 0 && bytesReceived < announced) {
        return fail(job, ApiError::Category::Truncated,
                    u"The answer of "_s + where() + u" ended after "_s + QString::number(bytesReceived)
                        + u" of "_s + QString::number(announced) + u" bytes."_s);
    }
    finish(job, std::nullopt);
}

ApiError HttpJob::Private::statusError() const
{
    ApiError failure;
    failure.status = status;
    failure.category = categoryForStatus(status);
    failure.code = redacted(errorCodeFromBody(errorBody));
    failure.retryable = isRetryable(failure.category);
    if (failure.category == ApiError::Category::Redirect) {
        failure.message = where()
            + u" redirects elsewhere. Redirects are not followed, because they would take the key "_s
            + u"along; check the base URL."_s;
    } else {
        failure.message = cleanErrorText(redacted(errorTextFromBody(errorBody)));
    }
    if (failure.message.isEmpty())
        failure.message = u"API error ("_s + QString::number(status) + u')';
    // A gateway that gave up says nothing about what the service behind it did.
    failure.outcomeUnknown = mayHaveActed() && (status == 408 || status == 502 || status == 504);
    failure.retryAfterMs = Backoff::retryAfterMs(header("Retry-After"), QDateTime::currentMSecsSinceEpoch());
    for (const char *name : {"request-id", "x-request-id"}) {
        if (failure.requestId.isEmpty())
            failure.requestId = redacted(cleanErrorText(QString::fromLatin1(header(name))));
    }
    return failure;
}

ApiError HttpJob::Private::replyError() const
{
    ApiError failure;
    failure.partial = bytesReceived > 0;
    failure.outcomeUnknown = mayHaveActed();
    const bool hosted = !NetworkAccess::isLoopback(spec.url);
    const QString qtText = cleanErrorText(redacted(reply->errorString()));
    switch (reply->error()) {
    case QNetworkReply::SslHandshakeFailedError:
        failure.category = ApiError::Category::Tls;
        failure.outcomeUnknown = false;
        if (tlsProblem.isEmpty()) {
            failure.message = cleanErrorText(u"No secure connection to "_s + where() + u" could be made: "_s
                                             + qtText + u". Nothing was sent."_s);
        } else {
            // Bounded and inert as it is; the fingerprint must not be cut off.
            failure.message = u"The certificate of "_s + where() + u" was refused: "_s + tlsProblem
                + u". Nothing was sent."_s;
        }
        return failure;
    case QNetworkReply::ConnectionRefusedError:
        failure.category = ApiError::Category::Network;
        failure.retryable = hosted;
        failure.outcomeUnknown = false;
        failure.message = where() + u" refused the connection. Nothing was sent."_s;
        break;
    case QNetworkReply::HostNotFoundError:
        failure.category = ApiError::Category::Network;
        failure.retryable = hosted;
        failure.outcomeUnknown = false;
        failure.message = u"The name "_s + spec.url.host() + u" could not be found. Nothing was sent."_s;
        break;
    case QNetworkReply::ProxyConnectionRefusedError:
    case QNetworkReply::ProxyConnectionClosedError:
    case QNetworkReply::ProxyNotFoundError:
    case QNetworkReply::ProxyTimeoutError:
    case QNetworkReply::ProxyAuthenticationRequiredError:
    case QNetworkReply::UnknownProxyError:
        failure.category = ApiError::Category::Network;
        failure.message = u"The network proxy did not let the request through: "_s + qtText;
        break;
    case QNetworkReply::TimeoutError:
        failure.category = ApiError::Category::Timeout;
        failure.message = where() + u" could not be reached in time."_s;
        break;
    case QNetworkReply::ContentReSendError:
    case QNetworkReply::RemoteHostClosedError:
        if (isSuccess()) {
            failure.category = ApiError::Category::Truncated;
            failure.message = where() + u" closed the connection in the middle of its answer."_s;
        } else {
            failure.category = ApiError::Category::Network;
            failure.message = where() + u" closed the connection without an answer."_s;
        }
        break;
    case QNetworkReply::ProtocolFailure:
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
    case QNetworkReply::UnknownContentError:
        failure.category = ApiError::Category::Protocol;
        failure.message = u"The answer of "_s + where() + u" cannot be read: "_s + qtText;
        break;
    default: // Qt's list grows; whatever is new is a connection that failed.
        failure.category = isSuccess() ? ApiError::Category::Truncated : ApiError::Category::Network;
        failure.message = u"The connection to "_s + where() + u" failed: "_s + qtText;
        break;
    }
    if (failure.category != ApiError::Category::Network)
        failure.retryable = isRetryable(failure.category);
    else if (hosted && mayBeOffline() && network->isOffline())
        explainOffline(failure);
    else if (isProxied() && status == 0)
        explainProxy(failure);
    failure.message = cleanErrorText(failure.message);
    return failure;
}

// Whoever refuses is there; a proxy on this computer has ways of its own.
bool HttpJob::Private::mayBeOffline() const
{
    return network && reply->error() != QNetworkReply::ConnectionRefusedError
        && !(isProxied() && ProxyFinder::isLoopbackHost(proxy.hostName()));
}

void HttpJob::Private::explainOffline(ApiError &failure) const
{
    failure.code = u"offline"_s;
    failure.message = failure.outcomeUnknown
        ? QString(u"This computer is offline. The connection to "_s + where()
                  + u" was lost before it answered; what it did is not known."_s)
        : QString(u"This computer is offline: there is no way to "_s + where()
                  + u". Connect to a network and try again."_s);
}

QString HttpJob::Private::proxyName() const
{
    return u"The network proxy "_s + proxy.hostName() + u':' + QString::number(proxy.port());
}

ApiError HttpJob::Private::loginError() const
{
    ApiError failure;
    failure.category = ApiError::Category::Network;
    failure.code = u"proxy_login"_s;
    failure.message = proxy.user().isEmpty()
        ? QString(proxyName() + u" asks for a user name and a password. Nothing was sent; "_s)
        : QString(proxyName() + u" refused the user name or the password. Nothing was sent; "_s);
    failure.message += u"enter them in the window, or set PILOTHOUSE_PROXY_USER and "
                       "PILOTHOUSE_PROXY_PASSWORD."_s;
    failure.message = cleanErrorText(failure.message);
    return failure;
}

// What a proxy answers to the request for a tunnel comes as an error of the connection to the service.
void HttpJob::Private::explainProxy(ApiError &failure) const
{
    if (failure.outcomeUnknown)
        return; // Past the proxy: it was not the proxy.
    // Qt 6.4 has one code for all that fails between us and the proxy; its words are told apart, in whatever
    // language they are.
    const QString words = reply->errorString();
    const auto isSaid = [&words](const char *text) {
        return words == QCoreApplication::translate("QHttpSocketEngine", text);
    };
    const auto unreachable = [&failure, this](const QString &why) {
        failure.code = u"proxy_unreachable"_s;
        failure.message =
            proxyName() + why + u" Nothing was sent; check the proxy settings of this system."_s;
    };
    const QNetworkReply::NetworkError code = reply->error();
    if (code == QNetworkReply::ProxyConnectionRefusedError || isSaid("Proxy connection refused"))
        return unreachable(u" refused the connection: no proxy runs there."_s);
    if (code == QNetworkReply::ProxyNotFoundError || isSaid("Proxy server not found"))
        return unreachable(u" could not be found by its name."_s);
    if (code == QNetworkReply::ProxyTimeoutError || isSaid("Proxy server connection timed out"))
        return unreachable(u" could not be reached in time."_s);
    if (code == QNetworkReply::ProxyConnectionClosedError || isSaid("Proxy connection closed prematurely"))
        return unreachable(u" closed the connection without an answer."_s);
    if (isSaid("Proxy denied connection")) { // 403 and 405
        failure.code = u"proxy_refused"_s;
        failure.message = proxyName() + u" does not allow connections to "_s + where()
            + u". Nothing was sent; ask those who run it."_s;
        return;
    }
    if (code == QNetworkReply::HostNotFoundError) { // 404
        failure.code = u"proxy_failed"_s;
        failure.message = proxyName() + u" could not find "_s + where() + u". Nothing was sent."_s;
        return;
    }
    if (code == QNetworkReply::ConnectionRefusedError) { // 503
        failure.code = u"proxy_failed"_s;
        failure.message =
            proxyName() + u" could not get a connection to "_s + where() + u". Nothing was sent."_s;
        return;
    }
    failure.code = u"proxy_failed"_s;
    failure.retryable = true;
    failure.message = proxyName() + u" did not make a connection to "_s + where() + u" ("_s
        + cleanErrorText(words) + u"). Nothing was sent."_s;
}

HttpJob::HttpJob(std::unique_ptr<Private> priv, QObject *parent)
    : QObject(parent)
    , d(std::move(priv))
{
    QMetaObject::invokeMethod(
        this, [this] { d->start(this); }, Qt::QueuedConnection);
}

HttpJob::~HttpJob()
{
    if (d->state != Private::State::Done)
        d->stop(this);
}

void HttpJob::abandon()
{
    if (d->state != Private::State::Done)
        d->stop(this);
    blockSignals(true); // A cancel() may have queued its finished().
    deleteLater();
}

void HttpJob::cancel()
{
    if (d->state == Private::State::Done)
        return;
    ApiError cancelled;
    cancelled.category = ApiError::Category::Cancelled;
    cancelled.message = u"The request was stopped."_s;
    cancelled.partial = d->bytesReceived > 0;
    cancelled.outcomeUnknown = d->mayHaveActed();
    d->stop(this);
    d->error = cancelled;
    QMetaObject::invokeMethod(
        this,
        [this] {
            deleteLater();
            Q_EMIT finished();
        },
        Qt::QueuedConnection);
}

int HttpJob::status() const { return d->status; }

QByteArray HttpJob::header(const QByteArray &name) const { return d->header(name); }

const QByteArray &HttpJob::body() const { return d->body; }

const QByteArray &HttpJob::errorBody() const { return d->errorBody; }

const std::optional<ApiError> &HttpJob::error() const { return d->error; }

qint64 HttpJob::bytesReceived() const { return d->bytesReceived; }

} // namespace Pilothouse
