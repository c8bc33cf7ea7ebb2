// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QTcpSocket>

#include <memory>
#include <utility>

namespace Pilothouse::Tests {

class SandboxdFixture;

using Headers = QList<std::pair<QByteArray, QByteArray>>;

struct Answer {
    int status = 0; ///< 0: no answer.
    Headers headers;
    QByteArray body; ///< Chunks joined.
    bool isWhole = false; ///< As long as announced.

    [[nodiscard]] QByteArray header(QByteArrayView name) const;
    [[nodiscard]] Json json() const;
    [[nodiscard]] QString errorCode() const; ///< error.code
};

struct SandboxRef {
    QByteArray id;
    QByteArray token;
};

/// A deliberately plain HTTP client: one connection per call, nothing sent twice, everything blocking. It
/// speaks to the server in bytes, so that a test sees what is on the wire.
class ApiClient {
public:
    explicit ApiClient(const SandboxdFixture &service);

    [[nodiscard]] Answer call(const QByteArray &method, const QByteArray &target, const Headers &headers,
                              const QByteArray &body = {}) const;
    [[nodiscard]] Answer control(const QByteArray &method, const QByteArray &target,
                                 const QByteArray &body = {}, const Headers &more = {}) const;
    [[nodiscard]] Answer data(const SandboxRef &sandbox, const QByteArray &method, const QByteArray &target,
                              const QByteArray &body = {}, const Headers &more = {}) const;
    /// Sends and returns at once; finish() reads the answer.
    [[nodiscard]] std::unique_ptr<QTcpSocket> begin(const QByteArray &method, const QByteArray &target,
                                                    const Headers &headers,
                                                    const QByteArray &body = {}) const;
    [[nodiscard]] static Answer finish(QTcpSocket &socket, int limitMs = 60000);

    [[nodiscard]] Headers controlHeaders() const;
    [[nodiscard]] static Headers dataHeaders(const SandboxRef &sandbox);

    /// A new sandbox; empty if that failed.
    [[nodiscard]] SandboxRef create(const QByteArray &moreMembers = {}) const;
    /// POST /exec of a shell line.
    [[nodiscard]] Json exec(const SandboxRef &sandbox, const QString &command, int timeoutSeconds = 20) const;
    [[nodiscard]] QString status(const SandboxRef &sandbox) const;

private:
    quint16 m_port;
    QByteArray m_key;
};

[[nodiscard]] QByteArray execBody(const QString &command, int timeoutSeconds = 0);

} // namespace Pilothouse::Tests
