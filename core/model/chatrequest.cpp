// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatrequest.h"

#include "model/chathistory.h"
#include "model/modelendpoint.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QByteArray functionToolJson(const ToolSpec &tool)
{
    const QByteArray function = JsonBuilder()
                                    .add("name"_L1, tool.name)
                                    .add("description"_L1, tool.description)
                                    .raw("parameters"_L1, tool.inputSchema)
                                    .take();
    return JsonBuilder().add("type"_L1, "function"_L1).raw("function"_L1, function).take();
}

} // namespace

Result<QByteArray, QString> ChatRequest::body(const ModelRequest &request) const
{
    ChatHistory history(provider, request.model, dialect);
    for (const HistoryItem &item : request.history)
        history.add(item);
    QList<QByteArray> messages = history.messages();
    if (messages.isEmpty())
        return fail(noMessageText());
    if (!request.instructions.isEmpty())
        messages.prepend(
            JsonBuilder().add("role"_L1, "system"_L1).add("content"_L1, request.instructions).take());

    JsonBuilder body;
    body.add("model"_L1, request.model);
    body.raw("messages"_L1, joinedArray(messages));
    if (!request.tools.isEmpty()) {
        QList<QByteArray> tools;
        for (const ToolSpec &tool : request.tools)
            tools.append(functionToolJson(tool));
        body.raw("tools"_L1, joinedArray(tools));
        if (dialect.takesToolChoice)
            body.add("tool_choice"_L1, "auto"_L1);
    }
    if (request.maxTokens > 0)
        body.add(dialect.maxTokens, request.maxTokens);
    if (dialect.takesCacheKey && !request.conversation.isEmpty())
        body.add("prompt_cache_key"_L1, request.conversation);
    body.add("stream"_L1, true);
    if (dialect.takesStreamOptions)
        body.raw("stream_options"_L1, R"({"include_usage":true})");
    return checkedModelRequest(body.take());
}

QUrl ChatRequest::completionsUrl(const QUrl &base)
{
    if (base.path().endsWith("/chat/completions"_L1))
        return base;
    return modelUrl(base, u"/chat/completions"_s);
}

} // namespace Pilothouse
