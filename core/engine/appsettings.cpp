// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/appsettings.h"

#include <QDir>
#include <QSettings>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto AppearanceKey = u"appearance/scheme"_s;
const auto ModelKey = u"new/model"_s;
const auto BackendKey = u"new/backend"_s;
const auto AfterTurnKey = u"new/afterTurn"_s;
const auto MaxStepsKey = u"new/maxSteps"_s;
const auto KeptKeysKey = u"keys/kept"_s;
const auto EndpointGroup = u"endpoints/"_s;
const auto TemplateKey = u"machines/template"_s;
const auto TimeoutKey = u"machines/timeout"_s;
const auto AutoDeleteKey = u"machines/autoDelete"_s;
const auto NetworkKey = u"machines/network"_s;
const auto AllowedKey = u"machines/allowed"_s;
const auto OnlyAllowed = u"only-allowed"_s;
const auto ProvidersKey = u"providers"_s;
const auto ShownProvidersKey = u"keys/shownProviders"_s;
constexpr qsizetype LongestValue = 400; // The file may have been edited by hand.

QStringList bounded(const QVariant &value, qsizetype most)
{
    QStringList list = value.toStringList();
    list.removeIf([](const QString &text) { return text.isEmpty() || text.size() > LongestValue; });
    return list.mid(0, most);
}

} // namespace

AppSettings::AppSettings(const QString &dataDir)
    : m_file(QDir(dataDir).filePath(u"settings.ini"_s))
{ }

AppSettings::Appearance AppSettings::appearance() const
{
    const QString name = value(AppearanceKey);
    if (name == "light"_L1)
        return Appearance::Light;
    if (name == "dark"_L1)
        return Appearance::Dark;
    return name == "high-contrast"_L1 ? Appearance::HighContrast : Appearance::System;
}

void AppSettings::setAppearance(Appearance appearance)
{
    switch (appearance) {
    case Appearance::System:
        setValue(AppearanceKey, {});
        return;
    case Appearance::Light:
        setValue(AppearanceKey, u"light"_s);
        return;
    case Appearance::Dark:
        setValue(AppearanceKey, u"dark"_s);
        return;
    case Appearance::HighContrast:
        setValue(AppearanceKey, u"high-contrast"_s);
        return;
    }
}

QString AppSettings::model() const
{
    const QString name = value(ModelKey);
    const qsizetype slash = name.indexOf(u'/');
    return slash > 0 && slash < name.size() - 1 ? name : QString();
}

void AppSettings::setModel(const QString &model) { setValue(ModelKey, model); }

QString AppSettings::backend() const { return word(BackendKey, {u"local"_s, u"superserve"_s}); }

void AppSettings::setBackend(const QString &backend) { setValue(BackendKey, backend); }

QString AppSettings::afterTurn() const { return word(AfterTurnKey, {u"pause"_s, u"keep"_s, u"delete"_s}); }

void AppSettings::setAfterTurn(const QString &afterTurn) { setValue(AfterTurnKey, afterTurn); }

int AppSettings::maxSteps() const { return std::clamp(value(MaxStepsKey).toInt(), 0, MostSteps); }

void AppSettings::setMaxSteps(int maxSteps)
{
    setValue(MaxStepsKey, maxSteps > 0 ? QString::number(std::min(maxSteps, MostSteps)) : QString());
}

MachineChoices AppSettings::machines() const
{
    MachineChoices machines;
    machines.fromTemplate = checkedTemplate(value(TemplateKey)).value_or(QString());
    machines.timeoutSeconds = checkedTimeLimit(TimeLimit::Active, value(TimeoutKey)).value_or(std::nullopt);
    machines.autoDeleteSeconds =
        checkedTimeLimit(TimeLimit::Paused, value(AutoDeleteKey)).value_or(std::nullopt);
    machines.isNetworkLimited = value(NetworkKey) == OnlyAllowed;
    // Entry by entry: one that is none must not open the network, nor close it for the others.
    const QSettings settings(m_file, QSettings::IniFormat);
    for (const QString &host : settings.value(AllowedKey).toStringList()) {
        if (const auto checked = checkedHosts(host); checked && checked->size() == 1)
            machines.allowed += *checked;
    }
    return machines;
}

void AppSettings::setMachines(const MachineChoices &machines)
{
    setValue(TemplateKey, machines.fromTemplate);
    setValue(TimeoutKey, timeLimitText(machines.timeoutSeconds));
    setValue(AutoDeleteKey, timeLimitText(machines.autoDeleteSeconds));
    setValue(NetworkKey, machines.isNetworkLimited ? OnlyAllowed : QString());
    QSettings settings(m_file, QSettings::IniFormat);
    if (machines.allowed.isEmpty())
        settings.remove(AllowedKey);
    else
        settings.setValue(AllowedKey, machines.allowed);
}

QList<CustomProvider> AppSettings::providers() const
{
    QSettings settings(m_file, QSettings::IniFormat);
    const auto text = [&settings](const QString &key) {
        return settings.value(key).toString().left(LongestValue);
    };
    QList<CustomProvider> all;
    const int count = std::min(settings.beginReadArray(ProvidersKey), MostProviders);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        all.append({text(u"id"_s), text(u"name"_s), text(u"protocol"_s), text(u"url"_s),
                    bounded(settings.value(u"models"_s), MostModels),
                    bounded(settings.value(u"withoutTools"_s), MostModels)});
    }
    settings.endArray();
    return all;
}

void AppSettings::setProviders(const QList<CustomProvider> &providers)
{
    QSettings settings(m_file, QSettings::IniFormat);
    settings.remove(ProvidersKey);
    if (providers.isEmpty())
        return;
    settings.beginWriteArray(ProvidersKey, static_cast<int>(providers.size()));
    for (int i = 0; i < providers.size(); ++i) {
        const CustomProvider &provider = providers[i];
        settings.setArrayIndex(i);
        settings.setValue(u"id"_s, provider.id);
        settings.setValue(u"name"_s, provider.name);
        settings.setValue(u"protocol"_s, provider.protocol);
        settings.setValue(u"url"_s, provider.url);
        settings.setValue(u"models"_s, provider.models.mid(0, MostModels));
        settings.setValue(u"withoutTools"_s, provider.withoutTools.mid(0, MostModels));
    }
    settings.endArray();
}

QStringList AppSettings::shownProviders() const
{
    return bounded(QSettings(m_file, QSettings::IniFormat).value(ShownProvidersKey), MostProviders);
}

void AppSettings::setShownProviders(const QStringList &ids)
{
    QSettings settings(m_file, QSettings::IniFormat);
    if (ids.isEmpty())
        settings.remove(ShownProvidersKey);
    else
        settings.setValue(ShownProvidersKey, ids.mid(0, MostProviders));
}

QString AppSettings::endpoint(const QString &service) const { return value(EndpointGroup + service); }

void AppSettings::setEndpoint(const QString &service, const QString &url)
{
    setValue(EndpointGroup + service, url);
}

QStringList AppSettings::keptKeys() const
{
    const QSettings settings(m_file, QSettings::IniFormat);
    QStringList names = settings.value(KeptKeysKey).toStringList();
    names.removeIf([](const QString &name) { return name.size() > LongestValue; });
    return names;
}

void AppSettings::setKeptKeys(const QStringList &names)
{
    QSettings settings(m_file, QSettings::IniFormat);
    if (names.isEmpty())
        settings.remove(KeptKeysKey);
    else
        settings.setValue(KeptKeysKey, names);
}

QString AppSettings::word(const QString &key, const QStringList &allowed) const
{
    const QString found = value(key);
    return allowed.contains(found) ? found : QString();
}

QString AppSettings::value(const QString &key) const
{
    return QSettings(m_file, QSettings::IniFormat).value(key).toString().left(LongestValue);
}

void AppSettings::setValue(const QString &key, const QString &value)
{
    QSettings settings(m_file, QSettings::IniFormat);
    if (value.isEmpty())
        settings.remove(key);
    else
        settings.setValue(key, value);
}

} // namespace Pilothouse
