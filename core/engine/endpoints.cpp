// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/endpoints.h"

#include "engine/appsettings.h"
#include "model/providerregistry.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxtypes.h"
#include "secrets/keychain.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto Superserve = u"superserve"_s;
constexpr qsizetype LongestAddress = 300; // What is longer was pasted by mistake.

Error addressRefused(const QString &why)
{
    return Error{ErrorKind::Usage, why, u"The address is as it was."_s,
                 u"Write it like https://host.example/v1, or http://127.0.0.1:8080 on this computer."_s};
}

} // namespace

Endpoints::Endpoints(std::function<QString(const QString &)> environment, QString superserveOption)
    : m_environment(std::move(environment))
    , m_superserveOption(superserveOption.trimmed())
{
    Service sandboxes{Superserve, u"SUPERSERVE_BASE_URL"_s, {u"SUPERSERVE_API_KEY"_s}, {}, false};
    // Keys of a region have an address of their own; only the form of the key counts here.
    for (const QByteArray &key : {QByteArray("none"), QByteArray("ss_live_usw_" + QByteArray(32, 'x'))})
        sandboxes.builtIn.append(SandboxEndpoint::superserve(Secret(key), {}, {}).control);
    m_services.append(sandboxes);
    for (const ProviderInfo &provider : ProviderRegistry::shipped().providers())
        m_services.append(
            {provider.id, provider.baseUrlVariable, provider.keyVariables, {provider.baseUrl}, false});
}

Result<QUrl, Error> Endpoints::checked(const QString &text)
{
    const QString wanted = text.trimmed();
    if (wanted.size() > LongestAddress)
        return fail(addressRefused(u"This is too long for an address."_s));
    const QUrl url(wanted, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty())
        return fail(addressRefused(u"This is not a whole address."_s));
    if (url.scheme() != "https"_L1 && url.scheme() != "http"_L1)
        return fail(
            addressRefused(u"An address begins with https://, on this computer also with http://."_s));
    if (url.scheme() == "http"_L1 && !NetworkAccess::isLoopback(url)) {
        return fail(addressRefused(
            u"Over plain http everybody on the way could read the key; it is only for this computer."_s));
    }
    if (!url.userInfo().isEmpty() || url.authority().contains(u'@'))
        return fail(
            addressRefused(u"An address holds no user name and no password; keys have their own page."_s));
    if (url.hasQuery() || url.hasFragment())
        return fail(addressRefused(u"An address holds no question mark and no number sign."_s));
    return url.adjusted(QUrl::StripTrailingSlash | QUrl::NormalizePathSegments);
}

void Endpoints::read(const AppSettings &settings)
{
    m_chosen.clear();
    for (const Service &service : std::as_const(m_services)) {
        const QString text = settings.endpoint(service.id);
        if (text.isEmpty() || service.variable.isEmpty())
            continue;
        if (const auto url = checked(text)) // The file may have been edited by hand.
            m_chosen.insert(service.id, *url);
    }
}

Result<Done, Error> Endpoints::set(const QString &id, const QString &text, AppSettings &settings)
{
    const auto service = std::find_if(m_services.cbegin(), m_services.cend(),
                                      [&id](const Service &known) { return known.id == id; });
    if (service == m_services.cend() || service->variable.isEmpty())
        return fail(addressRefused(u"The address of this service cannot be set."_s));
    if (text.trimmed().isEmpty()) {
        m_chosen.remove(id);
        settings.setEndpoint(id, {});
        return Done();
    }
    const auto url = checked(text);
    if (!url)
        return fail(url.error());
    m_chosen.insert(id, *url);
    settings.setEndpoint(id, url->toString(QUrl::FullyEncoded));
    return Done();
}

void Endpoints::setOwn(const QString &id, const QStringList &keyVariables, const QUrl &url)
{
    removeOwn(id);
    m_services.append({id, QString(), keyVariables, {url}, true});
}

void Endpoints::removeOwn(const QString &id)
{
    m_services.removeIf([&id](const Service &service) { return service.isOwn && service.id == id; });
}

QUrl Endpoints::inEffect(const Service &service) const
{
    if (service.id == Superserve && !m_superserveOption.isEmpty())
        return {};
    if (m_environment && !m_environment(service.variable).trimmed().isEmpty())
        return {};
    return m_chosen.value(service.id);
}

QString Endpoints::chosen(const QString &id) const
{
    for (const Service &service : m_services) {
        if (service.id == id)
            return inEffect(service).toString(QUrl::FullyEncoded);
    }
    return {};
}

QString Endpoints::forVariable(const QString &variable) const
{
    if (m_chosen.isEmpty() || variable.isEmpty())
        return {};
    for (const Service &service : m_services) {
        if (service.variable == variable)
            return inEffect(service).toString(QUrl::FullyEncoded);
    }
    return {};
}

QStringList Endpoints::servicesOf(const QString &keyVariable) const
{
    QStringList ids;
    for (const Service &service : m_services) {
        if (service.keyVariables.contains(keyVariable))
            ids.append(service.id);
    }
    return ids;
}

QString Endpoints::originInUse(const QString &id) const
{
    for (const Service &service : m_services) {
        if (service.id != id)
            continue;
        if (service.id == Superserve && !m_superserveOption.isEmpty())
            return originOf(QUrl(m_superserveOption));
        const QString set = m_environment && !service.variable.isEmpty()
            ? m_environment(service.variable).trimmed()
            : QString();
        if (!set.isEmpty())
            return originOf(QUrl(set));
        const QUrl chosen = inEffect(service);
        return originOf(chosen.isEmpty() ? service.builtIn.value(0) : chosen);
    }
    return {};
}

QByteArray Endpoints::binding(const QString &keyVariable) const
{
    QByteArrayList places;
    for (const Service &service : m_services) {
        if (service.isOwn && service.keyVariables.contains(keyVariable))
            places.append(service.id.toUtf8() + ' ' + originOf(service.builtIn.value(0)).toUtf8());
        if (service.isOwn || m_chosen.isEmpty())
            continue;
        const QUrl url = inEffect(service);
        if (url.isEmpty() || !service.keyVariables.contains(keyVariable))
            continue;
        const QString origin = originOf(url);
        const bool isBuiltIn = std::any_of(service.builtIn.begin(), service.builtIn.end(),
                                           [&origin](const QUrl &own) { return originOf(own) == origin; });
        if (!isBuiltIn)
            places.append(service.id.toUtf8() + ' ' + origin.toUtf8());
    }
    return places.join('\n');
}

} // namespace Pilothouse
