// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/calltext.h"

#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxName = 64; // Of a tool, from the model.
constexpr qsizetype MaxLine = 200; // One line of a list or a card.
constexpr qsizetype MaxArgs = 32 * 1024; // The row is written again with each batch of output.
constexpr qsizetype MaxArgString = 4 * 1024;
constexpr qsizetype MaxSearchText = 64 * 1024;

void collectStrings(const Json &json, QString &out)
{
    if (out.size() >= MaxSearchText)
        return;
    if (json.isString()) {
        out += QString(json.toString().left(MaxSearchText - out.size()) + u'\n');
        return;
    }
    for (const Json &element : json.elements())
        collectStrings(element, out);
    for (const Json::Member &member : json.members())
        collectStrings(member.value, out);
}

Json cutStrings(const Json &json)
{
    if (json.isString()) {
        QString text = json.toString();
        if (text.size() <= MaxArgString)
            return json;
        text.truncate(MaxArgString);
        if (text.back().isHighSurrogate())
            text.chop(1);
        return Json::string(text + u'…');
    }
    if (json.isArray()) {
        Json out = Json::array();
        for (const Json &element : json.elements())
            out.append(cutStrings(element));
        return out;
    }
    if (json.isObject()) {
        Json out = Json::object();
        for (const Json::Member &member : json.members())
            out.appendMember(member.key, cutStrings(member.value));
        return out;
    }
    return json;
}

} // namespace

QString callLine(const QString &toolName, const Json &args)
{
    QString argument;
    for (const QStringView key : {QStringView(u"command"), QStringView(u"path")}) {
        if (argument.isEmpty())
            argument = inertLine(args[key].toString(), MaxLine);
    }
    for (const Json::Member &member : args.members()) {
        if (!argument.isEmpty())
            break;
        argument = inertLine(member.value.toString(), MaxLine);
    }
    if (argument.isEmpty() && args.size() > 0)
        argument = inertLine(QString::fromUtf8(args.toJson().left(4 * MaxLine)), MaxLine);
    const QString name = inertLine(toolName, MaxName);
    return inertLine(argument.isEmpty() ? name : QString(name + u": "_s + argument), MaxLine);
}

QString callSearchText(const Json &args)
{
    QString out;
    collectStrings(args, out);
    return out;
}

Json boundedArgs(const Json &args, bool *isCut)
{
    *isCut = false;
    if (args.toJson().size() <= MaxArgs)
        return args;
    *isCut = true;
    Json cut = cutStrings(args);
    return cut.toJson().size() <= MaxArgs ? cut : Json();
}

} // namespace Pilothouse
