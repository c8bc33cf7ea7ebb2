// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"

#include "net/httpjobprivate.h"
#include "net/proxylogins.h"
#include "net/tlsrefusal.h"
#include "util/logging.h"

#include <QCoreApplication>
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
// certain. Over TLS not before the handshake is done: while a proxy asks for a login, Qt 6.4 reads from a
// connection that has nothing yet to read with, which ends the program.
void HttpJob::Private::boundBuffer(HttpJob *job)
{
    const auto bound = [this] {
        if (state == State::Running && reply)
            reply->setReadBufferSize(ReadBuffer);
    };
    if (spec.url.scheme() == "https"_L1) {
        QObject::connect(reply, &QNetworkReply::encrypted, job, bound);
    } else {
        bound();
        QMetaObject::invokeMethod(job, bound, Qt::QueuedConnection);
        QObject::connect(reply, &QNetworkReply::socketStartedConnecting, job, bound);
    }
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
