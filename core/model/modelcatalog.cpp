// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelcatalog.h"

#include "model/anthropicclient.h"
#include "model/anthropicrequest.h"
#include "model/modelresources.h"
#include "model/providerregistry.h"
#include "model/scenariofile.h"
#include "model/scriptedclient.h"

#include <QDateTime>
#include <QFileInfo>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1StringView DemoProvider = "demo"_L1;
constexpr QLatin1StringView AnthropicProtocol = "anthropic-messages"_L1;
// A limit as high as the whole context window, as some providers list it, would leave no room for the prompt.
constexpr int HighestMaxTokens = 128'000;

Error makeError(ErrorKind kind, const QString &message, const QString &todo)
{
    Error error;
    error.kind = kind;
    error.message = message;
    error.todo = todo;
    return error;
}

} // namespace

Result<ModelName, Error> ModelName::parse(const QString &text)
{
    const qsizetype slash = text.indexOf(u'/');
    if (slash <= 0 || slash == text.size() - 1) {
        return fail(
            makeError(ErrorKind::Usage, u"\"%1\" is not the name of a model."_s.arg(text.left(80)),
                      u"Write PROVIDER/MODEL, for example anthropic/claude-sonnet-5-5 or demo/tour."_s));
    }
    return ModelName{text.left(slash), text.mid(slash + 1)};
}

class ModelCatalog::Private {
public:
    struct Script {
        QDateTime modified;
        std::shared_ptr<ScriptedClient> client;
    };

    [[nodiscard]] Result<std::shared_ptr<ModelClient>, Error> scripted(const QString &name);
    [[nodiscard]] Result<std::shared_ptr<ModelClient>, Error> anthropic(const ProviderInfo &info,
                                                                        const Secret &key);
    [[nodiscard]] Result<QUrl, Error> baseUrl(const ProviderInfo &info) const;
    [[nodiscard]] QString variable(const QString &name) const
    {
        return name.isEmpty() || !environment ? QString() : environment(name).trimmed();
    }

    NetworkAccess *network = nullptr;
    std::function<QString(const QString &)> environment;
    QString demoScript;
    ProviderRegistry registry;
    ProviderInfo demo;
    QHash<QString, Script> scripts; ///< By path; kept because clients count the faults they have played.
    QHash<QString, std::shared_ptr<ScriptedClient>> addedScripts; ///< By name.
};

ModelCatalog::ModelCatalog(NetworkAccess *network, std::function<QString(const QString &)> environment,
                           QString demoScript)
    : d(std::make_unique<Private>())
{
    d->network = network;
    d->environment = std::move(environment);
    d->demoScript = std::move(demoScript);
    d->demo.id = DemoProvider;
    d->demo.name = u"Demo (scripted, not an AI)"_s;
    d->demo.protocol = u"scripted"_s;
}

ModelCatalog::~ModelCatalog() = default;

const ProviderInfo *ModelCatalog::provider(const QString &id) const
{
    return id == DemoProvider ? &d->demo : d->registry.provider(id);
}

Secret ModelCatalog::keyOf(const ProviderInfo &provider) const
{
    for (const QString &variable : provider.keyVariables) {
        const QString value = d->variable(variable);
        if (!value.isEmpty())
            return Secret(value.toUtf8());
    }
    return {};
}

Result<std::shared_ptr<ModelClient>, Error> ModelCatalog::client(const ModelName &name)
{
    if (name.provider == DemoProvider)
        return d->scripted(name.model);
    const ProviderInfo *info = d->registry.provider(name.provider);
    if (!info) {
        return fail(makeError(ErrorKind::Model,
                              u"The provider \"%1\" is not known."_s.arg(name.provider.left(80)),
                              u"Choose one that is: demo, %1."_s.arg([this] {
                                  QStringList ids;
                                  for (const ProviderInfo &known : d->registry.providers())
                                      ids.append(known.id);
                                  return ids.join(u", "_s);
                              }())));
    }
    if (info->protocol != AnthropicProtocol) {
        return fail(makeError(
            ErrorKind::Model,
            u"%1 speaks %2, which this version cannot speak yet."_s.arg(info->name, info->protocol),
            u"Choose a model of Anthropic, MiniMax or Moonshot AI, or demo/tour, which needs no key."_s));
    }
    const Secret key = keyOf(*info);
    if (key.isEmpty()) {
        return fail(makeError(
            ErrorKind::KeyMissing, u"There is no key for %1 at the address in use."_s.arg(info->name),
            u"Enter one in the settings, or set the environment variable %1 and start again; "
            "demo/tour needs no key."_s.arg(info->keyVariables.join(u" or "_s))));
    }
    return d->anthropic(*info, key);
}

Result<QUrl, Error> ModelCatalog::Private::baseUrl(const ProviderInfo &info) const
{
    const QString text = variable(info.baseUrlVariable);
    if (text.isEmpty())
        return info.baseUrl;
    const QUrl url(text, QUrl::StrictMode);
    const bool isHttp = url.scheme() == "http"_L1 || url.scheme() == "https"_L1;
    // The value is not repeated: a pasted key or a password in the address must not end up in a log.
    if (!url.isValid() || !isHttp || url.host().isEmpty() || !url.userInfo().isEmpty() || url.hasQuery()
        || url.hasFragment()) {
        return fail(makeError(
            ErrorKind::Model,
            u"The environment variable %1 holds no usable base URL."_s.arg(info.baseUrlVariable),
            u"Write it like %1, without user name, question mark or number sign; or unset it."_s.arg(
                info.baseUrl.toString())));
    }
    return url;
}

Result<std::shared_ptr<ModelClient>, Error> ModelCatalog::Private::anthropic(const ProviderInfo &info,
                                                                             const Secret &key)
{
    const Result<QUrl, Error> base = baseUrl(info);
    if (!base)
        return fail(base.error());
    AnthropicClient::Endpoint endpoint;
    endpoint.provider = info.id;
    endpoint.baseUrl = *base;
    endpoint.key = key;
    endpoint.maxTokens = [id = info.id, facts = registry](const QString &model) {
        if (id == "anthropic"_L1)
            return AnthropicRequest::vendorMaxTokens(model);
        const ModelFacts *known = facts.model({id, model});
        return known && known->maxOutput ? qMin(*known->maxOutput, HighestMaxTokens) : HighestMaxTokens;
    };
    return std::shared_ptr<ModelClient>(std::make_shared<AnthropicClient>(network, std::move(endpoint)));
}

Result<std::shared_ptr<ModelClient>, Error> ModelCatalog::Private::scripted(const QString &name)
{
    if (const auto added = addedScripts.constFind(name); added != addedScripts.constEnd())
        return std::shared_ptr<ModelClient>(added.value());
    if (demoScript.isEmpty() && !ModelResources::scenarioNames().contains(name)) {
        return fail(makeError(ErrorKind::Model, u"There is no demo named \"%1\"."_s.arg(name.left(80)),
                              u"Choose one of demo/%1, or give a file with --demo-script."_s.arg(
                                  ModelResources::scenarioNames().join(u", demo/"_s))));
    }
    const QString path = demoScript.isEmpty() ? ModelResources::scenarioPath(name) : demoScript;
    const QDateTime modified = QFileInfo(path).lastModified();
    const auto known = scripts.constFind(path);
    if (known != scripts.constEnd() && known->modified == modified)
        return std::shared_ptr<ModelClient>(known->client);
    const Result<Scenario, Error> scenario = ScenarioFile::load(path);
    if (!scenario)
        return fail(scenario.error());
    const auto client = std::make_shared<ScriptedClient>(*scenario);
    scripts.insert(path, {modified, client});
    return std::shared_ptr<ModelClient>(client);
}

void ModelCatalog::addScenario(const Scenario &scenario)
{
    d->addedScripts.insert(scenario.name, std::make_shared<ScriptedClient>(scenario));
}

std::optional<qint64> ModelCatalog::costNanos(const ModelName &name, const Usage &usage) const
{
    if (name.provider == DemoProvider)
        return 0;
    const ModelFacts *facts = d->registry.model(name);
    return facts ? facts->prices.costNanos(usage) : std::nullopt;
}

ModelName ModelCatalog::defaultModel() const
{
    if (!d->demoScript.isEmpty())
        return {DemoProvider, u"script"_s};
    for (const ModelName &name :
         {ModelName{u"anthropic"_s, u"claude-sonnet-5-5"_s}, ModelName{u"openai"_s, u"gpt-5.5"_s}}) {
        const ProviderInfo *info = d->registry.provider(name.provider);
        // A default that cannot be asked would be no help.
        if (info && info->protocol == AnthropicProtocol && !keyOf(*info).isEmpty())
            return name;
    }
    return {DemoProvider, u"tour"_s};
}

} // namespace Pilothouse
