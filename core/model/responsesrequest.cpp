// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/responsesrequest.h"

#include "model/modelendpoint.h"
#include "model/responseshistory.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QByteArray flatToolJson(const ToolSpec &tool)
{
    return JsonBuilder()
        .add("type"_L1, "function"_L1)
        .add("name"_L1, tool.name)
        .add("description"_L1, tool.description)
        .raw("parameters"_L1, tool.inputSchema)
        // Left out, the service would ask for schemas that name every member as required.
        .add("strict"_L1, false)
        .take();
}

} // namespace

Result<QByteArray, QString> ResponsesRequest::body(const ModelRequest &request) const
{
    const auto takes = [this](const QString &parameter) { return !without.contains(parameter); };
    ResponsesHistory history(provider, request.model);
    for (const HistoryItem &item : request.history)
        history.add(item);
    const QList<QByteArray> &items = history.items();
    if (items.isEmpty())
        return fail(noMessageText());

    JsonBuilder body;
    body.add("model"_L1, request.model);
    if (!request.instructions.isEmpty())
        body.add("instructions"_L1, request.instructions);
    body.raw("input"_L1, joinedArray(items));
    if (!request.tools.isEmpty()) {
        QList<QByteArray> tools;
        for (const ToolSpec &tool : request.tools)
            tools.append(flatToolJson(tool));
        body.raw("tools"_L1, joinedArray(tools));
        if (takes(u"tool_choice"_s))
            body.add("tool_choice"_L1, "auto"_L1);
        if (takes(u"parallel_tool_calls"_s))
            body.add("parallel_tool_calls"_L1, true);
    }
    if (takes(u"include"_s))
        body.raw("include"_L1, "[\"reasoning.encrypted_content\"]");
    if (request.maxTokens > 0 && takes(u"max_output_tokens"_s))
        body.add("max_output_tokens"_L1, request.maxTokens);
    if (isVendor && !request.conversation.isEmpty() && takes(u"prompt_cache_key"_s))
        body.add("prompt_cache_key"_L1, request.conversation);
    body.add("store"_L1, false);
    body.add("stream"_L1, true);
    return checkedModelRequest(body.take());
}

// Not "store": left out, the vendor would keep the conversation.
QStringList ResponsesRequest::optional()
{
    return {u"tool_choice"_s, u"parallel_tool_calls"_s, u"include"_s, u"max_output_tokens"_s,
            u"prompt_cache_key"_s};
}

QUrl ResponsesRequest::responsesUrl(const QUrl &base) { return modelUrl(base, u"/responses"_s); }

} // namespace Pilothouse
