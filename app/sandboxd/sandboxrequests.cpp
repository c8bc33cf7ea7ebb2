// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandboxrequests.h"

#include <QHash>

#include <initializer_list>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxLifetimeSeconds = 604800; // 7 days
constexpr qint64 MaxAutoDeleteSeconds = 2592000; // 30 days
constexpr qsizetype MaxNameLength = 64;
constexpr qsizetype MaxNetworkEntries = 256;

struct MapLimits {
    qsizetype keys;
    qsizetype keyBytes;
    qsizetype valueBytes;
    qsizetype totalBytes;
};
constexpr MapLimits MetadataLimits = {64, 256, 2048, 16384};
constexpr MapLimits EnvironmentLimits = {64, 256, 8192, 65536};

Failure<ApiFailure> bad(const QString &message) { return fail(ApiFailure{400, "bad_request", message}); }

Result<Json, ApiFailure> parseObject(const QByteArray &body, std::initializer_list<QLatin1StringView> known)
{
    const auto parsed = parseJson(body);
    if (!parsed)
        return bad(u"invalid JSON body: %1"_s.arg(parsed.error().message));
    if (!parsed->isObject())
        return bad(u"the body must be a JSON object"_s);
    for (const Json::Member &member : parsed->members()) {
        bool isKnown = false;
        for (const QLatin1StringView name : known)
            isKnown = isKnown || member.key == name;
        if (!isKnown)
            return bad(u"unknown member \"%1\""_s.arg(member.key.left(MaxNameLength)));
    }
    return *parsed;
}

Result<StringMap, ApiFailure> parseMap(const Json &value, const QString &what, const MapLimits &limits)
{
    StringMap map;
    if (value.isNull())
        return map;
    if (!value.isObject())
        return bad(u"%1 must be an object of strings"_s.arg(what));
    if (value.size() > limits.keys)
        return bad(u"%1 has more than %2 keys"_s.arg(what).arg(limits.keys));
    qsizetype total = 0;
    for (const Json::Member &member : value.members()) {
        const qsizetype keySize = member.key.toUtf8().size();
        const qsizetype valueSize = member.value.toString().toUtf8().size();
        if (!member.value.isString())
            return bad(u"%1 must be an object of strings"_s.arg(what));
        if (keySize == 0 || keySize > limits.keyBytes)
            return bad(u"a key of %1 must have 1 to %2 bytes"_s.arg(what).arg(limits.keyBytes));
        if (valueSize > limits.valueBytes)
            return bad(u"a value of %1 is longer than %2 bytes"_s.arg(what).arg(limits.valueBytes));
        total += keySize + valueSize;
        map.append({member.key, member.value.toString()});
    }
    if (total > limits.totalBytes)
        return bad(u"%1 is larger than %2 bytes"_s.arg(what).arg(limits.totalBytes));
    return map;
}

Result<StringMap, ApiFailure> parseMetadata(const Json &value)
{
    auto map = parseMap(value, u"metadata"_s, MetadataLimits);
    if (!map)
        return map;
    for (const auto &[key, text] : *map) {
        if (key.startsWith("superserve."_L1, Qt::CaseInsensitive)
            || key.startsWith("_superserve"_L1, Qt::CaseInsensitive))
            return bad(u"metadata keys beginning with superserve. or _superserve are reserved"_s);
    }
    return map;
}

Result<StringMap, ApiFailure> parseEnvironment(const Json &value)
{
    auto map = parseMap(value, u"env_vars"_s, EnvironmentLimits);
    if (!map)
        return map;
    for (const auto &[key, text] : *map) {
        if (key.contains(u'=') || key.contains(QChar(0)) || text.contains(QChar(0)))
            return bad(u"env_vars must not contain NUL, nor a key with ="_s);
    }
    return map;
}

Result<std::optional<qint64>, ApiFailure> parseSeconds(const Json &value, const QString &what, qint64 low,
                                                       qint64 high)
{
    if (value.isNull())
        return std::optional<qint64>();
    const auto seconds = value.isNumber() ? value.toInteger() : std::nullopt;
    if (!seconds || *seconds < low || *seconds > high)
        return bad(u"%1 must be an integer from %2 to %3, or null"_s.arg(what).arg(low).arg(high));
    return seconds;
}

Result<QString, ApiFailure> parsePreviewAccess(const Json &value)
{
    if (!value.isString() || (value.toString() != "public"_L1 && value.toString() != "private"_L1))
        return bad(u"preview_access must be public or private"_s);
    return value.toString();
}

enum class NetworkEntry { Invalid = 1, Address, Domain };

bool isDecimal(QStringView text, int high)
{
    bool ok = false;
    const int value = text.toInt(&ok);
    return ok && text.size() <= 3 && value >= 0 && value <= high && text.front().isDigit();
}

NetworkEntry classify(const QString &entry)
{
    const qsizetype slash = entry.indexOf(u'/');
    const QString address = slash < 0 ? entry : entry.left(slash);
    const QStringList parts = address.split(u'.');
    bool isAddress = parts.size() == 4 && (slash < 0 || isDecimal(entry.mid(slash + 1), 32));
    for (const QString &part : parts)
        isAddress = isAddress && !part.isEmpty() && isDecimal(part, 255);
    if (isAddress)
        return NetworkEntry::Address;
    const QString domain = entry.startsWith("*."_L1) ? entry.mid(2) : entry;
    bool hasLetter = false;
    for (const QString &label : domain.split(u'.')) {
        if (label.isEmpty() || label.size() > 63 || label.startsWith(u'-') || label.endsWith(u'-'))
            return NetworkEntry::Invalid;
        for (const QChar c : label) {
            const bool isLetter = (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z');
            if (!isLetter && !(c >= u'0' && c <= u'9') && c != u'-' && c != u'_')
                return NetworkEntry::Invalid;
            hasLetter = hasLetter || isLetter;
        }
    }
    return hasLetter && domain.size() <= 253 ? NetworkEntry::Domain : NetworkEntry::Invalid;
}

Result<Json, ApiFailure> parseNetwork(const Json &value)
{
    if (!value.isObject())
        return bad(u"network must be an object"_s);
    Json result = Json::object();
    for (const QString &list : {u"allow_out"_s, u"deny_out"_s}) {
        const Json &entries = value[list];
        if (!entries.isNull() && (!entries.isArray() || entries.size() > MaxNetworkEntries))
            return bad(
                u"network.%1 must be an array of at most %2 strings"_s.arg(list).arg(MaxNetworkEntries));
        Json addresses = Json::array();
        Json domains = Json::array();
        for (const Json &entry : entries.elements()) {
            const NetworkEntry kind = entry.isString() ? classify(entry.toString()) : NetworkEntry::Invalid;
            if (kind == NetworkEntry::Invalid || (kind == NetworkEntry::Domain && list == "deny_out"_L1))
                return bad(u"network.%1 has an entry that is not allowed there"_s.arg(list));
            (kind == NetworkEntry::Address ? addresses : domains).append(entry);
        }
        for (const Json &entry : domains.elements())
            addresses.append(entry);
        result.set(list, addresses);
    }
    for (const Json::Member &member : value.members()) {
        if (!result.contains(member.key))
            return bad(u"unknown member \"network.%1\""_s.arg(member.key.left(MaxNameLength)));
    }
    return result;
}

/// Secrets need an egress proxy, which is not here; a clear refusal is better than a variable that is
/// missing.
std::optional<ApiFailure> checkSecrets(const Json &secrets, const StringMap &environment)
{
    if (secrets.isNull())
        return std::nullopt;
    if (!secrets.isObject())
        return ApiFailure{400, "bad_request", u"secrets must be an object of strings"_s};
    for (const auto &[key, value] : environment) {
        if (secrets.contains(key))
            return ApiFailure{400, "bad_request", u"%1 is in env_vars and in secrets"_s.arg(key)};
    }
    if (secrets.size() > 0)
        return ApiFailure{501, "not_implemented", u"the local sandbox service has no secrets"_s};
    return std::nullopt;
}

std::optional<ApiFailure> checkOrigin(const Json &object)
{
    const Json &fromTemplate = object[u"from_template"];
    const Json &fromSnapshot = object[u"from_snapshot"];
    if (!fromTemplate.isNull() && !fromTemplate.isString())
        return ApiFailure{400, "bad_request", u"from_template must be a string"_s};
    if (!fromSnapshot.isNull() && !fromTemplate.isNull())
        return ApiFailure{400, "bad_request", u"from_template and from_snapshot exclude each other"_s};
    if (!fromSnapshot.isNull())
        return ApiFailure{501, "not_implemented", u"the local sandbox service has no snapshots"_s};
    if (fromTemplate.isString() && fromTemplate.toString() != "superserve/base"_L1)
        return ApiFailure{404, "not_found",
                          u"template not found; the local service has only superserve/base"_s};
    return std::nullopt;
}

} // namespace

Result<SandboxMeta, ApiFailure> parseCreate(const QByteArray &body)
{
    const auto object = parseObject(body,
                                    {"name"_L1, "from_template"_L1, "from_snapshot"_L1, "timeout_seconds"_L1,
                                     "auto_delete_seconds"_L1, "metadata"_L1, "env_vars"_L1, "secrets"_L1,
                                     "network"_L1, "preview_access"_L1});
    if (!object)
        return fail(object.error());
    const Json &given = *object;
    SandboxMeta meta;
    meta.name = given[u"name"].toString();
    if (!given[u"name"].isString() || meta.name.isEmpty() || meta.name.toUcs4().size() > MaxNameLength
        || meta.name.contains(QChar(0)))
        return bad(u"name must have 1 to 64 characters"_s);
    const auto timeout = parseSeconds(given[u"timeout_seconds"], u"timeout_seconds"_s, 1, MaxLifetimeSeconds);
    if (!timeout)
        return fail(timeout.error());
    meta.timeoutSeconds = *timeout;
    const auto autoDelete =
        parseSeconds(given[u"auto_delete_seconds"], u"auto_delete_seconds"_s, 0, MaxAutoDeleteSeconds);
    if (!autoDelete)
        return fail(autoDelete.error());
    meta.autoDeleteSeconds = *autoDelete;
    const auto metadata = parseMetadata(given[u"metadata"]);
    if (!metadata)
        return fail(metadata.error());
    meta.metadata = *metadata;
    const auto environment = parseEnvironment(given[u"env_vars"]);
    if (!environment)
        return fail(environment.error());
    meta.environment = *environment;
    if (!given[u"network"].isNull()) {
        const auto network = parseNetwork(given[u"network"]);
        if (!network)
            return fail(network.error());
        meta.network = *network;
    }
    meta.previewAccess = u"public"_s;
    if (!given[u"preview_access"].isNull()) {
        const auto access = parsePreviewAccess(given[u"preview_access"]);
        if (!access)
            return fail(access.error());
        meta.previewAccess = *access;
    }
    if (const auto failure = checkOrigin(given))
        return fail(*failure);
    if (const auto failure = checkSecrets(given[u"secrets"], meta.environment))
        return fail(*failure);
    return meta;
}

Result<SandboxPatch, ApiFailure> parsePatch(const QByteArray &body)
{
    const auto object = parseObject(
        body,
        {"metadata"_L1, "network"_L1, "timeout_seconds"_L1, "auto_delete_seconds"_L1, "preview_access"_L1});
    if (!object)
        return fail(object.error());
    const Json &given = *object;
    if (given.size() == 0)
        return bad(u"at least one member is needed"_s);
    SandboxPatch patch;
    if (given.contains(u"metadata")) {
        const auto metadata = parseMetadata(given[u"metadata"]);
        if (!metadata)
            return fail(metadata.error());
        patch.metadata = *metadata;
    }
    if (given.contains(u"network")) {
        const auto network = parseNetwork(given[u"network"]);
        if (!network)
            return fail(network.error());
        patch.network = *network;
    }
    if (given.contains(u"timeout_seconds")) {
        const auto seconds =
            parseSeconds(given[u"timeout_seconds"], u"timeout_seconds"_s, 1, MaxLifetimeSeconds);
        if (!seconds)
            return fail(seconds.error());
        patch.hasTimeout = true;
        patch.timeoutSeconds = *seconds;
    }
    if (given.contains(u"auto_delete_seconds")) {
        const auto seconds =
            parseSeconds(given[u"auto_delete_seconds"], u"auto_delete_seconds"_s, 0, MaxAutoDeleteSeconds);
        if (!seconds)
            return fail(seconds.error());
        patch.hasAutoDelete = true;
        patch.autoDeleteSeconds = *seconds;
    }
    if (given.contains(u"preview_access")) {
        const auto access = parsePreviewAccess(given[u"preview_access"]);
        if (!access)
            return fail(access.error());
        patch.previewAccess = *access;
    }
    return patch;
}

} // namespace Pilothouse
