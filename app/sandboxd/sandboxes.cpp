// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandboxes.h"

#include "text/inerttext.h"
#include "util/ids.h"
#include "util/logging.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype MaxActive = 50; // As the service that this one stands in for.
constexpr qsizetype MaxMetaBytes = 1024 * 1024; // Twelve times what the limits of the API allow.
constexpr qsizetype MostPathShown = 4096; // PATH_MAX: a path that is cut is of no use.
constexpr qint64 LongestReaperMs = 30000; // Wall time may jump while the computer sleeps.

QList<QByteArray> entriesOf(const QByteArray &folder)
{
    QList<QByteArray> names;
    DIR *const directory = ::opendir(folder.constData());
    if (!directory)
        return names;
    while (const dirent *entry = ::readdir(directory)) {
        const QByteArray name = entry->d_name;
        if (name != "." && name != "..")
            names.append(name);
    }
    ::closedir(directory);
    return names;
}

/// Facts of a sandbox whose own cannot be read: it is listed as failed and can be deleted, and nothing of it
/// is touched before.
SandboxMeta standIn(const QByteArray &folder, const QByteArray &name, const QString &why)
{
    SandboxMeta meta;
    meta.id = QString::fromLatin1(name);
    meta.name = u"damaged"_s;
    meta.status = SandboxStatus::Failed;
    meta.previewAccess = u"public"_s;
    struct stat facts = {};
    if (::stat(folder.constData(), &facts) == 0)
        meta.createdAtMs = qint64(facts.st_mtim.tv_sec) * 1000; // Somewhere near.
    meta.problem = u"its description %1/meta.json cannot be used (%2); its files are kept beside it"_s.arg(
        inertLine(QString::fromUtf8(folder), MostPathShown), why);
    return meta;
}

/// Counts down several calls to one.
std::function<void()> countdown(qsizetype count, std::function<void()> done)
{
    return [left = std::make_shared<qsizetype>(count), done = std::move(done)] {
        if (--*left == 0)
            done();
    };
}

} // namespace

Sandboxes::Sandboxes(SandboxContext &context)
    : m_context(context)
    , m_reaper(context.loop)
{ }

Sandboxes::~Sandboxes() { *m_alive = false; }

void Sandboxes::load()
{
    const QByteArray root = m_context.dataFolder + "/sandboxes";
    for (const QByteArray &name : entriesOf(root)) {
        const QByteArray folder = root + '/' + name;
        const auto bytes = readFile(folder + "/meta.json", MaxMetaBytes);
        auto meta = bytes ? fromStoredJson(*bytes) : std::nullopt;
        if (!isId(QString::fromLatin1(name))) {
            qCWarning(lcSandbox, "%s is no sandbox and is left alone", folder.constData());
            continue;
        }
        if (!bytes && bytes.error() == ENOENT) {
            // Never finished, or deleted half: nobody was told of it, or somebody was told that it is gone.
            ::rename(folder.constData(), QByteArray(m_context.dataFolder + "/trash/" + name).constData());
            continue;
        }
        if (!meta || meta->id.toLatin1() != name) {
            const QString why = bytes ? u"it is damaged or of another version"_s : errnoText(bytes.error());
            meta = standIn(folder, name, why);
            qCWarning(lcSandbox, "sandbox %s cannot be used: %s", name.constData(),
                      qPrintable(meta->problem));
        }
        if (meta->status != SandboxStatus::Failed) {
            if (meta->status != SandboxStatus::Paused)
                meta->countdownFromMs = m_context.clock.utcMs();
            meta->status = SandboxStatus::Paused;
            meta->processesLost = true;
        }
        const auto sandbox = std::make_shared<Sandbox>(m_context, std::move(*meta));
        if (const auto stored = sandbox->store(false); !stored)
            qCWarning(lcSandbox, "cannot store the state of a sandbox: %s",
                      qPrintable(errnoText(stored.error())));
        watch(sandbox);
    }
    sweepTrash();
    reap();
}

void Sandboxes::watch(const SandboxPtr &sandbox)
{
    m_sandboxes.insert(sandbox->meta().id.toLatin1(), sandbox);
    sandbox->onChanged([this, weak = std::weak_ptr(sandbox)] { onChanged(weak); });
}

void Sandboxes::onChanged(const std::weak_ptr<Sandbox> &weak)
{
    const SandboxPtr sandbox = weak.lock();
    if (sandbox && sandbox->meta().status == SandboxStatus::Deleted) {
        m_sandboxes.remove(sandbox->meta().id.toLatin1());
        sweepTrash();
    }
    if (m_reapPosted || m_isEnding)
        return;
    m_reapPosted = true;
    m_context.loop.post([this, alive = m_alive] {
        if (*alive)
            reap();
    });
}

void Sandboxes::create(SandboxMeta meta, std::function<void(Result<SandboxPtr, ApiFailure>)> done)
{
    meta.id = newId();
    meta.status = SandboxStatus::Starting;
    meta.createdAtMs = m_context.clock.utcMs();
    const auto sandbox = std::make_shared<Sandbox>(m_context, std::move(meta));
    watch(sandbox);
    sandbox->create([sandbox, done = std::move(done)](const std::optional<ApiFailure> &failure) {
        if (failure)
            done(fail(*failure));
        else
            done(sandbox);
    });
}

SandboxPtr Sandboxes::find(const QByteArray &id) const { return m_sandboxes.value(id); }

QList<SandboxPtr> Sandboxes::all() const
{
    QList<SandboxPtr> list = m_sandboxes.values();
    std::sort(list.begin(), list.end(), [](const SandboxPtr &a, const SandboxPtr &b) {
        return a->meta().createdAtMs != b->meta().createdAtMs ? a->meta().createdAtMs > b->meta().createdAtMs
                                                              : a->meta().id < b->meta().id;
    });
    return list;
}

std::optional<ApiFailure> Sandboxes::checkActiveLimit() const
{
    qsizetype active = 0;
    for (const SandboxPtr &sandbox : m_sandboxes) {
        const SandboxStatus status = sandbox->meta().status;
        active += status == SandboxStatus::Active || sandbox->isInTransition() ? 1 : 0;
    }
    if (active < MaxActive)
        return std::nullopt;
    return ApiFailure{429, "too_many_sandboxes", u"%1 sandboxes are active; pause one first"_s.arg(active)};
}

void Sandboxes::reap()
{
    m_reapPosted = false;
    if (m_isEnding)
        return;
    const qint64 monotonic = m_context.clock.monotonicMs();
    const qint64 utc = m_context.clock.utcMs();
    qint64 next = -1;
    const auto wanted = [&next](qint64 delay) { next = next < 0 ? delay : qMin(next, delay); };
    for (const SandboxPtr &sandbox : m_sandboxes.values()) {
        const SandboxMeta &meta = sandbox->meta();
        if (const auto deadline = sandbox->pauseDeadlineMs()) {
            if (*deadline <= monotonic)
                sandbox->pause([](const auto &) {});
            else
                wanted(*deadline - monotonic);
        }
        if (meta.status == SandboxStatus::Paused && meta.autoDeleteSeconds) {
            const qint64 due = meta.countdownFromMs + *meta.autoDeleteSeconds * 1000;
            if (due <= utc)
                sandbox->destroy([](const auto &) {});
            else
                wanted(due - utc);
        }
    }
    if (next >= 0)
        m_reaper.start(std::chrono::milliseconds(qMin(next, LongestReaperMs)), [this] { reap(); });
}

void Sandboxes::sweepTrash()
{
    const QByteArray trash = m_context.dataFolder + "/trash";
    if (m_sweeper || m_isEnding || entriesOf(trash).isEmpty())
        return;
    // What a sandbox leaves may be deep, large and without permissions; the system's tools cope with all of
    // it.
    const QByteArray script =
        "rm -rf -- \"$1\"/* 2>/dev/null || { chmod -R u+rwx -- \"$1\"; rm -rf -- \"$1\"/*; }";
    m_sweeperPid = ::fork();
    if (m_sweeperPid == 0) {
        const char *arguments[] = {"sh", "-c", script.constData(), "sh", trash.constData(), nullptr};
        const char *environment[] = {"PATH=/usr/bin:/bin", nullptr};
        ::signal(SIGPIPE, SIG_DFL);
        ::execve("/bin/sh", const_cast<char **>(arguments), const_cast<char **>(environment));
        ::_exit(127);
    }
    if (m_sweeperPid < 0)
        return;
    UniqueFd exit(int(::syscall(SYS_pidfd_open, m_sweeperPid, 0)));
    if (!exit.isValid()) {
        ::waitpid(m_sweeperPid, nullptr, 0);
        return;
    }
    m_sweeper = std::make_unique<FdWatcher>(m_context.loop, std::move(exit));
    m_sweeper->waitReadable([this] {
        int status = 0;
        ::waitpid(m_sweeperPid, &status, 0);
        m_sweeper.reset();
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            sweepTrash(); // What was put there meanwhile. After a failure the next deletion tries again.
    });
}

void Sandboxes::pauseAll(std::function<void()> done)
{
    QList<SandboxPtr> active;
    for (const SandboxPtr &sandbox : m_sandboxes) {
        if (sandbox->meta().status == SandboxStatus::Active)
            active.append(sandbox);
    }
    const auto one = countdown(active.size() + 1, std::move(done));
    for (const SandboxPtr &sandbox : active)
        sandbox->pause([one](const auto &) { one(); });
    m_context.loop.post(one);
}

void Sandboxes::endAll(std::function<void()> done)
{
    m_isEnding = true;
    m_reaper.cancel();
    const QList<SandboxPtr> list = m_sandboxes.values();
    const auto one = countdown(list.size() + 1, std::move(done));
    for (const SandboxPtr &sandbox : list)
        sandbox->endProcesses(one);
    m_context.loop.post(one);
}

} // namespace Pilothouse
