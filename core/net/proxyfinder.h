// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QHash>
#include <QNetworkProxy>
#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <QUrl>

#include <functional>

namespace Pilothouse {

/// Finds the proxy for an address by the settings of the system, anew each time, so that a change holds from
/// the next request on. This computer itself is always reached directly, whatever the settings say. The
/// system may run a script or ask another program for its answer, so it is asked in a thread of its own.
class ProxyFinder final : public QObject {
    Q_OBJECT
public:
    using Source = std::function<QNetworkProxy(const QUrl &)>;
    using Reply = std::function<void(const QNetworkProxy &)>;

    explicit ProxyFinder(Source source, QObject *parent = nullptr); ///< Empty: the system's settings.
    ~ProxyFinder() override; ///< Waits for the question that is just being asked.

    /// Replies once unless `context` dies first: at once for this computer, else on a later event-loop turn.
    void find(const QUrl &url, QObject *context, Reply reply);

    [[nodiscard]] static bool isLoopbackHost(const QString &host); ///< 127.0.0.0/8, ::1, localhost.
    /// Of the proxies that the system names, the first that can be used. Only scheme, host and port of `url`
    /// are told. Any thread; may block.
    [[nodiscard]] static QNetworkProxy systemProxy(const QUrl &url);

private:
    struct Waiting {
        QPointer<QObject> context;
        Reply reply;
    };
    void onFound(quint64 number, const QNetworkProxy &proxy);

    Source m_source;
    QThreadPool m_thread;
    QHash<quint64, Waiting> m_waiting;
    quint64 m_last = 0;
};

} // namespace Pilothouse
