// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/assistantparts.h"

#include "model/callid.h"
#include "util/json.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestInput = 500; // Of a server tool: enough to see what was asked.

void addText(QList<AssistantPart> &parts, const QString &text)
{
    if (!isBlankText(text))
        parts.append({AssistantPart::Kind::Text, text, {}, {}, {}});
}

void addCall(QList<AssistantPart> &parts, const QString &id, const QString &name, const Json &args)
{
    parts.append({AssistantPart::Kind::Call,
                  {},
                  id,
                  callNameFor(name),
                  args.isObject() ? args.toJson() : QByteArrayLiteral("{}")});
}

void addServerTool(QList<AssistantPart> &parts, const QString &name, const Json &input)
{
    const QString asked = input.isNull() ? QString() : QString::fromUtf8(input.toJson().left(LongestInput));
    addText(parts,
            asked.isEmpty() ? u"[The provider ran %1.]"_s.arg(name)
                            : u"[The provider ran %1 with %2.]"_s.arg(name, asked));
}

// Argument text of a call in a record; records hold valid JSON only, unless they are damaged.
Json parsedArgs(const Json &arguments)
{
    if (arguments.isObject())
        return arguments;
    const QString text = arguments.toString();
    if (isBlankText(text))
        return Json::object();
    const Result<Json, JsonError> parsed = parseJson(text.toUtf8());
    return parsed && parsed->isObject() ? *parsed : Json().set(u"INVALID_JSON"_s, Json::string(text));
}

QList<AssistantPart> fromAnthropic(const Json &message)
{
    QList<AssistantPart> parts;
    for (const Json &block : message[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (type == "text"_L1)
            addText(parts, block[u"text"].toString());
        else if (type == "tool_use"_L1)
            addCall(parts, block[u"id"].toString(), block[u"name"].toString(), block[u"input"]);
        else if (type == "server_tool_use"_L1 || type == "mcp_tool_use"_L1)
            addServerTool(parts, block[u"name"].toString(), block[u"input"]);
    }
    return parts;
}

QList<AssistantPart> fromResponses(const Json &items)
{
    QList<AssistantPart> parts;
    for (const Json &item : items.elements()) {
        const QString type = item[u"type"].toString();
        if (type == "message"_L1) {
            for (const Json &content : item[u"content"].elements())
                addText(
                    parts,
                    content[content[u"type"].toString() == "refusal"_L1 ? u"refusal" : u"text"].toString());
        } else if (type == "function_call"_L1) {
            addCall(parts, item[u"call_id"].toString(), item[u"name"].toString(),
                    parsedArgs(item[u"arguments"]));
        } else if (type == "custom_tool_call"_L1) {
            addCall(parts, item[u"call_id"].toString(), item[u"name"].toString(),
                    Json().set(u"input"_s, item[u"input"]));
        } else if (type.endsWith("_call"_L1)) {
            const Json &action = item[u"action"];
            addServerTool(parts, type.chopped(5), action.isNull() ? item[u"arguments"] : action); // _call
        }
    }
    return parts;
}

QList<AssistantPart> fromChat(const Json &message)
{
    QList<AssistantPart> parts;
    const Json &content = message[u"content"];
    addText(parts, content.toString());
    for (const Json &part : content.elements())
        addText(parts, part[u"text"].toString());
    addText(parts, message[u"refusal"].toString());
    for (const Json &call : message[u"tool_calls"].elements()) {
        const Json &function = call[u"function"];
        addCall(parts, call[u"id"].toString(), function[u"name"].toString(),
                parsedArgs(function[u"arguments"]));
    }
    return parts;
}

} // namespace

bool isBlankText(const QString &text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isSpace(); });
}

QList<AssistantPart> assistantParts(const HistoryItem &item)
{
    QList<AssistantPart> parts;
    const Json json = parseJson(item.raw).value_or(Json());
    // A script writes its answers as Anthropic messages.
    if ((item.protocol == "anthropic-messages"_L1 || item.protocol == "scripted"_L1)
        && json[u"content"].isArray())
        return fromAnthropic(json);
    if (item.protocol == "openai-responses"_L1 && json.isArray())
        return fromResponses(json);
    if (item.protocol == "openai-chat"_L1 && json.isObject())
        return fromChat(json);
    addText(parts, item.text);
    return parts;
}

} // namespace Pilothouse
