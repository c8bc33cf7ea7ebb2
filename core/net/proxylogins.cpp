// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/proxylogins.h"

#include <QUrl>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr quint16 OwnPort = 80; // Not written in an http origin.

bool hasLogin(const QNetworkProxy &proxy, const ProxyLogin &login)
{
    return proxy.user() == login.user && login.password.equals(Secret(proxy.password().toUtf8()));
}

} // namespace

QString ProxyLogins::originOf(const QNetworkProxy &proxy)
{
    if (proxy.hostName().isEmpty())
        return {};
    QUrl origin;
    origin.setScheme(u"http"_s);
    origin.setHost(proxy.hostName());
    if (proxy.port() != OwnPort)
        origin.setPort(proxy.port());
    return origin.toString(QUrl::FullyEncoded);
}

QNetworkProxy ProxyLogins::withLogin(QNetworkProxy proxy) const
{
    const auto known = m_known.constFind(originOf(proxy));
    if (known == m_known.constEnd())
        return proxy;
    proxy.setUser(known->login.user);
    proxy.setPassword(QString::fromUtf8(known->login.password.reveal()));
    return proxy;
}

void ProxyLogins::set(const QString &origin, const ProxyLogin &login) { m_known.insert(origin, {login}); }

void ProxyLogins::refused(const QNetworkProxy &used, QObject *context, std::function<void(bool)> reply)
{
    const QString origin = originOf(used);
    const auto known = m_known.constFind(origin);
    if (known != m_known.constEnd() && !hasLogin(used, known->login)) {
        reply(true); // It came while this request was on its way.
        return;
    }
    m_known.remove(origin);
    const bool isAsked = m_waiting.contains(origin);
    m_waiting[origin].append({context, std::move(reply)});
    if (isAsked)
        return;
    if (!m_asker) {
        onAnswer(origin, {});
        return;
    }
    m_asker({origin, !used.user().isEmpty()},
            [self = QPointer<ProxyLogins>(this), origin](const std::optional<ProxyLogin> &login) {
                if (self)
                    self->onAnswer(origin, login);
            });
}

void ProxyLogins::onAnswer(const QString &origin, const std::optional<ProxyLogin> &login)
{
    if (login)
        set(origin, *login);
    const QList<Waiting> waiting = m_waiting.take(origin);
    for (const Waiting &one : waiting) {
        if (one.context)
            one.reply(login.has_value());
    }
}

void ProxyLogins::accepted(const QNetworkProxy &used)
{
    const QString origin = originOf(used);
    const auto known = m_known.find(origin);
    if (known == m_known.end() || known->isProven || !hasLogin(used, known->login))
        return;
    known->isProven = true;
    Q_EMIT proven(origin);
}

} // namespace Pilothouse
