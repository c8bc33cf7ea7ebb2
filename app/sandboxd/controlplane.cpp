// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "controlplane.h"

#include "filelisting.h"
#include "filepaths.h"
#include "sandboxlist.h"
#include "sandboxrequests.h"

#include <cerrno>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxJsonBody = 1024 * 1024; // Above the sum of all limits of a create call.

HttpResponse controlNotAllowed(const QByteArray &allowed)
{
    HttpResponse response = controlError({405, "method_not_allowed", u"method not allowed"_s});
    response.headers.append({"Allow", allowed});
    return response;
}

HttpResponse notImplemented(const QString &what)
{
    return controlError({501, "not_implemented", u"the local sandbox service has no %1"_s.arg(what)});
}

HttpResponse bodyErrorResponse(BodyError error)
{
    switch (error) {
    case BodyError::TooLarge:
        return controlError({413, "bad_request", u"the body is larger than %1 bytes"_s.arg(MaxJsonBody)});
    case BodyError::Failed:
        return controlError({400, "bad_request", u"the body could not be read"_s});
    }
    return {};
}

bool isIdSyntax(const QByteArray &id)
{
    if (id.isEmpty() || id.size() > 64 || id.startsWith('-'))
        return false;
    for (const char c : id) {
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'))
            return false;
    }
    return true;
}

bool prefersAsync(const HttpRequest &request)
{
    for (const QByteArray &part : request.header("Prefer").split(',')) {
        if (part.trimmed().compare("respond-async", Qt::CaseInsensitive) == 0)
            return true;
    }
    return false;
}

} // namespace

HttpResponse unauthorizedResponse()
{
    return controlError({401, "auth_failed", u"invalid or missing API key"_s});
}

ControlPlane::ControlPlane(SandboxContext &context, Sandboxes &sandboxes, const Tokens &tokens,
                           const Secret &key)
    : m_context(context)
    , m_sandboxes(sandboxes)
    , m_tokens(tokens)
    , m_key(key)
{ }

bool ControlPlane::isAuthorized(const HttpRequest &request) const
{
    return request.headerCount("X-API-Key") == 1 && m_key.equals(Secret(request.header("X-API-Key")));
}

void ControlPlane::handle(const HttpExchangePtr &exchange, const QList<QByteArray> &segments)
{
    const HttpRequest &request = exchange->request();
    if (!isAuthorized(request)) {
        exchange->respond(unauthorizedResponse());
        return;
    }
    if (segments[0] == "templates" || segments[0] == "secrets" || segments[0] == "providers"
        || segments[0] == "snapshots") {
        exchange->respond(notImplemented(QString::fromLatin1(segments[0])));
        return;
    }
    if (segments[0] != "sandboxes") {
        exchange->respond(controlError({404, "not_found", withSubject(u"no such path"_s, request.path)}));
        return;
    }
    if (segments.size() == 1) {
        handleCollection(exchange);
        return;
    }
    if (!isIdSyntax(segments[1])) {
        exchange->respond(
            controlError({400, "bad_request", withSubject(u"malformed sandbox id"_s, segments[1])}));
        return;
    }
    const SandboxPtr sandbox = m_sandboxes.find(segments[1]);
    if (!sandbox)
        exchange->respond(controlError(sandboxNotFound(segments[1])));
    else if (segments.size() == 2)
        handleSandbox(exchange, sandbox);
    else
        handleAction(exchange, sandbox, segments[2]);
}

void ControlPlane::handleCollection(const HttpExchangePtr &exchange)
{
    const QByteArray &method = exchange->request().method;
    if (method == "POST")
        create(exchange);
    else if (method == "GET")
        list(exchange);
    else
        exchange->respond(controlNotAllowed("GET, POST"));
}

void ControlPlane::handleSandbox(const HttpExchangePtr &exchange, const SandboxPtr &sandbox)
{
    const QByteArray &method = exchange->request().method;
    if (method == "GET") {
        exchange->respond(sandboxResponse(200, *sandbox));
    } else if (method == "PATCH") {
        patch(exchange, sandbox);
    } else if (method == "DELETE") {
        sandbox->destroy([exchange](const std::optional<ApiFailure> &failure) {
            exchange->respond(failure ? controlError(*failure) : emptyResponse(204));
        });
    } else {
        exchange->respond(controlNotAllowed("GET, PATCH, DELETE"));
    }
}

void ControlPlane::handleAction(const HttpExchangePtr &exchange, const SandboxPtr &sandbox,
                                const QByteArray &action)
{
    const HttpRequest &request = exchange->request();
    const QByteArray &method = request.method;
    const bool isLifecycle = action == "activate" || action == "resume" || action == "pause";
    if (isLifecycle && method != "POST")
        exchange->respond(controlNotAllowed("POST"));
    else if (action == "activate")
        wake(exchange, sandbox, false);
    else if (action == "resume")
        wake(exchange, sandbox, true);
    else if (action == "pause")
        pause(exchange, sandbox);
    else if (action == "files" && method != "GET")
        exchange->respond(controlNotAllowed("GET"));
    else if (action == "files")
        listFiles(exchange, sandbox);
    else if (action == "snapshot" || action == "snapshots")
        exchange->respond(notImplemented(u"snapshots"_s));
    else if (action == "secrets")
        exchange->respond(notImplemented(u"secrets"_s));
    else if (action == "preview-ports")
        exchange->respond(notImplemented(u"previews"_s));
    else if (action == "network")
        exchange->respond(notImplemented(u"network log"_s));
    else
        exchange->respond(controlError({404, "not_found", withSubject(u"no such path"_s, request.path)}));
}

HttpResponse ControlPlane::sandboxResponse(int status, const Sandbox &sandbox) const
{
    const QByteArray token = m_tokens.issue(sandbox.meta().id.toLatin1(), m_context.clock.utcMs());
    return jsonResponse(status, toApiObject(sandbox.meta(), token));
}

void ControlPlane::create(const HttpExchangePtr &exchange)
{
    exchange->readBody(MaxJsonBody, [this, exchange](const Result<QByteArray, BodyError> &body) {
        if (!body) {
            exchange->respond(bodyErrorResponse(body.error()));
            return;
        }
        auto meta = parseCreate(*body);
        if (!meta) {
            exchange->respond(controlError(meta.error()));
            return;
        }
        if (const auto failure = m_sandboxes.checkActiveLimit()) {
            exchange->respond(controlError(*failure));
            return;
        }
        m_sandboxes.create(std::move(*meta), [this, exchange](const Result<SandboxPtr, ApiFailure> &sandbox) {
            exchange->respond(sandbox ? sandboxResponse(201, **sandbox) : controlError(sandbox.error()));
        });
    });
}

void ControlPlane::list(const HttpExchangePtr &exchange)
{
    const auto page = selectSandboxes(m_sandboxes.all(), exchange->request().query);
    if (!page) {
        exchange->respond(controlError(page.error()));
        return;
    }
    Json rows = Json::array();
    for (const SandboxPtr &sandbox : page->rows)
        rows.append(toApiObject(sandbox->meta(), {}));
    HttpResponse response = jsonResponse(200, rows);
    response.headers.append({"X-Total-Count", QByteArray::number(page->total)});
    exchange->respond(response);
}

void ControlPlane::patch(const HttpExchangePtr &exchange, const SandboxPtr &sandbox)
{
    exchange->readBody(MaxJsonBody, [this, exchange, sandbox](const Result<QByteArray, BodyError> &body) {
        if (!body) {
            exchange->respond(bodyErrorResponse(body.error()));
            return;
        }
        const auto patch = parsePatch(*body);
        if (!patch) {
            exchange->respond(controlError(patch.error()));
            return;
        }
        const SandboxStatus status = sandbox->meta().status;
        if (status == SandboxStatus::Deleted) {
            exchange->respond(controlError(sandboxNotFound(sandbox->meta().id.toLatin1())));
            return;
        }
        if (!sandbox->meta().problem.isEmpty()) {
            exchange->respond(controlError({409, "conflict", sandbox->meta().problem}));
            return;
        }
        if (patch->network && status != SandboxStatus::Active) {
            exchange->respond(controlError({409, "conflict", statusSentence(status)}));
            return;
        }
        sandbox->change([this, &patch](SandboxMeta &meta) {
            if (patch->metadata)
                meta.metadata = *patch->metadata;
            if (patch->network)
                meta.network = *patch->network;
            if (patch->hasTimeout)
                meta.timeoutSeconds = patch->timeoutSeconds;
            if (patch->hasAutoDelete) {
                meta.autoDeleteSeconds = patch->autoDeleteSeconds;
                meta.countdownFromMs = m_context.clock.utcMs();
            }
            if (patch->previewAccess)
                meta.previewAccess = *patch->previewAccess;
        });
        exchange->respond(emptyResponse(204));
    });
}

void ControlPlane::pause(const HttpExchangePtr &exchange, const SandboxPtr &sandbox)
{
    if (prefersAsync(exchange->request()) && sandbox->meta().status == SandboxStatus::Active) {
        sandbox->pause([](const std::optional<ApiFailure> &) {});
        Json body = Json::object();
        body.set(u"status"_s, Json::string(statusName(SandboxStatus::Pausing)));
        exchange->respond(jsonResponse(202, body));
        return;
    }
    sandbox->pause([exchange](const std::optional<ApiFailure> &failure) {
        exchange->respond(failure ? controlError(*failure) : emptyResponse(204));
    });
}

void ControlPlane::wake(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, bool onlyFromPaused)
{
    if (sandbox->meta().status == SandboxStatus::Paused) {
        if (const auto failure = m_sandboxes.checkActiveLimit()) {
            exchange->respond(controlError(*failure));
            return;
        }
    }
    const auto done = [this, exchange, sandbox](const std::optional<ApiFailure> &failure) {
        if (failure) {
            exchange->respond(controlError(*failure));
            return;
        }
        // The caller that wakes it is told of the loss in this answer; later ones see a whole sandbox.
        exchange->respond(sandboxResponse(200, *sandbox));
        if (sandbox->meta().processesLost)
            sandbox->change([](SandboxMeta &meta) { meta.processesLost = false; });
    };
    if (onlyFromPaused)
        sandbox->resume(done);
    else
        sandbox->activate(done);
}

void ControlPlane::listFiles(const HttpExchangePtr &exchange, const SandboxPtr &sandbox)
{
    const QByteArray path = queryValue(exchange->request().query, "path").value_or("/");
    if (!isSafePath(path)) {
        exchange->respond(controlError({400, "bad_request", u"path must be absolute and without .."_s}));
        return;
    }
    sandbox->activate([exchange, sandbox, path](const std::optional<ApiFailure> &failure) {
        if (failure || !sandbox->machine()) {
            exchange->respond(controlError(failure.value_or(ApiFailure{409, "conflict", u"not running"_s})));
            return;
        }
        sandbox->machine()->open(Init::ReadDirectory, path, [exchange, path](Result<UniqueFd, int> folder) {
            if (folder) {
                Json listing = listFolder(std::move(*folder));
                listing.remove(u"truncated");
                exchange->respond(jsonResponse(200, listing));
            } else if (folder.error() == ENOENT) {
                exchange->respond(controlError({404, "not_found", withSubject(u"no such folder"_s, path)}));
            } else if (folder.error() == ENOTDIR || folder.error() == ELOOP
                       || folder.error() == ENAMETOOLONG) {
                exchange->respond(controlError({400, "bad_request", withSubject(u"not a folder"_s, path)}));
            } else {
                exchange->respond(
                    controlError({500, "internal_error", withSubject(errnoText(folder.error()), path)}));
            }
        });
    });
}

} // namespace Pilothouse
