// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxlifecycle.h"

#include "sandbox/sandboxhttp.h"
#include "sandbox/sandboxwire.h"

#include <QTimer>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostRounds = 3;

/// True when the request may have been acted on although its answer is no success.
bool isLostAnswer(const ApiError &error)
{
    return error.category == ApiError::Category::Timeout || error.category == ApiError::Category::Network
        || error.category == ApiError::Category::Truncated || error.status == 502;
}

} // namespace

LifecycleCall::LifecycleCall(SandboxHttp *http, QString id, QObject *context)
    : QObject(http)
    , m_http(http)
    , m_id(std::move(id))
{
    m_since.start();
    connect(context, &QObject::destroyed, this, [this] { delete this; });
}

void LifecycleCall::readStatus()
{
    m_http->control(m_http->controlSpec("GET", SandboxWire::sandboxPath(m_id)), Lane::Control, this,
                    [this](const Result<SandboxHttp::Answer, ApiError> &answer) {
                        if (!answer)
                            return onStatus(fail(answer.error()));
                        const Result<SandboxWire::Answer, ApiError> sandbox =
                            SandboxWire::readSandbox(answer->body);
                        if (!sandbox)
                            return onStatus(fail(sandbox.error()));
                        onStatus(sandbox->info);
                    });
}

bool LifecycleCall::readStatusLater(std::chrono::milliseconds first)
{
    if (std::chrono::milliseconds(m_since.elapsed()) >= m_http->timing().pollTotal)
        return false;
    m_wait = std::min(std::max(first, m_wait * 3 / 2), m_http->timing().pollMost);
    QTimer::singleShot(m_wait, this, [this] { readStatus(); });
    return true;
}

ApiError LifecycleCall::stateError(ApiError::Category category, const QString &what,
                                   const QString &status) const
{
    ApiError error = SandboxWire::makeError(category, QString(u"Sandbox "_s + m_id + u' ' + what));
    error.code = status;
    return error;
}

ConnectCall::ConnectCall(SandboxHttp *http, const QString &id, QObject *context, Reply<SandboxInfo> reply)
    : LifecycleCall(http, id, context)
    , m_reply(std::move(reply))
{ }

void ConnectCall::start()
{
    ++m_rounds;
    m_http->activateOnce(m_id, this, [this](const Result<SandboxInfo, ApiError> &info) {
        if (info || info.error().status != 409)
            return finish(info);
        m_conflict = info.error();
        readStatus();
    });
}

void ConnectCall::onStatus(const Result<SandboxInfo, ApiError> &info)
{
    if (!info)
        return finish(info);
    const QString &status = info->status;
    if (status == "failed"_L1) {
        return finish(fail(stateError(
            ApiError::Category::Conflict,
            info->problem.isEmpty()
                ? u"has failed and cannot be woken; its files are lost unless the service recovers "
                  "it. Delete it and start anew."_s
                : QString(u"cannot be woken: "_s + info->problem + u'.'),
            status)));
    }
    if (status == "deleted"_L1)
        return finish(fail(stateError(ApiError::Category::NotFound, u"was deleted."_s, status)));
    if (status == "paused"_L1 || status == "active"_L1) {
        if (m_rounds >= MostRounds)
            return finish(fail(m_conflict));
        return start();
    }
    // In transition, or a word nobody knows.
    if (!readStatusLater(m_http->timing().pollFirst)) {
        finish(fail(stateError(
            ApiError::Category::Timeout,
            QString(u"has been "_s + cleanErrorText(status) + u" for too long. Try again later."_s),
            status)));
    }
}

void ConnectCall::finish(const Result<SandboxInfo, ApiError> &outcome)
{
    deleteLater();
    const Reply<SandboxInfo> reply = std::move(m_reply);
    reply(outcome);
}

PauseCall::PauseCall(SandboxHttp *http, const QString &id, QObject *context, Reply<Done> reply)
    : LifecycleCall(http, id, context)
    , m_reply(std::move(reply))
{ }

void PauseCall::start()
{
    ++m_rounds;
    RequestSpec spec = m_http->controlSpec("POST", SandboxWire::sandboxPath(m_id) + "/pause");
    // Without "Prefer: respond-async" every service answers 204 when the checkpoint is done: one request, no
    // polling. A 202 is understood all the same.
    spec.firstByteTimeout = m_http->timing().longCall;
    m_http->control(spec, Lane::Control, this, [this](const Result<SandboxHttp::Answer, ApiError> &answer) {
        m_asked.start();
        m_trouble.reset();
        if (!answer) {
            const ApiError &error = answer.error();
            // Also 404: what does not exist was not paused. Gone while it pauses is another matter
            // (onStatus).
            if (error.status != 409 && !isLostAnswer(error))
                return finish(fail(error));
            m_trouble = error;
        } else if (answer->status == 204) {
            return finish(Done{}); // The checkpoint is done; only 202 means "on its way".
        }
        readStatus();
    });
}

void PauseCall::onStatus(const Result<SandboxInfo, ApiError> &info)
{
    if (!info) {
        if (info.error().status == 404)
            return finish(Done{});
        return finish(fail(info.error()));
    }
    const QString &status = info->status;
    if (status == "paused"_L1 || status == "deleted"_L1)
        return finish(Done{});
    if (status == "failed"_L1) {
        return finish(fail(stateError(ApiError::Category::Conflict,
                                      info->problem.isEmpty()
                                          ? u"failed while it was being paused. Delete it and start anew."_s
                                          : QString(u"cannot be paused: "_s + info->problem + u'.'),
                                      status)));
    }
    if (status == "active"_L1) {
        const bool refused = m_trouble && m_trouble->status == 409;
        if (refused) {
            // It was starting or resuming when asked; now it can be paused.
            if (m_rounds >= MostRounds)
                return finish(fail(*m_trouble));
            return start();
        }
        if (std::chrono::milliseconds(m_asked.elapsed()) >= m_http->timing().pauseGrace) {
            if (m_trouble)
                return finish(fail(*m_trouble));
            return finish(fail(stateError(
                ApiError::Category::Conflict,
                u"is still active although the service accepted the pause. Try again."_s, status)));
        }
    }
    if (!readStatusLater(m_http->timing().pausePollFirst)) {
        finish(fail(stateError(
            ApiError::Category::Timeout,
            QString(u"has been "_s + cleanErrorText(status) + u" for too long. Look again later."_s),
            status)));
    }
}

void PauseCall::finish(const Result<Done, ApiError> &outcome)
{
    deleteLater();
    const Reply<Done> reply = std::move(m_reply);
    reply(outcome);
}

DeleteCall::DeleteCall(SandboxHttp *http, const QString &id, QObject *context, Reply<Done> reply)
    : LifecycleCall(http, id, context)
    , m_reply(std::move(reply))
{ }

void DeleteCall::start()
{
    m_http->control(m_http->controlSpec("DELETE", SandboxWire::sandboxPath(m_id)), Lane::Control, this,
                    [this](const Result<SandboxHttp::Answer, ApiError> &answer) {
                        if (answer || answer.error().status == 404) {
                            m_http->forget(m_id);
                            return finish(Done{});
                        }
                        if (answer.error().status != 409)
                            return finish(fail(answer.error()));
                        m_conflict = answer.error();
                        if (!readStatusLater(m_http->timing().pollFirst))
                            finish(fail(m_conflict));
                    });
}

void DeleteCall::onStatus(const Result<SandboxInfo, ApiError> &info)
{
    // Whatever the status says, DELETE is the judge; reading it first only spares it while the transition
    // lasts.
    const bool moving = info
        && (info->status == "pausing"_L1 || info->status == "starting"_L1 || info->status == "resuming"_L1);
    if (!moving)
        return start();
    if (!readStatusLater(m_http->timing().pollFirst))
        finish(fail(m_conflict));
}

void DeleteCall::finish(const Result<Done, ApiError> &outcome)
{
    deleteLater();
    const Reply<Done> reply = std::move(m_reply);
    reply(outcome);
}

} // namespace Pilothouse
