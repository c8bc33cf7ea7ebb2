// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QUrl>

#include <functional>

class QTcpServer;
class QTcpSocket;

namespace Pilothouse::Tests {

/// One call that passed through, or the start frame of a command session (method "START", its upgrade's
/// target).
struct ProxiedCall {
    QByteArray method;
    QByteArray target;
    QByteArray head; ///< Request line and headers.
    QByteArray body;
};

/// Stands between a client and a real service on loopback, passes every byte on unchanged in both directions,
/// and writes down what the client sent, in order.
class RecordingProxy : public QObject {
    Q_OBJECT
public:
    explicit RecordingProxy(const QUrl &upstream, QObject *parent = nullptr);
    [[nodiscard]] QUrl url() const;
    [[nodiscard]] const QList<ProxiedCall> &calls() const { return m_calls; }
    /// Every connection that is open now stays open and passes nothing on any more, in either direction: what
    /// a network does that went away without a word. New ones work.
    void fallSilent() { m_firstLoud = m_streams; }
    [[nodiscard]] const QByteArray &everything() const
    {
        return m_everything;
    } ///< All bytes of clients, for scans.

Q_SIGNALS:
    void recorded(const Pilothouse::Tests::ProxiedCall &call);

private:
    struct Stream;
    void accept();
    void parse(Stream *stream);
    void parseFrames(Stream *stream);
    void record(const ProxiedCall &call);

    QUrl m_upstream;
    QTcpServer *m_server;
    QList<ProxiedCall> m_calls;
    QByteArray m_everything;
    int m_streams = 0;
    int m_firstLoud = 0;
};

} // namespace Pilothouse::Tests
