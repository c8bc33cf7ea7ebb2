// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicreader.h"

#include "model/modelfault.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Category = ApiError::Category;

void AnthropicReader::begin(const AnswerHead &head)
{
    m_head = head;
    const QByteArray type = head.contentType.toLower();
    if (head.status < 200 || head.status > 299)
        m_form = Form::ErrorBody;
    else if (type.startsWith("application/json"))
        m_form = Form::Message;
    else if (type.startsWith("text/html"))
        m_form = Form::Page;
    else
        m_form = Form::EventStream;
}

QList<StreamEvent> AnthropicReader::feed(QByteArrayView bytes)
{
    QList<StreamEvent> out;
    if (m_isFinished)
        return out;
    if (m_form != Form::EventStream) {
        const qsizetype limit = m_form == Form::Message ? LargestBody : LargestErrorBody;
        const qsizetype room = limit - m_body.size();
        m_body += bytes.first(qMin(room, bytes.size()));
        if (m_form == Form::Message && bytes.size() > room)
            failProtocol(u"the answer is larger than 16 MiB"_s, out);
        return out;
    }
    const QList<SseEvent> events = m_parser.feed(bytes);
    for (const SseEvent &event : events)
        onSseEvent(event, out);
    if (!m_isFinished && m_parser.overflowed())
        failProtocol(u"one event is larger than 16 MiB"_s, out);
    return out;
}

QList<StreamEvent> AnthropicReader::finish()
{
    QList<StreamEvent> out;
    if (m_isFinished)
        return out;
    switch (m_form) {
    case Form::Message:
        finishMessage(out);
        break;
    case Form::ErrorBody:
        finishErrorBody(out);
        break;
    case Form::Page:
        failProtocol(u"it is a web page (\"%1\")"_s.arg(summaryOfBody(m_body)), out);
        break;
    case Form::EventStream: {
        const QList<SseEvent> events = m_parser.finish();
        for (const SseEvent &event : events)
            onSseEvent(event, out);
        if (m_isFinished)
            break;
        if (m_fold.hasStopReason()) {
            stop(out);
        } else {
            ApiError error;
            error.category = Category::Truncated;
            error.message = u"The answer ended before it was complete."_s;
            error.retryable = true;
            error.partial = hasContent();
            error.requestId = cleanErrorText(QString::fromUtf8(m_head.requestId));
            fail(error, out);
        }
        break;
    }
    }
    return out;
}

void AnthropicReader::onSseEvent(const SseEvent &event, QList<StreamEvent> &out)
{
    if (m_isFinished || event.data.trimmed() == "[DONE]") // Gateways add the marker of another protocol.
        return;
    const Result<Json, JsonError> json = parseJson(event.data);
    if (!json) {
        failProtocol(
            u"an event is not JSON: %1 at byte %2"_s.arg(json.error().message).arg(json.error().offset), out);
        return;
    }
    if (event.isErrorField) {
        failFromFault(*json, out);
        return;
    }
    // The type inside counts; some gateways leave the event lines out.
    QString type = (*json)[u"type"].toString();
    if (type.isEmpty())
        type = QString::fromUtf8(event.name);
    if (type == "content_block_start"_L1)
        m_fold.countOther(event.data.size()); // Kept as it came: results of searches, blocks nobody knows.
    onEvent(type, *json, out);
    if (!m_isFinished && m_fold.isOverfull())
        failProtocol(u"it is longer than any real one (8 million characters)"_s, out);
}

void AnthropicReader::onEvent(const QString &type, const Json &json, QList<StreamEvent> &out)
{
    const qint64 index = json[u"index"].toInteger(-1);
    if (type == "message_start"_L1)
        m_fold.startMessage(json[u"message"], out);
    else if (type == "content_block_start"_L1)
        m_fold.startBlock(index, json[u"content_block"], out);
    else if (type == "content_block_delta"_L1)
        m_fold.addDelta(index, json[u"delta"], out);
    else if (type == "content_block_stop"_L1)
        m_fold.stopBlock(index, out);
    else if (type == "message_delta"_L1)
        m_fold.messageDelta(json[u"delta"], json[u"usage"]);
    else if (type == "message_stop"_L1)
        stop(out);
    else if (type == "error"_L1 || (type.isEmpty() && json.contains(u"error")))
        failFromFault(json, out);
}

void AnthropicReader::finishMessage(QList<StreamEvent> &out)
{
    const Result<Json, JsonError> json = parseJson(m_body);
    m_body.clear();
    if (!json || !json->isObject()) {
        failProtocol(u"it is neither an event stream nor a JSON object"_s, out);
        return;
    }
    const Json &message = *json;
    if (message[u"type"].toString() == "error"_L1 || message[u"error"].isObject()) {
        failFromFault(message, out);
        return;
    }
    if (!message[u"content"].isArray() || !message[u"stop_reason"].isString()) {
        failProtocol(u"it is JSON, but no message"_s, out);
        return;
    }
    m_fold.startMessage(message, out);
    qint64 index = 0;
    for (const Json &block : message[u"content"].elements()) {
        m_fold.startBlock(index, block, out);
        m_fold.stopBlock(index, out);
        ++index;
    }
    if (m_fold.isOverfull()) {
        failProtocol(u"it is longer than any real one (8 million characters)"_s, out);
        return;
    }
    m_fold.messageDelta(message, message[u"usage"]);
    stop(out);
}

void AnthropicReader::finishErrorBody(QList<StreamEvent> &out)
{
    const Result<Json, JsonError> json = parseJson(m_body);
    if (json && json->isObject()) {
        failFromFault(*json, out);
        return;
    }
    ModelFault fault;
    const QString summary = summaryOfBody(m_body);
    fault.message = u"The service answered with status %1"_s.arg(m_head.status);
    if (!summary.isEmpty())
        fault.message += u": "_s + summary;
    if (categoryForStatus(m_head.status) == Category::Redirect)
        fault.message += u". It redirects elsewhere, which is not followed: correct the base URL."_s;
    fail(errorFromFault(fault, m_head, hasContent()), out);
}

void AnthropicReader::stop(QList<StreamEvent> &out)
{
    m_isFinished = true;
    m_fold.finishContent(out);
    m_fold.appendStop(out);
}

void AnthropicReader::failFromFault(const Json &json, QList<StreamEvent> &out)
{
    const Json &inner = json[u"error"];
    const Json &error = inner.isObject() ? inner : json;
    ModelFault fault;
    fault.detailCode = error[u"details"][u"error_code"].toString();
    fault.code = error[u"type"].toString();
    if (fault.code == "error"_L1) // The envelope's own word.
        fault.code.clear();
    if (fault.code.isEmpty() && error[u"code"].isNumber())
        fault.code = QString::fromLatin1(error[u"code"].toJson());
    fault.message = inner.isString() ? inner.toString() : error[u"message"].toString();
    if (fault.message.isEmpty())
        fault.message = u"The service reported an error and gave no reason."_s;
    fault.requestId = json[u"request_id"].toString();
    fail(errorFromFault(fault, m_head, hasContent()), out);
}

void AnthropicReader::failProtocol(const QString &what, QList<StreamEvent> &out)
{
    ApiError error;
    error.category = Category::Protocol;
    error.message = cleanErrorText(u"The answer is not what the Anthropic Messages protocol says: "_s + what
                                   + u". Check the base URL."_s);
    error.partial = hasContent();
    error.requestId = cleanErrorText(QString::fromUtf8(m_head.requestId));
    fail(error, out);
}

void AnthropicReader::fail(const ApiError &error, QList<StreamEvent> &out)
{
    m_isFinished = true;
    m_fold.finishContent(out);
    StreamEvent event;
    event.type = StreamEvent::Type::Error;
    event.error = error;
    out.append(event);
}

} // namespace Pilothouse
