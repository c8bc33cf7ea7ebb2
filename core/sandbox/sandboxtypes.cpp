// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxtypes.h"

#include <QRegularExpression>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString withoutTrailingSlashes(QString url)
{
    while (url.endsWith(u'/'))
        url.chop(1);
    return url;
}

/// The region inside a key of the form ss_live_REGION_TAIL; empty for every other key. Only the length of the
/// tail (32) tells the regional form from the older one, whose tail may hold underscores too.
QString regionOf(const Secret &key)
{
    static const QRegularExpression form(u"\\Ass_live_([a-z0-9]{1,17})_[A-Za-z0-9_-]{32}\\z"_s);
    return form.match(QString::fromLatin1(key.reveal())).captured(1);
}

} // namespace

SandboxEndpoint SandboxEndpoint::superserve(const Secret &key, const QString &controlUrl,
                                            const QString &dataUrl)
{
    SandboxEndpoint endpoint;
    endpoint.backend = u"superserve"_s;
    endpoint.apiKey = key;
    QString control = controlUrl.trimmed();
    if (control.isEmpty()) {
        control =
            regionOf(key) == "usw"_L1 ? u"https://api-usw.superserve.ai"_s : u"https://api.superserve.ai"_s;
    }
    endpoint.control = QUrl(withoutTrailingSlashes(control), QUrl::StrictMode);
    const QString data = dataUrl.trimmed();
    if (!data.isEmpty())
        endpoint.data = QUrl(withoutTrailingSlashes(data), QUrl::StrictMode);
    return endpoint;
}

QString SandboxEndpoint::machineOrigin() const
{
    if (backend != "superserve"_L1)
        return {};
    const int standard = control.scheme() == "https"_L1 ? 443 : 80;
    return QString(control.scheme().toLower() + u"://"_s + control.host(QUrl::FullyEncoded).toLower() + u':'
                   + QString::number(control.port(standard)));
}

Json SandboxInfo::toJson() const
{
    Json object = Json::object();
    object.set(u"id"_s, Json::string(id));
    object.set(u"name"_s, Json::string(name));
    object.set(u"status"_s, Json::string(status));
    const auto number = [&object](const QString &key, const std::optional<qint64> &value) {
        if (value)
            object.set(key, Json::number(*value));
    };
    number(u"vcpu_count"_s, vcpuCount);
    number(u"memory_mib"_s, memoryMib);
    if (!createdAt.isEmpty())
        object.set(u"created_at"_s, Json::string(createdAt));
    number(u"timeout_seconds"_s, timeoutSeconds);
    number(u"auto_delete_seconds"_s, autoDeleteSeconds);
    if (!autoDeleteAt.isEmpty())
        object.set(u"auto_delete_at"_s, Json::string(autoDeleteAt));
    Json map = Json::object();
    for (const auto &[key, value] : metadata)
        map.set(key, Json::string(value));
    object.set(u"metadata"_s, std::move(map));
    if (processesLost)
        object.set(u"processes_lost"_s, Json::boolean(true));
    if (!problem.isEmpty())
        object.set(u"problem"_s, Json::string(problem));
    return object;
}

QString SandboxInfo::metadataValue(const QString &key) const
{
    for (const auto &[known, value] : metadata) {
        if (known == key)
            return value;
    }
    return {};
}

} // namespace Pilothouse
