// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxwire.h"

#include "net/networkaccess.h"

#include <algorithm>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// The service multiplies seconds in 32 bits without a check; this stays far below.
constexpr qint64 LongestTimeoutSeconds = 4'000'000;
// The service allows 64 metadata entries; more in an answer is noise.
constexpr size_t MostMetadata = 256;
constexpr qsizetype LongestId = 64;
constexpr qsizetype LongestWord = 4096; ///< Names, times and states are short; a longer one is cut.

QString word(const Json &value) { return value.toString().left(LongestWord); }

Json metadataObject(const QList<QPair<QString, QString>> &entries)
{
    Json object = Json::object();
    for (const auto &[key, value] : entries)
        object.set(key, Json::string(value));
    return object;
}

Json stringArray(const QStringList &texts)
{
    Json array = Json::array();
    for (const QString &text : texts)
        array.append(Json::string(text));
    return array;
}

std::optional<SandboxInfo> infoOf(const Json &object)
{
    SandboxInfo info;
    info.id = object[u"id"].toString();
    info.status = word(object[u"status"]);
    if (!object.isObject() || info.status.isEmpty() || !SandboxWire::isSandboxId(info.id))
        return std::nullopt;
    info.name = word(object[u"name"]);
    info.createdAt = word(object[u"created_at"]);
    info.vcpuCount = object[u"vcpu_count"].toInteger();
    info.memoryMib = object[u"memory_mib"].toInteger();
    info.timeoutSeconds = object[u"timeout_seconds"].toInteger();
    info.autoDeleteSeconds = object[u"auto_delete_seconds"].toInteger();
    info.autoDeleteAt = word(object[u"auto_delete_at"]);
    info.processesLost = object[u"processes_lost"].toBool();
    info.problem = cleanErrorText(object[u"problem"].toString());
    const Json::Members &metadata = object[u"metadata"].members();
    for (size_t i = 0; i < std::min(metadata.size(), MostMetadata); ++i) {
        if (metadata[i].value.isString())
            info.metadata.append({metadata[i].key, word(metadata[i].value)});
    }
    return info;
}

ApiError unreadable(const QString &what)
{
    return SandboxWire::makeError(ApiError::Category::Protocol,
                                  u"The sandbox service answered with something that is not "_s + what
                                      + u'.');
}

/// The data-plane host that belongs to a control-plane host. Every unknown one belongs to the default region.
QString dataHost(const QUrl &control)
{
    const QString host = control.host().toLower();
    if (host == "api-usw.superserve.ai"_L1)
        return u"usw-sandbox.superserve.ai"_s;
    if (host == "api-staging.superserve.ai"_L1)
        return u"staging-sandbox.superserve.ai"_s;
    return u"sandbox.superserve.ai"_s;
}

/// An origin that serves every sandbox by header: set explicitly, or a loopback control plane. Empty
/// otherwise.
QUrl explicitOrigin(const SandboxEndpoint &endpoint)
{
    if (!endpoint.data.isEmpty())
        return endpoint.data;
    return NetworkAccess::isLoopback(endpoint.control) ? endpoint.control : QUrl();
}

/// Takes `count` blank-separated words off the front of `record`; the rest may hold blanks.
QList<QByteArray> takeWords(QByteArray &record, int count)
{
    QList<QByteArray> words;
    for (int i = 0; i < count; ++i) {
        const qsizetype space = record.indexOf(' ');
        if (space < 0)
            return {};
        words.append(record.left(space));
        record.remove(0, space + 1);
    }
    return words;
}

} // namespace

ApiError SandboxWire::makeError(ApiError::Category category, const QString &message)
{
    ApiError error;
    error.category = category;
    error.message = cleanErrorText(message);
    return error;
}

bool SandboxWire::isSandboxId(QStringView id)
{
    const auto isLetterOrDigit = [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9');
    };
    return !id.isEmpty() && id.size() <= LongestId && isLetterOrDigit(id.front())
        && std::all_of(id.begin(), id.end(), [&](QChar c) { return isLetterOrDigit(c) || c == u'-'; });
}

QByteArray SandboxWire::encoded(const QString &text) { return QUrl::toPercentEncoding(text); }

QByteArray SandboxWire::createBody(const CreateSandbox &request)
{
    JsonBuilder body;
    body.add("name"_L1, request.name);
    if (!request.fromTemplate.isEmpty())
        body.add("from_template"_L1, request.fromTemplate);
    if (request.timeoutSeconds)
        body.add("timeout_seconds"_L1, *request.timeoutSeconds);
    if (request.autoDeleteSeconds)
        body.add("auto_delete_seconds"_L1, *request.autoDeleteSeconds);
    if (!request.metadata.isEmpty())
        body.add("metadata"_L1, metadataObject(request.metadata));
    const SandboxNetwork &network = request.network;
    if (!network.allowOut.isEmpty() || !network.denyOut.isEmpty()) {
        Json rules = Json::object();
        rules.set(u"allow_out"_s, stringArray(network.allowOut));
        rules.set(u"deny_out"_s, stringArray(network.denyOut));
        body.add("network"_L1, rules);
    }
    return body.take();
}

QByteArray SandboxWire::patchBody(const PatchSandbox &change)
{
    JsonBuilder body;
    if (change.metadata)
        body.add("metadata"_L1, metadataObject(*change.metadata));
    if (change.timeoutSeconds)
        body.addOptional("timeout_seconds"_L1, *change.timeoutSeconds);
    if (change.autoDeleteSeconds)
        body.addOptional("auto_delete_seconds"_L1, *change.autoDeleteSeconds);
    return body.take();
}

QByteArray SandboxWire::listQuery(const ListSandboxes &filter, int limit, int offset)
{
    QByteArray query = "?limit=" + QByteArray::number(limit) + "&offset=" + QByteArray::number(offset);
    for (const auto &[key, value] : filter.metadata)
        query += "&metadata." + encoded(key) + '=' + encoded(value);
    if (!filter.status.isEmpty())
        query += "&status=" + encoded(filter.status);
    return query;
}

qint64 SandboxWire::timeoutSeconds(const CommandRequest &request)
{
    return std::clamp<qint64>((request.timeout.count() + 999) / 1000, 1, LongestTimeoutSeconds);
}

QByteArray SandboxWire::commandBody(const CommandRequest &request)
{
    JsonBuilder body;
    body.add("command"_L1, request.command);
    if (!request.env.isEmpty())
        body.add("env"_L1, metadataObject(request.env));
    if (!request.workingDir.isEmpty())
        body.add("working_dir"_L1, request.workingDir);
    body.add("timeout_s"_L1, timeoutSeconds(request));
    return body.take();
}

Result<SandboxWire::Answer, ApiError> SandboxWire::readSandbox(const QByteArray &body)
{
    const Result<Json, JsonError> parsed = parseJson(body);
    if (!parsed)
        return fail(unreadable(u"JSON"_s));
    const std::optional<SandboxInfo> info = infoOf(*parsed);
    if (!info)
        return fail(unreadable(u"a sandbox with an id and a status"_s));
    // The token is used as a header and in a subprotocol list, where white space and commas would break out.
    const QByteArray token = (*parsed)[u"access_token"].toString().toUtf8();
    const bool usable = !token.isEmpty() && token.size() <= LongestWord
        && std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f && c != ','; });
    return Answer{*info, usable ? Secret(token) : Secret()};
}

Result<QList<SandboxInfo>, ApiError> SandboxWire::readSandboxes(const QByteArray &body)
{
    const Result<Json, JsonError> parsed = parseJson(body);
    if (!parsed || !parsed->isArray())
        return fail(unreadable(u"a list of sandboxes"_s));
    QList<SandboxInfo> rows;
    for (const Json &row : parsed->elements()) {
        if (const std::optional<SandboxInfo> info = infoOf(row))
            rows.append(*info);
        else
            return fail(unreadable(u"a list of sandboxes"_s));
    }
    return rows;
}

Result<ExecResult, ApiError> SandboxWire::readExecResult(const QByteArray &body)
{
    const Result<Json, JsonError> parsed = parseJson(body);
    const std::optional<qint64> exitCode = parsed ? (*parsed)[u"exit_code"].toInteger() : std::nullopt;
    if (!exitCode || *exitCode < std::numeric_limits<int>::min()
        || *exitCode > std::numeric_limits<int>::max()) {
        ApiError error = unreadable(u"the result of a command"_s);
        error.outcomeUnknown = true;
        return fail(error);
    }
    ExecResult result;
    result.standardOutput = (*parsed)[u"stdout"].toString().toUtf8();
    result.standardError = (*parsed)[u"stderr"].toString().toUtf8();
    result.exitCode = static_cast<int>(*exitCode);
    result.truncated = (*parsed)[u"truncated"].toBool();
    return result;
}

FileListing SandboxWire::readListing(const QByteArray &base64)
{
    FileListing listing;
    const auto decoded =
        QByteArray::fromBase64Encoding(base64.trimmed(), QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return listing;
    QList<QByteArray> records = (*decoded).split('\0');
    if (!records.isEmpty() && records.constLast().isEmpty())
        records.removeLast(); // What stands behind the last NUL.
    if (!records.isEmpty() && records.constLast().startsWith("rc ")) {
        listing.complete = records.constLast() == "rc 0" && records.size() % 2 == 1;
        records.removeLast();
    }
    for (qsizetype i = 0; i + 1 < records.size(); i += 2) {
        FileEntry entry;
        QByteArray name = records[i];
        const QList<QByteArray> words = takeWords(name, 4); // TYPE SIZE MTIME MODE, then the name.
        bool sizeOk = false;
        bool timeOk = false;
        bool modeOk = false;
        if (words.size() == 4 && words[0].size() == 1) {
            entry.type = QLatin1Char(words[0][0]);
            entry.size = words[1].toLongLong(&sizeOk);
            entry.modified = words[2].toDouble(&timeOk);
            entry.mode = words[3].toInt(&modeOk, 8);
        }
        if (!sizeOk || !timeOk || !modeOk || name.isEmpty() || name.contains('/')) {
            listing.complete = false;
            continue;
        }
        entry.name = name;
        if (entry.type == u'l')
            entry.linkTarget = records[i + 1];
        listing.entries.append(entry);
    }
    return listing;
}

QUrl SandboxWire::dataUrl(const SandboxEndpoint &endpoint, const QByteArray &pathAndQuery)
{
    const QUrl origin = explicitOrigin(endpoint);
    const QByteArray base = origin.isEmpty() ? "https://" + dataHost(endpoint.control).toLatin1()
                                             : origin.toEncoded(QUrl::StripTrailingSlash);
    return QUrl::fromEncoded(base + pathAndQuery, QUrl::StrictMode);
}

QUrl SandboxWire::socketUrl(const SandboxEndpoint &endpoint, const QString &id, bool &needsHeader)
{
    QUrl url = explicitOrigin(endpoint);
    needsHeader = !url.isEmpty();
    if (!needsHeader)
        return QUrl(QString(u"wss://boxd-"_s + id + u'.' + dataHost(endpoint.control) + u"/exec/connect"_s));
    url.setScheme(url.scheme() == "https"_L1 ? u"wss"_s : u"ws"_s);
    url.setPath(QString(url.path() + u"/exec/connect"_s));
    return url;
}

} // namespace Pilothouse
