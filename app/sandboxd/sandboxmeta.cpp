// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandboxmeta.h"

#include "util/ids.h"

#include <QDateTime>

#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::pair<SandboxStatus, QLatin1StringView> StatusNames[] = {
    {SandboxStatus::Starting, "starting"_L1}, {SandboxStatus::Active, "active"_L1},
    {SandboxStatus::Pausing, "pausing"_L1},   {SandboxStatus::Paused, "paused"_L1},
    {SandboxStatus::Resuming, "resuming"_L1}, {SandboxStatus::Failed, "failed"_L1},
    {SandboxStatus::Deleted, "deleted"_L1},
};

Json toJsonObject(const StringMap &map)
{
    Json object = Json::object();
    for (const auto &[key, value] : map)
        object.appendMember(key, Json::string(value));
    return object;
}

StringMap toStringMap(const Json &object)
{
    StringMap map;
    for (const Json::Member &member : object.members())
        map.append({member.key, member.value.toString()});
    return map;
}

void setOptional(Json &object, const QString &key, std::optional<qint64> value)
{
    if (value)
        object.set(key, Json::number(*value));
}

} // namespace

QLatin1StringView statusName(SandboxStatus status)
{
    for (const auto &[value, name] : StatusNames) {
        if (value == status)
            return name;
    }
    return {};
}

std::optional<SandboxStatus> statusFromName(QStringView name)
{
    for (const auto &[value, text] : StatusNames) {
        if (text == name)
            return value;
    }
    return std::nullopt;
}

QString toRfc3339(qint64 utcMs)
{
    return QDateTime::fromMSecsSinceEpoch(utcMs, Qt::UTC).toString(Qt::ISODateWithMs);
}

QByteArray toStoredJson(const SandboxMeta &meta)
{
    Json object = Json::object();
    object.set(u"id"_s, Json::string(meta.id));
    object.set(u"name"_s, Json::string(meta.name));
    object.set(u"status"_s, Json::string(statusName(meta.status)));
    object.set(u"created_at_ms"_s, Json::number(meta.createdAtMs));
    setOptional(object, u"timeout_seconds"_s, meta.timeoutSeconds);
    setOptional(object, u"auto_delete_seconds"_s, meta.autoDeleteSeconds);
    object.set(u"countdown_from_ms"_s, Json::number(meta.countdownFromMs));
    object.set(u"metadata"_s, toJsonObject(meta.metadata));
    object.set(u"environment"_s, toJsonObject(meta.environment));
    object.set(u"preview_access"_s, Json::string(meta.previewAccess));
    if (!meta.network.isNull())
        object.set(u"network"_s, meta.network);
    object.set(u"processes_lost"_s, Json::boolean(meta.processesLost));
    return object.toJson();
}

std::optional<SandboxMeta> fromStoredJson(const QByteArray &bytes)
{
    const auto parsed = parseJson(bytes);
    if (!parsed || !parsed->isObject())
        return std::nullopt;
    const Json &object = *parsed;
    const auto status = statusFromName(object[u"status"].toString());
    SandboxMeta meta;
    meta.id = object[u"id"].toString();
    if (!isId(meta.id) || !status)
        return std::nullopt;
    meta.name = object[u"name"].toString();
    meta.status = *status;
    meta.createdAtMs = object[u"created_at_ms"].toInteger(0);
    meta.timeoutSeconds = object[u"timeout_seconds"].toInteger();
    meta.autoDeleteSeconds = object[u"auto_delete_seconds"].toInteger();
    meta.countdownFromMs = object[u"countdown_from_ms"].toInteger(0);
    meta.metadata = toStringMap(object[u"metadata"]);
    meta.environment = toStringMap(object[u"environment"]);
    meta.previewAccess = object[u"preview_access"].toString(u"public"_s);
    meta.network = object[u"network"];
    meta.processesLost = object[u"processes_lost"].toBool();
    return meta;
}

Json toApiObject(const SandboxMeta &meta, const QByteArray &token)
{
    Json object = Json::object();
    object.set(u"id"_s, Json::string(meta.id));
    object.set(u"name"_s, Json::string(meta.name));
    object.set(u"status"_s, Json::string(statusName(meta.status)));
    // The host's own figures: nothing narrows them.
    object.set(u"vcpu_count"_s, Json::number(qint64(::sysconf(_SC_NPROCESSORS_ONLN))));
    object.set(
        u"memory_mib"_s,
        Json::number(qint64(::sysconf(_SC_PHYS_PAGES)) / 1024 * qint64(::sysconf(_SC_PAGESIZE)) / 1024));
    if (!token.isEmpty())
        object.set(u"access_token"_s, Json::string(QString::fromLatin1(token)));
    object.set(u"created_at"_s, Json::string(toRfc3339(meta.createdAtMs)));
    setOptional(object, u"timeout_seconds"_s, meta.timeoutSeconds);
    setOptional(object, u"auto_delete_seconds"_s, meta.autoDeleteSeconds);
    if (meta.status == SandboxStatus::Paused && meta.autoDeleteSeconds)
        object.set(u"auto_delete_at"_s,
                   Json::string(toRfc3339(meta.countdownFromMs + *meta.autoDeleteSeconds * 1000)));
    if (!meta.network.isNull())
        object.set(u"network"_s, meta.network);
    object.set(u"metadata"_s, toJsonObject(meta.metadata));
    object.set(u"preview_access"_s, Json::string(meta.previewAccess));
    if (meta.processesLost)
        object.set(u"processes_lost"_s, Json::boolean(true));
    if (!meta.problem.isEmpty())
        object.set(u"problem"_s, Json::string(meta.problem));
    return object;
}

} // namespace Pilothouse
