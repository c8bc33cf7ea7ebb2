// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/proxydesk.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

KeyName nameOf(const QString &proxyOrigin) { return {u"proxy"_s, proxyOrigin}; }

// One value in the keychain. Names of the usual scheme hold no colon.
Secret packed(const QString &user, const Secret &password)
{
    QByteArray text = user.toUtf8();
    text += ':';
    text += password.reveal();
    return Secret(text);
}

std::optional<ProxyLogin> unpacked(const Secret &value)
{
    const QByteArray text = value.reveal();
    const qsizetype colon = text.indexOf(':');
    if (colon <= 0)
        return {};
    return ProxyLogin{QString::fromUtf8(text.left(colon)), Secret(text.mid(colon + 1))};
}

} // namespace

ProxyDesk::ProxyDesk(ProxyLogins *logins, KeyRing *keys, std::function<QString(const QString &)> environment,
                     bool canAsk, QObject *parent)
    : QObject(parent)
    , m_logins(logins)
    , m_keys(keys)
    , m_environment(std::move(environment))
    , m_canAsk(canAsk)
{
    m_logins->setAsker(
        [this](const ProxyQuestion &question, const ProxyLogins::Answer &answer) { ask(question, answer); });
    connect(m_logins, &ProxyLogins::proven, this, &ProxyDesk::onProven);
}

void ProxyDesk::ask(const ProxyQuestion &question, const ProxyLogins::Answer &answer)
{
    Proxy &proxy = m_proxies[question.origin];
    if (!proxy.triedEnvironment) {
        proxy.triedEnvironment = true;
        const QString user = m_environment ? m_environment(u"PILOTHOUSE_PROXY_USER"_s) : QString();
        if (!user.isEmpty()) {
            answer(ProxyLogin{user, Secret(m_environment(u"PILOTHOUSE_PROXY_PASSWORD"_s).toUtf8())});
            return;
        }
    }
    if (!proxy.triedKept) {
        proxy.triedKept = true;
        if (const auto kept = unpacked(m_keys->keptFor(nameOf(question.origin)))) {
            answer(*kept);
            return;
        }
    }
    if (!m_canAsk || proxy.isDeclined) {
        answer({});
        return;
    }
    proxy.toKeep.reset();
    proxy.pending = answer;
    Q_EMIT wanted(question.origin, question.wasRefused);
}

void ProxyDesk::answer(const QString &origin, const QString &user, const Secret &password,
                       KeyRing::Place place)
{
    Proxy &proxy = m_proxies[origin];
    proxy.isDeclined = false;
    if (place == KeyRing::Place::Keychain)
        proxy.toKeep = packed(user, password);
    if (const ProxyLogins::Answer pending = std::exchange(proxy.pending, {}))
        pending(ProxyLogin{user, password});
    else
        m_logins->set(origin, {user, password});
}

void ProxyDesk::decline(const QString &origin)
{
    Proxy &proxy = m_proxies[origin];
    proxy.isDeclined = true;
    if (const ProxyLogins::Answer pending = std::exchange(proxy.pending, {}))
        pending({});
}

void ProxyDesk::askAgain()
{
    for (Proxy &proxy : m_proxies)
        proxy.isDeclined = false;
}

void ProxyDesk::onProven(const QString &origin)
{
    const std::optional<Secret> toKeep = std::exchange(m_proxies[origin].toKeep, {});
    if (!toKeep)
        return;
    m_keys->keepFor(nameOf(origin), *toKeep, [this](const Result<Done, Error> &done) {
        if (!done)
            Q_EMIT notKept(done.error());
    });
}

} // namespace Pilothouse
