// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/services.h"

#include "engine/backends.h"
#include "engine/enginecore.h"
#include "model/modelcatalog.h"
#include "model/modelresources.h"
#include "model/providerregistry.h"
#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "text/inerttext.h"

#include <QElapsedTimer>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr auto SpokenProtocol = "anthropic-messages"_L1;
constexpr auto SuperserveVariable = "SUPERSERVE_API_KEY"_L1;
constexpr std::chrono::milliseconds TestLimit{15000};
constexpr qint64 LargestAnswer = 1024 * 1024;

void fillKey(const EngineCore *core, ServiceInfo &info)
{
    for (const QString &variable : std::as_const(info.keyVariables)) {
        const QString value = core->environment(variable).trimmed();
        if (value.isEmpty()) {
            if (core->isKeyWithheld(variable))
                info.keyWithheld = variable;
            continue;
        }
        info.keySource = core->hasSessionKey(variable) ? ServiceInfo::KeySource::Session
                                                       : ServiceInfo::KeySource::Environment;
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

void testProvider(EngineCore *core, const ServiceInfo &info,
                  const std::function<void(const Result<ServiceTest, Error> &)> &reply)
{
    const QByteArray key = core->environment(info.keyFrom).trimmed().toUtf8();
    if (key.isEmpty()) {
        reply(fail(
            Error{ErrorKind::KeyMissing, u"There is no key for %1."_s.arg(info.name), u"Nothing was sent."_s,
                  u"Enter one here, or set %1 and start again."_s.arg(info.keyVariables.join(u" or "_s))}));
        return;
    }
    RequestSpec spec;
    QString base = info.endpoint;
    if (info.endpoint != info.endpointBuiltIn && !base.endsWith("/v1"_L1))
        base += u"/v1"_s;
    spec.url = QUrl(QString(base + u"/models?limit=1"_s));
    spec.secretHeaders = {{"x-api-key", Secret(key)}};
    spec.headers = {{"anthropic-version", "2023-06-01"}};
    spec.maxBytes = LargestAnswer;
    spec.totalTimeout = TestLimit;
    const QString asked = u"GET "_s + spoken(spec.url);
    auto timer = std::make_shared<QElapsedTimer>();
    timer->start();
    HttpJob *job = core->network()->start(spec, Lane::Control, core);
    QObject::connect(job, &HttpJob::finished, core, [job, reply, asked, timer, name = info.name] {
        if (const auto &error = job->error()) {
            const bool isKey = error->category == ApiError::Category::Auth
                || error->category == ApiError::Category::Permission;
            ApiError shown = *error;
            if (const QString text = errorTextFromBody(job->errorBody()); !text.isEmpty())
                shown.message = text;
            reply(fail(refusal(name, shown, asked, isKey)));
            return;
        }
        reply(ServiceTest{asked, u"answers, %1 ms"_s.arg(timer->elapsed()), timer->elapsed()});
    });
}

} // namespace

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
    const ProviderRegistry registry;
    for (const ProviderInfo &provider : registry.providers()) {
        if (provider.protocol != SpokenProtocol)
            continue; // What cannot be used is not offered.
        ServiceInfo info;
        info.id = provider.id;
        info.name = provider.name;
        info.keyVariables = provider.keyVariables;
        fillEndpoint(core, info, provider.baseUrl, provider.baseUrlVariable);
        info.models = registry.modelIds(provider.id);
        fillKey(core, info);
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
            testProvider(core, info, reply);
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
