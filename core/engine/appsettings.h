// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/customprovider.h"
#include "engine/machinechoices.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace Pilothouse {

/// DATA/settings.ini, typed: the only place that knows its keys (but for installId, which is the engine's).
/// Every object reads and writes the same file; usable in any thread, one object per thread.
class AppSettings {
public:
    enum class Appearance { System = 1, Light, Dark, HighContrast };

    explicit AppSettings(const QString &dataDir);

    [[nodiscard]] Appearance appearance() const;
    void setAppearance(Appearance appearance);

    // Of new conversations; empty or 0: nobody chose.
    [[nodiscard]] QString model() const; ///< provider/model
    void setModel(const QString &model);
    [[nodiscard]] QString backend() const; ///< local, superserve
    void setBackend(const QString &backend);
    [[nodiscard]] QString afterTurn() const; ///< pause, keep, delete
    void setAfterTurn(const QString &afterTurn);
    [[nodiscard]] int maxSteps() const;
    void setMaxSteps(int maxSteps);

    /// Of new machines of the hosted service; what was edited by hand to nonsense counts as not chosen.
    [[nodiscard]] MachineChoices machines() const;
    void setMachines(const MachineChoices &machines);

    /// Providers of a person's own, in the order they were made; to be checked before they are used.
    [[nodiscard]] QList<CustomProvider> providers() const;
    void setProviders(const QList<CustomProvider> &providers);

    /// Ids of providers that come with the program and that a person wants to see among the much used ones.
    [[nodiscard]] QStringList shownProviders() const;
    void setShownProviders(const QStringList &ids);

    /// Address of a service by its id, as it was entered: to be checked before it is used. Empty: its own.
    [[nodiscard]] QString endpoint(const QString &service) const;
    void setEndpoint(const QString &service, const QString &url);

    /// Names of the keys that the keychain holds ("anthropic/https://api.anthropic.com"), never the keys.
    [[nodiscard]] QStringList keptKeys() const;
    void setKeptKeys(const QStringList &names);

    static constexpr int MostSteps = 1000; ///< Of what can be set here.
    static constexpr int MostProviders = 64; ///< Of a person's own.
    static constexpr int MostModels = 500; ///< That are kept of one of them.

private:
    [[nodiscard]] QString word(const QString &key, const QStringList &allowed) const;
    [[nodiscard]] QString value(const QString &key) const;
    void setValue(const QString &key, const QString &value);

    QString m_file;
};

} // namespace Pilothouse
