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
const auto EndpointGroup = u"endpoints/"_s;
constexpr qsizetype LongestValue = 400; // The file may have been edited by hand.

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

QString AppSettings::endpoint(const QString &service) const { return value(EndpointGroup + service); }

void AppSettings::setEndpoint(const QString &service, const QString &url)
{
    setValue(EndpointGroup + service, url);
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
