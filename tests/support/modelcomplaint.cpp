// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/modelcomplaint.h"

#include <QRegularExpression>
#include <QSet>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

bool isName(const QString &text)
{
    static const QRegularExpression pattern(u"^[a-zA-Z0-9_-]{1,64}$"_s);
    return pattern.match(text).hasMatch();
}

bool isObjectText(const Json &value)
{
    const Result<Json, JsonError> parsed = parseJson(value.toString().toUtf8());
    return value.isString() && parsed && parsed->isObject();
}

// `wrapper`: the member that holds name and schema, empty if the tool itself does.
QString toolsComplaint(const Json &tools, QStringView wrapper, QStringView schema)
{
    QSet<QString> names;
    for (const Json &entry : tools.elements()) {
        const Json &tool = wrapper.isEmpty() ? entry : entry[wrapper];
        const QString name = tool[u"name"].toString();
        if (!isName(name) || names.contains(name))
            return u"tools: bad or repeated name"_s;
        if (tool[schema][u"type"].toString() != "object"_L1)
            return u"tools: %1.type must be object"_s.arg(schema);
        names.insert(name);
    }
    return {};
}

QString unknownMember(const Json &object, const QSet<QString> &known)
{
    for (const Json::Member &member : object.members()) {
        if (!known.contains(member.key))
            return u"Unsupported parameter: "_s + member.key;
    }
    return {};
}

// A complaint about one assistant message; fills the ids of its calls.
QString assistantComplaint(const Json &message, QStringList &calls)
{
    for (const Json &block : message[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (type == "text"_L1 && block[u"text"].toString().trimmed().isEmpty())
            return u"text content blocks must be non-empty"_s;
        if (type == "thinking"_L1 && !block[u"signature"].isString())
            return u"thinking needs its signature"_s;
        if (type != "tool_use"_L1)
            continue;
        static const QRegularExpression id(u"^[a-zA-Z0-9_-]+$"_s);
        if (!id.match(block[u"id"].toString()).hasMatch())
            return u"tool_use.id does not match the pattern"_s;
        if (!block[u"input"].isObject())
            return u"tool_use.input must be an object"_s;
        if (calls.contains(block[u"id"].toString()))
            return u"tool_use ids must be unique"_s;
        calls.append(block[u"id"].toString());
    }
    return {};
}

// A complaint about one user message; takes the calls that it answers from `open`.
QString userComplaint(const Json &message, QStringList &open)
{
    bool hasOther = false;
    for (const Json &block : message[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        if (type == "text"_L1) {
            hasOther = true;
            if (block[u"text"].toString().trimmed().isEmpty())
                return u"text content blocks must be non-empty"_s;
        } else if (type == "tool_result"_L1) {
            if (hasOther)
                return u"tool_result blocks must come first"_s;
            if (!open.removeOne(block[u"tool_use_id"].toString()))
                return u"unexpected tool_use_id in tool_result"_s;
            if (block[u"is_error"].toBool() && block[u"content"].toString().isEmpty())
                return u"content cannot be empty if is_error is true"_s;
        } else {
            return u"unexpected block in a user message: "_s + type;
        }
    }
    return open.isEmpty() ? QString()
                          : u"tool_use ids were found without tool_result blocks: "_s + open.join(u", "_s);
}

// The vendor's own tool still runs: the answer goes back as it is, so that it can go on.
bool hasOpenServerTool(const Json &message)
{
    QStringList open;
    for (const Json &block : message[u"content"].elements()) {
        if (block[u"type"].toString() == "server_tool_use"_L1)
            open.append(block[u"id"].toString());
        else
            open.removeAll(block[u"tool_use_id"].toString());
    }
    return !open.isEmpty();
}

QString messagesComplaint(const Json &messages)
{
    if (!messages.isArray() || messages.size() == 0)
        return u"messages: at least one message is required"_s;
    QStringList open;
    QString lastRole;
    bool isServerToolOpen = false;
    for (const Json &message : messages.elements()) {
        const QString role = message[u"role"].toString();
        if (lastRole.isEmpty() && role != "user"_L1)
            return u"messages: first message must use the user role"_s;
        if (role == lastRole && !isServerToolOpen)
            return u"messages: roles must alternate"_s;
        if (!message[u"content"].isArray() || message[u"content"].size() == 0)
            return u"messages: content must not be empty"_s;
        QString complaint;
        if (role == "user"_L1)
            complaint = userComplaint(message, open);
        else if (role == "assistant"_L1)
            complaint = assistantComplaint(message, open);
        else
            complaint = u"messages: unexpected role"_s;
        if (!complaint.isEmpty())
            return complaint;
        lastRole = role;
        if (role == "assistant"_L1)
            isServerToolOpen = hasOpenServerTool(message);
    }
    return lastRole == "user"_L1 || isServerToolOpen ? QString()
                                                     : u"the last message must not be from the assistant"_s;
}

// A complaint about one item that stands for an answer; notes the calls that it opens.
QString outputItemComplaint(const Json &item, QStringList &open)
{
    const QString type = item[u"type"].toString();
    if (type == "reasoning"_L1 && !item[u"encrypted_content"].isString())
        return u"Item with id '%1' not found; items are not persisted when store is false"_s.arg(
            item[u"id"].toString());
    if (type != "function_call"_L1 && type != "custom_tool_call"_L1)
        return {};
    const QString id = item[u"call_id"].toString();
    if (id.isEmpty() || id.size() > 64)
        return u"call_id: expected a string with 1 to 64 characters"_s;
    if (!isName(item[u"name"].toString()))
        return u"name: does not match the pattern"_s;
    if (type == "function_call"_L1 && !isObjectText(item[u"arguments"]))
        return u"arguments: expected the text of a JSON object"_s;
    if (type == "custom_tool_call"_L1 && !item[u"input"].isString())
        return u"input: expected a string"_s;
    if (open.contains(id))
        return u"call_id: repeated"_s;
    open.append(id);
    return {};
}

QString messageItemComplaint(const Json &item)
{
    const QString role = item[u"role"].toString();
    if (role != "user"_L1 && role != "assistant"_L1 && role != "developer"_L1 && role != "system"_L1)
        return u"role: invalid value"_s;
    if (item[u"content"].isString())
        return {};
    if (item[u"content"].size() == 0)
        return u"content: must not be empty"_s;
    for (const Json &part : item[u"content"].elements()) {
        const QString type = part[u"type"].toString();
        const bool isFit = role == "assistant"_L1 ? type == "output_text"_L1 || type == "refusal"_L1
                                                  : type == "input_text"_L1 || type == "input_image"_L1;
        if (!isFit)
            return u"content: '%1' is no type for the role %2"_s.arg(type, role);
    }
    return {};
}

QString inputComplaint(const Json &input)
{
    if (!input.isArray() || input.size() == 0)
        return u"input: one item or more is required"_s;
    QStringList open;
    QString needsFollower; // Id of a reasoning item.
    for (const Json &item : input.elements()) {
        const QString type = item[u"type"].toString();
        const bool isResult = type.endsWith("_output"_L1);
        const bool isMessage = type == "message"_L1 || (type.isEmpty() && item[u"role"].isString());
        const bool isAnswer = !isResult && (!isMessage || item[u"role"].toString() == "assistant"_L1);
        if (!needsFollower.isEmpty() && (!isAnswer || type == "reasoning"_L1))
            break;
        needsFollower = type == "reasoning"_L1 ? item[u"id"].toString(u"?"_s) : QString();
        if (isResult) {
            if (!open.removeOne(item[u"call_id"].toString()))
                return u"No tool call found for the output with call_id "_s + item[u"call_id"].toString();
            if (!item[u"output"].isString() && !item[u"output"].isArray())
                return u"output: expected a string or an array"_s;
            continue;
        }
        if (!isAnswer && !open.isEmpty())
            break;
        const QString complaint = isMessage ? messageItemComplaint(item) : outputItemComplaint(item, open);
        if (!complaint.isEmpty())
            return complaint;
    }
    if (!needsFollower.isEmpty())
        return u"Item '%1' of type 'reasoning' was provided without its required following item"_s.arg(
            needsFollower);
    return open.isEmpty() ? QString() : u"No tool output found for function call "_s + open.first();
}

QString chatAssistantComplaint(const Json &message, QStringList &open)
{
    const Json &calls = message[u"tool_calls"];
    if (!message.contains(u"content"))
        return u"content: required, null if there is none"_s;
    if (message.contains(u"tool_calls") && calls.size() == 0)
        return u"tool_calls: [] is too short"_s;
    const Json &content = message[u"content"];
    const bool isEmpty = content.isNull() || (content.isArray() && content.size() == 0);
    if (isEmpty && calls.size() == 0 && !message[u"refusal"].isString())
        return u"an assistant message needs content or tool_calls"_s;
    for (const Json &call : calls.elements()) {
        const QString id = call[u"id"].toString();
        if (id.isEmpty() || id.size() > 40)
            return u"tool_calls.id: expected a string with 1 to 40 characters"_s;
        if (open.contains(id))
            return u"tool_calls.id: repeated"_s;
        if (call[u"type"].toString() != "function"_L1)
            return u"tool_calls.type: must be function"_s;
        if (!isName(call[u"function"][u"name"].toString()))
            return u"tool_calls.function.name: does not match the pattern"_s;
        if (!isObjectText(call[u"function"][u"arguments"]))
            return u"tool_calls.function.arguments: expected the text of a JSON object"_s;
        open.append(id);
    }
    return {};
}

QString chatMessageComplaint(const Json &message, bool isFirst, QStringList &open)
{
    const QString role = message[u"role"].toString();
    const Json &content = message[u"content"];
    const bool isEmpty = content.isString() ? content.toString().isEmpty() : content.size() == 0;
    if (role == "tool"_L1) {
        if (!open.removeOne(message[u"tool_call_id"].toString()))
            return u"messages with role 'tool' must be a response to a preceding message with 'tool_calls'"_s;
        return isEmpty ? u"tool: content must not be empty"_s : QString();
    }
    if (!open.isEmpty())
        return u"an assistant message with 'tool_calls' must be followed by tool messages: "_s + open.first();
    if (role == "assistant"_L1)
        return chatAssistantComplaint(message, open);
    if (role == "system"_L1 && !isFirst)
        return u"a system message must come first"_s;
    if (role != "system"_L1 && role != "user"_L1)
        return u"role: invalid value"_s;
    return isEmpty ? u"content: must not be empty"_s : QString();
}

} // namespace

QString anthropicComplaint(const Json &request)
{
    if (request[u"model"].toString().isEmpty())
        return u"model: field required"_s;
    if (request[u"max_tokens"].toInteger(0) < 1)
        return u"max_tokens: field required"_s;
    static const QSet<QString> known{u"model"_s,    u"max_tokens"_s, u"system"_s,
                                     u"messages"_s, u"tools"_s,      u"tool_choice"_s,
                                     u"stream"_s,   u"thinking"_s,   u"metadata"_s};
    for (const Json::Member &member : request.members()) {
        if (!known.contains(member.key))
            return member.key + u": extra inputs are not permitted"_s;
    }
    for (const Json &block : request[u"system"].elements()) {
        if (block[u"text"].toString().isEmpty())
            return u"system: text content blocks must be non-empty"_s;
    }
    if (const QString complaint = toolsComplaint(request[u"tools"], {}, u"input_schema");
        !complaint.isEmpty())
        return complaint;
    return messagesComplaint(request[u"messages"]);
}

QString responsesComplaint(const Json &request)
{
    if (request[u"model"].toString().isEmpty())
        return u"Missing required parameter: model"_s;
    const QString unknown = unknownMember(
        request,
        {u"model"_s, u"instructions"_s, u"input"_s, u"tools"_s, u"tool_choice"_s, u"parallel_tool_calls"_s,
         u"include"_s, u"max_output_tokens"_s, u"prompt_cache_key"_s, u"store"_s, u"stream"_s});
    if (!unknown.isEmpty())
        return unknown;
    if (!request[u"store"].isBool() || request[u"store"].toBool())
        return u"store: this service keeps nothing"_s;
    if (request.contains(u"tool_choice") && request[u"tools"].size() == 0)
        return u"tool_choice is only allowed when tools are given"_s;
    for (const Json &tool : request[u"tools"].elements()) {
        // Left out, it would be taken for true, which our schemas do not fulfil.
        if (!tool[u"strict"].isBool() || tool[u"strict"].toBool())
            return u"tools: in strict mode every member must be required"_s;
    }
    const QString complaint = toolsComplaint(request[u"tools"], {}, u"parameters");
    return complaint.isEmpty() ? inputComplaint(request[u"input"]) : complaint;
}

QString chatComplaint(const Json &request)
{
    if (request[u"model"].toString().isEmpty())
        return u"Missing required parameter: model"_s;
    const QString unknown =
        unknownMember(request,
                      {u"model"_s, u"messages"_s, u"tools"_s, u"tool_choice"_s, u"max_tokens"_s,
                       u"max_completion_tokens"_s, u"stream"_s, u"stream_options"_s, u"prompt_cache_key"_s});
    if (!unknown.isEmpty())
        return unknown;
    if (request.contains(u"stream_options") && !request[u"stream"].toBool())
        return u"stream_options is only allowed when stream is true"_s;
    if (request.contains(u"tools") && request[u"tools"].size() == 0)
        return u"tools: [] is too short"_s;
    if (request.contains(u"tool_choice") && !request.contains(u"tools"))
        return u"tool_choice is only allowed when tools are given"_s;
    QString complaint = toolsComplaint(request[u"tools"], u"function", u"parameters");
    if (!complaint.isEmpty())
        return complaint;
    const Json &messages = request[u"messages"];
    if (messages.size() == 0)
        return u"messages: [] is too short"_s;
    QStringList open;
    bool isFirst = true;
    for (const Json &message : messages.elements()) {
        complaint = chatMessageComplaint(message, isFirst, open);
        if (!complaint.isEmpty())
            return complaint;
        isFirst = false;
    }
    return open.isEmpty()
        ? QString()
        : u"an assistant message with 'tool_calls' must be followed by tool messages: "_s + open.first();
}

} // namespace Pilothouse::Tests
