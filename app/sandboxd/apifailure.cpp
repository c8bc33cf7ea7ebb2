// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apifailure.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Answers hold tokens and states that are old the moment they are read.
const HttpHeader NoStore = {"Cache-Control", "no-store"};

} // namespace

HttpResponse jsonResponse(int status, const Json &body)
{
    return {status, {{"Content-Type", "application/json"}, NoStore}, body.toJson()};
}

HttpResponse controlError(const ApiFailure &failure)
{
    Json error = Json::object();
    error.set(u"code"_s, Json::string(QString::fromLatin1(failure.code)));
    error.set(u"message"_s, Json::string(failure.message));
    Json body = Json::object();
    body.set(u"error"_s, error);
    return jsonResponse(failure.status, body);
}

HttpResponse filesError(int status, const QString &message)
{
    Json body = Json::object();
    body.set(u"error"_s, Json::string(message));
    return jsonResponse(status, body);
}

HttpResponse plainError(int status, const QString &message)
{
    return {status,
            {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}, NoStore},
            message.toUtf8() + '\n'};
}

HttpResponse emptyResponse(int status) { return {status, {NoStore}, {}}; }

} // namespace Pilothouse
