// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/ownproviders.h"

#include "engine/appsettings.h"
#include "engine/endpoints.h"
#include "model/localprobe.h"
#include "model/modelcatalog.h"
#include "model/providerregistry.h"
#include "net/networkaccess.h"
#include "text/inerttext.h"
#include "util/logging.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestModel = 256;
constexpr qsizetype LongestProviderShown = 80; // Of what was typed, in an error.
constexpr int MostPlaces = 16; // That are asked in one look.

Error providerRefused(const QString &why, const QString &todo)
{
    return Error{ErrorKind::Usage, why, u"Nothing was changed."_s, todo};
}

// Servers have their interface under /v1; whether that was written does not make another place.
QUrl placeOf(const QUrl &url)
{
    QUrl place = url.adjusted(QUrl::StripTrailingSlash | QUrl::NormalizePathSegments);
    if (place.path().endsWith("/v1"_L1))
        place.setPath(place.path().chopped(3));
    if (place.host() == "localhost"_L1)
        place.setHost(u"127.0.0.1"_s);
    return place;
}

bool isModelName(const QString &name)
{
    return !name.isEmpty() && name.size() <= LongestModel
        && std::all_of(name.begin(), name.end(), [](QChar c) { return c.isPrint() && !c.isSpace(); });
}

} // namespace

OwnProviders::OwnProviders(ModelCatalog *catalog, Endpoints *endpoints, QString dataDir)
    : m_catalog(catalog)
    , m_endpoints(endpoints)
    , m_dataDir(std::move(dataDir))
{ }

void OwnProviders::read()
{
    for (const CustomProvider &provider : AppSettings(m_dataDir).providers()) {
        const auto info = checked(provider);
        if (!info || find(provider.id)) {
            qCWarning(lcEngine) << "a provider of the settings cannot be used:"
                                << (info ? u"its name is taken"_s : info.error().message);
            continue;
        }
        use(*info);
        m_all.append(provider);
    }
}

const CustomProvider *OwnProviders::find(const QString &id) const
{
    const auto found = std::find_if(m_all.cbegin(), m_all.cend(),
                                    [&id](const CustomProvider &known) { return known.id == id; });
    return found == m_all.cend() ? nullptr : &*found;
}

Result<ProviderInfo, Error> OwnProviders::checked(const CustomProvider &provider) const
{
    const auto taken = [&provider] {
        return providerRefused(
            u"The short name “%1” is taken."_s.arg(inertLine(provider.id, LongestProviderShown)),
            u"Choose another one; conversations know a provider by it."_s);
    };
    const auto info = makeCustomProvider(provider.id, provider.name, provider.protocol, provider.url);
    if (!info) {
        Error error = info.error();
        error.kept = u"Nothing was changed."_s;
        return fail(error);
    }
    // Not only the name: a key has to belong to one place, and the variable of a key is its name.
    const QString variable = info->keyVariables.constFirst();
    if (provider.id == "local"_L1 || provider.id == "superserve"_L1 || variable == "SUPERSERVE_API_KEY"_L1)
        return fail(taken());
    for (const ProviderInfo &shipped : ProviderRegistry::shipped().providers()) {
        if (shipped.id == provider.id || shipped.keyVariables.contains(variable)
            || shipped.baseUrlVariable == variable)
            return fail(taken());
    }
    for (const CustomProvider &other : m_all) {
        if (other.id == provider.id)
            continue;
        const ProviderInfo *known = m_catalog->provider(other.id);
        if (known && known->keyVariables.contains(variable))
            return fail(taken());
    }
    for (const QString &model : provider.models) {
        if (!isModelName(model)) {
            return fail(
                providerRefused(u"“%1” is no name of a model."_s.arg(inertLine(model, LongestProviderShown)),
                                u"Write names as the server knows them, with commas between."_s));
        }
    }
    return info;
}

void OwnProviders::use(const ProviderInfo &info)
{
    (void)m_catalog->addProvider(info);
    m_endpoints->setOwn(info.id, info.keyVariables, info.baseUrl);
}

Result<Done, Error> OwnProviders::set(const CustomProvider &provider, bool isNew)
{
    CustomProvider wanted = provider;
    wanted.models = wanted.models.mid(0, AppSettings::MostModels);
    const auto info = checked(wanted);
    if (!info)
        return fail(info.error());
    wanted.url = info->baseUrl.toString(QUrl::FullyEncoded);
    wanted.name = info->name;
    const auto known = std::find_if(m_all.begin(), m_all.end(),
                                    [&wanted](const CustomProvider &own) { return own.id == wanted.id; });
    if (isNew && known != m_all.end()) {
        return fail(providerRefused(u"There is a provider “%1” already."_s.arg(wanted.id),
                                    u"Choose another short name, or edit that one."_s));
    }
    if (!isNew && known == m_all.end())
        return fail(
            providerRefused(u"There is no provider “%1” any more."_s.arg(wanted.id), u"Add it anew."_s));
    if (isNew && m_all.size() >= AppSettings::MostProviders) {
        return fail(
            providerRefused(u"There are %1 providers of your own already."_s.arg(AppSettings::MostProviders),
                            u"Remove one first."_s));
    }
    use(*info);
    if (isNew)
        m_all.append(wanted);
    else
        *known = wanted;
    store();
    return Done();
}

void OwnProviders::remove(const QString &id)
{
    m_all.removeIf([&id](const CustomProvider &own) { return own.id == id; });
    m_catalog->removeProvider(id);
    m_endpoints->removeOwn(id);
    store();
}

void OwnProviders::keepModels(const QString &id, const QStringList &models, const QStringList &withoutTools)
{
    for (CustomProvider &own : m_all) {
        if (own.id != id || models.isEmpty() || (own.models == models && own.withoutTools == withoutTools))
            continue;
        own.models = models.mid(0, AppSettings::MostModels);
        own.withoutTools = withoutTools.mid(0, AppSettings::MostModels);
        store();
    }
}

void OwnProviders::store() const { AppSettings(m_dataDir).setProviders(m_all); }

QString OwnProviders::serviceAt(const QUrl &url) const
{
    const auto isThere = [&](const ProviderInfo &info) {
        const Result<ModelEndpoint, Error> endpoint =
            info.needsKey ? Result<ModelEndpoint, Error>(fail(Error())) : m_catalog->endpoint(info);
        return endpoint && placeOf(endpoint->baseUrl) == placeOf(url);
    };
    for (const CustomProvider &own : m_all) {
        const ProviderInfo *info = m_catalog->provider(own.id);
        if (info && isThere(*info))
            return own.id;
    }
    // One that is much used before one that has the same address by chance.
    for (const bool common : {true, false}) {
        for (const ProviderInfo &shipped : ProviderRegistry::shipped().providers()) {
            if (shipped.isCommon == common && isThere(shipped))
                return shipped.id;
        }
    }
    return {};
}

FoundServer OwnProviders::described(const LocalServer &server) const
{
    FoundServer found;
    found.url = server.baseUrl.toString(QUrl::FullyEncoded);
    found.service = serviceAt(server.baseUrl);
    const ProviderInfo *info = m_catalog->provider(found.service.isEmpty() ? server.kind : found.service);
    found.name = info ? info->name : u"Model server"_s;
    for (const ListedModel &model : server.models) {
        if (found.models.size() >= AppSettings::MostModels)
            break;
        found.models.append(model.id);
        if (!model.tools.value_or(true))
            found.withoutTools.append(model.id);
    }
    if (found.service.isEmpty()) {
        found.proposed = {u"local-%1"_s.arg(server.baseUrl.port(80)),
                          u"%1, port %2"_s.arg(found.name).arg(server.baseUrl.port(80)),
                          u"openai-chat"_s,
                          found.url,
                          found.models,
                          found.withoutTools};
    }
    return found;
}

QList<QUrl> OwnProviders::localUrls() const
{
    QList<QUrl> urls = LocalProbe::usualUrls();
    const auto add = [&](const ProviderInfo *info) {
        const Result<ModelEndpoint, Error> endpoint = info && !info->needsKey
            ? m_catalog->endpoint(*info)
            : Result<ModelEndpoint, Error>(fail(Error()));
        if (!endpoint || !NetworkAccess::isLoopback(endpoint->baseUrl) || urls.size() >= MostPlaces)
            return;
        const bool isKnown = std::any_of(urls.cbegin(), urls.cend(), [&endpoint](const QUrl &known) {
            return placeOf(known) == placeOf(endpoint->baseUrl);
        });
        if (!isKnown)
            urls.append(endpoint->baseUrl);
    };
    for (const CustomProvider &own : m_all)
        add(m_catalog->provider(own.id));
    for (const ProviderInfo &shipped : ProviderRegistry::shipped().providers()) {
        if (shipped.isCommon)
            add(&shipped);
    }
    return urls;
}

} // namespace Pilothouse
