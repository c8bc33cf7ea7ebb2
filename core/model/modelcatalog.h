// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "model/modelendpoint.h"
#include "util/error.h"
#include "util/result.h"
#include "util/secret.h"

#include <QObject>
#include <QUrl>

#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

class NetworkAccess;
struct Scenario;

/// "provider/model", split at the first slash.
struct ModelName {
    QString provider;
    QString model;
    [[nodiscard]] QString toString() const { return provider + QLatin1Char('/') + model; }
    [[nodiscard]] static Result<ModelName, Error> parse(const QString &text);
};

/// Facts about one provider, from the shipped registry or from a person.
struct ProviderInfo {
    QString id;
    QString name;
    QString protocol;
    QUrl baseUrl;
    QStringList keyVariables; ///< Environment variables tried in order.
    QString baseUrlVariable;
    bool needsKey = true; ///< False: may be asked without one.
    bool isCommon = false; ///< Worth showing before one asks for all.
    bool isCustom = false; ///< A person made it.
};

/// A provider of a person's own: a name for a base URL. `id` is the first part of model names and gives the
/// variable of the key, ID_API_KEY; `protocol` is one of the three that are spoken; `url` is https, or http
/// on loopback, without user name, query or fragment. The error says what is wrong and does not repeat the
/// URL.
[[nodiscard]] Result<ProviderInfo, Error> makeCustomProvider(const QString &id, const QString &name,
                                                             const QString &protocol, const QString &url);

/// Providers, prices and the making of clients. Engine thread only.
class ModelCatalog {
public:
    /// `environment` answers for environment variables (tests give their own); `demoScript` is a scenario
    /// file or empty for the shipped ones (`demo/NAME` is resources/demo/NAME.json).
    ModelCatalog(NetworkAccess *network, std::function<QString(const QString &)> environment,
                 QString demoScript);
    ~ModelCatalog();

    [[nodiscard]] const ProviderInfo *provider(const QString &id) const; ///< Null if unknown.
    /// Adds a provider of a person's own, or replaces it. False when the id belongs to a shipped one.
    [[nodiscard]] bool addProvider(const ProviderInfo &provider);
    void removeProvider(const QString &id); ///< One of a person's own.
    /// Where and with what `provider` is asked, or why it cannot be: no key, no usable base URL.
    [[nodiscard]] Result<ModelEndpoint, Error> endpoint(const ProviderInfo &provider) const;
    /// The provider's key from the environment; empty if there is none.
    [[nodiscard]] Secret keyOf(const ProviderInfo &provider) const;
    /// A client for `name`, or why there is none: unknown provider, no key or base URL (naming the variable),
    /// broken scenario file (naming file, place and problem).
    [[nodiscard]] Result<std::shared_ptr<ModelClient>, Error> client(const ModelName &name);
    /// Why an agent cannot work with `name`, as far as its service tells beforehand: Ollama and OpenRouter
    /// are asked, bounded in time and without cost, whether it can call tools. Nothing is known, or could be
    /// learned: no problem. Replies once, on this or a later turn of the event loop, unless `context` is
    /// destroyed first.
    void checkTools(const ModelName &name, QObject *context,
                    std::function<void(const std::optional<Error> &)> reply);
    /// Nano-dollars of one request, empty when a price or a needed count is not known. demo models cost 0.
    [[nodiscard]] std::optional<qint64> costNanos(const ModelName &name, const Usage &usage) const;
    /// First of the defaults whose key is known, else demo/tour.
    [[nodiscard]] ModelName defaultModel() const;
    /// Makes `scenario` known as demo/NAME by its own name, before any file of that name. For tests and
    /// benchmarks.
    void addScenario(const Scenario &scenario);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
