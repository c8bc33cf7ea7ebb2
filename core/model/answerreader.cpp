// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/answerreader.h"

#include "model/modelfault.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Category = ApiError::Category;

void AnswerReader::begin(const AnswerHead &head)
{
    m_head = head;
    const QByteArray type = head.contentType.toLower();
    if (head.status < 200 || head.status > 299)
        m_form = Form::ErrorBody;
    else if (type.startsWith("application/json"))
        m_form = Form::Whole;
    else if (type.startsWith("text/html"))
        m_form = Form::Page;
    else
        m_form = Form::EventStream;
}

QList<StreamEvent> AnswerReader::feed(QByteArrayView bytes)
{
    QList<StreamEvent> out;
    if (m_isFinished)
        return out;
    if (m_form != Form::EventStream) {
        const qsizetype limit = m_form == Form::Whole ? LargestBody : LargestErrorBody;
        const qsizetype room = limit - m_body.size();
        m_body += bytes.first(qMin(room, bytes.size()));
        if (m_form == Form::Whole && bytes.size() > room)
            failProtocol(u"the answer is larger than 16 MiB"_s, out);
        return out;
    }
    m_hasBytes = m_hasBytes || !bytes.isEmpty();
    const QList<SseEvent> events = m_parser.feed(bytes);
    for (const SseEvent &event : events)
        onSseEvent(event, out);
    if (!m_isFinished && m_parser.overflowed())
        failProtocol(u"one event is larger than 16 MiB"_s, out);
    return out;
}

QList<StreamEvent> AnswerReader::finish()
{
    QList<StreamEvent> out;
    if (m_isFinished)
        return out;
    switch (m_form) {
    case Form::Whole:
        finishWhole(out);
        break;
    case Form::ErrorBody:
        finishErrorBody(out);
        break;
    case Form::Page:
        failProtocol(u"it is a web page (\"%1\")"_s.arg(summaryOfBody(m_body)), out);
        break;
    case Form::EventStream:
        finishStream(out);
        break;
    }
    return out;
}

void AnswerReader::onSseEvent(const SseEvent &event, QList<StreamEvent> &out)
{
    if (m_isFinished)
        return;
    m_hasEvent = true;
    if (event.data.trimmed() == "[DONE]") {
        onDoneMarker(out);
        return;
    }
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
    onEvent(event, *json, out);
    if (!m_isFinished && m_fold.isOverfull())
        failProtocol(u"it is longer than any real one (8 million characters)"_s, out);
}

void AnswerReader::finishStream(QList<StreamEvent> &out)
{
    const QList<SseEvent> events = m_parser.finish();
    for (const SseEvent &event : events)
        onSseEvent(event, out);
    if (m_isFinished)
        return;
    if (m_fold.hasEnd()) {
        stop(out);
        return;
    }
    // Tolerated as long as events come; without any it says what this really is.
    const QByteArray type = m_head.contentType.toLower();
    if (m_hasBytes && !m_hasEvent && !type.isEmpty() && !type.startsWith("text/event-stream")) {
        failProtocol(u"it is of the type %1"_s.arg(QString::fromLatin1(m_head.contentType.left(80))), out);
        return;
    }
    ApiError error;
    error.category = Category::Truncated;
    error.message = u"The answer ended before it was complete."_s;
    error.retryable = true;
    error.partial = hasContent();
    error.requestId = cleanErrorText(QString::fromUtf8(m_head.requestId));
    fail(error, out);
}

void AnswerReader::finishWhole(QList<StreamEvent> &out)
{
    const Result<Json, JsonError> json = parseJson(m_body);
    m_body.clear();
    if (!json || !json->isObject()) {
        failProtocol(u"it is neither an event stream nor a JSON object"_s, out);
        return;
    }
    const Json &error = (*json)[u"error"];
    if ((*json)[u"type"].toString() == "error"_L1 || error.isObject() || error.isString()) {
        failFromFault(*json, out);
        return;
    }
    if (!takeWhole(*json, out)) {
        failProtocol(u"it is JSON, but no message of a model"_s, out);
        return;
    }
    if (m_isFinished)
        return;
    if (m_fold.isOverfull())
        failProtocol(u"it is longer than any real one (8 million characters)"_s, out);
    else
        stop(out);
}

void AnswerReader::finishErrorBody(QList<StreamEvent> &out)
{
    const Result<Json, JsonError> json = parseJson(m_body);
    if (json && (json->isObject() || json->isArray())) {
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

void AnswerReader::stop(QList<StreamEvent> &out)
{
    m_isFinished = true;
    m_fold.finishContent(false, out);
    m_fold.appendStop(out);
}

void AnswerReader::failFromFault(const Json &json, QList<StreamEvent> &out)
{
    fail(errorFromFault(faultFromJson(json), m_head, hasContent()), out);
}

void AnswerReader::failProtocol(const QString &what, QList<StreamEvent> &out)
{
    ApiError error;
    error.category = Category::Protocol;
    error.message =
        cleanErrorText(u"The answer is not what the %1 protocol says: %2. Check the base URL."_s.arg(
            QString(m_protocolName), what));
    error.partial = hasContent();
    error.requestId = cleanErrorText(QString::fromUtf8(m_head.requestId));
    fail(error, out);
}

void AnswerReader::fail(const ApiError &error, QList<StreamEvent> &out)
{
    m_isFinished = true;
    m_fold.finishContent(true, out);
    StreamEvent event;
    event.type = StreamEvent::Type::Error;
    event.error = error;
    out.append(event);
}

} // namespace Pilothouse
