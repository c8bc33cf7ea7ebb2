// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"

#include "net/backoff.h"
#include "net/httpjobprivate.h"
#include "net/networkaccess.h"
#include "util/logging.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QEvent>
#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QSslCertificate>
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

QString seconds(std::chrono::milliseconds time)
{
    return QString::number(static_cast<double>(time.count()) / 1000.0) + u" s"_s;
}

QString describe(const QList<QSslError> &errors)
{
    QString text;
    for (const QSslError &error : errors) {
        if (!text.isEmpty())
            text += u"; "_s;
        text += error.errorString();
        const QSslCertificate certificate = error.certificate();
        if (certificate.isNull())
            continue;
        text += u" (subject "_s + certificate.subjectDisplayName() + u", issuer "_s
            + certificate.issuerDisplayName() + u", SHA-256 "_s
            + QString::fromLatin1(certificate.digest(QCryptographicHash::Sha256).toHex(':').toUpper()) + u')';
    }
    return text;
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
    state = State::Running;
    if (refusal)
        return finish(job, refusal);
    manager = acquire();
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
        tlsProblem = describe(errors); // Never ignored: Qt refuses the connection after this.
    });
    QObject::connect(reply, &QNetworkReply::metaDataChanged, job, [this, job] { onHeaders(job); });
    QObject::connect(reply, &QNetworkReply::readyRead, job, [this, job] { onReadyRead(job); });
    QObject::connect(reply, &QNetworkReply::finished, job, [this, job] { onFinished(job); });

    const auto timer = [job](std::chrono::milliseconds limit) {
        auto *made = new QTimer(job);
        made->setSingleShot(true);
        made->setInterval(limit);
        return made;
    };
    firstByteTimer = timer(spec.firstByteTimeout);
    QObject::connect(firstByteTimer, &QTimer::timeout, job, [this, job] {
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
    if (spec.firstByteTimeout.count() > 0)
        firstByteTimer->start();
    if (spec.totalTimeout.count() > 0)
        totalTimer->start();
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
    for (QTimer *timer : {firstByteTimer, idleTimer, totalTimer}) {
        if (timer)
            timer->stop();
    }
    if (reply) {
        // abort() emits before it returns: first cut our connections (only ours: Qt's own carry the abort),
        // then abort.
        reply->disconnect(job);
        // Qt 6.4 warns when a reply gets a second error: from abort() when the peer has closed while the last
        // bytes were still to be read, or from the peer's close that is queued behind an abort().
        if (reply->isRunning() && reply->error() == QNetworkReply::NoError)
            reply->abort();
        QCoreApplication::removePostedEvents(reply, QEvent::MetaCall);
        // Qt's network thread may post more until the reply is deleted.
        reply->installEventFilter(new CallSink(reply));
        reply->deleteLater();
        reply.clear();
    }
    if (manager)
        release(manager);
    manager.clear();
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
    if (bytes.isEmpty())
        return;
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
        failure.message = u"The TLS certificate of "_s + where() + u" was refused: "_s
            + (tlsProblem.isEmpty() ? qtText : tlsProblem) + u". Nothing was sent."_s;
        break;
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
    failure.message = cleanErrorText(failure.message);
    return failure;
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
