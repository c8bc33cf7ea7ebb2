// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/services.h"

#include "engine/appsettings.h"
#include "engine/backends.h"
#include "engine/enginecore.h"
#include "model/modelcatalog.h"
#include "model/modellistjob.h"
#include "model/modelresources.h"
#include "model/providerregistry.h"
#include "net/networkaccess.h"
#include "text/inerttext.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr auto SuperserveVariable = "SUPERSERVE_API_KEY"_L1;
constexpr std::chrono::milliseconds TestLimit{15000};

ServiceInfo::KeySource keySource(KeyRing::Source source)
{
    switch (source) {
    case KeyRing::Source::None:
        return ServiceInfo::KeySource::None;
    case KeyRing::Source::Session:
        return ServiceInfo::KeySource::Session;
    case KeyRing::Source::Environment:
        return ServiceInfo::KeySource::Environment;
    case KeyRing::Source::Keychain:
        return ServiceInfo::KeySource::Keychain;
    }
    return ServiceInfo::KeySource::None;
}

void fillKey(const EngineCore *core, ServiceInfo &info)
{
    info.canKeep = core->keys()->hasKeychain();
    info.isKeychainSlow = core->keys()->isSlow();
    for (const QString &variable : std::as_const(info.keyVariables)) {
        const QString value = core->environment(variable).trimmed();
        if (value.isEmpty()) {
            if (core->keys()->isWithheld(variable))
                info.keyWithheld = variable;
            if (!info.keyProblem)
                info.keyProblem = core->keys()->problemOf(variable);
            continue;
        }
        info.keySource = keySource(core->keys()->sourceOf(variable));
        info.keyProblem.reset();
        info.keyFrom = variable;
        info.keyWithheld.clear();
        info.keyHint = keyHint(value.toUtf8());
        return;
    }
}

QString spoken(const QUrl &url);

/// `variable`: the one that sets it, if any.
void fillEndpoint(const EngineCore *core, ServiceInfo &info, const QUrl &builtIn, const QString &variable)
{
    info.endpointBuiltIn = spoken(builtIn);
    info.endpoint = info.endpointBuiltIn;
    const QString set = variable.isEmpty() ? QString() : core->environment(variable).trimmed();
    info.endpointChosen = !core->endpoints().chosen(info.id).isEmpty();
    if (!set.isEmpty())
        info.endpoint = spoken(QUrl(set));
    if (!set.isEmpty() && !info.endpointChosen)
        info.endpointSource = variable;
    info.endpointCanBeSet = !variable.isEmpty() && info.endpointSource.isEmpty();
}

QString spoken(const QUrl &url) { return url.toString(QUrl::RemoveUserInfo | QUrl::StripTrailingSlash); }

Error refusal(const QString &name, const ApiError &error, const QString &asked, bool isKey)
{
    Error out;
    out.kind = isKey ? ErrorKind::KeyMissing : ErrorKind::Model;
    const QString why = error.message.isEmpty() ? categoryName(error.category) : error.message;
    const QString status = error.status > 0 ? u" (%1)"_s.arg(error.status) : QString();
    out.message = isKey ? u"%1 refused the key%2: %3"_s.arg(name, status, why)
                        : u"%1 gave no usable answer%2: %3"_s.arg(name, status, why);
    out.kept = u"Asked: %1. Nothing was changed and nothing was spent."_s.arg(asked);
    out.todo = isKey
        ? u"Make a new key in the provider's console and enter it here, or change the variable and start again."_s
        : u"Check the network and the endpoint, then test again."_s;
    return out;
}

void testProvider(EngineCore *core, const ServiceInfo &info, const ProviderInfo &provider,
                  const std::function<void(const Result<ServiceTest, Error> &)> &reply)
{
    const auto endpoint = core->catalog()->endpoint(provider);
    if (!endpoint) {
        Error error = endpoint.error();
        if (info.keyProblem && error.kind == ErrorKind::KeyMissing)
            error = *info.keyProblem;
        reply(fail(error));
        return;
    }
    const QString asked = u"GET "_s + spoken(modelUrl(endpoint->baseUrl, u"/models"_s));
    auto timer = std::make_shared<QElapsedTimer>();
    timer->start();
    ModelListJob *job = ModelListJob::list(core->network(), provider.protocol, *endpoint, core, TestLimit);
    QObject::connect(
        job, &ModelListJob::finished, core, [core, job, reply, asked, timer, id = info.id, name = info.name] {
            if (const auto &error = job->error()) {
                const bool isKey = error->category == ApiError::Category::Auth
                    || error->category == ApiError::Category::Permission;
                reply(fail(refusal(name, *error, asked, isKey)));
                return;
            }
            const qsizetype count = job->models().size();
            core->setListedModels(id, job->models());
            reply(ServiceTest{asked,
                              u"answers, %1%2 models, %3 ms"_s.arg(job->isCut() ? u"more than "_s : QString())
                                  .arg(count)
                                  .arg(timer->elapsed()),
                              timer->elapsed()});
        });
}

void fillModels(const EngineCore *core, ServiceInfo &info, const QStringList &ids,
                const QStringList &withoutTools)
{
    const QList<ListedModel> listed = core->listedModels(info.id);
    info.models = listed.isEmpty() ? ids : QStringList();
    info.withoutTools = listed.isEmpty() ? withoutTools : QStringList();
    for (const ListedModel &model : listed) {
        info.models.append(model.id);
        if (!model.tools.value_or(true))
            info.withoutTools.append(model.id);
        if (model.context)
            info.contexts.insert(model.id, *model.context);
    }
    const ProviderRegistry &registry = ProviderRegistry::shipped();
    for (const QString &id : registry.modelIds(info.id)) {
        const ModelFacts *facts = registry.model({info.id, id});
        if (facts && facts->context && !info.contexts.contains(id))
            info.contexts.insert(id, *facts->context);
    }
}

} // namespace

std::optional<qint64> ServiceInfo::contextOf(const QString &model) const
{
    static const QRegularExpression date(u"-[0-9]{8}$"_s);
    auto found = contexts.constFind(model);
    if (found == contexts.cend())
        found = contexts.constFind(QString(model).remove(date));
    return found == contexts.cend() ? std::nullopt : std::optional(*found);
}

QString keyHint(const QByteArray &key)
{
    constexpr qsizetype Head = 7;
    constexpr qsizetype Tail = 4;
    // Short keys give nothing away.
    if (key.size() < 4 * (Head + Tail))
        return key.size() > 2 * Tail
            ? QString(u"…"_s + inertLine(QString::fromUtf8(key.right(Tail)), Tail + 1))
            : u"…"_s;
    return inertLine(QString(QString::fromUtf8(key.left(Head)) + u'…' + QString::fromUtf8(key.right(Tail))),
                     Head + Tail + 1);
}

QList<ServiceInfo> listServices(const EngineCore *core)
{
    QList<ServiceInfo> services;
    ServiceInfo superserve;
    superserve.kind = ServiceInfo::Kind::Sandbox;
    superserve.id = u"superserve"_s;
    superserve.name = u"Superserve"_s;
    superserve.keyVariables = {QString(SuperserveVariable)};
    fillKey(core, superserve);
    fillEndpoint(core, superserve,
                 SandboxEndpoint::superserve(Secret(QByteArrayLiteral("none")), {}, {}).control,
                 u"SUPERSERVE_BASE_URL"_s);
    if (const QString option = core->options().superserveUrl.trimmed(); !option.isEmpty()) {
        superserve.endpoint = spoken(QUrl(option));
        superserve.endpointSource = u"--superserve-url"_s;
        superserve.endpointCanBeSet = false;
    }
    services.append(superserve);
    ServiceInfo local;
    local.kind = ServiceInfo::Kind::Sandbox;
    local.id = u"local"_s;
    local.name = u"Local sandbox"_s;
    local.keySource = ServiceInfo::KeySource::NotNeeded;
    services.append(local);
    const AppSettings settings(core->options().dataDir);
    const QStringList chosen = settings.shownProviders();
    const QString ofNew = settings.model().section(u'/', 0, 0);
    const ProviderRegistry &registry = ProviderRegistry::shipped();
    for (const ProviderInfo &provider : registry.providers()) {
        ServiceInfo info;
        info.id = provider.id;
        info.name = provider.name;
        info.keyVariables = provider.keyVariables;
        fillEndpoint(core, info, provider.baseUrl, provider.baseUrlVariable);
        fillKey(core, info);
        const bool isKnown = info.keySource != ServiceInfo::KeySource::None || info.keyProblem
            || !info.keyWithheld.isEmpty() || info.endpointChosen;
        const bool isNeeded = provider.isCommon || isKnown || provider.id == ofNew;
        info.isChosen = !isNeeded && chosen.contains(provider.id);
        if (!isNeeded && !info.isChosen)
            continue; // Hundreds, of which a person has a few.
        if (!provider.needsKey && info.keySource == ServiceInfo::KeySource::None)
            info.keySource = ServiceInfo::KeySource::NotNeeded;
        fillModels(core, info, registry.modelIds(provider.id), {});
        services.append(info);
    }
    for (const CustomProvider &own : core->ownProviders().all()) {
        const ProviderInfo *provider = core->catalog()->provider(own.id);
        if (!provider)
            continue;
        ServiceInfo info;
        info.id = own.id;
        info.name = own.name;
        info.protocol = own.protocol;
        info.isOwn = true;
        info.keyVariables = provider->keyVariables;
        info.endpoint = spoken(provider->baseUrl);
        info.endpointBuiltIn = info.endpoint;
        fillKey(core, info);
        if (info.keySource == ServiceInfo::KeySource::None && !info.keyProblem)
            info.keySource = ServiceInfo::KeySource::NotNeeded; // It is asked without one.
        fillModels(core, info, own.models, own.withoutTools);
        services.append(info);
    }
    ServiceInfo demo;
    demo.id = u"demo"_s;
    demo.name = u"Demo (scripted, not an AI)"_s;
    demo.keySource = ServiceInfo::KeySource::NotNeeded;
    demo.models = ModelResources::scenarioNames();
    services.append(demo);
    return services;
}

QList<ProviderName> unlistedProviders(const QList<ServiceInfo> &listed)
{
    QSet<QString> shown;
    for (const ServiceInfo &info : listed)
        shown.insert(info.id);
    QList<ProviderName> names;
    for (const ProviderInfo &provider : ProviderRegistry::shipped().providers()) {
        if (!shown.contains(provider.id))
            names.append({provider.id, provider.name});
    }
    std::sort(names.begin(), names.end(), [](const ProviderName &a, const ProviderName &b) {
        return QString::compare(a.name, b.name, Qt::CaseInsensitive) < 0;
    });
    return names;
}

void testService(EngineCore *core, const QString &id,
                 std::function<void(const Result<ServiceTest, Error> &)> reply)
{
    for (const ServiceInfo &info : listServices(core)) {
        if (info.id != id)
            continue;
        if (info.id == "demo"_L1) {
            reply(ServiceTest{u"nothing"_s, u"built in"_s, 0});
            return;
        }
        if (info.kind == ServiceInfo::Kind::Model) {
            if (const ProviderInfo *provider = core->catalog()->provider(id))
                testProvider(core, info, *provider, reply);
            return;
        }
        auto timer = std::make_shared<QElapsedTimer>();
        timer->start();
        core->backends()->client(
            id, core, [core, info, reply, timer](const Result<SandboxClient *, Error> &client) {
                if (!client) {
                    reply(fail(client.error()));
                    return;
                }
                const QString asked = u"GET "_s + spoken((*client)->endpoint().control) + u"/sandboxes"_s;
                (*client)->list(
                    {}, core, [info, reply, timer, asked](const Result<QList<SandboxInfo>, ApiError> &list) {
                        if (!list) {
                            const bool isKey = list.error().category == ApiError::Category::Auth
                                || list.error().category == ApiError::Category::Permission;
                            reply(fail(refusal(info.name, list.error(), asked, isKey)));
                            return;
                        }
                        reply(ServiceTest{
                            asked, u"answers, %1 sandboxes, %2 ms"_s.arg(list->size()).arg(timer->elapsed()),
                            timer->elapsed()});
                    });
            });
        return;
    }
    reply(fail(Error{ErrorKind::NotFound, u"There is no service %1."_s.arg(inertLine(id, 60)), {}, {}}));
}

} // namespace Pilothouse
