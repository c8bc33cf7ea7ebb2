// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/calltexts.h"

#include "text/inerttext.h"
#include "theme/units.h"

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int Indent = 2;
constexpr qsizetype LongestPretty = 8 * 1024 * 1024; // Larger JSON is shown as it came.
constexpr qsizetype LongestReason = 300;

// Colours by number, so that a theme change only repaints.
constexpr QByteArrayView KeyColor = "\x1b[36m";
constexpr QByteArrayView StringColor = "\x1b[34m";
constexpr QByteArrayView NumberColor = "\x1b[33m";
constexpr QByteArrayView NoColor = "\x1b[39m";

void newLine(QByteArray &out, int depth)
{
    out += '\n';
    out.append(depth * Indent, ' ');
}

void writeString(QByteArray &out, const QString &text, int depth)
{
    QByteArray quoted;
    appendJsonString(quoted, text);
    out += StringColor;
    // A break after each escaped line feed, unless the string ends with it.
    for (qsizetype at = 0;;) {
        qsizetype end = at;
        while (end < quoted.size() && !(quoted[end] == '\\' && quoted[end + 1] == 'n'))
            end += quoted[end] == '\\' ? 2 : 1;
        const bool isEnd = end + 3 >= quoted.size();
        out += QByteArrayView(quoted).sliced(at, (isEnd ? quoted.size() : end + 2) - at);
        if (isEnd)
            break;
        newLine(out, depth + 1);
        at = end + 2;
    }
    out += NoColor;
}

void write(QByteArray &out, const Json &json, int depth)
{
    switch (json.type()) {
    case Json::Type::Object: {
        if (json.members().empty()) {
            out += "{}";
            return;
        }
        out += '{';
        bool isFirst = true;
        for (const Json::Member &member : json.members()) {
            if (!std::exchange(isFirst, false))
                out += ',';
            newLine(out, depth + 1);
            out += KeyColor;
            appendJsonString(out, member.key);
            out += NoColor;
            out += ": ";
            write(out, member.value, depth + 1);
        }
        newLine(out, depth);
        out += '}';
        return;
    }
    case Json::Type::Array: {
        if (json.elements().empty()) {
            out += "[]";
            return;
        }
        out += '[';
        bool isFirst = true;
        for (const Json &element : json.elements()) {
            if (!std::exchange(isFirst, false))
                out += ',';
            newLine(out, depth + 1);
            write(out, element, depth + 1);
        }
        newLine(out, depth);
        out += ']';
        return;
    }
    case Json::Type::String:
        writeString(out, json.toString(), depth);
        return;
    case Json::Type::Number:
    case Json::Type::Bool:
    case Json::Type::Null:
        out += NumberColor;
        out += json.toJson();
        out += NoColor;
        return;
    case Json::Type::Raw:
        out += json.toJson();
        return;
    }
}

qint64 sizeOf(const CallFacts &facts)
{
    if (!facts.result)
        return facts.error.toUtf8().size();
    return facts.result->isString() ? facts.result->toString().toUtf8().size()
                                    : facts.result->toJson().size();
}

QString tr(const char *text) { return CallModel::tr(text); }

} // namespace

QByteArray jsonForShow(const Json &json)
{
    QByteArray out;
    if (const QByteArray compact = json.toJson(); compact.size() > LongestPretty)
        return compact;
    write(out, json, 0);
    return out;
}

CallSubject callSubject(const CallFacts &facts)
{
    CallSubject out;
    out.bodyLabel = tr("Output");
    const Json &args = facts.args;
    if (args[u"command"].isString()) {
        out.label = tr("Command");
        out.text = args[u"command"].toString().toUtf8();
        return out;
    }
    const Json result = facts.result.value_or(Json());
    if (args[u"path"].isString()) {
        out.label = tr("File");
        out.text = args[u"path"].toString().toUtf8();
        out.bodyLabel = tr("Text");
        if (args[u"content"].isString())
            out.body = args[u"content"].toString().toUtf8();
        else if (result[u"content"].isString())
            out.body = result[u"content"].toString().toUtf8();
        else if (result.isString())
            out.body = result.toString().toUtf8();
        return out;
    }
    out.label = tr("Arguments");
    out.text = args.isNull() ? facts.rawArguments.toUtf8() : args.toJson();
    if (result.isString())
        out.body = result.toString().toUtf8();
    return out;
}

QByteArray modelReceived(const CallFacts &facts)
{
    if (facts.result)
        return facts.result->isString() ? facts.result->toString().toUtf8() : jsonForShow(*facts.result);
    return facts.error.toUtf8();
}

QString modelReceivedNote(const CallFacts &facts, qint64 outputBytes)
{
    if (!facts.result && facts.error.isEmpty())
        return {};
    const QString received = tr("The model received %1.").arg(bytesText(sizeOf(facts)));
    if (!facts.truncated)
        return received;
    QString leftOut = tr("The middle of the output was left out.");
    if (facts.leftOutBytes && outputBytes >= *facts.leftOutBytes)
        leftOut = tr("Of %1 of output %2 in the middle were left out.")
                      .arg(bytesText(outputBytes), bytesText(*facts.leftOutBytes));
    else if (facts.leftOutBytes)
        leftOut = tr("%1 in the middle were left out.").arg(bytesText(*facts.leftOutBytes));
    return QString(received + u' ' + leftOut);
}

QString approvalWords(const CallFacts &facts)
{
    const QString rule = inertLine(facts.rule, LongestReason);
    const bool byPerson = facts.approvalBy == "user"_L1 || facts.approvalBy == "cli"_L1;
    if (facts.approvalState == "edited"_L1)
        return tr("edited by you");
    if (facts.approvalState == "approved"_L1 && byPerson)
        return tr("allowed by you");
    if (facts.approvalState == "denied"_L1 && byPerson) {
        const QString reason = inertLine(facts.reason, LongestReason);
        return reason.isEmpty() ? tr("denied by you") : tr("denied by you: “%1”").arg(reason);
    }
    return rule; // A sentence of the policy.
}

} // namespace Pilothouse
