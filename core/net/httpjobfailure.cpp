// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// What became of a request that failed, and in which words: by the status, by the connection, by the proxy.

#include "net/backoff.h"
#include "net/httpjobprivate.h"

#include <QCoreApplication>
#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;

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

} // namespace Pilothouse
