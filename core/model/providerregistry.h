// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelcatalog.h"

#include <QHash>
#include <QList>

#include <optional>

namespace Pilothouse {

/// What one token costs, in pico-dollars: a price of 0.1 dollars per million tokens is 100000. Integers, so
/// that money adds up exactly.
struct TokenPrices {
    std::optional<qint64> input;
    std::optional<qint64> output;
    std::optional<qint64> cacheRead; ///< Empty: a tenth of input.
    std::optional<qint64> cacheWrite; ///< Empty: five quarters of input.

    /// Nano-dollars of `usage`, rounded half up. Empty when input or output, a price, or sense is missing.
    /// Cache counters that the provider did not give count as none.
    [[nodiscard]] std::optional<qint64> costNanos(const Usage &usage) const;
};

/// What is known of one model.
struct ModelFacts {
    std::optional<int> maxOutput; ///< Tokens.
    std::optional<qint64> context; ///< Tokens: prompt and answer together.
    std::optional<bool> images; ///< Takes pictures. Empty: not known.
    std::optional<bool> reasoning; ///< Thinks before it answers. Empty: not known.
    TokenPrices prices;
};

/// The provider registry that is built in (core/model/providers.json).
class ProviderRegistry {
public:
    ProviderRegistry();
    /// The same for everybody who only reads it: its JSON is parsed once in a process. Any thread.
    [[nodiscard]] static const ProviderRegistry &shipped();

    [[nodiscard]] const QList<ProviderInfo> &providers() const { return m_providers; }
    [[nodiscard]] const ProviderInfo *provider(const QString &id) const;
    /// Adds or replaces a provider of a person's own. False when the id belongs to a shipped one.
    [[nodiscard]] bool add(const ProviderInfo &provider);
    void remove(const QString &provider); ///< One of a person's own.
    /// Ids of a provider's models in the order of the registry.
    [[nodiscard]] QStringList modelIds(const QString &provider) const { return m_modelIds.value(provider); }
    /// Also for an id with a date at its end (-20251001) when only the one without is listed. Null if
    /// unknown.
    [[nodiscard]] const ModelFacts *model(const ModelName &name) const;

private:
    QList<ProviderInfo> m_providers;
    QHash<QString, QStringList> m_modelIds; ///< By provider.
    QHash<QString, ModelFacts> m_models; ///< By "provider/model".
};

} // namespace Pilothouse
