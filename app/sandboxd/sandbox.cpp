// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox.h"

#include "util/logging.h"

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype MaxAttachments = 200; // Data-plane connections to one sandbox; the API's own figure.
constexpr auto PausingWait = 25s; // Below the 30 s that the SDK gives an activate call.
constexpr auto StartingWait = 6s;
constexpr qint64 StaleTransitionMs = 15 * 60 * 1000; // An older one hangs: deleting is then allowed.

ApiFailure conflict(const SandboxMeta &meta)
{
    const QString sentence = statusSentence(meta.status);
    return {409, "conflict", meta.problem.isEmpty() ? sentence : QString(sentence + u": "_s + meta.problem)};
}

} // namespace

QString statusSentence(SandboxStatus status) { return u"sandbox is %1"_s.arg(statusName(status)); }

Sandbox::Sandbox(SandboxContext &context, SandboxMeta meta)
    : m_context(context)
    , m_meta(std::move(meta))
    , m_delayTimer(context.loop)
    , m_statusSinceMs(context.clock.monotonicMs())
{ }

Sandbox::~Sandbox() = default;

QByteArray Sandbox::folder() const { return m_context.dataFolder + "/sandboxes/" + m_meta.id.toLatin1(); }

bool Sandbox::isInTransition() const
{
    switch (m_meta.status) {
    case SandboxStatus::Starting:
    case SandboxStatus::Pausing:
    case SandboxStatus::Resuming:
        return true;
    case SandboxStatus::Active:
    case SandboxStatus::Paused:
    case SandboxStatus::Failed:
    case SandboxStatus::Deleted:
        return false;
    }
    return false;
}

Result<Done, int> Sandbox::store(bool durable)
{
    if (!m_meta.problem.isEmpty())
        return Done{}; // Whoever mends the file finds in it what was there.
    return replaceFile(folder() + "/meta.json", toStoredJson(m_meta), durable);
}

void Sandbox::change(const std::function<void(SandboxMeta &)> &edit)
{
    edit(m_meta);
    if (const auto stored = store(true); !stored)
        qCWarning(lcSandbox, "cannot store the facts of a sandbox: %s",
                  qPrintable(errnoText(stored.error())));
    if (m_onChanged)
        m_onChanged();
}

void Sandbox::onChanged(std::function<void()> handler) { m_onChanged = std::move(handler); }

void Sandbox::setStatus(SandboxStatus status)
{
    m_meta.status = status;
    m_statusSinceMs = m_context.clock.monotonicMs();
    // Transitions are not stored: after a restart every sandbox that is not failed is paused anyway.
    if (!isInTransition() && status != SandboxStatus::Deleted) {
        if (const auto stored = store(false); !stored)
            qCWarning(lcSandbox, "cannot store the state of a sandbox: %s",
                      qPrintable(errnoText(stored.error())));
    }
    if (m_onChanged)
        m_onChanged();
    if (isInTransition())
        return;
    for (Waiter &waiter : std::exchange(m_waiters, {}))
        waiter.done(std::nullopt);
}

std::optional<qint64> Sandbox::pauseDeadlineMs() const
{
    if (m_meta.status != SandboxStatus::Active || !m_meta.timeoutSeconds)
        return std::nullopt;
    return m_activeSinceMs + *m_meta.timeoutSeconds * 1000;
}

// ---- coming up

void Sandbox::create(Callback done)
{
    const QByteArray path = folder();
    auto made = makeSandboxFolders(m_context.confinement, path);
    if (made)
        made = store(true);
    if (!made) {
        const ApiFailure failure = {
            500, "internal_error",
            u"cannot make the folders of the sandbox: %1"_s.arg(errnoText(made.error()))};
        setStatus(SandboxStatus::Deleted);
        moveToTrash();
        done(failure);
        return;
    }
    bringUp(SandboxStatus::Starting,
            [self = shared_from_this(), done = std::move(done)](const auto &failure) {
                if (failure) {
                    self->setStatus(SandboxStatus::Deleted);
                    self->moveToTrash();
                }
                done(failure);
            });
}

void Sandbox::afterDelay(std::function<void()> work)
{
    if (m_context.transitionDelay == 0ms)
        work();
    else
        m_delayTimer.start(m_context.transitionDelay, std::move(work));
}

void Sandbox::bringUp(SandboxStatus during, Callback done)
{
    setStatus(during);
    afterDelay([self = shared_from_this(), done = std::move(done)] {
        if (self->m_machine) {
            self->m_machine->thaw([self, done](int error) {
                self->finishBringUp(error == 0 ? QString() : errnoText(error), done);
            });
        } else {
            self->startMachine(done);
        }
    });
}

void Sandbox::startMachine(Callback done)
{
    if (const auto made = makeSandboxFolders(m_context.confinement, folder()); !made) {
        finishBringUp(errnoText(made.error()), done);
        return;
    }
    m_machine = std::make_shared<Machine>(m_context.loop);
    m_machine->start(m_context.confinement, folder(), [this, done = std::move(done)](const QString &error) {
        const auto keep = shared_from_this();
        if (error.isEmpty())
            m_machine->onLost([this] { onMachineLost(); });
        finishBringUp(error, done);
    });
}

void Sandbox::finishBringUp(const QString &error, const Callback &done)
{
    if (!error.isEmpty()) {
        if (const auto machine = std::exchange(m_machine, nullptr))
            machine->end([machine] {});
        if (m_meta.status == SandboxStatus::Resuming || m_meta.status == SandboxStatus::Starting) {
            m_meta.countdownFromMs = m_context.clock.utcMs();
            setStatus(SandboxStatus::Paused);
        }
        done(ApiFailure{500, "internal_error", u"the sandbox could not be started: %1"_s.arg(error)});
        return;
    }
    if (m_meta.status == SandboxStatus::Deleted) {
        done(sandboxNotFound(m_meta.id.toLatin1()));
        return;
    }
    m_activeSinceMs = m_context.clock.monotonicMs();
    setStatus(SandboxStatus::Active);
    done(std::nullopt);
}

void Sandbox::resume(Callback done)
{
    if (m_meta.status == SandboxStatus::Paused)
        bringUp(SandboxStatus::Resuming, std::move(done));
    else
        done(m_meta.status == SandboxStatus::Deleted ? sandboxNotFound(m_meta.id.toLatin1())
                                                     : conflict(m_meta));
}

void Sandbox::activate(Callback done)
{
    const auto again = [self = shared_from_this(), done](const std::optional<ApiFailure> &failure) {
        if (failure)
            done(failure);
        else
            self->activate(done);
    };
    switch (m_meta.status) {
    case SandboxStatus::Active:
        done(std::nullopt);
        return;
    case SandboxStatus::Paused:
        bringUp(SandboxStatus::Resuming, std::move(done));
        return;
    case SandboxStatus::Pausing:
        whenSettled(PausingWait, again);
        return;
    case SandboxStatus::Starting:
    case SandboxStatus::Resuming:
        whenSettled(StartingWait, again);
        return;
    case SandboxStatus::Failed:
        done(conflict(m_meta));
        return;
    case SandboxStatus::Deleted:
        done(sandboxNotFound(m_meta.id.toLatin1()));
        return;
    }
}

void Sandbox::whenSettled(std::chrono::milliseconds limit, Callback done)
{
    Waiter waiter = {std::make_unique<Timer>(m_context.loop), std::move(done)};
    Timer *const key = waiter.timer.get();
    waiter.timer->start(limit, [this, key] {
        const auto keep = shared_from_this();
        for (auto it = m_waiters.begin(); it != m_waiters.end(); ++it) {
            if (it->timer.get() != key)
                continue;
            const Callback late = std::move(it->done);
            m_waiters.erase(it);
            late(conflict(m_meta));
            return;
        }
    });
    m_waiters.push_back(std::move(waiter));
}

// ---- going down

void Sandbox::pause(Callback done)
{
    if (m_meta.status != SandboxStatus::Active) {
        done(m_meta.status == SandboxStatus::Deleted ? sandboxNotFound(m_meta.id.toLatin1())
                                                     : conflict(m_meta));
        return;
    }
    setStatus(SandboxStatus::Pausing);
    afterDelay([self = shared_from_this(), done = std::move(done)] { self->freeze(done); });
}

void Sandbox::freeze(const Callback &done)
{
    if (!m_machine) {
        done(conflict(m_meta));
        return;
    }
    m_machine->freeze([self = shared_from_this(), done](int error) {
        if (self->m_meta.status != SandboxStatus::Pausing) { // Lost or deleted meanwhile.
            done(self->m_meta.status == SandboxStatus::Paused
                     ? std::nullopt
                     : std::optional(sandboxNotFound(self->m_meta.id.toLatin1())));
            return;
        }
        if (error != 0 && self->m_machine) {
            // Not everything stands still: then it is not paused, and nothing may say so.
            self->m_machine->thaw([](int) {});
            self->setStatus(SandboxStatus::Active);
            done(
                ApiFailure{500, "internal_error",
                           u"the processes of the sandbox could not be stopped: %1"_s.arg(errnoText(error))});
            return;
        }
        self->cutAll();
        self->m_meta.countdownFromMs = self->m_context.clock.utcMs();
        self->setStatus(SandboxStatus::Paused);
        done(std::nullopt);
    });
}

void Sandbox::onMachineLost()
{
    const auto keep = shared_from_this();
    const auto machine = std::exchange(m_machine, nullptr);
    if (machine)
        machine->end([machine] {});
    cutAll();
    if (m_meta.status == SandboxStatus::Deleted)
        return;
    qCWarning(lcSandbox, "the processes of sandbox %s ended unexpectedly; its files are kept",
              qPrintable(m_meta.id));
    m_meta.processesLost = true;
    m_meta.countdownFromMs = m_context.clock.utcMs();
    m_delayTimer.cancel();
    setStatus(SandboxStatus::Paused);
}

void Sandbox::endProcesses(std::function<void()> done)
{
    if (m_meta.status != SandboxStatus::Failed && m_meta.status != SandboxStatus::Deleted) {
        if (m_meta.status != SandboxStatus::Paused)
            m_meta.countdownFromMs = m_context.clock.utcMs();
        m_delayTimer.cancel();
        setStatus(SandboxStatus::Paused);
    }
    cutAll();
    if (const auto machine = std::exchange(m_machine, nullptr))
        machine->end([machine, done = std::move(done)] { done(); });
    else
        m_context.loop.post(std::move(done));
}

void Sandbox::destroy(Callback done)
{
    const bool isStale = m_context.clock.monotonicMs() - m_statusSinceMs > StaleTransitionMs;
    if (m_meta.status == SandboxStatus::Deleted) {
        done(sandboxNotFound(m_meta.id.toLatin1()));
        return;
    }
    if (isInTransition() && !isStale) {
        done(conflict(m_meta));
        return;
    }
    m_delayTimer.cancel();
    setStatus(SandboxStatus::Deleted);
    cutAll();
    const auto finish = [self = shared_from_this(), done = std::move(done)] {
        self->moveToTrash();
        done(std::nullopt);
    };
    if (const auto machine = std::exchange(m_machine, nullptr))
        machine->end([machine, finish] { finish(); });
    else
        m_context.loop.post(finish);
}

void Sandbox::moveToTrash()
{
    // The answer does not wait for a large tree: it is out of sight at once, and the service's sweeper
    // deletes it.
    const QByteArray trash = m_context.dataFolder + "/trash";
    const auto made = makeFolders(trash);
    const QByteArray target = trash + '/' + m_meta.id.toLatin1();
    if (!made || ::rename(folder().constData(), target.constData()) != 0) {
        // Without its facts a folder is no sandbox; the next start sweeps it.
        ::unlink(QByteArray(folder() + "/meta.json").constData());
        qCWarning(lcSandbox,
                  "cannot move the folder of a deleted sandbox away; it is deleted at the next start");
    }
    if (m_onChanged)
        m_onChanged();
}

// ---- connections

std::optional<quint64> Sandbox::attach(std::function<void()> cut)
{
    if (m_attachments.size() >= MaxAttachments)
        return std::nullopt;
    const quint64 attachment = m_nextAttachment++;
    m_attachments.insert(attachment, std::move(cut));
    return attachment;
}

void Sandbox::detach(quint64 attachment) { m_attachments.remove(attachment); }

void Sandbox::cutAll()
{
    for (const auto &cut : std::exchange(m_attachments, {}))
        cut();
}

} // namespace Pilothouse
