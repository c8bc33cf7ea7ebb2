// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/routes.h"

#include <QHostAddress>
#include <QNetworkProxy>
#include <QUdpSocket>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Public addresses that nobody owns. "Connecting" a datagram socket only looks up the route.
const auto NowhereV4 = u"192.0.2.1"_s;
const auto NowhereV6 = u"2001:db8::1"_s;
constexpr quint16 DiscardPort = 9;

QString ownAddressTowards(const QString &address)
{
    QUdpSocket socket;
    socket.setProxy(QNetworkProxy(QNetworkProxy::NoProxy));
    socket.connectToHost(QHostAddress(address), DiscardPort);
    if (socket.state() != QAbstractSocket::ConnectedState)
        return {};
    const QHostAddress own = socket.localAddress();
    return own.isNull() || own.isLoopback() ? QString() : own.toString();
}

} // namespace

RouteState currentRoutes() { return {ownAddressTowards(NowhereV4), ownAddressTowards(NowhereV6)}; }

} // namespace Pilothouse
