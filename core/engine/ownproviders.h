// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/customprovider.h"
#include "util/error.h"
#include "util/result.h"

#include <QList>
#include <QUrl>

namespace Pilothouse {

class Endpoints;
class ModelCatalog;
struct LocalServer;
struct ProviderInfo;

/// Providers of models of a person's own: kept in DATA/settings.ini, known to the catalog, and their keys
/// bound to their addresses. Engine thread.
class OwnProviders {
public:
    /// `catalog` and `endpoints` outlive this.
    OwnProviders(ModelCatalog *catalog, Endpoints *endpoints, QString dataDir);

    void read(); ///< What the settings hold; what was edited by hand to nonsense is left out.
    [[nodiscard]] const QList<CustomProvider> &all() const { return m_all; }
    [[nodiscard]] const CustomProvider *find(const QString &id) const; ///< Null: none of the person's own.
    /// Adds one (`isNew`), or changes the one with this id. Holds for turns that begin from now on. The error
    /// says which part is wrong.
    [[nodiscard]] Result<Done, Error> set(const CustomProvider &provider, bool isNew);
    void remove(const QString &id);
    /// What its server said it has; kept, so that it can be chosen after the next start.
    void keepModels(const QString &id, const QStringList &models, const QStringList &withoutTools);

    /// A server on this computer as a person is told of it.
    [[nodiscard]] FoundServer described(const LocalServer &server) const;
    /// Where it is looked for: the usual places, and addresses on loopback that are in use.
    [[nodiscard]] QList<QUrl> localUrls() const;

private:
    [[nodiscard]] Result<ProviderInfo, Error> checked(const CustomProvider &provider) const;
    [[nodiscard]] QString serviceAt(const QUrl &url) const;
    void use(const ProviderInfo &info);
    void store() const;

    ModelCatalog *m_catalog;
    Endpoints *m_endpoints;
    QString m_dataDir;
    QList<CustomProvider> m_all;
};

} // namespace Pilothouse
