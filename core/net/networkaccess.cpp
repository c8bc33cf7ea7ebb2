// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/networkaccess.h"

#include "net/httpjob.h"
#include "net/httpjobprivate.h"

#include <QHostAddress>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkProxyFactory>
#include <QPointer>
#include <QWebSocket>

#include <algorithm>
#include <vector>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// One manager is one thread of Qt; measured: 50 streams on 50 managers cost 52 threads and 16 MB.
constexpr size_t MostStreams = 64;

bool isLoopbackHost(const QString &host)
{
    if (host.compare("localhost"_L1, Qt::CaseInsensitive) == 0)
        return true;
    const QHostAddress address(host);
    return !address.isNull() && address.isLoopback();
}

/// The system's proxy for the internet, none for this machine.
class ProxyFactory final : public QNetworkProxyFactory {
public:
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery &query) override
    {
        if (isLoopbackHost(query.peerHostName()))
            return {QNetworkProxy(QNetworkProxy::NoProxy)};
        return QNetworkProxyFactory::proxyForQuery(query);
    }
};

/// Names and values must not end a header line.
bool isHeaderSafe(const QByteArray &text)
{
    return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::optional<QString> problemOf(const RequestSpec &spec)
{
    const QString scheme = spec.url.scheme();
    if (!spec.url.isValid() || spec.url.host().isEmpty() || (scheme != "http"_L1 && scheme != "https"_L1))
        return u"The address is not an http or https URL with a host. Nothing was sent; check the base URL."_s;
    if (!spec.url.userInfo().isEmpty())
        return u"The address holds a user name or password. Nothing was sent; take it out of the base URL."_s;
    if (scheme == "http"_L1 && !spec.secretHeaders.isEmpty() && !NetworkAccess::isLoopback(spec.url)) {
        return QString(u"Refused to send a key to "_s + spec.url.host()
                       + u" over plain http. Nothing was sent; use an https address."_s);
    }
    for (const auto &[name, value] : spec.headers) {
        if (name.isEmpty() || !isHeaderSafe(name) || !isHeaderSafe(value))
            return u"A request header holds a line break. Nothing was sent."_s;
    }
    for (const auto &[name, value] : spec.secretHeaders) {
        if (name.isEmpty() || !isHeaderSafe(name) || !isHeaderSafe(value.reveal()))
            return u"The key holds a line break. Nothing was sent; enter the key again."_s;
    }
    return std::nullopt;
}

} // namespace

class NetworkAccess::Private {
public:
    struct Pooled {
        QNetworkAccessManager *manager; ///< Child of the NetworkAccess.
        bool busy;
    };

    QNetworkAccessManager *make(NetworkAccess *owner)
    {
        auto *manager = new QNetworkAccessManager(owner);
        manager->setProxyFactory(new ProxyFactory); // Owned by the manager.
        manager->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
        manager->setAutoDeleteReplies(false);
        return manager;
    }

    QNetworkAccessManager *acquire(NetworkAccess *owner, Lane lane)
    {
        switch (lane) {
        case Lane::Control:
            if (!control)
                control = make(owner);
            return control;
        case Lane::Transfer:
            if (!transfer)
                transfer = make(owner);
            return transfer;
        case Lane::Stream:
            break;
        }
        for (Pooled &pooled : streams) {
            if (!pooled.busy) {
                pooled.busy = true;
                return pooled.manager;
            }
        }
        if (streams.size() >= MostStreams)
            return nullptr;
        streams.push_back({make(owner), true});
        return streams.back().manager;
    }

    void release(const QNetworkAccessManager *manager)
    {
        for (Pooled &pooled : streams) {
            if (pooled.manager == manager)
                pooled.busy = false;
        }
    }

    QNetworkAccessManager *control = nullptr;
    QNetworkAccessManager *transfer = nullptr;
    std::vector<Pooled> streams;
};

NetworkAccess::NetworkAccess(QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{ }

NetworkAccess::~NetworkAccess() = default;

HttpJob *NetworkAccess::start(const RequestSpec &spec, Lane lane, QObject *parent)
{
    Q_ASSERT(parent);
    auto job = std::make_unique<HttpJob::Private>();
    job->spec = spec;
    job->lane = lane;
    const QPointer<NetworkAccess> self(this);
    job->acquire = [self, lane]() -> QNetworkAccessManager * {
        return self ? self->d->acquire(self, lane) : nullptr;
    };
    job->release = [self](const QNetworkAccessManager *manager) {
        if (self)
            self->d->release(manager);
    };
    if (const std::optional<QString> problem = problemOf(spec)) {
        ApiError refusal;
        refusal.category = ApiError::Category::Local;
        refusal.message = *problem;
        job->refusal = refusal;
    }
    return new HttpJob(std::move(job), parent);
}

QWebSocket *NetworkAccess::makeWebSocket(const QUrl &url, QObject *parent)
{
    Q_ASSERT(parent);
    // An empty origin: the services' terminals refuse foreign ones, and a native program has none.
    auto *socket = new QWebSocket(QString(), QWebSocketProtocol::VersionLatest, parent);
    if (isLoopback(url))
        socket->setProxy(QNetworkProxy(QNetworkProxy::NoProxy));
    return socket;
}

QByteArray NetworkAccess::userAgent() { return "Pilothouse/" PILOTHOUSE_VERSION; }

bool NetworkAccess::isLoopback(const QUrl &url) { return isLoopbackHost(url.host()); }

} // namespace Pilothouse
