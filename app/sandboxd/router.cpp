// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "router.h"

#include "apifailure.h"

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Host name without port, lower case; an IPv6 address keeps its brackets.
QByteArray hostName(const QByteArray &host)
{
    const qsizetype bracket = host.lastIndexOf(']');
    const qsizetype colon = host.indexOf(':', qMax(qsizetype(0), bracket));
    return (colon < 0 ? host : host.first(colon)).toLower();
}

bool isLoopbackName(const QByteArray &name)
{
    return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

Json stringArray(std::initializer_list<QLatin1StringView> texts)
{
    Json array = Json::array();
    for (const QLatin1StringView text : texts)
        array.append(Json::string(text));
    return array;
}

} // namespace

Router::Router(ControlPlane &control, DataPlane &data, Leases &leases, QList<QByteArray> hostSuffixes)
    : m_control(control)
    , m_data(data)
    , m_leases(leases)
    , m_hostSuffixes(std::move(hostSuffixes))
{ }

Router::Route Router::routeByHost(const HttpRequest &request) const
{
    if (request.headerCount("Host") != 1)
        return {400, {}, false};
    const QByteArray host = request.header("Host");
    const QByteArray name = hostName(host);
    Route route;
    if (!isLoopbackName(name)) {
        const qsizetype dot = name.indexOf('.');
        if (dot < 0 || !m_hostSuffixes.contains(name.sliced(dot + 1)))
            return {403, {}, false};
        const QByteArray label = name.first(dot);
        const qsizetype dash = label.indexOf('-');
        bool isPort = false;
        label.first(qMax(qsizetype(0), dash)).toUShort(&isPort);
        if (dash < 0 || dash + 1 == label.size() || (label.first(dash) != "boxd" && !isPort))
            return {400, {}, false};
        route.labelId = label.sliced(dash + 1);
        route.isPreview = isPort;
    }
    const QByteArray origin = request.header("Origin");
    // Only a page that this very address served may call it from a browser, and it serves none.
    if (!origin.isEmpty() && origin.toLower() != "http://" + host.toLower())
        return {403, {}, false};
    return route;
}

void Router::handle(const HttpExchangePtr &exchange)
{
    const HttpRequest &request = exchange->request();
    const Route route = routeByHost(request);
    if (route.refusal == 400) {
        exchange->respond(plainError(400, u"invalid sandbox URL"_s));
        return;
    }
    if (route.refusal != 0) {
        exchange->respond(plainError(403, u"this host or origin is not served"_s));
        return;
    }
    if (route.isPreview) {
        exchange->respond(
            controlError({501, "not_implemented", u"the local sandbox service has no previews"_s}));
        return;
    }
    if (DataPlane::ownsPath(request.path)) {
        const QByteArray headerId = request.header("X-Superserve-Sandbox-Id");
        if (request.headerCount("X-Superserve-Sandbox-Id") > 1
            || (!headerId.isEmpty() && !route.labelId.isEmpty() && headerId != route.labelId)) {
            exchange->respond(plainError(400, u"the host and the header name different sandboxes"_s));
            return;
        }
        m_data.handle(exchange, headerId.isEmpty() ? route.labelId : headerId);
        return;
    }
    QList<QByteArray> segments;
    for (const QByteArray &segment : request.path.split('/')) {
        if (!segment.isEmpty())
            segments.append(percentDecoded(segment));
    }
    if (request.path == "/health")
        handleHealth(exchange);
    else if (request.path == "/_local/lease")
        handleLease(exchange);
    else if (segments.isEmpty())
        exchange->respond(controlError({404, "not_found", withSubject(u"no such path"_s, request.path)}));
    else
        m_control.handle(exchange, segments);
}

void Router::handleLease(const HttpExchangePtr &exchange)
{
    if (!m_control.isAuthorized(exchange->request()))
        exchange->respond(unauthorizedResponse());
    else if (exchange->request().method != "GET")
        exchange->respond(controlError({405, "method_not_allowed", u"method not allowed"_s}));
    else
        m_leases.add(exchange);
}

void Router::handleHealth(const HttpExchangePtr &exchange)
{
    if (exchange->request().method != "GET") {
        exchange->respond(controlError({405, "method_not_allowed", u"method not allowed"_s}));
        return;
    }
    Json body = Json::object();
    body.set(u"status"_s, Json::string(u"ok"_s));
    body.set(u"version"_s, Json::string(QStringLiteral(PILOTHOUSE_VERSION)));
    body.set(u"product"_s, Json::string(u"pilothouse-sandboxd"_s));
    body.set(u"network"_s, Json::string(u"loopback only"_s));
    const ProcessLimits limits;
    Json limitsObject = Json::object();
    limitsObject.set(u"processes"_s, Json::number(qint64(limits.processes)));
    limitsObject.set(u"file_bytes"_s, Json::number(qint64(limits.fileBytes)));
    limitsObject.set(u"open_files"_s, Json::number(qint64(limits.openFiles)));
    body.set(u"limits"_s, limitsObject);
    body.set(u"unsupported"_s,
             stringArray({"network access"_L1, "network log"_L1, "templates"_L1, "secrets"_L1, "snapshots"_L1,
                          "previews"_L1, "terminal"_L1, "zip archives"_L1, "memory limit"_L1, "disk quota"_L1,
                          "rate limits"_L1, "writing outside /home/user, /root, /tmp and /var/tmp"_L1}));
    exchange->respond(jsonResponse(200, body));
}

} // namespace Pilothouse
