// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/requestview.h"

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr auto ErrorMark = "Error: "_L1;

RequestView::Result markedResult(const QString &id, const QString &text)
{
    const bool isError = text.startsWith(ErrorMark);
    return {id, isError ? text.mid(ErrorMark.size()) : text, isError};
}

QStringList textsOf(const Json &content, const QStringList &types)
{
    if (content.isString())
        return {content.toString()};
    QStringList texts;
    for (const Json &block : content.elements()) {
        if (types.contains(block[u"type"].toString()))
            texts.append(block[u"text"].toString());
    }
    return texts;
}

} // namespace

QList<Json> RequestView::entries() const
{
    const Json &list = m_protocol == ModelProtocol::Responses ? m_body[u"input"] : m_body[u"messages"];
    QList<Json> entries;
    for (const Json &entry : list.elements()) {
        if (entry[u"role"].toString() != "system"_L1)
            entries.append(entry);
    }
    return entries;
}

QList<RequestView::Result> RequestView::results() const
{
    QList<Result> results;
    for (const Json &entry : entries()) {
        switch (m_protocol) {
        case ModelProtocol::Anthropic:
            for (const Json &block : entry[u"content"].elements()) {
                if (block[u"type"].toString() == "tool_result"_L1)
                    results.append({block[u"tool_use_id"].toString(), block[u"content"].toString(),
                                    block[u"is_error"].toBool()});
            }
            break;
        case ModelProtocol::Responses:
            if (entry[u"type"].toString() == "function_call_output"_L1)
                results.append(markedResult(entry[u"call_id"].toString(), entry[u"output"].toString()));
            break;
        case ModelProtocol::Chat:
            if (entry[u"role"].toString() == "tool"_L1)
                results.append(markedResult(entry[u"tool_call_id"].toString(), entry[u"content"].toString()));
            break;
        }
    }
    return results;
}

QList<RequestView::Result> RequestView::lastResults() const
{
    // Each call has one result, so the last answer's are as many as its calls.
    const QList<Json> all = entries();
    qsizetype count = 0;
    bool isAnswer = false;
    for (const Json &entry : all) {
        const bool wasAnswer = isAnswer;
        const QString type = entry[u"type"].toString();
        isAnswer = entry[u"role"].toString() == "assistant"_L1 || type == "function_call"_L1
            || type == "reasoning"_L1;
        if (!isAnswer)
            continue;
        if (!wasAnswer)
            count = 0;
        count += type == "function_call"_L1 ? 1 : entry[u"tool_calls"].size();
        for (const Json &block : entry[u"content"].elements())
            count += block[u"type"].toString() == "tool_use"_L1 ? 1 : 0;
    }
    const QList<Result> results = this->results();
    return results.mid(results.size() - count);
}

QStringList RequestView::userTexts() const
{
    QStringList texts;
    for (const Json &entry : entries()) {
        if (entry[u"role"].toString() == "user"_L1)
            texts += textsOf(entry[u"content"], {u"text"_s, u"input_text"_s});
    }
    return texts;
}

QStringList RequestView::assistantTexts() const
{
    QStringList texts;
    for (const Json &entry : entries()) {
        if (entry[u"role"].toString() == "assistant"_L1)
            texts += textsOf(entry[u"content"], {u"text"_s, u"output_text"_s});
    }
    return texts;
}

QList<Json> RequestView::calls() const
{
    QList<Json> calls;
    for (const Json &entry : entries()) {
        if (entry[u"type"].toString() == "function_call"_L1)
            calls.append(entry);
        for (const Json &call : entry[u"tool_calls"].elements())
            calls.append(call);
        for (const Json &block : entry[u"content"].elements()) {
            if (block[u"type"].toString() == "tool_use"_L1)
                calls.append(block);
        }
    }
    return calls;
}

QStringList RequestView::callIds() const
{
    QStringList ids;
    for (const Json &call : calls())
        ids.append(m_protocol == ModelProtocol::Responses ? call[u"call_id"].toString()
                                                          : call[u"id"].toString());
    return ids;
}

QStringList RequestView::callNames() const
{
    QStringList names;
    for (const Json &call : calls())
        names.append(m_protocol == ModelProtocol::Chat ? call[u"function"][u"name"].toString()
                                                       : call[u"name"].toString());
    return names;
}

QList<RequestView::Tool> RequestView::tools() const
{
    QList<Tool> tools;
    for (const Json &entry : m_body[u"tools"].elements()) {
        const Json &tool = m_protocol == ModelProtocol::Chat ? entry[u"function"] : entry;
        tools.append({tool[u"name"].toString(), tool[u"description"].toString(),
                      m_protocol == ModelProtocol::Anthropic ? tool[u"input_schema"] : tool[u"parameters"]});
    }
    return tools;
}

} // namespace Pilothouse::Tests
