// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/secret.h"

#include <QHash>
#include <QList>
#include <QNetworkProxy>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <optional>

namespace Pilothouse {

/// What a proxy lets somebody through for.
struct ProxyLogin {
    QString user;
    Secret password;
};

/// A proxy that wants a login.
struct ProxyQuestion {
    QString origin; ///< "http://proxy.example:3128"
    bool wasRefused = false; ///< It got one and did not take it.
};

/// Logins of proxies, each bound to the proxy's own address. A proxy that refuses leads to one question,
/// whatever number of requests waits for the answer; no login is sent again once it was refused. Nothing of a
/// login is ever part of a text.
class ProxyLogins : public QObject {
    Q_OBJECT
public:
    using Answer = std::function<void(const std::optional<ProxyLogin> &login)>;
    /// Answers once, now or later; empty: nobody knows one.
    using Asker = std::function<void(const ProxyQuestion &question, Answer answer)>;

    using QObject::QObject;

    void setAsker(Asker asker) { m_asker = std::move(asker); }
    /// Empty for no proxy.
    [[nodiscard]] static QString originOf(const QNetworkProxy &proxy);

    [[nodiscard]] QNetworkProxy withLogin(QNetworkProxy proxy) const;
    void set(const QString &origin, const ProxyLogin &login);

    /// The proxy wanted a login, or another one than `used` has. Replies, now or later, whether there is one
    /// to try.
    void refused(const QNetworkProxy &used, QObject *context, std::function<void(bool again)> reply);
    void accepted(const QNetworkProxy &used); ///< The proxy let a request through.

Q_SIGNALS:
    void proven(const QString &origin); ///< A login was accepted for the first time.

private:
    struct Known {
        ProxyLogin login;
        bool isProven = false;
    };
    struct Waiting {
        QPointer<QObject> context;
        std::function<void(bool)> reply;
    };
    void onAnswer(const QString &origin, const std::optional<ProxyLogin> &login);

    Asker m_asker;
    QHash<QString, Known> m_known; ///< By origin.
    QHash<QString, QList<Waiting>> m_waiting; ///< By origin; a question about it is open.
};

} // namespace Pilothouse
