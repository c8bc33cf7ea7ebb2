// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QElapsedTimer>
#include <QObject>

namespace Pilothouse {

class SandboxHttp;

/// A change of state that takes several requests: connect, pause, delete. Lives as a child of the SandboxHttp
/// until its reply has run or its context is gone.
class LifecycleCall : public QObject {
    Q_OBJECT
public:
    LifecycleCall(SandboxHttp *http, QString id, QObject *context);
    virtual void start() = 0;

protected:
    /// Reads the status; onStatus() follows.
    void readStatus();
    /// The same after a wait that grows from `first` to the longest poll wait. False when the whole time is
    /// used up.
    [[nodiscard]] bool readStatusLater(std::chrono::milliseconds first);
    virtual void onStatus(const Result<SandboxInfo, ApiError> &info) = 0;
    /// An error of this sandbox in state `status`.
    [[nodiscard]] ApiError stateError(ApiError::Category category, const QString &what,
                                      const QString &status) const;

    SandboxHttp *m_http;
    QString m_id;
    QElapsedTimer m_since; ///< Since the first request.
    std::chrono::milliseconds m_wait{0};
};

/// Makes a sandbox active and its token known. For every age of service: activate; on 409 read the status,
/// wait out a transition (or go on at once when it is settled) and activate again, three times at most. A
/// failed sandbox is an error.
class ConnectCall final : public LifecycleCall {
public:
    ConnectCall(SandboxHttp *http, const QString &id, QObject *context, Reply<SandboxInfo> reply);
    void start() override;

private:
    void onStatus(const Result<SandboxInfo, ApiError> &info) override;
    void finish(const Result<SandboxInfo, ApiError> &outcome);
    Reply<SandboxInfo> m_reply;
    ApiError m_conflict;
    int m_rounds = 0;
};

/// Pauses and waits until the status says so. 204 and 202 both mean "accepted"; gone is as good as paused; an
/// answer that was lost is followed by looking at the status, never by a second pause.
class PauseCall final : public LifecycleCall {
public:
    PauseCall(SandboxHttp *http, const QString &id, QObject *context, Reply<Done> reply);
    void start() override;

private:
    void onStatus(const Result<SandboxInfo, ApiError> &info) override;
    void finish(const Result<Done, ApiError> &outcome);
    Reply<Done> m_reply;
    std::optional<ApiError> m_trouble; ///< What the pause itself answered, if not success.
    QElapsedTimer m_asked; ///< Since the last pause was answered.
    int m_rounds = 0;
};

/// Deletes; 404 is success; 409 (in transition) is tried again until the time is used up.
class DeleteCall final : public LifecycleCall {
public:
    DeleteCall(SandboxHttp *http, const QString &id, QObject *context, Reply<Done> reply);
    void start() override;

private:
    void onStatus(const Result<SandboxInfo, ApiError> &info) override;
    void finish(const Result<Done, ApiError> &outcome);
    Reply<Done> m_reply;
    ApiError m_conflict;
};

} // namespace Pilothouse
