// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/networkaccess.h"

#include "net/httpjob.h"
#include "net/httpjobprivate.h"
#include "net/proxyfinder.h"
#include "net/proxylogins.h"
#include "net/tlsrefusal.h"
#include "net/wakewatch.h"
#include "util/logging.h"

#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkProxyFactory>
#include <QNetworkRequest>
#include <QPointer>
#include <QSslConfiguration>
#include <QSslSocket>
#include <QWebSocket>
#include <QWebSocketHandshakeOptions>

#include <algorithm>
#include <vector>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// One manager is one thread of Qt; measured: 50 streams on 50 managers cost 52 threads and 16 MB.
constexpr size_t MostStreams = 64;

constexpr char TlsRefusalProperty[] = "pilothouseTlsRefusal";

// Proxies by origin, as they were found just before each request.
using FoundProxies = QHash<QString, QNetworkProxy>;

QString targetOf(const QUrl &url)
{
    constexpr int SecurePort = 443;
    constexpr int PlainPort = 80;
    const int port = url.port(url.scheme() == "https"_L1 ? SecurePort : PlainPort);
    return QString(url.host() + u':' + QString::number(port));
}

/// Gives a manager what ProxyFinder found. Qt asks in the middle of sending, when nothing can be waited for.
class ProxyFactory final : public QNetworkProxyFactory {
public:
    explicit ProxyFactory(std::shared_ptr<const FoundProxies> found)
        : m_found(std::move(found))
    { }
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery &query) override
    {
        if (ProxyFinder::isLoopbackHost(query.url().host()))
            return {QNetworkProxy(QNetworkProxy::NoProxy)};
        return {m_found->value(targetOf(query.url()), QNetworkProxy(QNetworkProxy::NoProxy))};
    }

private:
    std::shared_ptr<const FoundProxies> m_found;
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
        Lane lane;
        int jobs = 0;
        bool isRetired = false; ///< Its connections may be dead: no new jobs.
    };

    explicit Private(NetworkSetup given)
        : setup(std::move(given))
        , found(std::make_shared<FoundProxies>())
        , finder(setup.proxyFor)
        , wake(setup.clock, setup.routes, setup.watchInterval)
    {
        if (!setup.routes)
            setup.routes = &currentRoutes;
    }

    QNetworkAccessManager *acquire(NetworkAccess *owner, Lane lane)
    {
        const bool isShared = lane != Lane::Stream;
        size_t streams = 0;
        for (Pooled &pooled : pool) {
            if (pooled.lane != lane)
                continue;
            ++streams;
            if (!pooled.isRetired && (isShared || pooled.jobs == 0)) {
                ++pooled.jobs;
                return pooled.manager;
            }
        }
        if (!isShared && streams >= MostStreams)
            return nullptr;
        auto *manager = new QNetworkAccessManager(owner);
        manager->setProxyFactory(new ProxyFactory(found)); // Owned by the manager.
        manager->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
        manager->setAutoDeleteReplies(false);
        pool.push_back({manager, lane, 1});
        return manager;
    }

    void release(const QNetworkAccessManager *manager)
    {
        for (Pooled &pooled : pool) {
            if (pooled.manager == manager)
                --pooled.jobs;
        }
        sweep();
    }

    /// Idle connections were kept for reuse and may have died in silence. Qt's clearConnectionCache() would
    /// end those in use, too.
    void retireAll()
    {
        for (Pooled &pooled : pool)
            pooled.isRetired = true;
        sweep();
    }

    void sweep()
    {
        std::erase_if(pool, [](const Pooled &pooled) {
            if (!pooled.isRetired || pooled.jobs > 0)
                return false;
            pooled.manager->deleteLater();
            return true;
        });
    }

    NetworkSetup setup;
    std::shared_ptr<FoundProxies> found;
    ProxyFinder finder;
    ProxyLogins logins;
    WakeWatch wake;
    std::vector<Pooled> pool;
    int inFlight = 0;
    int inDoubt = 0;
    std::shared_ptr<void> noNetworkYet; ///< The doubt of all, until there is a way into the network.
};

NetworkAccess::NetworkAccess(QObject *parent)
    : NetworkAccess(NetworkSetup(), parent)
{ }

NetworkAccess::NetworkAccess(NetworkSetup setup, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(std::move(setup)))
{
    connect(&d->wake, &WakeWatch::noticed, this, [this](std::chrono::milliseconds slept) {
        qCInfo(lcNet) << "connections may be dead: slept" << slept.count() << "ms";
        d->retireAll();
        if (d->inFlight == 0)
            return;
        if (!d->noNetworkYet)
            d->noNetworkYet = doubt();
        Q_EMIT connectionsInDoubt(slept);
    });
    connect(&d->wake, &WakeWatch::reachable, this, [this] {
        if (d->inFlight > 0)
            Q_EMIT networkReachable();
        d->noNetworkYet.reset();
    });
}

NetworkAccess::~NetworkAccess() = default;

ProxyLogins *NetworkAccess::proxyLogins() const { return &d->logins; }

bool NetworkAccess::isOffline() const { return d->setup.routes().isOffline(); }

std::shared_ptr<void> NetworkAccess::watch(const QUrl &url)
{
    if (!d->setup.checksLoopback && isLoopback(url))
        return {};
    d->wake.setBusy(true); // Looks first: what slept before this is no news to it.
    ++d->inFlight;
    return {static_cast<void *>(this), [self = QPointer<NetworkAccess>(this)](void *) {
                if (!self || --self->d->inFlight > 0)
                    return;
                self->d->wake.setBusy(false);
                self->d->noNetworkYet.reset();
            }};
}

std::shared_ptr<void> NetworkAccess::doubt()
{
    ++d->inDoubt;
    return {static_cast<void *>(this), [self = QPointer<NetworkAccess>(this)](void *) {
                if (!self || --self->d->inDoubt > 0)
                    return;
                // Later: this may be in the middle of the end of a connection.
                QMetaObject::invokeMethod(
                    self,
                    [self] {
                        if (self->d->inDoubt == 0)
                            Q_EMIT self->connectionsSettled();
                    },
                    Qt::QueuedConnection);
            }};
}

HttpJob *NetworkAccess::start(const RequestSpec &spec, Lane lane, QObject *parent)
{
    Q_ASSERT(parent);
    auto job = std::make_unique<HttpJob::Private>();
    job->spec = spec;
    job->lane = lane;
    job->network = this;
    const QPointer<NetworkAccess> self(this);
    job->findProxy = [self](const QUrl &url, QObject *context, const ProxyFinder::Reply &reply) {
        if (!self)
            return;
        self->d->finder.find(url, context, [self, reply](const QNetworkProxy &found) {
            if (self)
                reply(self->d->logins.withLogin(found));
        });
    };
    job->acquire = [self, lane](const QUrl &url, const QNetworkProxy &proxy) -> QNetworkAccessManager * {
        if (!self)
            return nullptr;
        self->d->found->insert(targetOf(url), proxy);
        return self->d->acquire(self, lane);
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
    connect(socket, &QWebSocket::sslErrors, socket, [socket, url](const QList<QSslError> &errors) {
        // Never ignored: Qt refuses the connection after this. The chain stands in the socket below only.
        const auto *below = socket->findChild<QSslSocket *>();
        const QList<QSslCertificate> chain =
            below ? below->sslConfiguration().peerCertificateChain() : QList<QSslCertificate>();
        socket->setProperty(TlsRefusalProperty, describeRefusal(url.host(), errors, chain));
    });
    return socket;
}

void NetworkAccess::open(QWebSocket *socket, const QNetworkRequest &request,
                         const QWebSocketHandshakeOptions &options)
{
    d->finder.find(request.url(), socket, [this, socket, request, options](const QNetworkProxy &proxy) {
        socket->setProxy(d->logins.withLogin(proxy));
        socket->open(request, options);
    });
}

QString NetworkAccess::tlsRefusal(const QWebSocket *socket)
{
    return socket->property(TlsRefusalProperty).toString();
}

QByteArray NetworkAccess::userAgent() { return "Pilothouse/" PILOTHOUSE_VERSION; }

bool NetworkAccess::isLoopback(const QUrl &url) { return ProxyFinder::isLoopbackHost(url.host()); }

} // namespace Pilothouse
