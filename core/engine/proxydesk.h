// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/keyring.h"
#include "net/proxylogins.h"

#include <QHash>
#include <QObject>

#include <functional>
#include <optional>

namespace Pilothouse {

/// Where logins of proxies come from: PILOTHOUSE_PROXY_USER and PILOTHOUSE_PROXY_PASSWORD, then the keychain
/// (bound to the proxy's address), then a person. Each of the first two is tried once; a person who declines
/// is not asked again for what runs by itself. Engine thread.
class ProxyDesk : public QObject {
    Q_OBJECT
public:
    /// `logins` and `keys` outlive this. Without `canAsk` there is nobody to ask.
    ProxyDesk(ProxyLogins *logins, KeyRing *keys, std::function<QString(const QString &)> environment,
              bool canAsk, QObject *parent = nullptr);

    /// Into use at once; into the keychain, if `place` says so, when the proxy has taken it.
    void answer(const QString &origin, const QString &user, const Secret &password, KeyRing::Place place);
    void decline(const QString &origin); ///< What waits for the answer fails.
    void askAgain(); ///< A person has begun something: who declined before may be asked once more.

Q_SIGNALS:
    void wanted(const QString &origin, bool wasRefused);
    void notKept(const Pilothouse::Error &error); ///< It stays in use until the program ends.

private:
    struct Proxy {
        bool triedEnvironment = false;
        bool triedKept = false;
        bool isDeclined = false;
        ProxyLogins::Answer pending;
        std::optional<Secret> toKeep;
    };
    void ask(const ProxyQuestion &question, const ProxyLogins::Answer &answer);
    void onProven(const QString &origin);

    ProxyLogins *m_logins;
    KeyRing *m_keys;
    std::function<QString(const QString &)> m_environment;
    bool m_canAsk;
    QHash<QString, Proxy> m_proxies; ///< By origin.
};

} // namespace Pilothouse
