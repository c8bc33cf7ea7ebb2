// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "execrequest.h"

#include <cerrno>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxExecSeconds = 4000000; // Milliseconds of more do not fit the API's 32 bits.
constexpr const char *DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr const char *DefaultFolder = "/home/user";

bool hasNul(const QString &text) { return text.contains(QChar(0)); }

} // namespace

Result<ExecRequest, QString> parseExecRequest(const QByteArray &json)
{
    const auto parsed = parseJson(json);
    if (!parsed || !parsed->isObject())
        return fail(u"invalid JSON body"_s);
    const Json &object = *parsed;
    ExecRequest request;
    const Json &command = object[u"command"];
    if ((!command.isString() && !command.isNull()) || hasNul(command.toString()))
        return fail(u"command must be a string without NUL"_s);
    request.command = command.toString().toUtf8();
    if (request.command.isEmpty())
        return fail(u"command is required"_s);
    const Json &arguments = object[u"args"];
    if (!arguments.isNull() && !arguments.isArray())
        return fail(u"args must be an array of strings"_s);
    for (const Json &argument : arguments.elements()) {
        if (!argument.isString() || hasNul(argument.toString()))
            return fail(u"args must be an array of strings without NUL"_s);
        request.arguments.append(argument.toString().toUtf8());
    }
    const Json &environment = object[u"env"];
    if (!environment.isNull() && !environment.isObject())
        return fail(u"env must be an object of strings"_s);
    for (const Json::Member &member : environment.members()) {
        if (!member.value.isString() || member.key.isEmpty() || member.key.contains(u'=')
            || hasNul(member.key) || hasNul(member.value.toString()))
            return fail(u"env must be an object of strings without NUL, its keys not empty and without ="_s);
        request.environment.append({member.key, member.value.toString()});
    }
    const Json &folder = object[u"working_dir"];
    if ((!folder.isNull() && !folder.isString()) || hasNul(folder.toString()))
        return fail(u"working_dir must be a string without NUL"_s);
    request.workingDirectory = folder.toString().toUtf8();
    const Json &timeout = object[u"timeout_s"];
    if (!timeout.isNull()) {
        const auto seconds = timeout.isNumber() ? timeout.toInteger() : std::nullopt;
        if (!seconds || *seconds < 0 || *seconds > MaxExecSeconds)
            return fail(u"timeout_s must be an integer from 0 to %1"_s.arg(MaxExecSeconds));
        if (*seconds > 0)
            request.timeout = std::chrono::seconds(*seconds);
    }
    return request;
}

SpawnRequest toSpawnRequest(const ExecRequest &request, const SandboxMeta &meta, const ProcessLimits &limits)
{
    StringMap environment = {{u"PATH"_s, QString::fromLatin1(DefaultPath)},
                             {u"HOME"_s, u"/root"_s},
                             {u"USER"_s, u"root"_s},
                             {u"LANG"_s, u"C.UTF-8"_s}};
    for (const StringMap *layer : {&meta.environment, &request.environment}) {
        for (const auto &[key, value] : *layer) {
            environment.removeIf([&name = key](const auto &pair) { return pair.first == name; });
            environment.append({key, value});
        }
    }
    SpawnRequest spawn;
    spawn.limits = limits;
    spawn.workingDirectory =
        request.workingDirectory.isEmpty() ? QByteArray(DefaultFolder) : request.workingDirectory;
    if (request.arguments.isEmpty())
        spawn.arguments = {"/bin/sh", "-c", request.command};
    else
        spawn.arguments = QList<QByteArray>({request.command}) + request.arguments;
    for (const auto &[key, value] : environment)
        spawn.environment.append(QByteArray(key.toUtf8() + '=' + value.toUtf8()));
    return spawn;
}

ExecStartError describeStartFailure(const SpawnFailure &failure, const SpawnRequest &request)
{
    const QString words = errnoText(failure.error);
    switch (failure.stage) {
    case Init::ChangeDirectory:
        return {500, u"exec_failed"_s,
                u"working directory \"%1\": %2"_s.arg(QString::fromUtf8(request.workingDirectory), words)};
    case Init::Find:
        return {400, u"bad_request"_s,
                u"resolve \"%1\": executable file not found in $PATH"_s.arg(
                    QString::fromUtf8(request.arguments.first()))};
    case Init::Execute:
        return {500, u"exec_failed"_s,
                u"start \"%1\": %2"_s.arg(QString::fromUtf8(request.arguments.first()), words)};
    default:
        return {500, u"exec_failed"_s, u"start command: %1"_s.arg(words)};
    }
}

} // namespace Pilothouse
