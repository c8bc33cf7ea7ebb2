// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatrequest.h"

#include "model/chathistory.h"
#include "model/modelendpoint.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr auto OldLimit = "max_tokens"_L1;
constexpr auto NewLimit = "max_completion_tokens"_L1;

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
    const auto takes = [this](const QString &parameter) { return !without.contains(parameter); };
    ChatDialect form = dialect;
    form.returnsReasoning = dialect.returnsReasoning && takes(u"reasoning_content"_s) && takes(u"reasoning"_s)
        && takes(u"reasoning_details"_s);
    ChatHistory history(provider, request.model, form);
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
        if (dialect.takesToolChoice && takes(u"tool_choice"_s))
            body.add("tool_choice"_L1, "auto"_L1);
    }
    if (request.maxTokens > 0) {
        // Each of the two names is the only one that some servers know.
        for (const QLatin1StringView name :
             {dialect.maxTokens, dialect.maxTokens == OldLimit ? NewLimit : OldLimit}) {
            if (!takes(QString(name)))
                continue;
            body.add(name, request.maxTokens);
            break;
        }
    }
    if (dialect.takesCacheKey && !request.conversation.isEmpty() && takes(u"prompt_cache_key"_s))
        body.add("prompt_cache_key"_L1, request.conversation);
    body.add("stream"_L1, true);
    if (dialect.takesStreamOptions && takes(u"stream_options"_s))
        body.raw("stream_options"_L1, R"({"include_usage":true})");
    return checkedModelRequest(body.take());
}

QStringList ChatRequest::optional()
{
    return {u"stream_options"_s,    u"tool_choice"_s, u"max_tokens"_s,        u"max_completion_tokens"_s,
            u"reasoning_content"_s, u"reasoning"_s,   u"reasoning_details"_s, u"prompt_cache_key"_s};
}

QUrl ChatRequest::completionsUrl(const QUrl &base)
{
    if (base.path().endsWith("/chat/completions"_L1))
        return base;
    return modelUrl(base, u"/chat/completions"_s);
}

} // namespace Pilothouse
