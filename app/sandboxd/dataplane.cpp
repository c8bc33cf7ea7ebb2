// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "dataplane.h"

#include "apifailure.h"
#include "filehandlers.h"
#include "filepaths.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

HttpResponse plainNotAllowed(const QByteArray &allowed)
{
    HttpResponse response = plainError(405, u"method not allowed"_s);
    response.headers.append({"Allow", allowed});
    return response;
}

/// Sockets carry the token as a subprotocol, everything else as a header.
QByteArray tokenOf(const HttpRequest &request, bool isSocket)
{
    if (!isSocket)
        return request.header("X-Access-Token");
    for (const QByteArray &offered : request.header("Sec-WebSocket-Protocol").split(',')) {
        const QByteArray name = offered.trimmed();
        if (name.startsWith("token."))
            return name.sliced(6);
    }
    return {};
}

} // namespace

DataPlane::DataPlane(SandboxContext &context, Sandboxes &sandboxes, const Tokens &tokens,
                     const ExecSettings &settings)
    : m_context(context)
    , m_sandboxes(sandboxes)
    , m_tokens(tokens)
    , m_settings(settings)
{ }

bool DataPlane::ownsPath(const QByteArray &path)
{
    return path == "/exec" || path == "/exec/stream" || path == "/exec/connect" || path == "/files"
        || path == "/terminal";
}

void DataPlane::handle(const HttpExchangePtr &exchange, const QByteArray &id)
{
    const HttpRequest &request = exchange->request();
    if (id.isEmpty()) {
        exchange->respond(plainError(400, u"invalid sandbox URL"_s));
        return;
    }
    const bool isSocket = request.path == "/exec/connect" || request.path == "/terminal";
    const bool isFiles = request.path == "/files";
    const QByteArray path = isFiles ? queryValue(request.query, "path").value_or(QByteArray()) : QByteArray();
    if (isFiles && !isSafePath(path)) {
        exchange->respond(filesError(400, u"path must be absolute, without .. and without NUL"_s));
        return;
    }
    const bool isGet = request.method == "GET";
    const bool isPost = request.method == "POST";
    if ((isSocket && !isGet) || (isFiles && !isGet && !isPost) || (!isSocket && !isFiles && !isPost)) {
        exchange->respond(plainNotAllowed(isFiles ? "GET, POST" : isSocket ? "GET" : "POST"));
        return;
    }
    const SandboxPtr sandbox = admit(exchange, id, tokenOf(request, isSocket));
    if (!sandbox)
        return;
    if (isFiles)
        handleFiles(exchange, sandbox, path);
    else if (request.path == "/exec")
        runExec(exchange, sandbox);
    else if (request.path == "/exec/stream")
        runExecStream(exchange, sandbox, m_settings);
    else if (request.path == "/terminal")
        exchange->respond(
            controlError({501, "not_implemented", u"the local sandbox service has no terminal"_s}));
    else if (request.isWebSocketUpgrade)
        runExecSession(exchange, sandbox, m_settings);
    else
        exchange->respond(plainError(400, u"a WebSocket upgrade is needed"_s));
}

SandboxPtr DataPlane::admit(const HttpExchangePtr &exchange, const QByteArray &id, const QByteArray &token)
{
    if (token.isEmpty()) {
        exchange->respond(plainError(401, u"missing X-Access-Token header"_s));
        return nullptr;
    }
    if (!m_tokens.accepts(id, token, m_context.clock.utcMs())) {
        exchange->respond(plainError(401, u"invalid access token"_s));
        return nullptr;
    }
    const SandboxPtr sandbox = m_sandboxes.find(id);
    if (!sandbox) {
        exchange->respond(plainError(404, sandboxNotFound(id).message));
        return nullptr;
    }
    if (sandbox->meta().status != SandboxStatus::Active || !sandbox->machine()) {
        exchange->respond(plainError(503, statusSentence(sandbox->meta().status)));
        return nullptr;
    }
    return sandbox;
}

void DataPlane::handleFiles(const HttpExchangePtr &exchange, const SandboxPtr &sandbox,
                            const QByteArray &path)
{
    const HttpRequest &request = exchange->request();
    const QByteArray format = queryValue(request.query, "format").value_or(QByteArray());
    if (request.method == "POST")
        writeSandboxFile(exchange, sandbox, path);
    else if (format.isEmpty())
        readSandboxFile(exchange, sandbox, path);
    else if (format == "json")
        listSandboxFolder(exchange, sandbox, path);
    else if (format == "zip")
        exchange->respond(
            controlError({501, "not_implemented", u"the local sandbox service makes no archives"_s}));
    else
        exchange->respond(filesError(400, u"unknown format"_s));
}

} // namespace Pilothouse
