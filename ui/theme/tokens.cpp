// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/tokens.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

// Must stand outside of every namespace: a static library's resources are only there once asked for.
static void initThemeResources() { Q_INIT_RESOURCE(theme); }

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Names in the order of the enumerations.
constexpr std::array<QLatin1StringView, RoleCount> RoleNames{
    "window"_L1,
    "canvas"_L1,
    "sunken"_L1,
    "raised"_L1,
    "hover"_L1,
    "selected"_L1,
    "selectedInactive"_L1,
    "user"_L1,
    "hair"_L1,
    "line"_L1,
    "control"_L1,
    "button"_L1,
    "text"_L1,
    "text2"_L1,
    "text3"_L1,
    "disabled"_L1,
    "accent"_L1,
    "accentSolid"_L1,
    "accentSolidHover"_L1,
    "onAccent"_L1,
    "accentSoft"_L1,
    "focus"_L1,
    "waiting"_L1,
    "waitingSolid"_L1,
    "waitingSoft"_L1,
    "waitingLine"_L1,
    "failed"_L1,
    "failedSolid"_L1,
    "failedSoft"_L1,
    "failedLine"_L1,
    "finished"_L1,
    "finishedSoft"_L1,
    "frozen"_L1,
    "frozenSoft"_L1,
    "frozenLine"_L1,
    "interrupted"_L1,
    "interruptedSoft"_L1,
    "interruptedLine"_L1,
    "diffAdd"_L1,
    "diffAddWord"_L1,
    "diffDel"_L1,
    "diffDelWord"_L1,
    "find"_L1,
    "findCurrent"_L1,
    "synKeyword"_L1,
    "synString"_L1,
    "synNumber"_L1,
    "synComment"_L1,
    "synFunc"_L1,
    "meterTrack"_L1,
    "meterFill"_L1,
    "scroll"_L1,
    "tool"_L1,
    "selectionBack"_L1,
    "selectionText"_L1,
};
constexpr std::array<QLatin1StringView, TextStyleCount> StyleNames{
    "title"_L1,    "body"_L1,     "bodyStrong"_L1, "small"_L1,        "state"_L1,
    "meta"_L1,     "section"_L1,  "pageTitle"_L1,  "welcomeTitle"_L1, "mono"_L1,
    "monoCard"_L1, "toolName"_L1, "lineNumber"_L1,
};

ThemeTokens::ByScheme colorsOf(const QJsonValue &value)
{
    ThemeTokens::ByScheme colors;
    for (qsizetype i = 0; i < 2; ++i) {
        colors[static_cast<std::size_t>(i)] = QColor(value[i].toString());
        Q_ASSERT(colors[static_cast<std::size_t>(i)].isValid());
    }
    return colors;
}

Role roleOf(QStringView name)
{
    for (std::size_t i = 0; i < RoleNames.size(); ++i) {
        if (RoleNames[i] == name)
            return static_cast<Role>(i + 1);
    }
    qFatal("theme tokens: unknown role");
}

} // namespace

ThemeTokens ThemeTokens::read()
{
    initThemeResources();
    QFile file(u":/pilothouse/theme/tokens.json"_s);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("theme tokens cannot be read");
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
    ThemeTokens tokens;
    const QJsonObject roles = root["roles"_L1].toObject();
    for (std::size_t i = 0; i < RoleNames.size(); ++i)
        tokens.colors[i] = colorsOf(roles[RoleNames[i]]);
    const QJsonObject types = root["type"_L1].toObject();
    for (std::size_t i = 0; i < StyleNames.size(); ++i) {
        const QJsonArray values = types[StyleNames[i]].toArray();
        tokens.types[i] = {values[0].toInt(), values[1].toInt(), values[2].toInt()};
    }
    const QJsonArray ansi = root["ansi"_L1].toArray();
    for (std::size_t i = 0; i < tokens.ansi.size(); ++i) {
        const QJsonValue entry = ansi[static_cast<qsizetype>(i)];
        tokens.ansi[i] = {colorsOf(entry["text"_L1]), colorsOf(entry["back"_L1]),
                          colorsOf(entry["textOnBack"_L1])};
    }
    const QJsonObject pairs = root["pairs"_L1].toObject();
    for (auto it = pairs.begin(); it != pairs.end(); ++it) {
        Pair pair{roleOf(it.key()), it.value()["minimum"_L1].toDouble(), {}};
        const QJsonArray on = it.value()["on"_L1].toArray();
        for (const QJsonValue &name : on)
            pair.on.append(roleOf(name.toString()));
        tokens.pairs.append(pair);
    }
    return tokens;
}

} // namespace Pilothouse
