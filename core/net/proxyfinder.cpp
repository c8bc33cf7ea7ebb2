// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/proxyfinder.h"

#include <QHostAddress>
#include <QNetworkProxyFactory>
#include <QNetworkProxyQuery>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// What the addresses of proxies mean when they name no port.
constexpr quint16 HttpPort = 80;
constexpr quint16 SocksPort = 1080;

} // namespace

ProxyFinder::ProxyFinder(Source source, QObject *parent)
    : QObject(parent)
    , m_source(source ? std::move(source) : Source(&ProxyFinder::systemProxy))
{
    m_thread.setMaxThreadCount(1); // What Qt asks for it is one at a time, too.
}

ProxyFinder::~ProxyFinder()
{
    m_thread.clear();
    m_thread.waitForDone();
}

bool ProxyFinder::isLoopbackHost(const QString &host)
{
    if (host.compare("localhost"_L1, Qt::CaseInsensitive) == 0)
        return true;
    const QHostAddress address(host);
    return !address.isNull() && address.isLoopback();
}

QNetworkProxy ProxyFinder::systemProxy(const QUrl &url)
{
    QUrl asked;
    // Sockets take the way of pages: Qt itself would ask for "tcp", for which settings rarely say anything.
    const bool isSecure = url.scheme() == "https"_L1 || url.scheme() == "wss"_L1;
    asked.setScheme(isSecure ? u"https"_s : u"http"_s);
    asked.setHost(url.host());
    asked.setPort(url.port());
    asked.setPath(u"/"_s);
    const QList<QNetworkProxy> proxies = QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(asked));
    for (QNetworkProxy proxy : proxies) {
        if (proxy.type() == QNetworkProxy::NoProxy)
            return proxy;
        const bool isHttp = proxy.type() == QNetworkProxy::HttpProxy;
        if ((!isHttp && proxy.type() != QNetworkProxy::Socks5Proxy) || proxy.hostName().isEmpty())
            continue;
        if (proxy.port() == 0)
            proxy.setPort(isHttp ? HttpPort : SocksPort);
        return proxy;
    }
    return QNetworkProxy(QNetworkProxy::NoProxy);
}

void ProxyFinder::find(const QUrl &url, QObject *context, Reply reply)
{
    if (isLoopbackHost(url.host())) {
        reply(QNetworkProxy(QNetworkProxy::NoProxy));
        return;
    }
    const quint64 number = ++m_last;
    m_waiting.insert(number, {context, std::move(reply)});
    m_thread.start([this, number, url] { // The destructor waits for it.
        const QNetworkProxy proxy = m_source(url);
        QMetaObject::invokeMethod(
            this, [this, number, proxy] { onFound(number, proxy); }, Qt::QueuedConnection);
    });
}

void ProxyFinder::onFound(quint64 number, const QNetworkProxy &proxy)
{
    const Waiting waiting = m_waiting.take(number);
    if (waiting.context)
        waiting.reply(proxy);
}

} // namespace Pilothouse
