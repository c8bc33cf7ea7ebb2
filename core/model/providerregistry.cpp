// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/providerregistry.h"

#include "model/modelresources.h"
#include "util/json.h"

#include <QFile>
#include <QRegularExpression>

#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

std::optional<qint64> picoDollars(const Json &dollarsPerMillion)
{
    const std::optional<double> value = dollarsPerMillion.toDouble();
    return value ? std::optional<qint64>(std::llround(*value * 1e6)) : std::nullopt;
}

// The file tells only what a model can do, not what it cannot.
std::optional<bool> knownTrue(const Json &value)
{
    return value.toBool() ? std::optional(true) : std::nullopt;
}

// Adds count · price to `sum`; false when it does not fit.
bool addCost(qint64 &sum, qint64 count, qint64 price)
{
    qint64 product = 0;
    return !qMulOverflow(count, price, &product) && !qAddOverflow(sum, product, &sum);
}

} // namespace

std::optional<qint64> TokenPrices::costNanos(const Usage &usage) const
{
    if (!input || !output || !usage.input || !usage.output)
        return {};
    const qint64 read = usage.cacheRead.value_or(0);
    const qint64 write = usage.cacheWrite.value_or(0);
    const qint64 plain = *usage.input - read - write;
    if (read < 0 || write < 0 || plain < 0 || *usage.output < 0)
        return {};
    qint64 pico = 0;
    const bool fits = addCost(pico, plain, *input) && addCost(pico, read, cacheRead.value_or(*input / 10))
        && addCost(pico, write, cacheWrite.value_or(*input / 4 * 5)) && addCost(pico, *usage.output, *output);
    if (!fits)
        return {};
    return pico / 1000 + (pico % 1000 >= 500 ? 1 : 0);
}

ProviderRegistry::ProviderRegistry()
{
    QFile file(ModelResources::registryPath());
    const bool isOpen = file.open(QIODevice::ReadOnly);
    Q_ASSERT(isOpen);
    const Json json = parseJson(file.readAll()).value_or(Json());
    for (const Json &item : json[u"providers"].elements()) {
        ProviderInfo info;
        info.id = item[u"id"].toString();
        info.name = item[u"name"].toString();
        info.protocol = item[u"protocol"].toString();
        info.baseUrl = QUrl(item[u"baseUrl"].toString());
        for (const Json &variable : item[u"env"].elements())
            info.keyVariables.append(variable.toString());
        info.baseUrlVariable = item[u"baseUrlEnv"].toString();
        info.needsKey = !item[u"keyless"].toBool();
        info.isCommon = item[u"common"].toBool();
        for (const Json &entry : item[u"models"].elements()) {
            ModelFacts facts;
            if (const auto limit = entry[u"maxOutput"].toInteger())
                facts.maxOutput = static_cast<int>(*limit);
            facts.context = entry[u"context"].toInteger();
            facts.images = knownTrue(entry[u"images"]);
            facts.reasoning = knownTrue(entry[u"reasoning"]);
            const Json &price = entry[u"price"];
            facts.prices = {picoDollars(price[u"in"]), picoDollars(price[u"out"]),
                            picoDollars(price[u"cacheRead"]), picoDollars(price[u"cacheWrite"])};
            m_modelIds[info.id].append(entry[u"id"].toString());
            m_models.insert(ModelName{info.id, entry[u"id"].toString()}.toString(), facts);
        }
        m_providers.append(info);
    }
}

const ProviderRegistry &ProviderRegistry::shipped()
{
    static const ProviderRegistry registry;
    return registry;
}

const ProviderInfo *ProviderRegistry::provider(const QString &id) const
{
    for (const ProviderInfo &info : m_providers) {
        if (info.id == id)
            return &info;
    }
    return nullptr;
}

bool ProviderRegistry::add(const ProviderInfo &provider)
{
    for (ProviderInfo &info : m_providers) {
        if (info.id != provider.id)
            continue;
        if (info.isCustom)
            info = provider;
        return info.isCustom;
    }
    m_providers.append(provider);
    return true;
}

void ProviderRegistry::remove(const QString &provider)
{
    m_providers.removeIf([&](const ProviderInfo &info) { return info.isCustom && info.id == provider; });
}

const ModelFacts *ProviderRegistry::model(const ModelName &name) const
{
    auto found = m_models.constFind(name.toString());
    if (found == m_models.constEnd()) {
        static const QRegularExpression date(u"-[0-9]{8}$"_s);
        QString undated = name.toString();
        found = m_models.constFind(undated.remove(date));
    }
    return found == m_models.constEnd() ? nullptr : &found.value();
}

} // namespace Pilothouse
