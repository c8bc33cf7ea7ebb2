// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QList>
#include <QNetworkProxy>
#include <QObject>

class QTcpServer;
class QTcpSocket;

namespace Pilothouse::Tests {

/// A company's proxy on 127.0.0.1: tunnels by CONNECT, and requests with a whole address, all to one server
/// on loopback whatever name is asked for. So names that exist nowhere can be tested, over TLS and without.
class ConnectProxy : public QObject {
    Q_OBJECT
public:
    explicit ConnectProxy(quint16 backend, QObject *parent = nullptr);

    [[nodiscard]] quint16 port() const;
    [[nodiscard]] QNetworkProxy proxy() const; ///< Without a login.
    /// Basic; with both empty nobody needs one.
    void setLogin(const QByteArray &user, const QByteArray &password);
    void setAnswer(int status) { m_answer = status; } ///< Instead of a connection; 0: connect.
    void setClosesAfterRefusal(bool closes) { m_closes = closes; }

    [[nodiscard]] const QList<QByteArray> &heads() const { return m_heads; } ///< Of all requests.
    [[nodiscard]] int tunnels() const { return m_tunnels; } ///< That were made.
    [[nodiscard]] int refusals() const { return m_refusals; } ///< For the login, also for want of one.
    [[nodiscard]] int wrongLogins() const { return m_wrongLogins; } ///< That came.

private:
    struct Stream;
    void accept();
    void onHead(Stream *stream);

    QTcpServer *m_server;
    quint16 m_backend;
    QByteArray m_credentials; ///< As they stand in the header.
    int m_answer = 0;
    bool m_closes = false;
    QList<QByteArray> m_heads;
    int m_tunnels = 0;
    int m_refusals = 0;
    int m_wrongLogins = 0;
};

} // namespace Pilothouse::Tests
