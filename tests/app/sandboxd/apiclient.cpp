// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"

#include "support/sandboxdfixture.h"

#include <QElapsedTimer>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int ConnectLimitMs = 5000;

/// Joins the chunks of a body; false if the end is missing.
bool dechunk(const QByteArray &raw, QByteArray &body)
{
    qsizetype at = 0;
    while (true) {
        const qsizetype end = raw.indexOf("\r\n", at);
        bool ok = false;
        const qsizetype size = end < 0 ? 0 : raw.mid(at, end - at).toLongLong(&ok, 16);
        if (!ok)
            return false;
        body += raw.mid(end + 2, size);
        if (size == 0)
            return true;
        at = end + 2 + size + 2;
    }
}

} // namespace

QByteArray Answer::header(QByteArrayView name) const
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

Json Answer::json() const
{
    const auto parsed = parseJson(body);
    return parsed ? *parsed : Json();
}

QString Answer::errorCode() const { return json()[u"error"][u"code"].toString(); }

ApiClient::ApiClient(const SandboxdFixture &service)
    : m_port(service.port())
    , m_key(service.key())
{ }

std::unique_ptr<QTcpSocket> ApiClient::begin(const QByteArray &method, const QByteArray &target,
                                             const Headers &headers, const QByteArray &body) const
{
    auto socket = std::make_unique<QTcpSocket>();
    socket->connectToHost(u"127.0.0.1"_s, m_port);
    if (!socket->waitForConnected(ConnectLimitMs))
        return socket;
    QByteArray head = method + ' ' + target + " HTTP/1.1\r\n";
    bool hasHost = false;
    for (const auto &[name, value] : headers) {
        head += name + ": " + value + "\r\n";
        hasHost = hasHost || name == "Host";
    }
    if (!hasHost)
        head += "Host: 127.0.0.1:" + QByteArray::number(m_port) + "\r\n";
    if (!body.isEmpty() || method == "POST" || method == "PATCH")
        head += "Content-Length: " + QByteArray::number(body.size()) + "\r\n";
    socket->write(head + "Connection: close\r\n\r\n" + body);
    socket->flush();
    return socket;
}

Answer ApiClient::finish(QTcpSocket &socket, int limitMs)
{
    QElapsedTimer timer;
    timer.start();
    QByteArray raw;
    while (timer.elapsed() < limitMs) {
        raw += socket.readAll();
        if (socket.state() != QAbstractSocket::ConnectedState)
            break;
        socket.waitForReadyRead(100);
    }
    raw += socket.readAll();
    Answer answer;
    const qsizetype end = raw.indexOf("\r\n\r\n");
    if (end < 0)
        return answer;
    const QList<QByteArray> lines = raw.first(end).split('\n');
    answer.status = lines.first().split(' ').value(1).toInt();
    for (const QByteArray &line : lines.mid(1)) {
        const qsizetype colon = line.indexOf(':');
        answer.headers.append({line.first(qMax(qsizetype(0), colon)), line.sliced(colon + 1).trimmed()});
    }
    const QByteArray rest = raw.sliced(end + 4);
    if (answer.header("Transfer-Encoding") == "chunked") {
        answer.isWhole = dechunk(rest, answer.body);
    } else {
        answer.body = rest;
        answer.isWhole = answer.status == 204 || rest.size() == answer.header("Content-Length").toLongLong();
    }
    return answer;
}

Answer ApiClient::call(const QByteArray &method, const QByteArray &target, const Headers &headers,
                       const QByteArray &body) const
{
    return finish(*begin(method, target, headers, body));
}

Headers ApiClient::controlHeaders() const
{
    return {{"X-API-Key", m_key}, {"Content-Type", "application/json"}};
}

Headers ApiClient::dataHeaders(const SandboxRef &sandbox)
{
    return {{"X-Access-Token", sandbox.token}, {"X-Superserve-Sandbox-Id", sandbox.id}};
}

Answer ApiClient::control(const QByteArray &method, const QByteArray &target, const QByteArray &body,
                          const Headers &more) const
{
    return call(method, target, controlHeaders() + more, body);
}

Answer ApiClient::data(const SandboxRef &sandbox, const QByteArray &method, const QByteArray &target,
                       const QByteArray &body, const Headers &more) const
{
    return call(method, target, dataHeaders(sandbox) + more, body);
}

SandboxRef ApiClient::create(const QByteArray &moreMembers) const
{
    const Answer answer = control("POST", "/sandboxes", "{\"name\":\"test\"" + moreMembers + '}');
    if (answer.status != 201)
        return {};
    return {answer.json()[u"id"].toString().toLatin1(), answer.json()[u"access_token"].toString().toLatin1()};
}

Json ApiClient::exec(const SandboxRef &sandbox, const QString &command, int timeoutSeconds) const
{
    return data(sandbox, "POST", "/exec", execBody(command, timeoutSeconds)).json();
}

QString ApiClient::status(const SandboxRef &sandbox) const
{
    return control("GET", "/sandboxes/" + sandbox.id).json()[u"status"].toString();
}

QByteArray execBody(const QString &command, int timeoutSeconds)
{
    Json body = Json::object();
    body.set(u"command"_s, Json::string(command));
    if (timeoutSeconds > 0)
        body.set(u"timeout_s"_s, Json::number(qint64(timeoutSeconds)));
    return body.toJson();
}

} // namespace Pilothouse::Tests
