// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/httpmodelstream.h"

#include "model/refusedparameters.h"
#include "net/httpjob.h"

#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

HttpModelStream::HttpModelStream(std::unique_ptr<StreamReader> reader, Secret key, QObject *parent)
    : ModelStream(parent)
    , m_reader(std::move(reader))
    , m_key(std::move(key))
{
    m_linger.setSingleShot(true);
    m_linger.setInterval(Linger);
    connect(&m_linger, &QTimer::timeout, this, &HttpModelStream::onLingered);
}

HttpModelStream::~HttpModelStream() { release(); }

void HttpModelStream::follow(HttpJob *job)
{
    m_job = job;
    connect(job, &HttpJob::headersReceived, this, &HttpModelStream::onHeaders);
    connect(job, &HttpJob::bodyReceived, this, &HttpModelStream::onBody);
    connect(job, &HttpJob::finished, this, &HttpModelStream::onFinished);
}

void HttpModelStream::refuse(const ApiError &error)
{
    StreamEvent event;
    event.type = Type::Error;
    event.error = error;
    QTimer::singleShot(0, this, [this, event] { give({event}); });
}

void HttpModelStream::abort()
{
    m_isOver = true;
    release();
}

void HttpModelStream::release()
{
    m_linger.stop();
    if (!m_job)
        return;
    HttpJob *job = m_job;
    m_job.clear();
    job->disconnect(this);
    job->abandon();
}

void HttpModelStream::onHeaders()
{
    AnswerHead head;
    head.status = m_job->status();
    head.contentType = m_job->header("content-type");
    head.retryAfter = m_job->header("retry-after");
    head.retryAfterMs = m_job->header("retry-after-ms");
    head.shouldRetry = m_job->header("x-should-retry");
    head.requestId = m_job->header("request-id");
    if (head.requestId.isEmpty())
        head.requestId = m_job->header("x-request-id");
    head.nowUtcMs = QDateTime::currentMSecsSinceEpoch();
    m_reader->begin(head);
    // The reason stands at the start of an error's body; one that never ends must not hold up the person.
    if (head.status < 200 || head.status > 299)
        m_linger.start();
}

void HttpModelStream::onBody(const QByteArray &bytes)
{
    QList<StreamEvent> events = m_reader->feed(bytes);
    if (m_reader->isFinished())
        release(); // The answer has its end; what the connection does from here on does not matter.
    else if (m_reader->mayFinish())
        m_linger.start();
    give(std::move(events));
}

void HttpModelStream::onLingered()
{
    QList<StreamEvent> events;
    const int status = m_job ? m_job->status() : 0;
    if (status != 0 && (status < 200 || status > 299))
        events = m_reader->feed(m_key.redact(m_job->errorBody()));
    release();
    events += m_reader->finish();
    give(std::move(events));
}

void HttpModelStream::onFinished()
{
    const bool hasHead = m_job->status() != 0;
    const int status = m_job->status();
    const bool isSuccess = status >= 200 && status < 300;
    const std::optional<ApiError> failure = m_job->error();
    const QByteArray errorBody = m_job->errorBody();
    const ApiError lost = failure ? connectionError() : ApiError();
    release();

    QList<StreamEvent> events;
    if (hasHead) {
        if (!isSuccess)
            events = m_reader->feed(errorBody);
        events += m_reader->finish();
        if ((status == 400 || status == 422) && !events.isEmpty())
            events.last().name = refusedParameter(errorBody);
    }
    // What the reader makes of an error body is better than the status alone. Of a stream that broke it can
    // only say that the end is missing; the connection knows why.
    const bool isBroken = failure && (!hasHead || isSuccess);
    if (isBroken && (events.isEmpty() || events.last().type == Type::Error)) {
        StreamEvent event;
        event.type = Type::Error;
        event.error = lost;
        if (!events.isEmpty()) {
            event.error.partial = events.last().error.partial;
            event.error.requestId = events.last().error.requestId;
            events.removeLast();
        }
        events.append(event);
    }
    give(std::move(events));
}

QString HttpModelStream::refusedParameter(const QByteArray &errorBody)
{
    if (!m_optional.refused)
        return {};
    const QSet<QString> known = m_optional.refused->at(m_optional.place);
    QStringList sent;
    for (const QString &name : std::as_const(m_optional.names)) {
        if (!known.contains(name) && m_optional.body.contains(QByteArray('"' + name.toLatin1() + "\":")))
            sent.append(name);
    }
    const QString name = RefusedParameters::named(errorBody, sent);
    if (!name.isEmpty())
        m_optional.refused->add(m_optional.place, name);
    return name;
}

// A model request has no effect that must not be repeated, so an unknown outcome only means that it may be
// paid twice; a connection that was lost after sending is worth another attempt.
ApiError HttpModelStream::connectionError() const
{
    ApiError error = *m_job->error();
    const bool isLost = error.category == ApiError::Category::Network && error.outcomeUnknown;
    if (isLost) {
        error.category = ApiError::Category::Truncated;
        error.retryable = true;
    }
    error.outcomeUnknown = false;
    return error;
}

void HttpModelStream::give(QList<StreamEvent> events)
{
    const QPointer<HttpModelStream> guard(this);
    for (StreamEvent &event : events) {
        if (m_isOver)
            return;
        if (event.type == Type::Error) {
            event.error.message = m_key.redact(event.error.message);
            event.error.code = m_key.redact(event.error.code);
        }
        m_isOver = event.type == Type::Error || event.type == Type::Stop;
        Q_EMIT eventReceived(event);
        if (!guard)
            return;
    }
}

} // namespace Pilothouse
