// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvaltext.h"

#include "text/inerttext.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// A text field lays out a line as a whole; one of 200 kB takes seconds.
constexpr qsizetype LongestLine = 2000;
constexpr QStringView CommandKey = u"command";
constexpr qsizetype LongestToolName = 60;
constexpr qsizetype LongestSpoken = 300;

QString withShortLines(const QString &text)
{
    QString out;
    out.reserve(text.size() + text.size() / LongestLine);
    for (const QStringView line : QStringView(text).split(u'\n')) {
        if (!out.isEmpty())
            out += u'\n';
        for (qsizetype at = 0; at < line.size(); at += LongestLine) {
            if (at > 0)
                out += u'\n';
            out += line.mid(at, LongestLine);
        }
    }
    return out;
}

QString valueText(const Json &value)
{
    return value.isString() ? value.toString() : QString::fromUtf8(value.toJson());
}

} // namespace

ApprovalText approvalText(const Json &args)
{
    ApprovalText out;
    out.isCommand = args[CommandKey].isString();
    QString raw;
    QStringList others;
    for (const Json::Member &member : args.members()) {
        if (out.isCommand && member.key == CommandKey)
            continue;
        const QString value = valueText(member.value);
        others.append(QString(member.key + (value.contains(u'\n') ? u":\n"_s : u": "_s) + value));
    }
    if (out.isCommand) {
        raw = args[CommandKey].toString();
        out.further = withShortLines(inertText(others.join(u'\n')));
        out.editable = inertText(raw);
    } else {
        raw = args.isObject() ? others.join(u'\n') : QString::fromUtf8(args.toJson());
        out.editable = inertText(QString::fromUtf8(args.toPrettyJson()));
    }
    const QString inert = inertText(raw);
    out.hasHidden = inert != raw;
    out.shown = withShortLines(inert);
    return out;
}

QString spokenCall(const QString &toolName, const ApprovalText &text)
{
    return QString(inertLine(toolName, LongestToolName) + u": "_s + inertLine(text.shown, LongestSpoken));
}

Result<QByteArray, QString> editedArguments(const Json &args, const QString &edited)
{
    if (edited.trimmed().isEmpty())
        return fail(u"Nothing is left to run. Deny the call instead."_s);
    if (args[CommandKey].isString()) {
        Json changed = args;
        changed.set(CommandKey.toString(), Json::string(edited));
        return changed.toJson();
    }
    JsonParseOptions strict;
    strict.rejectDuplicates = true;
    const QByteArray utf8 = edited.toUtf8();
    const auto parsed = parseJson(utf8, strict);
    if (!parsed)
        return fail(u"This is no valid JSON (at byte %1: %2)."_s.arg(parsed.error().offset)
                        .arg(parsed.error().message));
    if (!parsed->isObject())
        return fail(u"Arguments are a JSON object: { … }."_s);
    return parsed->toJson();
}

} // namespace Pilothouse
