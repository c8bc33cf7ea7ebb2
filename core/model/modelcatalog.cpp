// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelcatalog.h"

#include "model/anthropicclient.h"
#include "model/anthropicrequest.h"
#include "model/chatclient.h"
#include "model/chatdialect.h"
#include "model/modellistjob.h"
#include "model/modelresources.h"
#include "model/providerregistry.h"
#include "model/refusedparameters.h"
#include "model/responsesclient.h"
#include "model/scenariofile.h"
#include "model/scriptedclient.h"
#include "net/networkaccess.h"

#include <QDateTime>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1StringView DemoProvider = "demo"_L1;
constexpr QLatin1StringView AnthropicProtocol = "anthropic-messages"_L1;
constexpr QLatin1StringView ResponsesProtocol = "openai-responses"_L1;
constexpr QLatin1StringView ChatProtocol = "openai-chat"_L1;
// A limit as high as the whole context window, as some providers list it, would leave no room for the prompt.
constexpr int HighestMaxTokens = 128'000;
// A turn waits for it; without an answer it begins all the same.
constexpr std::chrono::milliseconds LongestLook{5000};

Error makeError(ErrorKind kind, const QString &message, const QString &todo)
{
    Error error;
    error.kind = kind;
    error.message = message;
    error.todo = todo;
    return error;
}

// A value that is refused is not repeated: a pasted key or a password in the address must not end up in a
// log.
std::optional<QUrl> usableUrl(const QString &text)
{
    const QUrl url(text, QUrl::StrictMode);
    const bool isHttp = url.scheme() == "http"_L1 || url.scheme() == "https"_L1;
    const bool isUsable = url.isValid() && isHttp && !url.host().isEmpty() && url.userInfo().isEmpty()
        && !url.hasQuery() && !url.hasFragment();
    return isUsable ? std::optional(url) : std::nullopt;
}

QString knownIds(const ProviderRegistry &registry)
{
    QStringList ids;
    for (const ProviderInfo &known : registry.providers()) {
        if (known.isCommon || known.isCustom)
            ids.append(known.id);
    }
    return ids.join(u", "_s);
}

} // namespace

Result<ProviderInfo, Error> makeCustomProvider(const QString &id, const QString &name,
                                               const QString &protocol, const QString &url)
{
    static const QRegularExpression idPattern(u"^[a-z0-9][a-z0-9._-]{0,63}$"_s);
    if (!idPattern.match(id).hasMatch() || id == DemoProvider)
        return fail(makeError(ErrorKind::Usage, u"This is no usable short name for a provider."_s,
                              u"Use small letters, digits, dots and dashes, for example my-server."_s));
    if (protocol != AnthropicProtocol && protocol != ResponsesProtocol && protocol != ChatProtocol)
        return fail(makeError(
            ErrorKind::Usage, u"The protocol of a provider is not known."_s,
            u"Choose anthropic-messages, openai-responses or openai-chat, which most servers speak."_s));
    const std::optional<QUrl> base = usableUrl(url.trimmed());
    if (!base || (base->scheme() != "https"_L1 && !NetworkAccess::isLoopback(*base)))
        return fail(makeError(ErrorKind::Usage, u"The base URL of the provider cannot be used."_s,
                              u"Write an https address like https://models.example.org/v1, or http for a "
                              "server on this machine, without user name, question mark or number sign."_s));
    ProviderInfo info;
    info.id = id;
    info.name = cleanErrorText(name).left(80);
    if (info.name.isEmpty())
        info.name = id;
    info.protocol = protocol;
    info.baseUrl = *base;
    QString variable = id.toUpper() + u"_API_KEY"_s;
    for (QChar &c : variable) {
        if (!c.isLetterOrNumber())
            c = u'_';
    }
    info.keyVariables = {variable};
    info.needsKey = false;
    info.isCustom = true;
    return info;
}

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
    [[nodiscard]] Result<QUrl, Error> baseUrl(const ProviderInfo &info) const;
    [[nodiscard]] QString variable(const QString &name) const
    {
        return name.isEmpty() || !environment ? QString() : environment(name).trimmed();
    }

    NetworkAccess *network = nullptr;
    std::function<QString(const QString &)> environment;
    QString demoScript;
    ProviderRegistry registry = ProviderRegistry::shipped(); // With those of a person's own.
    ProviderInfo demo;
    std::shared_ptr<RefusedParameters> refused = std::make_shared<RefusedParameters>();
    QSet<QString> withTools; ///< By refusalPlace(): models that can call tools by their service's own word.
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
                              u"Choose one that is: demo, %1."_s.arg(knownIds(d->registry))));
    }
    const Result<ModelEndpoint, Error> where = endpoint(*info);
    if (!where)
        return fail(where.error());
    using Client = std::shared_ptr<ModelClient>;
    if (info->protocol == AnthropicProtocol)
        return Client(std::make_shared<AnthropicClient>(d->network, *where));
    if (info->protocol == ResponsesProtocol)
        return Client(std::make_shared<ResponsesClient>(d->network, *where));
    return Client(std::make_shared<ChatClient>(d->network, *where));
}

bool ModelCatalog::addProvider(const ProviderInfo &provider) { return d->registry.add(provider); }

void ModelCatalog::removeProvider(const QString &id) { d->registry.remove(id); }

Result<ModelEndpoint, Error> ModelCatalog::endpoint(const ProviderInfo &info) const
{
    const Result<QUrl, Error> base = d->baseUrl(info);
    if (!base)
        return fail(base.error());
    ModelEndpoint endpoint;
    endpoint.provider = info.id;
    endpoint.baseUrl = *base;
    endpoint.key = keyOf(info);
    endpoint.refused = d->refused;
    if (endpoint.key.isEmpty() && info.needsKey) {
        return fail(makeError(
            ErrorKind::KeyMissing, u"There is no key for %1 at the address in use."_s.arg(info.name),
            u"Enter one in the settings, or set the environment variable %1 and start again; "
            "demo/tour needs no key."_s.arg(info.keyVariables.join(u" or "_s))));
    }
    endpoint.maxTokens = [id = info.id, facts = d->registry](const QString &model) {
        if (id == "anthropic"_L1)
            return AnthropicRequest::vendorMaxTokens(model);
        const ModelFacts *known = facts.model({id, model});
        return known && known->maxOutput ? qMin(*known->maxOutput, HighestMaxTokens) : HighestMaxTokens;
    };
    return endpoint;
}

Result<QUrl, Error> ModelCatalog::Private::baseUrl(const ProviderInfo &info) const
{
    const QString text = variable(info.baseUrlVariable);
    if (text.isEmpty() && info.baseUrl.isEmpty()) {
        return fail(makeError(ErrorKind::Model,
                              u"No address for %1: the environment variable %2 is not set."_s.arg(
                                  info.name, info.baseUrlVariable),
                              u"Set it to a base URL like http://127.0.0.1:8000/v1 and start again."_s));
    }
    if (text.isEmpty())
        return info.baseUrl;
    const std::optional<QUrl> url = usableUrl(text);
    if (!url) {
        const QString example =
            info.baseUrl.isEmpty() ? u"https://models.example.org/v1"_s : info.baseUrl.toString();
        return fail(makeError(
            ErrorKind::Model,
            u"The environment variable %1 holds no usable base URL."_s.arg(info.baseUrlVariable),
            u"Write it like %1, without user name, question mark or number sign; or unset it."_s.arg(
                example)));
    }
    return *url;
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

void ModelCatalog::checkTools(const ModelName &name, QObject *context,
                              std::function<void(const std::optional<Error> &)> reply)
{
    const ProviderInfo *info = provider(name.provider);
    const bool isChat = info && info->protocol == ChatProtocol;
    const Result<ModelEndpoint, Error> where =
        isChat ? endpoint(*info) : Result<ModelEndpoint, Error>(fail(Error()));
    const QString place = where ? refusalPlace(where->baseUrl, name.model) : QString();
    if (!where || !ChatDialect::find(info->id, where->baseUrl).tellsTools || d->withTools.contains(place)) {
        reply({});
        return;
    }
    ModelListJob *job =
        ModelListJob::describe(d->network, info->protocol, *where, name.model, context, LongestLook);
    QObject::connect(job, &ModelListJob::finished, context,
                     [this, job, name, place, reply = std::move(reply), shown = info->name] {
                         const auto can =
                             job->models().isEmpty() ? std::nullopt : job->models().first().tools;
                         if (job->error() || !can) {
                             reply({}); // The request itself will tell what is wrong, if anything is.
                         } else if (*can) {
                             d->withTools.insert(place);
                             reply({});
                         } else {
                             reply(Error{ErrorKind::Model,
                                         u"The model %1 cannot use tools, says %2; an agent can do nothing "
                                         "with it."_s.arg(cleanErrorText(name.model).left(80), shown),
                                         u"Nothing was sent to it."_s,
                                         u"Choose a model that can use tools, or a conversation without "
                                         "tools."_s});
                         }
                     });
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
        if (info && !keyOf(*info).isEmpty())
            return name;
    }
    return {DemoProvider, u"tour"_s};
}

} // namespace Pilothouse
