// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicrequest.h"

#include "model/anthropichistory.h"
#include "model/modelendpoint.h"
#include "util/json.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto CacheParameter = u"cache_control"_s;
const auto ToolChoiceParameter = u"tool_choice"_s;
constexpr char CacheMarker[] = ",\"cache_control\":{\"type\":\"ephemeral\"}";

// `object` is the text of a JSON object with at least one member.
QByteArray marked(QByteArray object)
{
    Q_ASSERT(object.endsWith('}'));
    object.chop(1);
    object += CacheMarker;
    object += '}';
    return object;
}

QByteArray toolJson(const ToolSpec &tool)
{
    return JsonBuilder()
        .add("name"_L1, tool.name)
        .add("description"_L1, tool.description)
        .raw("input_schema"_L1, tool.inputSchema)
        .take();
}

} // namespace

Result<QByteArray, QString> AnthropicRequest::body(const ModelRequest &request) const
{
    const bool isMarking = hasCacheMarkers && !without.contains(CacheParameter);
    AnthropicHistory history(provider, request.model);
    for (const HistoryItem &item : request.history)
        history.add(item);
    const QList<AnthropicHistory::Message> &messages = history.messages();
    if (messages.isEmpty())
        return fail(noMessageText());

    JsonBuilder body;
    body.add("model"_L1, request.model);
    body.add("max_tokens"_L1, request.maxTokens > 0 ? request.maxTokens : maxTokens);
    if (!request.instructions.isEmpty()) {
        QByteArray block =
            JsonBuilder().add("type"_L1, "text"_L1).add("text"_L1, request.instructions).take();
        body.raw("system"_L1, QByteArray('[' + (isMarking ? marked(block) : block) + ']'));
    }

    qsizetype unmarkedUsers = -2; // Users before the two newest ones, which get a marker each.
    for (const AnthropicHistory::Message &message : messages)
        unmarkedUsers += message.isUser ? 1 : 0;
    qsizetype user = 0;
    QByteArray list = "[";
    for (const AnthropicHistory::Message &message : messages) {
        if (list.size() > 1)
            list += ',';
        if (!message.isUser) {
            list += message.raw;
            continue;
        }
        const bool isMarked = isMarking && user++ >= unmarkedUsers;
        list += "{\"role\":\"user\",\"content\":[";
        for (qsizetype i = 0; i < message.blocks.size(); ++i) {
            if (i > 0)
                list += ',';
            list +=
                isMarked && i == message.blocks.size() - 1 ? marked(message.blocks[i]) : message.blocks[i];
        }
        list += "]}";
    }
    list += ']';
    body.raw("messages"_L1, list);

    if (!request.tools.isEmpty()) {
        QByteArray tools = "[";
        for (qsizetype i = 0; i < request.tools.size(); ++i) {
            if (i > 0)
                tools += ',';
            const QByteArray tool = toolJson(request.tools[i]);
            tools += isMarking && i == request.tools.size() - 1 ? marked(tool) : tool;
        }
        tools += ']';
        body.raw("tools"_L1, tools);
        if (!without.contains(ToolChoiceParameter))
            body.raw("tool_choice"_L1, R"({"type":"auto"})");
    }
    body.add("stream"_L1, true);

    return checkedModelRequest(body.take());
}

QStringList AnthropicRequest::optional() { return {CacheParameter, ToolChoiceParameter}; }

QUrl AnthropicRequest::messagesUrl(const QUrl &base) { return modelUrl(base, u"/messages"_s, true); }

bool AnthropicRequest::isVendor(const QUrl &base)
{
    return base.scheme() == "https"_L1 && base.host() == "api.anthropic.com"_L1 && base.port(443) == 443;
}

int AnthropicRequest::vendorMaxTokens(const QString &model)
{
    const bool isOlder = model.startsWith("claude-haiku-4-5"_L1) || model.startsWith("claude-opus-4-5"_L1);
    return isOlder ? 64'000 : 128'000;
}

} // namespace Pilothouse
